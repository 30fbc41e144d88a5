#ifndef GJKD_SECURITY_TOKEN_H
#define GJKD_SECURITY_TOKEN_H

/*
 * The token file: the name of each token, its SHA-256 (never the token itself) and what it allows,
 * one token a line:
 *
 *     NAME SHA256-HEX SCOPES [SET-PREFIX]    # a comment
 *
 * with scopes a comma-separated choice of read, write and admin.
 */

#include "security/access.h"
#include "util/digest.h"

#include <stdio.h>

#define GJKD_TOKENS_MAX 1024
#define GJKD_TOKEN_NAME_BYTES_MAX 64
#define GJKD_SET_PREFIX_BYTES_MAX 128
#define GJKD_TOKEN_LINE_BYTES_MAX 1024
#define GJKD_TOKEN_ERROR_MAX 384

typedef struct gjkd_token {
    char name[GJKD_TOKEN_NAME_BYTES_MAX + 1];
    gjkd_scope scope;
    char set_prefix[GJKD_SET_PREFIX_BYTES_MAX + 1]; /* "": all sets */
} gjkd_token;

struct gjkd_tokens {
    unsigned count;
    gjkd_digest digests[GJKD_TOKENS_MAX]; /* contiguous: every request compares them all */
    gjkd_token items[GJKD_TOKENS_MAX];
};

/*
 * Reads a whole file. False: *out is undefined, and error names shown_name, the line and the fault,
 * quoting nothing but names.
 */
bool gjkd_tokens_read(FILE *file, const char *shown_name, struct gjkd_tokens *out,
                      char error[GJKD_TOKEN_ERROR_MAX]);

/* The token with that digest, or NULL. O(tokens), in a time that depends only on their number. */
const gjkd_token *gjkd_tokens_find(const struct gjkd_tokens *tokens, const gjkd_digest *digest);

#endif
