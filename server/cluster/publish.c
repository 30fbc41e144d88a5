/*
 * Writers hand their proposals over and wait. The thread takes all that wait, leaves out those whose
 * set has changed meanwhile, and publishes the rest as one message, expected right behind what is
 * shown. What became of it is what the log says: the servers' answer, or else the message that
 * comes to stand at that place, read by read.c, which settles the group if it is the group's own.
 * Until either has come, the same message is published again; its place makes sure that it is there
 * at most once.
 *
 * A refusal (404, 412) is right only if no later write of another node is in the log already. So it is
 * published too, as a question: a message without changes, which the log takes only where nothing has come
 * behind the state that the request was judged by.
 */

#include "cluster/pieces.h"
#include "cluster/state.h"
#include "cluster/ticks.h"
#include "sets/version.h"

#include "sets/version_edit.h"
#include "util/log.h"
#include "work/pool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <uv.h>

#define PUBLISH_WAIT_MS 1000
#define AGAIN_MS 50

/* How long a tick is waited for of which only a tag of If-Match tells. */
#define NAMED_NS UINT64_C(2000000000)

/* How long a writer sleeps at a time, before it looks at its deadline. */
#define PATIENCE_MS 50

/* --- Entries --- */

static void free_entry(struct gjkd_entry *entry) {
    gjkd_version_release(entry->proposal.from);
    gjkd_version_release(entry->proposal.to);
    free(entry);
}

/* The lock is held. */
static void settle(struct gjkd_cluster *cluster, struct gjkd_entry *entry,
                   gjkd_log_verdict verdict) {
    if (entry->is_left) {
        free_entry(entry);
        return;
    }
    entry->verdict = verdict;
    entry->is_settled = true;
    pthread_cond_broadcast(&cluster->moved);
}

static struct gjkd_entry *new_entry(const gjkd_proposal *proposal) {
    struct gjkd_entry *entry = calloc(1, sizeof *entry);
    if (entry == NULL) {
        return NULL;
    }
    entry->proposal = *proposal;
    snprintf(entry->name, sizeof entry->name, "%s", proposal->name);
    entry->proposal.name = entry->name;
    if (proposal->stamp != NULL) {
        entry->stamp = *proposal->stamp;
        entry->proposal.stamp = &entry->stamp;
    }
    if (proposal->from != NULL) {
        gjkd_version_retain(proposal->from);
    }
    if (proposal->to != NULL) {
        gjkd_version_retain(proposal->to);
    }
    return entry;
}

/* Takes an entry out of the queue again. */
static void unqueue(struct gjkd_cluster *cluster, struct gjkd_entry *entry) {
    struct gjkd_entry **at = &cluster->first;
    while (*at != entry) {
        at = &(*at)->next;
    }
    *at = entry->next;
    if (*at == NULL) {
        cluster->end = at;
    }
}

/* --- For writers --- */

static struct gjkd_cluster *cluster_of(struct gjkd_storage *storage) {
    return (struct gjkd_cluster *)(void *)storage;
}

static bool is_over(const struct gjkd_cluster *cluster, gjk_budget *budget) {
    return atomic_load(&cluster->stops) || gjk_budget_ask(budget);
}

/*
 * Waits until the entry is settled. An entry that is not taken yet goes when nothing is written or
 * time is up. One that is taken stays, since the log may have it; while nothing is written, no other
 * write need wait for it to be refused.
 */
static gjkd_log_verdict await_entry(struct gjkd_cluster *cluster, struct gjkd_entry *entry,
                                    gjk_budget *budget) {
    while (!entry->is_settled) {
        gjkd_cluster_wait(cluster, &cluster->moved, PATIENCE_MS);
        const bool is_late = is_over(cluster, budget);
        if (!entry->is_settled && !entry->is_taken && (is_late || gjkd_cluster_is_away(cluster))) {
            unqueue(cluster, entry);
            entry->verdict = is_late ? GJKD_LATE : GJKD_AWAY;
            entry->is_settled = true;
        } else if (!entry->is_settled && is_late) {
            entry->is_left = true;
            return GJKD_UNCLEAR;
        } else if (!entry->is_settled && gjkd_cluster_is_away(cluster)) {
            gjkd_pool_leave_line();
        }
    }
    const gjkd_log_verdict verdict = entry->verdict;
    free_entry(entry);
    return verdict;
}

/* Queues the entry and waits for its verdict. NULL: there was no memory for it. */
static gjkd_log_verdict submit(struct gjkd_cluster *cluster, struct gjkd_entry *entry,
                               gjk_budget *budget) {
    if (entry == NULL) {
        return GJKD_AWAY;
    }
    if (gjkd_cluster_is_away(cluster)) {
        free_entry(entry);
        return GJKD_AWAY;
    }
    gjkd_pool_step_out();
    pthread_mutex_lock(&cluster->lock);
    *cluster->end = entry;
    cluster->end = &entry->next;
    pthread_cond_signal(&cluster->wakeup);
    const gjkd_log_verdict verdict = await_entry(cluster, entry, budget);
    pthread_mutex_unlock(&cluster->lock);
    return verdict;
}

static void note_other_than_move(void *user, const gjk_body *from, const gjk_body *to) {
    bool *is_other = user;
    *is_other = *is_other || from == NULL || to == NULL || !gjkd_stored_is_moved(from, to);
}

/* A tick that moves shapes and does nothing else. */
static bool only_moves(const gjkd_proposal *proposal) {
    bool is_other = proposal->stamp == NULL || proposal->from == NULL || proposal->to == NULL;
    if (!is_other) {
        gjk_set_diff(proposal->from->set, proposal->to->set, note_other_than_move, &is_other);
    }
    return !is_other;
}

gjkd_log_verdict gjkd_cluster_propose(struct gjkd_cluster *cluster, const gjkd_proposal *proposal,
                                      gjk_budget *budget) {
    const bool is_move = only_moves(proposal);
    gjkd_log_verdict verdict;
    if (is_move && gjkd_cluster_tell(cluster, proposal, &verdict)) {
        return verdict;
    }
    struct gjkd_entry *entry = new_entry(proposal);
    if (entry != NULL) {
        entry->is_quiet = is_move || proposal->is_checkpoint;
    }
    verdict = submit(cluster, entry, budget);
    return is_move && verdict == GJKD_KEPT ? GJKD_TOLD : verdict; /* one promise for all of them */
}

/* --- Refusals --- */

/* A tick that an entity tag names, if it is one of this log: whoever holds it has seen that made. */
struct named {
    uint64_t incarnation, revision;
    uint32_t mark;
    uint64_t tick_end; /* the tick, plus one; 0: none */
};

static struct named named_by(const struct gjkd_cluster *cluster, const char *tag) {
    struct named named = {.revision = 0};
    uint64_t tick = 0;
    const int count = tag != NULL ? sscanf(tag, " \"%16" SCNx64 "%8" SCNx32 "-%" SCNu64 "-%" SCNu64,
                                           &named.incarnation, &named.mark, &named.revision, &tick)
                                  : 0;
    named.tick_end = tick + 1;
    return count == 4 && named.incarnation >> 32 == (cluster->epoch & UINT32_MAX)
               ? named
               : (struct named){.revision = 0};
}

/* Where a set is. */
struct state {
    uint64_t moment, order; /* 0: there is none */
    bool lacks;             /* a tick that is named of its revision has not come yet */
};

static struct state state_of(struct gjkd_cluster *cluster, const char *set,
                             const struct named *named) {
    struct gjkd_version *version = gjkd_registry_get(cluster->setup.registry, set);
    struct state state = {0};
    if (version != NULL) {
        state.moment = gjkd_version_moment(version);
        state.order = version->order;
        state.lacks = version->incarnation == named->incarnation &&
                      version->revision == named->revision && version->mark == named->mark &&
                      gjkd_version_ticks_end(version) < named->tick_end;
    }
    gjkd_version_release(version);
    return state;
}

/* Waits a while for a tick that the tag names, which has come to another node beside the log. */
static struct state await_named_tick(struct gjkd_cluster *cluster, const char *set, uint64_t seen,
                                     const char *tag, gjk_budget *budget) {
    const uint64_t until_ns = uv_hrtime() + NAMED_NS;
    pthread_mutex_lock(&cluster->lock);
    const struct named named = named_by(cluster, tag);
    struct state state = state_of(cluster, set, &named);
    while (state.lacks && state.moment == seen && uv_hrtime() < until_ns &&
           !is_over(cluster, budget) && !gjkd_cluster_is_away(cluster)) {
        gjkd_cluster_wait(cluster, &cluster->moved, PATIENCE_MS);
        state = state_of(cluster, set, &named);
    }
    pthread_mutex_unlock(&cluster->lock);
    return state;
}

/*
 * A question that most servers have to answer: one of them alone may have been left behind. So it
 * is published, as a part of the next message. It is about the set and not about the place that was
 * shown, or else writes to others would outrun it again and again.
 */
static gjkd_log_verdict confirm(struct gjkd_cluster *cluster, const char *set, uint64_t seen,
                                const char *if_match, gjk_budget *budget) {
    gjkd_pool_step_out();
    const struct state state = await_named_tick(cluster, set, seen, if_match, budget);
    if (state.moment != seen) {
        return GJKD_OUTRUN;
    }
    struct gjkd_entry *entry = calloc(1, sizeof *entry);
    if (entry != NULL) {
        snprintf(entry->name, sizeof entry->name, "%s", set);
        entry->is_question = true;
        entry->seen = state.order;
    }
    return submit(cluster, entry, budget);
}

/* --- Storage --- */

bool gjkd_cluster_has_room(struct gjkd_storage *storage, struct proto_problem *problem) {
    return !gjkd_cluster_is_away(cluster_of(storage)) ||
           proto_problem_set(problem, PROTO_NOT_READY,
                             "the cluster's log cannot be written now; nothing has changed");
}

static gjkd_verdict refuse_late(struct proto_problem *problem, const char *what) {
    (void)proto_problem_set(problem, PROTO_DEADLINE_EXCEEDED, "time was up before %s", what);
    return GJKD_DECLINED;
}

static gjkd_verdict refuse_away(struct proto_problem *problem) {
    (void)proto_problem_set(problem, PROTO_NOT_READY,
                            "the cluster's log cannot be written now; nothing has changed");
    return GJKD_DECLINED;
}

gjkd_verdict gjkd_cluster_commit(struct gjkd_storage *storage, const gjkd_proposal *proposal,
                                 gjk_budget *budget, struct proto_problem *problem) {
    if (proposal->to != NULL && proposal->to == proposal->from) {
        gjkd_change_note(proposal->change, GJKD_IN_MEMORY);
        return GJKD_ACCEPTED;
    }
    const gjkd_put_status status =
        proposal->to != NULL ? gjkd_registry_ask(storage->newest, proposal->to) : GJKD_PUT_OK;
    if (status != GJKD_PUT_OK) {
        (void)gjkd_storage_refuse(storage->newest, status, problem);
        return GJKD_DECLINED;
    }
    switch (gjkd_cluster_propose(cluster_of(storage), proposal, budget)) {
    case GJKD_KEPT:
        gjkd_change_note(proposal->change, GJKD_IN_QUORUM);
        return GJKD_ACCEPTED;
    case GJKD_TOLD:
        gjkd_change_note(proposal->change, GJKD_IN_MEMORY);
        return GJKD_ACCEPTED;
    case GJKD_OUTRUN:
        return GJKD_CONFLICT;
    case GJKD_AWAY:
        return refuse_away(problem);
    case GJKD_LATE:
        return refuse_late(problem, "the write was made; nothing has changed");
    case GJKD_UNCLEAR:
        break;
    }
    return refuse_late(problem,
                       "the cluster said whether it has the write: GET the set and compare "
                       "its ETag with the one from before");
}

gjkd_verdict gjkd_cluster_confirm(struct gjkd_storage *storage, const char *set, uint64_t seen,
                                  const char *if_match, gjk_budget *budget,
                                  struct proto_problem *problem) {
    switch (confirm(cluster_of(storage), set, seen, if_match, budget)) {
    case GJKD_KEPT:
        return GJKD_ACCEPTED;
    case GJKD_OUTRUN:
        return GJKD_CONFLICT;
    case GJKD_AWAY:
        return refuse_away(problem);
    case GJKD_TOLD: /* of ticks only */
    case GJKD_LATE:
    case GJKD_UNCLEAR:
        break;
    }
    return refuse_late(problem, "it was certain what the set is; nothing has changed");
}

bool gjkd_cluster_wait_for_revision(struct gjkd_cluster *cluster, const char *set,
                                    uint64_t revision, gjk_budget *budget) {
    bool is_there = false, is_late = false;
    gjkd_pool_step_out();
    pthread_mutex_lock(&cluster->lock);
    while (!is_there && !is_late) {
        struct gjkd_version *version = gjkd_registry_get(cluster->setup.registry, set);
        is_there = !atomic_load(&cluster->is_anew) &&
                   (version != NULL ? version->revision : cluster->position) >= revision;
        gjkd_version_release(version);
        if (!is_there) {
            gjkd_cluster_wait(cluster, &cluster->moved, PATIENCE_MS);
            is_late = is_over(cluster, budget);
        }
    }
    pthread_mutex_unlock(&cluster->lock);
    return is_there;
}

/* --- Groups --- */

/* Whether the group has a write to the set. */
static bool writes(const struct gjkd_group *group, const char *name) {
    for (uint32_t i = 0; i < group->count; i++) {
        if (!group->entries[i]->is_question && strcmp(group->entries[i]->name, name) == 0) {
            return true;
        }
    }
    return false;
}

bool gjkd_cluster_awaits(const struct gjkd_cluster *cluster, const char *name) {
    return cluster->group != NULL && writes(cluster->group, name);
}

/* Whether what the entry was judged by is still shown. Ticks beside the log do not outrun a question:
 * they come in no order with other nodes' writes. */
static bool is_current(struct gjkd_cluster *cluster, const struct gjkd_entry *entry) {
    if (!entry->is_question) {
        return gjkd_cluster_shows(cluster->setup.registry, entry->name, entry->proposal.from);
    }
    struct gjkd_version *version = gjkd_registry_get(cluster->setup.registry, entry->name);
    const uint64_t order = version != NULL ? version->order : 0;
    gjkd_version_release(version);
    return order == entry->seen;
}

/* Bits of the epoch and of the message's id, both of which are random. */
static uint64_t make_incarnation(const struct gjkd_group *group, uint32_t i) {
    return group->head.epoch << 32 | (uint32_t)(group->head.id + i);
}

/* More bits of that id. It makes the tag another one if the log loses its end and another message comes
 * to the same place. */
static uint32_t make_mark(const struct gjkd_group *group) {
    const uint32_t mark = (uint32_t)(group->head.id >> 32);
    return mark != 0 ? mark : 1;
}

/*
 * The place that the group is to have becomes that of its versions, which nobody has seen; it is
 * their revision, but for ticks that only move shapes. Of a set that is deleted and made again in one
 * life of the log, revisions rise as well. Who has made the last state of a set as such a tick goes on
 * with ticks beside the log.
 */
static void number(const struct gjkd_group *group) {
    for (uint32_t i = 0; i < group->count; i++) {
        const struct gjkd_entry *entry = group->entries[i];
        const gjkd_proposal *proposal = &entry->proposal;
        if (proposal->to != NULL) {
            gjkd_version_number(proposal->to, proposal->from == NULL, make_incarnation(group, i),
                                entry->is_quiet ? proposal->from : NULL, group->expected + 1,
                                make_mark(group));
            proposal->to->unlogged.leads = entry->is_quiet;
            proposal->to->unlogged.doubts = proposal->stamp == NULL && !proposal->is_whole &&
                                            proposal->from != NULL &&
                                            gjkd_version_may_lack_ticks(proposal->from);
            proposal->to->unlogged.since_ns = uv_hrtime();
        }
    }
}

/* Takes what waits. False: there is nothing. The lock is held. */
static bool take(struct gjkd_cluster *cluster, struct gjkd_group *group) {
    *group = (struct gjkd_group){.expected = cluster->position, .world = cluster->world};
    while (cluster->first != NULL && group->count < GJKD_RECORD_CHANGES_MAX) {
        struct gjkd_entry *entry = cluster->first;
        unqueue(cluster, entry);
        if (atomic_load(&cluster->is_anew)) { /* what it was judged by is no part of the log */
            settle(cluster, entry, GJKD_AWAY);
            continue;
        }
        if ((!entry->is_question && writes(group, entry->name)) || !is_current(cluster, entry)) {
            settle(cluster, entry, GJKD_OUTRUN);
            continue;
        }
        entry->is_taken = true;
        group->changes += !entry->is_question;
        group->entries[group->count++] = entry;
    }
    group->head.previous = cluster->message_id;
    group->head.epoch = cluster->epoch;
    while (group->head.id == 0 &&
           getrandom(&group->head.id, sizeof group->head.id, 0) == sizeof group->head.id) {
    }
    number(group);
    return group->count > 0;
}

static void settle_all(struct gjkd_cluster *cluster, struct gjkd_group *group,
                       gjkd_log_verdict verdict) {
    for (uint32_t i = 0; i < group->count; i++) {
        settle(cluster, group->entries[i], verdict);
    }
    group->count = 0;
    gjkd_cluster_wake_ticker(cluster);
}

void gjkd_group_apply(struct gjkd_cluster *cluster, struct gjkd_group *group, uint64_t place) {
    for (uint32_t i = 0; i < group->count; i++) {
        const gjkd_proposal *proposal = &group->entries[i]->proposal;
        if (!group->entries[i]->is_question) {
            gjkd_cluster_show(cluster->setup.registry, proposal->name, proposal->from,
                              proposal->to);
        }
    }
    group->is_applied = true;
    gjkd_cluster_move(cluster, place, group->head.id, group->head.id);
    settle_all(cluster, group, GJKD_KEPT);
    atomic_fetch_add(&cluster->published, 1);
    atomic_fetch_add(&cluster->applied, 1);
}

/* --- Messages --- */

static bool put_message(struct gjkd_cluster *cluster, const struct gjkd_group *group,
                        const struct proto_buffer *changes, struct proto_buffer *out) {
    if (changes->length <= GJKD_INLINE_BYTES) {
        gjkd_record_put_head(out, &group->head, NULL, 0, 0);
        proto_put_bytes(out, changes->data, changes->length);
        return !out->failed;
    }
    gjkd_cutter cutter;
    gjkd_cutter_init(&cutter, cluster->engine);
    gjkd_cutter_add(&cutter, changes->data, changes->length);
    const bool fine = gjkd_cutter_end(&cutter);
    if (fine) {
        gjkd_record_put_head(out, &group->head, cutter.names, cutter.count, cutter.bytes);
    }
    gjkd_cutter_fini(&cutter);
    return fine && !out->failed;
}

/* The group's message, in the arenas. False: there is no memory, or pieces could not be published. */
static bool make_message(struct gjkd_cluster *cluster, const struct gjkd_group *group,
                         struct gjk_arena *scratch, struct proto_buffer *out) {
    struct proto_buffer changes;
    proto_buffer_init(&changes, scratch);
    gjkd_record_begin(&changes, group->changes);
    for (uint32_t i = 0; i < group->count; i++) {
        if (!group->entries[i]->is_question) {
            gjkd_record_put(&changes, &group->entries[i]->proposal);
        }
    }
    return !changes.failed && put_message(cluster, group, &changes, out);
}

/* --- Publishing --- */

/* Whether somebody still waits for it. The lock is held. */
static bool is_awaited(const struct gjkd_group *group) {
    for (uint32_t i = 0; i < group->count; i++) {
        if (!group->entries[i]->is_left) {
            return true;
        }
    }
    return false;
}

/* What the log says of the group's place, if it says anything. The lock is held. */
static bool is_decided(struct gjkd_cluster *cluster, struct gjkd_group *group) {
    if (group->is_applied) {
        return true;
    }
    if (cluster->world != group->world || cluster->skipped_to > group->expected) {
        settle_all(cluster, group, GJKD_UNCLEAR);
        return true;
    }
    if (cluster->position !=
        group->expected) { /* another message has its place, and its revision */
        atomic_fetch_add(&cluster->conflicts, 1);
        settle_all(cluster, group, GJKD_OUTRUN);
        return true;
    }
    return false;
}

/* Questions change nothing: whoever asks need not wait until it is known what became of them. */
static void settle_questions(struct gjkd_cluster *cluster, struct gjkd_group *group) {
    uint32_t left = 0;
    for (uint32_t i = 0; i < group->count; i++) {
        struct gjkd_entry *entry = group->entries[i];
        if (entry->is_question) {
            settle(cluster, entry, GJKD_AWAY);
        } else {
            group->entries[left++] = entry;
        }
    }
    group->count = left;
}

static void note_answer(struct gjkd_cluster *cluster, bool is_stuck) {
    if (is_stuck) {
        gjkd_cluster_doubt(cluster);
    }
    if (atomic_exchange(&cluster->is_stuck, is_stuck) != is_stuck &&
        !atomic_load(&cluster->stops)) {
        gjkd_log(is_stuck ? GJKD_LOG_WARNING : GJKD_LOG_INFO, "cluster %s: the log takes %s",
                 cluster->setup.config->cluster, is_stuck ? "no writes now" : "writes again");
    }
}

/* Publishes until it is known what becomes of it, or nobody waits for that. */
static void publish(struct gjkd_cluster *cluster, struct gjkd_group *group,
                    const struct proto_buffer *message) {
    pthread_mutex_lock(&cluster->lock);
    while (!is_decided(cluster, group)) {
        if (atomic_load(&cluster->stops) || !is_awaited(group)) {
            settle_all(cluster, group, GJKD_UNCLEAR);
            break;
        }
        const uint64_t doubts = atomic_load(&cluster->doubts);
        if (!gjkd_cluster_is_sure(cluster)) {
            if (gjkd_cluster_is_away(cluster)) {
                settle_questions(cluster, group);
            }
            gjkd_cluster_wait(cluster, &cluster->moved, AGAIN_MS);
            continue;
        }
        uint64_t place = 0;
        pthread_mutex_unlock(&cluster->lock);
        const gjkd_published result =
            gjkd_engine_publish(cluster->engine, group->head.id, group->expected, message->data,
                                message->length, PUBLISH_WAIT_MS, &place);
        note_answer(cluster, result == GJKD_PUBLISHED_UNCLEAR);
        pthread_mutex_lock(&cluster->lock);
        if (result == GJKD_PUBLISHED && place == group->expected + 1 &&
            doubts == atomic_load(&cluster->doubts) && !is_decided(cluster, group)) {
            gjkd_group_apply(cluster, group, place);
        } else if (!is_decided(cluster, group)) {
            if (result == GJKD_PUBLISHED_UNCLEAR) {
                settle_questions(cluster, group);
            }
            atomic_store(&cluster->is_to_look, true);
            gjkd_cluster_wait(cluster, &cluster->moved, AGAIN_MS);
        }
    }
    cluster->group = NULL;
    pthread_mutex_unlock(&cluster->lock);
}

static void publish_group(struct gjkd_cluster *cluster, struct gjkd_group *group) {
    struct gjk_arena arena, scratch;
    struct proto_buffer message;
    gjk_arena_init(&arena, 0);
    gjk_arena_init(&scratch, 0);
    proto_buffer_init(&message, &arena);
    if (make_message(cluster, group, &scratch, &message)) {
        gjk_arena_fini(&scratch);
        publish(cluster, group, &message);
    } else {
        pthread_mutex_lock(&cluster->lock);
        settle_all(cluster, group, GJKD_AWAY); /* the log has nothing of it */
        cluster->group = NULL;
        pthread_mutex_unlock(&cluster->lock);
        gjk_arena_fini(&scratch);
    }
    gjk_arena_fini(&arena);
}

void *gjkd_cluster_publish(void *closure) {
    struct gjkd_cluster *cluster = closure;
    static struct gjkd_group group; /* there is one publisher */
    pthread_mutex_lock(&cluster->lock);
    while (!atomic_load(&cluster->stops)) {
        if (!take(cluster, &group)) {
            pthread_cond_wait(&cluster->wakeup, &cluster->lock);
            continue;
        }
        cluster->group = &group;
        pthread_mutex_unlock(&cluster->lock);
        publish_group(cluster, &group);
        pthread_mutex_lock(&cluster->lock);
    }
    while (cluster->first != NULL) {
        struct gjkd_entry *entry = cluster->first;
        unqueue(cluster, entry);
        settle(cluster, entry, GJKD_AWAY);
    }
    pthread_mutex_unlock(&cluster->lock);
    return NULL;
}
