/* Do nodes that hear of ticks late, or never, agree in the end, and make nothing up until then?
 * Three nodes, a log that each takes when it likes, and messages that come, come late or get
 * lost. */

#include "cluster/poses.h"
#include "cluster/record.h"
#include "sets/version.h"
#include "support/rng.h"

#include <stdlib.h>
#include <string.h>

#include "sets/kept_ticks.h"
#include "sets/version_edit.h"
#include "support/set_body.h"
#include "test_server.h"

#define NODES 3
#define STEPS 400
#define RECORDS_MAX (STEPS + NODES + 8)

static struct gjkd_registry *registry;
static struct gjk_arena arena;
static proto_limits limits;
static test_rng rng;

static void setup(void) {
    registry = gjkd_registry_new(10);
    gjk_arena_init(&arena, 0);
    limits = proto_limits_default();
}

static void teardown(void) {
    gjkd_registry_free(registry);
    gjk_arena_fini(&arena);
}

TEST_FIXTURE(setup, teardown)

#define FIRST                                                                  \
    "{'dimension':3,'history':{'ticks':60},'shapes':{"                         \
    "'a':{'type':'sphere','radius':0.1,'position':[1,2,3]},"                   \
    "'b/x':{'type':'box','half_extents':[1,2,3],'orientation':[0,0,0.6,0.8]}," \
    "'c':{'type':'point'},'d':{'type':'capsule','a':[0,0,0],'b':[0,1,0],'radius':1}}}"

typedef struct node {
    struct gjkd_version *shown;
    uint32_t place;            /* records taken */
    proto_text waiting[STEPS]; /* messages */
    uint32_t first, count;
} node;

static node nodes[NODES];
static proto_text records[RECORDS_MAX];
static uint32_t record_count;

static void show(node *at, struct gjkd_version *version) {
    gjkd_version_release(at->shown);
    at->shown = version;
}

static proto_text keep(const struct proto_buffer *out) {
    ck_assert(!out->failed);
    char *copy = gjk_arena_copy_text(&arena, out->data, out->length);
    ck_assert_ptr_nonnull(copy);
    return (proto_text){copy, out->length};
}

/* Moves some shapes, at random. One that is moved back has another entity tag. */
static uint32_t make_moves(const struct gjkd_version *version, proto_edit *edits) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < gjk_set_count(version->set); i++) {
        const gjk_body *body = test_set_body(version->set, i);
        if (test_rng_below(&rng, 2) == 0) {
            proto_place place = gjkd_stored_view(body).place;
            place.has_position = true;
            place.pose.position.x = (double)test_rng_below(&rng, 3); /* often where it was before */
            edits[count++] = (proto_edit){.id = body->id,
                                          .kind = PROTO_EDIT_MOVE,
                                          .teleport = test_rng_below(&rng, 8) == 0,
                                          .self = body,
                                          .place = place};
        }
    }
    return count;
}

/* The next version of the node: a tick, or an edit. */
static struct gjkd_version *edit(const node *at, const gjkd_stamp *stamp) {
    proto_edit items[8];
    const proto_edits edits = {.items = items, .count = make_moves(at->shown, items)};
    struct gjkd_version *to = NULL;
    ck_assert_int_eq(gjkd_version_edit(at->shown, &edits, stamp, NULL, &to), GJK_OK);
    return to;
}

/* Puts what comes after the node's version into the log; only a node at its end may. */
static void put(node *at, struct gjkd_version *to, const gjkd_stamp *stamp, bool is_quiet) {
    struct gjkd_version *from = at->shown;
    const gjkd_proposal proposal = {.name = "s", .from = from, .to = to, .stamp = stamp};
    struct proto_buffer out;
    gjkd_version_number(to, from, 0, is_quiet, record_count + 2, record_count + 7);
    to->unlogged.leads = is_quiet;
    to->unlogged.doubts = stamp == NULL && gjkd_version_may_lack_ticks(from);
    proto_buffer_init(&out, &arena);
    gjkd_record_put(&out, &proposal);
    records[record_count++] = keep(&out);
    at->place = record_count;
    show(at, to);
}

static void tell(node *at, struct gjkd_version *to) {
    struct proto_buffer out;
    gjkd_version_number_tick(to, at->shown);
    proto_buffer_init(&out, &arena);
    gjkd_tick_message_put(&out, 7, at->shown, to);
    const proto_text message = keep(&out);
    for (int i = 0; i < NODES; i++) {
        if (&nodes[i] != at && test_rng_below(&rng, 6) > 0) {
            nodes[i].waiting[nodes[i].count++] = message;
        }
    }
    show(at, to);
}

static void make_tick(node *at, uint64_t number) {
    const gjkd_unlogged *unlogged = &at->shown->unlogged;
    const gjkd_stamp stamp = {.tick = number,
                              .digest = {{(unsigned char)number}},
                              .after_gap = gjkd_version_ticks_end(at->shown) > 0 &&
                                           gjkd_version_may_lack_ticks(at->shown)};
    if (number < gjkd_version_ticks_end(at->shown)) {
        return; /* 409 */
    }
    if (unlogged->leads && !unlogged->doubts && test_rng_below(&rng, 8) > 0) {
        tell(at, edit(at, &stamp));
    } else if (at->place == record_count) {
        put(at, edit(at, &stamp), &stamp, true);
    }
}

static void take_record(node *at) {
    proto_text text = records[at->place];
    gjkd_applied applied;
    struct proto_problem problem = {0};
    ck_assert_msg(gjkd_record_apply(&text, 0, at->shown, registry, &limits, &applied, &problem),
                  "%s", problem.detail);
    gjkd_version_release(applied.from);
    at->place++;
    show(at, applied.to);
}

/* Takes a message, as ticks.c judges it. */
static void take_message(node *at) {
    gjkd_tick_message message;
    struct gjkd_version *to = NULL;
    struct proto_problem problem = {0};
    ck_assert(gjkd_tick_message_read(at->waiting[at->first], &message));
    ck_assert(message.epoch == 7 && strcmp(message.name, "s") == 0);
    if (message.poses.place > at->place + 1) {
        return; /* too early */
    }
    at->first++;
    if (message.poses.place == at->shown->order &&
        message.poses.ticks > at->shown->unlogged.ticks) {
        ck_assert_msg(gjkd_poses_apply(&message.poses, at->shown, &to, &problem), "%s",
                      problem.detail);
        show(at, to);
    }
}

static void check_newest(const struct gjkd_version *a, const struct gjkd_version *b) {
    char p[GJKD_ETAG_MAX], q[GJKD_ETAG_MAX];
    gjkd_version_etag(a, p);
    gjkd_version_etag(b, q);
    ck_assert_str_eq(p, q);
    ck_assert_uint_eq(gjk_set_count(a->set), gjk_set_count(b->set));
    for (uint32_t i = 0; i < gjk_set_count(a->set); i++) {
        const gjk_body *one = test_set_body(a->set, i), *other = test_set_body(b->set, i);
        ck_assert(gjkd_stored_is_same(one, other));
        gjkd_shape_etag(a, one, p);
        gjkd_shape_etag(b, other, q);
        ck_assert_str_eq(p, q);
    }
}

/* What both know of a moment is the same to the bit. Returns whether they do. */
static bool check_moment(const struct gjkd_version *a, const struct gjkd_version *b, double tick) {
    gjk_rewound p, q;
    if (gjk_history_at(a->history, tick, &p) != GJK_REWIND_OK ||
        gjk_history_at(b->history, tick, &q) != GJK_REWIND_OK || p.is_gap || q.is_gap) {
        return false;
    }
    for (uint32_t i = 0; i < gjk_set_count(p.snapshot.set); i++) {
        const gjk_body *body = test_set_body(p.snapshot.set, i);
        const gjk_body *other = gjk_set_find(q.snapshot.set, body->id);
        ck_assert_ptr_nonnull(other);
        const gjk_pose x = gjk_snapshot_pose(&p.snapshot, body);
        const gjk_pose y = gjk_snapshot_pose(&q.snapshot, other);
        ck_assert_msg(x.position.x == y.position.x && x.position.y == y.position.y &&
                          x.position.z == y.position.z,
                      "%s at %g", body->id, tick);
    }
    return true;
}

/* Of those who have taken the whole log: two that make ticks at once know of it from there. */
static uint32_t check_moments(uint64_t newest) {
    uint32_t known = 0;
    for (int i = 0; i < NODES; i++) {
        const node *a = &nodes[i], *b = &nodes[(i + 1) % NODES];
        const bool is_fair = a->place == record_count && b->place == record_count;
        for (uint64_t half = newest > 60 ? 2 * (newest - 60) : 0; half <= 2 * newest; half++) {
            known += is_fair && check_moment(a->shown, b->shown, (double)half / 2.0);
        }
    }
    return known;
}

static void begin(void) {
    struct gjkd_version *first = test_put(registry, "s", FIRST, NULL);
    struct proto_buffer out;
    gjkd_version_number(first, NULL, 99, false, 1, 6);
    proto_buffer_init(&out, &arena);
    gjkd_record_put_set(&out, first);
    memset(nodes, 0, sizeof nodes);
    record_count = 0;
    for (int i = 0; i < NODES; i++) {
        proto_text text = {out.data, out.length};
        gjkd_applied applied;
        struct proto_problem problem = {0};
        struct gjkd_registry *none = gjkd_registry_new(1);
        ck_assert(gjkd_record_apply(&text, 0, NULL, none, &limits, &applied, &problem));
        nodes[i].shown = applied.to;
        gjkd_registry_free(none);
    }
    gjkd_version_release(first);
}

static void step(uint64_t number) {
    node *at = &nodes[test_rng_below(&rng, NODES)];
    node *ticking = &nodes[number / 40 % NODES]; /* which changes now and then */
    make_tick(test_rng_below(&rng, 30) == 0 ? at : ticking, number);
    at = &nodes[test_rng_below(&rng, NODES)];
    if (test_rng_below(&rng, 12) == 0 && at->place == record_count) {
        put(at, edit(at, NULL), NULL, test_rng_below(&rng, 2) == 0 && at->shown->unlogged.owes);
    }
    for (int i = 0; i < 2 * NODES; i++) {
        at = &nodes[test_rng_below(&rng, NODES)];
        if (test_rng_below(&rng, 3) == 0 && at->place < record_count) {
            take_record(at);
        } else if (at->first < at->count) {
            take_message(at);
        }
    }
}

static void end(uint64_t number) {
    for (int i = 0; i < NODES; i++) {
        while (nodes[i].place < record_count) {
            take_record(&nodes[i]);
        }
    }
    const gjkd_stamp stamp = {.tick = number};
    put(&nodes[0], edit(&nodes[0], &stamp), &stamp, true);
    for (int i = 1; i < NODES; i++) {
        take_record(&nodes[i]);
        check_newest(nodes[0].shown, nodes[i].shown);
    }
}

TEST(nodes_agree_on_what_they_know) {
    uint32_t known = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        rng = test_rng_make(seed);
        begin();
        for (uint64_t number = 1; number <= STEPS; number++) {
            step(number);
            known += number % 20 == 0 ? check_moments(number) : 0;
        }
        end(STEPS + 1);
        for (int i = 0; i < NODES; i++) {
            gjkd_version_release(nodes[i].shown);
        }
        gjkd_registry_set(registry, "s", NULL);
        gjk_arena_reset(&arena);
    }
    ck_assert_uint_gt(known, 1000);
}

static struct gjkd_version *told(void) {
    begin();
    for (uint64_t number = 1; number <= 3; number++) {
        const gjkd_stamp stamp = {.tick = number, .digest = {{(unsigned char)number}}};
        if (number == 1) {
            put(&nodes[0], edit(&nodes[0], &stamp), &stamp, true);
        } else {
            struct gjkd_version *to = edit(&nodes[0], &stamp);
            gjkd_version_number_tick(to, nodes[0].shown);
            show(&nodes[0], to);
        }
    }
    return nodes[0].shown;
}

static void let_go(void) {
    for (int i = 0; i < NODES; i++) {
        gjkd_version_release(nodes[i].shown);
    }
}

TEST(damaged_messages_are_refused) {
    rng = test_rng_make(5);
    const struct gjkd_version *version = told();
    struct proto_buffer out;
    gjkd_tick_message message;
    proto_buffer_init(&out, &arena);
    gjkd_tick_message_put(&out, 7, NULL, version);
    take_record(&nodes[1]);
    ck_assert(gjkd_tick_message_read((proto_text){out.data, out.length}, &message));
    ck_assert_uint_eq(message.poses.tick_end, 4);
    ck_assert_uint_eq(message.poses.previous_end, 3);
    for (size_t length = 0; length < out.length; length++) {
        char *copy = malloc(length + 1); /* so that reading beyond it is noticed */
        ck_assert_ptr_nonnull(copy);
        memcpy(copy, out.data, length);
        ck_assert(!gjkd_tick_message_read((proto_text){copy, length}, &message));
        free(copy);
    }
    for (size_t at = 0; at < out.length; at++) {
        struct gjkd_version *to = NULL;
        struct proto_problem problem = {0};
        out.data[at] ^= 0x11;
        if (gjkd_tick_message_read((proto_text){out.data, out.length}, &message) &&
            gjkd_poses_apply(&message.poses, nodes[1].shown, &to, &problem)) {
            gjkd_version_release(to);
        }
        out.data[at] ^= 0x11;
    }
    let_go();
}

TEST(what_does_not_follow_is_refused) {
    rng = test_rng_make(6);
    const struct gjkd_version *version = told();
    struct gjkd_version *to = NULL;
    struct proto_buffer out;
    gjkd_tick_message message;
    struct proto_problem problem = {0};
    proto_buffer_init(&out, &arena);
    gjkd_tick_message_put(&out, 7, NULL, version);
    ck_assert(gjkd_tick_message_read((proto_text){out.data, out.length}, &message));
    ck_assert(!gjkd_poses_apply(&message.poses, nodes[1].shown, &to, &problem)); /* another place */
    ck_assert(!gjkd_poses_apply(&message.poses, version, &to, &problem));        /* no newer */
    take_record(&nodes[1]);
    ck_assert(gjkd_poses_apply(&message.poses, nodes[1].shown, &to, &problem));
    check_newest(version, to);
    gjk_tick newest;
    ck_assert(gjk_history_find(to->history, 3, &newest) && newest.after_gap);
    ck_assert_uint_eq(gjkd_ticks_find(to->history, 3)->digest.bytes[0], 3);
    ck_assert(gjkd_version_ticks(to).pose_gap && !gjkd_version_ticks(version).pose_gap);
    gjkd_version_release(to);
    let_go();
}

TEST(a_snapshot_keeps_the_ticks_that_the_log_has) {
    rng = test_rng_make(7);
    const struct gjkd_version *version = told();
    struct gjkd_registry *none = gjkd_registry_new(1);
    struct gjkd_version *before = NULL;
    struct proto_buffer out;
    proto_buffer_init(&out, &arena);
    gjkd_record_put_set(&out, version);
    proto_text text = {out.data, out.length};
    while (text.length > 0) {
        gjkd_applied applied;
        struct proto_problem problem = {0};
        ck_assert_msg(gjkd_record_apply(&text, 0, before, none, &limits, &applied, &problem), "%s",
                      problem.detail);
        gjkd_version_release(applied.from);
        gjkd_version_release(before);
        before = applied.to;
    }
    if (before == NULL) {
        ck_abort();
        return;
    }
    /* Those that were told come by themselves. */
    ck_assert_uint_eq(gjkd_version_ticks_end(before), 2);
    ck_assert_uint_eq(gjkd_ticks_find(before->history, 1)->digest.bytes[0], 1);
    ck_assert(!gjkd_version_ticks(before).pose_gap);
    take_record(&nodes[1]);
    check_newest(before, nodes[1].shown);
    gjkd_version_release(before);
    gjkd_registry_free(none);
    let_go();
}
