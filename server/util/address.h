#ifndef GJKD_UTIL_ADDRESS_H
#define GJKD_UTIL_ADDRESS_H

/*
 * A numeric IP address and port, as --listen takes it and as the first line of output
 * shows it: 127.0.0.1:8080, [::1]:8080, localhost:8080 (which means 127.0.0.1).
 */

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

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

/* False when the text is not ADDR:PORT; then *out is untouched. */
bool gjkd_address_parse(const char *text, gjkd_address *out);

/* ADDR:PORT, IPv6 in brackets. text holds GJKD_ADDRESS_TEXT_MAX bytes. */
void gjkd_address_format(const gjkd_address *address, char *text);

uint16_t gjkd_address_port(const gjkd_address *address);
void gjkd_address_set_port(gjkd_address *address, uint16_t port);

/* Returns true if only this machine can reach it: 127.0.0.0/8, ::1 and ::ffff:127.0.0.0/104. */
bool gjkd_address_is_loopback(const gjkd_address *address);

/* 0.0.0.0 or ::, which mean every interface. */
bool gjkd_address_is_any(const gjkd_address *address);

#endif
