#ifndef PROTO_COLUMNS_H
#define PROTO_COLUMNS_H

/*
 * Many queries in one message, and their answers: gjkd.proto as plain structs. Row i of every
 * column belongs to query i. Decoders check each row by the rules of the JSON decoders. One bad row
 * refuses the whole message; the problem names column and row ("/origin/17"). Decoders check the
 * lengths of columns before they allocate from the caller's arena. Thread-safe for different
 * arenas.
 */

#include <stdatomic.h>
#include <string.h>

#include "gjk/body.h"
#include "proto/messages.h"
#include "proto/reply.h"

/* Description of a column, from its row in messages.h. */
typedef struct proto_column {
    uint8_t number, type, width, rule;
    uint8_t values;   /* of queries: allowed values; of answers: bits of PROTO_NEEDS_... */
    double otherwise; /* the default */
    const char *name;
} proto_column;

/* Description of a message: its columns by ascending field number. */
typedef struct proto_table {
    const char *name;
    const proto_column *columns;
    uint32_t count;
} proto_table;

/* Returns the index of the column with that name, or table->count if the table has none. */
uint32_t proto_column_called(const proto_table *table, const char *name);

/* Maximum number of columns of a message. */
#define PROTO_COLUMNS_MAX 32

/* A table for each message of messages.h: proto_raycast_columns_table and so on. */
#define PROTO_DECLARE_TABLE(name, LIST, message) extern const proto_table proto_##name##_table;
PROTO_COLUMNS_MAP(PROTO_DECLARE_TABLE)
PROTO_ANSWERS_MAP(PROTO_DECLARE_TABLE)
extern const proto_table proto_block_table, proto_block_answer_table;

/* --- Queries --- */

/*
 * Decoded column of a query. `doubles` points into the message, unaligned, unless the column came
 * in several pieces or as floats. A missing column holds its default, once.
 */
typedef struct proto_field {
    uint32_t count; /* values in the message; 0: the column is absent */
    uint32_t step;  /* index step from row to row; 0: one value serves all rows */
    union {
        const unsigned char *doubles;
        const uint32_t *uints;
        const char *const *texts;
        const proto_text *messages; /* views into the enclosing message */
        double number;
        uint32_t uint;
        bool flag;
        proto_text text; /* of a PROTO_TEXT, with a NUL after it, or of a PROTO_MESSAGE, without */
    };
} proto_field;

/* First member of every decoded message. A pointer is NULL if its columns are absent. */
typedef struct proto_rows {
    const proto_table *table;
    proto_field *fields;
    uint32_t dimension, count;
    const gjk_ray *rays;      /* from origin, direction and max_distance */
    const gjk_pose *poses;    /* from position and rotation; of pairs: position_a, rotation_a */
    const gjk_pose *to_poses; /* from to_rotation; of pairs: position_b, rotation_b */
} proto_rows;

/* A message's columns by their names: struct proto_raycast_columns and so on. */
#define PROTO_FIELD(number, name, ...) proto_field name;
#define PROTO_FIELD_AS(number, member, ...) proto_field member;
#define PROTO_ROWS_OF(LIST)                                                                   \
    proto_rows rows;                                                                          \
    union {                                                                                   \
        struct {                                                                              \
            LIST(PROTO_FIELD, PROTO_FIELD_AS)                                                 \
        };                                                                                    \
        proto_field                                                                           \
            fields[sizeof(struct {LIST(PROTO_FIELD, PROTO_FIELD_AS)}) / sizeof(proto_field)]; \
    }
#define PROTO_DECLARE_COLUMNS(name, LIST, message) \
    typedef struct proto_##name {                  \
        PROTO_ROWS_OF(LIST);                       \
    } proto_##name;
PROTO_COLUMNS_MAP(PROTO_DECLARE_COLUMNS)

/* Returns the mask or category of a whole message; absent or 0 means all bits. */
static inline uint32_t proto_bits_or_all(const proto_field *field) {
    return field->uint == 0 ? UINT32_MAX : field->uint;
}

/* Return the value of row i. */
static inline double proto_double_at(const proto_field *field, size_t i) {
    double value;
    memcpy(&value, field->doubles + i * field->step * sizeof value, sizeof value);
    return value;
}
static inline uint32_t proto_uint_at(const proto_field *field, size_t i) {
    return field->uints[i * field->step];
}
static inline gjk_vec3 proto_vector_at(const proto_field *field, uint32_t dimension, size_t i) {
    double v[3] = {0.0, 0.0, 0.0};
    memcpy(v, field->doubles + i * dimension * sizeof *v, dimension == 2 ? 16 : 24);
    return gjk_vec3_make(v[0], v[1], v[2]);
}

/* Returns the column with that name, or an empty column if the message has none. */
const proto_field *proto_field_of(const proto_rows *rows, const char *name);

/* Input of a decoder: the message, its limits, and where to report a problem. */
typedef struct proto_source {
    proto_text body;
    uint32_t set_dimension; /* the message must have the same; 0: it may have either */
    const proto_limits *limits;
    struct gjk_arena *arena; /* the body must live as long as the arena's memory */
    struct proto_problem *problem;
    const proto_field *at_tick; /* default of the column at_tick; NULL: none */
} proto_source;

/*
 * Decodes a message of rays, pairs, casts, nearest, overlaps, moves, shots or poses into `rows` and
 * `fields`, which are members of the caller's struct. Codes: MALFORMED_PROTOBUF if the bytes are no
 * such message; UNKNOWN_MEMBER for an unknown field; MISSING_MEMBER or WRONG_TYPE if a column's
 * length does not fit the number of rows; TOO_MANY for more rows than batch_queries_max (poses:
 * shapes_per_set_max); for values the codes of JSON. Handles of poses must be distinct, and
 * `teleport` must be a subset of them.
 */
bool proto_decode_columns(const proto_source *source, const proto_table *table, proto_rows *rows,
                          proto_field *fields) GJK_MUST_USE;

/* Returns the settings of the move of row i. */
proto_move proto_move_at(const proto_move_columns *rows, uint32_t i);

/*
 * Decodes BodyColumns into the shape that the JSON decoder would make. Its lists are read from the
 * message without a copy where possible. out->shape has the message's dimension. Codes as above;
 * NOT_CLOSED, NOT_SIMPLE, NOT_CONVEX and TOO_MANY as in JSON, but pointing at column and row.
 */
bool proto_decode_body_columns(proto_text text, const proto_limits *limits, struct gjk_arena *arena,
                               proto_shape *out, struct proto_problem *problem) GJK_MUST_USE;

/* --- Blocks --- */

/* Indices of proto_block_table: PROTO_BLOCK_raycast and so on. */
#define PROTO_BLOCK_KIND(number, name, ...) PROTO_BLOCK_##name,
enum { PROTO_BLOCK(PROTO_BLOCK_KIND, PROTO_BLOCK_KIND) PROTO_BLOCK_COUNT };

/* The query message in a block. */
typedef struct proto_block {
    uint32_t kind; /* PROTO_BLOCK_... */
    proto_text body;
} proto_block;

typedef struct proto_blocks {
    proto_field at_tick; /* of the batch, for blocks without their own; count 0: none */
    proto_text poses;    /* of a tick: the message PoseColumns */
    bool overlaps;       /* of a tick: pairs that begin and end to overlap are asked for */
    uint32_t overlap_mask, overlap_category;
    const proto_block *items;
    uint32_t count; /* at most PROTO_BLOCKS_MAX */
} proto_blocks;

/* Decode BatchColumns and TickColumns. The messages in their blocks are not decoded; items point
 * into the body. Codes as above, at "/block/3". */
bool proto_decode_batch_columns(const proto_source *source, proto_blocks *out) GJK_MUST_USE;
bool proto_decode_tick_columns(const proto_source *source, proto_blocks *out) GJK_MUST_USE;

/* --- Answers --- */

/* Values of the column status. */
enum {
    PROTO_ROW_CONVERGED,
    PROTO_ROW_ITERATION_LIMIT,
    PROTO_ROW_TICK_EXPIRED, /* with this and the following values the row has no answer */
    PROTO_ROW_TICK_IN_FUTURE,
    PROTO_ROW_UNKNOWN_HANDLE,
};

/* Column of an answer. Different threads may fill different rows, in any order. */
typedef struct proto_slot {
    union { /* NULL if the column is not asked for */
        uint32_t *uints;
        unsigned char *doubles; /* not aligned */
    };
    atomic_bool any; /* of PROTO_SOME, PROTO_SOME_LINES: a value other than the default was set */
} proto_slot;

typedef struct proto_answers proto_answers;

/* Type of the core's results of a query, one for each line of an answer, and how to write them. */
typedef struct proto_result_type {
    size_t size;                    /* of a result, in bytes */
    size_t convergence, iterations; /* offsets of these members in a result */
    /* Writes a result, or defaults if item is NULL, to the columns at index `line`. */
    void (*put)(proto_answers *answers, size_t line, const void *item);
} proto_result_type;

/* Item of a ray's answer. */
typedef struct proto_ray_item {
    gjk_ray_hit hit;
    double exit; /* valid if PROTO_NEEDS_EXITS */
} proto_ray_item;

/* Their items, in this order: proto_ray_item, gjk_detect_result, gjk_distance_result, gjk_cast_hit,
 * gjk_near, gjk_hit, gjk_move_contact and, for near misses of shots, gjk_near. */
extern const proto_result_type proto_ray_results, proto_detect_results, proto_distance_results,
    proto_cast_results, proto_nearest_results, proto_overlap_results, proto_contact_results,
    proto_near_miss_results;

/* First member of every answer. The first run of columns of doubles with a value for every row is
 * laid out as in the message, so that rows are written in place; the encoder adds the others. */
struct proto_answers {
    const proto_table *table;
    proto_slot *slots;
    const proto_result_type *results;
    uint64_t revision;
    uint32_t dimension, count;
    uint32_t needs;                       /* PROTO_NEEDS_... of the columns asked for */
    bool has_lists;                       /* rows have any number of lines, not one each */
    proto_slot *status, *pose_gap;        /* columns of those names; NULL: none */
    proto_slot *line_counts, *leg_counts; /* columns of list lengths of each row; NULL: none */
    const void **lists;                   /* for each row its line_counts items */
    const gjk_vec3 **legs;                /* for each row its leg_counts points */
    uint32_t line_count, leg_count;       /* sums over all rows, set by proto_answers_finish */
    uint32_t first, end;                  /* columns written in place: [first, end) */
    unsigned char *bytes, *bytes_end;     /* encoded form of these columns */
};

/* An answer's columns by their names: struct proto_raycast_answers and so on. */
#define PROTO_SLOT(number, name, ...) proto_slot name;
#define PROTO_SLOT_AS(number, member, ...) proto_slot member;
#define PROTO_DECLARE_ANSWERS(name, LIST, message)                                            \
    typedef struct proto_##name {                                                             \
        proto_answers answers;                                                                \
        union {                                                                               \
            struct {                                                                          \
                LIST(PROTO_SLOT, PROTO_SLOT_AS)                                               \
            };                                                                                \
            proto_slot                                                                        \
                slots[sizeof(struct {LIST(PROTO_SLOT, PROTO_SLOT_AS)}) / sizeof(proto_slot)]; \
        };                                                                                    \
    } proto_##name;
PROTO_ANSWERS_MAP(PROTO_DECLARE_ANSWERS)

/* Storage for any of these answers. */
typedef struct proto_any_answers {
    proto_answers answers;
    proto_slot slots[PROTO_COLUMNS_MAX];
} proto_any_answers;

/* Allocates the columns for answers->count rows. The caller has set table, slots, results,
 * revision, dimension, count and needs. Returns false if memory is exhausted. */
bool proto_answers_init(proto_answers *answers, struct gjk_arena *arena) GJK_MUST_USE;

/* Writes the lists of all rows to their columns. Call it after all rows are set; the items must
 * live until then. Returns false if memory is exhausted. */
bool proto_answers_finish(proto_answers *answers, struct gjk_arena *arena) GJK_MUST_USE;

/* Write a number, or a vector (NULL: zeros), at row i. */
static inline void proto_set_double(const proto_slot *slot, size_t i, double value) {
    memcpy(slot->doubles + i * sizeof value, &value, sizeof value);
}
static inline void proto_set_vector(const proto_slot *slot, uint32_t dimension, size_t i,
                                    const gjk_vec3 *vector) {
    const double v[3] = {vector != NULL ? vector->x : 0.0, vector != NULL ? vector->y : 0.0,
                         vector != NULL ? vector->z : 0.0};
    memcpy(slot->doubles + i * dimension * sizeof *v, v, dimension == 2 ? 16 : 24);
}

/* Notes that a column of PROTO_SOME or PROTO_SOME_LINES has a value, so that it is sent. */
static inline void proto_note_some(proto_slot *slot) {
    if (!atomic_load_explicit(&slot->any, memory_order_relaxed)) {
        atomic_store_explicit(&slot->any, true, memory_order_relaxed);
    }
}

/* Writes a value to a column of PROTO_SOME or PROTO_SOME_LINES. */
static inline void proto_set_some(proto_slot *slot, size_t i, uint32_t value) {
    slot->uints[i] = value;
    proto_note_some(slot);
}

/* Sets a row to `count` items, and its status to the worst of theirs. Without lists count is 0 or
 * 1. With lists the items are not copied: they must live until proto_answers_finish. */
void proto_answers_set(proto_answers *answers, uint32_t row, const void *items, uint32_t count);

/* Set a row of a ray or cast of mode any, of a move, or of a shot (rewind NULL: judged against the
 * newest state). */
void proto_answers_set_any(proto_answers *answers, uint32_t row, bool hit);
void proto_answers_set_move(proto_answers *answers, uint32_t row, const gjk_move_result *result);
void proto_answers_set_shot(proto_answers *answers, uint32_t row, const gjk_judgement *judgement,
                            const proto_rewind *rewind);

/* Sets a row that cannot be answered to defaults, and its status to the reason, PROTO_ROW_.... For
 * messages with `partial`. */
void proto_answers_refuse(proto_answers *answers, uint32_t row, uint32_t status);

/* Write the answers as a message, or as JSON with an array for each column of the message. */
void proto_encode_answers(struct proto_buffer *out, const proto_answers *answers);
void proto_encode_answers_json(struct proto_buffer *out, const proto_answers *answers);

/* An optional column of integers. */
typedef struct proto_uints {
    bool is_there; /* false: JSON omits the member */
    const uint32_t *values;
    uint32_t count;
} proto_uints;

/* Answers to the blocks of a batch or tick. */
typedef struct proto_block_answers {
    uint64_t revision;
    const proto_block *blocks; /* the queries */
    const proto_text *texts;   /* the encoded answer to each query */
    uint32_t count;
    proto_uints unknown;    /* of a tick: rows of poses with unknown handles, which were skipped */
    proto_uints begin, end; /* of a tick: pairs of handles that begin or end to overlap */
} proto_block_answers;

/* Writes BatchAnswers or TickAnswers, as a message or as JSON: {"revision", "block": [{"raycast":
 * answer}, ...], "unknown"?, "begin"?, "end"?}. */
void proto_encode_block_answers(struct proto_buffer *out, const proto_block_answers *answers);
void proto_encode_block_answers_json(struct proto_buffer *out, const proto_block_answers *answers);

#endif
