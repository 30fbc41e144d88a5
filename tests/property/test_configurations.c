/*
 * Does a row of configurations say what gjk_detect and gjk_distance say of its pairs one by one, to
 * the bit: with allowed pairs, filters, thresholds, any order of the moved bodies, more of them
 * than the boxes that a row keeps, and whatever the rows before it were? Compared with loops that
 * know nothing better than to ask.
 */

#include "gjk/configuration.h"
#include "scene/scene.h"
#include "set_body.h"
#include "set_scene.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCENES TEST_CASES(700)
#define ROWS 4
#define MOVED_MAX BODIES_MAX
#define ALLOWED_MAX 12

typedef struct question {
    test_scene scene;
    gjk_snapshot snapshot;
    gjk_filter filter;
    const gjk_body *moved[MOVED_MAX];
    gjk_pose poses[ROWS][MOVED_MAX];
    gjk_allowed_pair allowed[ALLOWED_MAX];
    gjk_configuration_settings settings;
} question;

static gjk_pose random_pose(test_rng *rng, uint32_t dimension, double room) {
    const gjk_vec3 at =
        gjk_scale3(test_rng_uniform(rng, 0, room), test_rng_direction(rng, dimension));
    gjk_pose pose = gjk_pose_identity();
    const gjk_status status = dimension == 2
                                  ? gjk_pose_make2(gjk_xy(at), test_rng_uniform(rng, -3, 3), &pose)
                                  : gjk_pose_make3(at, test_rng_rotation(rng), &pose);
    ck_assert_int_eq(status, GJK_OK);
    return pose;
}

/* Some bodies of the set, in no order. */
static uint32_t choose_moved(test_rng *rng, const struct gjk_set *set, const gjk_body **out) {
    const uint32_t all = gjk_set_count(set), count = 1 + test_rng_below(rng, all < 9 ? all : 9);
    for (uint32_t i = 0; i < all; i++) {
        out[i] = test_set_body(set, i);
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t with = i + test_rng_below(rng, all - i);
        const gjk_body *body = out[i];
        out[i] = out[with];
        out[with] = body;
    }
    return count;
}

static void make_question(test_rng *rng, question *q) {
    const uint32_t dimension = 2 + test_rng_below(rng, 2);
    do {
        test_scene_make(rng, dimension, "a", &q->scene);
    } while (q->scene.count == 0 && (test_scene_drop(&q->scene), true));
    const struct gjk_set *set = q->scene.set;
    q->snapshot = gjk_snapshot_of(set);
    q->filter = test_random_filter(rng);
    const uint32_t count = choose_moved(rng, set, q->moved);
    const double room = test_rng_uniform(rng, 1, 9);
    for (uint32_t row = 0; row < ROWS; row++) {
        for (uint32_t i = 0; i < count; i++) {
            q->poses[row][i] = row % 2 == 1 && test_rng_once_in(rng, 2)
                                   ? q->poses[row - 1][i] /* of use to the hint */
                                   : random_pose(rng, dimension, room);
        }
    }
    const uint32_t allowed = test_rng_below(rng, ALLOWED_MAX + 1);
    for (uint32_t i = 0; i < allowed; i++) {
        q->allowed[i] = (gjk_allowed_pair){q->moved[test_rng_below(rng, count)],
                                           test_set_body(set, test_rng_below(rng, q->scene.count))};
    }
    q->settings = (gjk_configuration_settings){
        .moved = q->moved,
        .count = count,
        .self = test_rng_once_in(rng, 2),
        .allowed = q->allowed,
        .allowed_count = allowed,
        .filter = &q->filter,
        .threshold = test_rng_once_in(rng, 2) ? INFINITY : test_rng_uniform(rng, 0, 2),
        .tolerance = test_rng_once_in(rng, 4) ? 1e-3 : GJK_TOLERANCE_DEFAULT,
        .max_iterations = test_rng_once_in(rng, 6) ? GJK_ITERATIONS_MIN : GJK_ITERATIONS_DEFAULT,
    };
}

/* --- What the pairs say --- */

static uint32_t index_of(const question *q, const gjk_body *body) {
    for (uint32_t i = 0; i < q->settings.count; i++) {
        if (q->moved[i] == body) {
            return i;
        }
    }
    return UINT32_MAX;
}

static bool is_asked(const question *q, const gjk_body *a, const gjk_body *b) {
    const bool moves_a = index_of(q, a) != UINT32_MAX, moves_b = index_of(q, b) != UINT32_MAX;
    for (uint32_t i = 0; i < q->settings.allowed_count; i++) {
        const gjk_allowed_pair *pair = &q->allowed[i];
        if ((pair->a == a && pair->b == b) || (pair->a == b && pair->b == a)) {
            return false;
        }
    }
    if (moves_a && moves_b) {
        return q->settings.self;
    }
    return (moves_a || moves_b) && gjk_filter_passes(&q->filter, moves_a ? b : a);
}

static gjk_placed place(const question *q, uint32_t row, const gjk_body *body) {
    const uint32_t i = index_of(q, body);
    return i == UINT32_MAX ? body->placed : (gjk_placed){body->placed.shape, q->poses[row][i]};
}

static void expect_collision(const question *q, uint32_t row, gjk_configuration *out) {
    const uint32_t count = gjk_set_count(q->scene.set);
    gjk_detect_settings how = gjk_detect_settings_default();
    how.penetration = false;
    how.tolerance = q->settings.tolerance;
    how.max_iterations = q->settings.max_iterations;
    *out = (gjk_configuration){.fraction = 1.0};
    for (uint32_t i = 0; i < count && !out->colliding; i++) {
        for (uint32_t j = i + 1; j < count && !out->colliding; j++) {
            const gjk_body *a = test_set_body(q->scene.set, i), *b = test_set_body(q->scene.set, j);
            const gjk_placed p = place(q, row, a), r = place(q, row, b);
            if (is_asked(q, a, b) && gjk_detect(&p, &r, &how).state != GJK_SEPARATED) {
                *out = (gjk_configuration){.colliding = true, .a = a, .b = b};
            }
        }
    }
}

/* What the pair says, with the normal that leaves the moved body. */
static void turn_normal(const question *q, const gjk_body *a, gjk_distance_result *result) {
    if (index_of(q, a) == UINT32_MAX) {
        result->normal = gjk_neg3(result->normal);
    }
}

static void expect_nearest(const question *q, uint32_t row, gjk_configuration *out) {
    const uint32_t count = gjk_set_count(q->scene.set);
    gjk_distance_settings how = gjk_distance_settings_default();
    how.is_signed = true;
    how.tolerance = q->settings.tolerance;
    how.max_iterations = q->settings.max_iterations;
    *out = (gjk_configuration){.fraction = 1.0};
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = i + 1; j < count; j++) {
            const gjk_body *a = test_set_body(q->scene.set, i), *b = test_set_body(q->scene.set, j);
            const gjk_placed p = place(q, row, a), r = place(q, row, b);
            if (!is_asked(q, a, b)) {
                continue;
            }
            const gjk_distance_result found = gjk_distance(&p, &r, &how);
            if (found.signed_distance <= q->settings.threshold &&
                (out->a == NULL || found.signed_distance < out->result.signed_distance)) {
                out->a = a;
                out->b = b;
                out->result = found;
            }
        }
    }
    out->colliding = out->a != NULL && out->result.state != GJK_SEPARATED;
    if (out->a != NULL) {
        turn_normal(q, out->a, &out->result);
    }
}

/* What a motion between two rows says of a pair that is alone in its set. */
static void ask_alone(const question *q, uint32_t row, const gjk_body *a, const gjk_body *b,
                      gjk_configuration *out) {
    const gjk_body two[2] = {*a, *b}, *pair[2] = {a, b}, *moved[2];
    gjk_pose before[2], poses[2];
    gjk_configuration_settings settings = q->settings;
    gjk_configuration_hint hint = {0};
    struct gjk_configurations *rows;
    struct gjk_set *set;
    ck_assert_int_eq(gjk_set_new(gjk_set_dimension(q->scene.set), two, 2, &set), GJK_OK);
    const gjk_snapshot snapshot = gjk_snapshot_of(set);
    settings.allowed_count = settings.count = 0;
    settings.moved = moved;
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t index = index_of(q, pair[i]);
        if (index != UINT32_MAX) {
            before[settings.count] = q->poses[row - 1][index];
            poses[settings.count] = q->poses[row][index];
            moved[settings.count++] = test_set_body(set, i);
        }
    }
    struct gjk_arena arena;
    gjk_arena_init(&arena, 0);
    ck_assert_int_eq(gjk_configurations_new(&snapshot, &settings, &arena, &rows), GJK_OK);
    ck_assert_int_eq(gjk_configuration_ask(rows, poses, before, NULL, &hint, out), GJK_OK);
    gjk_arena_fini(&arena);
    gjk_set_release(set);
}

/* The first contact of all pairs, each alone; of equal fractions the least ids. */
static void expect_first(const question *q, uint32_t row, gjk_configuration *out) {
    const uint32_t count = gjk_set_count(q->scene.set);
    *out = (gjk_configuration){.fraction = 1.0};
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = i + 1; j < count; j++) {
            const gjk_body *a = test_set_body(q->scene.set, i), *b = test_set_body(q->scene.set, j);
            gjk_configuration alone = {0};
            if (is_asked(q, a, b)) {
                ask_alone(q, row, a, b, &alone);
            }
            if (alone.colliding && (!out->colliding || alone.fraction < out->fraction)) {
                *out = (gjk_configuration){.colliding = true,
                                           .a = a,
                                           .b = b,
                                           .fraction = alone.fraction};
            }
        }
    }
}

static bool same_vec(gjk_vec3 a, gjk_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static void require_same_result(const gjk_distance_result *p, const gjk_distance_result *r) {
    ck_assert_int_eq(p->state, r->state);
    ck_assert_int_eq(p->convergence, r->convergence);
    ck_assert(p->signed_distance == r->signed_distance);
    ck_assert(p->lower_bound == (r->distance == 0.0 ? r->signed_distance : r->lower_bound));
    ck_assert(same_vec(p->normal, r->normal));
    ck_assert(same_vec(p->point_a, r->point_a) && same_vec(p->point_b, r->point_b));
}

static void require_same(const gjk_configuration *found, const gjk_configuration *wanted,
                         bool distance) {
    ck_assert_int_eq(found->colliding, wanted->colliding);
    ck_assert_ptr_eq(found->a, wanted->a);
    ck_assert_ptr_eq(found->b, wanted->b);
    if (distance && wanted->a != NULL) {
        require_same_result(&found->result, &wanted->result);
    }
}

static int by_distance(const void *a, const void *b) {
    const gjk_pair_near *p = a, *q = b;
    const double x = p->result.signed_distance, y = q->result.signed_distance;
    const int first = strcmp(p->a->id, q->a->id);
    return x != y ? (x < y ? -1 : 1) : first != 0 ? first : strcmp(p->b->id, q->b->id);
}

/* Asks for the nearest 1, 2, 5, all but one, all, and more pairs than there are. */
static void check_nearest(question *q, const struct gjk_configurations *rows, uint32_t row) {
    static gjk_pair_near wanted[BODIES_MAX * BODIES_MAX];
    const uint32_t bodies = gjk_set_count(q->scene.set);
    uint32_t count = 0;
    gjk_distance_settings how = gjk_distance_settings_default();
    how.is_signed = true;
    how.tolerance = q->settings.tolerance;
    how.max_iterations = q->settings.max_iterations;
    for (uint32_t i = 0; i < bodies; i++) {
        for (uint32_t j = i + 1; j < bodies; j++) {
            const gjk_body *a = test_set_body(q->scene.set, i), *b = test_set_body(q->scene.set, j);
            const gjk_placed p = place(q, row, a), r = place(q, row, b);
            gjk_pair_near *near = &wanted[count];
            *near = (gjk_pair_near){a, b, gjk_distance(&p, &r, &how)};
            turn_normal(q, a, &near->result);
            count += is_asked(q, a, b) && near->result.signed_distance <= q->settings.threshold;
        }
    }
    qsort(wanted, count, sizeof *wanted, by_distance);
    const uint32_t limits[] = {1,        2, 5, count > 1 ? count - 1 : 1, count > 0 ? count : 1,
                               count + 1};
    for (int k = 0; k < 6; k++) {
        gjk_pair_nears found;
        ck_assert_int_eq(gjk_configuration_nearest(rows, q->poses[row], limits[k], &q->scene.arena,
                                                   &found),
                         GJK_OK);
        ck_assert_uint_eq(found.count, count < limits[k] ? count : limits[k]);
        ck_assert_int_eq(found.truncated, count > limits[k]);
        for (uint32_t i = 0; i < found.count; i++) {
            ck_assert_ptr_eq(found.items[i].a, wanted[i].a);
            ck_assert_ptr_eq(found.items[i].b, wanted[i].b);
            require_same_result(&found.items[i].result, &wanted[i].result);
        }
    }
}

static void check_rows(question *q, bool distance) {
    gjk_configuration_hint hint = {0};
    struct gjk_configurations *rows;
    q->settings.distance = distance;
    ck_assert_int_eq(gjk_configurations_new(&q->snapshot, &q->settings, &q->scene.arena, &rows),
                     GJK_OK);
    for (uint32_t row = 0; row < ROWS; row++) {
        gjk_configuration found, wanted;
        ck_assert_int_eq(gjk_configuration_ask(rows, q->poses[row], NULL, NULL, &hint, &found),
                         GJK_OK);
        (distance ? expect_nearest : expect_collision)(q, row, &wanted);
        require_same(&found, &wanted, distance);
        if (distance) {
            check_nearest(q, rows, row);
        }
    }
}

/* Whatever pairs are met before it, the first contact has the bits that it has alone. */
static void check_motions(question *q) {
    gjk_configuration_hint hint = {0};
    struct gjk_configurations *rows;
    q->settings.distance = false;
    ck_assert_int_eq(gjk_configurations_new(&q->snapshot, &q->settings, &q->scene.arena, &rows),
                     GJK_OK);
    for (uint32_t row = 1; row < ROWS; row++) {
        gjk_configuration found, wanted;
        ck_assert_int_eq(gjk_configuration_ask(rows, q->poses[row], q->poses[row - 1], NULL, &hint,
                                               &found),
                         GJK_OK);
        expect_first(q, row, &wanted);
        require_same(&found, &wanted, false);
        ck_assert(found.fraction == wanted.fraction);
    }
}

TEST_EACH(motions_are_their_pairs, 0, 4) {
    static question q;
    for (int scene = 0; scene < SCENES / 4; scene++) {
        test_rng rng = test_rng_make((uint64_t)scene * 1000 + 100 + (uint64_t)_i);
        make_question(&rng, &q);
        check_motions(&q);
        test_scene_drop(&q.scene);
    }
}

TEST_EACH(rows_are_their_pairs, 0, 4) {
    static question q;
    for (int scene = 0; scene < SCENES; scene++) {
        test_rng rng = test_rng_make((uint64_t)scene * 1000 + (uint64_t)_i);
        make_question(&rng, &q);
        check_rows(&q, false);
        check_rows(&q, true);
        test_scene_drop(&q.scene);
    }
}

/* --- More moved bodies than boxes are kept of --- */

#define CHAIN (GJK_ROW_BOXES + 3)

static void ask_chain(uint32_t count, double gap, gjk_configuration *out, bool distance) {
    static char ids[CHAIN][12];
    static gjk_body bodies[CHAIN];
    static const gjk_body *moved[CHAIN];
    static gjk_pose poses[CHAIN];
    struct gjk_arena arena;
    struct gjk_set *set;
    gjk_shape disc;
    gjk_arena_init(&arena, 0);
    ck_assert_int_eq(gjk_shape_make_ball(&arena, 2, 0.5, 0.0, &disc), GJK_OK);
    for (uint32_t i = 0; i < count; i++) {
        (void)snprintf(ids[i], sizeof ids[i], "d%03u", i);
        bodies[i] = (gjk_body){.id = ids[i], .handle = i, .category = 1, .mask = 1};
        bodies[i].placed = (gjk_placed){&disc, gjk_pose_identity()};
        poses[i] = gjk_pose_identity();
        poses[i].position.x = (double)i * 2.0;
    }
    poses[count - 1].position.x = (double)(count - 2) * 2.0 + 1.0 + gap; /* by the one before it */
    ck_assert_int_eq(gjk_set_new_indexed(2, bodies, count, &set), GJK_OK);
    for (uint32_t i = 0; i < count; i++) {
        moved[i] = test_set_body(set, i);
    }
    const gjk_snapshot snapshot = gjk_snapshot_of(set);
    const gjk_configuration_settings settings = {.moved = moved,
                                                 .count = count,
                                                 .self = true,
                                                 .distance = distance,
                                                 .threshold = INFINITY,
                                                 .tolerance = GJK_TOLERANCE_DEFAULT,
                                                 .max_iterations = GJK_ITERATIONS_DEFAULT};
    struct gjk_configurations *rows;
    gjk_configuration_hint hint = {0};
    ck_assert_int_eq(gjk_configurations_new(&snapshot, &settings, &arena, &rows), GJK_OK);
    ck_assert_int_eq(gjk_configuration_ask(rows, poses, NULL, NULL, &hint, out), GJK_OK);
    ck_assert(out->a == NULL || (out->a == moved[count - 2] && out->b == moved[count - 1]));
    gjk_set_release(set);
    gjk_arena_fini(&arena);
}

TEST(more_bodies_than_boxes) {
    for (uint32_t count = GJK_ROW_BOXES - 1; count <= CHAIN; count++) {
        gjk_configuration out;
        ask_chain(count, -0.25, &out, false);
        ck_assert(out.colliding);
        ask_chain(count, 0.25, &out, false);
        ck_assert(!out.colliding && out.a == NULL);
        ask_chain(count, 0.25, &out, true);
        ck_assert(!out.colliding && out.a != NULL && out.result.signed_distance == 0.25);
        ask_chain(count, -0.25, &out, true);
        ck_assert(out.colliding && out.result.signed_distance == -0.25);
    }
}
