/*
 * Parses the token file line by line. Errors name the line and what is wrong with it, but never a
 * digest, which somebody could try to invert.
 */

#include "security/token.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#define BLANKS " \t\r\n"
#define WORDS_MAX 4

struct location {
    const char *file;
    unsigned line;
    char *error;
};

static bool refuse(const struct location *location, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool refuse(const struct location *location, const char *format, ...) {
    char reason[GJKD_TOKEN_ERROR_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    snprintf(location->error, GJKD_TOKEN_ERROR_MAX, "%.100s, line %u: %.260s", location->file,
             location->line, reason);
    return false;
}

/* Returns true if text is 1 to max letters, digits and characters of `others`. */
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

static int hex_value(char c) {
    static const char digits[] = "0123456789abcdef";
    char lower = c >= 'A' && c <= 'F' ? (char)(c - 'A' + 'a') : c;
    const char *at = c != '\0' ? strchr(digits, lower) : NULL;
    return at != NULL ? (int)(at - digits) : -1;
}

static bool parse_digest(const char *text, gjkd_digest *out) {
    if (strlen(text) != 2 * sizeof out->bytes) {
        return false;
    }
    for (size_t i = 0; i < sizeof out->bytes; i++) {
        int high = hex_value(text[2 * i]);
        int low = hex_value(text[2 * i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        out->bytes[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/* The greatest of the scopes, since each includes the ones before. */
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
            return refuse(location, "the name \"%s\" stands twice", token->name);
        }
    }
    const gjkd_token *same = gjkd_tokens_find(tokens, digest);
    return same == NULL ||
           refuse(location, "\"%s\" has the same token as \"%s\"", token->name, same->name);
}

static bool take_line(struct gjkd_tokens *tokens, char *line, const struct location *location) {
    char *words[WORDS_MAX] = {NULL};
    int count = split(line, words);
    gjkd_token token = {.set_prefix = ""};
    gjkd_digest digest;
    if (count == 0) {
        return true;
    }
    if (tokens->count == GJKD_TOKENS_MAX) {
        return refuse(location, "there are more than %d tokens", GJKD_TOKENS_MAX);
    }
    if (count < 3 || count > WORDS_MAX) {
        return refuse(location, "a line is NAME SHA256-HEX SCOPES [SET-PREFIX]");
    }
    if (!is_word(words[0], GJKD_TOKEN_NAME_BYTES_MAX, "._~:@-")) {
        return refuse(location, "a name is 1 to %d of [A-Za-z0-9._~:@-]",
                      GJKD_TOKEN_NAME_BYTES_MAX);
    }
    if (!parse_digest(words[1], &digest)) {
        return refuse(location, "the token's SHA-256 is 64 hexadecimal digits");
    }
    if (!parse_scopes(words[2], &token.scope)) {
        return refuse(location, "scopes are read, write and admin, with commas between");
    }
    if (count == WORDS_MAX && !is_word(words[3], GJKD_SET_PREFIX_BYTES_MAX, "._~-")) {
        return refuse(location, "a prefix of set names is 1 to %d of [A-Za-z0-9._~-]",
                      GJKD_SET_PREFIX_BYTES_MAX);
    }
    memcpy(token.name, words[0], strlen(words[0]) + 1);
    if (count == WORDS_MAX) {
        memcpy(token.set_prefix, words[3], strlen(words[3]) + 1);
    }
    if (!check_new(tokens, &token, &digest, location)) {
        return false;
    }
    tokens->digests[tokens->count] = digest;
    tokens->items[tokens->count++] = token;
    return true;
}

bool gjkd_tokens_read(FILE *file, const char *shown_name, struct gjkd_tokens *out,
                      char error[GJKD_TOKEN_ERROR_MAX]) {
    char line[GJKD_TOKEN_LINE_BYTES_MAX + 2];
    struct location location = {shown_name, 0, error};
    out->count = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        size_t length = strlen(line);
        location.line++;
        if (length == 0 || (line[length - 1] != '\n' && !feof(file))) {
            return refuse(&location, "the line has more than %d bytes, or holds a NUL",
                          GJKD_TOKEN_LINE_BYTES_MAX);
        }
        if (!take_line(out, line, &location)) {
            return false;
        }
    }
    return !ferror(file) || refuse(&location, "%s", strerror(errno));
}

/* 0 if they are equal; in constant time. */
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
