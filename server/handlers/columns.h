#ifndef GJKD_HANDLERS_COLUMNS_H
#define GJKD_HANDLERS_COLUMNS_H

/* Queries and ticks that come as column messages. */

#include "proto/columns.h"
#include "request/operations.h"
#include "sets/commit.h"
#include "work/chunks.h"

/* For queries of these kinds, where request->columns_in and the set is there. */
gjkd_handler gjkd_columns_raycast, gjkd_columns_detect, gjkd_columns_distance, gjkd_columns_cast,
    gjkd_columns_hit;

/* Makes a tick from the request's body, a message of poses, and replies. */
void gjkd_columns_put_tick(struct gjkd_request *request, const gjkd_stamp *stamp);

/* The request's body, a message that defines a shape, as the shape of that id, likewise. */
gjkd_outcome gjkd_columns_put_shape(struct gjkd_request *request, const char *id,
                                    struct gjkd_version **out, bool *was_there) GJK_MUST_USE;

/* --- For those who answer a message of queries --- */

/* One message under way. What a kind of message needs besides lies behind it. */
struct gjkd_columns {
    struct gjkd_request *request;
    const struct gjkd_columns_kind *kind;
    uint32_t count;        /* of rows */
    proto_doubles at_tick; /* none: all rows ask the newest state */
    bool partial;          /* rows that cannot be answered do not refuse the others */
    gjk_snapshot newest;
    const gjk_snapshot *then; /* one for each row of at_tick; NULL: newest */
    const uint8_t
        *lacking; /* PARTIAL: of each row of at_tick, PROTO_ROW_... where it has no tick */
    const uint32_t
        *pose_gap;       /* of each row, 1 where it needs a tick that is lost; NULL: none does */
    atomic_uint refused; /* the first row that names what is not there; UINT32_MAX: none */
    atomic_bool no_memory;
};

/* A kind of message. */
struct gjkd_columns_kind {
    proto_op op;
    size_t size;     /* of what begins with struct gjkd_columns */
    uint64_t row_ns; /* estimated, for cutting: a row, and a level of the tree that it goes down */
    uint64_t level_ns;
    /* Fills count, at_tick, partial and the kind's own; false: request->problem is set. */
    bool (*decode)(struct gjkd_columns *columns, proto_text body);
    bool (*make_slots)(struct gjkd_columns *columns); /* false: out of memory */
    void (*run)(gjkd_chunk *chunk);
    /* PARTIAL: says in the row's answer why there is none, PROTO_ROW_... */
    void (*refuse_slot)(const struct gjkd_columns *columns, uint32_t row, uint32_t status);
    /* Refuses the request for what is wrong with a row that was refused. */
    void (*refuse_row)(const struct gjkd_columns *columns, uint32_t row);
    void (*encode)(const struct gjkd_columns *columns, bool is_message, struct proto_buffer *out);
};

/* Answers the request's body, in chunks. */
void gjkd_columns_answer(struct gjkd_request *request, const struct gjkd_columns_kind *kind);

/* Returns the snapshot that a row is asked of. */
const gjk_snapshot *gjkd_columns_snapshot(const struct gjkd_columns *columns, uint32_t row);

/* From any thread: is the state kept that the row asks about? False: the row has been refused. */
bool gjkd_columns_has_tick(const struct gjkd_columns *columns, uint32_t row);

/* From any thread: the row names what is not there. Does the message go on all the same? */
bool gjkd_columns_note_refusal(struct gjkd_columns *columns, uint32_t row);

/* Before rows are run: the row needs a tick that is lost, or all rows do where `rows` is 1. False:
 * out of memory. */
bool gjkd_columns_note_gap(struct gjkd_columns *columns, uint32_t row, uint32_t rows);

/* Returns the selection of rows that look for the closest hit, in memory of the chunk, by a filter
 * that stays: until gjkd_columns_select is called, all but the groups that all rows ignore. */
gjk_selection gjkd_columns_closest(const proto_select_columns *select, const gjkd_chunk *chunk,
                                   gjk_filter *filter);

/* Sets the row's own part of *filter, which has the groups that all rows ignore already. Returns
 * false if its ignore_group_of is no shape. */
bool gjkd_columns_select(const struct gjkd_columns *columns, const proto_select_columns *select,
                         uint32_t row, gjk_filter *filter);
void gjkd_columns_refuse_select(const struct gjkd_columns *columns,
                                const proto_select_columns *select, uint32_t row);

/* From any thread: a row came to no answer, GIVEN_UP at the deadline or for want of memory. */
void gjkd_columns_note_failure(struct gjkd_columns *columns, gjk_status status);

/* Is there a shape of that handle in the row's snapshot? False: refused, at a place of a column. */
bool gjkd_columns_check_handle(const struct gjkd_columns *columns, uint32_t row, uint32_t handle,
                               const char *column, uint32_t place);

#endif
