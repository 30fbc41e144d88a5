#ifndef GJKD_HANDLERS_COLUMNS_H
#define GJKD_HANDLERS_COLUMNS_H

/* Queries and ticks that come as column messages. */

#include "handlers/block.h"
#include "request/telemetry.h"
#include "sets/commit.h"

/* Messages of these kinds, as blocks. */
extern const struct gjkd_columns_kind gjkd_columns_raycast, gjkd_columns_detect,
    gjkd_columns_distance, gjkd_columns_cast, gjkd_columns_nearest, gjkd_columns_overlap,
    gjkd_columns_move, gjkd_columns_hit;

/* Makes a tick from the request's body, a message of poses, and replies. */
void gjkd_columns_put_tick(struct gjkd_request *request, const gjkd_stamp *stamp);

/* A tick of poses that is made beside blocks. */
struct gjkd_pose_tick {
    proto_pose_rows columns;
    struct gjk_arena *arena;
    const char *place; /* of the poses in the body, for pointers */
    /* Called under the writer lock before the tick is made. Returns false if it refuses that, with
     * a problem. NULL: nothing does. */
    bool (*check)(void *user, const struct gjkd_version *before, struct proto_problem *problem);
    void *user;
    struct gjkd_request *request;
};

/* Makes the tick of decoded poses, once the request has been claimed. Unless refused, *out is the
 * version that has it, to be released; if refused, request->problem is set. */
gjkd_outcome gjkd_columns_make_tick(struct gjkd_pose_tick *poses, const gjkd_stamp *stamp,
                                    struct gjkd_version **out) GJK_MUST_USE;

/* Finds the rows of poses whose shape the tick has not. They are read from the tick itself, so that
 * a repeated request has the same answer. NULL: no memory. */
const uint32_t *gjkd_columns_unknown_rows(const struct gjkd_pose_tick *poses, uint64_t tick,
                                          const struct gjkd_version *version, uint32_t *count);

/* Stores the request's body, a message that defines a shape, as the shape of that id. */
gjkd_outcome gjkd_columns_put_shape(struct gjkd_request *request, const char *id,
                                    struct gjkd_version **out, bool *was_there) GJK_MUST_USE;

/* --- For the kinds of messages --- */

/* A message under way. A kind keeps its own columns and answers behind it. */
struct gjkd_columns {
    struct gjkd_block block; /* first: it is cast back */
    struct gjkd_request *request;
    const struct gjkd_columns_kind *kind;
    proto_rows *rows;
    proto_answers *answers;
    const proto_field *at_tick, *mask, *category, *ignore_group_of; /* of rows, if they have them */
    gjk_filter filter; /* as far as it holds for all rows */
    bool partial;      /* rows that cannot be answered do not refuse the others */
    gjk_snapshot newest;
    const gjk_snapshot *then; /* one for each row of at_tick; NULL: newest */
    const uint8_t *lacking;   /* PROTO_ROW_... of each row of at_tick; NULL: all have their tick */
    atomic_uint refused;      /* the first row that names a missing shape; UINT32_MAX: none */
    atomic_bool no_memory;
};

/* A row under way, with what its chunk lends it. */
struct gjkd_columns_row {
    uint32_t index;
    const gjk_snapshot *snapshot; /* that it asks */
    gjk_filter filter;
    gjk_selection selection; /* by the filter; of the closest hit, unless the kind wants more */
    struct gjk_arena *memory;
    gjkd_tally tally;
};

/* A kind of message. */
struct gjkd_columns_kind {
    struct gjkd_block_kind block; /* GJKD_COLUMNS_BLOCK: first, for it is cast back */
    uint64_t row_ns; /* estimated, for cutting: a row, and a level of the tree that it goes down */
    uint64_t level_ns;
    bool selects; /* rows have a filter */
    /* Reads the message and says how the answers are laid out. Returns false if refused. */
    bool (*decode)(struct gjkd_columns *columns, const proto_source *source);
    /* Finds other sets, and notes gaps where a tick that is not kept is an answer; NULL: it is a
     * mistake of the row. Returns false if it has refused the request. */
    bool (*find_states)(struct gjkd_columns *columns);
    /* From any thread: answers a row. Returns false if it names a shape that is not there. *status:
     * GIVEN_UP, OUT_OF_MEMORY. */
    bool (*answer)(struct gjkd_columns *columns, struct gjkd_columns_row *row, gjk_status *status);
};

/* The block of a kind whose columns and answers are in that struct. */
#define GJKD_COLUMNS_BLOCK(op, type)                                                     \
    {                                                                                    \
        op, sizeof(type), gjkd_columns_decode, gjkd_columns_check, gjkd_columns_prepare, \
            gjkd_columns_run, gjkd_columns_print                                         \
    }
bool gjkd_columns_decode(struct gjkd_block *block, const proto_source *source);
bool gjkd_columns_check(struct gjkd_block *block, const struct gjkd_version *before, uint64_t tick,
                        struct proto_problem *problem);
bool gjkd_columns_prepare(struct gjkd_block *block);
void gjkd_columns_run(gjkd_chunk *chunk);
bool gjkd_columns_print(struct gjkd_block *block, struct proto_buffer *out);

/* Returns how many lines a row with that limit (0: none) may have, and one more than all may have
 * if that is less. 0: the rows done so far have too many already, so that the others need no
 * answer. */
uint32_t gjkd_columns_line_limit(const struct gjkd_columns *columns, uint32_t limit);

/* Copies a row's list to memory that outlives the row. Empties it if all rows have more lines than
 * an answer may have, which refuses the message in the end. From any thread. Returns false if
 * memory is exhausted. */
bool gjkd_columns_keep_lines(struct gjkd_columns *columns, void **items, uint32_t *count,
                             size_t size) GJK_MUST_USE;

/* Copies what is not counted as lines. NULL: no memory. */
void *gjkd_columns_keep(struct gjkd_columns *columns, const void *items, uint32_t count,
                        size_t size);

/* Notes that the row of at_tick needs a lost tick. Before rows are run. */
void gjkd_columns_note_gap(struct gjkd_columns *columns, uint32_t row);

#endif
