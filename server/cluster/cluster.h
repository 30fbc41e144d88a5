#ifndef GJKD_CLUSTER_CLUSTER_H
#define GJKD_CLUSTER_CLUSTER_H

/*
 * Sets shared by all nodes of a cluster: the storage that --cluster asks for. There is one
 * log (engine.h), which every node takes in order and shows in its registry; a change is made by
 * putting it at the end of the log, at the place that its writer has expected. Whoever is not first
 * there catches up and judges again. So there is one order of all writes, which is that of
 * revisions: a revision is a place of the log.
 *
 * Four threads, which may wait for the servers: one takes what the log tells, one publishes what
 * writers propose, as many changes of different sets in one message as have come meanwhile, one tells
 * and takes ticks that only move shapes (ticks.h), and one makes snapshots, so that neither the log nor
 * the start of a node grows without end.
 */

#include "config/config.h"
#include "proto/limits.h"
#include "sets/storage.h"

#define GJKD_CLUSTER_ERROR_MAX 512

struct gjkd_cluster;

/* A constant text for everybody who asks the node; NULL: there is none. */
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

/* Blocks until the log has once been taken to its end or, with a file of the node's own and without a
 * log that can be read, the file alone is answered from; or so many milliseconds have passed. False:
 * neither has happened. */
bool gjkd_cluster_wait_for_start(struct gjkd_cluster *cluster, uint64_t wait_ms);

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
    uint64_t worlds;                        /* how often all began anew */
    uint64_t snapshots;                     /* that this node has made */
    bool has_file;                          /* --data-dir: what follows is of it */
    bool file_fails;                        /* it could not be written the last time */
    uint64_t file_position;                 /* up to which it has the log */
    uint64_t file_saves, file_failures;
    /* Ticks beside the log: that this node has told, that it has taken from others, that it has
     * dropped, and taken ones right before which it lacks some. */
    uint64_t ticks_told, ticks_taken, ticks_late, tick_gaps;
} gjkd_cluster_measure;

/* From any thread; never waits for the servers. */
gjkd_cluster_measure gjkd_cluster_measure_now(struct gjkd_cluster *cluster);

/* Shows the names of states: "ready", "catching-up", "degraded". */
const char *gjkd_cluster_state_name(gjkd_cluster_state state);

/*
 * Blocks until the set is at that revision or above or, where there is none, the log was shown up to
 * there. For workers only. False: the budget is spent.
 */
bool gjkd_cluster_wait_for_revision(struct gjkd_cluster *cluster, const char *set,
                                    uint64_t revision, gjk_budget *budget);

#endif
