/*
 * Can any token file do harm? It is refused with its line and nothing of a digest, or gives
 * tokens that keep what token.h promises, each found by its own digest and by no other.
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "security/token.h"

static void require(bool condition) {
    if (!condition)
        abort();
}

static void check_token(const struct gjkd_tokens *tokens, unsigned index) {
    const gjkd_token *token = &tokens->items[index];
    gjkd_digest other = tokens->digests[index];

    require(strlen(token->name) > 0);
    require(token->scope >= GJKD_SCOPE_READ && token->scope <= GJKD_SCOPE_ADMIN);
    require(strpbrk(token->name, " \t\r\n#\"") == NULL);
    require(strpbrk(token->set_prefix, " \t\r\n#\"/%") == NULL);
    require(gjkd_tokens_find(tokens, &other) == token);
    other.bytes[31] ^= 1;
    require(gjkd_tokens_find(tokens, &other) != token);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct gjkd_tokens tokens;
    char error[GJKD_TOKEN_ERROR_MAX] = "";

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
