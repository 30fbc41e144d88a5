/*
 * Does a set rewound to a decimal tick answer like one built by hand in that state? Bodies walk,
 * turn, jump, come, go and change their shape; the moment is asked through the tree of its two
 * ticks, the set built by hand by a scan. To the bit, in the same order. In scenes whose history is
 * packed, bodies come, go and change only at two ticks, so that there are ticks to pack.
 */

#include "gjk/history.h"
#include "gjk/set_query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"
#include "support/test.h"

#define BODIES 60
#define TICKS 8
#define PACKED_TICKS 29 /* three times eight, and some before and behind that share nothing */
#define SCENES 24
#define QUESTIONS 12

typedef struct actor {
    char id[8];
    test_body shape[PACKED_TICKS]; /* and where it stands then */
    gjk_body body[PACKED_TICKS];
    bool is_there[PACKED_TICKS];
    const gjk_body *newest; /* of body: that of an earlier tick if nothing has changed since */
} actor;

static struct {
    struct gjk_arena arena;
    uint32_t dimension, ticks;
    bool packs;
    uint32_t
        rests; /* of 64 bodies from tick 17 on: more move, or less, than packings share sets for */
    actor actors[BODIES];
    struct gjk_set *sets[PACKED_TICKS];
    struct gjk_history *history;
} s;

static const char *const groups[] = {NULL, "red", "blue"};

static gjk_vec3 random_place(test_rng *rng) {
    return (gjk_vec3){test_rng_uniform(rng, -10, 10), test_rng_uniform(rng, -10, 10),
                      s.dimension == 3 ? test_rng_uniform(rng, -10, 10) : 0.0};
}

/* Returns true if bodies only move to that tick. */
static bool is_steady(uint32_t tick) {
    return s.packs && tick != 0 && tick != 8 && tick != 10;
}

/* What an actor does from one tick to the next. */
static void act(test_rng *rng, const test_body *before, test_body *after, uint32_t tick,
                bool *teleport) {
    static const gjk_vec3 step = {0.7, -0.4, 0.3};
    uint32_t what = test_rng_below(rng, 8);
    *teleport = what == 0;
    *after = *before;
    if (what == 1 && !is_steady(tick)) { /* another shape, and perhaps another place */
        *after = test_random_body(rng, s.dimension, 2.0);
        after->position = before->position;
    }
    if (what <= 4) {
        after->position = what == 2 ? random_place(rng) : gjk_add3(after->position, step);
        after->position.z = s.dimension == 3 ? after->position.z : 0.0;
    }
    if (what >= 3 && what <= 6) {
        test_turn_randomly(rng, after);
    }
}

static gjk_body make_body(test_rng *rng, actor *a, uint32_t handle, uint32_t tick, bool teleport) {
    test_body *shape = &a->shape[tick];
    test_body_build(shape, &s.arena);
    gjk_body body = {.id = a->id,
                     .group = groups[test_rng_below(rng, 3)],
                     .handle = handle,
                     .category = 1u << test_rng_below(rng, 3),
                     .mask = UINT32_MAX,
                     .teleport = teleport,
                     .placed = shape->placed};
    if (is_steady(tick)) {
        const gjk_body *before = &a->body[tick - 1];
        body.group = before->group;
        body.category = before->category;
        body.placed.shape = before->placed.shape;
    }
    return body;
}

static void play(test_rng *rng, uint32_t tick) {
    for (uint32_t i = 0; i < BODIES; i++) {
        actor *a = &s.actors[i];
        bool teleport = false;
        if (tick == 0) {
            snprintf(a->id, sizeof a->id, "a%u", i);
            a->shape[0] = test_random_body(rng, s.dimension, 2.0);
            a->shape[0].position = random_place(rng);
        } else {
            act(rng, &a->shape[tick - 1], &a->shape[tick], tick, &teleport);
        }
        a->is_there[tick] = is_steady(tick) ? a->is_there[tick - 1] : test_rng_below(rng, 8) != 0;
        /* Who comes back is somebody else. */
        bool stays = tick > 0 && (a->is_there[tick - 1] || is_steady(tick));
        uint32_t handle = stays ? a->body[tick - 1].handle : tick * BODIES + i;
        a->body[tick] = make_body(rng, a, handle, tick, teleport);
        const gjk_body *before = a->newest;
        a->newest = &a->body[tick];
        const uint32_t rests = s.packs && tick > 16 ? s.rests : 16; /* of 64 */
        if (stays && test_rng_below(rng, 64) < rests) { /* nothing has changed: one and the same */
            a->shape[tick] = a->shape[tick - 1];
            a->body[tick] = a->body[tick - 1];
            a->newest = before;
        }
    }
}

static int compare_edits(const void *a, const void *b) {
    return strcmp(((const gjk_edit *)a)->id, ((const gjk_edit *)b)->id);
}

/* The set at a tick, made from the one before by edits, and put into the history. */
static void stamp(uint32_t tick) {
    gjk_edit edits[BODIES];
    struct gjk_set *empty = gjk_set_new_empty(s.dimension, NULL);
    struct gjk_history *next = NULL;
    for (uint32_t i = 0; i < BODIES; i++) {
        actor *a = &s.actors[i];
        edits[i] = (gjk_edit){a->id, a->is_there[tick] ? a->newest : NULL};
    }
    qsort(edits, BODIES, sizeof edits[0], compare_edits);
    ck_assert_int_eq(gjk_set_edit(tick > 0 ? s.sets[tick - 1] : empty, edits, BODIES,
                                  &s.sets[tick]),
                     GJK_OK);
    ck_assert_int_eq(gjk_history_add(s.history, 10 * (uint64_t)tick, s.sets[tick], &next), GJK_OK);
    gjk_history_release(s.history);
    gjk_set_release(empty);
    s.history = next;
    if (s.packs) {
        uint32_t first = 0, count = 0;
        ck_assert_int_eq(gjk_history_pack(s.history, &first, &count, &next), GJK_OK);
        const bool is_eighth = tick == 9 || tick == 19 || tick == 27;
        ck_assert_int_eq(next != NULL, tick >= 2);
        if (next != NULL) {
            ck_assert(first + (is_eighth ? 9 : 2) == tick && count == (is_eighth ? 9 : 1));
            gjk_history_release(s.history);
            s.history = next;
        }
    }
}

static void set_up_scene(test_rng *rng, uint32_t dimension, bool packs) {
    gjk_arena_init(&s.arena, 0);
    s.dimension = dimension;
    s.packs = packs;
    s.rests = test_rng_below(rng, 2) == 0 ? 50 : 63;
    s.ticks = packs ? PACKED_TICKS : TICKS;
    s.history = gjk_history_new(s.ticks);
    for (uint32_t tick = 0; tick < s.ticks; tick++) {
        play(rng, tick);
        stamp(tick);
    }
    for (uint32_t tick = 0; tick < s.ticks; tick++) {
        gjk_set_release(s.sets[tick]);
        ck_assert_int_eq(gjk_history_tick(s.history, tick).set == NULL,
                         packs && tick + 2 < s.ticks);
    }
}

static void tear_down_scene(void) {
    gjk_history_release(s.history);
    gjk_arena_fini(&s.arena);
}

/* The state at a moment, from what the actors did, not from the history. */
static struct gjk_set *build_by_hand(double t, gjk_body bodies[BODIES]) {
    uint32_t tick = (uint32_t)floor(t / 10), count = 0;
    double alpha = t / 10 - tick;
    struct gjk_set *set = NULL;
    for (uint32_t i = 0; i < BODIES; i++) {
        const actor *a = &s.actors[i];
        if (!a->is_there[tick]) {
            continue;
        }
        const gjk_body *from = &a->body[tick];
        bodies[count] = *from;
        const gjk_body *to = alpha > 0 && a->is_there[tick + 1] ? &a->body[tick + 1] : NULL;
        if (to != NULL && !to->teleport && to->handle == from->handle) {
            /* Of the two alone, each in a set of its own. */
            struct gjk_set *one = NULL, *other = NULL;
            ck_assert_int_eq(gjk_set_new(s.dimension, from, 1, &one), GJK_OK);
            ck_assert_int_eq(gjk_set_new(s.dimension, to, 1, &other), GJK_OK);
            const gjk_snapshot snapshot = {.set = one, .next = other, .alpha = alpha};
            bodies[count].placed = gjk_snapshot_place(&snapshot, from);
            gjk_set_release(one);
            gjk_set_release(other);
        }
        count++;
    }
    ck_assert_int_eq(gjk_set_new(s.dimension, bodies, count, &set), GJK_OK);
    return set;
}

static void same_body(const gjk_body *a, const gjk_body *b) {
    ck_assert_str_eq(a->id, b->id);
    ck_assert_uint_eq(a->handle, b->handle);
    ck_assert_ptr_eq(a->group, b->group);
    ck_assert_ptr_eq(a->placed.shape, b->placed.shape);
}

static bool same3(gjk_vec3 a, gjk_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static void compare_detect(const gjk_snapshot *p, const gjk_snapshot *q, const gjk_placed *a,
                           const gjk_selection *selection) {
    const gjk_detect_settings settings = gjk_detect_settings_default();
    gjk_hits x, y;
    gjk_pair_hits u, v;
    ck_assert_int_eq(gjk_set_detect(p, a, selection, &settings, &x), GJK_OK);
    ck_assert_int_eq(gjk_set_detect(q, a, selection, &settings, &y), GJK_OK);
    ck_assert_uint_eq(x.count, y.count);
    for (uint32_t i = 0; i < x.count; i++) {
        same_body(x.items[i].body, y.items[i].body);
        ck_assert(x.items[i].result.depth == y.items[i].result.depth);
        ck_assert(same3(x.items[i].result.normal, y.items[i].result.normal));
    }
    ck_assert_int_eq(gjk_set_detect_pairs(p, selection, &settings, &u), GJK_OK);
    ck_assert_int_eq(gjk_set_detect_pairs(q, selection, &settings, &v), GJK_OK);
    ck_assert_uint_eq(u.count, v.count);
    for (uint32_t i = 0; i < u.count; i++) {
        same_body(u.items[i].a, v.items[i].a);
        same_body(u.items[i].b, v.items[i].b);
        ck_assert(u.items[i].result.depth == v.items[i].result.depth);
        ck_assert(same3(u.items[i].result.point_a, v.items[i].result.point_a));
    }
}

static void compare_nears(const gjk_nears *x, const gjk_nears *y) {
    ck_assert_uint_eq(x->count, y->count);
    for (uint32_t i = 0; i < x->count; i++) {
        same_body(x->items[i].body, y->items[i].body);
        ck_assert(x->items[i].result.distance == y->items[i].result.distance);
        ck_assert(same3(x->items[i].result.point_b, y->items[i].result.point_b));
    }
}

static void compare_nearest(const gjk_snapshot *p, const gjk_snapshot *q, const gjk_placed *a,
                            const gjk_selection *selection) {
    const gjk_distance_settings settings = gjk_distance_settings_default();
    gjk_nears x, y;
    ck_assert_int_eq(gjk_set_nearest(p, a, 5, selection, &settings, &x), GJK_OK);
    ck_assert_int_eq(gjk_set_nearest(q, a, 5, selection, &settings, &y), GJK_OK);
    compare_nears(&x, &y);
}

static void compare_ray(const gjk_snapshot *p, const gjk_snapshot *q, const gjk_ray *ray,
                        const gjk_selection *selection) {
    const gjk_ray_settings settings = gjk_ray_settings_default();
    const gjk_distance_settings near = gjk_distance_settings_default();
    gjk_ray_hits x, y;
    gjk_nears u, v;
    ck_assert_int_eq(gjk_set_raycast(p, ray, selection, &settings, &x), GJK_OK);
    ck_assert_int_eq(gjk_set_raycast(q, ray, selection, &settings, &y), GJK_OK);
    ck_assert_uint_eq(x.count, y.count);
    for (uint32_t i = 0; i < x.count; i++) {
        same_body(x.items[i].body, y.items[i].body);
        ck_assert(x.items[i].result.distance == y.items[i].result.distance);
        ck_assert(same3(x.items[i].result.normal, y.items[i].result.normal));
    }
    ck_assert_int_eq(gjk_set_near_ray(p, ray, 1.5, selection, &near, &u), GJK_OK);
    ck_assert_int_eq(gjk_set_near_ray(q, ray, 1.5, selection, &near, &v), GJK_OK);
    compare_nears(&u, &v);
}

static void compare_cast(const gjk_snapshot *p, const gjk_snapshot *q, const gjk_sweep *sweep,
                         const gjk_selection *selection) {
    const gjk_cast_settings settings = gjk_cast_settings_default();
    gjk_cast_hits x, y;
    ck_assert_int_eq(gjk_set_cast(p, sweep, selection, &settings, &x), GJK_OK);
    ck_assert_int_eq(gjk_set_cast(q, sweep, selection, &settings, &y), GJK_OK);
    ck_assert_uint_eq(x.count, y.count);
    for (uint32_t i = 0; i < x.count; i++) {
        same_body(x.items[i].body, y.items[i].body);
        ck_assert(x.items[i].result.fraction == y.items[i].result.fraction);
        ck_assert(same3(x.items[i].result.point, y.items[i].result.point));
    }
}

static void ask_both(test_rng *rng, const gjk_snapshot *p, const gjk_snapshot *q) {
    gjk_filter filter = gjk_filter_default();
    struct gjk_arena answers;
    gjk_arena_init(&answers, 0);
    filter.mask = test_rng_below(rng, 2) == 0 ? UINT32_MAX : 5;
    filter.ignore_groups = &groups[1];
    filter.ignore_groups_count = test_rng_below(rng, 2);
    const uint32_t limit = test_rng_below(rng, 2) == 0 ? UINT32_MAX : 1;
    const gjk_selection selection = {.filter = &filter, .limit = limit, .arena = &answers};
    test_body probe = test_random_body(rng, s.dimension, 3.0);
    probe.position = random_place(rng);
    test_body_build(&probe, &answers);
    gjk_ray ray;
    gjk_vec3 way = random_place(rng);
    double reach = test_rng_below(rng, 2) == 0 ? INFINITY : 12.0;
    ck_assert_int_eq(gjk_ray_make(random_place(rng), way, reach, &ray), GJK_OK);
    const gjk_sweep sweep = {probe.placed, way};
    compare_detect(p, q, &probe.placed, &selection);
    compare_nearest(p, q, &probe.placed, &selection);
    compare_ray(p, q, &ray, &selection);
    compare_cast(p, q, &sweep, &selection);
    gjk_arena_fini(&answers);
}

static void check_scene(test_rng *rng, uint32_t dimension, bool packs) {
    set_up_scene(rng, dimension, packs);
    for (int i = 0; i < QUESTIONS; i++) {
        static gjk_body bodies[BODIES];
        /* A half, a quarter and so on have the same fraction either way. */
        const uint32_t parts = i % 4 == 0 ? 1 : 64;
        double t = 10 * (test_rng_below(rng, parts * (s.ticks - 1)) / (double)parts);
        gjk_rewound at;
        ck_assert_int_eq(gjk_history_at(s.history, t, &at), GJK_REWIND_OK);
        ck_assert(at.snapshot.tree != NULL || gjk_set_count(at.snapshot.set) == 0);
        struct gjk_set *set = build_by_hand(t, bodies);
        ck_assert_uint_eq(gjk_set_count(set), gjk_set_count(at.snapshot.set));
        gjk_snapshot by_hand = gjk_snapshot_of(set);
        ask_both(rng, &at.snapshot, &by_hand);
        gjk_set_release(set);
    }
    tear_down_scene();
}

TEST_EACH(rewound_answers_are_those_of_a_set_built_by_hand, 0, 2) {
    test_rng rng = test_rng_make(71 + (uint64_t)_i);
    for (int scene = 0; scene < SCENES; scene++) {
        check_scene(&rng, 2 + (uint32_t)_i, scene % 2 != 0);
    }
}
