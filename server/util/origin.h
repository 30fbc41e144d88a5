#ifndef GJKD_UTIL_ORIGIN_H
#define GJKD_UTIL_ORIGIN_H

/*
 * Web origins (RFC 6454): which pages may read the daemon's answers from a browser. An origin
 * is scheme://host or scheme://host:port, in lower case, as a browser sends it.
 */

#include <stdbool.h>
#include <stddef.h>

#define GJKD_ORIGIN_BYTES_MAX 255
#define GJKD_ORIGINS_MAX 64

/* A list of origins. "*" stands for every one. */
struct gjkd_origins {
    unsigned count;
    char names[GJKD_ORIGINS_MAX][GJKD_ORIGIN_BYTES_MAX + 1];
};

/* Is it an origin, or "*"? The origin "null" is none: any sandboxed page has it. */
bool gjkd_is_origin(const char *text, size_t length);

/* What of the list lets a page of this origin (a header's value) read answers: the origin itself,
 * or "*". NULL: nothing does. */
const char *gjkd_origin_find(const char *header, const struct gjkd_origins *allowed);

/* Is "*" in the list? */
bool gjkd_origins_any(const struct gjkd_origins *allowed);

#endif
