#ifndef GJKD_HANDLERS_COLUMNS_H
#define GJKD_HANDLERS_COLUMNS_H

/* Queries and ticks that come as column messages. */

#include "handlers/block.h"
#include "request/telemetry.h"
#include "sets/commit.h"

/* Makes a tick from the request's body, a message of poses, and replies. */
void gjkd_columns_put_tick(struct gjkd_request *request, const gjkd_stamp *stamp);

/* Poses of which a tick is made. */
struct gjkd_pose_tick {
    proto_pose_columns columns;
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

/* Columns that say where a shape of each row stands. Without values: the message has none. */
struct gjkd_columns_operand {
    const proto_field *handle, *position, *rotation;
    const gjk_pose *poses;
};

/* A message under way. */
struct gjkd_columns {
    struct gjkd_block block; /* first: it is cast back */
    const struct gjkd_columns_kind *kind;
    union { /* what is asked, by its kind */
        struct {
            proto_rows rows;
            proto_field fields[PROTO_COLUMNS_MAX];
        };
        proto_raycast_columns rays;
        proto_pair_columns pairs;
        proto_cast_columns casts;
        proto_nearest_columns nearests;
        proto_overlap_columns overlaps;
        proto_move_columns moves;
        proto_hit_columns shots;
    };
    proto_any_answers out;
    const proto_field *at_tick, *mask, *category, *ignore_group_of; /* of rows, if they have them */
    struct gjkd_columns_operand a, b;                               /* likewise */
    const gjk_shape *point; /* of rows whose shape is none; NULL: there have to be shapes */
    gjk_filter filter;      /* as far as it holds for all rows */
    uint32_t limit;         /* of a row's lines; 0: none */
    bool partial;           /* rows that cannot be answered do not refuse the others */
    gjk_snapshot newest;
    const gjk_snapshot *then; /* one for each row of at_tick; NULL: newest */
    const uint8_t *lacking;   /* PROTO_ROW_... of each row of at_tick; NULL: all have their tick */
    atomic_uint refused;      /* the first row that names a missing shape; UINT32_MAX: none */
    atomic_bool no_memory;
    const struct gjkd_version *obstacles[PROTO_OBSTACLES_MAX]; /* of shots */
    uint32_t obstacles_count;
};

/* A row under way, with what its chunk lends it. */
struct gjkd_columns_row {
    uint32_t index;
    const gjk_snapshot *snapshot; /* that it asks */
    gjk_placed a, b;              /* its shapes, if it names any */
    gjk_filter filter;
    gjk_selection selection; /* by the filter; of all but a; of the closest hit, or of all lines */
    struct gjk_arena *memory;
    gjkd_tally tally;
    bool is_unknown; /* it names a shape that is not there */
};

/* A kind of message. */
struct gjkd_columns_kind {
    struct gjkd_block_kind block; /* GJKD_COLUMNS_BLOCK: first, for it is cast back */
    const proto_table *asked, *told;
    const proto_line *line;
    uint64_t row_ns; /* estimated, for cutting: a row, and a level of the tree that it goes down */
    uint64_t level_ns;
    /* Sets what the answers need. Returns false if it refuses what the table allows. NULL: nothing. */
    bool (*lay_out)(struct gjkd_columns *columns, const proto_source *source);
    /* Finds other sets, and notes gaps where a tick that is not kept is an answer; NULL: it is a
     * mistake of the row. Returns false if it has refused the request. */
    bool (*find_states)(struct gjkd_columns *columns);
    /* From any thread: answers a row, whose shapes are there, or says that it is unknown. */
    gjk_status (*answer)(struct gjkd_columns *columns, struct gjkd_columns_row *row);
};

/* Kinds of messages, by their places in PROTO_BLOCK; that of configurations is elsewhere. */
extern const struct gjkd_columns_kind gjkd_columns_kinds[];

/* The block of a kind. */
/* clang-format off */
#define GJKD_COLUMNS_BLOCK(op) \
    {op, sizeof(struct gjkd_columns), gjkd_columns_decode, gjkd_columns_check, \
     gjkd_columns_prepare, gjkd_columns_run, gjkd_columns_print}
/* clang-format on */
bool gjkd_columns_decode(struct gjkd_block *block, const proto_source *source);
bool gjkd_columns_check(struct gjkd_block *block, const struct gjkd_version *before, uint64_t tick,
                        struct proto_problem *problem);
bool gjkd_columns_prepare(struct gjkd_block *block);
void gjkd_columns_run(gjkd_chunk *chunk);
bool gjkd_columns_print(struct gjkd_block *block, struct proto_buffer *out);

/* Tells what was found of a row, with its iterations. Lists are copied to memory that outlives the
 * row. Returns OUT_OF_MEMORY. */
gjk_status gjkd_columns_tell(struct gjkd_columns *columns, struct gjkd_columns_row *row,
                             const void *items, uint32_t count);

/* Copies a row's list to memory that outlives the row. From any thread. keep_lines empties it if all
 * rows have more lines than an answer may have, which refuses the message in the end. NULL: no
 * memory. */
void *gjkd_columns_keep(struct gjkd_columns *columns, const void *items, uint32_t count,
                        size_t size);
void *gjkd_columns_keep_lines(struct gjkd_columns *columns, const void *items, uint32_t *count,
                              size_t size);

/* Notes that the row of at_tick needs a lost tick. Before rows are run. */
void gjkd_columns_note_gap(struct gjkd_columns *columns, uint32_t row);

#endif
