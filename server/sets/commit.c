/*
 * Optimistic concurrency on immutable versions: under the writer lock of the name, check the
 * preconditions against the current version, build the next one from it, and swap. Writers of one
 * set are therefore serialised: revisions are consecutive, and each handle is given once.
 */

#include "sets/commit.h"

#include "sets/delta.h"
#include "sets/version_shared.h"
#include "work/deferred_free.h"

#include <inttypes.h>
#include <malloc.h>
#include <string.h>

/* A write that frees so much returns the memory to the system, which malloc does not do by itself
 * for small blocks. That takes some milliseconds for 100 MB. */
#define GIVE_BACK_BYTES (UINT64_C(16) << 20)

/* How long a writer in a cluster waits for another one of the set before it looks whether the log
 * can still be written. */
#define LOCK_STEP_MS 50

/* --- Refusals --- */

static bool refuse_missing(const gjkd_write *write) {
    return proto_problem_set(write->problem, PROTO_SET_NOT_FOUND, "there is no set \"%.160s\"",
                             write->name);
}

static bool refuse_dimension(const gjkd_write *write) {
    proto_problem_set(write->problem, PROTO_DIMENSION_MISMATCH,
                      "the set that is stored has another dimension; delete it first");
    return proto_problem_point(write->problem, "/dimension");
}

static bool refuse_build(const gjkd_write *write, gjk_status status) {
    if (status == GJK_OUT_OF_RANGE) {
        return proto_problem_set(write->problem, PROTO_TOO_MANY,
                                 "the set has given out every handle; delete it and make it again");
    }
    if (status == GJK_GIVEN_UP) {
        return proto_problem_set(write->problem, PROTO_DEADLINE_EXCEEDED,
                                 "time was up before the set was made; nothing has changed");
    }
    return proto_problem_set(write->problem, PROTO_OUT_OF_MEMORY,
                             "there is no memory for the set: see --max-memory");
}

static bool refuse_put(const gjkd_write *write, gjkd_put_status status) {
    if (status == GJKD_PUT_FULL) {
        proto_problem_set(write->problem, PROTO_TOO_MANY, "there are as many sets as there may be");
        return proto_problem_limit(write->problem, gjkd_registry_sets_max(write->registry));
    }
    return proto_problem_set(write->problem, PROTO_OUT_OF_MEMORY,
                             "all sets together would need more memory than --max-memory allows");
}

/* --- The store --- */

static const struct gjkd_log *log_of(const gjkd_write *write) {
    return write->store != NULL ? write->store->log : NULL;
}

static bool refuse_away(const gjkd_write *write) {
    return proto_problem_set(write->problem, PROTO_NOT_READY,
                             "the cluster's log cannot be written now; nothing has changed");
}

/* Asked before anything is made. */
static bool may_be_stored(const gjkd_write *write) {
    if (write->store == NULL || write->store->has_room(write->store)) {
        return true;
    }
    return log_of(write) != NULL ? refuse_away(write)
                                 : proto_problem_set(write->problem, PROTO_OVERLOADED,
                                                     "too many writes wait for the disk already");
}

static bool refuse_late(const gjkd_write *write) {
    return proto_problem_set(write->problem, PROTO_DEADLINE_EXCEEDED,
                             "time was up before the write was made; nothing has changed");
}

/*
 * Takes the writer lock of the name. In a cluster another write may hold it as long as nobody knows
 * whether the log has that one: where the log cannot be written, whoever comes after it is refused
 * without waiting for that. False: refused, and the lock is not held.
 */
static bool lock(const gjkd_write *write) {
    if (log_of(write) == NULL) {
        gjkd_registry_lock_writer(write->registry, write->name);
        return true;
    }
    while (!gjkd_registry_try_lock_writer(write->registry, write->name, LOCK_STEP_MS)) {
        if (!may_be_stored(write)) {
            return false;
        }
        if (gjk_budget_ask(write->budget)) {
            return refuse_late(write);
        }
    }
    return true;
}

static void unlock(const gjkd_write *write) {
    gjkd_registry_unlock_writer(write->registry, write->name);
}

static void note_in_memory(const gjkd_write *write) {
    if (write->change != NULL) {
        write->change->durability = GJKD_IN_MEMORY;
    }
}

static void submit(const gjkd_write *write, struct gjkd_version *from, struct gjkd_version *to) {
    struct gjkd_change *change = write->change;
    change->from = from != NULL ? gjkd_version_retain(from) : NULL;
    change->to = to != NULL ? gjkd_version_retain(to) : NULL;
    change->name = (to != NULL ? to : from)->name;
    change->is_submitted = true;
    write->store->submit(write->store, change);
}

/* Do readers see the version, so that no change before it waits for the store? */
static bool is_shown(const gjkd_write *write, const struct gjkd_version *version) {
    struct gjkd_version *shown = gjkd_registry_get(write->store->shown, version->name);
    gjkd_version_release(shown);
    return shown == version;
}

/*
 * Hands the change to the store. A tick, which nobody promises to keep, is shown at once, unless it
 * follows a change that is not stored yet or takes a revision that the store does not know of.
 */
static void keep(const gjkd_write *write, struct gjkd_version *from, struct gjkd_version *to,
                 bool is_tick) {
    if (write->store == NULL) {
        gjkd_delta_tell(from, to);
        note_in_memory(write);
    } else if (is_tick && from->revision_bound == to->revision_bound && is_shown(write, from)) {
        gjkd_registry_set(write->store->shown, to->name, to);
        gjkd_delta_tell(from, to);
        note_in_memory(write);
    } else {
        submit(write, from, to);
    }
}

/* --- The log of a cluster --- */

/* Proposes that `to` comes after `from`. False: it did not, with a problem or PROTO_OK where the
 * write is to be judged again. */
static bool propose(const gjkd_write *write, const gjkd_proposal *proposal) {
    switch (log_of(write)->propose(write->store, proposal, write->budget)) {
    case GJKD_KEPT:
        if (write->change != NULL) {
            write->change->durability = GJKD_IN_QUORUM;
        }
        return true;
    case GJKD_TOLD:
        note_in_memory(write);
        return true;
    case GJKD_OUTRUN:
        write->problem->code = PROTO_OK;
        return false;
    case GJKD_AWAY:
        return refuse_away(write);
    case GJKD_LATE:
        return refuse_late(write);
    case GJKD_UNCLEAR:
        break;
    }
    return proto_problem_set(
        write->problem, PROTO_DEADLINE_EXCEEDED,
        "time was up before the cluster said whether it has the write: GET the "
        "set and compare its ETag with the one from before");
}

/* The newest version, retained, and its moment; 0: there is none. */
static struct gjkd_version *look(const gjkd_write *write, uint64_t *seen) {
    struct gjkd_version *current = gjkd_registry_get(write->registry, write->name);
    *seen = current != NULL ? gjkd_version_moment(current) : 0;
    return current;
}

/* Returns true if another state of the set may come to another refusal. */
static bool depends_on_set(proto_code code) {
    return code != PROTO_OUT_OF_MEMORY && code != PROTO_DEADLINE_EXCEEDED &&
           code != PROTO_NOT_READY;
}

/*
 * Returns true if the write is to be judged again: the version that it was judged by, of that
 * moment, is not the newest. A refusal that stands has its problem.
 */
static bool is_to_repeat(const gjkd_write *write, gjkd_outcome outcome, uint64_t seen) {
    if (log_of(write) == NULL || outcome != GJKD_REFUSED) {
        return false;
    }
    if (write->problem->code == PROTO_OK) {
        return true;
    }
    if (!depends_on_set(write->problem->code)) {
        return false;
    }
    switch (write->store->log->confirm(write->store, write->name, seen, write->if_match,
                                       write->budget)) {
    case GJKD_KEPT:
        return false;
    case GJKD_OUTRUN:
        write->problem->code = PROTO_OK;
        return true;
    case GJKD_AWAY:
        return refuse_away(write);
    case GJKD_TOLD: /* of ticks only */
    case GJKD_LATE:
    case GJKD_UNCLEAR:
        break;
    }
    return proto_problem_set(write->problem, PROTO_DEADLINE_EXCEEDED,
                             "time was up before it was certain what the set is; nothing has "
                             "changed");
}

/* --- Preconditions --- */

static bool is_any(const char *tags) {
    return tags != NULL && tags[strspn(tags, " \t")] == '*';
}

/*
 * Checks the preconditions against the current version (NULL: there is no set). A shape's entity
 * tag is that of its set; only * asks for the existence of the shape itself.
 */
static bool check(const gjkd_write *write, const struct gjkd_version *current, const char *shape) {
    char tag[GJKD_ETAG_MAX];
    const char *set = NULL, *resource = NULL;
    if (current != NULL) {
        gjkd_version_etag(current, tag);
        set = tag;
        resource = shape == NULL || gjk_set_find(current->set, shape) != NULL ? tag : NULL;
    }
    const bool asks_for_shape = is_any(write->if_match) && !write->refuses_missing;
    gjkd_precondition result =
        gjkd_precondition_check(write->if_match, NULL, asks_for_shape ? resource : set, false);
    if (result == GJKD_PROCEED) {
        result = gjkd_precondition_check(NULL, write->if_none_match,
                                         is_any(write->if_none_match) ? resource : set, false);
    }
    if (result == GJKD_PROCEED) {
        return true;
    }
    if (result == GJKD_PRECONDITION_UNCLEAR) {
        return proto_problem_set(write->problem, PROTO_BAD_REQUEST,
                                 "If-Match or If-None-Match holds no entity tags");
    }
    return proto_problem_set(write->problem, PROTO_REVISION_MISMATCH, "%s",
                             write->if_match != NULL ? "the set is not at the revision of If-Match"
                             : shape != NULL         ? "the shape exists already"
                                                     : "the set exists already");
}

/* --- Whole sets --- */

static void release_and_trim(void *version) {
    gjkd_version_release(version);
    malloc_trim(0);
}

/* Releases the version that `next` (NULL: none) has replaced as the current one. */
static void retire(struct gjkd_version *current, const struct gjkd_version *next) {
    uint64_t before = current != NULL ? current->bytes : 0;
    uint64_t after = next != NULL ? next->bytes : 0;
    uint64_t freed = before > after ? before - after : 0;
    if (freed >= GIVE_BACK_BYTES) {
        gjkd_deferred_free(current, freed, release_and_trim);
    } else {
        gjkd_version_release_part(current, freed); /* an edit's version shares the rest */
    }
}

/* Makes next, which follows current, the newest. stamp: NULL, or that of the tick that it is. */
static gjkd_outcome swap(const gjkd_write *write, struct gjkd_version *current,
                         struct gjkd_version *next, const gjkd_stamp *stamp, bool is_whole,
                         struct gjkd_version **out) {
    const gjkd_proposal proposal = {write->name, current, next, is_whole, stamp, false};
    const bool has_log = log_of(write) != NULL;
    gjkd_put_status status = has_log ? gjkd_registry_ask(write->registry, next)
                                     : gjkd_registry_put(write->registry, next);
    if (status != GJKD_PUT_OK || (has_log && !propose(write, &proposal))) {
        gjkd_version_release(next);
        if (status != GJKD_PUT_OK) {
            (void)refuse_put(write, status);
        }
        return GJKD_REFUSED;
    }
    if (!has_log) {
        keep(write, current, next, stamp != NULL);
    }
    *out = next;
    return current != NULL ? GJKD_CHANGED : GJKD_CREATED;
}

static gjkd_outcome put(const gjkd_write *write, const proto_set *body,
                        struct gjkd_version *current, struct gjkd_version **out) {
    if (!may_be_stored(write) || !check(write, current, NULL) ||
        (current != NULL && current->dimension != body->dimension && !refuse_dimension(write))) {
        return GJKD_REFUSED;
    }
    struct gjkd_version *next = NULL;
    gjk_status status = gjkd_version_new(write->name, body, current, write->budget, &next);
    if (status != GJK_OK) {
        (void)refuse_build(write, status);
        return GJKD_REFUSED;
    }
    return swap(write, current, next, NULL, true, out);
}

static gjkd_outcome try_put(const gjkd_write *write, const proto_set *body,
                            struct gjkd_version **out, uint64_t *seen) {
    if (!lock(write)) {
        return GJKD_REFUSED;
    }
    struct gjkd_version *current = look(write, seen);
    const gjkd_outcome outcome = put(write, body, current, out);
    unlock(write);
    retire(current, outcome == GJKD_REFUSED ? current : *out);
    return outcome;
}

gjkd_outcome gjkd_commit_put(const gjkd_write *write, const proto_set *body,
                             struct gjkd_version **out) {
    gjkd_outcome outcome;
    uint64_t seen = 0;
    do {
        outcome = try_put(write, body, out, &seen);
    } while (is_to_repeat(write, outcome, seen));
    return outcome;
}

/* Takes the set out. */
static bool remove_set(const gjkd_write *write, struct gjkd_version *current) {
    if (log_of(write) != NULL) {
        return propose(write, &(gjkd_proposal){.name = write->name, .from = current});
    }
    gjkd_registry_set(write->registry, write->name, NULL);
    keep(write, current, NULL, false);
    return true;
}

static bool try_delete(const gjkd_write *write, uint64_t *seen) {
    if (!lock(write)) {
        return false;
    }
    struct gjkd_version *current = look(write, seen);
    const bool is_gone = may_be_stored(write) &&
                         (current != NULL ? check(write, current, NULL) : refuse_missing(write)) &&
                         remove_set(write, current);
    unlock(write);
    retire(current, is_gone ? NULL : current);
    return is_gone;
}

bool gjkd_commit_delete(const gjkd_write *write) {
    bool is_gone;
    uint64_t seen = 0;
    do {
        is_gone = try_delete(write, &seen);
    } while (is_to_repeat(write, is_gone ? GJKD_CHANGED : GJKD_REFUSED, seen));
    return is_gone;
}

/* --- Edits --- */

/* Replaces the current version by an edited one. The caller holds the writer lock. */
static gjkd_outcome edit(const gjkd_write *write, struct gjkd_version *current,
                         const gjkd_stamp *stamp, const gjkd_deriver *deriver,
                         struct gjkd_version **out) {
    proto_edits edits;
    struct gjkd_version *next = NULL;
    gjkd_stamp own;
    if (stamp != NULL) {
        own = *stamp;
        own.after_gap = gjkd_version_ticks_end(current) > 0 && gjkd_version_may_lack_ticks(current);
        stamp = &own;
    }
    if (!may_be_stored(write) || !deriver->derive(deriver->user, current, &edits, write->problem)) {
        return GJKD_REFUSED;
    }
    gjk_status status = gjkd_version_edit(current, &edits, stamp, write->budget, &next);
    if (status != GJK_OK) {
        (void)refuse_build(write, status);
        return GJKD_REFUSED;
    }
    return swap(write, current, next, stamp, false, out);
}

/* Of writers that read their edits out of a text only once. */
static gjkd_outcome leave(const gjkd_deriver *deriver, bool is_to_repeat) {
    return is_to_repeat && deriver->is_for_once ? GJKD_OVERTAKEN : GJKD_REFUSED;
}

static gjkd_outcome try_edit(const gjkd_write *write, const char *shape,
                             const gjkd_deriver *deriver, struct gjkd_version **out,
                             uint64_t *seen) {
    gjkd_outcome outcome = GJKD_REFUSED;
    if (!lock(write)) {
        return outcome;
    }
    struct gjkd_version *current = look(write, seen);
    bool is_allowed = current != NULL ? check(write, current, shape) : refuse_missing(write);
    if (is_allowed) {
        outcome = edit(write, current, NULL, deriver, out);
    }
    unlock(write);
    retire(current, outcome == GJKD_REFUSED ? current : *out);
    return outcome;
}

gjkd_outcome gjkd_commit_edit(const gjkd_write *write, const char *shape,
                              const gjkd_deriver *deriver, struct gjkd_version **out) {
    gjkd_outcome outcome;
    uint64_t seen = 0;
    bool repeats;
    do {
        outcome = try_edit(write, shape, deriver, out, &seen);
        repeats = is_to_repeat(write, outcome, seen);
    } while (repeats && !deriver->is_for_once);
    return outcome == GJKD_REFUSED ? leave(deriver, repeats) : outcome;
}

/* --- Ticks --- */

static bool refuse_tick(const gjkd_write *write, const struct gjkd_version *current,
                        uint64_t tick) {
    if (current->history == NULL) {
        return proto_problem_set(write->problem, PROTO_TICK_CONFLICT,
                                 "the set keeps no ticks: give it a \"history\"");
    }
    return proto_problem_set(write->problem, PROTO_TICK_CONFLICT,
                             "tick %" PRIu64 " is not above the newest, %" PRIu64, tick,
                             gjk_history_newest(current->history));
}

static bool follows(const struct gjkd_version *current, uint64_t tick) {
    const struct gjk_history *history = current->history;
    return history != NULL &&
           (gjk_history_count(history) == 0 || tick > gjk_history_newest(history));
}

static bool is_repeated(const struct gjkd_version *current, const gjkd_stamp *stamp) {
    const gjkd_tick *kept = gjkd_ticks_find(current->history, stamp->tick);
    return kept != NULL && memcmp(&kept->digest, &stamp->digest, sizeof stamp->digest) == 0;
}

/* Answers from the version that is there, once readers see it. */
static gjkd_outcome repeat(const gjkd_write *write, struct gjkd_version *current,
                           struct gjkd_version **out) {
    if (write->store != NULL && log_of(write) == NULL && !is_shown(write, current)) {
        submit(write, current, current);
    } else {
        note_in_memory(write);
    }
    *out = gjkd_version_retain(current);
    return GJKD_REPEATED;
}

static gjkd_outcome try_tick(const gjkd_write *write, const gjkd_stamp *stamp,
                             const gjkd_deriver *deriver, struct gjkd_version **out,
                             uint64_t *seen) {
    gjkd_outcome outcome = GJKD_REFUSED;
    if (!lock(write)) {
        return outcome;
    }
    struct gjkd_version *current = look(write, seen);
    if (current == NULL) {
        (void)refuse_missing(write);
    } else if (is_repeated(current, stamp)) {
        outcome = repeat(write, current, out);
    } else if (check(write, current, NULL) &&
               (follows(current, stamp->tick) || refuse_tick(write, current, stamp->tick))) {
        outcome = edit(write, current, stamp, deriver, out);
    }
    unlock(write);
    retire(current, outcome == GJKD_REFUSED ? current : *out);
    return outcome;
}

gjkd_outcome gjkd_commit_tick(const gjkd_write *write, const gjkd_stamp *stamp,
                              const gjkd_deriver *deriver, struct gjkd_version **out) {
    gjkd_outcome outcome;
    uint64_t seen = 0;
    bool repeats;
    do {
        outcome = try_tick(write, stamp, deriver, out, &seen);
        repeats = is_to_repeat(write, outcome, seen);
    } while (repeats && !deriver->is_for_once);
    return outcome == GJKD_REFUSED ? leave(deriver, repeats) : outcome;
}
