/* Reads the list from its end for as long as the address reached is a trusted proxy's; entries
 * before that may be forged. */

#include "security/forwarded.h"

#include <string.h>

/* 192.0.2.1, 192.0.2.1:80, 2001:db8::1, [2001:db8::1], [2001:db8::1]:80 */
static bool parse_entry(const char *text, size_t length, gjkd_ip *out) {
    if (length > 0 && text[0] == '[') {
        const char *end = memchr(text, ']', length);
        bool fine = end != NULL && (end + 1 == text + length || end[1] == ':');
        return fine && gjkd_ip_parse(text + 1, (size_t)(end - text - 1), out);
    }
    const char *colon = memchr(text, ':', length);
    bool port =
        colon != NULL && memchr(colon + 1, ':', length - (size_t)(colon + 1 - text)) == NULL;
    return gjkd_ip_parse(text, port ? (size_t)(colon - text) : length, out);
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

gjkd_ip gjkd_forwarded_client(const gjkd_ip *peer, const char *header,
                              const struct gjkd_networks *trusted) {
    gjkd_ip client = *peer;
    const char *end = header != NULL ? header + strlen(header) : NULL;
    while (end != NULL && gjkd_networks_contain(trusted, &client)) {
        const char *begin = end;
        while (begin > header && begin[-1] != ',') {
            begin--;
        }
        const char *next = begin > header ? begin - 1 : NULL; /* the comma before it */
        while (begin < end && is_blank(*begin)) {
            begin++;
        }
        while (end > begin && is_blank(end[-1])) {
            end--;
        }
        if (!parse_entry(begin, (size_t)(end - begin), &client)) {
            break;
        }
        end = next;
    }
    return client;
}
