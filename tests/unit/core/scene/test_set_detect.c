/* Are pairs told in the order of ids, whatever their ids have in common, and none lost? */

#include "gjk/set.h"
#include "gjk/set_query.h"
#include "gjk/snapshot.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#define BODIES 90 /* few enough that pairs are sorted only when all are found */
#define BODIES_MAX 258
#define ID_BYTES 64

static struct gjk_arena arena, scratch;

static void set_up(void) {
    gjk_arena_init(&arena, 0);
    gjk_arena_init(&scratch, 0);
}

static void tear_down(void) {
    gjk_arena_fini(&scratch);
    gjk_arena_fini(&arena);
}

TEST_FIXTURE(set_up, tear_down)

/* Makes a set of spheres with these ids, which all overlap. */
static struct gjk_set *make_set(const char *const *ids, uint32_t count) {
    static gjk_body bodies[BODIES_MAX];
    static gjk_shape ball;
    struct gjk_set *set;
    ck_assert_int_eq(gjk_shape_make_ball(&arena, 3, 1, 0, &ball), GJK_OK);
    for (uint32_t i = 0; i < count; i++) {
        bodies[i] = (gjk_body){.id = ids[i],
                               .handle = i + 1,
                               .category = 1,
                               .mask = UINT32_MAX,
                               .placed = {&ball, gjk_pose_identity()}};
        bodies[i].placed.pose.position.x = 0.001 * i;
    }
    ck_assert_int_eq(gjk_set_new_indexed(3, bodies, count, &set), GJK_OK);
    return set;
}

/* Asks for the pairs of a body, or for all (NULL). Each pair comes after the one before it, so that
 * as many as there are pairs are all of them. */
static void check_pairs(const struct gjk_set *set, const gjk_body *body, uint32_t count) {
    const gjk_snapshot snapshot = gjk_snapshot_of(set);
    const gjk_filter all = gjk_filter_default();
    const gjk_selection selection = {.filter = &all, .limit = UINT32_MAX, .arena = &scratch};
    const gjk_detect_settings settings = gjk_detect_settings_default();
    gjk_pair_hits hits;
    ck_assert_int_eq(body == NULL
                         ? gjk_set_detect_pairs(&snapshot, &selection, &settings, &hits)
                         : gjk_set_detect_pairs_of(&snapshot, body, &selection, &settings, &hits),
                     GJK_OK);
    ck_assert_uint_eq(hits.count, count);
    for (uint32_t i = 0; i < hits.count; i++) {
        const gjk_pair_hit *hit = &hits.items[i];
        ck_assert_int_lt(strcmp(hit->a->id, hit->b->id), 0);
        ck_assert(body == NULL || hit->a == body || hit->b == body);
        if (i > 0) {
            const int first = strcmp(hit[-1].a->id, hit->a->id);
            ck_assert(first < 0 || (first == 0 && strcmp(hit[-1].b->id, hit->b->id) < 0));
        }
    }
}

static void check_order(const char *const *ids, uint32_t count) {
    struct gjk_set *set = make_set(ids, count);
    check_pairs(set, NULL, count * (count - 1) / 2);
    gjk_set_release(set);
}

TEST(pairs_come_in_the_order_of_ids) {
    static const char *const ids[] = {
        "p",
        "player-00000001",
        "player-00000002",
        "player-000000010",
        "player-",
        "player-\xc3\xa9",
        "player-~",
        "player-0",
        "player-00000000",
        "player-00000001-a",
    };
    check_order(ids, 10); /* "p" is all that they have in common */
    check_order(ids + 1, 3);
    check_order(ids + 1, 9);
    check_order(ids, 1);
}

#define SHORT_PARTS 7
#define PARTS 11

/* Makes ids of a prefix and three parts, of which some begin with others, or have bytes above 127.
 * Eight bytes are sorted at once: ids of short parts have at most seven. */
static const char *const *make_ids(const char *prefix, uint32_t parts) {
    static const char *const part[PARTS] = {"",          "a",         "~",       "\x7f",
                                            "\x80",      "\xff",      "ab",      "abcdefgh",
                                            "abcdefghi", "abcdefgh~", "\xc3\xa9"};
    static char ids[BODIES_MAX][ID_BYTES];
    static const char *pointers[BODIES_MAX];
    for (uint32_t i = 0; i < BODIES_MAX; i++) {
        (void)snprintf(ids[i], ID_BYTES, "%s%s+%s+%s", prefix, part[i % parts],
                       part[i / parts % parts], part[i / parts / parts]);
        pointers[i] = ids[i];
    }
    return pointers;
}

static const struct {
    const char *prefix;
    uint32_t parts;
} families[] = {{"", SHORT_PARTS}, {"", PARTS}, {"longer-than-eight-bytes-\xf0-", PARTS}};

TEST_EACH(many_pairs_come_in_the_order_of_ids, 0, 3) {
    check_order(make_ids(families[_i].prefix, families[_i].parts), BODIES); /* 4005 pairs */
}

TEST_EACH(pairs_of_a_body_come_in_the_order_of_ids, 0, 3) {
    const char *const *ids = make_ids(families[_i].prefix, families[_i].parts);
    for (uint32_t others = 255; others <= 257; others++) { /* 256 and more are many */
        struct gjk_set *set = make_set(ids, others + 1);
        for (uint32_t body = 0; body <= others; body += 15) {
            check_pairs(set, gjk_set_find(set, ids[body]), others);
        }
        gjk_set_release(set);
    }
}
