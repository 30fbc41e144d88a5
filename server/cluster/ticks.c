/*
 * Ticks that only move shapes. They are broadcast to the other nodes on core NATS, without
 * acknowledgement, because the log would limit their rate.
 *
 * A lease decides which node sends them. The first tick that a node makes of a set, and the first
 * after any other write to the set, goes through the log, upon the newest message of the set. That
 * node then holds the set's lease while it goes on ticking, and for LEASE_NS after its last tick;
 * meanwhile ticks of other nodes are refused. A broadcast tick is valid only upon that message of
 * the log: when another node takes the lease, all nodes drop later ticks of the previous holder.
 *
 * A tick contains the poses of all shapes that differ from the log, so the next tick makes up for a
 * lost one.
 */

#include "cluster/state.h"

#include "cluster/poses.h"
#include "sets/version.h"
#include "sets/version_edit.h"
#include "util/log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define NS_PER_MS UINT64_C(1000000)

#define LEASE_NS UINT64_C(10000000000)

/* Maximum number of ticks that wait for a message of the log. */
#define EARLY_TICKS_MAX 1024

#define SETS_AT_ONCE 64

/* Time until the next checkpoint after one that the log did not acknowledge. */
#define CHECKPOINT_PAUSE_NS UINT64_C(2000000000)
#define LOCK_WAIT_MS 20

struct gjkd_early_tick {
    struct gjkd_early_tick *next;
    gjkd_engine_message came;
    gjkd_tick_message message; /* view of `came` */
};

/* --- Sending --- */

/* Returns true if another node holds the set's lease: the problem names it. The lock is held. */
static bool is_leased_elsewhere(struct gjkd_cluster *cluster, const char *name,
                                struct proto_problem *problem) {
    const gjkd_place *place = gjkd_copy_find(&cluster->shown, name, false);
    if (place == NULL || place->holder_ns == 0 || strcmp(place->holder, cluster->node) == 0 ||
        uv_hrtime() - place->holder_ns >= LEASE_NS) {
        return false;
    }
    (void)proto_problem_set(problem, PROTO_TICK_CONFLICT, "the node %s ticks the set \"%.128s\"",
                            place->holder, name);
    (void)proto_problem_hint(problem,
                             "send its ticks there, or wait until it has not ticked for %d s",
                             (int)(LEASE_NS / UINT64_C(1000000000)));
    return true;
}

/* Shows the tick if the version that it was made from is still shown. The lock is held. */
static gjkd_broadcast show_own_tick(struct gjkd_cluster *cluster, const gjkd_proposal *proposal) {
    struct gjkd_registry *sets = cluster->shown.sets;
    if (!gjkd_cluster_shows(sets, proposal->name, proposal->from)) {
        return GJKD_BROADCAST_CONFLICT;
    }
    if (gjkd_cluster_find_pending(cluster, proposal->name) != NULL) {
        return GJKD_BROADCAST_NOT;
    }
    gjkd_cluster_show(sets, proposal->name, proposal->from, proposal->to);
    gjkd_place *place = gjkd_copy_find(&cluster->shown, proposal->name, false);
    if (place != NULL) {
        place->holder_ns = uv_hrtime();
        snprintf(place->holder, sizeof place->holder, "%s", cluster->node);
    }
    atomic_store(&cluster->has_unlogged, true);
    return GJKD_BROADCAST;
}

gjkd_broadcast gjkd_cluster_broadcast_tick(struct gjkd_cluster *cluster,
                                           const gjkd_proposal *proposal,
                                           struct proto_problem *problem) {
    const gjkd_unlogged *unlogged = &proposal->from->unlogged;
    struct gjk_arena arena;
    struct proto_buffer text;
    pthread_mutex_lock(&cluster->lock);
    const bool is_refused = is_leased_elsewhere(cluster, proposal->name, problem);
    pthread_mutex_unlock(&cluster->lock);
    if (is_refused) {
        return GJKD_BROADCAST_HELD;
    }
    const bool has_no_room =
        gjkd_engine_broadcast_bytes_max(cluster->engine) < GJKD_POSES_BYTES_MAX;
    if (!unlogged->leads || unlogged->doubts || unlogged->ticks == GJKD_UNLOGGED_MAX ||
        (has_no_room && !gjkd_cluster_refuses_writes(cluster))) { /* without the log, ticks go on */
        return GJKD_BROADCAST_NOT;
    }
    gjkd_version_number_tick(proposal->to, proposal->from);
    gjk_arena_init(&arena, 0);
    proto_buffer_init(&text, &arena);
    gjkd_tick_message_put(&text, cluster->epoch, proposal->from, proposal->to);
    gjkd_broadcast outcome = GJKD_BROADCAST_NOT;
    if (!text.failed && text.length <= GJKD_POSES_BYTES_MAX) {
        pthread_mutex_lock(&cluster->lock);
        outcome = show_own_tick(cluster, proposal);
        pthread_mutex_unlock(&cluster->lock);
    }
    /* In order, since the caller has the writer lock. Blocks while the server does not read. */
    if (outcome == GJKD_BROADCAST &&
        gjkd_engine_broadcast(cluster->engine, text.data, text.length)) {
        atomic_fetch_add(&cluster->ticks_sent, 1);
    }
    gjk_arena_fini(&arena);
    return outcome;
}

/* --- Receiving --- */

static void free_early_tick(struct gjkd_cluster *cluster, struct gjkd_early_tick *early) {
    gjkd_engine_release(cluster->engine, &early->came);
    free(early);
}

void gjkd_cluster_drop_early_ticks(struct gjkd_cluster *cluster) {
    while (cluster->early_ticks != NULL) {
        struct gjkd_early_tick *early = cluster->early_ticks;
        cluster->early_ticks = early->next;
        free_early_tick(cluster, early);
    }
    cluster->early_tick_count = 0;
}

/* Applies the tick to the version and shows the result. The lock is held. */
static void show_tick(struct gjkd_cluster *cluster, const gjkd_tick_message *message,
                      struct gjkd_version *version) {
    struct gjkd_version *next = NULL;
    struct proto_problem problem = {.code = PROTO_OK};
    if (!gjkd_poses_apply(&message->poses, version, &next, &problem)) {
        gjkd_log(GJKD_LOG_DEBUG, "cluster %s: a tick cannot be taken: %.150s",
                 cluster->setup.config->cluster, problem.detail);
        atomic_fetch_add(&cluster->ticks_late, 1);
        return;
    }
    gjkd_cluster_show(cluster->shown.sets, message->name, version, next);
    gjkd_place *place = gjkd_copy_find(&cluster->shown, message->name, false);
    if (place != NULL && place->holder_ns != 0) {
        place->holder_ns = uv_hrtime();
    }
    gjkd_cluster_count_gap(cluster, version, next);
    atomic_fetch_add(&cluster->ticks_taken, 1);
    pthread_cond_broadcast(&cluster->moved);
    gjkd_version_release(next);
}

/* Applies a tick, or drops it if it is late. Returns false if it has to wait for a message of the
 * log, a resync or a write of this node. The lock is held. */
static bool apply_or_drop(struct gjkd_cluster *cluster, const gjkd_tick_message *message) {
    const gjkd_poses *poses = &message->poses;
    if (message->epoch == cluster->epoch &&
        (poses->place > cluster->shown.seq || cluster->next.sets != NULL ||
         gjkd_cluster_find_pending(cluster, message->name) != NULL)) {
        return false;
    }
    struct gjkd_version *version = gjkd_registry_get(cluster->shown.sets, message->name);
    const bool is_good = message->epoch == cluster->epoch && version != NULL &&
                         version->incarnation == poses->incarnation &&
                         version->order == poses->place && version->unlogged.ticks < poses->ticks;
    if (is_good) {
        show_tick(cluster, message, version);
    } else {
        atomic_fetch_add(&cluster->ticks_late, 1);
    }
    gjkd_version_release(version);
    return true;
}

void gjkd_cluster_take_early_ticks(struct gjkd_cluster *cluster) {
    struct gjkd_early_tick **at = &cluster->early_ticks;
    while (*at != NULL) {
        struct gjkd_early_tick *early = *at;
        if (apply_or_drop(cluster, &early->message)) {
            *at = early->next;
            cluster->early_tick_count--;
            free_early_tick(cluster, early);
        } else {
            at = &early->next;
        }
    }
}

void gjkd_cluster_receive_tick(void *closure, gjkd_engine_message *message) {
    struct gjkd_cluster *cluster = closure;
    struct gjkd_early_tick *early = calloc(1, sizeof *early);
    if (early == NULL) {
        gjkd_engine_release(cluster->engine, message);
        return;
    }
    early->came = *message;
    if (!gjkd_tick_message_read((proto_text){message->data, message->length}, &early->message)) {
        gjkd_cluster_note_stray(cluster);
        atomic_fetch_add(&cluster->ticks_late, 1);
        free_early_tick(cluster, early);
        return;
    }
    if (!gjkd_cluster_holds(cluster, early->message.name)) {
        free_early_tick(cluster, early);
        return;
    }
    pthread_mutex_lock(&cluster->lock);
    if (atomic_load(&cluster->stops)) {
        pthread_mutex_unlock(&cluster->lock);
        free_early_tick(cluster, early);
        return;
    }
    struct gjkd_early_tick **end = &cluster->early_ticks;
    while (*end != NULL) {
        end = &(*end)->next;
    }
    *end = early;
    /* Dropping the oldest loses only that tick itself: the next one contains its poses, too. */
    if (++cluster->early_tick_count > EARLY_TICKS_MAX) {
        struct gjkd_early_tick *oldest = cluster->early_ticks;
        cluster->early_ticks = oldest->next;
        cluster->early_tick_count--;
        free_early_tick(cluster, oldest);
        atomic_fetch_add(&cluster->ticks_late, 1);
    }
    gjkd_cluster_take_early_ticks(cluster);
    pthread_mutex_unlock(&cluster->lock);
}

/* --- Checkpoints --- */

static bool is_deadline_past(void *user) {
    return uv_hrtime() > *(const uint64_t *)user;
}

static bool needs_checkpoint(const struct gjkd_cluster *cluster,
                             const struct gjkd_version *version) {
    return version->unlogged.owes && uv_hrtime() - version->unlogged.since_ns >=
                                         cluster->setup.config->pose_checkpoint_ms * NS_PER_MS;
}

/* Writes the set as shown to the log (a checkpoint). Skips the set if another write holds its
 * writer lock, perhaps waiting for the log: this thread has to keep the connection. Returns false
 * if the log did not answer. */
static bool write_checkpoint(struct gjkd_cluster *cluster, const char *name) {
    struct gjkd_registry *registry = cluster->setup.registry;
    struct proto_problem problem = {.code = PROTO_OK};
    if (!gjkd_registry_try_lock_writer(registry, name, LOCK_WAIT_MS)) {
        return true;
    }
    uint64_t until_ns = uv_hrtime() + GJKD_CHECKPOINT_MS * NS_PER_MS;
    gjk_budget budget = gjk_budget_make(is_deadline_past, &until_ns);
    struct gjkd_version *from = gjkd_registry_get(registry, name), *to = NULL;
    const proto_edits none = {.count = 0};
    if (from != NULL && needs_checkpoint(cluster, from) &&
        gjkd_version_edit(from, &none, NULL, NULL, &to) == GJK_OK) {
        const gjkd_proposal proposal = {.name = name,
                                        .from = from,
                                        .to = to,
                                        .is_checkpoint = true};
        (void)gjkd_cluster_commit(&cluster->base, &proposal, &budget, &problem);
    }
    gjkd_registry_unlock_writer(registry, name);
    gjkd_version_release(to);
    gjkd_version_release(from);
    return problem.code != PROTO_DEADLINE_EXCEEDED;
}

void gjkd_cluster_checkpoint(struct gjkd_cluster *cluster, gjkd_checkpoints *next) {
    struct gjkd_version *versions[SETS_AT_ONCE];
    bool owes = next->after[0] != '\0', more = true, is_answered = true;
    if (uv_hrtime() < next->not_before_ns || !atomic_exchange(&cluster->has_unlogged, false)) {
        return;
    }
    while (more && is_answered && !atomic_load(&cluster->stops)) {
        const size_t count = gjkd_registry_list(cluster->setup.registry, "", NULL,
                                                next->after[0] != '\0' ? next->after : NULL,
                                                SETS_AT_ONCE, versions, &more);
        for (size_t i = 0; i < count; i++) {
            owes = owes || versions[i]->unlogged.owes;
            if (is_answered) {
                snprintf(next->after, sizeof next->after, "%s", versions[i]->name);
            }
            if (is_answered && needs_checkpoint(cluster, versions[i]) &&
                !gjkd_cluster_refuses_writes(cluster)) {
                is_answered = write_checkpoint(cluster, versions[i]->name);
                gjkd_cluster_run_barrier(cluster);
            }
            gjkd_version_release(versions[i]);
        }
        more = more && count > 0;
    }
    if (!is_answered) { /* continue behind this set next time */
        next->not_before_ns = uv_hrtime() + CHECKPOINT_PAUSE_NS;
    } else if (!more) {
        next->after[0] = '\0';
    }
    if (owes) {
        atomic_store(&cluster->has_unlogged, true);
    }
}
