#ifndef GJKD_CLUSTER_FILE_H
#define GJKD_CLUSTER_FILE_H

/*
 * The file of a node (--data-dir): a copy of all sets as they are at one place of the log, so that the
 * node starts with it and the rest of the log, and so that the sets are somewhere when every server
 * that keeps the log has lost it. Nobody waits for it: what a write is promised is the quorum.
 *
 * What differs from what the file has is written in one transaction with the place, over and over
 * again, so that whatever a crash leaves is some place of the log, whole.
 */

#include "cluster/cluster.h"

struct gjkd_node_file;

typedef struct gjkd_node_file_measure {
    bool is_there;   /* --data-dir is given */
    bool is_failing; /* the file could not be written the last time */
    uint64_t place;  /* of the log, that it holds */
    uint64_t saves;  /* transactions */
    uint64_t failures;
} gjkd_node_file_measure;

/*
 * Opens the file and shows what it has, at its place; before any thread of the cluster runs. NULL: error
 * says why not, and what to do.
 */
struct gjkd_node_file *gjkd_node_file_open(struct gjkd_cluster *cluster,
                                           char error[GJKD_CLUSTER_ERROR_MAX]);

/* Starts the thread that keeps it. False: there is none. */
bool gjkd_node_file_start(struct gjkd_node_file *file) GJK_MUST_USE;

/* Ends the thread, once the cluster stops, writes what is shown a last time, and closes the file. NULL
 * is allowed. */
void gjkd_node_file_close(struct gjkd_node_file *file);

/* From any thread; NULL: all zero. */
gjkd_node_file_measure gjkd_node_file_measure_now(struct gjkd_node_file *file);

#endif
