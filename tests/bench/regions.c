/*
 * What does it cost to store a region whose rings cross, and what does GEOS's MakeValid take for
 * the same rings? Ours cuts the region into convex pieces besides and builds their tree. In turns,
 * the fastest pass of each. Prints a JSON object a line.
 */

#include "regions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define REPETITIONS 15

typedef struct scene {
    const char *name;
    gjk_vec2 vertices[BENCH_REGION_VERTICES];
    uint32_t ring_sizes[2], polygon_sizes[2];
    gjk_region region;
} scene;

double bench_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static gjk_vec2 at_angle(double turn, double radius) {
    return (gjk_vec2){radius * cos(2 * M_PI * turn), radius * sin(2 * M_PI * turn)};
}

/* A coast, whose bays never meet, with a small loop at every tenth vertex. */
static void make_coast(scene *s) {
    const uint32_t n = BENCH_REGION_VERTICES;
    s->name = "coast with small loops";
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t k = i % (n / BENCH_REGION_CROSSINGS);
        /* Ahead, back again beside it, and across. */
        const double step = k == 1 ? 1.0 : k == 2 ? -1.0 : 0.0;
        const double turn = (i + step) / n, aside = k == 1 || k == 2 ? 1e-4 : 0.0;
        s->vertices[i] = at_angle(turn, 1.0 + 0.2 * sin(40.0 * M_PI * turn) + aside);
    }
    s->ring_sizes[0] = n;
    s->polygon_sizes[0] = 1;
    s->region = (gjk_region){.polygon_count = 1};
}

/* A circle, and another that winds along it and crosses it as often as is asked. */
static void make_circles(scene *s) {
    const uint32_t half = BENCH_REGION_VERTICES / 2;
    s->name = "two rings along each other";
    for (uint32_t i = 0; i < half; i++) {
        const double wave = cos(2 * M_PI * (BENCH_REGION_CROSSINGS / 2) * i / half + 0.3);
        s->vertices[i] = at_angle((double)i / half, 1.0);
        s->vertices[half + i] = at_angle((double)i / half, 1.0 + 0.01 * wave);
    }
    s->ring_sizes[0] = s->ring_sizes[1] = half;
    s->polygon_sizes[0] = s->polygon_sizes[1] = 1;
    s->region = (gjk_region){.polygon_count = 2};
}

static double area_of(const gjk_shape *shape) {
    double sum = 0;
    for (uint32_t i = 0; i < gjk_pieces_count(shape->pieces); i++) {
        const gjk_vec2 *v;
        const uint32_t count = gjk_pieces_polygon(shape->pieces, i, &v);
        for (uint32_t k = 1; k + 1 < count; k++) {
            sum += 0.5 * gjk_cross2(gjk_sub2(v[k], v[0]), gjk_sub2(v[k + 1], v[0]));
        }
    }
    return sum;
}

static double store(const gjk_region *region, double *nanoseconds) {
    struct gjk_arena arena;
    gjk_pieces_fault fault;
    gjk_shape shape;
    gjk_arena_init(&arena, 0);
    const double start = bench_nanoseconds();
    if (gjk_shape_make_region(&arena, region, 0, &fault, &shape) != GJK_OK) {
        (void)fputs("the region is refused\n", stderr);
        exit(1);
    }
    *nanoseconds = bench_nanoseconds() - start;
    const double area = area_of(&shape);
    gjk_arena_fini(&arena);
    return area;
}

static void measure(scene *s) {
    double least = INFINITY, took, area = 0;
    s->region.vertices = s->vertices;
    s->region.ring_sizes = s->ring_sizes;
    s->region.polygon_sizes = s->polygon_sizes;
    s->region.fill = GJK_FILL_EVENODD;
#ifdef BENCH_GEOS
    double least_peer = INFINITY, area_peer = 0;
#endif
    for (int i = 0; i < REPETITIONS; i++) {
        area = store(&s->region, &took);
        least = fmin(least, took);
#ifdef BENCH_GEOS
        area_peer = bench_geos_make_valid(&s->region, &took);
        least_peer = fmin(least_peer, took);
#endif
    }
    printf("{\"case\": \"store a region of %d vertices, %d crossings, %s\", \"ours\": %.1f",
           BENCH_REGION_VERTICES, BENCH_REGION_CROSSINGS, s->name, 1e-3 * least);
#ifdef BENCH_GEOS
    printf(", \"peer\": %.1f, \"peer_name\": \"GEOS MakeValid\", \"ratio\": %.3f, \"differ\": %d",
           1e-3 * least_peer, least / least_peer, !(fabs(area - area_peer) <= 1e-9));
#endif
    printf(", \"unit\": \"us\", \"area\": %.12g}\n", area);
}

int main(void) {
    static scene s;
    make_coast(&s);
    measure(&s);
    make_circles(&s);
    measure(&s);
    return 0;
}
