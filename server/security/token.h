#ifndef GJKD_SECURITY_TOKEN_H
#define GJKD_SECURITY_TOKEN_H

/*
 * The tokens that a file names: who has one, its SHA-256 (never the token itself), and what it
 * allows. One line a token:
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
    gjkd_digest digests[GJKD_TOKENS_MAX]; /* side by side: all are looked at for each request */
    gjkd_token items[GJKD_TOKENS_MAX];
};

/*
 * Reads a whole file. False: *out is of no use, and error names the line at fault (with
 * shown_name before it) but nothing of what stands there besides names and scopes.
 */
bool gjkd_tokens_read(FILE *file, const char *shown_name, struct gjkd_tokens *out,
                      char error[GJKD_TOKEN_ERROR_MAX]);

/*
 * The token of that digest, or NULL. Takes the same time whichever token it is, and however
 * much of a digest agrees. O(tokens).
 */
const gjkd_token *gjkd_tokens_find(const struct gjkd_tokens *tokens, const gjkd_digest *digest);

#endif
