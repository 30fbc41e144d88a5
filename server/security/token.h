#ifndef GJKD_SECURITY_TOKEN_H
#define GJKD_SECURITY_TOKEN_H

/*
 * The token file: for each token a line with its name, its SHA-256 (never the token itself) and its
 * rights:
 *
 *     NAME SHA256-HEX SCOPES [PREFIX[:read],...]    # a comment
 *
 * SCOPES is a comma-separated choice of read, write and admin. The list limits the token to sets
 * whose names begin with one of the prefixes; the longest matching prefix counts. `:read` restricts
 * the token to reading there.
 */

#include "gjk/arena.h"
#include "proto/problem.h"
#include "util/hash.h"
#include "util/log.h"

#include <stdio.h>

#define GJKD_TOKENS_MAX 1024
#define GJKD_TOKEN_NAME_BYTES_MAX 64
#define GJKD_SET_PREFIX_BYTES_MAX 128
#define GJKD_TOKEN_LINE_BYTES_MAX 1024

/*
 * Rights of a request: the scope and the sets that its token grants, independent of how tokens are
 * stored. Without a token file every request has all rights.
 */

/* Each scope includes the ones before it. */
typedef enum gjkd_scope {
    GJKD_SCOPE_NONE,  /* public: health probes, descriptions of problems */
    GJKD_SCOPE_READ,  /* queries, and reading sets */
    GJKD_SCOPE_WRITE, /* changing sets */
    GJKD_SCOPE_ADMIN, /* administering the daemon */
} gjkd_scope;

const char *gjkd_scope_text(gjkd_scope scope); /* "read", "write", "admin"; "none" */

/* The rights of one request. The texts live as long as the request. sets: the list of prefixes in
 * the form of the file; "": all sets. holder: name of the token; "" if no token is required. */
typedef struct gjkd_grant {
    gjkd_scope scope;
    const char *sets;
    const char *holder;
} gjkd_grant;

/* Returns a grant of all rights. */
gjkd_grant gjkd_grant_all(void);

/* Returns true if the name begins, bytewise, with a prefix of the grant. The set need not exist. */
bool gjkd_grant_covers_set(const gjkd_grant *grant, const char *name);

/* Copies the least prefix that is bytewise above a name that the grant does not cover: the grant
 * covers no name between the two. Returns false if there is none. */
bool gjkd_grant_next(const gjkd_grant *grant, const char *name,
                     char out[GJKD_SET_PREFIX_BYTES_MAX + 1]);

/* Check that the scope is granted, or granted on the set. Return false if not: *problem is
 * `forbidden` and names the missing right, never the set. */
bool gjkd_access_scope(const gjkd_grant *grant, gjkd_scope needed, struct proto_problem *problem);
bool gjkd_access_set(const gjkd_grant *grant, gjkd_scope needed, const char *name,
                     struct proto_problem *problem);

typedef struct gjkd_token {
    char name[GJKD_TOKEN_NAME_BYTES_MAX + 1];
    gjkd_scope scope;
    char sets[GJKD_TOKEN_LINE_BYTES_MAX + 1]; /* as in gjkd_grant */
} gjkd_token;

struct gjkd_tokens {
    unsigned count;
    gjkd_digest digests[GJKD_TOKENS_MAX]; /* contiguous, because every request compares all of
                                             them */
    gjkd_token items[GJKD_TOKENS_MAX];
};

/*
 * Reads a whole file. Returns false if it is invalid: *out is undefined, and error names
 * shown_name, the line and the fault, but quotes nothing except names of tokens.
 */
bool gjkd_tokens_read(FILE *file, const char *shown_name, struct gjkd_tokens *out,
                      char error[GJKD_ERROR_MAX]);

/* Returns the token with that digest, or NULL. O(tokens), in a time that depends on nothing
 * else. */
const gjkd_token *gjkd_tokens_find(const struct gjkd_tokens *tokens, const gjkd_digest *digest);

/*
 * A keyring: the tokens in force. They can be reloaded at any time: each request is checked against
 * all of the old tokens or all of the new ones. Thread-safe.
 */

struct gjkd_keyring;

/* Reads the file, and logs a warning if others than its owner can read it. Returns NULL, with the
 * reason in error, on failure. */
struct gjkd_keyring *gjkd_keyring_new(const char *file_name, char error[GJKD_ERROR_MAX]);
void gjkd_keyring_free(struct gjkd_keyring *keyring); /* NULL is allowed */

/* Reads the file again; *count is the number of tokens. On failure sets error, keeps the old tokens
 * in force and returns false. */
bool gjkd_keyring_reload(struct gjkd_keyring *keyring, unsigned *count, char error[GJKD_ERROR_MAX]);

/* Returns true if a token with that SHA-256 is in force. O(tokens). */
bool gjkd_keyring_has(struct gjkd_keyring *keyring, const gjkd_digest *digest);

/* Returns true if a token with that SHA-256 is in force and grants the scope on the set. If not,
 * sets the problem. O(tokens). */
bool gjkd_keyring_allows(struct gjkd_keyring *keyring, const gjkd_digest *digest, gjkd_scope needed,
                         const char *set, struct proto_problem *problem) GJK_MUST_USE;

typedef enum gjkd_key_status {
    GJKD_KEY_VALID,
    GJKD_KEY_ABSENT,  /* there is no Authorization header, or it holds no bearer token */
    GJKD_KEY_UNKNOWN, /* the token is not in the file */
    GJKD_KEY_NO_MEMORY,
} gjkd_key_status;

/*
 * Looks up the token in the value of an Authorization header (NULL: none). On GJKD_KEY_VALID,
 * *grant is the token's rights, with texts in the arena, and *digest its SHA-256.
 */
gjkd_key_status gjkd_keyring_authenticate(struct gjkd_keyring *keyring, const char *authorization,
                                          struct gjk_arena *arena, gjkd_grant *grant,
                                          gjkd_digest *digest);

#endif
