/*
 * Numeric addresses only (and localhost), so that the start never waits for a name server and a
 * text always means the same address.
 */

#include "util/address.h"

#include <arpa/inet.h>
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
    gjkd_address address = {.four = {.sin_family = AF_INET, .sin_port = htons(port)}};
    address.length = sizeof address.four;
    bool fine = inet_pton(AF_INET, host, &address.four.sin_addr) == 1;
    *out = fine ? address : *out;
    return fine;
}

static bool make6(const char *host, uint16_t port, gjkd_address *out) {
    gjkd_address address = {.six = {.sin6_family = AF_INET6, .sin6_port = htons(port)}};
    address.length = sizeof address.six;
    bool fine = inet_pton(AF_INET6, host, &address.six.sin6_addr) == 1;
    *out = fine ? address : *out;
    return fine;
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

void gjkd_address_format(const gjkd_address *address, char *text) {
    char host[INET6_ADDRSTRLEN] = "?";
    unsigned port = gjkd_address_port(address);
    if (address->storage.ss_family == AF_INET6) {
        inet_ntop(AF_INET6, &address->six.sin6_addr, host, sizeof host);
        snprintf(text, GJKD_ADDRESS_TEXT_MAX, "[%s]:%u", host, port);
    } else {
        inet_ntop(AF_INET, &address->four.sin_addr, host, sizeof host);
        snprintf(text, GJKD_ADDRESS_TEXT_MAX, "%s:%u", host, port);
    }
}

uint16_t gjkd_address_port(const gjkd_address *address) {
    return ntohs(address->storage.ss_family == AF_INET6 ? address->six.sin6_port
                                                        : address->four.sin_port);
}

void gjkd_address_set_port(gjkd_address *address, uint16_t port) {
    if (address->storage.ss_family == AF_INET6) {
        address->six.sin6_port = htons(port);
    } else {
        address->four.sin_port = htons(port);
    }
}

bool gjkd_address_is_loopback(const gjkd_address *address) {
    if (address->storage.ss_family == AF_INET) {
        return (ntohl(address->four.sin_addr.s_addr) >> 24) == 127;
    }
    const struct in6_addr *ip = &address->six.sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(ip) || (IN6_IS_ADDR_V4MAPPED(ip) && ip->s6_addr[12] == 127);
}

bool gjkd_address_is_any(const gjkd_address *address) {
    if (address->storage.ss_family == AF_INET) {
        return address->four.sin_addr.s_addr == htonl(INADDR_ANY);
    }
    return IN6_IS_ADDR_UNSPECIFIED(&address->six.sin6_addr);
}
