#ifndef PROTO_BUFFER_H
#define PROTO_BUFFER_H

/*
 * Texts: proto_text borrows one, proto_buffer grows one in the caller's arena. If memory is
 * exhausted, the buffer is marked failed and ignores further writes: check once, at the end.
 */

#include <stdbool.h>
#include <stddef.h>

#include "gjk/arena.h"

/* A borrowed text; a NUL need not follow it. */
typedef struct proto_text {
    const char *data; /* NULL: absent */
    size_t length;
} proto_text;

struct proto_buffer_block;

struct proto_buffer {
    struct gjk_arena *arena;
    char *data;                        /* the text; with blocks, the text after the full blocks */
    size_t length, capacity;           /* of data, in bytes */
    struct proto_buffer_block *blocks; /* full blocks, the newest first; NULL: none */
    size_t blocks_bytes;               /* bytes of text in full blocks */
    size_t list_bytes_max; /* text length beyond which lists are cut; SIZE_MAX: no limit */
    bool in_blocks;        /* growing adds a block instead of moving the text */
    bool is_cut;           /* a list was cut at list_bytes_max */
    bool failed;           /* memory was exhausted; the text is incomplete */
};

/* Begins a contiguous text. Growing it doubles the memory and copies the text. */
void proto_buffer_init(struct proto_buffer *buffer, struct gjk_arena *arena);

/* Begins a text that is split into blocks once it is long, which avoids copies. Read it with
 * proto_buffer_texts. */
void proto_buffer_init_blocks(struct proto_buffer *buffer, struct gjk_arena *arena);

/* Allocates `length` bytes for an empty buffer, at most 1 MiB. */
void proto_buffer_reserve(struct proto_buffer *buffer, size_t length);

/* Appends bytes without escaping them. */
void proto_put_bytes(struct proto_buffer *out, const char *data, size_t length);

/* Returns the length of the whole text in bytes. */
size_t proto_buffer_length(const struct proto_buffer *buffer);

/*
 * Returns the *count parts of the text in order, at least 1, as an array in the buffer's arena.
 * Returns NULL if memory is exhausted.
 */
const proto_text *proto_buffer_texts(const struct proto_buffer *buffer, size_t *count);

#endif
