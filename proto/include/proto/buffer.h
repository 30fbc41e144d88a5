#ifndef PROTO_BUFFER_H
#define PROTO_BUFFER_H

/*
 * Texts: a borrowed piece of one, and one that grows in the caller's arena. Running out of memory
 * marks the buffer failed and writes nothing more: check once, at the end.
 */

#include <stdbool.h>
#include <stddef.h>

#include "gjk/arena.h"

/* A view of text, not always NUL-terminated. */
typedef struct proto_text {
    const char *data; /* NULL: absent */
    size_t length;
} proto_text;

struct proto_block;

struct proto_buffer {
    struct gjk_arena *arena;
    char *data;                 /* the text; with blocks, the part after the full blocks */
    size_t length, capacity;    /* of data */
    struct proto_block *blocks; /* full ones, the newest first; NULL: none */
    size_t blocks_bytes;        /* of text in them */
    size_t list_bytes_max;      /* lists are cut before the text exceeds it; SIZE_MAX: no limit */
    bool in_blocks;             /* a long text is kept in blocks instead of being moved */
    bool is_cut;                /* a list was cut at list_bytes_max */
    bool failed;
};

/* Begins one text, which is moved to twice the memory whenever it has outgrown it. */
void proto_buffer_init(struct proto_buffer *buffer, struct gjk_arena *arena);

/* Begins a text that is kept in blocks once it is long: it has to be sent from several places. */
void proto_buffer_init_blocks(struct proto_buffer *buffer, struct gjk_arena *arena);

/* Makes room in an empty buffer for about so many bytes, as far as one block may hold them. */
void proto_buffer_reserve(struct proto_buffer *buffer, size_t length);

/* Adds bytes as they are. */
void proto_put_bytes(struct proto_buffer *out, const char *data, size_t length);

/* Returns the bytes of text in all blocks. */
size_t proto_buffer_length(const struct proto_buffer *buffer);

/*
 * Returns the blocks in the order of the text, *count of them, at least 1, in the buffer's arena,
 * or NULL if memory is exhausted.
 */
const proto_text *proto_buffer_texts(const struct proto_buffer *buffer, size_t *count);

#endif
