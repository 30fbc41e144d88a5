#ifndef GJKD_UTIL_PATH_H
#define GJKD_UTIL_PATH_H

/* Parsing of a request target. The path is split at slashes before its segments are
 * percent-decoded, so that %2F does not separate segments. */

#include "util/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GJKD_SEGMENTS_MAX 8

typedef struct gjkd_segment {
    const char *text; /* decoded, NUL-terminated, without a NUL inside */
    size_t length;
} gjkd_segment;

typedef struct gjkd_path {
    unsigned count; /* "/" has one empty segment */
    gjkd_segment segments[GJKD_SEGMENTS_MAX];
} gjkd_path;

typedef enum gjkd_path_status {
    GJKD_PATH_OK,
    GJKD_PATH_MALFORMED, /* no leading slash, a bad escape or an escaped NUL */
    GJKD_PATH_TOO_DEEP,  /* more segments than any route has */
} gjkd_path_status;

/* Splits and decodes the path in place; *out points into text. */
gjkd_path_status gjkd_path_parse(char *text, gjkd_path *out);

/* Bits of query parameters, for sets of them. */
enum {
    GJKD_PARAM_PREFIX = 1,
    GJKD_PARAM_LIMIT = 2,
    GJKD_PARAM_CURSOR = 4,
    GJKD_PARAM_FIELDS = 8,   /* fields=summary */
    GJKD_PARAM_PIECES = 16,  /* fields=pieces */
    GJKD_PARAM_HANDLES = 32, /* fields=handles */
    GJKD_PARAM_KINDS = 64,
    GJKD_PARAM_SINCE = 128,
    GJKD_PARAM_FILTER = 256,
    GJKD_PARAM_REPLACE = 512, /* replace=true */
    GJKD_PARAM_WAIT = 1024,   /* wait=true */
};

typedef struct gjkd_params {
    unsigned given;     /* bits of the names that occur, with or without a value */
    const char *prefix; /* NULL: none */
    const char *cursor; /* NULL: none */
    const char *kinds;  /* NULL: none */
    const char *since;  /* NULL: none */
    const char *filter; /* NULL: none */
    uint64_t limit;     /* 0: none */
    bool summary;       /* fields=summary */
    bool pieces;        /* fields=pieces */
    bool handles;       /* fields=handles */
    bool replace;       /* replace=true */
    bool wait;          /* wait=true */
} gjkd_params;

/*
 * Parses "a=b&c=d" in place; NULL or "" means no parameters. Returns false, with a reason in error,
 * on a name that is not in `taken` or occurs twice, a malformed escape, or an invalid value.
 */
bool gjkd_params_parse(char *query, unsigned taken, gjkd_params *out, char error[GJKD_ERROR_MAX]);

#endif
