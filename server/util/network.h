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

/* The longest text of an address and its NUL, and of a network ("/128" more). */
#define GJKD_IP_TEXT_MAX 46
#define GJKD_NETWORK_TEXT_MAX (GJKD_IP_TEXT_MAX + 4)

/* 10.1.2.3 or 2001:db8::7, without port, brackets or zone. False: *out is untouched. */
bool gjkd_ip_parse(const char *text, size_t length, gjkd_ip *out);

/* IPv4 as it is usually written. text holds GJKD_IP_TEXT_MAX bytes. */
void gjkd_ip_format(const gjkd_ip *ip, char *text);

/* The address without its port; :: if the family is neither IPv4 nor IPv6. */
gjkd_ip gjkd_ip_of(const struct sockaddr *address);

bool gjkd_ip_equal(const gjkd_ip *a, const gjkd_ip *b);

/* The part that identifies a client: an IPv4 address, or the first 64 bits of an IPv6 one. */
gjkd_ip gjkd_ip_client(const gjkd_ip *ip);

/* A hash for hash tables. With a secret seed nobody can construct collisions. */
uint64_t gjkd_ip_hash(const gjkd_ip *ip, uint64_t seed);

typedef struct gjkd_network {
    gjkd_ip ip;
    unsigned bits; /* 0 to 128, of the mapped form */
} gjkd_network;

/* The most networks of a list. */
#define GJKD_NETWORKS_MAX 64
struct gjkd_networks {
    unsigned count;
    gjkd_network items[GJKD_NETWORKS_MAX];
};

/* 10.0.0.0/8, fd00::/8, or one address. False also when bits behind the prefix are set. */
bool gjkd_network_parse(const char *text, size_t length, gjkd_network *out);

/* text holds GJKD_NETWORK_TEXT_MAX bytes. */
void gjkd_network_format(const gjkd_network *network, char *text);

bool gjkd_networks_contain(const struct gjkd_networks *networks, const gjkd_ip *ip);

/*
 * A numeric IP address and port, as --listen takes it and as the first line of output
 * shows it: 127.0.0.1:8080, [::1]:8080, localhost:8080 (which means 127.0.0.1).
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

/* Parses ADDR:PORT. Returns false if the text is none; *out is untouched. */
bool gjkd_address_parse(const char *text, gjkd_address *out);

/* ADDR:PORT, IPv6 in brackets. text holds GJKD_ADDRESS_TEXT_MAX bytes. */
void gjkd_address_format(const gjkd_address *address, char *text);

uint16_t gjkd_address_port(const gjkd_address *address);
void gjkd_address_set_port(gjkd_address *address, uint16_t port);

/* Returns true if only this machine can reach it: 127.0.0.0/8, ::1 and ::ffff:127.0.0.0/104. */
bool gjkd_address_is_loopback(const gjkd_address *address);

/* 0.0.0.0 or ::, which mean every interface. */
bool gjkd_address_is_any(const gjkd_address *address);

/*
 * The client behind a proxy. Every proxy appends to X-Forwarded-For the address of its own peer;
 * only what a trusted proxy appended is believed.
 */

/*
 * The client of a connection from peer: peer itself unless it is trusted; else the last address of
 * the header (NULL: none) that is not trusted. If an entry is no address, the peer that sent it is
 * the client. Entries may carry a port.
 */
gjkd_ip gjkd_forwarded_client(const gjkd_ip *peer, const char *header,
                              const struct gjkd_networks *trusted);

/* The bytes that the other side of a TCP connection has acknowledged since it began. False: the
 * kernel does not tell. */
bool gjkd_socket_acknowledged(int fd, uint64_t *bytes);

#endif
