/*
 * Can any token file do harm? It is refused with its line and nothing of a digest, or gives
 * tokens that keep what token.h promises, each found by its own digest and by no other.
 */

#include "fuzz.h"

#include <string.h>

#include "security/token.h"

/* Each prefix of the list is one that some name begins with, and is found where names go up. */
static void check_list(const gjkd_token *token) {
    const gjkd_grant grant = {token->scope, token->sets, token->name};
    char name[GJKD_SET_PREFIX_BYTES_MAX + 1] = "", next[GJKD_SET_PREFIX_BYTES_MAX + 1];
    struct proto_problem problem;
    while (gjkd_grant_next(&grant, name, next)) {
        require(strcmp(next, name) > 0 && gjkd_grant_covers_set(&grant, next));
        require(gjkd_access_set(&grant, GJKD_SCOPE_READ, next, &problem));
        memcpy(name, next, sizeof name);
    }
    require((name[0] == '\0') == (token->sets[0] == '\0'));
}

static void check_token(const struct gjkd_tokens *tokens, unsigned index) {
    const gjkd_token *token = &tokens->items[index];
    gjkd_digest other = tokens->digests[index];

    require(strlen(token->name) > 0);
    require(token->scope >= GJKD_SCOPE_READ && token->scope <= GJKD_SCOPE_ADMIN);
    require(strpbrk(token->name, " \t\r\n#\"") == NULL);
    require(strpbrk(token->sets, " \t\r\n#\"/%") == NULL);
    check_list(token);
    require(gjkd_tokens_find(tokens, &other) == token);
    other.bytes[31] ^= 1;
    require(gjkd_tokens_find(tokens, &other) != token);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct gjkd_tokens tokens;
    char error[GJKD_ERROR_MAX] = "";

    if (size == 0)
        return 0;
    FILE *file = fmemopen((void *)(uintptr_t)data, size, "r");
    require(file != NULL);
    bool fine = gjkd_tokens_read(file, "tokens", &tokens, error);
    fclose(file);
    require(fine || strncmp(error, "tokens, line ", 13) == 0);
    for (unsigned i = 0; fine && i < tokens.count; i++)
        check_token(&tokens, i);
    return 0;
}
