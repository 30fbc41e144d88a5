#ifndef GJKD_SETS_ETAG_H
#define GJKD_SETS_ETAG_H

/*
 * Entity tags and preconditions (RFC 9110, sections 8.8.3 and 13). A set's ETag is strong:
 * "INCARNATION-REVISION", with "-TICK" behind it where ticks raise no revision; a shape's has
 * "-hHANDLE" at its end. The incarnation is 16 random digits, so that a set that is deleted and
 * made again never matches an older tag. Behind it stand 8 more, the nonce of the write that made
 * the revision: a data directory that is restored from a copy, or a log that has lost its end,
 * gives its revisions once more, to other writes.
 */

#include <stdbool.h>
#include <stdint.h>

/* 24 hexadecimal digits, twice '-' and 20 decimal digits, "-h" and 10 digits, "-gzip", two quotes
 * and a NUL */
#define GJKD_ETAG_MAX 88

/* nonce: 0: the tag has none. */
void gjkd_etag_format(char etag[GJKD_ETAG_MAX], uint64_t incarnation, uint32_t nonce,
                      uint64_t revision);

/* Adds the newest tick. */
void gjkd_etag_add(char etag[GJKD_ETAG_MAX], uint64_t tick);

/* Makes it the tag of the shape with that handle, which no set has. */
void gjkd_etag_add_handle(char etag[GJKD_ETAG_MAX], uint32_t handle);

/* Stands at the end of the tag of a packed form. */
#define GJKD_ETAG_GZIP "-gzip"

/* Makes it the tag of the packed form: "INCARNATION-REVISION-gzip". "" stays. */
void gjkd_etag_mark_gzip(char etag[GJKD_ETAG_MAX]);

typedef enum gjkd_precondition {
    GJKD_PROCEED,
    GJKD_NOT_MODIFIED,         /* 304: a read whose answer the client has */
    GJKD_PRECONDITION_FAILED,  /* 412 */
    GJKD_PRECONDITION_UNCLEAR, /* 400: a header that is neither * nor a list of tags */
} gjkd_precondition;

/*
 * The tag of the packed form counts as that of the form as it is. if_match and if_none_match: the
 * headers' values, or NULL. etag: the current one, or NULL
 * if the resource does not exist. reading: GET and HEAD, for which a match of If-None-Match
 * means 304. If-Match compares strongly, If-None-Match weakly.
 */
gjkd_precondition gjkd_precondition_check(const char *if_match, const char *if_none_match,
                                          const char *etag, bool reading);

#endif
