/*
 * Optimistic concurrency on immutable versions: under the writer lock of the name, check the
 * preconditions against the current version, build the next one from it, and swap. Writers of one
 * set are therefore serialised: revisions rise (by one, where no cluster's log numbers them), and each
 * handle is given once.
 */

#include "sets/commit.h"

#include "sets/version_edit.h"
#include "work/memory.h"

#include <inttypes.h>
#include <malloc.h>
#include <string.h>

/* A write that frees at least this much returns memory to the system, which malloc does not do by
 * itself for small blocks. That takes some milliseconds for 100 MB. */
#define GIVE_BACK_BYTES (UINT64_C(16) << 20)

/* Interval at which a waiting writer checks that the storage still accepts writes. */
#define LOCK_STEP_MS 50

/* --- Refusals --- */

static bool refuse_missing(const gjkd_write *write) {
    return proto_problem_set(write->problem, PROTO_SET_NOT_FOUND, "there is no set \"%.160s\"",
                             write->name);
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

/* --- Preconditions --- */

/* Sets the problem of a failed precondition. Returns false. */
static bool refuse_condition(const gjkd_write *write, const struct gjkd_version *current,
                             const char *shape, bool is_there) {
    struct proto_problem *problem = write->problem;
    const char *verb = !is_there                 ? "is not there"
                       : write->if_match != NULL ? "is not at the revision of If-Match"
                                                 : "is there already";
    if (shape != NULL) {
        proto_problem_set(problem, PROTO_REVISION_MISMATCH,
                          "the shape \"%.140s\" of the set \"%.128s\" %s", shape, write->name,
                          verb);
    } else {
        proto_problem_set(problem, PROTO_REVISION_MISMATCH, "the set \"%.128s\" %s", write->name,
                          verb);
    }
    problem->revision = current != NULL ? current->revision : 0;
    return proto_problem_hint(problem, "%s",
                              is_there
                                  ? "GET it again, merge, and retry with the ETag of that answer"
                                  : "leave If-Match out to make it");
}

/*
 * Checks the preconditions against the current version (NULL: there is no set) or, if shape is not
 * NULL, against that shape, which need not exist.
 */
static bool check_conditions(const gjkd_write *write, const struct gjkd_version *current,
                             const char *shape) {
    char tag[GJKD_ETAG_MAX];
    const char *resource = NULL;
    const gjk_body *body =
        current != NULL && shape != NULL ? gjk_set_find(current->set, shape) : NULL;
    if (body != NULL) {
        gjkd_shape_etag(current, body, tag);
        resource = tag;
    } else if (current != NULL && shape == NULL) {
        gjkd_version_etag(current, tag);
        resource = tag;
    }
    const gjkd_precondition result =
        gjkd_precondition_check(write->if_match, write->if_none_match, resource, false);
    const bool is_left = resource == NULL && write->refuses_missing; /* the deriver refuses */
    if (result == GJKD_PROCEED || (result == GJKD_PRECONDITION_FAILED && is_left)) {
        return true;
    }
    if (result == GJKD_PRECONDITION_UNCLEAR) {
        return proto_problem_set(write->problem, PROTO_BAD_REQUEST,
                                 "If-Match or If-None-Match holds no entity tags");
    }
    if (write->etag != NULL && resource != NULL) {
        memcpy(write->etag, tag, sizeof tag);
    }
    return refuse_condition(write, current, shape, resource != NULL);
}

/* --- Whole sets --- */

static void release_and_trim(void *version) {
    gjkd_version_release(version);
    malloc_trim(0);
}

/* Releases the version that `next` (NULL: the set is deleted) has replaced. */
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

/* --- Transactions --- */

/* The result of a judge: the version to be stored. */
struct judged {
    struct gjkd_version *next; /* the next version, one reference; NULL: the set is deleted */
    const gjkd_stamp *stamp;   /* set if it is a tick; else NULL */
    gjkd_stamp own;            /* memory for `stamp` */
    bool is_whole;             /* `next` shares nothing with the current version */
};

/* Decides about a write, given the current version (NULL: there is no set). GJKD_REFUSED: the
 * problem is set. GJKD_REPEATED: nothing changes. GJKD_CHANGED: *out is to be stored. */
typedef gjkd_outcome judge_fn(const gjkd_write *write, void *user, struct gjkd_version *current,
                              struct judged *out);

static bool has_room(const gjkd_write *write, bool is_tick) {
    struct gjkd_storage *storage = write->storage;
    return storage->has_room == NULL || storage->has_room(storage, is_tick, write->problem);
}

/* Takes the writer lock of the name. Another write may hold it while a remote storage is
 * unreachable. Returns false, without the lock, if the write is refused. */
static bool lock_writer(const gjkd_write *write) {
    struct gjkd_registry *newest = write->storage->newest;
    if (!write->storage->is_remote) {
        gjkd_registry_lock_writer(newest, write->name);
        return true;
    }
    while (!gjkd_registry_try_lock_writer(newest, write->name, LOCK_STEP_MS)) {
        if (!has_room(write, false)) {
            return false;
        }
        if (gjk_budget_ask(write->budget)) {
            return proto_problem_set(write->problem, PROTO_DEADLINE_EXCEEDED,
                                     "time was up before the write was made; nothing has changed");
        }
    }
    return true;
}

/* Commits the judge's result to the storage. */
static gjkd_verdict commit_judged(const gjkd_write *write, struct gjkd_version *current,
                                  const struct judged *judged) {
    const gjkd_proposal proposal = {.name = write->name,
                                    .from = current,
                                    .to = judged->next,
                                    .is_whole = judged->is_whole,
                                    .stamp = judged->stamp,
                                    .change = write->change};
    return write->storage->commit(write->storage, &proposal, write->budget, write->problem);
}

/* Makes one attempt: locks, reads, judges and commits. GJKD_CONFLICT: the caller has to retry. */
static gjkd_verdict try_once(const gjkd_write *write, judge_fn *judge, void *user,
                             gjkd_outcome *outcome, struct gjkd_version **out) {
    struct gjkd_storage *storage = write->storage;
    struct judged judged = {.next = NULL};
    gjkd_verdict verdict = GJKD_DECLINED;
    *outcome = GJKD_REFUSED;
    if (!lock_writer(write)) {
        return verdict;
    }
    struct gjkd_version *current = gjkd_registry_get(storage->newest, write->name);
    const uint64_t seen = current != NULL ? gjkd_version_seq(current) : 0;
    const gjkd_outcome judgement = judge(write, user, current, &judged);
    if (judgement != GJKD_REFUSED) {
        verdict = commit_judged(write, current, &judged);
    }
    gjkd_registry_unlock_writer(storage->newest, write->name);
    const proto_code code = write->problem->code;
    const bool depends_on_set = judgement == GJKD_REFUSED && code != PROTO_OUT_OF_MEMORY &&
                                code != PROTO_DEADLINE_EXCEEDED && code != PROTO_NOT_READY;
    if (depends_on_set && storage->confirm != NULL) {
        struct proto_problem problem = {.code = PROTO_OK};
        verdict =
            storage->confirm(storage, write->name, seen, write->if_match, write->budget, &problem);
        if (verdict == GJKD_DECLINED) {
            *write->problem = problem;
        }
    }
    if (write->etag != NULL && write->problem->code != PROTO_REVISION_MISMATCH) {
        write->etag[0] = '\0'; /* set by an earlier attempt */
    }
    if (judgement != GJKD_REFUSED && verdict == GJKD_ACCEPTED) {
        *outcome = judgement == GJKD_CHANGED && current == NULL ? GJKD_CREATED : judgement;
        *out = judged.next;
        retire(current, judged.next);
    } else {
        gjkd_version_release(judged.next);
        gjkd_version_release(current);
    }
    return verdict;
}

/*
 * Retries a write until the storage has committed the judge's result for the newest version, or has
 * confirmed the version for which the write was refused. is_for_once: the judge is not called
 * twice; the outcome is GJKD_OVERTAKEN instead. *out: the version after the write, retained; NULL
 * after a deletion.
 */
static gjkd_outcome transact(const gjkd_write *write, judge_fn *judge, void *user, bool is_for_once,
                             struct gjkd_version **out) {
    gjkd_outcome outcome;
    while (try_once(write, judge, user, &outcome, out) == GJKD_CONFLICT) {
        write->problem->code = PROTO_OK;
        if (is_for_once) {
            return GJKD_OVERTAKEN;
        }
    }
    return outcome;
}

/* --- Whole sets --- */

static gjkd_outcome judge_put(const gjkd_write *write, void *user, struct gjkd_version *current,
                              struct judged *out) {
    const proto_set *body = user;
    if (!has_room(write, false) || !check_conditions(write, current, NULL)) {
        return GJKD_REFUSED;
    }
    if (current != NULL && current->dimension != body->dimension) {
        proto_problem_set(write->problem, PROTO_DIMENSION_MISMATCH,
                          "the set that is stored has another dimension; delete it first");
        proto_problem_point(write->problem, "/dimension");
        return GJKD_REFUSED;
    }
    const gjk_status status =
        gjkd_version_new(write->name, body, current, write->budget, &out->next);
    if (status != GJK_OK) {
        (void)refuse_build(write, status);
        return GJKD_REFUSED;
    }
    out->is_whole = true;
    return GJKD_CHANGED;
}

gjkd_outcome gjkd_commit_put(const gjkd_write *write, const proto_set *body,
                             struct gjkd_version **out) {
    return transact(write, judge_put, (void *)(uintptr_t)body, false, out);
}

static gjkd_outcome judge_deletion(const gjkd_write *write, void *user,
                                   struct gjkd_version *current, struct judged *out) {
    (void)user;
    (void)out;
    const bool is_fine =
        has_room(write, false) &&
        (current != NULL ? check_conditions(write, current, NULL) : refuse_missing(write));
    return is_fine ? GJKD_CHANGED : GJKD_REFUSED;
}

bool gjkd_commit_delete(const gjkd_write *write) {
    struct gjkd_version *none = NULL;
    return transact(write, judge_deletion, NULL, false, &none) != GJKD_REFUSED;
}

/* --- Edits and ticks --- */

struct edit {
    const char *shape;       /* id of the only shape that is written, or NULL */
    const gjkd_stamp *stamp; /* NULL: not a tick */
    const gjkd_deriver *deriver;
};

static gjkd_outcome derive(const gjkd_write *write, const struct edit *edit,
                           struct gjkd_version *current, struct judged *out) {
    proto_edits edits;
    if (edit->stamp != NULL) {
        out->own = *edit->stamp;
        out->own.after_gap =
            gjkd_version_ticks_end(current) > 0 && gjkd_version_may_lack_ticks(current);
        out->stamp = &out->own;
    }
    if (!has_room(write, edit->stamp != NULL) ||
        !edit->deriver->derive(edit->deriver->user, current, &edits, write->problem)) {
        return GJKD_REFUSED;
    }
    const gjk_status status =
        gjkd_version_edit(current, &edits, out->stamp, write->budget, &out->next);
    if (status != GJK_OK) {
        (void)refuse_build(write, status);
        return GJKD_REFUSED;
    }
    return GJKD_CHANGED;
}

static bool refuse_tick(const gjkd_write *write, const struct gjkd_version *current,
                        uint64_t tick) {
    if (current->history == NULL) {
        return gjkd_refuse_without_ticks(current, PROTO_TICK_CONFLICT, write->problem);
    }
    const uint64_t newest = gjk_history_newest(current->history);
    proto_problem_set(write->problem, PROTO_TICK_CONFLICT,
                      "tick %" PRIu64
                      " is not above the newest tick of the set \"%.128s\", %" PRIu64,
                      tick, write->name, newest);
    return proto_problem_hint(write->problem,
                              "PUT a tick above %" PRIu64
                              "; a tick that is kept can be repeated with the same bytes",
                              newest);
}

static gjkd_outcome judge_edit(const gjkd_write *write, void *user, struct gjkd_version *current,
                               struct judged *out) {
    const struct edit *edit = user;
    const gjkd_stamp *stamp = edit->stamp;
    if (current == NULL) {
        (void)refuse_missing(write);
        return GJKD_REFUSED;
    }
    const struct gjk_history *history = current->history;
    bool follows = stamp == NULL;
    if (stamp != NULL) {
        const gjkd_tick *kept = gjkd_ticks_find(history, stamp->tick);
        if (kept != NULL && memcmp(&kept->digest, &stamp->digest, sizeof stamp->digest) == 0) {
            out->next = gjkd_version_retain(current);
            return GJKD_REPEATED;
        }
        follows = history != NULL &&
                  (gjk_history_count(history) == 0 || stamp->tick > gjk_history_newest(history));
    }
    const bool is_allowed = check_conditions(write, current, edit->shape) &&
                            (follows || refuse_tick(write, current, stamp->tick));
    return is_allowed ? derive(write, edit, current, out) : GJKD_REFUSED;
}

gjkd_outcome gjkd_commit_edit(const gjkd_write *write, const char *shape, const gjkd_stamp *stamp,
                              const gjkd_deriver *deriver, struct gjkd_version **out) {
    struct edit edit = {shape, stamp, deriver};
    return transact(write, judge_edit, &edit, deriver->is_for_once, out);
}
