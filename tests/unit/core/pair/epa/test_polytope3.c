/* The polytope of EPA stays the convex hull of what it was given, also where it moves to more
 * room. */

#include "pair/epa/polytope.h"

#include "base/predicate.h"
#include "support/rng.h"
#include "support/test.h"

#define FEW 16
#define MANY 120

static gjk_vec3 on_sphere(test_rng *rng) {
    gjk_vec3 v = {0, 0, 0};
    double squared = 0.0;
    while (!(squared > 0.01 && squared <= 1.0)) {
        v = (gjk_vec3){test_rng_uniform(rng, -1.0, 1.0), test_rng_uniform(rng, -1.0, 1.0),
                       test_rng_uniform(rng, -1.0, 1.0)};
        squared = gjk_dot3(v, v);
    }
    return gjk_scale3(1.0 / sqrt(squared), v);
}

/* Each face has its neighbours' edges, no vertex lies beyond it, and there are as many as Euler
 * says. */
static void require_hull(const struct gjk_polytope3 *p) {
    uint32_t faces = 0, corners = 0, nearest = GJK_NO_FACE;
    bool is_corner[MANY] = {false}; /* others have come to lie inside */
    for (uint32_t i = 0; i < p->face_count; i++) {
        const gjk_face3 *f = &p->face[i];
        if (!(p->distance[i] < INFINITY)) {
            continue;
        }
        faces++;
        nearest = nearest == GJK_NO_FACE || p->distance[i] < p->distance[nearest] ? i : nearest;
        for (int k = 0; k < 3; k++) {
            corners += !is_corner[f->vertex[k]];
            is_corner[f->vertex[k]] = true;
            const gjk_face3 *other = &p->face[f->neighbour[k]];
            int shared = 0;
            for (int m = 0; m < 3; m++) {
                shared += other->vertex[m] == f->vertex[(k + 1) % 3] &&
                          other->vertex[(m + 1) % 3] == f->vertex[k] && other->neighbour[m] == i;
            }
            ck_assert_int_eq(shared, 1);
        }
        for (uint32_t v = 0; v < p->vertex_count; v++) {
            ck_assert_int_le(gjk_orient3_sign(p->vertex[f->vertex[0]].w, p->vertex[f->vertex[1]].w,
                                              p->vertex[f->vertex[2]].w, p->vertex[v].w),
                             0);
        }
    }
    ck_assert_uint_eq(faces, 2 * corners - 4);
    ck_assert_uint_eq(gjk_polytope3_nearest_face(p), nearest);
}

/* Adds points where rays leave the polytope until it is full; every second one lies in a plane of
 * others, for which rounded numbers are not enough. */
static void fill(struct gjk_polytope3 *p, test_rng *rng) {
    for (int i = 0; !gjk_polytope3_is_full(p); i++) {
        gjk_vec3 ray = gjk_scale3(1.5, on_sphere(rng));
        if (i % 2 == 0) {
            ray = (gjk_vec3){i % 4 - 1, test_rng_integer(rng, -8, 8) / 8.0,
                             test_rng_integer(rng, -8, 8) / 8.0};
        }
        const uint32_t pierced = gjk_polytope3_pierced_face(p, ray);
        ck_assert_uint_ne(pierced, GJK_NO_FACE);
        *gjk_polytope3_next(p) = (gjk_vertex3){.w = ray};
        if (gjk_polytope3_insert(p, pierced)) {
            require_hull(p);
            const uint32_t again = gjk_polytope3_pierced_new_face(p, ray);
            ck_assert_uint_ne(again, GJK_NO_FACE);
        }
    }
    ck_assert(!gjk_polytope3_insert(p, 0));
}

TEST_EACH(it_stays_a_hull_and_moves, 0, 4) {
    static GJK_POLYTOPE3_STORAGE(FEW) small;
    static GJK_POLYTOPE3_STORAGE(MANY) large;
    static const gjk_vertex3 corner[4] = {{.w = {1, 1, 1}},
                                          {.w = {1, -1, -1}},
                                          {.w = {-1, 1, -1}},
                                          {.w = {-1, -1, 1}}};
    struct gjk_polytope3 few, many;
    test_rng rng = test_rng_make((uint64_t)_i + 1);
    GJK_POLYTOPE3_USE(&few, &small, FEW);
    GJK_POLYTOPE3_USE(&many, &large, MANY);
    gjk_polytope3_init(&few, corner, 2.0);
    require_hull(&few);
    fill(&few, &rng);
    gjk_polytope3_move(&few, &many);
    require_hull(&many);
    fill(&many, &rng);
}
