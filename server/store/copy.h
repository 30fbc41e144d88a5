#ifndef GJKD_STORE_COPY_H
#define GJKD_STORE_COPY_H

/*
 * A file that a node of a cluster keeps holds a copy of all sets as they are at one place of the
 * cluster's log, and says which place that is. It belongs to that cluster: what is changed in it by
 * anybody else would not be in the log.
 *
 *   copy     one row, or none: the cluster, its log and the place
 *   ticks    what the rows of a set lack, as a text that only the cluster reads, in parts
 */

#include "store/database.h"

#include <stddef.h>
#include <stdint.h>

#define GJKD_COPY_NAME_BYTES_MAX 64

typedef struct gjkd_copy {
    char cluster[GJKD_COPY_NAME_BYTES_MAX + 1]; /* "": it is no copy */
    uint64_t epoch;                             /* of the log */
    uint64_t place;                             /* up to which the sets hold it */
    uint64_t message;       /* id of the last valid message up to there; 0: not known */
    uint64_t message_place; /* where that stands; 0: not known */
} gjkd_copy;

/* Reads the copy. Returns false if it cannot be read, or is damaged. */
bool gjkd_database_get_copy(struct gjkd_database *database, gjkd_copy *out) GJK_MUST_USE;
bool gjkd_database_put_copy(struct gjkd_database *database, const gjkd_copy *copy) GJK_MUST_USE;

/*
 * Reads what the file is a copy of. False: it does not belong to that cluster ("": to a daemon
 * without one), or is damaged; error says so, and what to do.
 */
bool gjkd_copy_check(struct gjkd_database *database, const char *directory, const char *cluster,
                     gjkd_copy *out, char error[GJKD_STORE_ERROR_MAX]) GJK_MUST_USE;

/* The text of a stored set replaces the one before it; length 0: there is none. */
bool gjkd_database_put_ticks(struct gjkd_database *database, const char *name, const char *text,
                             size_t length) GJK_MUST_USE;

/* *text is to be freed; NULL: there is none. False: it cannot be read, is damaged, or there is no
 * memory for it. */
bool gjkd_database_get_ticks(struct gjkd_database *database, const char *name, char **text,
                             size_t *length) GJK_MUST_USE;

#endif
