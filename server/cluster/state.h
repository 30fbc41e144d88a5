#ifndef GJKD_CLUSTER_STATE_H
#define GJKD_CLUSTER_STATE_H

/*
 * State of a node, shared by the files of the cluster.
 *
 * Threads:
 *   reader       opens the log, reads its messages in order and shows them (reader.c)
 *   maintainer   keeps the connection, publishes a barrier every 0.5 s, rolls up sets whose
 *                messages have grown too long, and writes poses of ticks to the log (node.c)
 *   workers      publish their writes themselves and wait until each one is acknowledged and shown;
 *                the later of these two events wakes the worker (write.c)
 * Acknowledgements and ticks of other nodes (ticks.c) arrive on threads of cnats.
 *
 * A barrier is a message of this node in the log. Once the reader has reached it, every write that
 * was acknowledged before the barrier was published is shown.
 *
 * States. Reads are answered in every state from the sets shown; at the start there are none.
 *
 *   state     meaning                                     writes    left for
 *   OPENING   the log is unavailable; `obstacle` says     refused   READING, once the log has
 *             why. If the log was deleted, or created               accepted a barrier: the goal
 *             again, only a restart of the node helps
 *   READING   messages up to the goal are read. If the    refused   READY, once the goal is shown
 *             log does not continue the sets shown, it
 *             is read from its beginning into other sets
 *             (`next`: a resync), which then replace the
 *             sets shown
 *   READY     everything is shown that was acknowledged   accepted  OPENING, see below
 *             before the newest barrier
 *
 * A start is a resync without sets to show meanwhile. Every failure leads to OPENING, which
 * examines the log again:
 *
 *   failure                                             detected by
 *   the connection was lost or restored                 cnats: is_doubtful
 *   the consumer or its server has stopped              the reader, after 1 s without any message
 *   the delivering server is cut off from the others    the reader, which misses known messages for
 *                                                       2 s
 *   a gap in the deliveries, an unreadable message      the reader
 *   the log ends before the position shown, or a        position or id of a barrier: is_doubtful
 *   barrier is delivered at another position
 *   a message does not follow its predecessor           the reader, which asks the log's leader: a
 *                                                       resync
 *
 * The lock. There is one. It guards all fields below it in struct gjkd_cluster, and the order of
 * changes: a version enters the readers' registry only under the lock.
 *   - A reading request does not take it: versions in the registry are immutable.
 *   - Its holder waits neither for a server nor for a lock that may be held as long.
 *   - Only the reader changes positions of sets, `shown.seq` and `next`; it reads them without it.
 *   - Lock order: a writer takes the set's writer lock first, then this one.
 *   - Messages are encoded and decoded without it. The result is shown only if the version that it
 *     was made from is still shown; otherwise it is made again.
 *   - Requests and metrics read the atomic fields without it.
 * The condition `moved` is broadcast on every change that a thread may wait for: the position, a
 * completed barrier, the state. Each write has its own semaphore, so that a message of the log
 * wakes one writer only, and not before the lock is released, which the writer then needs.
 */

#include "cluster/cluster.h"
#include "cluster/engine.h"
#include "cluster/record.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

typedef enum gjkd_node_state {
    GJKD_NODE_OPENING,
    GJKD_NODE_READING,
    GJKD_NODE_READY,
} gjkd_node_state;

/* State of a set, or of a deleted set, in the log. */
typedef struct gjkd_place {
    uint64_t seq, id; /* position and id of its newest valid message */
    /* Position of the newest message of its subject that was handled, valid or not. It changes with
     * the set shown: a write or rollup that expects it then replaces nothing that it lacks. */
    uint64_t subject_seq;
    uint64_t bytes;       /* size of its messages since it was created or rolled up */
    uint64_t whole_bytes; /* size of the last message with the whole set, of whole_shapes */
    uint32_t whole_shapes;
    bool is_blocked;    /* a message of it could not be applied */
    uint64_t holder_ns; /* last time that `holder` was heard to tick; 0 if no node ticks the set */
    char holder[GJKD_NODE_NAME_BYTES_MAX + 1];
    char name[PROTO_SET_NAME_BYTES_MAX + 1]; /* key of the tree */
} gjkd_place;

/* Sets as the log defines them up to a position. */
typedef struct gjkd_copy {
    struct gjkd_registry *sets;
    void *places;             /* of gjkd_place by name: a tree of <search.h> */
    uint64_t seq;             /* position of the last message read */
    uint64_t set_seq, set_id; /* position and id of the last valid message of any set */
    uint64_t blocked;         /* number of sets with is_blocked */
} gjkd_copy;

/* Barrier, a message of this node: its position, as acknowledged by the log's leader or as
 * delivered by a server, and its random id. */
typedef struct gjkd_barrier {
    uint64_t seq, id;
} gjkd_barrier;

typedef enum gjkd_sending {
    GJKD_UNSENT,
    GJKD_AWAITED, /* sent, not acknowledged yet */
    GJKD_LOST,    /* no acknowledgement in time, or an unclear one */
    GJKD_REFUSED, /* the newest message of the subject is not the expected one */
    GJKD_TAKEN,   /* acknowledged, at the position acked_seq */
} gjkd_sending;

/* Write that is published, or about to be. */
struct gjkd_pending {
    struct gjkd_pending *next;
    const gjkd_proposal *proposal;
    const char *name;
    uint64_t id, after_seq;
    uint64_t bytes;       /* size of its text */
    uint64_t resyncs;     /* cluster->resyncs when the write began */
    bool is_quiet;        /* the revision stays */
    gjkd_sending sending; /* outcome of its newest publication */
    uint64_t token;       /* identifies the newest publication */
    uint64_t acked_seq;
    bool may_be_there; /* an earlier publication of the write may be in the log */
    bool is_hidden;    /* a rollup was read that may include this write */
    bool is_settled;   /* the write is in the log and shown */
    /* Posted once it is both shown and acknowledged, when it is refused or its acknowledgement
     * is unclear, and when another message of the set was read. */
    sem_t moved;
    unsigned posts, taken; /* a post may be made after the lock is released: the writer takes all */
    uint64_t seq;          /* position of the write, if is_settled */
};

/* Tick of another node that arrived before the message of the log that it builds upon. */
struct gjkd_early_tick;

struct gjkd_cluster {
    struct gjkd_storage base; /* first: a pointer to it is cast to the cluster */
    gjkd_cluster_setup setup;
    struct gjkd_engine *engine;
    char node[GJKD_NODE_NAME_BYTES_MAX + 1];
    pthread_t reader, maintainer;
    bool has_reader, has_maintainer;

    pthread_mutex_t lock; /* guards the following fields */
    pthread_cond_t moved;
    pthread_cond_t rest; /* wakes the maintainer when it has to stop */
    pthread_condattr_t monotonic;
    gjkd_copy shown;        /* its registry is the one that readers use */
    gjkd_copy next;         /* sets of a resync; next.sets is NULL if there is none */
    gjkd_barrier goal;      /* in READING: the barrier to reach */
    uint64_t goal_ns;       /* time at which the goal was sent */
    gjkd_barrier delivered; /* newest barrier of this node that was delivered */
    struct gjkd_pending *pending;
    struct gjkd_pending *woken; /* to be woken by the reader when it releases the lock; or NULL */
    uint64_t tokens;            /* last token given to a publication */
    struct gjkd_early_tick *early_ticks;
    uint32_t early_tick_count;
    unsigned long_waits; /* number of tasks that have left their line of writers */
    struct {
        uint64_t begun, done; /* number of the last barrier begun, of the last one reached */
        uint64_t begun_ns;    /* time at which the maintainer began its last barrier */
        bool is_running;
    } barrier;
    gjkd_cluster_overview overview;           /* reports as received */
    char heavy[PROTO_SET_NAME_BYTES_MAX + 1]; /* name of the set to be rolled up next; "" if none */

    /* For metrics, and for reading without the lock. */
    _Atomic gjkd_node_state state;
    _Atomic uint64_t epoch; /* 0 if not known yet; set once */
    _Atomic uint64_t place, known_end, fresh_ns, unanswered_ns, resyncs;
    atomic_bool stops, has_started, is_stuck, is_blocked, has_unlogged, is_doubtful;
    atomic_bool has_old_engine;
    _Atomic uint64_t published, applied, conflicts, rollups, strays, stray_logged_ns;
    _Atomic uint64_t ticks_sent, ticks_taken, ticks_late, tick_gaps;
};

/* Returns the time in wait_ms on CLOCK_MONOTONIC. */
struct timespec gjkd_cluster_time_in(uint64_t wait_ms);

/* Wait up to wait_ms, for `moved` or for another condition. The lock is held. */
void gjkd_cluster_wait(struct gjkd_cluster *cluster, uint64_t wait_ms);
void gjkd_cluster_wait_on(struct gjkd_cluster *cluster, pthread_cond_t *condition,
                          uint64_t wait_ms);

/* Waits like gjkd_cluster_wait, for an event that may never come. Then the calling task leaves its
 * line of writers, so that the next one runs, unless too many tasks have left. *has_left, false at
 * first, becomes true if it did; the caller finally subtracts it from long_waits. */
void gjkd_cluster_wait_long(struct gjkd_cluster *cluster, uint64_t wait_ms, bool *has_left);

bool gjkd_cluster_is_ready(const struct gjkd_cluster *cluster);

/* Returns true if writes are refused at the moment. */
bool gjkd_cluster_refuses_writes(struct gjkd_cluster *cluster);

/* Counts a message that gjkd has not written, and logs it at most once a minute. Thread-safe. */
void gjkd_cluster_note_stray(struct gjkd_cluster *cluster);

/* Returns true if this node holds sets of that name. */
bool gjkd_cluster_holds(const struct gjkd_cluster *cluster, const char *set);

/* Stores the report that a node sends with its barriers. The lock is held. */
void gjkd_cluster_note_member(struct gjkd_cluster *cluster, const gjkd_engine_message *message);

/* Formats the report that this node sends with its barriers. */
#define GJKD_SELF_TEXT_MAX (160 + GJKD_PATTERNS_BYTES_MAX)
void gjkd_cluster_describe_self(struct gjkd_cluster *cluster, char text[GJKD_SELF_TEXT_MAX]);

/* --- Copies --- */

/* Returns the state of a set in the log. Returns NULL if the log never had the set or, with
 * may_make, if memory is exhausted. */
gjkd_place *gjkd_copy_find(gjkd_copy *copy, const char *name, bool may_make);

/* Frees the states of sets and, with frees_sets, the registry. */
void gjkd_copy_clear(gjkd_copy *copy, bool frees_sets);

/* --- The sets shown. The lock is held --- */

/* Returns true if the set's version in the registry is this one. */
bool gjkd_cluster_shows(struct gjkd_registry *sets, const char *name,
                        const struct gjkd_version *version);
/* Replaces `from` by `to` in the registry, and reports the change to the set's feed. */
void gjkd_cluster_show(struct gjkd_registry *sets, const char *name, struct gjkd_version *from,
                       struct gjkd_version *to);
/* Returns this node's unfinished write of the set; NULL if there is none. */
struct gjkd_pending *gjkd_cluster_find_pending(struct gjkd_cluster *cluster, const char *name);

/* Counts a gap if the newest tick of `to` is new and ticks right before it are missing. */
void gjkd_cluster_count_gap(struct gjkd_cluster *cluster, const struct gjkd_version *from,
                            const struct gjkd_version *to);

/* --- Writes: write.c. They may block --- */

bool gjkd_cluster_has_room(struct gjkd_storage *storage, bool is_tick,
                           struct proto_problem *problem);
gjkd_verdict gjkd_cluster_commit(struct gjkd_storage *storage, const gjkd_proposal *proposal,
                                 gjk_budget *budget, struct proto_problem *problem);
gjkd_verdict gjkd_cluster_confirm(struct gjkd_storage *storage, const char *set, uint64_t seen,
                                  const char *if_match, gjk_budget *budget,
                                  struct proto_problem *problem);

/* Publishes a barrier and waits for it. Returns true if every write acknowledged on any node before
 * the call is shown. */
bool gjkd_cluster_await_barrier(struct gjkd_cluster *cluster, gjk_budget *budget);

/* Does the same for the maintainer thread, unless its last barrier began less than 0.5 s ago or
 * another barrier is under way. */
void gjkd_cluster_run_barrier(struct gjkd_cluster *cluster);

/* Publishes a barrier without waiting for its delivery. For the reader. */
bool gjkd_cluster_put_barrier(struct gjkd_cluster *cluster, gjkd_barrier *out);

/* Returns true if the barrier was delivered at its acknowledged position, or a later one was. The
 * log has been delivered up to that position. False: the delivering server's log differs from
 * the leader's, as it may for a while after a killed server's restart. The lock is held. */
bool gjkd_cluster_has_come(const struct gjkd_cluster *cluster, gjkd_barrier barrier);

/* Returns true if the messages of a set, which now has `shapes` shapes, are so much larger than the
 * set that a rollup pays. The lock is held. */
bool gjkd_place_is_heavy(const gjkd_place *place, uint32_t shapes);

/* Publishes a set's whole state as one message that replaces all earlier ones, if it is smaller
 * than they are. If the set was deleted, removes the remaining parts of its messages. */
void gjkd_cluster_roll_up(struct gjkd_cluster *cluster, const char *name);

/* Handles the answer to a publication, on a thread of the engine; closure is the cluster. */
void gjkd_cluster_take_answer(void *closure, uint64_t token, gjkd_published answer, uint64_t seq);

/* --- Ticks: ticks.c --- */

typedef enum gjkd_broadcast {
    GJKD_BROADCAST,          /* shown, and sent to the other nodes if NATS is connected */
    GJKD_BROADCAST_NOT,      /* the tick has to be written to the log */
    GJKD_BROADCAST_CONFLICT, /* another version came first */
    GJKD_BROADCAST_HELD,     /* another node ticks the set: the problem names it */
} gjkd_broadcast;

gjkd_broadcast gjkd_cluster_broadcast_tick(struct gjkd_cluster *cluster,
                                           const gjkd_proposal *proposal,
                                           struct proto_problem *problem);

/* Handles a tick of another node and takes ownership of the message; closure is the cluster. Runs
 * on a thread of the engine. */
void gjkd_cluster_receive_tick(void *closure, gjkd_engine_message *message);

/* Apply or free the early ticks, which wait for a message of the log. The lock is held. */
void gjkd_cluster_take_early_ticks(struct gjkd_cluster *cluster);
void gjkd_cluster_drop_early_ticks(struct gjkd_cluster *cluster);

/* Maximum time that one message, or part of one, of a checkpoint may take. The set's ticks wait
 * meanwhile, and the log may be unavailable. */
#define GJKD_CHECKPOINT_MS UINT64_C(250)

/* Start of the next pass over the sets, and the earliest time for it. Both are set after a
 * checkpoint that the log did not acknowledge. All zero at first. */
typedef struct gjkd_checkpoints {
    uint64_t not_before_ns;
    char after[PROTO_SET_NAME_BYTES_MAX + 1]; /* last set visited; "": the pass begins anew */
} gjkd_checkpoints;

/* Writes to the log each set of which it has lacked ticks of this node for --pose-checkpoint. */
void gjkd_cluster_checkpoint(struct gjkd_cluster *cluster, gjkd_checkpoints *next);

/* --- Threads; closure is the cluster --- */

void *gjkd_cluster_read(void *closure);
void *gjkd_cluster_maintain(void *closure);

#endif
