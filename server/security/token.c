/*
 * Parses the token file line by line. Errors name the line and its fault, but never quote a digest,
 * which somebody could try to invert.
 */

#include "security/token.h"

#include "util/files.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BLANKS " \t\r\n"
#define WORDS_MAX 4

struct location {
    const char *file;
    unsigned line;
    char *error;
};

static bool refuse_line(const struct location *location, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool refuse_line(const struct location *location, const char *format, ...) {
    char reason[GJKD_ERROR_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return gjkd_refuse(location->error, "%.100s, line %u: %.260s", location->file, location->line,
                       reason);
}

/* Returns true if text consists of 1 to max letters, digits and characters of `others`. */
static bool is_word(const char *text, size_t max, const char *others) {
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && strchr(others, c) == NULL) {
            return false;
        }
    }
    return length > 0 && length <= max;
}

static bool parse_digest(const char *text, gjkd_digest *out) {
    const gnutls_datum_t digits = {(unsigned char *)(uintptr_t)text, (unsigned)strlen(text)};
    size_t size = sizeof out->bytes;
    return digits.size == 2 * sizeof out->bytes && is_word(text, digits.size, "") &&
           gnutls_hex_decode(&digits, out->bytes, &size) == 0 && size == sizeof out->bytes;
}

/* Parses scopes into the greatest one, since each includes the ones before it. */
static bool parse_scopes(char *text, gjkd_scope *out) {
    *out = GJKD_SCOPE_NONE;
    for (char *at = text; at != NULL;) {
        char *comma = strchr(at, ',');
        if (comma != NULL) {
            *comma = '\0';
        }
        gjkd_scope scope = GJKD_SCOPE_READ;
        while (scope <= GJKD_SCOPE_ADMIN && strcmp(at, gjkd_scope_text(scope)) != 0) {
            scope++;
        }
        if (scope > GJKD_SCOPE_ADMIN) {
            return false;
        }
        *out = scope > *out ? scope : *out;
        at = comma != NULL ? comma + 1 : NULL;
    }
    return true;
}

/* --- The list of prefixes --- */

#define READ_ONLY ":read"

/* An item of the list of prefixes. */
struct prefix {
    const char *text;
    size_t length;
    bool is_read_only;
};

/* Takes the next prefix off a list. Returns false if the list is empty. */
static bool take_prefix(const char **list, struct prefix *out) {
    const size_t suffix = strlen(READ_ONLY), length = strcspn(*list, ",");
    out->text = *list;
    out->is_read_only = length >= suffix && memcmp(*list + length - suffix, READ_ONLY, suffix) == 0;
    out->length = length - (out->is_read_only ? suffix : 0);
    *list += length + ((*list)[length] == ',' ? 1 : 0);
    return length > 0;
}

/* Finds the longest prefix of the name. Returns false if there is none. */
static bool find_prefix(const char *list, const char *name, struct prefix *out) {
    struct prefix prefix;
    bool is_found = false;
    while (take_prefix(&list, &prefix)) {
        if (strncmp(name, prefix.text, prefix.length) == 0 &&
            (!is_found || prefix.length > out->length)) {
            *out = prefix;
            is_found = true;
        }
    }
    return is_found;
}

static bool is_listed(const char *list, const char *end, const struct prefix *wanted) {
    struct prefix prefix;
    while (list < end && take_prefix(&list, &prefix)) {
        if (prefix.length == wanted->length &&
            memcmp(prefix.text, wanted->text, prefix.length) == 0) {
            return true;
        }
    }
    return false;
}

static bool check_prefixes(const char *list, const struct location *location) {
    const char *rest = list;
    for (int number = 1; *rest != '\0' || rest[-1] == ','; number++) {
        const char *at = rest;
        char text[GJKD_SET_PREFIX_BYTES_MAX + 2];
        struct prefix prefix;
        if (!take_prefix(&rest, &prefix)) {
            return refuse_line(location, "prefix %d of the list is empty: take out a comma",
                               number);
        }
        snprintf(text, sizeof text, "%.*s", (int)prefix.length, prefix.text);
        const char *colon = strchr(text, ':');
        if (colon != NULL && colon != text) {
            return refuse_line(location, "behind prefix %d only " READ_ONLY " can stand", number);
        }
        if (!is_word(text, GJKD_SET_PREFIX_BYTES_MAX, "._~-")) {
            return refuse_line(location,
                               "prefix %d: a prefix of set names is 1 to %d of [A-Za-z0-9._~-]",
                               number, GJKD_SET_PREFIX_BYTES_MAX);
        }
        if (is_listed(list, at, &prefix)) {
            return refuse_line(location, "prefix %d stands twice: keep one of the two", number);
        }
    }
    return true;
}

/* --- Lines --- */

/* Splits the line in place and returns the number of words, which may exceed WORDS_MAX. */
static int split(char *line, char *words[WORDS_MAX]) {
    char *rest = NULL;
    int count = 0;
    line[strcspn(line, "#")] = '\0';
    for (char *word = strtok_r(line, BLANKS, &rest); word != NULL;
         word = strtok_r(NULL, BLANKS, &rest)) {
        if (count < WORDS_MAX) {
            words[count] = word;
        }
        count++;
    }
    return count;
}

static bool check_new(const struct gjkd_tokens *tokens, const gjkd_token *token,
                      const gjkd_digest *digest, const struct location *location) {
    for (unsigned i = 0; i < tokens->count; i++) {
        if (strcmp(tokens->items[i].name, token->name) == 0) {
            return refuse_line(location, "the name \"%s\" stands twice", token->name);
        }
    }
    const gjkd_token *same = gjkd_tokens_find(tokens, digest);
    return same == NULL ||
           refuse_line(location, "\"%s\" has the same token as \"%s\"", token->name, same->name);
}

static bool take_line(struct gjkd_tokens *tokens, char *line, const struct location *location) {
    char *words[WORDS_MAX] = {NULL};
    int count = split(line, words);
    gjkd_token token = {.sets = ""};
    gjkd_digest digest;
    if (count == 0) {
        return true;
    }
    if (tokens->count == GJKD_TOKENS_MAX) {
        return refuse_line(location, "there are more than %d tokens", GJKD_TOKENS_MAX);
    }
    if (count < 3 || count > WORDS_MAX) {
        return refuse_line(location, "a line is NAME SHA256-HEX SCOPES [PREFIX[:read],...], "
                                     "without blanks in the list");
    }
    if (!is_word(words[0], GJKD_TOKEN_NAME_BYTES_MAX, "._~:@-")) {
        return refuse_line(location, "a name is 1 to %d of [A-Za-z0-9._~:@-]",
                           GJKD_TOKEN_NAME_BYTES_MAX);
    }
    if (!parse_digest(words[1], &digest)) {
        return refuse_line(location, "the token's SHA-256 is 64 hexadecimal digits");
    }
    if (!parse_scopes(words[2], &token.scope)) {
        return refuse_line(location, "scopes are read, write and admin, with commas between");
    }
    if (count == WORDS_MAX && !check_prefixes(words[3], location)) {
        return false;
    }
    memcpy(token.name, words[0], strlen(words[0]) + 1);
    if (count == WORDS_MAX) {
        memcpy(token.sets, words[3], strlen(words[3]) + 1);
    }
    if (!check_new(tokens, &token, &digest, location)) {
        return false;
    }
    tokens->digests[tokens->count] = digest;
    tokens->items[tokens->count++] = token;
    return true;
}

bool gjkd_tokens_read(FILE *file, const char *shown_name, struct gjkd_tokens *out,
                      char error[GJKD_ERROR_MAX]) {
    char line[GJKD_TOKEN_LINE_BYTES_MAX + 2];
    struct location location = {shown_name, 0, error};
    out->count = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        size_t length = strlen(line);
        location.line++;
        if (length == 0 || (line[length - 1] != '\n' && !feof(file))) {
            return refuse_line(&location, "the line has more than %d bytes, or holds a NUL",
                               GJKD_TOKEN_LINE_BYTES_MAX);
        }
        if (!take_line(out, line, &location)) {
            return false;
        }
    }
    return !ferror(file) || refuse_line(&location, "%s", strerror(errno));
}

/* Returns 0 if the digests are equal. Takes constant time. */
static uint64_t difference(const gjkd_digest *a, const gjkd_digest *b) {
    uint64_t words_a[sizeof a->bytes / 8], words_b[sizeof b->bytes / 8];
    uint64_t bits = 0;
    memcpy(words_a, a->bytes, sizeof words_a);
    memcpy(words_b, b->bytes, sizeof words_b);
    for (size_t i = 0; i < sizeof words_a / sizeof words_a[0]; i++) {
        bits |= words_a[i] ^ words_b[i];
    }
    return bits;
}

const gjkd_token *gjkd_tokens_find(const struct gjkd_tokens *tokens, const gjkd_digest *digest) {
    unsigned found = tokens->count;
    for (unsigned i = 0; i < tokens->count; i++) {
        found = difference(&tokens->digests[i], digest) == 0 ? i : found;
    }
    return found < tokens->count ? &tokens->items[found] : NULL;
}

/* A set outside the prefix is refused in the same way whether it exists or not, so that a refusal
 * reveals nothing about it. */

const char *gjkd_scope_text(gjkd_scope scope) {
    static const char *const texts[] = {"none", "read", "write", "admin"};
    return texts[scope];
}

gjkd_grant gjkd_grant_all(void) {
    return (gjkd_grant){GJKD_SCOPE_ADMIN, "", ""};
}

bool gjkd_grant_covers_set(const gjkd_grant *grant, const char *name) {
    struct prefix prefix;
    return grant->sets[0] == '\0' || find_prefix(grant->sets, name, &prefix);
}

bool gjkd_grant_next(const gjkd_grant *grant, const char *name,
                     char out[GJKD_SET_PREFIX_BYTES_MAX + 1]) {
    const char *list = grant->sets;
    struct prefix prefix;
    out[0] = '\0';
    while (take_prefix(&list, &prefix)) {
        char text[GJKD_SET_PREFIX_BYTES_MAX + 1];
        snprintf(text, sizeof text, "%.*s", (int)prefix.length, prefix.text);
        if (strcmp(text, name) > 0 && (out[0] == '\0' || strcmp(text, out) < 0)) {
            memcpy(out, text, sizeof text);
        }
    }
    return out[0] != '\0';
}

bool gjkd_access_scope(const gjkd_grant *grant, gjkd_scope needed, struct proto_problem *problem) {
    return grant->scope >= needed ||
           proto_problem_set(problem, PROTO_FORBIDDEN,
                             "this needs the scope \"%s\"; the token has \"%s\"",
                             gjkd_scope_text(needed), gjkd_scope_text(grant->scope));
}

bool gjkd_access_set(const gjkd_grant *grant, gjkd_scope needed, const char *name,
                     struct proto_problem *problem) {
    struct prefix prefix = {.length = 0};
    if (grant->sets[0] != '\0' && !find_prefix(grant->sets, name, &prefix)) {
        return proto_problem_set(problem, PROTO_FORBIDDEN,
                                 "the token is for sets whose names begin with %s\"%.300s\"",
                                 strchr(grant->sets, ',') != NULL ? "one of " : "", grant->sets);
    }
    return needed <= GJKD_SCOPE_READ || !prefix.is_read_only ||
           proto_problem_set(problem, PROTO_FORBIDDEN,
                             "the token can only read sets whose names begin with \"%.*s\"",
                             (int)prefix.length, prefix.text);
}

/*
 * Bearer tokens (RFC 6750, section 2.1). A token is hashed before the lock is taken, so that the
 * lock is held only for the look-up of the digest. A reload swaps the whole table.
 */

struct gjkd_keyring {
    const char *file_name;
    pthread_rwlock_t lock;
    struct gjkd_tokens *tokens;
};

/* Reads a token file; the caller frees the result. On failure sets error and returns NULL. */
static struct gjkd_tokens *read_token_file(const char *file_name, char error[GJKD_ERROR_MAX]) {
    struct gjkd_tokens *tokens = calloc(1, sizeof *tokens);
    FILE *file = gjkd_secret_file_open(file_name);
    bool fine = false;
    if (tokens == NULL || file == NULL) {
        snprintf(error, GJKD_ERROR_MAX, "cannot read the tokens %.200s: %s", file_name,
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

struct gjkd_keyring *gjkd_keyring_new(const char *file_name, char error[GJKD_ERROR_MAX]) {
    struct gjkd_keyring *keyring = calloc(1, sizeof *keyring);
    snprintf(error, GJKD_ERROR_MAX, "out of memory");
    if (keyring == NULL) {
        return NULL;
    }
    pthread_rwlock_init(&keyring->lock, NULL);
    keyring->file_name = file_name;
    keyring->tokens = read_token_file(file_name, error);
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

bool gjkd_keyring_reload(struct gjkd_keyring *keyring, unsigned *count,
                         char error[GJKD_ERROR_MAX]) {
    struct gjkd_tokens *fresh = read_token_file(keyring->file_name, error);
    if (fresh == NULL) {
        return false;
    }
    *count = fresh->count;
    pthread_rwlock_wrlock(&keyring->lock);
    struct gjkd_tokens *old = keyring->tokens;
    keyring->tokens = fresh;
    pthread_rwlock_unlock(&keyring->lock);
    free(old);
    return true;
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
        const gjkd_grant grant = {token->scope, token->sets, token->name};
        is_allowed = gjkd_access_scope(&grant, needed, problem) &&
                     gjkd_access_set(&grant, needed, set, problem);
    }
    pthread_rwlock_unlock(&keyring->lock);
    return is_allowed;
}

/* Returns the token in the header's value, or NULL if there is none. */
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
    const char *sets = gjk_arena_copy_text(arena, token->sets, strlen(token->sets));
    const char *holder = gjk_arena_copy_text(arena, token->name, strlen(token->name));
    if (sets == NULL || holder == NULL) {
        return GJKD_KEY_NO_MEMORY;
    }
    *grant = (gjkd_grant){token->scope, sets, holder};
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
