/* Does a history keep the last ticks, and find the right two for any decimal? */

#include "gjk/history.h"

#include "failing_malloc.h"
#include "support/rng.h"
#include "support/test.h"

#define TICKS_MAX 4096

/* A set that only its dimension and its address tell from others. */
static struct gjk_set *make_set(void) {
    struct gjk_set *set = NULL;
    ck_assert_int_eq(gjk_set_new(2, NULL, 0, &set), GJK_OK);
    return set;
}

/* `history` is given up for the one that follows it. */
static struct gjk_history *add(struct gjk_history *history, uint64_t tick,
                               const struct gjk_set *set) {
    struct gjk_history *next = NULL;
    ck_assert_int_eq(gjk_history_add(history, tick, set, &next), GJK_OK);
    gjk_history_release(history);
    return next;
}

static struct gjk_history *add_new(struct gjk_history *history, uint64_t tick) {
    struct gjk_set *set = make_set();
    history = add(history, tick, set);
    ck_assert_ptr_eq(gjk_history_newest_set(history), set);
    gjk_set_release(set);
    return history;
}

TEST(without_ticks_everything_is_expired) {
    gjk_rewound at;
    for (uint32_t ticks_max = 0; ticks_max < 2; ticks_max++) {
        struct gjk_history *history = gjk_history_new(ticks_max);
        ck_assert_uint_eq(gjk_history_count(history), 0);
        ck_assert_uint_eq(gjk_history_ticks_max(history), ticks_max);
        ck_assert_ptr_null(gjk_history_newest_set(history));
        ck_assert_int_eq(gjk_history_at(history, 0, &at), GJK_REWIND_EXPIRED);
        ck_assert_int_eq(gjk_history_at(history, 1e9, &at), GJK_REWIND_EXPIRED);
        gjk_history_release(history);
    }
    gjk_history_release(NULL);
}

TEST(a_history_of_no_ticks_takes_none) {
    struct gjk_set *set = make_set();
    struct gjk_history *history = add(gjk_history_new(0), 5, set);
    ck_assert_uint_eq(gjk_history_count(history), 0);
    gjk_history_release(history);
    gjk_set_release(set);
}

TEST(one_tick_is_a_point_in_time) {
    gjk_rewound at;
    struct gjk_history *history = add_new(gjk_history_new(8), 7);
    ck_assert_uint_eq(gjk_history_oldest(history), 7);
    ck_assert_uint_eq(gjk_history_newest(history), 7);
    ck_assert_int_eq(gjk_history_at(history, 7, &at), GJK_REWIND_OK);
    ck_assert_ptr_eq(at.snapshot.set, gjk_history_newest_set(history));
    ck_assert_ptr_null(at.snapshot.next);
    ck_assert(at.snapshot.alpha == 0 && at.from == 7 && at.to == 7);
    ck_assert_int_eq(gjk_history_at(history, nextafter(7, 0), &at), GJK_REWIND_EXPIRED);
    ck_assert_int_eq(gjk_history_at(history, nextafter(7, 8), &at), GJK_REWIND_FUTURE);
    gjk_history_release(history);
}

TEST(the_oldest_go_first) {
    static const uint32_t maxima[] = {1, 2, 3, 64, TICKS_MAX};
    for (size_t m = 0; m < sizeof maxima / sizeof maxima[0]; m++) {
        struct gjk_history *history = gjk_history_new(maxima[m]);
        for (uint32_t i = 0; i <= maxima[m] + 3; i++) {
            history = add_new(history, 10 + 3 * (uint64_t)i);
            uint32_t kept = i + 1 < maxima[m] ? i + 1 : maxima[m];
            ck_assert_uint_eq(gjk_history_count(history), kept);
            ck_assert_uint_eq(gjk_history_newest(history), 10 + 3 * (uint64_t)i);
            ck_assert_uint_eq(gjk_history_oldest(history), 10 + 3 * (uint64_t)(i + 1 - kept));
        }
        gjk_history_release(history);
    }
}

TEST(an_older_history_stays_what_it_was) {
    gjk_rewound at;
    struct gjk_set *first = make_set(), *second = make_set();
    struct gjk_history *old = add(gjk_history_new(1), 1, first), *new = NULL;
    ck_assert_int_eq(gjk_history_add(old, 2, second, &new), GJK_OK);
    gjk_set_release(first);
    gjk_set_release(second);
    ck_assert_uint_eq(gjk_history_newest(old), 1);
    ck_assert_ptr_eq(gjk_history_newest_set(old), first);
    ck_assert_int_eq(gjk_history_at(new, 1, &at), GJK_REWIND_EXPIRED);
    gjk_history_release(old);
    ck_assert_uint_eq(gjk_set_count(gjk_history_newest_set(new)), 0);
    gjk_history_release(new);
}

TEST(a_lower_limit_keeps_the_newest) {
    struct gjk_history *history = gjk_history_new(10), *cut = NULL;
    for (uint64_t tick = 1; tick <= 6; tick++) {
        history = add_new(history, tick);
    }
    static const uint32_t limits[] = {12, 6, 5, 1, 0};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        ck_assert_int_eq(gjk_history_limit(history, limits[i], &cut), GJK_OK);
        uint32_t kept = limits[i] < 6 ? limits[i] : 6;
        ck_assert_uint_eq(gjk_history_ticks_max(cut), limits[i]);
        ck_assert_uint_eq(gjk_history_count(cut), kept);
        if (kept > 0) {
            ck_assert_uint_eq(gjk_history_oldest(cut), 7 - kept);
            ck_assert_ptr_eq(gjk_history_newest_set(cut), gjk_history_newest_set(history));
        }
        gjk_history_release(cut);
    }
    gjk_history_release(history);
}

/* Against a walk over the ticks: irregular ones, up to the largest there is. */
TEST(any_decimal_finds_its_two_ticks) {
    test_rng rng = test_rng_make(41);
    static uint64_t ticks[200];
    struct gjk_history *history = gjk_history_new(200);
    uint64_t tick = 3;
    for (int i = 0; i < 200; i++) {
        ticks[i] = tick;
        history = add_new(history, tick);
        tick += 1 + (i % 3 == 0 ? test_rng_below(&rng, 1000) : 0);
    }
    for (int i = 0; i < 20000; i++) {
        double t = test_rng_uniform(&rng, 0, (double)ticks[199] + 5);
        t = i % 4 == 0 ? floor(t) : t;
        gjk_rewound at;
        gjk_rewind status = gjk_history_at(history, t, &at);
        if (t < 3 || t > (double)ticks[199]) {
            ck_assert_int_eq(status, t < 3 ? GJK_REWIND_EXPIRED : GJK_REWIND_FUTURE);
            continue;
        }
        int from = 0;
        while (from < 199 && (double)ticks[from + 1] <= t) {
            from++;
        }
        ck_assert_int_eq(status, GJK_REWIND_OK);
        ck_assert_uint_eq(at.from, ticks[from]);
        if (t == (double)ticks[from]) {
            ck_assert(at.to == at.from && at.snapshot.next == NULL && at.snapshot.alpha == 0);
        } else {
            ck_assert_uint_eq(at.to, ticks[from + 1]);
            ck_assert(at.snapshot.next != NULL && at.snapshot.alpha > 0 && at.snapshot.alpha < 1);
            double back = (double)at.from + at.snapshot.alpha * (double)(at.to - at.from);
            ck_assert(fabs(back - t) <= 1e-15 * t + 1e-12);
        }
    }
    gjk_history_release(history);
}

TEST(the_largest_ticks) {
    const uint64_t most = UINT64_C(1) << 53;
    gjk_rewound at;
    struct gjk_history *history = gjk_history_new(3);
    history = add_new(history, 0);
    history = add_new(history, most - 1);
    history = add_new(history, most);
    ck_assert_int_eq(gjk_history_at(history, GJK_TICK_MAX, &at), GJK_REWIND_OK);
    ck_assert(at.from == most && at.to == most);
    ck_assert_int_eq(gjk_history_at(history, GJK_TICK_MAX - 1, &at), GJK_REWIND_OK);
    ck_assert(at.from == most - 1 && at.snapshot.next == NULL);
    ck_assert_int_eq(gjk_history_at(history, GJK_TICK_MAX - 2, &at), GJK_REWIND_OK);
    ck_assert(at.from == 0 && at.to == most - 1 && at.snapshot.alpha < 1);
    ck_assert_int_eq(gjk_history_at(history, GJK_TICK_MAX + 2, &at), GJK_REWIND_FUTURE);
    ck_assert_int_eq(gjk_history_at(history, -1, &at), GJK_REWIND_EXPIRED);
    const uint64_t cuts[][2] = {/* from; ticks kept */
                                {most - 1, 1},
                                {most, 2},
                                {most + 1, 3},
                                {UINT64_MAX, 3}};
    for (uint32_t i = 0; i < 4; i++) {
        struct gjk_history *cut = NULL;
        ck_assert_int_eq(gjk_history_cut(history, cuts[i][0], &cut), GJK_OK);
        ck_assert_uint_eq(gjk_history_count(cut), cuts[i][1]);
        gjk_history_release(cut);
    }
    gjk_history_release(history);
}

static struct gjk_history *add_tick(struct gjk_history *history, const gjk_tick *tick) {
    struct gjk_history *next = NULL;
    ck_assert_int_eq(gjk_history_add_tick(history, tick, &next), GJK_OK);
    gjk_history_release(history);
    return next;
}

TEST(nothing_moves_over_what_is_lost) {
    struct gjk_set *set = make_set();
    gjk_rewound at;
    struct gjk_history *history = add(gjk_history_new(8), 1, set);
    history = add_tick(history, &(gjk_tick){.number = 4, .set = set, .after_gap = true});
    history = add_tick(history, &(gjk_tick){.number = 5, .set = set, .is_missing = true});
    history = add(add(history, 6, set), 7, set);
    const struct {
        double tick, from, to;
        bool is_gap;
    } cases[] = {{1, 1, 1, false},  {1.5, 1, 4, true}, {3.99, 1, 4, true},
                 {4, 4, 4, false},  {4.5, 4, 5, true}, {5, 5, 5, true},
                 {5.5, 5, 6, true}, {6, 6, 6, false},  {6.5, 6, 7, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ck_assert_int_eq(gjk_history_at(history, cases[i].tick, &at), GJK_REWIND_OK);
        ck_assert_int_eq(at.is_gap, cases[i].is_gap);
        ck_assert_double_eq((double)at.from, cases[i].from);
        ck_assert_double_eq((double)at.to, cases[i].to);
        ck_assert_int_eq(at.snapshot.next != NULL, !at.is_gap && cases[i].from < cases[i].to);
        ck_assert_ptr_eq(at.snapshot.set, set);
    }
    gjk_history_release(history);
    gjk_set_release(set);
}

TEST(ticks_are_found_and_let_go_with_their_notes) {
    struct gjk_set *set = make_set();
    struct gjk_history *history = gjk_history_new(4), *cut = NULL;
    gjk_tick found;
    for (uint64_t i = 1; i <= 6; i++) {
        history = add_tick(history, &(gjk_tick){.number = 10 * i,
                                                .set = set,
                                                .after_gap = i == 5,
                                                .note = &i,
                                                .note_bytes = sizeof i});
    }
    ck_assert(!gjk_history_find(history, 20, &found) && !gjk_history_find(history, 55, &found));
    ck_assert(gjk_history_find(history, 50, &found));
    ck_assert(found.number == 50 && found.after_gap && found.set == set);
    ck_assert_uint_eq(*(const uint64_t *)found.note, 5);
    ck_assert_uint_eq(gjk_history_tick(history, 0).number, 30);
    for (uint64_t from = 20; from <= 70; from += 5) {
        ck_assert_int_eq(gjk_history_cut(history, from, &cut), GJK_OK);
        const uint64_t kept = from <= 30 ? 0 : from > 60 ? 4 : (from - 21) / 10;
        ck_assert_uint_eq(gjk_history_count(cut), kept);
        gjk_history_release(cut);
    }
    gjk_history_release(history);
    gjk_set_release(set);
}

/* A history of ten ticks at which two discs go on; the first stays where it is from `stops` on. */
#define GOING 10
static struct gjk_history *make_going(const gjk_shape *disc, gjk_body bodies[2 * GOING],
                                      uint32_t stops) {
    struct gjk_history *history = gjk_history_new(GOING);
    struct gjk_set *set = gjk_set_new_empty(2, NULL), *next = NULL;
    for (uint32_t tick = 0; tick < GOING; tick++) {
        gjk_edit edits[2];
        for (uint32_t i = 0; i < 2; i++) {
            gjk_body *body = &bodies[2 * (i == 0 && tick > stops ? stops : tick) + i];
            *body = (gjk_body){.id = i == 0 ? "a" : "b",
                               .handle = i,
                               .category = 1,
                               .mask = 1,
                               .placed = {disc, gjk_pose_identity()}};
            const double x = i == 0 && tick > stops ? stops : tick;
            ck_assert_int_eq(gjk_pose_make2((gjk_vec2){x, 5 * i}, i, &body->placed.pose), GJK_OK);
            edits[i] = (gjk_edit){body->id, body};
        }
        ck_assert_int_eq(gjk_set_edit(set, edits, 2, &next), GJK_OK);
        gjk_set_release(set);
        set = next;
        history = add(history, tick, set);
    }
    gjk_set_release(set);
    return history;
}

/* Packs, after each allocation in turn has failed. */
static void pack(const struct gjk_history *history, uint32_t *first, uint32_t *count,
                 struct gjk_history **packed) {
    bool failed = true;
    for (unsigned n = 0; failed; n++) {
        test_malloc_fail(n);
        const gjk_status status = gjk_history_pack(history, first, count, packed);
        failed = test_malloc_restore();
        ck_assert_int_eq(status, failed ? GJK_OUT_OF_MEMORY : GJK_OK);
        ck_assert_int_eq(*packed == NULL, failed);
    }
}

TEST(packed_ticks_have_poses_but_no_sets) {
    struct gjk_arena arena;
    gjk_body bodies[2 * GOING];
    gjk_shape disc;
    gjk_arena_init(&arena, 0);
    ck_assert_int_eq(gjk_shape_make_ball(&arena, 2, 0.5, 0, &disc), GJK_OK);
    struct gjk_history *history = make_going(&disc, bodies, 7), *packed = NULL, *none = NULL;
    uint32_t first = 7, count = 7;
    pack(history, &first, &count, &packed);
    ck_assert(first == 0 && count == 9);
    ck_assert_int_eq(gjk_history_pack(packed, &first, &count, &none), GJK_OK);
    ck_assert_ptr_null(none);
    for (uint32_t i = 0; i < GOING; i++) {
        const gjk_tick tick = gjk_history_tick(packed, i);
        ck_assert_int_eq(tick.set == NULL, i < 8);
        ck_assert_int_eq(tick.keeps_set, i == 0 || i >= 8);
        ck_assert_uint_eq(tick.keeps_bodies, i == 0); /* the disc that has stopped */
        for (uint32_t half = 0; half < 2 && 2 * i + half < 2 * GOING - 1; half++) {
            gjk_rewound at;
            ck_assert_int_eq(gjk_history_at(packed, i + 0.5 * half, &at), GJK_REWIND_OK);
            const gjk_body *a = gjk_set_find(at.snapshot.set, "a");
            const gjk_body *b = gjk_set_find(at.snapshot.set, "b");
            const gjk_pose p = gjk_snapshot_pose(&at.snapshot, a);
            const gjk_pose q = gjk_snapshot_pose(&at.snapshot, b);
            ck_assert_double_eq(p.position.x, fmin(i + 0.5 * half, 7));
            ck_assert_double_eq(q.position.x, i + 0.5 * half);
            ck_assert_double_eq(q.turn.angle, 1);
        }
    }
    gjk_history_release(packed);
    gjk_history_release(history);
    gjk_arena_fini(&arena);
}

TEST(a_tick_before_the_newest_two_gives_up_its_tree) {
    struct gjk_arena arena;
    gjk_body bodies[2 * GOING];
    gjk_shape disc;
    gjk_arena_init(&arena, 0);
    ck_assert_int_eq(gjk_shape_make_ball(&arena, 2, 0.5, 0, &disc), GJK_OK);
    struct gjk_history *all = make_going(&disc, bodies, 7), *history = NULL, *packed = NULL;
    ck_assert_int_eq(gjk_history_limit(all, 3, &history), GJK_OK);
    uint32_t first = 7, count = 7;
    pack(history, &first, &count, &packed);
    ck_assert(first == 0 && count == 1);
    const gjk_tick whole = gjk_history_tick(history, 0), bare = gjk_history_tick(packed, 0);
    ck_assert(whole.set != NULL && whole.given_up_bytes == 0);
    ck_assert(bare.set == NULL && bare.keeps_set);
    gjk_rewound at;
    ck_assert_int_eq(gjk_history_at(packed, 7, &at), GJK_REWIND_OK);
    ck_assert(at.snapshot.tree != NULL && at.snapshot.next == NULL);
    ck_assert_uint_eq(bare.given_up_bytes,
                      gjk_set_bytes(whole.set) - gjk_set_bytes(at.snapshot.set));
    gjk_history_release(packed);
    gjk_history_release(history);
    gjk_history_release(all);
    gjk_arena_fini(&arena);
}

TEST(ticks_that_cannot_be_packed_give_up_their_trees) {
    struct gjk_arena arena;
    gjk_body bodies[2 * GOING];
    gjk_shape disc;
    gjk_arena_init(&arena, 0);
    ck_assert_int_eq(gjk_shape_make_ball(&arena, 2, 0.5, 0, &disc), GJK_OK);
    struct gjk_history *history = make_going(&disc, bodies, 7), *packed = NULL;
    uint32_t first = 0, count = 0;
    for (uint32_t i = 0; i < 2 * GOING; i++) {
        bodies[i].placed.pose.form = GJK_POSE_PLAIN; /* no angle tells how it is turned */
    }
    ck_assert_int_eq(gjk_history_pack(history, &first, &count, &packed), GJK_OK);
    ck_assert(packed != NULL && first == GOING - 3 && count == 1);
    ck_assert_ptr_null(gjk_history_tick(packed, GOING - 3).set);
    gjk_history_release(packed);
    gjk_history_release(history);
    gjk_arena_fini(&arena);
}

TEST(without_memory_nothing_changes) {
    struct gjk_set *set = make_set();
    struct gjk_history *history = add(gjk_history_new(4), 1, set), *next = NULL;
    bool failed = true;
    for (unsigned n = 0; failed; n++) {
        test_malloc_fail(n);
        gjk_status status = gjk_history_add(history, 2, set, &next);
        failed = test_malloc_restore();
        ck_assert_int_eq(status, failed ? GJK_OUT_OF_MEMORY : GJK_OK);
        ck_assert_uint_eq(gjk_history_newest(history), 1);
    }
    gjk_history_release(next);
    gjk_history_release(history);
    gjk_set_release(set);
}
