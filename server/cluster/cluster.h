#ifndef GJKD_CLUSTER_CLUSTER_H
#define GJKD_CLUSTER_CLUSTER_H

/*
 * Sets shared by all nodes of a cluster: the storage that --cluster asks for. There is one log, a
 * stream of NATS JetStream with a subject for each set, which every node takes in order and shows.
 * A write is one message upon the newest one of its set; the engine takes it only there. Its
 * revision is its place in the log. state.h has the states of a node.
 */

#include "config/config.h"
#include "proto/limits.h"
#include "sets/storage.h"

#define GJKD_CLUSTER_ERROR_MAX 512

struct gjkd_cluster;

/* A constant text for clients, why the node is not ready; NULL: none. */
typedef _Atomic(const char *) gjkd_obstacle;

typedef struct gjkd_cluster_setup {
    const struct gjkd_config *config; /* lives as long as the cluster */
    const proto_limits *limits;
    struct gjkd_registry *registry; /* empty; what readers see */
    gjkd_obstacle *obstacle;        /* why the log cannot be had, from the beginning on */
} gjkd_cluster_setup;

/* Begins to connect and to catch up. NULL: error says what is wrong with the settings. */
struct gjkd_cluster *gjkd_cluster_open(const gjkd_cluster_setup *setup,
                                       char error[GJKD_CLUSTER_ERROR_MAX]);

/* Ends both threads; what they wait for is given up. NULL is allowed. */
void gjkd_cluster_close(struct gjkd_cluster *cluster);

/* The storage to commit to. */
struct gjkd_storage *gjkd_cluster_storage(struct gjkd_cluster *cluster);

/* Blocks until the log has once been read to its end, or so many milliseconds have passed. False:
 * it has not. */
bool gjkd_cluster_wait_for_start(struct gjkd_cluster *cluster, uint64_t wait_ms);

/* Returns true if the servers of NATS are older than 2.10. */
bool gjkd_cluster_has_old_engine(const struct gjkd_cluster *cluster);

typedef enum gjkd_cluster_state {
    GJKD_CLUSTER_READY,
    GJKD_CLUSTER_CATCHING_UP, /* the log is longer than what is shown */
    GJKD_CLUSTER_DEGRADED,    /* the log cannot be read or written; what is shown may be old */
} gjkd_cluster_state;

typedef struct gjkd_cluster_measure {
    const char *name, *node;
    gjkd_cluster_state state;
    uint64_t lag;      /* places of the log, as far as they are known, that are not shown yet */
    uint64_t position; /* that is shown */
    uint64_t epoch;    /* 0: not known yet */
    uint64_t published, applied, conflicts; /* messages */
    uint64_t strays;                        /* messages of others, passed over */
    uint64_t resyncs;                       /* full ones, after the start */
    uint64_t rollups;                       /* sets that this node has rolled up */
    bool is_stale;                          /* that is older than --stale-after */
    uint64_t age_ns;                        /* of the knowledge that all of the log is shown */
    /* Ticks beside the log: that this node has sent, that it has taken from others, that it has
     * dropped, and taken ones right before which it lacks some. */
    uint64_t ticks_sent, ticks_taken, ticks_late, tick_gaps;
} gjkd_cluster_measure;

/* Returns the node's metrics. From any thread; never waits for the servers. */
gjkd_cluster_measure gjkd_cluster_measure_now(struct gjkd_cluster *cluster);

#define GJKD_CLUSTER_MEMBERS_MAX 64
#define GJKD_CLUSTER_WORD_MAX 32

/* Report of a node on itself, in the log with each of its barriers. */
typedef struct gjkd_cluster_member {
    char node[GJKD_NODE_NAME_BYTES_MAX + 1];
    char state[GJKD_CLUSTER_WORD_MAX], version[GJKD_CLUSTER_WORD_MAX];
    char patterns[GJKD_PATTERNS_BYTES_MAX + 1]; /* of the sets that it holds */
    uint64_t age_ms, last, sets;
    uint64_t heard_ns; /* when that was said */
} gjkd_cluster_member;

typedef struct gjkd_cluster_overview {
    bool is_seen;                              /* what follows of the log is known */
    char leader[GJKD_NODE_NAME_BYTES_MAX + 1]; /* "": it has none now, or there is one server */
    uint64_t servers, bytes, last;             /* of the log */
    unsigned count; /* of nodes; more were silent for longer than these */
    gjkd_cluster_member members[GJKD_CLUSTER_MEMBERS_MAX]; /* in order of their names */
} gjkd_cluster_overview;

/* Lists the nodes and asks the leader of the log for its state, for a second at most. For workers
 * only. A node's report is as old as its last barrier; a node that has been silent for some seconds
 * is "away". */
void gjkd_cluster_look_over(struct gjkd_cluster *cluster, gjkd_cluster_overview *out);

/* Returns the name of a state: "ready", "catching-up" or "degraded". Static storage. */
const char *gjkd_cluster_state_name(gjkd_cluster_state state);

/*
 * Blocks until the set is at that revision or above or, where there is none, the log was shown up
 * to there. For workers only. False: the budget is spent.
 */
bool gjkd_cluster_wait_for_revision(struct gjkd_cluster *cluster, const char *set,
                                    uint64_t revision, gjk_budget *budget);

/* Blocks until everything is shown that was acknowledged anywhere before the call. For workers
 * only. False: that cannot be known now, or the budget is spent. */
bool gjkd_cluster_wait_for_newest(struct gjkd_cluster *cluster, gjk_budget *budget);

/* Returns true if the set has a change that this node does not understand, so that what is shown is
 * not what the set is. */
bool gjkd_cluster_is_blocked(struct gjkd_cluster *cluster, const char *set);

/* Returns true if this node holds sets of that name (--sets). Else the problem names the nodes that
 * do. */
bool gjkd_cluster_check_held(struct gjkd_cluster *cluster, const char *set,
                             struct proto_problem *problem);

/* Returns the latest time, by uv_hrtime, of which is known that everything acknowledged before it
 * is shown; 0: none yet. Never waits. */
uint64_t gjkd_cluster_known_ns(const struct gjkd_cluster *cluster);

#endif
