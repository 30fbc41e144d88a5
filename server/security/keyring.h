#ifndef GJKD_SECURITY_KEYRING_H
#define GJKD_SECURITY_KEYRING_H

/*
 * The tokens that count at present. They may be read again while requests come in: a request
 * is judged by all of the old ones or by all of the new ones. Thread-safe.
 */

#include "gjk/arena.h"
#include "security/token.h"

struct gjkd_keyring;

/* Reads the file. NULL: error says why. */
struct gjkd_keyring *gjkd_keyring_new(const char *file_name, char error[GJKD_TOKEN_ERROR_MAX]);
void gjkd_keyring_free(struct gjkd_keyring *keyring); /* NULL is allowed */

/* Reads the file again. False: error says why, and the tokens are those from before. */
bool gjkd_keyring_reload(struct gjkd_keyring *keyring, char error[GJKD_TOKEN_ERROR_MAX]);

unsigned gjkd_keyring_count(struct gjkd_keyring *keyring);

typedef enum gjkd_key_status {
    GJKD_KEY_FITS,
    GJKD_KEY_ABSENT,  /* there is no Authorization, or it holds no bearer token */
    GJKD_KEY_UNKNOWN, /* no token is that one */
    GJKD_KEY_NO_MEMORY,
} gjkd_key_status;

/*
 * What does the Authorization header (NULL: none) allow? On FITS *grant holds it, with its
 * prefix in the arena, and *digest is the token's.
 */
gjkd_key_status gjkd_keyring_ask(struct gjkd_keyring *keyring, const char *authorization,
                                 struct gjk_arena *arena, gjkd_grant *grant, gjkd_digest *digest);

#endif
