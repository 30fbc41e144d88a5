#ifndef TEST_MESHES_H
#define TEST_MESHES_H

/* Vertices and triangles of simple meshes, for tests and benchmarks. */

#include "gjk/pieces.h"

#include <stdbool.h>
#include <string.h>

/* A mesh of at most eight boxes. */
typedef struct test_boxes {
    gjk_vec3 vertices[64];
    uint32_t triangles[96][3];
    uint32_t vertex_count, triangle_count;
} test_boxes;

/* Adds a box with 12 triangles, counter-clockwise from outside, or from inside. */
static inline void test_boxes_add(test_boxes *mesh, gjk_vec3 center, gjk_vec3 half,
                                  bool inside_out) {
    static const uint32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                          {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                          {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    const uint32_t first = mesh->vertex_count;
    for (uint32_t i = 0; i < 8; i++) {
        mesh->vertices[mesh->vertex_count++] =
            gjk_add3(center, (gjk_vec3){i % 2 ? half.x : -half.x, i / 2 % 2 ? half.y : -half.y,
                                        i / 4 ? half.z : -half.z});
    }
    for (uint32_t i = 0; i < 12; i++) {
        uint32_t *triangle = mesh->triangles[mesh->triangle_count++];
        for (uint32_t k = 0; k < 3; k++) {
            triangle[k] = first + faces[i][inside_out ? 2 - k : k];
        }
    }
}

/* Sets the (cells + 1)^2 vertices and 2 cells^2 triangles, seen counter-clockwise from above, of a
 * square ground around the origin. */
static inline void test_ground(uint32_t cells, double cell, double (*height)(double x, double y),
                               gjk_vec3 *vertices, uint32_t (*triangles)[3]) {
    for (uint32_t i = 0; i < (cells + 1) * (cells + 1); i++) {
        const double x = cell * ((double)(i % (cells + 1)) - cells / 2);
        const double y = cell * ((double)(i / (cells + 1)) - cells / 2);
        vertices[i] = (gjk_vec3){x, y, height(x, y)};
    }
    for (uint32_t i = 0; i < cells * cells; i++) {
        const uint32_t a = i / cells * (cells + 1) + i % cells, b = a + cells + 1;
        memcpy(triangles[2 * i], (uint32_t[3]){a, a + 1, b + 1}, sizeof *triangles);
        memcpy(triangles[2 * i + 1], (uint32_t[3]){a, b + 1, b}, sizeof *triangles);
    }
}

#endif
