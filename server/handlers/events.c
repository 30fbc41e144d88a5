/* Handlers of the events of a set and of a stream's handshake. They check the head; server/http
 * sends the events. */

#include "handlers/change.h"
#include "handlers/handlers.h"
#include "request/context.h"
#include "request/request.h"
#include "watch/overlaps.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define INCARNATION_DIGITS 16
#define MARK_DIGITS 8

/* Reads a decimal number of at most 19 digits and advances *text past it. */
static bool take_number(const char **text, uint64_t *out) {
    const size_t digits = strspn(*text, "0123456789");
    *out = strtoull(*text, NULL, 10);
    *text += digits;
    return digits > 0 && digits <= 19;
}

/* Parses REVISION or INCARNATION-REVISION, as in the ETag of a set, a shape or a gzipped answer. In
 * a cluster the id of an event may end with -TICKS. */
static bool parse_since(const char *text, gjkd_watch_spec *out) {
    const size_t digits = strspn(text, "0123456789abcdef");
    out->has_incarnation =
        (digits == INCARNATION_DIGITS || digits == INCARNATION_DIGITS + MARK_DIGITS) &&
        text[digits] == '-';
    if (out->has_incarnation) {
        /* An ETag begins with the incarnation, followed by the nonce if there is one. */
        char incarnation[INCARNATION_DIGITS + 1] = "";
        memcpy(incarnation, text, INCARNATION_DIGITS);
        out->incarnation = strtoull(incarnation, NULL, 16);
        out->nonce = digits > INCARNATION_DIGITS
                         ? (uint32_t)strtoul(text + INCARNATION_DIGITS, NULL, 16)
                         : 0;
        text += digits + 1;
    }
    out->has_since = true;
    bool is_fine = take_number(&text, &out->since);
    const bool has_ticks = text[0] == '-' && text[1] >= '0' && text[1] <= '9';
    if (is_fine && out->has_incarnation && has_ticks) {
        text++;
        is_fine = take_number(&text, &out->since_ticks);
    }
    if (is_fine && out->has_incarnation && text[0] == '-' && text[1] == 'h') {
        uint64_t handle;
        text += strlen("-h");
        is_fine = take_number(&text, &handle);
    }
    const bool is_packed = out->has_incarnation && strcmp(text, GJKD_ETAG_GZIP) == 0;
    return is_fine && (is_packed || *text == '\0');
}

static bool parse_kinds(const char *text, gjkd_watch_spec *out) {
    while (*text != '\0') {
        const size_t length = strcspn(text, ",");
        if (length == strlen("change") && memcmp(text, "change", length) == 0) {
            out->changes = true;
        } else if (length == strlen("overlap") && memcmp(text, "overlap", length) == 0) {
            out->overlaps = true;
        } else {
            return false;
        }
        text += length + (text[length] == ',' && text[length + 1] != '\0' ? 1 : 0);
    }
    return out->changes || out->overlaps;
}

/* Reads the kinds and the start of the events. A client that reconnects repeats its parameters and
 * adds Last-Event-ID, which takes precedence. Returns false if the request is refused. */
static bool read_spec(struct gjkd_request *request, gjkd_watch_spec *spec) {
    const char *last = request->head.last_event_id;
    const bool goes_on = last != NULL && *last != '\0';
    const char *since = goes_on ? last : request->params.since;
    const char *kinds = request->params.kinds != NULL ? request->params.kinds : "change";
    if (!parse_kinds(kinds, spec)) {
        return gjkd_request_fail(request, PROTO_BAD_REQUEST,
                                 "the query parameter kinds is a list of change and overlap");
    }
    return since == NULL || parse_since(since, spec) ||
           gjkd_request_fail(request, PROTO_BAD_REQUEST, "%s is a revision or the id of an event",
                             goes_on ? "Last-Event-ID" : "the query parameter since");
}

static bool read_filter(struct gjkd_request *request, gjkd_watch_spec *spec) {
    const char *filter = request->params.filter;
    if (filter == NULL) {
        return true;
    }
    if (!spec->overlaps) {
        return gjkd_request_fail(request, PROTO_BAD_REQUEST,
                                 "the query parameter filter is for events of the kind overlap");
    }
    spec->filter = filter;
    const uint32_t dimension = request->version != NULL ? request->version->dimension : 2;
    gjk_filter decoded;
    return gjkd_overlaps_decode_filter(filter, dimension, &request->context->limits,
                                       &request->arena, &decoded, &request->problem) ||
           gjkd_request_refuse(request);
}

void gjkd_handle_events(struct gjkd_request *request) {
    gjkd_watch_spec *spec = gjk_arena_alloc(&request->arena, sizeof *spec);
    if (gjkd_is_draining(request->context)) {
        gjkd_request_fail(request, PROTO_DRAINING, "the daemon is shutting down");
        return;
    }
    if (spec == NULL) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory to watch the set");
        return;
    }
    *spec = (gjkd_watch_spec){.name = request->match.variable.text,
                              .version = request->version,
                              .waits = request->params.wait,
                              .filter = "",
                              .client = gjkd_auth_hash_client(request),
                              .has_token = request->has_token,
                              .token = request->token};
    if (read_spec(request, spec) && read_filter(request, spec)) {
        gjkd_reply_set_body(&request->reply, GJKD_EVENT_STREAM_TYPE, NULL, 0);
        request->reply.watch = spec;
    }
}

/* --- The handshake of a stream --- */

/* Server's part of the opening handshake of a WebSocket (RFC 6455, section 4.2). */

#define PROTOCOL "gjkd.v1"
#define KEY_LENGTH 24 /* 16 bytes as base64 */
#define MAGIC "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
#define SHA1_BYTES 20

/* Returns true if a comma-separated list, or NULL, contains the word, compared without case. */
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

/* Returns the host and port of an http or https origin, or NULL. */
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

/* Returns true if the page's origin is allowed; browsers let any page open a WebSocket. Allowed are
 * the daemon's own origin and each --cors-origin. An origin with another scheme than http or https
 * must be listed by its full name. */
static bool is_origin_allowed(const struct gjkd_request *request) {
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

/* Takes one of --max-streams before the stream exists, so that concurrent handshakes cannot exceed
 * the limit. Returns false if the request is refused. */
static bool take_stream_slot(struct gjkd_request *request) {
    atomic_uint *streams = &request->context->streams;
    unsigned open = atomic_load(streams);
    do {
        if (open >= request->context->config->max_streams) {
            return gjkd_request_fail(request, PROTO_OVERLOADED,
                                     "there are as many streams as --max-streams");
        }
    } while (!atomic_compare_exchange_weak(streams, &open, open + 1));
    request->holds_stream = true;
    return true;
}

static bool check(struct gjkd_request *request) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const gjkd_head *head = &request->head;
    const char *key = head->websocket_key; /* 16 bytes in base64 */
    if (!has_word(head->upgrade, "websocket") || !has_word(head->connection, "upgrade") ||
        head->websocket_version == NULL || strcmp(head->websocket_version, "13") != 0 ||
        key == NULL || strlen(key) != KEY_LENGTH || strspn(key, digits) != KEY_LENGTH - 2 ||
        strcmp(key + KEY_LENGTH - 2, "==") != 0) {
        gjkd_request_fail(request, PROTO_BAD_REQUEST,
                          "a stream begins with the handshake of a WebSocket, version 13");
        request->reply.tells_version = true; /* RFC 6455, 4.2.2 */
        return false;
    }
    if (!is_origin_allowed(request)) {
        return gjkd_request_fail(
            request, PROTO_FORBIDDEN,
            "the page's origin is neither the daemon's own nor a --cors-origin");
    }
    if (request->context->security.tls != NULL) {
        return gjkd_request_fail(
            request, PROTO_NOT_IMPLEMENTED,
            "there are no streams over the daemon's own TLS: have a proxy end it");
    }
    if (gjkd_is_draining(request->context)) {
        return gjkd_request_fail(request, PROTO_DRAINING, "the daemon is shutting down");
    }
    return take_stream_slot(request);
}

/* Returns Sec-WebSocket-Accept: base64(SHA-1(key MAGIC)). NULL if memory is exhausted. */
static const char *accept_key_of(struct gjkd_request *request) {
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
    request->reply.accept_key = accept_key_of(request);
    if (request->reply.accept_key == NULL) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the stream");
        return;
    }
    request->reply.protocol =
        has_word(request->head.websocket_protocol, PROTOCOL) ? PROTOCOL : NULL;
    request->reply.status = 101;
}
