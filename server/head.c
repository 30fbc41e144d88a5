/*
 * Which of the header fields matter, and do they contradict each other? Field by field, by
 * name without case. libmicrohttpd itself takes Content-Length beside Transfer-Encoding,
 * repeated Content-Length and blanks in names, so they are caught here.
 */

#include "head.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NO_MEMORY "no memory is left to read the header fields"

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

static void take_once(gjkd_head *head, const char **slot, const char *value, const char *fault) {
    if (*slot != NULL) {
        head->fault = fault;
    }
    *slot = value;
}

static void take_list(gjkd_head *head, struct gjk_arena *arena, const char **slot,
                      const char *value) {
    if (*slot == NULL) {
        *slot = value;
        return;
    }
    size_t old = strlen(*slot);
    size_t new = strlen(value);
    char *joined = gjk_arena_alloc(arena, old + new + 3);
    if (joined == NULL) {
        head->fault = NO_MEMORY;
        return;
    }
    memcpy(joined, *slot, old);
    memcpy(joined + old, ", ", 2);
    memcpy(joined + old + 2, value, new + 1);
    *slot = joined;
}

static void take_length(gjkd_head *head, const char *value) {
    size_t digits = strspn(value, "0123456789");
    if (head->has_length) {
        head->fault = "Content-Length stands twice";
    } else if (digits == 0 || digits > 18 || value[digits] != '\0') {
        head->fault = "Content-Length is not a number of bytes";
    } else {
        head->body_bytes = strtoull(value, NULL, 10);
    }
    head->has_length = true;
}

static void take_encoding(gjkd_head *head, const char *value) {
    if (head->chunked || strcasecmp(value, "chunked") != 0) {
        head->fault = "Transfer-Encoding may be chunked and nothing else, once";
    }
    head->chunked = true;
}

static bool is_name(const char *name) {
    return name[0] != '\0' && name[strcspn(name, " \t\r\n\"(),/;<=>?@[\\]{}")] == '\0';
}

/* Without the blanks at its end, which libmicrohttpd leaves there. */
static const char *trim(struct gjk_arena *arena, const char *value) {
    size_t length = strlen(value);
    size_t kept = length;
    while (kept > 0 && (value[kept - 1] == ' ' || value[kept - 1] == '\t')) {
        kept--;
    }
    return kept == length ? value : gjk_arena_copy_text(arena, value, kept);
}

void gjkd_head_add(gjkd_head *head, struct gjk_arena *arena, const char *name, const char *value) {
    head->field_bytes += strlen(name) + strlen(value);
    value = trim(arena, value);
    if (value == NULL) {
        head->fault = NO_MEMORY;
        return;
    }
    if (!is_name(name)) {
        head->fault = "a header's name is malformed";
    } else if (strcasecmp(name, "Host") == 0) {
        take_once(head, &head->host, value, "Host stands twice");
    } else if (strcasecmp(name, "Content-Type") == 0) {
        take_once(head, &head->content_type, value, "Content-Type stands twice");
    } else if (strcasecmp(name, "Content-Encoding") == 0) {
        head->encoded = head->encoded || strcasecmp(value, "identity") != 0;
    } else if (strcasecmp(name, "Content-Length") == 0) {
        take_length(head, value);
    } else if (strcasecmp(name, "Transfer-Encoding") == 0) {
        take_encoding(head, value);
    } else if (strcasecmp(name, "Accept") == 0) {
        take_list(head, arena, &head->accept, value);
    } else if (strcasecmp(name, "If-Match") == 0) {
        take_list(head, arena, &head->if_match, value);
    } else if (strcasecmp(name, "If-None-Match") == 0) {
        take_list(head, arena, &head->if_none_match, value);
    } else if (strcasecmp(name, "Gjkd-Timeout-Ms") == 0) {
        take_once(head, &head->timeout_ms, value, "Gjkd-Timeout-Ms stands twice");
    } else if (strcasecmp(name, "X-Request-Id") == 0) {
        head->request_id = value; /* when repeated: any will do */
    } else if (strcasecmp(name, "Expect") == 0) {
        head->wants_continue = strcasecmp(value, "100-continue") == 0;
    }
    if (head->has_length && head->chunked) {
        head->fault = "Content-Length and Transfer-Encoding stand side by side";
    }
}

bool gjkd_head_has_body(const gjkd_head *head) {
    return head->chunked || head->body_bytes > 0;
}
