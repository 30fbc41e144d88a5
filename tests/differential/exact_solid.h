#ifndef TEST_EXACT_SOLID_H
#define TEST_EXACT_SOLID_H

/* What lies in closed meshes and in regions, decided in exact rational arithmetic by CGAL. */

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct test_exact_solid;

/* A closed mesh: x y z a vertex, three vertices a triangle. */
struct test_exact_solid *test_exact_mesh_new(const double *vertices, uint32_t vertex_count,
                                             const uint32_t *triangles, uint32_t triangle_count);

/* Polygons with holes, laid out as in gjk_region. */
struct test_exact_solid *test_exact_region_new(const double *vertices, const uint32_t *ring_sizes,
                                               const uint32_t *polygon_sizes,
                                               uint32_t polygon_count);

void test_exact_solid_free(struct test_exact_solid *solid);

/* Returns 1 for a point inside, 0 on the boundary, -1 outside. In 2D z is ignored. */
int test_exact_side(const struct test_exact_solid *solid, const double point[3]);

#ifdef __cplusplus
}
#endif

#endif
