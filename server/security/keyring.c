/*
 * Which token does a request carry? RFC 6750, section 2.1: `Bearer`, blanks, the token. It is
 * hashed outside the lock; under it tokens are only compared, or swapped as a whole.
 */

#include "security/keyring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <uv.h>

struct gjkd_keyring {
    const char *file_name;
    uv_rwlock_t lock;
    struct gjkd_tokens *tokens;
};

/* To be freed. NULL: error says why. */
static struct gjkd_tokens *read_file(const char *file_name, char error[GJKD_TOKEN_ERROR_MAX]) {
    struct gjkd_tokens *tokens = calloc(1, sizeof *tokens);
    FILE *file = fopen(file_name, "re");
    bool fine = false;
    if (tokens == NULL || file == NULL) {
        snprintf(error, GJKD_TOKEN_ERROR_MAX, "cannot read the tokens %.200s: %s", file_name,
                 tokens == NULL ? "out of memory" : strerror(errno));
    } else {
        fine = gjkd_tokens_read(file, file_name, tokens, error);
    }
    if (file != NULL) {
        fclose(file);
    }
    if (!fine) {
        free(tokens);
        return NULL;
    }
    return tokens;
}

struct gjkd_keyring *gjkd_keyring_new(const char *file_name, char error[GJKD_TOKEN_ERROR_MAX]) {
    struct gjkd_keyring *keyring = calloc(1, sizeof *keyring);
    snprintf(error, GJKD_TOKEN_ERROR_MAX, "out of memory");
    if (keyring == NULL || uv_rwlock_init(&keyring->lock) != 0) {
        free(keyring);
        return NULL;
    }
    keyring->file_name = file_name;
    keyring->tokens = read_file(file_name, error);
    if (keyring->tokens == NULL) {
        gjkd_keyring_free(keyring);
        return NULL;
    }
    return keyring;
}

void gjkd_keyring_free(struct gjkd_keyring *keyring) {
    if (keyring != NULL) {
        uv_rwlock_destroy(&keyring->lock);
        free(keyring->tokens);
        free(keyring);
    }
}

bool gjkd_keyring_reload(struct gjkd_keyring *keyring, char error[GJKD_TOKEN_ERROR_MAX]) {
    struct gjkd_tokens *fresh = read_file(keyring->file_name, error);
    if (fresh == NULL) {
        return false;
    }
    uv_rwlock_wrlock(&keyring->lock);
    struct gjkd_tokens *old = keyring->tokens;
    keyring->tokens = fresh;
    uv_rwlock_wrunlock(&keyring->lock);
    free(old);
    return true;
}

unsigned gjkd_keyring_count(struct gjkd_keyring *keyring) {
    uv_rwlock_rdlock(&keyring->lock);
    unsigned count = keyring->tokens->count;
    uv_rwlock_rdunlock(&keyring->lock);
    return count;
}

/* The token's text, without blanks around it; NULL: there is none. */
static const char *find_text(const char *authorization, size_t *length) {
    static const char scheme[] = "Bearer";
    const size_t begin = sizeof scheme - 1;
    if (authorization == NULL || strncasecmp(authorization, scheme, begin) != 0 ||
        authorization[begin] != ' ') {
        return NULL;
    }
    const char *text = authorization + begin + strspn(authorization + begin, " ");
    *length = strlen(text);
    return *length > 0 ? text : NULL;
}

static gjkd_key_status copy_grant(const gjkd_token *token, struct gjk_arena *arena,
                                  gjkd_grant *grant) {
    if (token == NULL) {
        return GJKD_KEY_UNKNOWN;
    }
    const char *prefix = gjk_arena_copy_text(arena, token->set_prefix, strlen(token->set_prefix));
    const char *holder = gjk_arena_copy_text(arena, token->name, strlen(token->name));
    if (prefix == NULL || holder == NULL) {
        return GJKD_KEY_NO_MEMORY;
    }
    *grant = (gjkd_grant){token->scope, prefix, holder};
    return GJKD_KEY_FITS;
}

gjkd_key_status gjkd_keyring_ask(struct gjkd_keyring *keyring, const char *authorization,
                                 struct gjk_arena *arena, gjkd_grant *grant, gjkd_digest *digest) {
    size_t length = 0;
    const char *text = find_text(authorization, &length);
    if (text == NULL) {
        return GJKD_KEY_ABSENT;
    }
    if (!gjkd_digest_make(text, length, digest)) {
        return GJKD_KEY_NO_MEMORY;
    }
    uv_rwlock_rdlock(&keyring->lock);
    gjkd_key_status status = copy_grant(gjkd_tokens_find(keyring->tokens, digest), arena, grant);
    uv_rwlock_rdunlock(&keyring->lock);
    return status;
}
