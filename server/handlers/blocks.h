#ifndef GJKD_HANDLERS_BLOCKS_H
#define GJKD_HANDLERS_BLOCKS_H

/*
 * A block: a message of many rows of one kind of question. It is a request's whole body, or stands
 * beside others in a batch or a tick. Its rows are done in chunks.
 */

#include "proto/columns.h"
#include "request/request.h"

#include <pthread.h>

/* Memory that the rows of all blocks of a request share. */
struct gjkd_lists {
    pthread_mutex_t lock; /* of the request's arena, which keeps the lists of all rows */
    atomic_ullong lines;  /* in lists, also in those that are one too many to be kept */
};

/* A block under way. A kind keeps what is its own behind it. */
struct gjkd_block {
    struct gjkd_request *request;
    const struct gjkd_block_kind *kind;
    struct gjkd_lists *lists;
    uint32_t place;   /* PROTO_PLACE_... of its question */
    unsigned counted; /* proto_op or GJKD_COUNTED_... of its rows, once it is decoded */
    uint32_t rows;    /* likewise */
    uint64_t row_ns;  /* estimated, once it is prepared */
    bool in_part;     /* the tick is made: rows without an answer may not refuse the others */
};

/* A kind of block. All return false if they have refused the request. */
struct gjkd_block_kind {
    size_t size; /* of what begins with struct gjkd_block */
    /* Decodes the message. Of the set it uses the dimension only. */
    bool (*decode)(struct gjkd_block *block, const proto_source *source);
    /* Before a tick is made: refuses rows that name what is not there, as far as the state before
     * tells. Only sets *problem. */
    bool (*check)(struct gjkd_block *block, const struct gjkd_version *before, uint64_t tick,
                  struct proto_problem *problem);
    /* Finds the states that are asked, and room for the answers. */
    bool (*prepare)(struct gjkd_block *block);
    /* From any thread: does the rows of a chunk, whose work is the block. It may leave some if the
     * request is refused in the end. */
    void (*run)(gjkd_chunk *chunk);
    /* Writes the answer once all rows are done. */
    bool (*print)(struct gjkd_block *block, struct proto_buffer *out);
};

/* columns.c, configurations.c */
extern const struct gjkd_block_kind gjkd_columns_block, gjkd_configurations_block;

/* The request's body as a message of blocks or poses. */
proto_source gjkd_block_source(struct gjkd_request *request, uint32_t set_dimension);

/* Copies a row's list to memory that outlives the row. From any thread. NULL: no memory. */
void *gjkd_block_keep(struct gjkd_block *block, const void *items, uint32_t count, size_t size);

/* Rewinds the request's set to a tick. If it is not kept, *lacking is why, PROTO_ROW_..., and the
 * request is refused at the pointer, unless that is NULL. */
bool gjkd_block_rewind(struct gjkd_block *block, double tick, const char *pointer, gjk_rewound *out,
                       uint8_t *lacking);

/* Finds the set of which a block is asked at a tick (NULL: the newest), once `tick` is made from
 * `before`. NULL: that tick is not kept then, or time is up; *problem is set. */
const struct gjk_set *gjkd_block_find_set(const struct gjkd_block *block,
                                          const struct gjkd_version *before, uint64_t tick,
                                          const double *asked, struct proto_problem *problem);

/* Refuses lists that are too long. None is cut, since no column could tell. Returns false. */
bool gjkd_block_refuse_lists(struct gjkd_block *block, const char *what, uint64_t max,
                             bool has_limit);

/* Answers the request's body, one block of the question with that place, in chunks. */
void gjkd_block_answer(struct gjkd_request *request, uint32_t place);

/* Answers the request's body, a message of blocks, in chunks: those of a batch; those of a tick,
 * once it is made. */
void gjkd_blocks_answer(struct gjkd_request *request);
void gjkd_blocks_post_tick(struct gjkd_request *request, const gjkd_stamp *stamp);

#endif
