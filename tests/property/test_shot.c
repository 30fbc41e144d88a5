/*
 * Do verdicts and near misses hold against loops that know nothing better than to ask body by
 * body? Scenes of every kind, through the tree and without it, rays with and without an end.
 */

#include "gjk/shot.h"

#include <stdlib.h>
#include <string.h>

#include "set_body.h"
#include "support/test.h"
#include "tree_scene.h"

#define SCENES 60
#define SHOTS 20
#define EXACT 1e-9 /* relative to the scene: near the border either answer is right */

static const char *const shooters[] = {NULL, "red", "blue"};

static bool same_text(const char *a, const char *b) {
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

/* The distance of a body to the ray: the smallest of those to short pieces of it, whose union is
 * what can matter of the ray. */
static double distance_to_ray(test_tree_scene *s, const gjk_ray *ray, const gjk_placed *placed) {
    const gjk_distance_settings settings = gjk_distance_settings_default();
    gjk_vec3 center = gjk_pose_apply(&placed->pose, placed->shape->center);
    double middle = gjk_dot3(gjk_sub3(center, ray->origin), ray->direction);
    double half = 2 * placed->shape->bounding_radius;
    double least = INFINITY;
    for (int i = 0; i < 8; i++) {
        double from = middle - half + i * half / 4, to = from + half / 4;
        from = fmax(0, fmin(from, ray->max_distance));
        to = fmax(0, fmin(to, ray->max_distance));
        gjk_shape piece;
        gjk_placed line = {&piece, gjk_pose_identity()};
        line.pose.position = gjk_add3(ray->origin, gjk_scale3(from, ray->direction));
        ck_assert_int_eq(gjk_shape_make_segment(&s->arena, s->dimension, (gjk_vec3){0, 0, 0},
                                                gjk_scale3(to - from, ray->direction), 0, &piece),
                         GJK_OK);
        least = fmin(least, gjk_distance(&line, placed, &settings).distance);
    }
    return least;
}

static gjk_ray random_ray(test_rng *rng, test_tree_scene *s) {
    gjk_vec3 from = test_tree_place(rng, s), to = test_tree_place(rng, s);
    gjk_vec3 way = gjk_sub3(to, from);
    double length = gjk_length3(way);
    gjk_ray ray;
    if (!(length > 0)) {
        way = (gjk_vec3){1, 0, 0};
    }
    const double reaches[] = {INFINITY, length, 0.3 * length};
    ck_assert_int_eq(gjk_ray_make(from, way, reaches[test_rng_below(rng, 3)], &ray), GJK_OK);
    return ray;
}

/* The first body that the ray hits, by a loop. */
static bool first_hit(const gjk_shot *shot, gjk_ray_hit *hit) {
    const gjk_ray_settings settings = {.tolerance = shot->tolerance,
                                       .max_iterations = shot->max_iterations,
                                       .solid = true};
    bool found = false;
    for (uint32_t i = 0; i < gjk_set_count(shot->snapshot.set); i++) {
        const gjk_body *body = test_set_body(shot->snapshot.set, i);
        if (same_text(body->group, shot->shooter) || !gjk_filter_passes(&shot->filter, body)) {
            continue;
        }
        gjk_ray_result result = gjk_raycast(&body->placed, &shot->ray, &settings);
        if (result.hit && (!found || result.distance < hit->result.distance)) {
            *hit = (gjk_ray_hit){body, result};
            found = true;
        }
    }
    return found;
}

static bool group_exists(const struct gjk_set *set, const char *group) {
    bool found = false;
    for (uint32_t i = 0; i < gjk_set_count(set); i++) {
        found = found || same_text(test_set_body(set, i)->group, group);
    }
    return found;
}

static gjk_reason naive_reason(const gjk_shot *shot, bool has_hit, const gjk_ray_hit *hit,
                               gjk_verdict *verdict) {
    const gjk_body *target =
        shot->claim_id != NULL ? gjk_set_find(shot->snapshot.set, shot->claim_id) : NULL;
    *verdict = GJK_VERDICT_DENIED;
    if (shot->claim_id != NULL ? target == NULL
                               : !group_exists(shot->snapshot.set, shot->claim_group)) {
        return GJK_REASON_NO_TARGET;
    }
    if (!has_hit) {
        return GJK_REASON_MISS;
    }
    bool is_it =
        target != NULL ? hit->body == target : same_text(hit->body->group, shot->claim_group);
    bool is_near = target != NULL && same_text(hit->body->group, target->group);
    *verdict = is_it ? GJK_VERDICT_CONFIRMED : is_near ? GJK_VERDICT_ADJUSTED : GJK_VERDICT_DENIED;
    return is_it || is_near ? GJK_REASON_NONE : GJK_REASON_OTHER_TARGET;
}

/* All listed are near, in order; all that are clearly near are listed. */
static void check_near_misses(test_tree_scene *s, const gjk_shot *shot, const gjk_body *hit,
                              const gjk_nears *nears) {
    uint32_t listed = 0;
    double slack = EXACT * (s->spread + gjk_length3(s->middle) + gjk_length3(shot->ray.origin));
    for (uint32_t i = 0; i < gjk_set_count(shot->snapshot.set); i++) {
        const gjk_body *body = test_set_body(shot->snapshot.set, i);
        const gjk_near *near = NULL;
        for (uint32_t k = 0; k < nears->count; k++) {
            near = nears->items[k].body == body ? &nears->items[k] : near;
        }
        bool takes_part = body != hit && !same_text(body->group, shot->shooter) &&
                          gjk_filter_passes(&shot->filter, body);
        ck_assert(takes_part || near == NULL);
        double distance = takes_part ? distance_to_ray(s, &shot->ray, &body->placed) : 0;
        if (near != NULL) {
            ck_assert(fabs(near->result.distance - distance) <= slack);
            listed++;
        } else {
            ck_assert(!takes_part || distance >= shot->near_miss - slack);
        }
    }
    ck_assert_uint_eq(listed, nears->count);
    for (uint32_t k = 1; k < nears->count; k++) {
        double a = nears->items[k - 1].result.distance, b = nears->items[k].result.distance;
        const char *x = nears->items[k - 1].body->id, *y = nears->items[k].body->id;
        ck_assert(a < b || (a == b && strcmp(x, y) < 0));
    }
}

static void compare_judgements(const gjk_judgement *p, const gjk_judgement *q) {
    ck_assert(p->verdict == q->verdict && p->reason == q->reason && p->has_hit == q->has_hit);
    ck_assert(!p->has_hit ||
              (p->hit.body == q->hit.body && p->hit.result.distance == q->hit.result.distance));
    ck_assert_uint_eq(p->near_misses.count, q->near_misses.count);
    for (uint32_t i = 0; i < p->near_misses.count; i++) {
        const gjk_near *x = &p->near_misses.items[i], *y = &q->near_misses.items[i];
        ck_assert(x->body == y->body && x->result.distance == y->result.distance);
    }
}

static void check_shot(test_rng *rng, test_tree_scene *s) {
    const uint32_t count = gjk_set_count(s->set);
    gjk_shot shot = {
        .shooter = shooters[test_rng_below(rng, 3)],
        .ray = random_ray(rng, s),
        .filter = test_random_filter(rng),
        .tolerance = GJK_TOLERANCE_DEFAULT,
        .max_iterations = GJK_ITERATIONS_DEFAULT,
        .snapshot = gjk_snapshot_of(s->set),
        .max_rewind_ticks = INFINITY,
        .near_miss = s->spread * test_rng_uniform(rng, 0, 0.2),
        .near_miss_limit = UINT32_MAX,
    };
    if (count > 0 && test_rng_once_in(rng, 2)) {
        shot.claim_id = test_set_body(s->set, test_rng_below(rng, count))->id;
    } else {
        shot.claim_group = test_rng_once_in(rng, 8) ? "nobody's" : shooters[1];
    }
    gjk_judgement judgement, scanned;
    gjk_verdict verdict;
    gjk_ray_hit hit = {.body = NULL};
    bool has_hit = first_hit(&shot, &hit);
    gjk_reason reason = naive_reason(&shot, has_hit, &hit, &verdict);
    ck_assert_int_eq(gjk_shot_judge(&shot, &s->arena, &judgement), GJK_OK);
    ck_assert_int_eq(judgement.verdict, verdict);
    ck_assert_int_eq(judgement.reason, reason);
    ck_assert(reason == GJK_REASON_NO_TARGET || judgement.has_hit == has_hit);
    if (judgement.has_hit) {
        ck_assert_ptr_eq(judgement.hit.body, hit.body);
        ck_assert(judgement.hit.result.distance == hit.result.distance);
    }
    if (reason != GJK_REASON_NO_TARGET) {
        check_near_misses(s, &shot, has_hit ? hit.body : NULL, &judgement.near_misses);
    }
    shot.snapshot.tree = NULL;
    ck_assert_int_eq(gjk_shot_judge(&shot, &s->arena, &scanned), GJK_OK);
    compare_judgements(&judgement, &scanned);
    shot.radius = 0.05 * s->spread;
    ck_assert_int_eq(gjk_shot_judge(&shot, &s->arena, &scanned), GJK_OK);
    shot.snapshot = gjk_snapshot_of(s->set);
    ck_assert_int_eq(gjk_shot_judge(&shot, &s->arena, &judgement), GJK_OK);
    compare_judgements(&judgement, &scanned);
}

TEST_EACH(verdicts_are_those_of_a_loop, 0, 2) {
    test_rng rng = test_rng_make(81 + (uint64_t)_i);
    for (int scene = 0; scene < SCENES; scene++) {
        test_tree_scene s;
        enum test_tree_kind kind = (enum test_tree_kind)(scene % TEST_TREE_KINDS);
        if (kind == TEST_TREE_TINY || kind == TEST_TREE_MAGNITUDES) {
            continue; /* sizes of 1e-160, or of all magnitudes: no one slack fits */
        }
        test_tree_scene_make(&rng, 2 + (uint32_t)_i, kind, test_tree_size(&rng), &s);
        for (int shot = 0; shot < SHOTS; shot++) {
            check_shot(&rng, &s);
        }
        test_tree_scene_edit(&rng, &s);
        check_shot(&rng, &s);
        test_tree_scene_drop(&s);
    }
}

/* What a set of one body says is near the ray. */
static gjk_nears ask_near(test_body *body, const gjk_ray *ray, double most,
                          struct gjk_arena *arena) {
    const gjk_filter filter = gjk_filter_default();
    const gjk_selection all = {.filter = &filter, .limit = 2, .arena = arena};
    const gjk_distance_settings settings = gjk_distance_settings_default();
    const gjk_body bodies[] = {
        {.id = "a", .handle = 1, .category = 1, .mask = 1, .placed = body->placed}};
    struct gjk_set *set;
    gjk_nears nears;
    ck_assert_int_eq(gjk_set_new_indexed(body->dimension, bodies, 1, &set), GJK_OK);
    const gjk_snapshot snapshot = gjk_snapshot_of(set);
    ck_assert_int_eq(gjk_set_near_ray(&snapshot, ray, most, &all, &settings, &nears), GJK_OK);
    gjk_set_release(set);
    return nears;
}

/* A ray that ends where it meets the body, or does not end, is not apart from it. */
static void check_reached(test_rng *rng, test_body *body, struct gjk_arena *arena) {
    const uint32_t dimension = body->dimension;
    const double size = 0.5 * body->shape.size;
    const gjk_vec3 middle = gjk_pose_apply(&body->placed.pose, body->shape.center);
    const gjk_vec3 at = gjk_add3(middle, gjk_scale3(size, test_rng_direction(rng, dimension)));
    const gjk_vec3 way =
        gjk_scale3(test_rng_uniform(rng, 1, 9), test_rng_direction(rng, dimension));
    const gjk_ray_settings settings = gjk_ray_settings_default();
    gjk_ray ray;
    ck_assert_int_eq(gjk_ray_make(gjk_sub3(middle, way), gjk_add3(gjk_sub3(at, middle), way),
                                  INFINITY, &ray),
                     GJK_OK);
    const gjk_ray_result hit = gjk_raycast(&body->placed, &ray, &settings);
    if (hit.hit) {
        ck_assert_uint_eq(ask_near(body, &ray, 0.0, arena).count, 1);
        ray.max_distance = hit.distance;
        const gjk_ray_result again = gjk_raycast(&body->placed, &ray, &settings);
        ck_assert(again.hit && again.distance == hit.distance);
        ck_assert_uint_eq(ask_near(body, &ray, 0.0, arena).count, 1);
    }
}

TEST_EACH(what_a_ray_reaches_is_near, 0, 2) {
    const uint32_t dimension = 2 + (uint32_t)_i;
    test_rng rng = test_rng_make(85 + (uint64_t)_i);
    struct gjk_arena arena;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < 4000; i++) {
        test_body body = test_random_body(&rng, dimension, test_rng_magnitude(&rng, -1, 1));
        body.position =
            gjk_scale3(test_rng_magnitude(&rng, 0, 6), test_rng_direction(&rng, dimension));
        test_body_build(&body, &arena);
        check_reached(&rng, &body, &arena);
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
}

/* A ray along an axis ends to the bit where a segment of round numbers does. */
TEST(a_ray_ends_where_its_segment_does) {
    test_rng rng = test_rng_make(87);
    struct gjk_arena arena;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < 4000; i++) {
        test_body body = test_body_box(2, (gjk_vec3){0.5, 0.25, 0});
        const double length = test_rng_integer(&rng, 1, 10);
        const gjk_vec3 from = {0.125 * test_rng_integer(&rng, -8, 8),
                               0.125 * test_rng_integer(&rng, -8, 8), 0};
        const gjk_vec3 along =
            test_rng_once_in(&rng, 2) ? (gjk_vec3){1, 0, 0} : (gjk_vec3){0, -1, 0};
        const gjk_vec3 end = gjk_add3(from, gjk_scale3(length, along));
        body.position = gjk_add3(end, (gjk_vec3){0.125 * test_rng_integer(&rng, -24, 24),
                                                 0.125 * test_rng_integer(&rng, -24, 24), 0});
        test_body_build(&body, &arena);
        gjk_ray ray;
        gjk_shape segment;
        ck_assert_int_eq(gjk_ray_make(from, along, length, &ray), GJK_OK);
        ck_assert_int_eq(gjk_shape_make_segment(&arena, 2, from, end, 0, &segment), GJK_OK);
        const gjk_placed line = {&segment, gjk_pose_identity()};
        const gjk_distance_settings settings = gjk_distance_settings_default();
        const double wanted = gjk_distance(&line, &body.placed, &settings).distance;
        ck_assert(ask_near(&body, &ray, INFINITY, &arena).items[0].result.distance == wanted);
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
}
