/* What does a version hold, and what passes from one version of a set to the next? */

#include <stdio.h>
#include <string.h>

#include "sets/commit.h"
#include "sets/version_edit.h"
#include "store/transfer.h"
#include "support/set_body.h"
#include "test_server.h"

#define BOX "{'type':'box','half_extents':[1,1]}"

static struct gjkd_registry *registry;

static void setup(void) {
    registry = gjkd_registry_new(10);
    ck_assert_ptr_nonnull(registry);
}

/* PROTO_OK, or why not. */
static proto_code try_delete(const char *name, const char *if_match) {
    struct proto_problem problem = {0};
    struct gjkd_storage memory = gjkd_memory_storage(registry);
    const gjkd_write write = {.storage = &memory,
                              .name = name,
                              .if_match = if_match,
                              .problem = &problem};
    ck_assert_int_eq(gjkd_commit_delete(&write), problem.code == PROTO_OK);
    return problem.code;
}

TEST(content_is_copied) {
    setup();
    struct gjkd_version *version =
        test_put(registry, "s",
                 "{'dimension':2,'meta':{'k':1},'shapes':{'b':{'type':'hull','points':[[0,0],[2,0],"
                 "[0,2],[0.5,0.5]],'group':'g','mask':3},'a':" BOX "}}",
                 NULL);
    ck_assert_ptr_nonnull(version);
    ck_assert_str_eq(version->name, "s");
    ck_assert_uint_eq(version->dimension, 2);
    ck_assert_uint_eq(version->revision, 1);
    ck_assert_uint_eq(gjk_set_count(version->set), 2);
    const gjk_body *a = test_set_body(version->set, 0);
    const gjk_body *b = test_set_body(version->set, 1);
    ck_assert_str_eq(a->id, "a");
    ck_assert_ptr_null(a->group);
    ck_assert_str_eq(b->id, "b");
    ck_assert_str_eq(b->group, "g");
    ck_assert_uint_eq(b->mask, 3);
    ck_assert_uint_eq(b->placed.shape->count, 3);
    ck_assert_str_eq(gjkd_stored_view(a).definition.data,
                     "{\"type\":\"box\",\"half_extents\":[1,1]}");
    ck_assert_str_eq(version->meta.data, "{\"k\":1}");
    proto_summary summary = gjkd_version_summary(version);
    ck_assert_uint_eq(summary.shapes, 2);
    ck_assert_uint_gt(summary.bytes, 2 * sizeof(gjk_body));
    gjkd_version_release(version);
    gjkd_registry_free(registry);
}

TEST(bytes_depend_on_content_alone) {
    static const char *const body = "{'dimension':2,'shapes':{'a':" BOX ",'b':" BOX "}}";
    setup();
    struct gjkd_version *first = test_put(registry, "s", body, NULL);
    gjkd_version_release(test_put(registry, "s", "{'dimension':2,'shapes':{}}", NULL));
    struct gjkd_version *again = test_put(registry, "s", body, NULL);
    ck_assert_uint_eq(first->bytes, again->bytes);
    gjkd_version_release(first);
    gjkd_version_release(again);
    gjkd_registry_free(registry);
}

TEST(handles_stay_and_never_return) {
    setup();
    struct gjkd_version *one =
        test_put(registry, "s", "{'dimension':2,'shapes':{'a':" BOX ",'m':" BOX ",'z':" BOX "}}",
                 NULL);
    struct gjkd_version *two =
        test_put(registry, "s", "{'dimension':2,'shapes':{'0':" BOX ",'m':" BOX ",'zz':" BOX "}}",
                 NULL);
    struct gjkd_version *three =
        test_put(registry, "s", "{'dimension':2,'shapes':{'a':" BOX ",'m':" BOX ",'zz':" BOX "}}",
                 NULL);
    ck_assert_uint_eq(test_handle(one, "a"), 1);
    ck_assert_uint_eq(test_handle(one, "m"), 2);
    ck_assert_uint_eq(test_handle(one, "z"), 3);
    ck_assert_uint_eq(test_handle(two, "m"), 2);
    ck_assert_uint_eq(test_handle(two, "0"), 4);
    ck_assert_uint_eq(test_handle(two, "zz"), 5);
    ck_assert_uint_eq(test_handle(three, "a"), 6); /* not the 1 it had before it was gone */
    ck_assert_uint_eq(test_handle(three, "m"), 2);
    ck_assert_uint_eq(test_handle(three, "zz"), 5);
    ck_assert_uint_eq(three->revision, 3);
    ck_assert_uint_eq(three->incarnation, one->incarnation);
    gjkd_version_release(one);
    gjkd_version_release(two);
    gjkd_version_release(three);
    gjkd_registry_free(registry);
}

TEST(a_new_life_has_a_new_incarnation) {
    setup();
    struct gjkd_version *one = test_put(registry, "s", "{'dimension':2}", NULL);
    ck_assert_int_eq(try_delete("s", NULL), PROTO_OK);
    ck_assert_int_eq(try_delete("s", NULL), PROTO_SET_NOT_FOUND);
    struct gjkd_version *two = test_put(registry, "s", "{'dimension':3}", NULL);
    ck_assert_uint_eq(two->revision, 1);
    ck_assert_uint_ne(one->incarnation, two->incarnation);
    gjkd_version_release(one);
    gjkd_version_release(two);
    gjkd_registry_free(registry);
}

/* Stores a set of so many circles of that size. */
static struct gjkd_version *put_many(const char *name, int count, int size) {
    static char body[100000];
    int length = snprintf(body, sizeof body, "{'dimension':2,'shapes':{");
    for (int i = 0; i < count; i++) {
        length += snprintf(body + length, sizeof body - (size_t)length,
                           "%s'%d':{'type':'circle','radius':%d}", i > 0 ? "," : "", i, size);
    }
    snprintf(body + length, sizeof body - (size_t)length, "}}");
    return test_put(registry, name, body, NULL);
}

/* Moves the shape "0", which makes the next version. */
static struct gjkd_version *move_one(const struct gjkd_version *from) {
    struct gjkd_version *to = NULL;
    const proto_edit edit = {.id = "0",
                             .kind = PROTO_EDIT_MOVE,
                             .self = gjk_set_find(from->set, "0"),
                             .place = {.pose = gjk_pose_identity()}};
    const proto_edits edits = {.items = &edit, .count = 1};
    ck_assert_int_eq(gjkd_version_edit(from, &edits, NULL, NULL, &to), GJK_OK);
    return to;
}

TEST(old_versions_pin_what_later_ones_lack) {
    setup();
    struct gjkd_version *first = put_many("s", 1000, 1), *moved = move_one(first);
    struct gjkd_version *replaced = put_many("s", 10, 2), *other = put_many("t", 10, 2);
    ck_assert_uint_eq(gjkd_version_pinned_bytes(first, first), 0);
    const uint64_t little = gjkd_version_pinned_bytes(first, moved) - first->charged_bytes;
    ck_assert(little > 0 && little < first->bytes / 10);
    const uint64_t much = gjkd_version_pinned_bytes(first, replaced) - first->charged_bytes;
    ck_assert(much > first->bytes - 1000 && much <= first->bytes);
    ck_assert_uint_eq(gjkd_version_pinned_bytes(first, NULL), first->bytes + first->charged_bytes);
    ck_assert_uint_eq(gjkd_version_pinned_bytes(first, other), first->bytes + first->charged_bytes);
    gjkd_version_retain(first);
    ck_assert_uint_eq(gjkd_version_pinned_bytes(first, NULL),
                      (first->bytes + first->charged_bytes) / 2);
    gjkd_version_release(first);
    gjkd_version_release(first);
    gjkd_version_release(moved);
    gjkd_version_release(replaced);
    gjkd_version_release(other);
    gjkd_registry_free(registry);
}

TEST(writes_are_conditional) {
    char etag[GJKD_ETAG_MAX];
    setup();
    struct gjkd_version *one = test_put(registry, "s", "{'dimension':2}", NULL);
    gjkd_version_etag(one, etag);
    struct gjkd_version *two = test_put(registry, "s", "{'dimension':2}", etag);
    ck_assert_ptr_nonnull(two);
    ck_assert_ptr_null(test_put(registry, "s", "{'dimension':2}", etag));
    ck_assert_ptr_null(test_put(registry, "t", "{'dimension':2}", "*"));
    ck_assert_int_eq(try_delete("s", etag), PROTO_REVISION_MISMATCH);
    ck_assert_int_eq(try_delete("s", "x"), PROTO_BAD_REQUEST);
    struct gjkd_version *current = gjkd_registry_get(registry, "s");
    ck_assert_ptr_eq(current, two);
    gjkd_version_release(current);
    ck_assert_ptr_null(test_put(registry, "s", "{'dimension':3}", NULL)); /* another dimension */
    gjkd_version_release(one);
    gjkd_version_release(two);
    gjkd_registry_free(registry);
}

TEST(demo_sets_load_once) {
    const proto_limits limits = proto_limits_default();
    char error[GJKD_ERROR_MAX];
    setup();
    struct gjkd_version *mine = test_put(registry, "range3d", "{'dimension':2}", NULL);
    struct gjkd_storage memory = gjkd_memory_storage(registry);
    ck_assert_msg(gjkd_seed_demo(&(gjkd_write){.storage = &memory}, &limits, error), "%s", error);
    ck_assert_msg(gjkd_seed_demo(&(gjkd_write){.storage = &memory}, &limits, error), "%s", error);
    struct gjkd_version *kept = gjkd_registry_get(registry, "range3d");
    struct gjkd_version *arena2d = gjkd_registry_get(registry, "arena2d");
    ck_assert_ptr_eq(kept, mine);
    ck_assert_ptr_nonnull(arena2d);
    ck_assert_uint_eq(arena2d->revision, 1);
    ck_assert_uint_ge(gjk_set_count(arena2d->set), 12);
    gjkd_version_release(mine);
    gjkd_version_release(kept);
    gjkd_version_release(arena2d);
    gjkd_registry_free(registry);
}
