/*
 * Can what another node tells do harm? Messages as they come, and with the checksums of their rows
 * made to fit and upon the state that is there, so that what is behind those is reached too. A tick
 * that is taken is told on as a node would, which must be taken again and come to the same poses.
 * The input: a byte whose first bit chooses the dimension, and the message.
 */

#include "fuzz.h"

#include <string.h>

#include "../support/set_body.h"
#include "cluster/poses.h"
#include "sets/version_edit.h"
#include "store/row.h"
#include "util/hash.h"

#define SHAPES 3
#define PLACE 5

static const char *const ids[SHAPES] = {"a", "b/c", "d"};

/* Points, whose handles are 1, 2 and 3. */
static struct gjkd_version *make_set(uint32_t dimension) {
    struct gjk_arena arena;
    const proto_limits limits = proto_limits_default();
    const char text[] = "{\"type\":\"point\"}";
    gjkd_restored set = {.name = "s",
                         .incarnation = 9,
                         .revision = PLACE,
                         .next_handle = SHAPES + 1,
                         .dimension = dimension,
                         .has_history = true,
                         .history_ticks = 4,
                         .edits = calloc(SHAPES, sizeof *set.edits),
                         .count = SHAPES};
    struct gjkd_version *version = NULL;
    gjk_arena_init(&arena, 0);
    require(set.edits != NULL);
    for (uint32_t i = 0; i < SHAPES; i++) {
        proto_shape shape;
        struct proto_problem problem = {0};
        require(proto_decode_definition((proto_text){text, sizeof text - 1}, dimension, &limits,
                                        &arena, &shape, &problem));
        shape.place = (proto_place){.has_position = false};
        require((dimension == 2 ? gjk_pose_make2((gjk_vec2){0, 0}, 0, &shape.place.pose)
                                : gjk_pose_make3((gjk_vec3){0, 0, 0}, (gjk_quat){0, 0, 0, 1},
                                                 &shape.place.pose)) == GJK_OK);
        set.edits[i] = (gjk_edit){ids[i], gjkd_stored_new(ids[i], &shape, i + 1, false)};
        require(set.edits[i].body != NULL);
    }
    require(gjkd_version_restore(&set, &version) == GJK_OK);
    version->is_shared = true;
    gjk_arena_fini(&arena);
    return version;
}

/* Gives each row the checksum that it ought to have. */
static void seal(char *rows, size_t length) {
    size_t at = 0;
    while (at + 6 <= length) {
        uint32_t handle;
        const size_t place = (uint8_t)rows[at + 5];
        memcpy(&handle, rows + at, sizeof handle);
        at += 6;
        if (place >= sizeof(uint64_t) && at + place <= length) {
            const uint64_t sum = gjkd_checksum(rows + at, place - sizeof sum, handle);
            memcpy(rows + at + place - sizeof sum, &sum, sizeof sum);
        }
        at += place;
    }
}

static void check_taken(const struct gjkd_version *before, const struct gjkd_version *taken,
                        struct gjk_arena *arena) {
    struct proto_buffer out;
    gjkd_tick_message message;
    struct gjkd_version *again = NULL;
    struct proto_problem problem = {0};
    proto_buffer_init(&out, arena);
    gjkd_tick_message_put(&out, 1, NULL, taken);
    require(!out.failed);
    require(gjkd_tick_message_read((proto_text){out.data, out.length}, &message));
    require(gjkd_poses_apply(&message.poses, before, &again, &problem));
    for (uint32_t i = 0; i < SHAPES; i++) {
        require(gjkd_stored_is_same(test_set_body(taken->set, i), test_set_body(again->set, i)));
    }
    require(gjkd_version_ticks_end(taken) == gjkd_version_ticks_end(again));
    gjkd_version_release(again);
}

static void check_message(gjkd_tick_message *message, uint32_t dimension, struct gjk_arena *arena) {
    struct gjkd_version *before = make_set(dimension), *taken = NULL;
    struct proto_problem problem = {0};
    if (gjkd_poses_apply(&message->poses, before, &taken, &problem)) {
        check_taken(before, taken, arena);
        gjkd_version_release(taken);
    } else {
        require(problem.code > PROTO_OK && problem.detail[0] != '\0');
    }
    gjkd_version_release(before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct gjk_arena arena;
    gjkd_tick_message message;
    if (size < 1) {
        return 0;
    }
    const uint32_t dimension = data[0] & 1 ? 3 : 2;
    gjk_arena_init(&arena, 0);
    char *copy = malloc(size); /* so that reading beyond it is noticed */
    require(copy != NULL);
    memcpy(copy, data + 1, size - 1);
    if (gjkd_tick_message_read((proto_text){copy, size - 1}, &message)) {
        check_message(&message, dimension, &arena);
        seal(copy + (message.poses.rows.data - copy), message.poses.rows.length);
        message.poses.incarnation = 9;
        message.poses.place = PLACE;
        message.poses.dimension = dimension;
        check_message(&message, dimension, &arena);
    }
    free(copy);
    gjk_arena_fini(&arena);
    return 0;
}
