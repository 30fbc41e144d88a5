/* Are pairs told in the order of ids, whatever their ids have in common, and none lost? */

#include "gjk/set.h"
#include "gjk/set_query.h"
#include "gjk/snapshot.h"
#include "support/test.h"

#include <string.h>

#define BODIES 40

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

/* Asks for all pairs of spheres with these ids, which all overlap. */
static void check_order(const char *const *ids, uint32_t count) {
    static gjk_body bodies[BODIES];
    gjk_shape ball;
    struct gjk_set *set;
    ck_assert_int_eq(gjk_shape_make_ball(&arena, 3, 1, 0, &ball), GJK_OK);
    for (uint32_t i = 0; i < count; i++) {
        bodies[i] = (gjk_body){.id = ids[i],
                               .handle = i + 1,
                               .category = 1,
                               .mask = UINT32_MAX,
                               .placed = {&ball, gjk_pose_identity()}};
        bodies[i].placed.pose.position.x = 0.01 * i;
    }
    ck_assert_int_eq(gjk_set_new_indexed(3, bodies, count, &set), GJK_OK);
    const gjk_snapshot snapshot = gjk_snapshot_of(set);
    const gjk_filter all = gjk_filter_default();
    const gjk_selection selection = {.filter = &all, .limit = UINT32_MAX, .arena = &scratch};
    const gjk_detect_settings settings = gjk_detect_settings_default();
    gjk_pair_hits hits;
    ck_assert_int_eq(gjk_set_detect_pairs(&snapshot, &selection, &settings, &hits), GJK_OK);
    ck_assert_uint_eq(hits.count, count * (count - 1) / 2);
    for (uint32_t i = 0; i < hits.count; i++) {
        const gjk_pair_hit *hit = &hits.items[i];
        ck_assert_int_lt(strcmp(hit->a->id, hit->b->id), 0);
        if (i > 0) {
            const int first = strcmp(hit[-1].a->id, hit->a->id);
            ck_assert(first < 0 || (first == 0 && strcmp(hit[-1].b->id, hit->b->id) < 0));
        }
    }
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

TEST(many_pairs_come_in_the_order_of_ids) {
    static char ids[BODIES][16];
    const char *pointers[BODIES];
    for (uint32_t i = 0; i < BODIES; i++) {
        memcpy(ids[i], "body-at-0000000", 16);
        ids[i][14 - i % 3] = (char)('0' + i / 3);
        ids[i][12] = (char)('A' + i * 7 % BODIES);
        pointers[i] = ids[i];
    }
    check_order(pointers, BODIES);
}
