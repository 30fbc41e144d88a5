/* Splits the port off, then accepts IP literals, localhost and the names of the list. RFC 9110,
 * section 7.2; RFC 3986, section 3.2.2. */

#include "util/host.h"

#include <arpa/inet.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

bool gjkd_is_host_name(const char *text, size_t length) {
    if (length == 0 || length > GJKD_NAME_BYTES_MAX) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && !(c >= '0' && c <= '9') && c != '-' && c != '_' && c != '.') {
            return false;
        }
    }
    return true;
}

/* Returns true if the text is "" or ":" followed by digits. */
static bool is_port(const char *text) {
    return text[0] == '\0' || (text[0] == ':' && text[1 + strspn(text + 1, "0123456789")] == '\0');
}

static bool is_literal6(const char *header) {
    char ip[INET6_ADDRSTRLEN];
    struct in6_addr parsed;
    const char *end = strchr(header, ']');
    if (end == NULL || (size_t)(end - header - 1) >= sizeof ip || !is_port(end + 1)) {
        return false;
    }
    size_t length = (size_t)(end - header - 1);
    memcpy(ip, header + 1, length);
    ip[length] = '\0';
    return inet_pton(AF_INET6, ip, &parsed) == 1;
}

bool gjkd_host_allowed(const char *header, const struct gjkd_names *allowed) {
    if (header[0] == '[') {
        return is_literal6(header);
    }
    char name[GJKD_NAME_BYTES_MAX + 1];
    struct in_addr parsed;
    size_t length = strcspn(header, ":");
    if (!gjkd_is_host_name(header, length) || !is_port(header + length)) {
        return false;
    }
    memcpy(name, header, length);
    name[length] = '\0';
    if (inet_pton(AF_INET, name, &parsed) == 1 || strcasecmp(name, "localhost") == 0) {
        return true;
    }
    for (unsigned i = 0; i < allowed->count; i++) {
        if (strcasecmp(name, allowed->names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Browsers send origins in their normal form; therefore origins are compared bytewise. */
#define ORIGIN "^(\\*|[a-z0-9+.-]+://(\\[[a-z0-9:.]+\\]|[a-z0-9._-]+)(:[0-9]{1,5})?)$"

bool gjkd_is_origin(const char *text, size_t length) {
    char copy[GJKD_NAME_BYTES_MAX + 1];
    regex_t form;
    if (length >= sizeof copy || regcomp(&form, ORIGIN, REG_EXTENDED | REG_NOSUB) != 0) {
        return false;
    }
    snprintf(copy, sizeof copy, "%.*s", (int)length, text);
    const bool is_origin = strlen(copy) == length && regexec(&form, copy, 0, NULL, 0) == 0;
    regfree(&form);
    return is_origin;
}

static const char *find_origin(const char *name, const struct gjkd_names *allowed) {
    for (unsigned i = 0; i < allowed->count; i++) {
        if (strcmp(allowed->names[i], name) == 0) {
            return allowed->names[i];
        }
    }
    return NULL;
}

const char *gjkd_origin_find(const char *header, const struct gjkd_names *allowed) {
    const char *any = find_origin("*", allowed);
    return any != NULL ? any : find_origin(header, allowed);
}

/* Compares the request's origin with the allowed ones. An answer without the header fields below is
 * withheld from the page by its browser. */

/* Time for which a browser caches the answer to a preflight: browsers cap it at one day or less. */
#define MAX_AGE_S "86400"

bool gjkd_cors_is_preflight(const gjkd_head *head) {
    return head->method == GJKD_OPTIONS && head->origin != NULL && head->request_method != NULL;
}

gjkd_cors gjkd_cors_make(const struct gjkd_names *allowed, const gjkd_head *head) {
    gjkd_cors cors = {.varies = allowed->count > 0 && find_origin("*", allowed) == NULL};
    cors.allow_origin = head->origin != NULL ? gjkd_origin_find(head->origin, allowed) : NULL;
    cors.preflight = cors.allow_origin != NULL && gjkd_cors_is_preflight(head);
    return cors;
}

void gjkd_cors_each_field(const gjkd_cors *cors, gjkd_add_field add, void *response) {
    if (cors->varies) {
        add(response, "Vary", "Origin");
    }
    if (cors->allow_origin == NULL) {
        return;
    }
    add(response, "Access-Control-Allow-Origin", cors->allow_origin);
    if (cors->preflight) {
        add(response, "Access-Control-Allow-Methods", "GET, HEAD, PUT, POST, PATCH, DELETE");
        add(response, "Access-Control-Allow-Headers",
            "Accept, Authorization, Content-Encoding, Content-Type, Gjkd-Consistency, "
            "Gjkd-Min-Revision, Gjkd-Timeout-Ms, If-Match, If-None-Match, Last-Event-ID, "
            "X-Request-Id");
        add(response, "Access-Control-Max-Age", MAX_AGE_S);
    } else {
        add(response, "Access-Control-Expose-Headers",
            "Allow, ETag, Gjkd-Age-Ms, Gjkd-Durability, Location, Retry-After, Server-Timing, "
            "WWW-Authenticate, X-Request-Id");
    }
}
