#ifndef PROTO_TEXT_UTF8_H
#define PROTO_TEXT_UTF8_H

#include <stddef.h>

/*
 * The length in bytes, 1 to 4, of the valid UTF-8 sequence that text begins with, or 0 where it
 * begins with none (RFC 3629: no overlong forms, no surrogates, nothing past U+10FFFF). Reads at
 * most length bytes; length >= 1.
 */
size_t proto_utf8_sequence(const char *text, size_t length);

#endif
