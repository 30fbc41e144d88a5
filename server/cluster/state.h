#ifndef GJKD_CLUSTER_STATE_H
#define GJKD_CLUSTER_STATE_H

/* What the files of the cluster share. */

#include "cluster/cluster.h"
#include "cluster/engine.h"
#include "cluster/record.h"

#include <pthread.h>
#include <stdatomic.h>

struct gjkd_node_file;

typedef enum gjkd_log_verdict {
    GJKD_KEPT,    /* it is in the log and shown, `to` with its revision */
    GJKD_TOLD,    /* a tick that only moves shapes: it is shown here, and the others are told */
    GJKD_OUTRUN,  /* another write came before it: nothing has changed, but the set */
    GJKD_AWAY,    /* the log cannot be written, and nothing has changed */
    GJKD_LATE,    /* the budget is spent, and nothing has changed */
    GJKD_UNCLEAR, /* the same, but it may be in the log, or come there yet */
} gjkd_log_verdict;

/* A proposal that waits, is being published or is settled; whoever waits for it holds one
 * reference, the queue or the group the other. */
struct gjkd_entry {
    struct gjkd_entry *next;
    gjkd_proposal proposal; /* versions retained */
    char name[PROTO_SET_NAME_BYTES_MAX + 1];
    gjkd_stamp stamp;
    bool is_quiet;    /* it raises no revision: only poses differ, or nothing */
    bool is_question; /* no proposal: does the log have more of the set than what was seen? */
    uint64_t seen;    /* the order of the set's version; 0: there was none */
    gjkd_log_verdict verdict;           /* once it is settled */
    bool is_settled, is_taken, is_left; /* left: nobody waits for it */
};

/* What is being published: a message of one place. */
struct gjkd_group {
    struct gjkd_entry *entries[GJKD_RECORD_CHANGES_MAX];
    uint32_t count, changes; /* entries, and those that are no questions */
    gjkd_message_head head;
    uint64_t expected; /* the place before it */
    uint64_t world;    /* in which it was made */
    bool is_applied;
};

/* Ticks, and their bytes, that may wait to be told; and that came and wait for the log. */
#define GJKD_TICKS_WAITING_MAX 1024
#define GJKD_TICKS_WAITING_BYTES_MAX ((uint64_t)64 << 20)

struct gjkd_letter;

typedef struct gjkd_letters {
    struct gjkd_letter *first, **end;
    uint32_t count;
    uint64_t bytes;
} gjkd_letters;

/* Of a cluster, under its lock but for the counters. */
typedef struct gjkd_ticker {
    pthread_t thread;
    bool has_thread;
    pthread_cond_t wakeup;
    gjkd_letters out, in;
    bool is_news; /* what came may have become good since it was looked at */
    _Atomic uint64_t told, taken, late, gaps;
} gjkd_ticker;

/*
 * A message is valid if it names the last valid one before it: it was judged by what that had made.
 * All others are void: every node skips them. So the order of writes does not hang on the servers'
 * judgement of places alone.
 *
 * Servers that lose what they have acknowledged (most of them crash before their disks are written)
 * may put other messages at places that are shown already. So whenever one may have gone, which
 * counts as a doubt, the message that was shown last is compared with the one that is there now, and
 * until then nothing is published, and ticks are neither told beside the log nor taken: they name a
 * place, at which another log of that epoch has something else.
 */
struct gjkd_cluster {
    struct gjkd_storage base; /* first */
    gjkd_cluster_setup setup;
    struct gjkd_engine *engine;
    struct gjkd_registry *next; /* the reader's: sets of a world that is read beside the one that is
                                   shown (world.c); NULL: there is none */
    struct gjkd_node_file *file; /* NULL: no --data-dir */
    char node[GJKD_NODE_NAME_BYTES_MAX + 1];

    pthread_t reader, publisher, keeper;
    bool has_reader, has_publisher, has_keeper;

    pthread_mutex_t lock;   /* of what follows */
    pthread_cond_t moved;   /* the position, or that something is settled */
    pthread_cond_t wakeup;  /* of the publisher */
    pthread_cond_t rest;    /* of the keeper, between two looks */
    uint64_t position;      /* of the log, that is shown */
    uint64_t place_id;      /* of the message at that place, valid or void; 0: not known */
    uint64_t message_id;    /* of the last valid message up to there; 0: not known */
    uint64_t message_place; /* where that stands; 0: not known */
    uint64_t epoch;
    uint64_t world;      /* counts how often all was begun anew */
    uint64_t skipped_to; /* by the newest snapshot that was begun with */
    struct gjkd_entry *first, **end;
    struct gjkd_group *group; /* that is being published, or NULL */
    gjkd_ticker ticker;

    _Atomic uint64_t shown, known_end;       /* positions, for measures */
    _Atomic uint64_t doubts, settled_doubts; /* equal: the log goes on from what is shown */
    atomic_bool is_anew; /* changes under the lock: there is such a world, of which all that follows
                            `moved` tells */
    atomic_bool stops, has_started, is_open, is_stuck, is_to_look, has_unlogged;
    _Atomic uint64_t published, applied, conflicts, snapshots;
    _Atomic(const char *)
        blocked; /* why the next message of the log cannot be taken; NULL: it can */
    _Atomic uint64_t strays, stray_logged_ns; /* messages of others on gjkd's subjects */
    _Atomic uint64_t stray_note;              /* the newest of them among the notes of snapshots */
    _Atomic uint64_t log_bytes;               /* since the newest snapshot, as far as is known */
};

/* Gives up waiting after that time, of CLOCK_MONOTONIC. The lock is held. */
void gjkd_cluster_wait(struct gjkd_cluster *cluster, pthread_cond_t *condition, uint64_t wait_ms);

/* Counts a message that is none of gjkd's, and logs it at most once a minute. On any thread. */
void gjkd_cluster_note_stray(struct gjkd_cluster *cluster);

/* Whether the log can be written, as far as is known. */
bool gjkd_cluster_is_away(struct gjkd_cluster *cluster);

/* The group's message is valid and stands at that place, which follows the position: its versions are
 * shown and its entries settled. The lock is held. */
void gjkd_group_apply(struct gjkd_cluster *cluster, struct gjkd_group *group, uint64_t place);

/* Whether that version (NULL: no set) is what there is. */
bool gjkd_cluster_shows(struct gjkd_registry *sets, const char *name,
                        const struct gjkd_version *version);

/* Whether a write to the set is on its way to the log, so that nothing else may be shown of it but by
 * the log. The lock is held. */
bool gjkd_cluster_awaits(const struct gjkd_cluster *cluster, const char *name);

/* Has ticks looked at that came too early. The lock is held. */
void gjkd_cluster_wake_ticker(struct gjkd_cluster *cluster);

/* Shows what has come after `from`. The lock is held. */
void gjkd_cluster_show(struct gjkd_registry *sets, const char *name, struct gjkd_version *from,
                       struct gjkd_version *to);

/* Counts a tick of another node, newer than those of `from` (NULL: no set), that comes after a gap. */
void gjkd_cluster_count_gap(struct gjkd_cluster *cluster, const struct gjkd_version *from,
                            const struct gjkd_version *to);

/* The position is another one, of the message with place_id (0: not known), and the last valid one up to
 * there is message_id. The lock is held. */
void gjkd_cluster_move(struct gjkd_cluster *cluster, uint64_t place, uint64_t place_id,
                       uint64_t message_id);

/* The log may not be any more what is shown. */
void gjkd_cluster_doubt(struct gjkd_cluster *cluster);
bool gjkd_cluster_is_sure(const struct gjkd_cluster *cluster);

/* --- Another world: world.c, for the reader --- */

/* The sets to which the log's messages lead: those that are shown, or those beside them. */
struct gjkd_registry *gjkd_world_sets(struct gjkd_cluster *cluster);

/* Begins with the log of that epoch, from its beginning. False: there is no memory, and nothing has
 * changed. */
bool gjkd_world_begin(struct gjkd_cluster *cluster, uint64_t epoch, const char *why) GJK_MUST_USE;

/* Shows the world beside, if there is one, now that all of its log has been read. */
void gjkd_world_finish(struct gjkd_cluster *cluster);

/* Whether requests still find memory beside both; if not, the one that is shown has to go. */
bool gjkd_world_has_room(void);
void gjkd_world_make_room(struct gjkd_cluster *cluster);

/* --- Cuts --- */

/* All sets as they are at one place of the log. */
struct gjkd_cut {
    struct gjkd_version **versions; /* in the order of names, retained */
    size_t count;
    gjkd_message_head head; /* of the last valid message; previous: the place */
    uint64_t message_place; /* where that message stands; 0: not known */
    uint64_t world;
};

/* False: there is no memory, or another world is being read. To be ended in any case. */
bool gjkd_cut_make(struct gjkd_cluster *cluster, struct gjkd_cut *out) GJK_MUST_USE;
void gjkd_cut_fini(struct gjkd_cut *cut);

/* Makes the sets that a text tells, as record.h puts them, in a registry of their own. False: the
 * problem says why not. */
bool gjkd_cluster_make_sets(struct gjkd_cluster *cluster, proto_text text,
                            struct gjkd_registry *out, struct proto_problem *problem) GJK_MUST_USE;

/* Goes on with the newest snapshot instead of the log that is gone. For the reader. False: error says
 * why not. */
bool gjkd_cluster_take_snapshot(struct gjkd_cluster *cluster,
                                char error[GJKD_ENGINE_ERROR_MAX]) GJK_MUST_USE;

/* The threads; closure is the cluster. */
void *gjkd_cluster_read(void *closure);
void *gjkd_cluster_publish(void *closure);
void *gjkd_cluster_keep(void *closure);

/* Puts into the log what this node has told of sets whose ticks have stopped. For the keeper. */
void gjkd_cluster_checkpoint(struct gjkd_cluster *cluster);

/* Puts the proposal into the log. May block, so it is for workers and the keeper. */
gjkd_log_verdict gjkd_cluster_propose(struct gjkd_cluster *cluster, const gjkd_proposal *proposal,
                                      gjk_budget *budget);

/* The functions of gjkd_storage. */
bool gjkd_cluster_has_room(struct gjkd_storage *storage, struct proto_problem *problem);
gjkd_verdict gjkd_cluster_commit(struct gjkd_storage *storage, const gjkd_proposal *proposal,
                                 gjk_budget *budget, struct proto_problem *problem);
gjkd_verdict gjkd_cluster_confirm(struct gjkd_storage *storage, const char *set, uint64_t seen,
                                  const char *if_match, gjk_budget *budget,
                                  struct proto_problem *problem);

#endif
