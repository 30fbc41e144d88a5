#ifndef GJKD_SECURITY_KEYRING_H
#define GJKD_SECURITY_KEYRING_H

/*
 * The tokens in force. They may be reloaded while requests come in: each request is checked
 * against all of the old tokens or all of the new ones. Thread-safe.
 */

#include "gjk/arena.h"
#include "security/token.h"

struct gjkd_keyring;

/* Reads the file; logs a warning if others than its owner can read it. NULL: error says why. */
struct gjkd_keyring *gjkd_keyring_new(const char *file_name, char error[GJKD_TOKEN_ERROR_MAX]);
void gjkd_keyring_free(struct gjkd_keyring *keyring); /* NULL is allowed */

/* Reads the file again. False: error says why, and the old tokens stay in force. */
bool gjkd_keyring_reload(struct gjkd_keyring *keyring, char error[GJKD_TOKEN_ERROR_MAX]);

unsigned gjkd_keyring_count(struct gjkd_keyring *keyring);

/* Returns true if a token with that SHA-256 is in force. O(tokens). */
bool gjkd_keyring_has(struct gjkd_keyring *keyring, const gjkd_digest *digest);

/* Does a token with that SHA-256, now, allow this on the set? False: the problem says why not.
 * O(tokens). */
bool gjkd_keyring_allows(struct gjkd_keyring *keyring, const gjkd_digest *digest, gjkd_scope needed,
                         const char *set, struct proto_problem *problem) GJK_MUST_USE;

typedef enum gjkd_key_status {
    GJKD_KEY_VALID,
    GJKD_KEY_ABSENT,  /* there is no Authorization, or it holds no bearer token */
    GJKD_KEY_UNKNOWN, /* it is none of the tokens */
    GJKD_KEY_NO_MEMORY,
} gjkd_key_status;

/*
 * Looks up the token of an Authorization header's value (NULL: no header). GJKD_KEY_VALID: *grant
 * is what the token allows, its texts in the arena, and *digest the token's SHA-256.
 */
gjkd_key_status gjkd_keyring_authenticate(struct gjkd_keyring *keyring, const char *authorization,
                                          struct gjk_arena *arena, gjkd_grant *grant,
                                          gjkd_digest *digest);

#endif
