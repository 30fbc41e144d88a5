/* Do changes come back as the versions that they were made of, and can no damage do harm? */

#define _GNU_SOURCE /* memmem */
#include "cluster/record.h"
#include "sets/commit.h"
#include "sets/version.h"

#include <stdlib.h>
#include <string.h>

#include "sets/version_edit.h"
#include "support/set_body.h"
#include "test_server.h"

static struct gjkd_registry *registry, *other;
static struct gjk_arena arena;
static proto_limits limits;

static void setup(void) {
    registry = gjkd_registry_new(10);
    other = gjkd_registry_new(10);
    gjk_arena_init(&arena, 0);
    limits = proto_limits_default();
}

static void teardown(void) {
    gjkd_registry_free(registry);
    gjkd_registry_free(other);
    gjk_arena_fini(&arena);
}

TEST_FIXTURE(setup, teardown)

#define FIRST                                                         \
    "{'dimension':2,'history':{'ticks':3},'meta':{'k':1},'shapes':{"  \
    "'b':{'type':'circle','radius':0.1,'position':[1,2],'meta':[1]}," \
    "'a/x':{'type':'box','half_extents':[1,2],'angle':0.5,'group':'g'}}}"
#define SECOND                                       \
    "{'dimension':2,'shapes':{'c':{'type':'point'}," \
    "'b':{'type':'circle','radius':0.3,'position':[1,2]}}}"

static proto_text record(const gjkd_proposal *proposal) {
    struct proto_buffer out;
    proto_buffer_init(&out, &arena);
    gjkd_record_put(&out, proposal);
    ck_assert(!out.failed);
    return (proto_text){out.data, out.length};
}

/* The version that the text makes of the set in `other`, where it is put. */
static struct gjkd_version *apply(proto_text text) {
    gjkd_applied applied;
    struct proto_problem problem = {0};
    ck_assert_msg(gjkd_record_apply(&text, 0, NULL, other, &limits, &applied, &problem), "%s",
                  problem.detail);
    ck_assert_uint_eq(text.length, 0);
    gjkd_registry_set(other, applied.name, applied.to);
    gjkd_version_release(applied.from);
    return applied.to;
}

static void check_same_origin(const gjk_body *a, const gjk_body *b) {
    const gjkd_origin p = gjkd_stored_origin(a), q = gjkd_stored_origin(b);
    ck_assert_uint_eq(p.revision, q.revision);
    ck_assert_uint_eq(p.nonce, q.nonce);
    ck_assert_uint_eq(p.tick_end, q.tick_end);
}

static void check_alike(const struct gjkd_version *a, const struct gjkd_version *b) {
    ck_assert_str_eq(a->name, b->name);
    ck_assert_uint_eq(a->incarnation, b->incarnation);
    ck_assert_uint_eq(a->revision, b->revision);
    ck_assert_uint_eq(a->nonce, b->nonce);
    ck_assert_uint_eq(a->order, b->order);
    ck_assert_uint_eq(a->next_handle, b->next_handle);
    ck_assert_uint_eq(a->history_ticks, b->history_ticks);
    ck_assert_uint_eq(a->meta.length, b->meta.length);
    ck_assert_uint_eq(gjk_set_count(a->set), gjk_set_count(b->set));
    for (uint32_t i = 0; i < gjk_set_count(a->set); i++) {
        const gjk_body *p = test_set_body(a->set, i), *q = test_set_body(b->set, i);
        ck_assert_str_eq(p->id, q->id);
        ck_assert_uint_eq(p->handle, q->handle);
        check_same_origin(p, q);
        ck_assert(gjkd_stored_is_same(p, q));
    }
}

TEST(sets_come_back) {
    struct gjkd_version *first = test_put(registry, "s", FIRST, NULL);
    const gjkd_proposal made = {.name = "s", .to = first, .is_whole = true};
    first->nonce = 0xfedcba98;
    struct gjkd_version *back = apply(record(&made));
    check_alike(first, back);
    ck_assert_uint_eq(first->bytes, back->bytes);
    struct gjkd_version *second = test_put(registry, "s", SECOND, NULL);
    const gjkd_proposal changed = {.name = "s", .from = first, .to = second, .is_whole = true};
    struct gjkd_version *later = apply(record(&changed));
    check_alike(second, later);
    ck_assert_ptr_eq(later->feed, back->feed);
    const gjkd_proposal gone = {.name = "s", .from = second};
    ck_assert_ptr_null(apply(record(&gone)));
    gjkd_version_release(first);
    gjkd_version_release(second);
    gjkd_version_release(back);
    gjkd_version_release(later);
}

static bool derive(void *user, const struct gjkd_version *current, proto_edits *out,
                   struct proto_problem *problem) {
    const proto_base base = gjkd_version_base(current);
    return proto_change_apply(user, &base, out, problem);
}

/* Makes a patch of the set "s", or that tick (>= 0) of it. */
static void change(const char *body, int tick) {
    struct proto_change *opened;
    struct gjkd_version *version = NULL;
    struct proto_problem problem = {0};
    char *text = gjk_arena_copy_text(&arena, body, strlen(body));
    for (char *at = text; *at != '\0'; at++) {
        *at = *at == '\'' ? '"' : *at;
    }
    const proto_change_request request = {{text, strlen(text)},
                                          tick < 0 ? PROTO_PATCH_SET : PROTO_PUT_TICK,
                                          "s",
                                          &limits,
                                          &arena};
    ck_assert_msg(proto_change_open(&request, &opened, &problem), "%s", problem.detail);
    struct gjkd_storage memory = gjkd_memory_storage(registry);
    const gjkd_write write = {.storage = &memory, .name = "s", .problem = &problem};
    const gjkd_deriver deriver = {.derive = derive, .user = opened};
    const gjkd_stamp stamp = {.tick = (uint64_t)tick};
    ck_assert_int_ne(gjkd_commit_edit(&write, NULL, tick < 0 ? NULL : &stamp, &deriver, &version),
                     GJKD_REFUSED);
    proto_change_close(opened);
    gjkd_version_release(version);
}

/* What a snapshot tells of a set. */
static proto_text snapshot(const struct gjkd_version *version) {
    struct proto_buffer out;
    proto_buffer_init(&out, &arena);
    gjkd_record_put_set(&out, version);
    ck_assert(!out.failed);
    return (proto_text){out.data, out.length};
}

/* The last version that a snapshot of one set makes. */
static struct gjkd_version *restore(proto_text text) {
    struct gjkd_version *before = NULL;
    while (text.length > 0) {
        gjkd_applied applied;
        struct proto_problem problem = {0};
        ck_assert_msg(gjkd_record_apply(&text, 0, before, other, &limits, &applied, &problem), "%s",
                      problem.detail);
        gjkd_version_release(applied.from);
        gjkd_version_release(before);
        before = applied.to;
    }
    return before;
}

/* A shape that was removed and made anew between two ticks has another handle. */
TEST(snapshots_come_back_with_their_ticks) {
    gjkd_version_release(test_put(registry, "s", FIRST, NULL));
    change("{'shapes':{'b':{'position':[2,2]}}}", 5);
    change("{'shapes':{'b':null}}", -1);
    change("{'shapes':{'b':{'type':'circle','radius':0.1},'z':{'type':'point'}}}", -1);
    change("{'shapes':{'a/x':{'position':[3,1]}}}", 7);
    change("{'shapes':{'a/x':null}}", -1);
    struct gjkd_version *made = gjkd_registry_get(registry, "s");
    made->nonce = 7;
    const proto_text text = snapshot(made);
    struct gjkd_version *back = restore(text);
    check_alike(made, back);
    const proto_text again = snapshot(back);
    ck_assert_uint_eq(gjkd_version_ticks(back).count, 2);
    ck_assert_uint_eq(text.length, again.length);
    ck_assert_mem_eq(text.data, again.data, text.length);
    gjkd_version_release(made);
    gjkd_version_release(back);
}

TEST(edits_need_what_they_edit) {
    struct gjkd_version *first = test_put(registry, "s", FIRST, NULL);
    struct gjkd_version *second = test_put(registry, "s", SECOND, NULL);
    const gjkd_proposal edit = {.name = "s", .from = first, .to = second};
    proto_text text = record(&edit);
    gjkd_applied applied;
    struct proto_problem problem = {0};
    ck_assert(!gjkd_record_apply(&text, 0, NULL, other, &limits, &applied, &problem));
    ck_assert_ptr_nonnull(strstr(problem.detail, "not there"));
    gjkd_version_release(first);
    gjkd_version_release(second);
}

static void check_refused(proto_text text, struct gjkd_version *before, const char *why) {
    gjkd_applied applied;
    struct proto_problem problem = {0};
    ck_assert(!gjkd_record_apply(&text, 0, before, other, &limits, &applied, &problem));
    ck_assert_msg(strstr(problem.detail, why) != NULL, "%s", problem.detail);
}

#define POINT "{'type':'point'}"

TEST(handles_are_of_one_shape) {
    struct gjkd_version *one =
        test_put(other, "s", "{'dimension':2,'shapes':{'a':" POINT "}}", NULL);
    struct gjkd_version *more =
        test_put(registry, "s", "{'dimension':2,'shapes':{'a':" POINT ",'b':" POINT "}}", NULL);
    change("{'shapes':{'c':" POINT "}}", -1);
    struct gjkd_version *most = gjkd_registry_get(registry, "s");
    const gjkd_proposal proposal = {.name = "s", .from = more, .to = most};
    gjkd_version_number(one, NULL, most->incarnation, false, 1, 0);
    gjkd_version_release(
        test_put(other, "s", "{'dimension':2,'shapes':{'a':" POINT ",'y':" POINT ",'z':" POINT "}}",
                 NULL));
    struct gjkd_version *another = gjkd_registry_get(other, "s");
    check_refused(record(&proposal), another, "handle of another");
    most->next_handle--; /* of c */
    check_refused(record(&proposal), more, "handle of another");
    most->next_handle--; /* of the version before it */
    check_refused(record(&proposal), more, "damaged");
    gjkd_version_release(one);
    gjkd_version_release(more);
    gjkd_version_release(most);
    gjkd_version_release(another);
}

TEST(ticks_rise) {
    gjkd_version_release(test_put(registry, "s", FIRST, NULL));
    change("{'shapes':{'b':{'position':[2,2]}}}", 5);
    struct gjkd_version *before = gjkd_registry_get(registry, "s");
    change("{'shapes':{'b':{'position':[3,2]}}}", 6);
    struct gjkd_version *after = gjkd_registry_get(registry, "s");
    const uint64_t ticks[] = {0, 5, UINT64_C(9007199254740993)};
    for (int i = 0; i < COUNT_OF(ticks); i++) {
        const gjkd_stamp stamp = {.tick = ticks[i]};
        const gjkd_proposal tick = {.name = "s", .from = before, .to = after, .stamp = &stamp};
        check_refused(record(&tick), before, "cannot have");
    }
    gjkd_version_release(before);
    gjkd_version_release(after);
}

TEST(shapes_have_ids) {
    struct gjkd_version *first = test_put(registry, "s", FIRST, NULL);
    const gjkd_proposal made = {.name = "s", .to = first, .is_whole = true};
    proto_text text = record(&made);
    char *id = memmem(text.data, text.length, "a/x", sizeof "a/x");
    ck_assert_ptr_nonnull(id);
    id[2] = '/';
    check_refused(text, NULL, "without an id");
    gjkd_version_release(first);
}

/* Whatever is wrong ends in a refusal or in a set, and never in a fault. */
static void try_to_apply(const char *bytes, size_t length) {
    char *copy = malloc(length + 1); /* so that reading beyond it is noticed */
    proto_text text = {copy, length};
    gjkd_applied applied;
    struct proto_problem problem = {0};
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, bytes, length);
    if (gjkd_record_apply(&text, 0, NULL, other, &limits, &applied, &problem)) {
        gjkd_version_release(applied.from);
        gjkd_version_release(applied.to);
    } else {
        ck_assert_str_ne(problem.detail, "");
    }
    free(copy);
}

TEST(damage_does_no_harm) {
    struct gjkd_version *first = test_put(registry, "s", FIRST, NULL);
    const gjkd_proposal made = {.name = "s", .to = first, .is_whole = true};
    const proto_text text = record(&made);
    char *bytes = malloc(text.length);
    ck_assert_ptr_nonnull(bytes);
    memcpy(bytes, text.data, text.length);
    for (size_t length = 0; length < text.length; length++) {
        try_to_apply(bytes, length);
    }
    for (size_t at = 0; at < text.length; at++) {
        for (int value = 0; value < 256; value += 51) {
            const char before = bytes[at];
            bytes[at] = (char)value;
            try_to_apply(bytes, text.length);
            bytes[at] = before;
        }
    }
    free(bytes);
    gjkd_version_release(first);
}
