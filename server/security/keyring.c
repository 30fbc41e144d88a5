/*
 * Bearer tokens (RFC 6750, section 2.1). A token is hashed before the lock is taken; under the lock
 * its digest is only looked up. A reload swaps the whole table.
 */

#include "security/keyring.h"

#include "security/secret_file.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct gjkd_keyring {
    const char *file_name;
    pthread_rwlock_t lock;
    struct gjkd_tokens *tokens;
};

/* The caller frees it. NULL: error says why. */
static struct gjkd_tokens *read_file(const char *file_name, char error[GJKD_TOKEN_ERROR_MAX]) {
    struct gjkd_tokens *tokens = calloc(1, sizeof *tokens);
    FILE *file = gjkd_secret_file_open(file_name);
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
    if (keyring == NULL) {
        return NULL;
    }
    pthread_rwlock_init(&keyring->lock, NULL);
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
        pthread_rwlock_destroy(&keyring->lock);
        free(keyring->tokens);
        free(keyring);
    }
}

bool gjkd_keyring_reload(struct gjkd_keyring *keyring, char error[GJKD_TOKEN_ERROR_MAX]) {
    struct gjkd_tokens *fresh = read_file(keyring->file_name, error);
    if (fresh == NULL) {
        return false;
    }
    pthread_rwlock_wrlock(&keyring->lock);
    struct gjkd_tokens *old = keyring->tokens;
    keyring->tokens = fresh;
    pthread_rwlock_unlock(&keyring->lock);
    free(old);
    return true;
}

unsigned gjkd_keyring_count(struct gjkd_keyring *keyring) {
    pthread_rwlock_rdlock(&keyring->lock);
    unsigned count = keyring->tokens->count;
    pthread_rwlock_unlock(&keyring->lock);
    return count;
}

bool gjkd_keyring_has(struct gjkd_keyring *keyring, const gjkd_digest *digest) {
    pthread_rwlock_rdlock(&keyring->lock);
    bool found = gjkd_tokens_find(keyring->tokens, digest) != NULL;
    pthread_rwlock_unlock(&keyring->lock);
    return found;
}

bool gjkd_keyring_allows(struct gjkd_keyring *keyring, const gjkd_digest *digest, gjkd_scope needed,
                         const char *set, struct proto_problem *problem) {
    pthread_rwlock_rdlock(&keyring->lock);
    const gjkd_token *token = gjkd_tokens_find(keyring->tokens, digest);
    bool is_allowed = false;
    if (token == NULL) {
        proto_problem_set(problem, PROTO_UNAUTHENTICATED, "the token was revoked");
    } else {
        const gjkd_grant grant = {token->scope, token->set_prefix, token->name};
        is_allowed =
            gjkd_access_scope(&grant, needed, problem) && gjkd_access_set(&grant, set, problem);
    }
    pthread_rwlock_unlock(&keyring->lock);
    return is_allowed;
}

/* The token in the header's value; NULL: there is none. */
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
    return GJKD_KEY_VALID;
}

gjkd_key_status gjkd_keyring_authenticate(struct gjkd_keyring *keyring, const char *authorization,
                                          struct gjk_arena *arena, gjkd_grant *grant,
                                          gjkd_digest *digest) {
    size_t length = 0;
    const char *text = find_text(authorization, &length);
    if (text == NULL) {
        return GJKD_KEY_ABSENT;
    }
    if (!gjkd_digest_make(text, length, digest)) {
        return GJKD_KEY_NO_MEMORY;
    }
    pthread_rwlock_rdlock(&keyring->lock);
    gjkd_key_status status = copy_grant(gjkd_tokens_find(keyring->tokens, digest), arena, grant);
    pthread_rwlock_unlock(&keyring->lock);
    return status;
}
