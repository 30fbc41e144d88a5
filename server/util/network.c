/* Prefixes are compared in the IPv4-mapped form (RFC 4291, section 2.5.5.2), in which an IPv4
 * prefix of n bits has 96 + n. */

#include "util/network.h"

#include "util/hash.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
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

bool gjkd_ip_equal(const gjkd_ip *a, const gjkd_ip *b) {
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
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

/* Returns true if the first `bits` bits agree. */
static bool agree(const gjkd_ip *a, const gjkd_ip *b, unsigned bits) {
    unsigned whole = bits / 8;
    unsigned rest = bits % 8;
    if (memcmp(a->bytes, b->bytes, whole) != 0) {
        return false;
    }
    return rest == 0 || (a->bytes[whole] ^ b->bytes[whole]) >> (8 - rest) == 0;
}

static bool is_clear_behind(const gjkd_ip *ip, unsigned bits) {
    for (unsigned i = bits; i < 128; i++) {
        if (ip->bytes[i / 8] >> (7 - i % 8) & 1) {
            return false;
        }
    }
    return true;
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
    if (network.bits > 128 || !is_clear_behind(&network.ip, network.bits)) {
        return false;
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
