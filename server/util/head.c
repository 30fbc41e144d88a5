/*
 * Collects the header fields that the daemon uses, comparing names without case. libmicrohttpd
 * accepts Content-Length beside Transfer-Encoding, repeated Content-Length and blanks in names;
 * these are refused here.
 */

#include "util/head.h"

#include "util/random.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const methods[] = {"GET",   "HEAD",   "PUT",     "POST",
                                      "PATCH", "DELETE", "OPTIONS", "other"};

gjkd_method gjkd_method_find(const char *text) {
    int i = 0;
    while (i < GJKD_METHOD_OTHER && strcmp(text, methods[i]) != 0) {
        i++;
    }
    return (gjkd_method)i;
}

const char *gjkd_method_text(gjkd_method method) {
    return methods[method];
}

gjkd_head gjkd_head_make(gjkd_method method) {
    return (gjkd_head){.method = method};
}

static void keep(gjkd_head *head, struct gjk_arena *arena, const char **slot, const char *value) {
    *slot = gjk_arena_copy_text(arena, value, strlen(value));
    head->out_of_memory = head->out_of_memory || *slot == NULL;
}

static void take_list(gjkd_head *head, struct gjk_arena *arena, const char **slot,
                      const char *value) {
    if (*slot == NULL) {
        keep(head, arena, slot, value);
        return;
    }
    size_t old = strlen(*slot);
    size_t new = strlen(value);
    char *joined = gjk_arena_alloc(arena, old + new + 3);
    if (joined == NULL) {
        head->out_of_memory = true;
        return;
    }
    memcpy(joined, *slot, old);
    memcpy(joined + old, ", ", 2);
    memcpy(joined + old + 2, value, new + 1);
    *slot = joined;
}

/* Returns true if the name is one or more characters, without blanks and delimiters. */
static bool is_name(const char *name) {
    static const bool refused[UCHAR_MAX + 1] = {
        [' '] = true, ['\t'] = true, ['\r'] = true, ['\n'] = true, ['"'] = true,
        ['('] = true, [')'] = true,  [','] = true,  ['/'] = true,  [';'] = true,
        ['<'] = true, ['='] = true,  ['>'] = true,  ['?'] = true,  ['@'] = true,
        ['['] = true, ['\\'] = true, [']'] = true,  ['{'] = true,  ['}'] = true,
    };
    const char *at = name;
    while (*at != '\0' && !refused[(unsigned char)*at]) {
        at++;
    }
    return at > name && *at == '\0';
}

/* Compares the first letters, without case, before the whole names. */
static bool is_called(const char *name, const char *known) {
    return ((name[0] ^ known[0]) & ~0x20) == 0 && strcasecmp(name, known) == 0;
}

/* Fields whose value is stored: name, member, and how repeated fields are treated. */
static const struct text_field {
    const char *name;
    size_t offset;
    enum { ONCE, LIST, ANY } repeated; /* refused; joined to one list; the last one wins */
    const char *fault;
} text_fields[] = {
#define SLOT(name) offsetof(gjkd_head, name)
    {"Host", SLOT(host), ONCE, "Host stands twice"},
    {"Content-Type", SLOT(content_type), ONCE, "Content-Type stands twice"},
    {"Accept", SLOT(accept), LIST, NULL},
    {"Accept-Encoding", SLOT(accept_encoding), LIST, NULL},
    {"If-Match", SLOT(if_match), LIST, NULL},
    {"If-None-Match", SLOT(if_none_match), LIST, NULL},
    {"Authorization", SLOT(authorization), ONCE, "Authorization stands twice"},
    {"X-Request-Id", SLOT(request_id), ANY, NULL},
    {"X-Forwarded-For", SLOT(forwarded_for), LIST, NULL},
    {"Last-Event-ID", SLOT(last_event_id), ONCE, "Last-Event-ID stands twice"},
    {"Gjkd-Timeout-Ms", SLOT(timeout_ms), ONCE, "Gjkd-Timeout-Ms stands twice"},
    {"Gjkd-Consistency", SLOT(consistency), ONCE, "Gjkd-Consistency stands twice"},
    {"Gjkd-Min-Revision", SLOT(min_revision), ONCE, "Gjkd-Min-Revision stands twice"},
    {"Origin", SLOT(origin), ONCE, "Origin stands twice"},
    {"Upgrade", SLOT(upgrade), LIST, NULL},
    {"Connection", SLOT(connection), LIST, NULL},
    {"Sec-WebSocket-Key", SLOT(websocket_key), ONCE, "Sec-WebSocket-Key stands twice"},
    {"Sec-WebSocket-Version", SLOT(websocket_version), LIST, NULL},
    {"Sec-WebSocket-Protocol", SLOT(websocket_protocol), LIST, NULL},
    {"Access-Control-Request-Method", SLOT(request_method), ANY, NULL},
#undef SLOT
};

static const char **slot_of(gjkd_head *head, const struct text_field *field) {
    return (const char **)(void *)((char *)head + field->offset);
}

/* Stores the value if the field is in text_fields. Returns false if it is not. */
static bool take_text(gjkd_head *head, struct gjk_arena *arena, const char *name,
                      const char *value) {
    size_t i = 0;
    while (i < sizeof text_fields / sizeof text_fields[0] &&
           !is_called(name, text_fields[i].name)) {
        i++;
    }
    if (i == sizeof text_fields / sizeof text_fields[0]) {
        return false;
    }
    const struct text_field *field = &text_fields[i];
    const char **slot = slot_of(head, field);
    if (field->repeated == LIST) {
        take_list(head, arena, slot, value);
        return true;
    }
    if (field->repeated == ONCE && *slot != NULL) {
        head->fault = field->fault;
    }
    keep(head, arena, slot, value);
    return true;
}

void gjkd_head_add(gjkd_head *head, struct gjk_arena *arena, const char *name, const char *value) {
    size_t length = strlen(value);
    head->field_bytes += strlen(name) + length + GJKD_FIELD_OVERHEAD_BYTES;
    size_t kept = length; /* length without trailing blanks, which libmicrohttpd keeps */
    while (kept > 0 && (value[kept - 1] == ' ' || value[kept - 1] == '\t')) {
        kept--;
    }
    value = kept == length ? value : gjk_arena_copy_text(arena, value, kept);
    if (value == NULL) {
        head->out_of_memory = true;
        return;
    }
    if (!is_name(name)) {
        head->fault = "a header's name is malformed";
    } else if (take_text(head, arena, name, value)) {
        return;
    } else if (is_called(name, "Content-Encoding")) {
        /* gzip or x-gzip is supported once; two codings are not decoded. */
        bool is_gzip = strcasecmp(value, "gzip") == 0 || strcasecmp(value, "x-gzip") == 0;
        bool is_identity = strcasecmp(value, "identity") == 0;
        head->encoded = head->encoded || (is_gzip ? head->gzipped : !is_identity);
        head->gzipped = head->gzipped || is_gzip;
    } else if (is_called(name, "Content-Length")) {
        size_t digits = strspn(value, "0123456789");
        if (head->has_length) {
            head->fault = "Content-Length stands twice";
        } else if (digits == 0 || digits > 18 || value[digits] != '\0') {
            head->fault = "Content-Length is not a number of bytes";
        } else {
            head->body_bytes = strtoull(value, NULL, 10);
        }
        head->has_length = true;
    } else if (is_called(name, "Transfer-Encoding")) {
        if (head->chunked || strcasecmp(value, "chunked") != 0) {
            head->fault = "Transfer-Encoding may be chunked and nothing else, once";
        }
        head->chunked = true;
    } else if (is_called(name, "Expect")) {
        head->wants_continue = strcasecmp(value, "100-continue") == 0;
    }
    if (head->has_length && head->chunked) {
        head->fault = "Content-Length and Transfer-Encoding stand side by side";
    }
}

void gjkd_head_forget_texts(gjkd_head *head) {
    for (size_t i = 0; i < sizeof text_fields / sizeof text_fields[0]; i++) {
        *slot_of(head, &text_fields[i]) = NULL;
    }
}

bool gjkd_head_has_body(const gjkd_head *head) {
    return head->chunked || head->body_bytes > 0;
}

/* One scanner for Content-Type and Accept: media ranges separated by commas, each with parameters.
 * Of the matching ranges of Accept, the most specific one decides. */

static const char *skip_blanks(const char *text) {
    return text + strspn(text, " \t");
}

/* Returns true if the text begins with that word, compared without case. */
static bool starts_with(const char *text, const char *word) {
    size_t length = strlen(word);
    return strncasecmp(text, word, length) == 0 && strchr("; \t,", text[length]) != NULL;
}

/* Returns the length of the text up to the first unquoted character of stops, or to its end. */
static size_t span(const char *text, const char *stops) {
    bool quoted = false;
    size_t i = 0;
    for (; text[i] != '\0' && (quoted || strchr(stops, text[i]) == NULL); i++) {
        if (text[i] == '"') {
            quoted = !quoted;
        } else if (quoted && text[i] == '\\' && text[i + 1] != '\0') {
            i++;
        }
    }
    return i;
}

static bool has_type(const char *content_type, const char *type) {
    if (content_type == NULL || !starts_with(content_type, type)) {
        return false;
    }
    const char *at = skip_blanks(content_type + strlen(type));
    while (*at == ';') {
        at = skip_blanks(at + 1);
        at = skip_blanks(at + span(at, "; \t"));
    }
    return *at == '\0';
}

bool gjkd_is_text_type(const char *content_type, const char *type) {
    bool is_unicode = has_type(content_type, type);
    const char *at = content_type;
    size_t length = 0;
    while (is_unicode && (at = gjkd_type_parameter(at + length, "charset", &length)) != NULL) {
        const bool quoted = at[-1] == '"';
        is_unicode =
            length == 5 && strncasecmp(at, "utf-8", length) == 0 && (at[length] == '"') == quoted;
        length += quoted;
    }
    return is_unicode;
}

bool gjkd_is_columns_type(const char *content_type) {
    return has_type(content_type, GJKD_TYPE_X_PROTOBUF) || gjkd_is_short_name(content_type);
}

bool gjkd_is_short_name(const char *content_type) {
    return has_type(content_type, GJKD_TYPE_PROTOBUF);
}

const char *gjkd_type_parameter(const char *content_type, const char *name, size_t *length) {
    const size_t name_length = strlen(name);
    const char *at =
        content_type + (strchr(content_type, ';') != NULL ? span(content_type, ";") : 0);
    while (*at == ';') {
        at = skip_blanks(at + 1);
        if (strncasecmp(at, name, name_length) == 0 && at[name_length] == '=') {
            const char *value = at + name_length + 1;
            const bool quoted = *value == '"';
            *length = quoted ? span(value, "; \t") - 1 : span(value, "; \t");
            *length -= quoted && *length > 0 && value[*length] == '"';
            return value + quoted;
        }
        at += span(at, ";");
    }
    return NULL;
}

/* Parses a weight below 1, such as "0.125", into thousandths. Returns 1000 for any other text. */
static int parse_weight(const char *text) {
    if (text[0] != '0' || (text[1] != '\0' && strchr(".,; \t", text[1]) == NULL)) {
        return 1000;
    }
    int weight = 0;
    int digit = 100;
    for (const char *at = text[1] == '.' ? text + 2 : ""; *at >= '0' && *at <= '9'; at++) {
        weight += digit * (*at - '0');
        weight += digit == 0 && weight == 0 && *at != '0'; /* less than a thousandth counts as
                                                              one */
        digit /= 10;
    }
    return weight;
}

/* Returns the weight (parameter q) of the range that ends at end. */
static int weight_of(const char *range, const char *end) {
    for (const char *at = range + span(range, ",;"); at < end; at += span(at, ",;")) {
        at = skip_blanks(at + 1);
        if ((at[0] == 'q' || at[0] == 'Q') && at[1] == '=') {
            return parse_weight(at + 2);
        }
    }
    return 1000;
}

/* Returns 3 if the range is the type, 2 for its main type, 1 for any type, 0 if it does not
 * match. */
static int how_specific(const char *range, const char *type) {
    size_t kind = strcspn(type, "/") + 1;
    if (starts_with(range, "*/*")) {
        return 1;
    }
    if (strncasecmp(range, type, kind) == 0 && starts_with(range + kind, "*")) {
        return 2;
    }
    return starts_with(range, type) ? 3 : 0;
}

int gjkd_accept_weight(const char *accept, const char *type) {
    if (accept == NULL || skip_blanks(accept)[0] == '\0') {
        return 1000;
    }
    int best = 0;
    int weight = 0;
    const char *at = accept;
    while (*at != '\0') {
        at = skip_blanks(at);
        const char *end = at + span(at, ",");
        int specific = how_specific(at, type);
        if (specific > best) {
            best = specific;
            weight = weight_of(at, end);
        }
        at = *end == ',' ? end + 1 : end;
    }
    return weight;
}

int gjkd_coding_weight(const char *accept_encoding, const char *coding) {
    int any = 0;
    for (const char *at = accept_encoding != NULL ? accept_encoding : ""; *at != '\0';) {
        at = skip_blanks(at);
        const char *end = at + span(at, ",");
        if (starts_with(at, coding)) {
            return weight_of(at, end);
        }
        if (starts_with(at, "*") && strcmp(coding, "identity") != 0) {
            any = weight_of(at, end);
        }
        at = *end == ',' ? end + 1 : end;
    }
    return any;
}

/* Each thread counts its ids up from a random 64-bit number: this needs no lock, and shows the
 * order of the thread's requests. */

bool gjkd_is_request_id(const char *text) {
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                  "._~:@/+=-";
    size_t length = strspn(text, allowed);
    return length > 0 && length <= GJKD_REQUEST_ID_BYTES_MAX && text[length] == '\0';
}

void gjkd_request_id_make(char id[GJKD_REQUEST_ID_FRESH_MAX]) {
    static _Thread_local uint64_t next;
    /* Without the kernel's random bytes, ids are not unique, which does no other harm. */
    uint64_t number = next != 0 ? next : gjkd_random();
    next = number + 1;
    for (int i = GJKD_REQUEST_ID_FRESH_MAX - 2; i >= 0; i--, number >>= 4) {
        id[i] = "0123456789abcdef"[number & 15];
    }
    id[GJKD_REQUEST_ID_FRESH_MAX - 1] = '\0';
}
