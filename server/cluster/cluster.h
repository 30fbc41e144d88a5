#ifndef GJKD_CLUSTER_CLUSTER_H
#define GJKD_CLUSTER_CLUSTER_H

/*
 * Storage for --cluster: sets that all nodes of a cluster share. The sets are kept in one log, a
 * stream of NATS JetStream with a subject for each set. Every node reads the log in order and shows
 * the result. A write is one message of the log, and NATS accepts the message only if the write was
 * made from the newest message of the set. A revision is a position in the log (a sequence number
 * of the stream). state.h describes the states of a node.
 */

#include "config/config.h"
#include "proto/limits.h"
#include "sets/storage.h"

#define GJKD_CLUSTER_ERROR_MAX 512

struct gjkd_cluster;

/* Reason why the node is not ready, a constant text for clients; NULL if it is ready. */
typedef _Atomic(const char *) gjkd_obstacle;

typedef struct gjkd_cluster_setup {
    const struct gjkd_config *config; /* must outlive the cluster */
    const proto_limits *limits;
    struct gjkd_registry *registry; /* registry that readers use; empty at first */
    gjkd_obstacle *obstacle;        /* receives the reason while the log is unavailable */
} gjkd_cluster_setup;

/* Starts to connect and to read the log. Returns NULL if the settings are wrong: error says why. */
struct gjkd_cluster *gjkd_cluster_open(const gjkd_cluster_setup *setup,
                                       char error[GJKD_CLUSTER_ERROR_MAX]);

/* Stops both threads and abandons all waits. cluster may be NULL. */
void gjkd_cluster_close(struct gjkd_cluster *cluster);

/* Returns the storage that commits go to. */
struct gjkd_storage *gjkd_cluster_storage(struct gjkd_cluster *cluster);

/* Returns true if the log has been read to its end once. If not, waits for up to wait_ms
 * milliseconds, or until some state of the node changes, and looks again. */
bool gjkd_cluster_wait_for_start(struct gjkd_cluster *cluster, uint64_t wait_ms);

/* Returns true if the NATS servers are older than 2.10. */
bool gjkd_cluster_has_old_engine(const struct gjkd_cluster *cluster);

typedef enum gjkd_cluster_state {
    GJKD_CLUSTER_READY,
    GJKD_CLUSTER_CATCHING_UP, /* the log is longer than the part that is shown */
    GJKD_CLUSTER_DEGRADED,    /* the log cannot be read or written; the sets shown may be stale */
} gjkd_cluster_state;

typedef struct gjkd_cluster_measure {
    const char *name, *node;
    gjkd_cluster_state state;
    uint64_t lag;      /* messages that the log is known to have and that are not shown yet */
    uint64_t position; /* position in the log of the newest message shown */
    uint64_t epoch;    /* random id of the stream; 0 if not known yet */
    uint64_t published, applied, conflicts; /* numbers of messages */
    uint64_t strays;                        /* messages that gjkd has not written; ignored */
    uint64_t resyncs;                       /* full resyncs since the start */
    uint64_t rollups;                       /* sets that this node has rolled up */
    bool is_stale;                          /* age_ns exceeds --stale-after */
    uint64_t age_ns; /* time since everything acknowledged was known to be shown */
    /* Ticks that bypass the log: sent by this node; received and applied; received and dropped;
     * applied although ticks right before them are missing. */
    uint64_t ticks_sent, ticks_taken, ticks_late, tick_gaps;
} gjkd_cluster_measure;

/* Returns the node's metrics. Thread-safe; never waits for the servers. */
gjkd_cluster_measure gjkd_cluster_measure_now(struct gjkd_cluster *cluster);

#define GJKD_CLUSTER_MEMBERS_MAX 64
#define GJKD_CLUSTER_WORD_MAX 32

/* Report of a node about itself, which is the text of each barrier that it publishes. */
typedef struct gjkd_cluster_member {
    char node[GJKD_NODE_NAME_BYTES_MAX + 1];
    char state[GJKD_CLUSTER_WORD_MAX], version[GJKD_CLUSTER_WORD_MAX];
    char patterns[GJKD_PATTERNS_BYTES_MAX + 1]; /* name patterns of the sets that it holds */
    uint64_t age_ms, last, sets;
    uint64_t heard_ns; /* time of the report (uv_hrtime) */
} gjkd_cluster_member;

typedef struct gjkd_cluster_overview {
    bool
        is_seen; /* true if the log's leader answered; else leader is "" and the next three are 0 */
    char leader[GJKD_NODE_NAME_BYTES_MAX + 1]; /* "" if there is none now, or a single server */
    uint64_t servers, bytes, last; /* copies, size in bytes and newest position of the log */
    unsigned count; /* nodes; of more than 64, the ones silent for longest are left out */
    gjkd_cluster_member members[GJKD_CLUSTER_MEMBERS_MAX]; /* sorted by name */
} gjkd_cluster_overview;

/* Lists the nodes and asks the log's leader for its state, which takes up to a second. Only for
 * workers. A node's report is as old as its last barrier; a node that has been silent for more than
 * 5 s is "away". */
void gjkd_cluster_look_over(struct gjkd_cluster *cluster, gjkd_cluster_overview *out);

/* Returns the name of a state: "ready", "catching-up" or "degraded". Static storage. */
const char *gjkd_cluster_state_name(gjkd_cluster_state state);

/*
 * Blocks until the set's revision is at least `revision` or, if there is no such set, until the log
 * is shown up to that position. Only for workers. Returns false if the budget is spent.
 */
bool gjkd_cluster_wait_for_revision(struct gjkd_cluster *cluster, const char *set,
                                    uint64_t revision, gjk_budget *budget);

/* Blocks until every write acknowledged on any node before the call is shown. Only for workers.
 * Returns false if that cannot be established now, or if the budget is spent. */
bool gjkd_cluster_wait_for_newest(struct gjkd_cluster *cluster, gjk_budget *budget);

/* Returns true if the log has a change of the set that this node cannot apply, so that the version
 * shown is out of date. */
bool gjkd_cluster_is_blocked(struct gjkd_cluster *cluster, const char *set);

/* Returns true if this node holds sets of that name (--sets). If not, the problem lists others. */
bool gjkd_cluster_check_held(struct gjkd_cluster *cluster, const char *set,
                             struct proto_problem *problem);

/* Returns the latest time (uv_hrtime) for which every write acknowledged before it is known to be
 * shown; 0 if there is none yet. Never waits. */
uint64_t gjkd_cluster_known_ns(const struct gjkd_cluster *cluster);

#endif
