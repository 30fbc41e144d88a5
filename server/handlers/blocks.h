#ifndef GJKD_HANDLERS_BLOCKS_H
#define GJKD_HANDLERS_BLOCKS_H

/*
 * A block: a column message of queries of one kind, one query a row. A block is the whole body of a
 * request, or one of several in a batch or a tick. Its rows are answered in chunks.
 */

#include "proto/columns.h"
#include "request/request.h"

#include <pthread.h>

/* State that the rows of all blocks of a request share. */
struct gjkd_lists {
    pthread_mutex_t lock; /* protects the request's arena, which keeps the lists of all rows */
    atomic_ullong lines;  /* number of lines in lists, including lists that are not kept */
};

/* A block that is being answered. The state of its kind follows it in memory. */
struct gjkd_block {
    struct gjkd_request *request;
    const struct gjkd_block_kind *kind;
    struct gjkd_lists *lists;
    uint32_t query;      /* PROTO_BLOCK_... of its kind of query */
    unsigned counted;    /* proto_op or GJKD_COUNTED_... of its rows; set by decode */
    uint32_t rows;       /* number of rows; set by decode */
    uint64_t row_ns;     /* estimated time of a row; set by prepare */
    bool in_part;        /* the tick is already made: a row without an answer must not refuse it */
    atomic_uint refused; /* first row that names a missing shape; UINT32_MAX: none */
    atomic_bool no_memory;
};

/* A kind of block. Its functions return false if they have refused the request. */
struct gjkd_block_kind {
    size_t size; /* size of the structure that begins with struct gjkd_block */
    /* Decodes the message. Uses only the dimension of the set. */
    bool (*decode)(struct gjkd_block *block, const proto_source *source);
    /* Checks before a tick is made that the shapes and ticks of all rows exist, as far as the
     * version before the tick shows. Returns false with *problem set; does not refuse. */
    bool (*check)(struct gjkd_block *block, const struct gjkd_version *before, uint64_t tick,
                  struct proto_problem *problem);
    /* Finds the states that rows ask for, and allocates the answers. */
    bool (*prepare)(struct gjkd_block *block);
    /* Answers the rows of a chunk, whose `work` is the block, on any thread. May skip rows if the
     * request will be refused. */
    void (*run)(gjkd_chunk *chunk);
    /* Writes the answer once all rows are done. */
    bool (*print)(struct gjkd_block *block, struct proto_buffer *out);
};

/* columns.c, configurations.c */
extern const struct gjkd_block_kind gjkd_columns_block, gjkd_configurations_block;

/* Returns the request's body as a column message to decode. */
proto_source gjkd_block_source(struct gjkd_request *request, uint32_t set_dimension);

/* Copies a row's list to the request's arena, on any thread. NULL if memory is exhausted. */
void *gjkd_block_keep(struct gjkd_block *block, const void *items, uint32_t count, size_t size);

/* Notes that a row names a missing shape, on any thread: the first one refuses the message. */
void gjkd_block_note_refused(struct gjkd_block *block, uint32_t row);

/* Refuses the request because memory for the answers is exhausted. Returns false. */
bool gjkd_block_fail_memory(struct gjkd_request *request);

/* Rewinds the request's set to a tick. If the tick is not kept, sets *lacking to the reason,
 * PROTO_ROW_...; unless `pointer` is NULL, also refuses the request there and returns false. */
bool gjkd_block_rewind(struct gjkd_block *block, double tick, const char *pointer, gjk_rewound *out,
                       uint8_t *lacking);

/* Returns the set in which a block's shapes are looked up at the tick *asked (NULL: the newest),
 * while `tick` is about to be made from `before`. Returns NULL if that tick is not kept or the
 * deadline passed; *problem is set. */
const struct gjk_set *gjkd_block_find_set(const struct gjkd_block *block,
                                          const struct gjkd_version *before, uint64_t tick,
                                          const double *asked, struct proto_problem *problem);

/* Refuses lists of more than `max` of `what`: columns cannot show that lists are cut. Returns
 * false. */
bool gjkd_block_refuse_lists(struct gjkd_block *block, const char *what, uint64_t max,
                             bool has_limit);

/* Answers the request's body, one block of that kind of query (PROTO_BLOCK_...), in chunks. */
void gjkd_block_answer(struct gjkd_request *request, uint32_t query);

/* Answer the request's body, a message of several blocks, in chunks: a batch, or a tick and
 * queries, for which the tick is made first. */
void gjkd_blocks_answer(struct gjkd_request *request);
void gjkd_blocks_post_tick(struct gjkd_request *request, const gjkd_stamp *stamp);

#endif
