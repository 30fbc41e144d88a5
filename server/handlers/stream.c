/* The handshake of a WebSocket (RFC 6455, section 4.2), as far as its head tells. */

#include "handlers/handlers.h"
#include "request/context.h"
#include "request/request.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdatomic.h>
#include <string.h>
#include <strings.h>

#define PROTOCOL "gjkd.v1"
#define KEY_LENGTH 24 /* 16 bytes as base64 */
#define MAGIC "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
#define SHA1_BYTES 20

/* Returns true if a comma-separated list (NULL: none) has the word, compared without case. */
static bool has_word(const char *list, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = list; at != NULL && *at != '\0';) {
        at += strspn(at, " \t,");
        const size_t span = strcspn(at, " \t,");
        if (span == length && strncasecmp(at, word, length) == 0) {
            return true;
        }
        at += span;
    }
    return false;
}

static bool is_key(const char *key) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    return key != NULL && strlen(key) == KEY_LENGTH && strspn(key, digits) == KEY_LENGTH - 2 &&
           strcmp(key + KEY_LENGTH - 2, "==") == 0;
}

/* The host and port of an origin of the web, or NULL. */
static const char *authority_of(const char *origin) {
    static const char *const schemes[] = {"http://", "https://"};
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        const size_t length = strlen(schemes[i]);
        if (strncasecmp(origin, schemes[i], length) == 0) {
            return origin + length;
        }
    }
    return NULL;
}

/* A page of another origin may open a WebSocket, and no browser stops it. An origin of another
 * scheme than the web's has to be a --cors-origin by its name; "null" has none. */
static bool has_good_origin(const struct gjkd_request *request) {
    const char *origin = request->head.origin, *host = request->head.host;
    if (origin == NULL) {
        return true;
    }
    const char *authority = authority_of(origin);
    const char *allowed = gjkd_origin_find(origin, &request->context->config->cors_origins);
    if (authority == NULL && strchr(origin, ':') != NULL) {
        return allowed != NULL && strcmp(allowed, origin) == 0;
    }
    return allowed != NULL ||
           (authority != NULL && host != NULL && strcasecmp(authority, host) == 0);
}

/* Counts the stream before there is one, so that of many handshakes at once none is too many. */
static bool take_place(struct gjkd_request *request) {
    atomic_uint *streams = &request->context->streams;
    unsigned open = atomic_load(streams);
    do {
        if (open >= request->context->config->max_streams) {
            gjkd_request_fail(request, PROTO_OVERLOADED,
                              "there are as many streams as --max-streams");
            return false;
        }
    } while (!atomic_compare_exchange_weak(streams, &open, open + 1));
    request->holds_stream = true;
    return true;
}

static bool check(struct gjkd_request *request) {
    const gjkd_head *head = &request->head;
    if (!has_word(head->upgrade, "websocket") || !has_word(head->connection, "upgrade") ||
        head->websocket_version == NULL || strcmp(head->websocket_version, "13") != 0 ||
        !is_key(head->websocket_key)) {
        gjkd_request_fail(request, PROTO_BAD_REQUEST,
                          "a stream begins with the handshake of a WebSocket, version 13");
        return false;
    }
    if (!has_good_origin(request)) {
        gjkd_request_fail(request, PROTO_FORBIDDEN,
                          "the page's origin is neither the daemon's own nor a --cors-origin");
        return false;
    }
    if (request->context->security.tls != NULL) {
        gjkd_request_fail(request, PROTO_NOT_IMPLEMENTED,
                          "there are no streams over the daemon's own TLS: have a proxy end it");
        return false;
    }
    if (gjkd_is_draining(request->context)) {
        gjkd_request_fail(request, PROTO_DRAINING, "the daemon is shutting down");
        return false;
    }
    return take_place(request);
}

/* base64(SHA-1(key MAGIC)). NULL: out of memory. */
static const char *accept_of(struct gjkd_request *request) {
    char text[KEY_LENGTH + sizeof MAGIC];
    unsigned char sha1[SHA1_BYTES];
    gnutls_datum_t encoded;
    memcpy(text, request->head.websocket_key, KEY_LENGTH);
    memcpy(text + KEY_LENGTH, MAGIC, sizeof MAGIC);
    if (gnutls_hash_fast(GNUTLS_DIG_SHA1, text, sizeof text - 1, sha1) != 0 ||
        gnutls_base64_encode2(&(gnutls_datum_t){sha1, sizeof sha1}, &encoded) != 0) {
        return NULL;
    }
    const char *copy =
        gjk_arena_copy_text(&request->arena, (const char *)encoded.data, encoded.size);
    gnutls_free(encoded.data);
    return copy;
}

void gjkd_handle_stream(struct gjkd_request *request) {
    if (!check(request)) {
        return;
    }
    request->reply.accept_key = accept_of(request);
    if (request->reply.accept_key == NULL) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the stream");
        return;
    }
    request->reply.protocol =
        has_word(request->head.websocket_protocol, PROTOCOL) ? PROTOCOL : NULL;
    request->reply.status = 101;
}
