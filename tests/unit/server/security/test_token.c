/* Which token files can be read, what do their tokens grant, and what is told of mistakes? */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "security/token.h"
#include "test_server.h"

/* SHA-256 of "secret" and of "other" (sha256sum). */
#define SECRET "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"
#define OTHER "d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa"

static struct gjkd_tokens tokens;
static char error[GJKD_ERROR_MAX];

static bool read_text(const char *text, size_t length) {
    FILE *file = fmemopen((void *)(uintptr_t)text, length, "r");
    ck_assert_ptr_nonnull(file);
    bool fine = gjkd_tokens_read(file, "tokens", &tokens, error);
    fclose(file);
    return fine;
}

TEST(lines) {
    static const char text[] = "# who may do what\n\n"
                               "game " SECRET " read,write game-\r\n"
                               "  ops\t" OTHER "  admin   # everything";
    ck_assert_msg(read_text(text, sizeof text - 1), "%s", error);
    ck_assert_uint_eq(tokens.count, 2);
    ck_assert_str_eq(tokens.items[0].name, "game");
    ck_assert_int_eq(tokens.items[0].scope, GJKD_SCOPE_WRITE);
    ck_assert_str_eq(tokens.items[0].sets, "game-");
    ck_assert_int_eq(tokens.items[1].scope, GJKD_SCOPE_ADMIN);
    ck_assert_str_eq(tokens.items[1].sets, "");
    gjkd_digest digest;
    ck_assert(gjkd_digest_make("secret", 6, &digest));
    ck_assert_ptr_eq(gjkd_tokens_find(&tokens, &digest), &tokens.items[0]);
    ck_assert(gjkd_digest_make("Secret", 6, &digest));
    ck_assert_ptr_null(gjkd_tokens_find(&tokens, &digest));
    ck_assert(read_text("# none\n", 7) && tokens.count == 0);
}

TEST(mistakes) {
    static const struct {
        const char *line, *chunk;
    } rows[] = {
        {"game",
         "tokens, line 2: a line is NAME SHA256-HEX SCOPES [PREFIX[:read],...], without blanks"},
        {"game " SECRET, "a line is"},
        {"game " SECRET " read a- b-", "a line is"},
        {"ga/me " SECRET " read", "a name is 1 to 64 of"},
        {"game secret read", "64 hexadecimal digits"},
        {"game " SECRET "0 read", "64 hexadecimal digits"},
        {"game z" SECRET " read", "64 hexadecimal digits"},
        {"game " SECRET " reed", "scopes are read, write and admin"},
        {"game " SECRET " read,", "scopes are"},
        {"game " SECRET " none", "scopes are"},
        {"game " SECRET " READ", "scopes are"},
        {"game " SECRET " read team/*", "a prefix of set names is"},
        {"game " SECRET " read ../x", "a prefix of set names is"},
        {"game " SECRET " read a-, b-", "without blanks in the list"},
        {"game " SECRET " read ,a-", "line 2: prefix 1 of the list is empty"},
        {"game " SECRET " read a-,,b-", "prefix 2 of the list is empty: take out a comma"},
        {"game " SECRET " read a-,b-,", "prefix 3 of the list is empty"},
        {"game " SECRET " read a-,/b", "prefix 2: a prefix of set names is 1 to 128 of"},
        {"game " SECRET " read :read", "prefix 1: a prefix of set names is"},
        {"game " SECRET " read a-:write", "behind prefix 1 only :read can stand"},
        {"game " SECRET " read a-,b-:READ", "behind prefix 2 only :read can stand"},
        {"game " SECRET " read a-:", "behind prefix 1 only :read can stand"},
        {"game " SECRET " read a-:read:read", "behind prefix 1 only :read can stand"},
        {"game " SECRET " read a-,b-,a-", "prefix 3 stands twice: keep one of the two"},
        {"game " SECRET " read a-,a-:read", "prefix 2 stands twice"},
        {"first " SECRET " read", "the name \"first\" stands twice"},
        {"game " OTHER " read", "\"game\" has the same token as \"first\""},
    };
    for (int i = 0; i < COUNT_OF(rows); i++) {
        char text[600];
        int length = snprintf(text, sizeof text, "first " OTHER " read\n%s\n", rows[i].line);
        ck_assert_msg(!read_text(text, (size_t)length), "%s", rows[i].line);
        ck_assert_msg(strstr(error, rows[i].chunk) != NULL, "\"%s\" lacks \"%s\"", error,
                      rows[i].chunk);
        ck_assert_ptr_null(strstr(error, "2bb80d53"));
    }
}

TEST(limits) {
    enum { LINE = 90 };
    char *text = malloc((GJKD_TOKENS_MAX + 1) * LINE);
    char name[GJKD_TOKEN_NAME_BYTES_MAX + 2], line[GJKD_TOKEN_LINE_BYTES_MAX + 8];

    for (int count = GJKD_TOKENS_MAX - 1; count <= GJKD_TOKENS_MAX + 1; count++) {
        size_t length = 0;
        for (int i = 0; i < count; i++)
            length += (size_t)snprintf(text + length, LINE, "t%d %064x read\n", i, i);
        ck_assert_int_eq(read_text(text, length), count <= GJKD_TOKENS_MAX);
    }
    free(text);
    for (size_t size = GJKD_TOKEN_NAME_BYTES_MAX - 1; size <= GJKD_TOKEN_NAME_BYTES_MAX + 1;
         size++) {
        memset(name, 'n', sizeof name);
        int length = snprintf(line, sizeof line, "%.*s " SECRET " read", (int)size, name);
        ck_assert_int_eq(read_text(line, (size_t)length), size <= GJKD_TOKEN_NAME_BYTES_MAX);
    }
    for (int size = GJKD_SET_PREFIX_BYTES_MAX - 1; size <= GJKD_SET_PREFIX_BYTES_MAX + 1; size++) {
        int length = snprintf(line, sizeof line, "n " SECRET " read %0*d", size, 0);
        ck_assert_int_eq(read_text(line, (size_t)length), size <= GJKD_SET_PREFIX_BYTES_MAX);
    }
    /* A line with its end. */
    for (size_t size = GJKD_TOKEN_LINE_BYTES_MAX - 1; size <= GJKD_TOKEN_LINE_BYTES_MAX + 1;
         size++) {
        memset(line, '#', sizeof line);
        line[size - 1] = '\n';
        line[size] = '#';
        ck_assert_int_eq(read_text(line, size + 1), size <= GJKD_TOKEN_LINE_BYTES_MAX + 1);
        line[size + 1] = '\n';
    }
    memset(line, '#', sizeof line);
    ck_assert(!read_text(line, sizeof line));
    ck_assert(!read_text("# a\0b\n", 6));
}

static char file_name[] = "/tmp/gjkd-tokens-XXXXXX";

static void write_file(const char *text) {
    FILE *file = fopen(file_name, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

TEST(a_keyring) {
    static const struct {
        const char *header;
        gjkd_key_status status;
    } rows[] = {
        {NULL, GJKD_KEY_ABSENT},
        {"", GJKD_KEY_ABSENT},
        {"Bearer", GJKD_KEY_ABSENT},
        {"Bearer ", GJKD_KEY_ABSENT},
        {"Basic c2VjcmV0", GJKD_KEY_ABSENT},
        {"Bearersecret", GJKD_KEY_ABSENT},
        {"secret", GJKD_KEY_ABSENT},
        {"Bearer secret", GJKD_KEY_VALID},
        {"bearer   secret", GJKD_KEY_VALID},
        {"Bearer secre", GJKD_KEY_UNKNOWN},
        {"Bearer secrets", GJKD_KEY_UNKNOWN},
        {"Bearer " SECRET, GJKD_KEY_UNKNOWN},
        {"Bearer secret secret", GJKD_KEY_UNKNOWN},
    };
    struct gjk_arena arena;
    gjkd_grant grant;
    gjkd_digest digest;
    unsigned count;

    gjk_arena_init(&arena, 0);
    close(mkstemp(file_name));
    write_file("game " SECRET " write game-\n");
    struct gjkd_keyring *keyring = gjkd_keyring_new(file_name, error);
    ck_assert_ptr_nonnull(keyring);
    for (int i = 0; i < COUNT_OF(rows); i++)
        ck_assert_msg(gjkd_keyring_authenticate(keyring, rows[i].header, &arena, &grant, &digest) ==
                          rows[i].status,
                      "row %d", i);
    ck_assert_int_eq(gjkd_keyring_authenticate(keyring, "Bearer secret", &arena, &grant, &digest),
                     GJKD_KEY_VALID);
    ck_assert(grant.scope == GJKD_SCOPE_WRITE && strcmp(grant.sets, "game-") == 0);

    write_file("game " SECRET " write game-\noops\n");
    ck_assert(!gjkd_keyring_reload(keyring, &count, error) && strstr(error, "line 2") != NULL);
    ck_assert_int_eq(gjkd_keyring_authenticate(keyring, "Bearer secret", &arena, &grant, &digest),
                     GJKD_KEY_VALID);
    write_file("game " OTHER " read\n");
    ck_assert(gjkd_keyring_reload(keyring, &count, error) && count == 1);
    ck_assert_int_eq(gjkd_keyring_authenticate(keyring, "Bearer secret", &arena, &grant, &digest),
                     GJKD_KEY_UNKNOWN);
    unlink(file_name);
    ck_assert(!gjkd_keyring_reload(keyring, &count, error) &&
              strstr(error, "No such file") != NULL);
    gjkd_keyring_free(keyring);
    ck_assert_ptr_null(gjkd_keyring_new("/tmp", error));
    gjk_arena_fini(&arena);
}
