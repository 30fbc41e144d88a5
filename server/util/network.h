#ifndef GJKD_UTIL_NETWORK_H
#define GJKD_UTIL_NETWORK_H

/* IP addresses without ports, and networks in CIDR form. IPv4 is kept as IPv4-mapped IPv6
 * (::ffff:a.b.c.d), so that a client has one address on both kinds of sockets. */

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

typedef struct gjkd_ip {
    uint8_t bytes[16];
} gjkd_ip;

/* Size of the longest text of an address with its NUL, and of a network ("/128" more). */
#define GJKD_IP_TEXT_MAX 46
#define GJKD_NETWORK_TEXT_MAX (GJKD_IP_TEXT_MAX + 4)

/* Parses 10.1.2.3 or 2001:db8::7, without port, brackets or zone. Returns false, with *out
 * unchanged, on any other text. */
bool gjkd_ip_parse(const char *text, size_t length, gjkd_ip *out);

/* Formats an address, an IPv4-mapped one as IPv4. text holds GJKD_IP_TEXT_MAX bytes. */
void gjkd_ip_format(const gjkd_ip *ip, char *text);

/* Returns the address without its port; :: if the family is neither IPv4 nor IPv6. */
gjkd_ip gjkd_ip_of(const struct sockaddr *address);

/* Returns the part that identifies a client: an IPv4 address, or 64 bits of an IPv6 one. */
gjkd_ip gjkd_ip_client(const gjkd_ip *ip);

/* Hashes an address, for hash tables. With a secret seed, nobody can construct collisions. */
uint64_t gjkd_ip_hash(const gjkd_ip *ip, uint64_t seed);

typedef struct gjkd_network {
    gjkd_ip ip;
    unsigned bits; /* 0 to 128, length of the prefix in the IPv4-mapped form */
} gjkd_network;

/* Maximum number of networks in a list. */
#define GJKD_NETWORKS_MAX 64
struct gjkd_networks {
    unsigned count;
    gjkd_network items[GJKD_NETWORKS_MAX];
};

/* Parses 10.0.0.0/8, fd00::/8 or a single address. Returns false for other texts, and if bits after
 * the prefix are set. */
bool gjkd_network_parse(const char *text, size_t length, gjkd_network *out);

/* Formats a network. text holds GJKD_NETWORK_TEXT_MAX bytes. */
void gjkd_network_format(const gjkd_network *network, char *text);

bool gjkd_networks_contain(const struct gjkd_networks *networks, const gjkd_ip *ip);

/*
 * A numeric IP address and port, as --listen takes it and the ready line shows it: 127.0.0.1:8080,
 * [::1]:8080, localhost:8080 (which means 127.0.0.1).
 */

/* "[" + the longest IPv6 text + "]:65535" + NUL */
#define GJKD_ADDRESS_TEXT_MAX 64

typedef struct gjkd_address {
    union {
        struct sockaddr_storage storage;
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    };
    socklen_t length;
} gjkd_address;

/* Parses ADDR:PORT. Returns false, with *out unchanged, if the text has another form. */
bool gjkd_address_parse(const char *text, gjkd_address *out);

/* Formats ADDR:PORT, IPv6 in brackets. text holds GJKD_ADDRESS_TEXT_MAX bytes. */
void gjkd_address_format(const gjkd_address *address, char *text);

uint16_t gjkd_address_port(const gjkd_address *address);
void gjkd_address_set_port(gjkd_address *address, uint16_t port);

/* Returns true if only this machine can reach the address: 127.0.0.0/8, ::1 and
 * ::ffff:127.0.0.0/104. */
bool gjkd_address_is_loopback(const gjkd_address *address);

/* Returns true if the address is 0.0.0.0 or ::, which mean every interface. */
bool gjkd_address_is_any(const gjkd_address *address);

/*
 * The client behind a proxy. Every proxy appends the address of its own peer to X-Forwarded-For;
 * only entries that trusted proxies appended are believed.
 */

/*
 * Returns the client of a connection from peer: peer itself unless it is trusted; otherwise the
 * last address in the header (NULL: none) that is not trusted. If an entry is no address, the
 * client is the peer that sent it. Entries may include a port.
 */
gjkd_ip gjkd_forwarded_client(const gjkd_ip *peer, const char *header,
                              const struct gjkd_networks *trusted);

/* Stores the number of bytes that the peer of a TCP connection has acknowledged so far. Returns
 * false if the kernel does not report it. */
bool gjkd_socket_acknowledged(int fd, uint64_t *bytes);

#endif
