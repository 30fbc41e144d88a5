/*
 * Exact sides by CGAL: see exact_solid.h. Of a mesh by the parity of a ray's crossings, with another
 * ray wherever one meets an edge (Side_of_triangle_mesh); of a region ring by ring.
 */

#include "exact_solid.h"

#include <CGAL/Exact_predicates_exact_constructions_kernel.h>
#include <CGAL/Polygon_2_algorithms.h>
#include <CGAL/Side_of_triangle_mesh.h>
#include <CGAL/Surface_mesh.h>

#include <algorithm>
#include <memory>
#include <vector>

typedef CGAL::Exact_predicates_exact_constructions_kernel Exact;
typedef CGAL::Surface_mesh<Exact::Point_3> Mesh;
typedef std::vector<Exact::Point_2> Ring;

struct test_exact_solid {
    Mesh mesh;
    std::unique_ptr<CGAL::Side_of_triangle_mesh<Mesh, Exact>> side_of_mesh;
    std::vector<std::vector<Ring>> polygons; /* the outer ring first */
};

struct test_exact_solid *test_exact_mesh_new(const double *vertices, uint32_t vertex_count,
                                             const uint32_t *triangles, uint32_t triangle_count) {
    test_exact_solid *solid = new test_exact_solid;
    for (uint32_t i = 0; i < vertex_count; i++) {
        const double *p = vertices + 3 * i;
        solid->mesh.add_vertex(Exact::Point_3(p[0], p[1], p[2]));
    }
    for (uint32_t i = 0; i < triangle_count; i++) {
        const uint32_t *t = triangles + 3 * i;
        solid->mesh.add_face(Mesh::Vertex_index(t[0]), Mesh::Vertex_index(t[1]),
                             Mesh::Vertex_index(t[2]));
    }
    if (solid->mesh.number_of_faces() != triangle_count) { /* edges of more than two triangles */
        delete solid;
        return nullptr;
    }
    solid->side_of_mesh.reset(new CGAL::Side_of_triangle_mesh<Mesh, Exact>(solid->mesh));
    return solid;
}

struct test_exact_solid *test_exact_region_new(const double *vertices, const uint32_t *ring_sizes,
                                               const uint32_t *polygon_sizes,
                                               uint32_t polygon_count) {
    test_exact_solid *solid = new test_exact_solid;
    for (uint32_t i = 0; i < polygon_count; i++) {
        solid->polygons.emplace_back();
        for (uint32_t r = 0; r < polygon_sizes[i]; r++, ring_sizes++) {
            Ring ring;
            for (uint32_t k = 0; k < *ring_sizes; k++, vertices += 2) {
                ring.emplace_back(vertices[0], vertices[1]);
            }
            ring.erase(std::unique(ring.begin(), ring.end()), ring.end());
            while (ring.size() > 1 && ring.back() == ring.front()) {
                ring.pop_back();
            }
            solid->polygons.back().push_back(ring);
        }
    }
    return solid;
}

void test_exact_solid_free(struct test_exact_solid *solid) {
    delete solid;
}

namespace {

int side_of_polygon(const std::vector<Ring> &rings, const Exact::Point_2 &point) {
    int side = CGAL::bounded_side_2(rings[0].begin(), rings[0].end(), point, Exact());
    for (std::size_t r = 1; r < rings.size(); r++) {
        const int hole = CGAL::bounded_side_2(rings[r].begin(), rings[r].end(), point, Exact());
        side = std::min(side, -hole);
    }
    return side;
}

} // namespace

int test_exact_side(const struct test_exact_solid *solid, const double point[3]) {
    if (solid->side_of_mesh) {
        return (*solid->side_of_mesh)(Exact::Point_3(point[0], point[1], point[2]));
    }
    int side = -1;
    for (const std::vector<Ring> &rings : solid->polygons) {
        side = std::max(side, side_of_polygon(rings, Exact::Point_2(point[0], point[1])));
    }
    return side;
}
