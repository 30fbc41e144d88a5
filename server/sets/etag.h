#ifndef GJKD_SETS_ETAG_H
#define GJKD_SETS_ETAG_H

/*
 * Entity tags and preconditions (RFC 9110, sections 8.8.3 and 13). A set's ETag is strong:
 * "INCARNATION-REVISION", followed by "-TICK" in a cluster, where ticks raise no revision. A
 * shape's tag ends with "-hHANDLE". The incarnation is 16 random digits, so that a set that is
 * deleted and created again never matches an older tag. It is followed by 8 random digits, the
 * nonce of the write that made the revision: after a restore from a backup, or the loss of the end
 * of a log, revision numbers are given again, to other writes.
 */

#include <stdbool.h>
#include <stdint.h>

/* 24 hexadecimal digits, two times '-' with 20 decimal digits, "-h" and 10 digits, "-gzip", two
 * quotes and a NUL */
#define GJKD_ETAG_MAX 88

/* Formats the tag of a revision. A nonce of 0 is left out. */
void gjkd_etag_format(char etag[GJKD_ETAG_MAX], uint64_t incarnation, uint32_t nonce,
                      uint64_t revision);

/* Appends the number of the newest tick. */
void gjkd_etag_add(char etag[GJKD_ETAG_MAX], uint64_t tick);

/* Appends a handle, which makes the tag that of a shape: no tag of a set has one. */
void gjkd_etag_add_handle(char etag[GJKD_ETAG_MAX], uint32_t handle);

/* Suffix of the tag of a gzip-compressed representation. */
#define GJKD_ETAG_GZIP "-gzip"

/* Makes the tag that of the compressed form, "INCARNATION-REVISION-gzip". "" stays "". */
void gjkd_etag_mark_gzip(char etag[GJKD_ETAG_MAX]);

typedef enum gjkd_precondition {
    GJKD_PROCEED,
    GJKD_NOT_MODIFIED,         /* 304: a read whose answer the client has */
    GJKD_PRECONDITION_FAILED,  /* 412 */
    GJKD_PRECONDITION_UNCLEAR, /* 400: a header that is neither * nor a list of tags */
} gjkd_precondition;

/*
 * Evaluates If-Match by strong comparison, then If-None-Match by weak comparison (values of the
 * headers, or NULL). etag: the current tag of the resource, or NULL if it does not exist; the tag
 * of its compressed representation matches as well. reading: GET or HEAD, for which a match of
 * If-None-Match means 304.
 */
gjkd_precondition gjkd_precondition_check(const char *if_match, const char *if_none_match,
                                          const char *etag, bool reading);

#endif
