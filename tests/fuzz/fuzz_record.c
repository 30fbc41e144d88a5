/*
 * Can a message of the log, or a snapshot, of any content do harm to a node that has sets already?
 * And is what it takes told on as the same: as the change that it was, and as a snapshot? The
 * input: a byte, odd for a snapshot, whose changes make one version after the other, even for a
 * message, whose changes are numbered and of sets that are there; then the message. Its changes are
 * what stands behind the head, though that says that they are in pieces.
 *
 * A snapshot can always be told and read, and makes the state that the log has of the set. It is
 * told again in the same words exactly where is_told_exactly says so, and from the second time on
 * always. A change makes the same version again where is_told_by_versions says so: what a message
 * has beside the two versions (poses, the ticks that its writer had, doubts) may not have made a
 * difference. And a node that has the set from a snapshot, without the ticks beside the log, makes
 * the same state of a change.
 */

#include "fuzz.h"

#include <string.h>

#include "cluster/record.h"
#include "record_sets.h"
#include "sets/kept_ticks.h"
#include "sets/version.h"
#include "sets/version_edit.h"

#define WHOLE 1 /* the kind of a change that tells all shapes */
#define PLACE 1 /* of a message in the log, which begins with 1 */

static struct gjkd_registry *present, *empty;
static proto_limits limits;

/* The version that changes of one set, of which `before` is there, come to. */
static struct gjkd_version *apply_all(proto_text text, struct gjkd_version *before) {
    struct gjkd_version *version = before != NULL ? gjkd_version_retain(before) : NULL;
    while (text.length > 0) {
        gjkd_applied applied;
        struct proto_problem problem = {0};
        require(gjkd_record_apply(&text, PLACE, version, empty, &limits, &applied, &problem));
        gjkd_version_release(applied.from);
        gjkd_version_release(version);
        version = applied.to;
    }
    return version;
}

static proto_text tell_set(const struct gjkd_version *version, struct gjk_arena *arena) {
    struct proto_buffer out;
    proto_buffer_init(&out, arena);
    gjkd_record_put_set(&out, version);
    require(!out.failed);
    return (proto_text){out.data, out.length};
}

static bool is_same(proto_text a, proto_text b) {
    return a.length == b.length && memcmp(a.data, b.data, a.length) == 0;
}

static uint32_t ticks_of(const struct gjkd_version *version) {
    return version != NULL && version->history != NULL ? gjk_history_count(version->history) : 0;
}

static uint64_t ticks_end_of(const struct gjkd_version *version) {
    return version != NULL ? gjkd_version_ticks_end(version) : 0;
}

/* All that the log has of a set but its ticks. */
static proto_text tell_state(const struct gjkd_version *version, struct gjk_arena *arena) {
    struct gjkd_version logged = *version;
    const gjkd_proposal proposal = {.name = version->name, .to = &logged, .is_whole = true};
    struct proto_buffer out;
    logged.set = gjkd_version_base_set(version);
    proto_buffer_init(&out, arena);
    gjkd_record_put(&out, &proposal);
    require(!out.failed);
    return (proto_text){out.data, out.length};
}

/*
 * Does a snapshot of the set tell what it tells again once it was read? Who reads it marks the
 * newest tick that the log has as lost, if this node does not keep it: so the newest tick that is
 * told has to be that one, or the log has none. And who reads an edit after a tick of another node
 * doubts that it has all ticks: so the newest tick has to be all that the log has, or the doubt is
 * there already, or the revision says that what the log has is no tick.
 */
static bool is_told_exactly(const struct gjkd_version *version) {
    const uint64_t end = gjkd_version_base_ticks(version);
    uint32_t count = ticks_of(version);
    while (count > 0 && gjk_history_tick(version->history, count - 1).number >= end) {
        count--;
    }
    if (count == 0) {
        return end == 0;
    }
    const gjk_tick newest = gjk_history_tick(version->history, count - 1);
    return newest.number + 1 == end &&
           (newest.set == gjkd_version_base_set(version) || version->unlogged.doubts ||
            version->order == version->revision);
}

static bool is_same_tick(const gjk_tick *a, const gjk_tick *b) {
    const gjkd_tick *p = a->note, *q = b->note;
    return a->number == b->number && a->after_gap == b->after_gap &&
           a->is_missing == b->is_missing &&
           memcmp(p->digest.bytes, q->digest.bytes, sizeof p->digest.bytes) == 0;
}

/* The ticks that the log has come back, as far as they are kept. */
static void check_ticks(const struct gjkd_version *version, const struct gjkd_version *back) {
    const uint64_t end = gjkd_version_base_ticks(version);
    for (uint32_t i = 0; i < ticks_of(version); i++) {
        const gjk_tick tick = gjk_history_tick(version->history, i);
        gjk_tick again;
        if (tick.number >= end) {
            break;
        }
        require(gjk_history_find(back->history, tick.number, &again) &&
                is_same_tick(&tick, &again));
    }
}

static void check_snapshot(const struct gjkd_version *version, proto_text told,
                           struct gjk_arena *arena) {
    struct gjkd_version *back = apply_all(told, NULL);
    const proto_text again = tell_set(back, arena);
    struct gjkd_version *twice = apply_all(again, NULL);
    require(is_same(tell_state(version, arena), tell_state(back, arena)));
    require(is_same(told, again) == is_told_exactly(version));
    require(is_same(again, tell_set(twice, arena)));
    check_ticks(version, back);
    gjkd_version_release(back);
    gjkd_version_release(twice);
}

/* A node that has heard of no ticks beside the log takes the change: the log has the same state
 * there. What poses in the change lead to is the same only if all nodes have heard the same; there
 * they are lacking. */
static void check_newcomer(const gjkd_applied *applied, proto_text change,
                           struct gjk_arena *arena) {
    gjkd_applied other = {.to = NULL};
    struct proto_problem problem = {0};
    if (applied->from == NULL) {
        return;
    }
    struct gjkd_version *before = apply_all(tell_set(applied->from, arena), NULL);
    if (gjkd_record_apply(&change, PLACE, before, empty, &limits, &other, &problem)) {
        require(other.lacks_ticks ||
                is_same(tell_state(applied->to, arena), tell_state(other.to, arena)));
        gjkd_version_release(other.from);
        gjkd_version_release(other.to);
    }
    gjkd_version_release(before);
}

/* Are the ticks of `to`, but for so many new ones, those of `from`, of which only the oldest have
 * gone, and those only to make room? */
static bool keeps_ticks(const struct gjkd_version *from, const struct gjkd_version *to,
                        uint32_t fresh) {
    const uint32_t before = ticks_of(from), count = ticks_of(to), kept = count - fresh;
    bool is_kept = kept <= before && (kept == before || to->history == NULL ||
                                      count == gjk_history_ticks_max(to->history));
    for (uint32_t i = 0; i < kept && is_kept; i++) {
        const gjk_tick a = gjk_history_tick(from->history, before - kept + i);
        const gjk_tick b = gjk_history_tick(to->history, i);
        is_kept = a.set == b.set && is_same_tick(&a, &b);
    }
    return is_kept;
}

/*
 * Is a change all that lies between its two versions? The node has let go of no ticks but for want
 * of room, and got no more than one: ticks that it lacked would be others beside that of the
 * change. It has nothing beside the log after the change. And it doubts what it would doubt of the
 * change alone: nothing after a tick or a whole set, and what it doubted before after an edit.
 */
static bool is_told_by_versions(const gjkd_applied *applied, bool is_whole, bool is_tick) {
    const struct gjkd_version *from = applied->from, *to = applied->to;
    const bool doubts = !is_whole && !is_tick && gjkd_version_may_lack_ticks(from);
    return to->unlogged.base == NULL && (is_whole || keeps_ticks(from, to, is_tick)) &&
           to->unlogged.doubts == doubts;
}

static void check_change(const gjkd_applied *applied, bool is_whole, proto_text set,
                         struct gjk_arena *arena) {
    const struct gjkd_version *to = applied->to;
    const bool is_tick = ticks_end_of(to) > (is_whole ? 0 : ticks_end_of(applied->from));
    struct proto_buffer out;
    gjkd_stamp stamp = {.tick = 0};
    if (!is_told_by_versions(applied, is_whole, is_tick)) {
        return;
    }
    if (is_tick) {
        const gjk_tick newest = gjk_history_tick(to->history, ticks_of(to) - 1);
        const gjkd_tick *kept = newest.note;
        stamp = (gjkd_stamp){newest.number, kept->digest, newest.after_gap, newest.is_missing};
    }
    const gjkd_proposal proposal = {.name = applied->name,
                                    .from = applied->from,
                                    .to = applied->to,
                                    .is_whole = is_whole,
                                    .stamp = is_tick ? &stamp : NULL};
    proto_buffer_init(&out, arena);
    gjkd_record_put(&out, &proposal);
    require(!out.failed);
    struct gjkd_version *again = apply_all((proto_text){out.data, out.length}, applied->from);
    require(is_same(set, tell_set(again, arena)));
    gjkd_version_release(again);
}

static void check_applied(const gjkd_applied *applied, proto_text change, bool is_whole) {
    struct gjk_arena arena;
    if (applied->to == NULL) {
        return;
    }
    gjk_arena_init(&arena, 0);
    const proto_text set = tell_set(applied->to, &arena);
    check_snapshot(applied->to, set, &arena);
    check_change(applied, is_whole, set, &arena);
    check_newcomer(applied, change, &arena);
    gjk_arena_fini(&arena);
}

/* Takes so many changes, or all there are. */
static void take_changes(proto_text text, uint32_t most, bool is_snapshot) {
    struct gjkd_version *before = NULL;
    bool goes_on = true;
    for (uint32_t i = 0; i < most && text.length > 0 && goes_on; i++) {
        gjkd_applied applied = {.to = NULL};
        struct proto_problem problem = {0};
        const proto_text change = text;
        goes_on = gjkd_record_apply(&text, PLACE, before, present, &limits, &applied, &problem);
        if (!goes_on) {
            require(problem.code != PROTO_OK && problem.detail[0] != '\0');
            break;
        }
        check_applied(&applied, change, change.data[0] == WHOLE);
        gjkd_version_release(applied.from);
        gjkd_version_release(before);
        before = is_snapshot ? applied.to : NULL;
        if (!is_snapshot) {
            gjkd_version_release(applied.to);
        }
    }
    gjkd_version_release(before);
}

/* The sets that were made without a record have all that a record tells. */
static void check_present(void) {
    for (const char *name = "stu"; *name != '\0'; name++) {
        struct gjkd_version *version = gjkd_registry_get(present, (const char[]){*name, '\0'});
        struct gjk_arena arena;
        gjk_arena_init(&arena, 0);
        check_snapshot(version, tell_set(version, &arena), &arena);
        gjk_arena_fini(&arena);
        gjkd_version_release(version);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (present == NULL) {
        limits = proto_limits_default();
        present = record_sets();
        empty = gjkd_registry_new(1);
        require(empty != NULL);
        check_present();
    }
    if (size > 0) {
        const proto_text text = {(const char *)data + 1, size - 1};
        take_changes(text, UINT32_MAX, data[0] & 1);
    }
    return 0;
}
