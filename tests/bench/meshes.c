/*
 * What do rays, points, balls and casts of capsules at one triangle mesh cost, how does that grow,
 * and how good are the answers? One thread, seeded scenes, ours and a peer in turns, each time in
 * another order. Prints a JSON object a line.
 */

#include "worlds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../support/rng.h"

#define REPETITIONS 9
/* Queries whose truth is computed: so many, or less where these are more triangles to look at. */
#define JUDGED 64
#define JUDGED_TRIANGLES 16000000u
/* The truth of casts: steps, and the gap that is a contact. */
#define ADVANCES 1000
#define MEETS 1e-12

static const struct bench_world_peer *const peers[] = {
    &bench_world_ours, /* the first */
#ifdef BENCH_EMBREE
    &bench_mesh_embree,
#endif
#ifdef BENCH_BULLET
    &bench_world_bullet, /* what Embree does not answer */
#endif
};
#define PEERS (sizeof peers / sizeof peers[0])

/* What an answer may be off by: rounding, of floats for the peer. */
static const double tolerances[] = {1e-9, 1e-3};

static const struct {
    const char *text;
    enum bench_world_question question;
    int probe;
} rows[] = {{"ray, closest hit", BENCH_WORLD_RAY, BENCH_POINT},
            {"ray, any hit", BENCH_WORLD_ANY, BENCH_POINT},
            {"distance of a point", BENCH_WORLD_DISTANCE, BENCH_POINT},
            {"distance of a sphere", BENCH_WORLD_DISTANCE, BENCH_SPHERE},
            {"detect, a sphere", BENCH_WORLD_DETECT, BENCH_SPHERE},
            {"cast, a capsule", BENCH_WORLD_CAST, BENCH_CAPSULE_PROBE}};
#define ROWS (sizeof rows / sizeof rows[0])

typedef struct contender {
    void *mesh;
    double least; /* ns a query */
    double answers[BENCH_WORLD_QUERIES];
    int wrong, lost;
    double worst;
} contender;

static double nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

/* --- The truth, of all triangles one by one --- */

typedef struct vec3l {
    long double x, y, z;
} vec3l;

static vec3l minus(gjk_vec3 a, gjk_vec3 b) {
    return (vec3l){(long double)a.x - b.x, (long double)a.y - b.y, (long double)a.z - b.z};
}

static long double dot(vec3l a, vec3l b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vec3l cross(vec3l a, vec3l b) {
    return (vec3l){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* Where the ray meets the triangle (Moeller and Trumbore 1997), or INFINITY. */
static long double meet(const gjk_ray *ray, const gjk_vec3 *const t[3]) {
    const vec3l ab = minus(*t[1], *t[0]), ac = minus(*t[2], *t[0]), off = minus(ray->origin, *t[0]);
    const vec3l way = {ray->direction.x, ray->direction.y, ray->direction.z};
    const vec3l across = cross(way, ac), turned = cross(off, ab);
    const long double volume = dot(ab, across), u = dot(off, across) / volume;
    const long double v = dot(way, turned) / volume, at = dot(ac, turned) / volume;
    return u >= 0 && v >= 0 && u + v <= 1 && at >= 0 && at <= ray->max_distance ? at : INFINITY;
}

/* The distance of a point from a segment. */
static long double from_segment(gjk_vec3 p, gjk_vec3 a, gjk_vec3 b) {
    const vec3l way = minus(b, a), off = minus(p, a);
    const long double square = dot(way, way), part = square > 0 ? dot(off, way) / square : 0;
    const long double s = part < 0 ? 0 : part > 1 ? 1 : part;
    const vec3l rest = {off.x - s * way.x, off.y - s * way.y, off.z - s * way.z};
    return sqrtl(dot(rest, rest));
}

/* ... and from a triangle: from its plane if it is above the inside, else from its edges. */
static long double from_triangle(gjk_vec3 p, const gjk_vec3 *const t[3]) {
    long double least = INFINITY;
    const vec3l normal = cross(minus(*t[1], *t[0]), minus(*t[2], *t[0]));
    bool is_above = dot(normal, normal) > 0;
    for (int i = 0; i < 3; i++) {
        const gjk_vec3 from = *t[i], to = *t[(i + 1) % 3];
        least = fminl(least, from_segment(p, from, to));
        is_above = is_above && dot(cross(normal, minus(to, from)), minus(p, from)) >= 0;
    }
    return is_above ? fabsl(dot(normal, minus(p, *t[0]))) / sqrtl(dot(normal, normal)) : least;
}

static long double within01(long double part) {
    return part < 0 ? 0 : part > 1 ? 1 : part;
}

/* The distance of two segments (Ericson, Real-Time Collision Detection, 2005, 5.1.9), less of
 * parallel ones than of their ends. */
static long double between_segments(gjk_vec3 p, gjk_vec3 q, gjk_vec3 a, gjk_vec3 b) {
    const vec3l u = minus(q, p), v = minus(b, a), off = minus(p, a);
    const long double uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), u_off = dot(u, off);
    const long double v_off = dot(v, off), area = uu * vv - uv * uv;
    long double s = area > 0 ? within01((uv * v_off - u_off * vv) / area) : 0;
    long double t = (uv * s + v_off) / vv;
    if (!(t >= 0 && t <= 1)) {
        t = t > 1 ? 1 : 0;
        s = within01((t * uv - u_off) / uu);
    }
    const vec3l rest = {off.x + s * u.x - t * v.x, off.y + s * u.y - t * v.y,
                        off.z + s * u.z - t * v.z};
    return sqrtl(dot(rest, rest));
}

/* The distance of a segment from a triangle. */
static long double between(const gjk_vec3 ends[2], const gjk_vec3 *const t[3]) {
    const gjk_ray across = {ends[0], gjk_sub3(ends[1], ends[0]), 1.0};
    long double least = fminl(from_triangle(ends[0], t), from_triangle(ends[1], t));
    for (int i = 0; i < 3; i++) {
        least = fminl(least, between_segments(ends[0], ends[1], *t[i], *t[(i + 1) % 3]));
    }
    return meet(&across, t) < INFINITY ? 0 : least;
}

/* The part of the way after which a capsule meets the triangle, or more than 1: by steps as long
 * as the distance. */
static long double advance(const gjk_placed *capsule, gjk_vec3 way, const gjk_vec3 *const t[3]) {
    const gjk_vec3 ends[2] = {gjk_pose_apply(&capsule->pose, gjk_shape_point(capsule->shape, 0)),
                              gjk_pose_apply(&capsule->pose, gjk_shape_point(capsule->shape, 1))};
    long double part = 0;
    for (int i = 0; i < ADVANCES && part <= 1; i++) {
        const gjk_vec3 moved = gjk_scale3((double)part, way);
        const gjk_vec3 there[2] = {gjk_add3(ends[0], moved), gjk_add3(ends[1], moved)};
        const long double gap = between(there, t) - capsule->shape->radius;
        if (gap <= MEETS) {
            break;
        }
        part += gap / gjk_length3(way);
    }
    return part;
}

/* The same of all triangles. */
static double find_contact(const bench_landscape_world *world, const gjk_placed *capsule,
                           gjk_vec3 way) {
    const double reach = gjk_length3(way) + capsule->shape->bounding_radius;
    long double least = INFINITY;
    for (uint32_t k = 0; k < world->triangle_count; k++) {
        const uint32_t *v = world->triangles[k];
        const gjk_vec3 *const t[3] = {&world->vertices[v[0]], &world->vertices[v[1]],
                                      &world->vertices[v[2]]};
        const double side =
            gjk_length3(gjk_sub3(*t[1], *t[0])) + gjk_length3(gjk_sub3(*t[2], *t[0]));
        if (gjk_length3(gjk_sub3(*t[0], capsule->pose.position)) <= reach + side) {
            least = fminl(least, advance(capsule, way, t));
        }
    }
    return least <= 1 ? (double)least : BENCH_WORLD_NONE;
}

/* The answer to query i as it ought to be. */
static double find_truth(const bench_landscape_world *world, size_t row, int i) {
    const bool is_ray = rows[row].question <= BENCH_WORLD_ANY;
    const gjk_placed *probe = &world->probes[rows[row].probe][i];
    long double least = INFINITY;
    if (rows[row].question == BENCH_WORLD_CAST) {
        return find_contact(world, probe, world->ways[i]);
    }
    for (uint32_t k = 0; k < world->triangle_count; k++) {
        const uint32_t *v = world->triangles[k];
        const gjk_vec3 *const corners[3] = {&world->vertices[v[0]], &world->vertices[v[1]],
                                            &world->vertices[v[2]]};
        least = fminl(least, is_ray ? meet(&world->rays[i], corners)
                                    : from_triangle(probe->pose.position, corners));
    }
    const double off = (double)least - probe->shape->radius;
    switch (rows[row].question) {
    case BENCH_WORLD_RAY:
        return least < INFINITY ? (double)least : BENCH_WORLD_NONE;
    case BENCH_WORLD_ANY:
        return least < INFINITY;
    case BENCH_WORLD_DETECT:
        return off < 0;
    default:
        return fmax(off, 0);
    }
}

/* The first peer that answers the row's question; 0, which is ours: none does. */
static size_t peer_of(size_t row) {
    for (size_t p = 1; p < PEERS; p++) {
        if (peers[p]->pass[rows[row].question] != NULL) {
            return p;
        }
    }
    return 0;
}

static void judge(const bench_landscape_world *world, size_t row, contender *all) {
    for (size_t p = 0; p < PEERS; p++) {
        all[p].wrong = all[p].lost = 0;
        all[p].worst = 0.0;
    }
    const uint32_t most = JUDGED_TRIANGLES / world->triangle_count;
    for (int i = 0; i < JUDGED && (uint32_t)i < most; i++) {
        const double truth = find_truth(world, row, i);
        for (size_t p = 0; p < PEERS; p++) {
            const double off = fabs(all[p].answers[i] - truth);
            const bool loses = truth > 0 && all[p].answers[i] < 0;
            all[p].lost += loses;
            all[p].wrong += !(off <= tolerances[p > 0]);
            all[p].worst = loses ? all[p].worst : fmax(all[p].worst, off);
        }
    }
}

/* --- The run --- */

static void shuffle(bench_landscape_world *world, test_rng *rng) {
    for (int i = BENCH_WORLD_QUERIES - 1; i > 0; i--) {
        const uint32_t k = test_rng_below(rng, (uint32_t)i + 1);
        const gjk_ray ray = world->rays[i];
        world->rays[i] = world->rays[k];
        world->rays[k] = ray;
        const gjk_vec3 way = world->ways[i];
        world->ways[i] = world->ways[k];
        world->ways[k] = way;
        for (int probe = 0; probe < BENCH_ALL_PROBES; probe++) {
            const gjk_placed placed = world->probes[probe][i];
            world->probes[probe][i] = world->probes[probe][k];
            world->probes[probe][k] = placed;
        }
    }
}

static void print_row(const char *scene, size_t row, const contender *all) {
    const contender *ours = &all[0], *theirs = &all[peer_of(row)];
    printf("{\"case\": \"%s, %s\", \"ours\": %.1f", rows[row].text, scene, ours->least);
    if (theirs != ours) {
        printf(", \"peer\": %.1f, \"peer_name\": \"%s\", \"ratio\": %.3f", theirs->least,
               peers[peer_of(row)]->name, ours->least / theirs->least);
    }
    printf(", \"unit\": \"ns\", \"wrong\": %d, \"lost\": %d, \"worst\": %.2g", ours->wrong,
           ours->lost, ours->worst);
    if (theirs != ours) {
        printf(", \"wrong_peer\": %d, \"lost_peer\": %d, \"worst_peer\": %.2g", theirs->wrong,
               theirs->lost, theirs->worst);
    }
    puts("}");
    fflush(stdout);
}

static void ask(const char *scene, bench_landscape_world *world, size_t row, contender *all) {
    test_rng rng = test_rng_make(7);
    const size_t asked[2] = {0, peer_of(row)};
    const size_t count = asked[1] > 0 ? 2 : 1;
    all[asked[0]].least = all[asked[1]].least = INFINITY;
    for (int repetition = 0; repetition < REPETITIONS; repetition++) {
        shuffle(world, &rng);
        for (size_t k = 0; k < count; k++) {
            const size_t p = asked[k];
            const double start = nanoseconds();
            peers[p]->pass[rows[row].question](all[p].mesh, world, rows[row].probe, all[p].answers);
            all[p].least = fmin(all[p].least, (nanoseconds() - start) / BENCH_WORLD_QUERIES);
        }
    }
    judge(world, row, all);
    print_row(scene, row, all);
}

/* asked: only the rows whose name contains it. */
static void measure(const char *scene, bench_landscape_world *world, const char *asked) {
    static contender all[PEERS];
    for (size_t p = 0; p < PEERS; p++) {
        all[p].mesh = peers[p]->begin(world);
    }
    for (size_t row = 0; row < ROWS; row++) {
        if (strstr(rows[row].text, asked) != NULL) {
            ask(scene, world, row, all);
        }
    }
    for (size_t p = 0; p < PEERS; p++) {
        peers[p]->end(all[p].mesh);
    }
}

/* Texts as arguments: only the scenes, and of them the rows, whose names contain them. */
int main(int argc, char **argv) {
    bench_landscapes_measure(BENCH_SCULPTURE, 10000, argc, argv, measure);
    return 0;
}
