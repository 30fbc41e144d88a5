/* The events of a set: what is asked for is judged here; how they are sent is the transport's. */

#include "handlers/change.h"
#include "handlers/handlers.h"
#include "request/auth.h"
#include "request/context.h"
#include "watch/overlaps.h"

#include <stdlib.h>
#include <string.h>

#define INCARNATION_DIGITS 16
#define MARK_DIGITS 8

/* Takes a decimal number off the text. */
static bool take_number(const char **text, uint64_t *out) {
    const size_t digits = strspn(*text, "0123456789");
    *out = strtoull(*text, NULL, 10);
    *text += digits;
    return digits > 0 && digits <= 19;
}

/* REVISION or INCARNATION-REVISION, as in an ETag, that of a packed answer included; the id of an event
 * of a cluster may have -TICKS behind it. */
static bool parse_since(const char *text, gjkd_watch_spec *out) {
    const size_t digits = strspn(text, "0123456789abcdef");
    out->has_incarnation =
        (digits == INCARNATION_DIGITS || digits == INCARNATION_DIGITS + MARK_DIGITS) &&
        text[digits] == '-';
    if (out->has_incarnation) {
        /* The incarnation that an ETag begins with, and the mark if there is one. */
        char incarnation[INCARNATION_DIGITS + 1] = "";
        memcpy(incarnation, text, INCARNATION_DIGITS);
        out->incarnation = strtoull(incarnation, NULL, 16);
        out->mark = digits > INCARNATION_DIGITS
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

/* A connection that is made again names the last event that it has seen, beside the parameters
 * that it was made with at first. */
static bool read_spec(struct gjkd_request *request, gjkd_watch_spec *spec) {
    const char *last = request->head.last_event_id;
    const bool goes_on = last != NULL && *last != '\0';
    const char *since = goes_on ? last : request->params.since;
    const char *kinds = request->params.kinds != NULL ? request->params.kinds : "change";
    if (!parse_kinds(kinds, spec)) {
        gjkd_request_fail(request, PROTO_BAD_REQUEST,
                          "the query parameter kinds is a list of change and overlap");
        return false;
    }
    if (since != NULL && !parse_since(since, spec)) {
        gjkd_request_fail(request, PROTO_BAD_REQUEST, "%s is a revision or the id of an event",
                          goes_on ? "Last-Event-ID" : "the query parameter since");
        return false;
    }
    return true;
}

static bool read_filter(struct gjkd_request *request, gjkd_watch_spec *spec) {
    const char *filter = request->params.filter;
    if (filter == NULL) {
        return true;
    }
    if (!spec->overlaps) {
        gjkd_request_fail(request, PROTO_BAD_REQUEST,
                          "the query parameter filter is for events of the kind overlap");
        return false;
    }
    spec->filter = filter;
    if (!gjkd_overlaps_check_filter(filter, request->version->dimension, &request->context->limits,
                                    &request->arena, &request->problem)) {
        gjkd_request_refuse(request);
        return false;
    }
    return true;
}

void gjkd_handle_events(struct gjkd_request *request) {
    gjkd_watch_spec *spec = gjk_arena_alloc(&request->arena, sizeof *spec);
    if (gjkd_is_draining(request->context)) {
        gjkd_request_fail(request, PROTO_DRAINING, "the daemon is shutting down");
        return;
    }
    if (request->version == NULL) {
        gjkd_reply_no_set(request);
        return;
    }
    if (spec == NULL) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory to watch the set");
        return;
    }
    *spec = (gjkd_watch_spec){.version = request->version,
                              .filter = "",
                              .client = gjkd_auth_hash_client(request),
                              .has_token = request->has_token,
                              .token = request->token};
    if (read_spec(request, spec) && read_filter(request, spec)) {
        gjkd_reply_set_body(&request->reply, GJKD_EVENT_STREAM_TYPE, NULL, 0);
        request->reply.watch = spec;
    }
}
