/* Splits the port off, then accepts IP literals, localhost and the names of the list. RFC 9110,
 * section 7.2; RFC 3986, section 3.2.2. */

#include "util/host.h"

#include <arpa/inet.h>
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

/* "" or ":" and digits */
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
