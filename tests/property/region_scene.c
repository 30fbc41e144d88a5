/*
 * Outlines of cells: directed edges of the grid with a solid cell on their left only. They are
 * followed to rings; where four edges meet, a coin tells whether the two rings touch there or are
 * one that does. Cells that share an edge, or a corner that was joined, belong to one polygon.
 */

#include "region_scene.h"

#include <string.h>

enum { EAST, NORTH, WEST, SOUTH };
static const int STEP[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
/* The cell to the left of an edge, from where it starts. */
static const int LEFT[4][2] = {{0, 0}, {-1, 0}, {-1, -1}, {0, -1}};

typedef struct tracer {
    region_scene *scene;
    test_rng *rng;
    uint32_t group[GRID * GRID];
    bool joined[GRID + 1][GRID + 1];
    bool used[GRID + 1][GRID + 1][4];
    struct ring {
        uint32_t group;
        int area2;
        uint32_t count;
        int at[4 * GRID * GRID][2];
    } rings[SCENE_RINGS_MAX];
    uint32_t ring_count;
} tracer;

static bool solid(const region_scene *scene, int i, int j) {
    return i >= 0 && j >= 0 && i < GRID && j < GRID && scene->solid[i][j];
}

static bool is_edge(const region_scene *scene, int i, int j, int way) {
    const int right =
        (way + 3) % 4; /* the cell on the right is that on the left of the turned edge */
    return solid(scene, i + LEFT[way][0], j + LEFT[way][1]) &&
           !solid(scene, i + LEFT[right][0], j + LEFT[right][1]);
}

static uint32_t find(tracer *t, uint32_t cell) {
    while (t->group[cell] != cell) {
        cell = t->group[cell];
    }
    return cell;
}

static void join(tracer *t, int i, int j, int k, int l) {
    if (solid(t->scene, i, j) && solid(t->scene, k, l)) {
        t->group[find(t, (uint32_t)(i * GRID + j))] = find(t, (uint32_t)(k * GRID + l));
    }
}

static void group_cells(tracer *t) {
    for (uint32_t i = 0; i < GRID * GRID; i++) {
        t->group[i] = i;
    }
    for (int i = 0; i < GRID; i++) {
        for (int j = 0; j < GRID; j++) {
            join(t, i, j, i + 1, j);
            join(t, i, j, i, j + 1);
        }
    }
    for (uint32_t i = 0; i < GRID * GRID; i++) {
        t->scene->part_count += t->group[i] == i && t->scene->solid[i / GRID][i % GRID];
    }
    for (int i = 1; i < GRID; i++) {
        for (int j = 1; j < GRID; j++) {
            t->scene->reflex_count += solid(t->scene, i, j) + solid(t->scene, i - 1, j) +
                                          solid(t->scene, i, j - 1) +
                                          solid(t->scene, i - 1, j - 1) ==
                                      3;
            t->joined[i][j] = test_rng_once_in(t->rng, 2);
            bool rising = solid(t->scene, i, j) && solid(t->scene, i - 1, j - 1) &&
                          !solid(t->scene, i - 1, j) && !solid(t->scene, i, j - 1);
            bool falling = !solid(t->scene, i, j) && !solid(t->scene, i - 1, j - 1) &&
                           solid(t->scene, i - 1, j) && solid(t->scene, i, j - 1);
            if (t->joined[i][j] && rising) {
                join(t, i, j, i - 1, j - 1);
            }
            if (t->joined[i][j] && falling) {
                join(t, i - 1, j, i, j - 1);
            }
        }
    }
}

/* Follows the ring of an edge. */
static void trace(tracer *t, int i, int j, int way) {
    struct ring *ring = &t->rings[t->ring_count++];
    ring->group = find(t, (uint32_t)((i + LEFT[way][0]) * GRID + j + LEFT[way][1]));
    ring->area2 = 0;
    ring->count = 0;
    while (!t->used[i][j][way]) {
        t->used[i][j][way] = true;
        ring->at[ring->count][0] = i;
        ring->at[ring->count++][1] = j;
        ring->area2 += i * STEP[way][1] - j * STEP[way][0];
        i += STEP[way][0];
        j += STEP[way][1];
        const int first = t->joined[i][j] ? 3 : 1, last = t->joined[i][j] ? 1 : 3;
        const int turns[3] = {first, 0, last};
        for (int k = 0; k < 3; k++) {
            if (is_edge(t->scene, i, j, (way + turns[k]) % 4)) {
                way = (way + turns[k]) % 4;
                break;
            }
        }
    }
}

static bool is_straight(const struct ring *ring, uint32_t k) {
    const int *a = ring->at[(k + ring->count - 1) % ring->count], *b = ring->at[k],
              *c = ring->at[(k + 1) % ring->count];
    return c[0] - b[0] == b[0] - a[0] && c[1] - b[1] == b[1] - a[1];
}

static void write_ring(tracer *t, const struct ring *ring, uint32_t *vertex_count) {
    region_scene *scene = t->scene;
    const uint32_t start = test_rng_below(t->rng, ring->count);
    const bool backwards = test_rng_once_in(t->rng, 2), all = test_rng_once_in(t->rng, 2);
    const uint32_t first = *vertex_count;
    for (uint32_t n = 0; n < ring->count; n++) {
        const uint32_t k = (backwards ? start + ring->count - n : start + n) % ring->count;
        if (!all && is_straight(ring, k)) {
            continue;
        }
        uint32_t copies = test_rng_once_in(t->rng, 8) ? 2 : 1;
        for (; copies > 0; copies--) {
            REQUIRE(*vertex_count + 1 < SCENE_VERTICES_MAX);
            scene->vertices[(*vertex_count)++] =
                region_scene_point(scene, 2 * ring->at[k][0], 2 * ring->at[k][1]);
        }
    }
    if (test_rng_once_in(t->rng, 2)) {
        scene->vertices[(*vertex_count)++] = scene->vertices[first];
    }
}

static void write_all(tracer *t) {
    region_scene *scene = t->scene;
    uint32_t vertices = 0, rings = 0, polygons = 0;
    for (uint32_t o = 0; o < t->ring_count; o++) {
        if (t->rings[o].area2 <= 0) {
            continue;
        }
        scene->polygon_sizes[polygons] = 0;
        for (uint32_t pass = 0; pass < 2; pass++) {
            for (uint32_t r = 0; r < t->ring_count; r++) {
                const bool hole = t->rings[r].area2 < 0;
                if (pass == 0 ? r == o : hole && t->rings[r].group == t->rings[o].group) {
                    const uint32_t first = vertices;
                    write_ring(t, &t->rings[r], &vertices);
                    scene->ring_sizes[rings++] = vertices - first;
                    scene->polygon_sizes[polygons]++;
                }
            }
        }
        polygons++;
    }
    REQUIRE(rings == t->ring_count);
    scene->region = (gjk_region){.vertices = scene->vertices,
                                 .ring_sizes = scene->ring_sizes,
                                 .polygon_sizes = scene->polygon_sizes,
                                 .polygon_count = polygons};
}

static void choose(test_rng *rng, double scale, region_scene *out) {
    const uint32_t density = 1 + test_rng_below(rng, 7);
    memset(out, 0, sizeof *out);
    out->scale = scale;
    do {
        out->a = test_rng_integer(rng, -40, 40);
        out->b = test_rng_integer(rng, -40, 40);
        out->c = test_rng_integer(rng, -40, 40);
        out->d = test_rng_integer(rng, -40, 40);
    } while (out->a * out->d == out->b * out->c);
    if (test_rng_once_in(rng, 3)) {
        out->b = out->c = 0;
        out->a = out->d = 1;
    }
    for (int i = 0; i < GRID; i++) {
        for (int j = 0; j < GRID; j++) {
            out->solid[i][j] = test_rng_below(rng, 8) < density || (i == 3 && j == 3);
            out->solid_count += out->solid[i][j];
        }
    }
}

void region_scene_make(test_rng *rng, double scale, region_scene *out) {
    static tracer t;
    choose(rng, scale, out);
    memset(&t, 0, sizeof t);
    t.scene = out;
    t.rng = rng;
    group_cells(&t);
    for (int i = 0; i <= GRID; i++) {
        for (int j = 0; j <= GRID; j++) {
            for (int way = 0; way < 4; way++) {
                if (is_edge(out, i, j, way) && !t.used[i][j][way]) {
                    trace(&t, i, j, way);
                }
            }
        }
    }
    write_all(&t);
}

gjk_vec2 region_scene_point(const region_scene *scene, int i2, int j2) {
    return (gjk_vec2){scene->scale * (scene->a * i2 + scene->b * j2),
                      scene->scale * (scene->c * i2 + scene->d * j2)};
}

bool region_scene_contains(const region_scene *scene, int i2, int j2) {
    for (int di = -1; di <= 0; di++) {
        for (int dj = -1; dj <= 0; dj++) {
            /* An odd half step lies inside of one cell, an even one between two. */
            const int i = i2 % 2 != 0 ? i2 / 2 : i2 / 2 + di;
            const int j = j2 % 2 != 0 ? j2 / 2 : j2 / 2 + dj;
            if (solid(scene, i, j)) {
                return true;
            }
        }
    }
    return false;
}
