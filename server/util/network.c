/* Prefixes are compared in the IPv4-mapped form (RFC 4291, section 2.5.5.2), in which an IPv4
 * prefix of n bits has 96 + n bits. */

#include "util/network.h"

#include "util/hash.h"

#include <arpa/inet.h>
#include <linux/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

static bool is_mapped(const gjkd_ip *ip) {
    return memcmp(ip->bytes, mapped, sizeof mapped) == 0;
}

bool gjkd_ip_parse(const char *text, size_t length, gjkd_ip *out) {
    char copy[GJKD_IP_TEXT_MAX];
    gjkd_ip ip;
    if (length >= sizeof copy || memchr(text, '\0', length) != NULL) {
        return false;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (inet_pton(AF_INET, copy, ip.bytes + 12) == 1) {
        memcpy(ip.bytes, mapped, sizeof mapped);
    } else if (inet_pton(AF_INET6, copy, ip.bytes) != 1) {
        return false;
    }
    *out = ip;
    return true;
}

void gjkd_ip_format(const gjkd_ip *ip, char *text) {
    if (is_mapped(ip)) {
        inet_ntop(AF_INET, ip->bytes + 12, text, GJKD_IP_TEXT_MAX);
    } else {
        inet_ntop(AF_INET6, ip->bytes, text, GJKD_IP_TEXT_MAX);
    }
}

gjkd_ip gjkd_ip_of(const struct sockaddr *address) {
    gjkd_ip ip = {{0}};
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *four = (const struct sockaddr_in *)(const void *)address;
        memcpy(ip.bytes, mapped, sizeof mapped);
        memcpy(ip.bytes + 12, &four->sin_addr, 4);
    } else if (address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)(const void *)address;
        memcpy(ip.bytes, &six->sin6_addr, sizeof ip.bytes);
    }
    return ip;
}

gjkd_ip gjkd_ip_client(const gjkd_ip *ip) {
    gjkd_ip client = *ip;
    if (!is_mapped(ip)) {
        memset(client.bytes + 8, 0, 8);
    }
    return client;
}

uint64_t gjkd_ip_hash(const gjkd_ip *ip, uint64_t seed) {
    uint64_t halves[2];
    memcpy(halves, ip->bytes, sizeof halves);
    return gjkd_hash2(halves, seed);
}

/* Returns true if the first `bits` bits of the addresses agree. */
static bool agree(const gjkd_ip *a, const gjkd_ip *b, unsigned bits) {
    unsigned whole = bits / 8;
    unsigned rest = bits % 8;
    if (memcmp(a->bytes, b->bytes, whole) != 0) {
        return false;
    }
    return rest == 0 || (a->bytes[whole] ^ b->bytes[whole]) >> (8 - rest) == 0;
}

bool gjkd_network_parse(const char *text, size_t length, gjkd_network *out) {
    const char *slash = memchr(text, '/', length);
    gjkd_network network = {.bits = 128};
    if (!gjkd_ip_parse(text, slash != NULL ? (size_t)(slash - text) : length, &network.ip)) {
        return false;
    }
    if (slash != NULL) {
        const char *end = text + length;
        bool four = memchr(text, ':', length) == NULL;
        unsigned bits = 0;
        if (end - slash < 2 || end - slash > 4) {
            return false;
        }
        for (const char *at = slash + 1; at < end; at++) {
            if (*at < '0' || *at > '9') {
                return false;
            }
            bits = bits * 10 + (unsigned)(*at - '0');
        }
        network.bits = four ? 96 + bits : bits;
    }
    if (network.bits > 128) {
        return false;
    }
    for (unsigned i = network.bits; i < 128; i++) {
        if (network.ip.bytes[i / 8] >> (7 - i % 8) & 1) {
            return false; /* a bit is set after the prefix */
        }
    }
    *out = network;
    return true;
}

void gjkd_network_format(const gjkd_network *network, char *text) {
    unsigned before = is_mapped(&network->ip) && network->bits >= 96 ? 96 : 0;
    if (before == 0) {
        inet_ntop(AF_INET6, network->ip.bytes, text, GJKD_IP_TEXT_MAX);
    } else {
        gjkd_ip_format(&network->ip, text);
    }
    if (network->bits < 128) {
        size_t length = strlen(text);
        snprintf(text + length, GJKD_NETWORK_TEXT_MAX - length, "/%u", network->bits - before);
    }
}

bool gjkd_networks_contain(const struct gjkd_networks *networks, const gjkd_ip *ip) {
    for (unsigned i = 0; i < networks->count; i++) {
        if (agree(&networks->items[i].ip, ip, networks->items[i].bits)) {
            return true;
        }
    }
    return false;
}

/*
 * Only numeric addresses and localhost are accepted, so that the start never waits for a name
 * server and a text always means the same address.
 */

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
    gjkd_address address = {.four = {.sin_family = AF_INET}, .length = sizeof address.four};
    bool is_fine;
    if (host[0] == '[' && host[length - 1] == ']') {
        host[length - 1] = '\0';
        address = (gjkd_address){.six = {.sin6_family = AF_INET6}, .length = sizeof address.six};
        is_fine = inet_pton(AF_INET6, host + 1, &address.six.sin6_addr) == 1;
    } else {
        const char *ip = strcmp(host, "localhost") == 0 ? "127.0.0.1" : host;
        is_fine = inet_pton(AF_INET, ip, &address.four.sin_addr) == 1;
    }
    gjkd_address_set_port(&address, port);
    *out = is_fine ? address : *out;
    return is_fine;
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

/* Reads the list from its end, as long as the address reached is that of a trusted proxy; earlier
 * entries may be forged. */

/* Parses an entry: 192.0.2.1, 192.0.2.1:80, 2001:db8::1, [2001:db8::1] or [2001:db8::1]:80. */
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

/* --- Sockets --- */

/* Uses TCP_INFO, tcp(7). The kernel's header declares the counter of bytes, libc's does not. */
bool gjkd_socket_acknowledged(int fd, uint64_t *bytes) {
    struct tcp_info info;
    socklen_t length = sizeof info;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0 ||
        length < offsetof(struct tcp_info, tcpi_bytes_acked) + sizeof info.tcpi_bytes_acked) {
        return false;
    }
    *bytes = info.tcpi_bytes_acked;
    return true;
}
