#ifndef GJKD_CLUSTER_STATE_H
#define GJKD_CLUSTER_STATE_H

/*
 * The state of a node, shared by the files of the cluster.
 *
 * Threads. There are two, and workers:
 *   reader       opens the log, takes its messages in order and shows them (reader.c)
 *   maintainer   keeps the connection, sets a barrier every half second, rolls up what has grown, puts
 *                poses of ticks into the log (node.c)
 *   workers      publish their writes themselves, and wait until they are acknowledged and shown; the
 *                last of both wakes them (write.c)
 * Acknowledgements, and ticks of other nodes (ticks.c), come on threads of cnats.
 *
 * States. Reads are answered in each of them from what is shown; at the start that is nothing.
 *
 *   state     meaning                                writes    leaves it
 *   OPENING   the log cannot be had; `obstacle`      refused   the log is there and takes a barrier, its
 *             says why. A log that is gone, or was             goal: READING
 *             made again, ends it only by a restart
 *   READING   messages come, up to the goal. If      refused   the goal is shown: READY
 *             what is shown is not what the log
 *             begins with, they come from its
 *             beginning and into sets beside it
 *             (`next`, a resync), which then take
 *             the place of what is shown
 *   READY     all is shown that was acknowledged     taken     see below: OPENING
 *             before the newest barrier was sent
 *
 * A start is a resync with nothing to show. Whatever goes wrong ends in OPENING, which looks at the log again:
 *
 *   sign                                             found by
 *   the connection came or went                      cnats: is_doubtful
 *   the consumer or its server is gone               the reader, in which nothing is heard for 1 s
 *   the server that delivers is cut off from others  the reader, which lacks known places for 2 s
 *   deliveries have a gap, a message cannot be read  the reader
 *   the log ended before what is shown, or a         a barrier, whose place or id is another one:
 *   barrier is not delivered where it was taken      is_doubtful
 *   a message does not follow the one of its set     the reader, which asks the log's leader: a resync
 *
 * The lock. There is one. It guards everything below it in struct gjkd_cluster, and the order of what is
 * shown: a version is put into the registry of readers only under it.
 *   - A request that reads does not take it: the registry has versions that never change.
 *   - Nobody waits for a server, or for another lock that is held so long, while holding it.
 *   - Only the reader changes places, `shown.seq` and `next`, so that it may look at them without it.
 *   - A writer has the set's writer lock first, then this one: nobody takes them the other way round.
 *   - Texts of messages are made and read without it. What was made of a version is shown only if that is
 *     still the shown one; else it is made again.
 *   - What is atomic below is read without it, by requests and for metrics.
 * Its condition `moved` is signalled whenever anything changed that somebody may wait for: the place, a
 * finished barrier, the state. Each write has a condition of its own, so that a message of the log wakes
 * one writer, not all.
 */

#include "cluster/cluster.h"
#include "cluster/engine.h"
#include "cluster/record.h"

#include <pthread.h>
#include <stdatomic.h>

typedef enum gjkd_node_state {
    GJKD_NODE_OPENING,
    GJKD_NODE_READING,
    GJKD_NODE_READY,
} gjkd_node_state;

/* A set, or one that was deleted, as the log has it. */
typedef struct gjkd_place {
    uint64_t seq, id;     /* of its newest valid message */
    uint64_t subject_seq; /* of the newest message of its subject, valid or not */
    uint64_t bytes;       /* of its messages since it was made or rolled up, as is the next */
    uint64_t whole_bytes; /* of the message that makes the set, when it had so many shapes */
    uint32_t whole_shapes;
    bool is_blocked;    /* a message of it was not understood */
    uint64_t holder_ns; /* when the node below was last heard ticking; 0: nobody ticks */
    char holder[GJKD_NODE_NAME_BYTES_MAX + 1];
    char name[PROTO_SET_NAME_BYTES_MAX + 1]; /* first in the order of the tree */
} gjkd_place;

/* The sets of the log up to a place. */
typedef struct gjkd_copy {
    struct gjkd_registry *sets;
    void *places;             /* gjkd_place by name, a tree of <search.h> */
    uint64_t seq;             /* of the last message that was taken */
    uint64_t set_seq, set_id; /* of the last one of a set */
    uint64_t blocked;         /* sets with a message that was not understood */
} gjkd_copy;

/* A message of this node: its place, as the log's leader has acknowledged it or a server has
 * delivered it, and its random id. */
typedef struct gjkd_barrier {
    uint64_t seq, id;
} gjkd_barrier;

typedef enum gjkd_sending {
    GJKD_UNSENT,
    GJKD_AWAITED, /* it is sent, and not answered yet */
    GJKD_LOST,    /* the answer did not come, or does not tell */
    GJKD_REFUSED, /* the subject had another newest message */
    GJKD_TAKEN,   /* at the place acked_seq */
} gjkd_sending;

/* A write that is published, or about to be, and not settled. */
struct gjkd_pending {
    struct gjkd_pending *next;
    const gjkd_proposal *proposal;
    const char *name;
    uint64_t id, after_seq;
    uint64_t bytes;       /* of its text */
    uint64_t resyncs;     /* when it was published */
    bool is_quiet;        /* it raises no revision */
    gjkd_sending sending; /* what became of its newest publication */
    uint64_t token;       /* of that */
    uint64_t acked_seq;
    bool may_be_there;    /* the log may have taken an earlier one */
    bool is_hidden;       /* a message came that stands for it, too, if it is there */
    bool is_settled;      /* it is in the log and shown */
    pthread_cond_t moved; /* it is settled and answered, or not taken, or another write has come */
    uint64_t seq;         /* then: its place */
};

struct
    gjkd_early_tick; /* a tick of another node that came before the message of the log that it builds upon */

struct gjkd_cluster {
    struct gjkd_storage base; /* first */
    gjkd_cluster_setup setup;
    struct gjkd_engine *engine;
    char node[GJKD_NODE_NAME_BYTES_MAX + 1];
    pthread_t reader, maintainer;
    bool has_reader, has_maintainer;

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t moved;
    pthread_cond_t rest; /* of the maintainer: it is to end */
    pthread_condattr_t monotonic;
    gjkd_copy shown;        /* its registry is the readers' */
    gjkd_copy next;         /* of a resync; sets NULL: there is none */
    gjkd_barrier goal;      /* in READING: the place to come to */
    uint64_t goal_ns;       /* and when its message was sent */
    gjkd_barrier delivered; /* the newest barrier of this node that came */
    struct gjkd_pending *pending;
    uint64_t tokens; /* drawn */
    struct gjkd_early_tick *early_ticks;
    uint32_t early_tick_count;
    unsigned long_waits; /* tasks that have left their line */
    struct {
        uint64_t begun, done; /* counts */
        uint64_t begun_ns;    /* when the maintainer began its last one */
        bool is_running;
    } barrier;
    gjkd_cluster_overview overview;           /* ages as they were heard */
    char heavy[PROTO_SET_NAME_BYTES_MAX + 1]; /* the next set to be rolled up; "": none */

    /* For metrics, and for readers without the lock. */
    _Atomic gjkd_node_state state;
    _Atomic uint64_t epoch; /* 0: not known yet; set once */
    _Atomic uint64_t place, known_end, fresh_ns, unanswered_ns, resyncs;
    atomic_bool stops, has_started, is_stuck, is_blocked, has_unlogged, is_doubtful;
    atomic_bool has_old_engine;
    _Atomic uint64_t published, applied, conflicts, rollups, strays, stray_logged_ns;
    _Atomic uint64_t ticks_sent, ticks_taken, ticks_late, tick_gaps;
};

/* Waits for a condition at most so long; the first one for `moved`. The lock is held. */
void gjkd_cluster_wait(struct gjkd_cluster *cluster, uint64_t wait_ms);
void gjkd_cluster_wait_on(struct gjkd_cluster *cluster, pthread_cond_t *condition,
                          uint64_t wait_ms);

/* The same for what may never come: others of the calling task's line go on meanwhile, where few tasks
 * wait so. *has_left, false at first, is then true; the caller takes it off long_waits at its end. */
void gjkd_cluster_wait_long(struct gjkd_cluster *cluster, uint64_t wait_ms, bool *has_left);

bool gjkd_cluster_is_ready(const struct gjkd_cluster *cluster);

/* Returns true if writes are refused now. */
bool gjkd_cluster_refuses_writes(struct gjkd_cluster *cluster);

/* Counts a message that is none of gjkd's, and logs it at most once a minute. On any thread. */
void gjkd_cluster_note_stray(struct gjkd_cluster *cluster);

/* Returns true if this node holds sets of that name. */
bool gjkd_cluster_holds(const struct gjkd_cluster *cluster, const char *set);

/* Notes what a node reports of itself with a barrier. The lock is held. */
void gjkd_cluster_note_member(struct gjkd_cluster *cluster, const gjkd_engine_message *message);

/* Prints what this node reports of itself with its barriers. */
#define GJKD_SELF_TEXT_MAX (160 + GJKD_PATTERNS_BYTES_MAX)
void gjkd_cluster_describe_self(struct gjkd_cluster *cluster, char text[GJKD_SELF_TEXT_MAX]);

/* --- Copies --- */

/* The place of a set; NULL: the log has never had it, or with may_make: out of memory. */
gjkd_place *gjkd_copy_find(gjkd_copy *copy, const char *name, bool may_make);

/* Frees places and, unless it is the readers', the registry. */
void gjkd_copy_clear(gjkd_copy *copy, bool frees_sets);

/* --- What is shown. The lock is held --- */

bool gjkd_cluster_shows(struct gjkd_registry *sets, const char *name,
                        const struct gjkd_version *version);
void gjkd_cluster_show(struct gjkd_registry *sets, const char *name, struct gjkd_version *from,
                       struct gjkd_version *to);
struct gjkd_pending *gjkd_cluster_find_pending(struct gjkd_cluster *cluster, const char *name);

/* Counts a tick right before which this node lacks some. */
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

/* Sets a barrier: true if everything is shown that was acknowledged anywhere before the call. */
bool gjkd_cluster_await_barrier(struct gjkd_cluster *cluster, gjk_budget *budget);

/* The same for the maintainer thread; does nothing where it set one just now, or another one is under
 * way. */
void gjkd_cluster_run_barrier(struct gjkd_cluster *cluster);

/* Publishes the barrier's message. For the reader; it does not wait until that is delivered. */
bool gjkd_cluster_put_barrier(struct gjkd_cluster *cluster, gjkd_barrier *out);

/* Returns true if a barrier up to whose place the log was delivered came at that place, or a later
 * one did. If not, the server that delivers has another log than the leader: one that was killed
 * may, for a while after its start. The lock is held. */
bool gjkd_cluster_has_come(const struct gjkd_cluster *cluster, gjkd_barrier barrier);

/* Returns true if the messages of a set weigh so much more than the set, which has so many shapes
 * now, that it is to be rolled up. The lock is held. */
bool gjkd_place_is_heavy(const gjkd_place *place, uint32_t shapes);

/* Publishes a set's whole state, which stands for all messages of it before, where it weighs less
 * than those. Of a set that is gone, removes what is left in the log. */
void gjkd_cluster_roll_up(struct gjkd_cluster *cluster, const char *name);

/* Takes the answer to a write's publication; closure is the cluster. On a thread of the engine. */
void gjkd_cluster_take_answer(void *closure, uint64_t token, gjkd_published answer, uint64_t seq);

uint64_t gjkd_cluster_draw_id(void);

/* --- Ticks: ticks.c --- */

typedef enum gjkd_broadcast {
    GJKD_BROADCAST,          /* it is shown, and sent to the other nodes where NATS is there */
    GJKD_BROADCAST_NOT,      /* it is to go through the log */
    GJKD_BROADCAST_CONFLICT, /* another version came first */
    GJKD_BROADCAST_HELD,     /* another node ticks the set: the problem says which */
} gjkd_broadcast;

gjkd_broadcast gjkd_cluster_broadcast_tick(struct gjkd_cluster *cluster,
                                           const gjkd_proposal *proposal,
                                           struct proto_problem *problem);

/* Takes over a tick of another node; closure is the cluster. On a thread of the engine. */
void gjkd_cluster_receive_tick(void *closure, gjkd_engine_message *message);

/* Show, or free, the early ticks: those that wait for the log. The lock is held. */
void gjkd_cluster_take_early_ticks(struct gjkd_cluster *cluster);
void gjkd_cluster_drop_early_ticks(struct gjkd_cluster *cluster);

/* How long the ticks of a set wait at most while it is put into the log, which may be away: for its
 * message, or for a part of that. */
#define GJKD_CHECKPOINT_MS UINT64_C(250)

/* Where the next pass over the sets begins, and not before when: both are set where the log did not
 * answer. All zero at first. */
typedef struct gjkd_checkpoints {
    uint64_t not_before_ns;
    char after[PROTO_SET_NAME_BYTES_MAX + 1]; /* behind that set; "": at the first */
} gjkd_checkpoints;

/* Puts into the log the sets of which it lacks ticks that this node has sent for a while. */
void gjkd_cluster_checkpoint(struct gjkd_cluster *cluster, gjkd_checkpoints *next);

/* --- Threads; closure is the cluster --- */

void *gjkd_cluster_read(void *closure);
void *gjkd_cluster_maintain(void *closure);

#endif
