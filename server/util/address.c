/*
 * Numeric addresses only (and localhost), so that the start never waits for a name server and a
 * text always means the same address.
 */

#include "util/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool parse_port(const char *text, uint16_t *port) {
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 5 || text[digits] != '\0') {
        return false;
    }
    unsigned long value = strtoul(text, NULL, 10);
    if (value > UINT16_MAX) {
        return false;
    }
    *port = (uint16_t)value;
    return true;
}

static bool make4(const char *host, uint16_t port, gjkd_address *out) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    if (inet_pton(AF_INET, host, &address.sin_addr) != 1) {
        return false;
    }
    memset(out, 0, sizeof *out);
    memcpy(&out->storage, &address, sizeof address);
    out->length = sizeof address;
    return true;
}

static bool make6(const char *host, uint16_t port, gjkd_address *out) {
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    if (inet_pton(AF_INET6, host, &address.sin6_addr) != 1) {
        return false;
    }
    memset(out, 0, sizeof *out);
    memcpy(&out->storage, &address, sizeof address);
    out->length = sizeof address;
    return true;
}

bool gjkd_address_parse(const char *text, gjkd_address *out) {
    char host[INET6_ADDRSTRLEN + 2];
    const char *colon = strrchr(text, ':');
    uint16_t port = 0;
    if (colon == NULL || (size_t)(colon - text) >= sizeof host || !parse_port(colon + 1, &port)) {
        return false;
    }
    size_t length = (size_t)(colon - text);
    memcpy(host, text, length);
    host[length] = '\0';
    if (host[0] == '[' && host[length - 1] == ']') {
        host[length - 1] = '\0';
        return make6(host + 1, port, out);
    }
    return make4(strcmp(host, "localhost") == 0 ? "127.0.0.1" : host, port, out);
}

static const struct sockaddr_in *view4(const gjkd_address *address) {
    return (const struct sockaddr_in *)(const void *)&address->storage;
}

static const struct sockaddr_in6 *view6(const gjkd_address *address) {
    return (const struct sockaddr_in6 *)(const void *)&address->storage;
}

void gjkd_address_format(const gjkd_address *address, char *text) {
    char host[INET6_ADDRSTRLEN] = "?";
    unsigned port = gjkd_address_port(address);
    if (address->storage.ss_family == AF_INET6) {
        inet_ntop(AF_INET6, &view6(address)->sin6_addr, host, sizeof host);
        snprintf(text, GJKD_ADDRESS_TEXT_MAX, "[%s]:%u", host, port);
    } else {
        inet_ntop(AF_INET, &view4(address)->sin_addr, host, sizeof host);
        snprintf(text, GJKD_ADDRESS_TEXT_MAX, "%s:%u", host, port);
    }
}

uint16_t gjkd_address_port(const gjkd_address *address) {
    return ntohs(address->storage.ss_family == AF_INET6 ? view6(address)->sin6_port
                                                        : view4(address)->sin_port);
}

void gjkd_address_set_port(gjkd_address *address, uint16_t port) {
    if (address->storage.ss_family == AF_INET6) {
        ((struct sockaddr_in6 *)(void *)&address->storage)->sin6_port = htons(port);
    } else {
        ((struct sockaddr_in *)(void *)&address->storage)->sin_port = htons(port);
    }
}

bool gjkd_address_is_loopback(const gjkd_address *address) {
    if (address->storage.ss_family == AF_INET) {
        return (ntohl(view4(address)->sin_addr.s_addr) >> 24) == 127;
    }
    const struct in6_addr *ip = &view6(address)->sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(ip) || (IN6_IS_ADDR_V4MAPPED(ip) && ip->s6_addr[12] == 127);
}

bool gjkd_address_is_any(const gjkd_address *address) {
    if (address->storage.ss_family == AF_INET) {
        return view4(address)->sin_addr.s_addr == htonl(INADDR_ANY);
    }
    return IN6_IS_ADDR_UNSPECIFIED(&view6(address)->sin6_addr);
}
