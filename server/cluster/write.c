/*
 * A worker publishes its new version itself, upon the message of the set that the version was made
 * from. Then it waits until the log's leader has acknowledged the message and the reader has shown
 * it. While the outcome is unknown, it publishes the same message again: the expected predecessor
 * ensures that NATS accepts the message at most once.
 *
 * A refusal (404, 412) is correct only if no later write of another node was acknowledged before.
 * So the node first publishes a barrier, a message of its own that a majority of servers accepts.
 * Once the reader has reached it, every write acknowledged before it is shown. Requests that wait
 * for a barrier at the same time share the next one.
 */

#define _GNU_SOURCE /* for sem_clockwait */
#include "cluster/state.h"

#include "sets/version.h"
#include "sets/version_edit.h"
#include "util/log.h"
#include "util/random.h"
#include "work/pool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define PUBLISH_WAIT_MS UINT64_C(1000)
#define AGAIN_MS 50
#define STUCK_NS UINT64_C(500000000) /* since the first publication without an answer */

/* Time that a writer sleeps before it checks its deadline. */
#define PATIENCE_MS 50

/* Minimum time from one barrier of the maintainer to the next. */
#define BARRIER_PAUSE_NS UINT64_C(500000000)

/* Maximum wait for a tick that is known only from the entity tag in If-Match. */
#define NAMED_NS UINT64_C(2000000000)

/* Maximum number of attempts to publish a part. */
#define PART_TRIES 3

#define AWAY "the cluster's log cannot be written now; nothing has changed"

static struct gjkd_cluster *cluster_of(struct gjkd_storage *storage) {
    return (struct gjkd_cluster *)(void *)storage;
}

static gjkd_verdict refuse_unavailable(struct proto_problem *problem) {
    (void)proto_problem_set(problem, PROTO_NOT_READY, AWAY);
    return GJKD_DECLINED;
}

static gjkd_verdict refuse_late(struct proto_problem *problem, const char *what) {
    (void)proto_problem_set(problem, PROTO_DEADLINE_EXCEEDED, "time was up before %s", what);
    return GJKD_DECLINED;
}

/* Admits every tick: whether a tick needs the log is known only once it is made. */
bool gjkd_cluster_has_room(struct gjkd_storage *storage, bool is_tick,
                           struct proto_problem *problem) {
    return is_tick || !gjkd_cluster_refuses_writes(cluster_of(storage)) ||
           proto_problem_set(problem, PROTO_NOT_READY, AWAY);
}

static bool must_stop(struct gjkd_cluster *cluster, gjk_budget *budget) {
    return atomic_load(&cluster->stops) || (budget != NULL && gjk_budget_ask(budget));
}

/* Notes whether the log has answered. After STUCK_NS without an answer, writes are refused. */
static void note_answer(struct gjkd_cluster *cluster, bool has_answered) {
    const uint64_t now_ns = uv_hrtime();
    uint64_t since_ns = 0;
    if (has_answered) {
        atomic_store(&cluster->unanswered_ns, 0);
    } else if (atomic_compare_exchange_strong(&cluster->unanswered_ns, &since_ns, now_ns) ||
               now_ns < since_ns + STUCK_NS) {
        return;
    }
    if (atomic_exchange(&cluster->is_stuck, !has_answered) == has_answered &&
        !atomic_load(&cluster->stops)) {
        gjkd_log(has_answered ? GJKD_LOG_INFO : GJKD_LOG_WARNING, "cluster %s: the log takes %s",
                 cluster->setup.config->cluster, has_answered ? "writes again" : "no writes now");
        pthread_mutex_lock(&cluster->lock);
        pthread_cond_broadcast(&cluster->moved);
        pthread_mutex_unlock(&cluster->lock);
    }
}

static gjkd_published publish(struct gjkd_cluster *cluster, const gjkd_publication *what,
                              uint64_t wait_ms, uint64_t *seq) {
    const gjkd_published result = gjkd_engine_publish(cluster->engine, what, wait_ms, seq);
    note_answer(cluster, result != GJKD_PUBLISHED_UNCLEAR);
    return result;
}

/* --- Barriers --- */

bool gjkd_cluster_put_barrier(struct gjkd_cluster *cluster, gjkd_barrier *out) {
    char self[GJKD_SELF_TEXT_MAX];
    gjkd_cluster_describe_self(cluster, self);
    out->id = gjkd_random();
    const gjkd_publication sync = {.kind = GJKD_LOG_SYNC,
                                   .name = cluster->node,
                                   .head = {.id = out->id},
                                   .rolls_up = true,
                                   .text = {self, strlen(self)}};
    return publish(cluster, &sync, PUBLISH_WAIT_MS, &out->seq) == GJKD_PUBLISHED;
}

bool gjkd_cluster_has_come(const struct gjkd_cluster *cluster, gjkd_barrier barrier) {
    const gjkd_barrier delivered = cluster->delivered;
    return delivered.id == barrier.id ? delivered.seq == barrier.seq : delivered.seq > barrier.seq;
}

/* Publishes a barrier and waits for it. The lock is held, but released meanwhile. */
static void run_barrier(struct gjkd_cluster *cluster, gjk_budget *budget) {
    gjkd_barrier barrier = {.seq = 0};
    const uint64_t begun_ns = uv_hrtime(), number = ++cluster->barrier.begun;
    const uint64_t before = cluster->shown.seq;
    cluster->barrier.is_running = true;
    pthread_mutex_unlock(&cluster->lock);
    bool is_put = gjkd_cluster_put_barrier(cluster, &barrier);
    pthread_mutex_lock(&cluster->lock);
    if (is_put && barrier.seq <= before && cluster->next.sets == NULL) {
        atomic_store(&cluster->is_doubtful, true); /* the log has lost its end: examine it again */
        is_put = false;
    }
    if (is_put && atomic_load(&cluster->known_end) < barrier.seq) {
        atomic_store(&cluster->known_end, barrier.seq);
    }
    while (is_put && cluster->shown.seq < barrier.seq) {
        is_put = !must_stop(cluster, budget) && !gjkd_cluster_refuses_writes(cluster);
        if (is_put) {
            gjkd_cluster_wait(cluster, PATIENCE_MS);
        }
    }
    if (is_put && !gjkd_cluster_has_come(cluster, barrier)) {
        atomic_store(&cluster->is_doubtful, true);
        is_put = false;
    }
    cluster->barrier.is_running = false;
    if (is_put && gjkd_cluster_is_ready(cluster)) {
        cluster->barrier.done = number;
        atomic_store(&cluster->fresh_ns, begun_ns);
    }
    pthread_cond_broadcast(&cluster->moved);
}

void gjkd_cluster_run_barrier(struct gjkd_cluster *cluster) {
    const uint64_t now_ns = uv_hrtime();
    pthread_mutex_lock(&cluster->lock);
    if (now_ns - cluster->barrier.begun_ns >= BARRIER_PAUSE_NS && !cluster->barrier.is_running &&
        gjkd_cluster_is_ready(cluster) && gjkd_engine_is_connected(cluster->engine)) {
        cluster->barrier.begun_ns = now_ns;
        run_barrier(cluster, NULL);
    }
    pthread_mutex_unlock(&cluster->lock);
}

bool gjkd_cluster_await_barrier(struct gjkd_cluster *cluster, gjk_budget *budget) {
    pthread_mutex_lock(&cluster->lock);
    const uint64_t number = cluster->barrier.begun + 1; /* a barrier that begins after this call */
    while (cluster->barrier.done < number && !must_stop(cluster, budget) &&
           !gjkd_cluster_refuses_writes(cluster)) {
        if (cluster->barrier.is_running) {
            gjkd_cluster_wait(cluster, PATIENCE_MS);
        } else {
            run_barrier(cluster, budget);
        }
    }
    const bool is_done = cluster->barrier.done >= number;
    pthread_mutex_unlock(&cluster->lock);
    return is_done;
}

/* --- Refusals --- */

/* Tick that an entity tag names. The client has the tag, so the tick was made. */
struct named {
    uint64_t incarnation, revision;
    uint32_t nonce;
    uint64_t tick_end; /* number of the tick, plus one; 0 if none */
};

static struct named parse_tag(const char *tag) {
    struct named named = {.revision = 0};
    uint64_t tick = 0;
    const int count = tag != NULL ? sscanf(tag, " \"%16" SCNx64 "%8" SCNx32 "-%" SCNu64 "-%" SCNu64,
                                           &named.incarnation, &named.nonce, &named.revision, &tick)
                                  : 0;
    named.tick_end = tick + 1;
    return count == 4 && named.revision > 0 ? named : (struct named){.revision = 0};
}

/* Waits up to NAMED_NS for the tick that the tag names, which another node has received by
 * broadcast. Then returns the set's gjkd_version_seq, 0 if there is no set. */
static uint64_t await_named_tick(struct gjkd_cluster *cluster, const char *set, uint64_t seen,
                                 const char *tag, gjk_budget *budget) {
    const uint64_t until_ns = uv_hrtime() + NAMED_NS;
    const struct named named = parse_tag(tag);
    uint64_t seq = 0;
    bool lacks = true, has_left = false;
    pthread_mutex_lock(&cluster->lock);
    while (lacks) {
        struct gjkd_version *version = gjkd_registry_get(cluster->shown.sets, set);
        seq = version != NULL ? gjkd_version_seq(version) : 0;
        lacks = version != NULL && seq == seen && version->incarnation == named.incarnation &&
                version->revision == named.revision && version->nonce == named.nonce &&
                gjkd_version_ticks_end(version) < named.tick_end && uv_hrtime() < until_ns &&
                !must_stop(cluster, budget) && !gjkd_cluster_refuses_writes(cluster);
        gjkd_version_release(version);
        if (lacks) {
            gjkd_cluster_wait_long(cluster, PATIENCE_MS, &has_left);
        }
    }
    cluster->long_waits -= has_left;
    pthread_mutex_unlock(&cluster->lock);
    return seq;
}

/* Confirms a refusal with a barrier. Broadcast ticks do not make it wrong, since they have no order
 * with writes of other nodes. */
gjkd_verdict gjkd_cluster_confirm(struct gjkd_storage *storage, const char *set, uint64_t seen,
                                  const char *if_match, gjk_budget *budget,
                                  struct proto_problem *problem) {
    struct gjkd_cluster *cluster = cluster_of(storage);
    gjkd_pool_enter_blocking();
    if (await_named_tick(cluster, set, seen, if_match, budget) != seen) {
        return GJKD_CONFLICT;
    }
    if (!gjkd_cluster_await_barrier(cluster, budget)) {
        return gjkd_cluster_refuses_writes(cluster)
                   ? refuse_unavailable(problem)
                   : refuse_late(problem, "it was certain what the set is; nothing has changed");
    }
    struct gjkd_version *version = gjkd_registry_get(cluster->shown.sets, set);
    const uint64_t order = version != NULL ? version->order : 0;
    gjkd_version_release(version);
    return order == seen >> GJKD_UNLOGGED_BITS ? GJKD_ACCEPTED : GJKD_CONFLICT;
}

/* --- Messages --- */

/* Publishes the text in parts, each within wait_ms. *text becomes the list of their positions, in
 * the arena. Without a budget (NULL) there is no deadline, and the caller is the maintainer thread,
 * whose barriers go on meanwhile. */
static bool publish_parts(struct gjkd_cluster *cluster, const char *name, struct gjk_arena *arena,
                          gjk_budget *budget, uint64_t wait_ms, proto_text *text, uint64_t *first) {
    struct proto_buffer list;
    proto_buffer_init(&list, arena);
    for (size_t at = 0; at < text->length; at += GJKD_PART_BYTES) {
        const size_t left = text->length - at;
        uint64_t seq = 0;
        const gjkd_publication part = {.kind = GJKD_LOG_PART,
                                       .name = name,
                                       .head = {.id = gjkd_random()},
                                       .text = {text->data + at,
                                                left < GJKD_PART_BYTES ? left : GJKD_PART_BYTES}};
        bool is_put = false;
        if (budget == NULL) {
            gjkd_cluster_run_barrier(cluster);
        }
        for (int tries = 0; tries < PART_TRIES && !is_put && !must_stop(cluster, budget); tries++) {
            is_put = publish(cluster, &part, wait_ms, &seq) == GJKD_PUBLISHED;
        }
        if (!is_put) {
            return false;
        }
        *first = at == 0 ? seq : *first;
        proto_put_bytes(&list, (const char *)&seq, sizeof seq);
    }
    *text = (proto_text){list.data, list.length};
    return !list.failed;
}

/* Splits a text that is too long for a message. *first: position of the first part, 0 if none. */
static bool split_long_text(struct gjkd_cluster *cluster, gjkd_publication *what,
                            struct gjk_arena *arena, gjk_budget *budget, uint64_t wait_ms,
                            uint64_t *first) {
    *first = 0;
    if (what->text.length <= GJKD_INLINE_BYTES) {
        return true;
    }
    what->head.flags |= GJKD_HAS_PARTS;
    return publish_parts(cluster, what->name, arena, budget, wait_ms, &what->text, first);
}

/* --- Writes --- */

static void note_other_than_move(void *user, const gjk_body *from, const gjk_body *to) {
    bool *is_other = user;
    *is_other = *is_other || from == NULL || to == NULL || !gjkd_stored_is_moved(from, to);
}

/* Returns true for a tick that only moves shapes. */
static bool only_moves(const gjkd_proposal *proposal) {
    bool is_other = proposal->stamp == NULL || proposal->from == NULL || proposal->to == NULL;
    if (!is_other) {
        gjk_set_diff(proposal->from->set, proposal->to->set, note_other_than_move, &is_other);
    }
    return !is_other;
}

/* Registers a write that is about to be published. Returns false if another write came first, or if
 * the set is blocked. */
static bool register_pending(struct gjkd_cluster *cluster, struct gjkd_pending *pending,
                             gjkd_publication *what, bool *is_blocked) {
    pthread_mutex_lock(&cluster->lock);
    const gjkd_place *place = gjkd_copy_find(&cluster->shown, pending->name, false);
    *is_blocked = place != NULL && place->is_blocked;
    const bool fine =
        !*is_blocked && gjkd_cluster_find_pending(cluster, pending->name) == NULL &&
        gjkd_cluster_shows(cluster->shown.sets, pending->name, pending->proposal->from);
    if (fine) {
        what->head = (gjkd_log_head){.id = pending->id,
                                     .after_seq = place != NULL ? place->seq : 0,
                                     .after_id = place != NULL ? place->id : 0};
        what->expected = place != NULL ? place->subject_seq : 0;
        pending->after_seq = what->head.after_seq;
        pending->resyncs = cluster->resyncs;
        pending->next = cluster->pending;
        cluster->pending = pending;
    }
    pthread_mutex_unlock(&cluster->lock);
    return fine;
}

static void unregister_pending(struct gjkd_cluster *cluster, struct gjkd_pending *pending) {
    pthread_mutex_lock(&cluster->lock);
    struct gjkd_pending **at = &cluster->pending;
    while (*at != pending) {
        at = &(*at)->next;
    }
    *at = pending->next;
    gjkd_cluster_take_early_ticks(cluster);
    pthread_mutex_unlock(&cluster->lock);
    while (pending->taken < pending->posts) {
        pending->taken += sem_wait(&pending->moved) == 0;
    }
}

typedef enum write_fate { IS_OPEN, IS_SHOWN, IS_OVERTAKEN, IS_UNKNOWN } write_fate;

/* Returns the fate of the write as far as it is known. The lock is held. */
static write_fate fate_of(struct gjkd_cluster *cluster, const struct gjkd_pending *pending) {
    const gjkd_place *place = gjkd_copy_find(&cluster->shown, pending->name, false);
    if (pending->is_settled) {
        return IS_SHOWN;
    }
    if (cluster->resyncs != pending->resyncs) {
        return IS_UNKNOWN; /* the log is not the same any more */
    }
    if ((place != NULL ? place->seq : 0) == pending->after_seq) {
        return IS_OPEN;
    }
    const bool may_be_there =
        pending->may_be_there || pending->sending == GJKD_AWAITED || pending->sending == GJKD_TAKEN;
    return pending->is_hidden && may_be_there ? IS_UNKNOWN : IS_OVERTAKEN;
}

/* Expects the subject's newest message from now on. Returns true if that is another one than
 * before: one that is void, or that gjkd has not written. An earlier publication was then refused,
 * or the reader would have shown it. The lock is held. */
static bool update_expected(struct gjkd_cluster *cluster, const char *name,
                            gjkd_publication *what) {
    const gjkd_place *place = gjkd_copy_find(&cluster->shown, name, false);
    const uint64_t now = place != NULL ? place->subject_seq : 0;
    const bool is_other = now != what->expected;
    what->expected = now;
    return is_other;
}

/* Confirms a write that was shown without an acknowledgement, since a restarted server may deliver
 * messages that the others never had. Returns true if the log's leader has the write after a
 * barrier. */
static bool confirm_with_leader(struct gjkd_cluster *cluster, const struct gjkd_pending *pending,
                                gjk_budget *budget) {
    gjkd_probe probe = {.place = pending->seq};
    bool is_certain = false;
    while (!is_certain && !must_stop(cluster, budget)) {
        is_certain = gjkd_cluster_await_barrier(cluster, budget) &&
                     gjkd_engine_probe(cluster->engine, &probe, 1);
        if (!is_certain) {
            pthread_mutex_lock(&cluster->lock);
            gjkd_cluster_wait(cluster, PATIENCE_MS);
            pthread_mutex_unlock(&cluster->lock);
        }
    }
    return is_certain && probe.id == pending->id;
}

void gjkd_cluster_take_answer(void *closure, uint64_t token, gjkd_published answer, uint64_t seq) {
    static const gjkd_sending meanings[] = {[GJKD_PUBLISHED] = GJKD_TAKEN,
                                            [GJKD_PUBLISHED_NOT] = GJKD_REFUSED,
                                            [GJKD_PUBLISHED_UNCLEAR] = GJKD_LOST};
    struct gjkd_cluster *cluster = closure;
    bool wakes = false;
    if (answer != GJKD_PUBLISHED_UNCLEAR) {
        note_answer(cluster, true);
    }
    pthread_mutex_lock(&cluster->lock);
    struct gjkd_pending *pending = cluster->pending;
    while (pending != NULL && pending->token != token) {
        pending = pending->next;
    }
    if (pending != NULL && pending->sending == GJKD_AWAITED) {
        pending->sending = meanings[answer];
        pending->acked_seq = answer == GJKD_PUBLISHED ? seq : pending->acked_seq;
        wakes = pending->is_settled || answer != GJKD_PUBLISHED;
        pending->posts += wakes;
    }
    pthread_mutex_unlock(&cluster->lock);
    if (wakes) {
        sem_post(&pending->moved);
    }
}

static bool can_send(const struct gjkd_cluster *cluster) {
    return gjkd_cluster_is_ready(cluster) && gjkd_engine_is_connected(cluster->engine);
}

/* Waits up to AGAIN_MS until the write is signalled. The lock is held, but released meanwhile. */
static void wait_for_move(struct gjkd_cluster *cluster, struct gjkd_pending *pending) {
    const struct timespec until = gjkd_cluster_time_in(AGAIN_MS);
    pthread_mutex_unlock(&cluster->lock);
    pending->taken += sem_clockwait(&pending->moved, CLOCK_MONOTONIC, &until) == 0;
    pthread_mutex_lock(&cluster->lock);
}

/* Sends the message. The lock is held, but released meanwhile. */
static void send_pending(struct gjkd_cluster *cluster, struct gjkd_pending *pending,
                         const gjkd_publication *what) {
    const uint64_t token = pending->token = ++cluster->tokens;
    pending->sending = GJKD_AWAITED;
    pthread_mutex_unlock(&cluster->lock);
    const bool is_sent = gjkd_engine_send(cluster->engine, what, token);
    pthread_mutex_lock(&cluster->lock);
    if (!is_sent && pending->sending == GJKD_AWAITED) {
        pending->sending = GJKD_LOST;
    }
}

/* Waits, so that the write is published again after a pause: the outcome of the last publication is
 * uncertain. The lock is held, but released meanwhile. */
static void pause_before_resend(struct gjkd_cluster *cluster, struct gjkd_pending *pending) {
    pending->may_be_there = pending->may_be_there || pending->sending != GJKD_REFUSED;
    pending->sending = GJKD_UNSENT;
    gjkd_pool_leave_line();
    wait_for_move(cluster, pending);
}

/* Publishes the write until its fate is known or time is up. */
static write_fate publish_pending(struct gjkd_cluster *cluster, struct gjkd_pending *pending,
                                  gjkd_publication *what, gjk_budget *budget) {
    uint64_t sent_ns = 0;
    pthread_mutex_lock(&cluster->lock);
    write_fate fate = fate_of(cluster, pending);
    while ((fate == IS_OPEN || (fate == IS_SHOWN && pending->sending == GJKD_AWAITED)) &&
           !must_stop(cluster, budget)) {
        const bool is_answered = pending->sending == GJKD_TAKEN || pending->sending == GJKD_REFUSED;
        if (pending->sending == GJKD_AWAITED &&
            (!can_send(cluster) || uv_hrtime() - sent_ns > PUBLISH_WAIT_MS * 1000000)) {
            pending->sending = GJKD_LOST;
        }
        if (pending->sending == GJKD_UNSENT && can_send(cluster)) {
            sent_ns = uv_hrtime();
            send_pending(cluster, pending, what);
        } else if (pending->sending == GJKD_LOST) {
            pthread_mutex_unlock(&cluster->lock);
            note_answer(cluster, false);
            pthread_mutex_lock(&cluster->lock);
            pause_before_resend(cluster, pending);
        } else if (is_answered && update_expected(cluster, pending->name, what)) {
            pending->may_be_there = pending->may_be_there || pending->sending == GJKD_TAKEN;
            pending->sending = GJKD_UNSENT;
        } else if (is_answered && gjkd_cluster_refuses_writes(cluster)) {
            pause_before_resend(cluster, pending); /* the answer may not hold any more */
        } else {
            /* Sends a refused write again: the message ahead of it may never come. */
            pending->sending = pending->sending == GJKD_REFUSED ? GJKD_UNSENT : pending->sending;
            wait_for_move(cluster, pending);
        }
        fate = fate_of(cluster, pending);
    }
    const bool is_acked = pending->seq == pending->acked_seq;
    pthread_mutex_unlock(&cluster->lock);
    if (fate == IS_SHOWN && !is_acked && !confirm_with_leader(cluster, pending, budget)) {
        fate = IS_UNKNOWN;
    }
    return fate == IS_OPEN ? IS_UNKNOWN : fate;
}

/* Sets all numbers of the version except its position, which is 0 until the reader knows it. */
static void number_version(const struct gjkd_pending *pending) {
    const gjkd_proposal *proposal = pending->proposal;
    const uint32_t nonce = (uint32_t)(pending->id >> 32);
    if (proposal->to != NULL) {
        gjkd_version_number(proposal->to, proposal->from, gjkd_random(), pending->is_quiet, 0,
                            nonce != 0 ? nonce : 1);
    }
}

static gjkd_verdict publish_write(struct gjkd_cluster *cluster, struct gjkd_pending *pending,
                                  gjk_budget *budget, struct proto_problem *problem) {
    struct gjk_arena arena;
    struct proto_buffer text;
    uint64_t first;
    bool is_blocked;
    gjkd_publication what = {.kind = GJKD_LOG_SET,
                             .name = pending->name,
                             .is_expected = true,
                             .rolls_up = pending->proposal->to == NULL};
    if (!register_pending(cluster, pending, &what, &is_blocked)) {
        return is_blocked ? refuse_unavailable(problem) : GJKD_CONFLICT;
    }
    what.head.flags = pending->proposal->to == NULL || pending->proposal->is_whole ||
                              pending->proposal->from == NULL
                          ? GJKD_IS_WHOLE
                          : 0;
    gjk_arena_init(&arena, 0);
    proto_buffer_init(&text, &arena);
    number_version(pending);
    gjkd_record_put(&text, pending->proposal);
    what.text = (proto_text){text.data, text.length};
    pending->bytes = text.length;
    const uint64_t wait_ms =
        pending->proposal->is_checkpoint ? GJKD_CHECKPOINT_MS : PUBLISH_WAIT_MS;
    const bool is_made =
        !text.failed && split_long_text(cluster, &what, &arena, budget, wait_ms, &first);
    const write_fate fate = is_made ? publish_pending(cluster, pending, &what, budget) : IS_OPEN;
    unregister_pending(cluster, pending);
    gjk_arena_fini(&arena);
    switch (fate) {
    case IS_SHOWN:
        return GJKD_ACCEPTED;
    case IS_OVERTAKEN:
        return GJKD_CONFLICT;
    case IS_OPEN: /* the write's own message was not published */
        return must_stop(cluster, budget)
                   ? refuse_late(problem, "the write was published; nothing has changed")
                   : refuse_unavailable(problem);
    case IS_UNKNOWN:
        break;
    }
    return refuse_late(problem,
                       "the cluster said whether it has the write: GET the set and compare "
                       "its ETag with the one from before");
}

gjkd_verdict gjkd_cluster_commit(struct gjkd_storage *storage, const gjkd_proposal *proposal,
                                 gjk_budget *budget, struct proto_problem *problem) {
    struct gjkd_cluster *cluster = cluster_of(storage);
    struct gjkd_pending pending = {.proposal = proposal,
                                   .name = proposal->name,
                                   .id = gjkd_random()};
    if (proposal->to != NULL && proposal->to == proposal->from) {
        gjkd_change_note(proposal->change, GJKD_IN_MEMORY);
        return GJKD_ACCEPTED;
    }
    if (!gjkd_cluster_check_held(cluster, proposal->name, problem)) {
        return GJKD_DECLINED;
    }
    const gjkd_put_status status =
        proposal->to != NULL ? gjkd_registry_ask(storage->newest, proposal->to) : GJKD_PUT_OK;
    if (status != GJKD_PUT_OK) {
        (void)gjkd_storage_refuse(storage->newest, status, problem);
        return GJKD_DECLINED;
    }
    gjkd_pool_enter_blocking(); /* also for a broadcast, which waits for a full connection */
    const bool is_move = only_moves(proposal);
    if (is_move) {
        switch (gjkd_cluster_broadcast_tick(cluster, proposal, problem)) {
        case GJKD_BROADCAST:
            gjkd_change_note(proposal->change, GJKD_IN_MEMORY);
            return GJKD_ACCEPTED;
        case GJKD_BROADCAST_CONFLICT:
            return GJKD_CONFLICT;
        case GJKD_BROADCAST_HELD:
            return GJKD_DECLINED;
        case GJKD_BROADCAST_NOT:
            break;
        }
    }
    if (gjkd_cluster_refuses_writes(cluster)) {
        return refuse_unavailable(problem);
    }
    pending.is_quiet = is_move || proposal->is_checkpoint;
    sem_init(&pending.moved, 0, 0);
    const gjkd_verdict verdict = publish_write(cluster, &pending, budget, problem);
    sem_destroy(&pending.moved);
    if (verdict == GJKD_ACCEPTED) { /* ticks that only move shapes all have the same durability */
        gjkd_change_note(proposal->change, is_move ? GJKD_IN_MEMORY : GJKD_IN_QUORUM);
    }
    return verdict;
}

/* --- Rolling up --- */

/* Stores the length of the whole set as one message. Returns true if the set's messages are so much
 * longer in total that a rollup pays. */
static bool pays_to_roll_up(struct gjkd_cluster *cluster, const struct gjkd_version *version,
                            uint64_t length) {
    pthread_mutex_lock(&cluster->lock);
    gjkd_place *place = gjkd_copy_find(&cluster->shown, version->name, false);
    bool is_heavy = false;
    if (place != NULL) {
        place->whole_bytes = length;
        place->whole_shapes = gjk_set_count(version->set);
        is_heavy = gjkd_place_is_heavy(place, place->whole_shapes);
    }
    pthread_mutex_unlock(&cluster->lock);
    return is_heavy;
}

void gjkd_cluster_roll_up(struct gjkd_cluster *cluster, const char *name) {
    struct gjk_arena arena;
    struct proto_buffer text;
    uint64_t seq = 0, first = 0;
    gjkd_publication what = {.kind = GJKD_LOG_SET,
                             .name = name,
                             .head = {.id = gjkd_random(), .flags = GJKD_IS_WHOLE | GJKD_IS_SAME},
                             .is_expected = true,
                             .rolls_up = true};
    pthread_mutex_lock(&cluster->lock);
    const gjkd_place *place = gjkd_copy_find(&cluster->shown, name, false);
    struct gjkd_version *version = gjkd_registry_get(cluster->shown.sets, name);
    const bool is_known = place != NULL && !place->is_blocked;
    if (is_known) {
        what.head.after_seq = place->seq;
        what.head.after_id = place->id;
        what.expected = place->subject_seq;
    }
    pthread_mutex_unlock(&cluster->lock);
    if (!is_known || version == NULL) {
        if (is_known) { /* the set was deleted: remove the parts of its messages */
            (void)gjkd_engine_purge(cluster->engine, GJKD_LOG_PART, name, what.head.after_seq);
        }
        gjkd_version_release(version);
        return;
    }
    gjk_arena_init(&arena, 0);
    proto_buffer_init(&text, &arena);
    gjkd_record_put_set(&text, version);
    what.text = (proto_text){text.data, text.length};
    if (!text.failed && pays_to_roll_up(cluster, version, text.length) &&
        split_long_text(cluster, &what, &arena, NULL, PUBLISH_WAIT_MS, &first) &&
        publish(cluster, &what, PUBLISH_WAIT_MS, &seq) == GJKD_PUBLISHED) {
        atomic_fetch_add(&cluster->rollups, 1);
        (void)gjkd_engine_purge(cluster->engine, GJKD_LOG_PART, name, first > 0 ? first : seq);
    }
    gjk_arena_fini(&arena);
    gjkd_version_release(version);
}
