/* Which sets are there, with which incarnations and handles? As requests would make them. */

#include "record_sets.h"

#include <stdlib.h>
#include <string.h>

#include "sets/commit.h"
#include "sets/version.h"
#include "sets/version_edit.h"

#define FLAT                                                                           \
    "{\"dimension\":2,\"history\":{\"ticks\":3},\"meta\":{\"k\":1},\"shapes\":{"       \
    "\"a/x\":{\"type\":\"box\",\"half_extents\":[1,2],\"angle\":0.5,\"group\":\"g\"}," \
    "\"b\":{\"type\":\"circle\",\"radius\":0.1,\"position\":[1,2],\"meta\":[1]},"      \
    "\"c\":{\"type\":\"polygon\",\"vertices\":[[0,0],[1,0],[0,1]]}}}"
#define SOLID                                                                              \
    "{\"dimension\":3,\"shapes\":{\"m\":{\"type\":\"mesh\",\"vertices\":[[0,0,0],[1,0,0]," \
    "[0,1,0]],\"triangles\":[[0,1,2]]},\"p\":{\"type\":\"point\"}}}"
#define MOVING                                                     \
    "{\"dimension\":2,\"history\":{\"ticks\":4},\"shapes\":{"      \
    "\"a\":{\"type\":\"circle\",\"radius\":1,\"position\":[0,0]}," \
    "\"b\":{\"type\":\"point\"}}}"

static void require(bool condition) {
    if (!condition) {
        abort();
    }
}

static void put(struct gjkd_registry *registry, const char *name, const char *body,
                uint64_t incarnation) {
    const proto_limits limits = proto_limits_default();
    struct proto_problem problem = {0};
    struct gjkd_version *version = NULL;
    struct gjk_arena arena;
    proto_set set;
    gjk_arena_init(&arena, 0);
    require(
        proto_decode_set((proto_text){body, strlen(body)}, name, &limits, &arena, &set, &problem));
    struct gjkd_storage memory = gjkd_memory_storage(registry);
    const gjkd_write write = {.storage = &memory, .name = name, .problem = &problem};
    require(gjkd_commit_put(&write, &set, &version) == GJKD_CREATED);
    gjkd_version_number(version, NULL, incarnation, false, 3, 9);
    gjkd_version_release(version);
    gjk_arena_fini(&arena);
}

static bool derive(void *user, const struct gjkd_version *current, proto_edits *out,
                   struct proto_problem *problem) {
    const proto_base base = gjkd_version_base(current);
    return proto_change_apply(user, &base, out, problem);
}

/* A tick in the log, as this node's; or one that was told beside it. */
static void tick(struct gjkd_registry *registry, const char *name, const char *body,
                 uint64_t number, bool is_told) {
    struct gjkd_version *from = gjkd_registry_get(registry, name);
    const proto_limits limits = proto_limits_default();
    struct proto_problem problem = {0};
    struct proto_change *change;
    struct gjkd_version *version = NULL;
    struct gjk_arena arena;
    gjk_arena_init(&arena, 0);
    const proto_change_request request = {{body, strlen(body)},
                                          PROTO_PUT_TICK,
                                          name,
                                          &limits,
                                          &arena};
    require(proto_change_open(&request, &change, &problem));
    struct gjkd_storage memory = gjkd_memory_storage(registry);
    const gjkd_write write = {.storage = &memory, .name = name, .problem = &problem};
    const gjkd_deriver deriver = {.derive = derive, .user = change};
    const gjkd_stamp stamp = {.tick = number};
    require(gjkd_commit_edit(&write, NULL, &stamp, &deriver, &version) == GJKD_CHANGED);
    if (is_told) {
        gjkd_version_number_tick(version, from);
    } else {
        gjkd_version_number(version, from, 0, true, from->order + 1, 0);
        version->unlogged.leads = true;
    }
    proto_change_close(change);
    gjkd_version_release(version);
    gjkd_version_release(from);
    gjk_arena_fini(&arena);
}

struct gjkd_registry *record_sets(void) {
    struct gjkd_registry *registry = gjkd_registry_new(4);
    require(registry != NULL);
    put(registry, "s", FLAT, 7);
    tick(registry, "s", "{\"shapes\":{\"b\":{\"position\":[2,2]}}}", 5, false);
    tick(registry, "s", "{\"shapes\":{\"b\":{\"position\":[3,2]},\"c\":null}}", 6, false);
    put(registry, "t", SOLID, 8);
    put(registry, "u", MOVING, 9);
    tick(registry, "u", "{\"shapes\":{\"a\":{\"position\":[1,0]}}}", 4, false);
    tick(registry, "u", "{\"shapes\":{\"a\":{\"position\":[2,0]}}}", 5, true);
    tick(registry, "u", "{\"shapes\":{\"a\":{\"position\":[3,0]}}}", 8, true);
    return registry;
}
