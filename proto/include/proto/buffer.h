#ifndef PROTO_BUFFER_H
#define PROTO_BUFFER_H

/*
 * Texts: a borrowed piece of one, and one that grows in the caller's arena. Running out of memory
 * marks the buffer failed and writes nothing more: check once, at the end.
 */

#include <stdbool.h>
#include <stddef.h>

#include "gjk/arena.h"

/* Not always NUL-terminated. */
typedef struct proto_text {
    const char *data; /* NULL: absent */
    size_t length;
} proto_text;

struct proto_buffer {
    struct gjk_arena *arena;
    char *data;
    size_t length, capacity;
    bool failed;
};

void proto_buffer_init(struct proto_buffer *buffer, struct gjk_arena *arena);

/* Of an empty buffer: room for so many bytes, so that it need not grow until then. */
void proto_buffer_reserve(struct proto_buffer *buffer, size_t length);

#endif
