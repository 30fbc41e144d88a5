#ifndef PROTO_COLUMNS_H
#define PROTO_COLUMNS_H

/*
 * Many queries in one message, and their answers: gjkd.proto as plain structs. Row i of every
 * column belongs to query i. Decoders check every row as the JSON decoders check a query, and
 * refuse the message whole, naming column and row ("/origin/17"). Memory comes from the caller's
 * arena, in a few blocks whose sizes follow from lengths that were checked before. Thread-safe
 * for different arenas.
 */

#include <stdatomic.h>
#include <string.h>

#include "gjk/body.h"
#include "proto/messages.h"
#include "proto/reply.h"

/* A column: a row of a message's table. */
typedef struct proto_column {
    uint8_t number, type, width, rule;
    uint8_t values; /* of a query; of an answer the bits that it needs */
    double otherwise;
    const char *name;
} proto_column;

/* A message: its columns by ascending number. */
typedef struct proto_table {
    const char *name;
    const proto_column *columns;
    uint32_t count;
} proto_table;

/* Returns a column's place by its name; the count of columns: there is none. */
uint32_t proto_column_called(const proto_table *table, const char *name);

/* Most columns of a message. */
#define PROTO_COLUMNS_MAX 32

/* A table for each message of messages.h: proto_raycast_columns_table and so on. */
#define PROTO_DECLARE_TABLE(name, LIST, message) extern const proto_table proto_##name##_table;
PROTO_COLUMNS_MAP(PROTO_DECLARE_TABLE)
PROTO_ANSWERS_MAP(PROTO_DECLARE_TABLE)
extern const proto_table proto_block_table, proto_block_answer_table;

/* --- Queries --- */

/*
 * Column of a query as it was read. Doubles are a view into the message, not aligned, unless they
 * came in pieces or as floats. Where a default stands for a missing column, one value is there.
 */
typedef struct proto_field {
    uint32_t count; /* values in the message; 0: the column is absent */
    uint32_t step;  /* of a column of one number a row: 0 if one serves all rows */
    union {
        const unsigned char *doubles;
        const uint32_t *uints;
        const char *const *texts;
        const proto_text *messages; /* views into the message around them */
        double number;
        uint32_t uint;
        bool flag;
        proto_text text; /* a NUL follows it, unless it is a message */
    };
} proto_field;

/* Beginning of a decoded message. NULL: there are no such columns. */
typedef struct proto_rows {
    const proto_table *table;
    proto_field *fields;
    uint32_t dimension, count;
    const gjk_ray *rays;   /* of origin, direction and max_distance */
    const gjk_pose *poses; /* of position and rotation, as far as they are given, or those of a */
    const gjk_pose *to_poses; /* of to_rotation, or of position and rotation of b */
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

/* Bits for a whole message: 0 stands for all. */
static inline uint32_t proto_bits_or_all(const proto_field *field) {
    return field->uint == 0 ? UINT32_MAX : field->uint;
}

/* Values of row i. */
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

/* Returns the column of that name; of a message without it, a column without values. */
const proto_field *proto_field_of(const proto_rows *rows, const char *name);

/* The source of a message and the place of its problem. */
typedef struct proto_source {
    proto_text body;
    uint32_t set_dimension; /* the message's must be the same; 0: the caller looks at that later */
    const proto_limits *limits;
    struct gjk_arena *arena; /* the body has to live as long */
    struct proto_problem *problem;
    const proto_field *at_tick; /* of a message without one; NULL: it has none then */
} proto_source;

/*
 * Decodes a message of rows: of rays, pairs, casts, nearest, overlaps, moves, shots or poses, whose
 * fields the caller has. MALFORMED_PROTOBUF for bytes that are no such message; UNKNOWN_MEMBER for
 * a field that it does not have; MISSING_MEMBER, WRONG_TYPE for a column that is not as long as the
 * others demand; TOO_MANY for more rows than batch_queries_max (poses: shapes_per_set_max); the
 * codes of values as in JSON. Of poses each handle stands once, and teleport is among them.
 */
bool proto_decode_columns(const proto_source *source, const proto_table *table, proto_rows *rows,
                          proto_field *fields) GJK_MUST_USE;

/* How the body of row i moves. */
proto_move proto_move_at(const proto_move_columns *rows, uint32_t i);

/*
 * BodyColumns: a shape as a whole, as JSON's decoder makes it, of lists that stay in the message.
 * The dimension is that of out->shape. Codes as above; NOT_CLOSED, NOT_SIMPLE, NOT_CONVEX and
 * TOO_MANY as in JSON, at a column and row.
 */
bool proto_decode_body_columns(proto_text text, const proto_limits *limits, struct gjk_arena *arena,
                               proto_shape *out, struct proto_problem *problem) GJK_MUST_USE;

/* --- Blocks --- */

/* Places in proto_block_table: PROTO_PLACE_raycast and so on. */
#define PROTO_PLACE(number, name, ...) PROTO_PLACE_##name,
enum { PROTO_BLOCK(PROTO_PLACE, PROTO_PLACE) PROTO_PLACE_COUNT };

/* A message of a block: its place, and its bytes. */
typedef struct proto_block {
    uint32_t kind;
    proto_text body;
} proto_block;

typedef struct proto_blocks {
    proto_field at_tick; /* of blocks that name none; count 0: nor does the batch */
    proto_text poses;    /* of a tick */
    bool overlaps;
    uint32_t overlap_mask, overlap_category;
    const proto_block *items;
    uint32_t count; /* at most PROTO_BLOCKS_MAX */
} proto_blocks;

/* Decode BatchColumns and TickColumns as far as their blocks, which stay where they are and are not
 * looked into. Codes as above, at "/block/3". */
bool proto_decode_batch_columns(const proto_source *source, proto_blocks *out) GJK_MUST_USE;
bool proto_decode_tick_columns(const proto_source *source, proto_blocks *out) GJK_MUST_USE;

/* --- Answers --- */

/* Values of a row's status. */
enum {
    PROTO_ROW_CONVERGED,
    PROTO_ROW_ITERATION_LIMIT,
    PROTO_ROW_TICK_EXPIRED, /* from here on: there is no answer */
    PROTO_ROW_TICK_IN_FUTURE,
    PROTO_ROW_UNKNOWN_HANDLE,
};

/* Column of an answer: a place for every row, to be filled in any order, by any thread. */
typedef struct proto_slot {
    union { /* NULL: not asked for */
        uint32_t *uints;
        unsigned char *doubles; /* not aligned */
    };
    atomic_bool any; /* PROTO_SOME, PROTO_SOME_LINES: there is a value */
} proto_slot;

typedef struct proto_answers proto_answers;

/* A line of an answer: what the core has found, and how that is written. */
typedef struct proto_line {
    size_t size;                    /* of an item */
    size_t convergence, iterations; /* where they stand in it */
    /* Writes an item; NULL: there is none. */
    void (*put)(proto_answers *answers, size_t line, const void *item);
} proto_line;

/* An item of a ray. */
typedef struct proto_ray_item {
    gjk_ray_hit hit;
    double exit; /* where that is asked */
} proto_ray_item;

/* Lines of proto_ray_item, gjk_detect_result, gjk_distance_result, gjk_cast_hit, gjk_near, gjk_hit,
 * gjk_move_contact and, of shots, gjk_near. */
extern const proto_line proto_ray_line, proto_detect_line, proto_distance_line, proto_cast_line,
    proto_nearest_line, proto_overlap_line, proto_contact_line, proto_near_miss_line;

/* Beginning of an answer. Doubles that every row has stand where the message has them; the rest is
 * added when all rows are known. */
struct proto_answers {
    const proto_table *table;
    proto_slot *slots;
    const proto_line *line;
    uint64_t revision;
    uint32_t dimension, count;
    uint32_t needs;                       /* bits of what is asked for */
    bool has_lists;                       /* rows have any number of lines, not one each */
    proto_slot *status, *pose_gap;        /* columns of those names, if there are */
    proto_slot *line_counts, *leg_counts; /* of each row; NULL: it has no lists */
    const void **lists;                   /* of each row, as many items as it has lines */
    const gjk_vec3 **legs;                /* of each row, likewise */
    uint32_t line_count, leg_count;   /* of PROTO_LINES and PROTO_LEGS, once all rows are known */
    uint32_t first, end;              /* columns in place */
    unsigned char *bytes, *bytes_end; /* of those */
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

/* Any of them. */
typedef struct proto_any_answers {
    proto_answers answers;
    proto_slot slots[PROTO_COLUMNS_MAX];
} proto_any_answers;

/* Allocates the places of answers->count rows. table, slots, line, revision, dimension, count and
 * needs are set. Returns false if memory is exhausted. */
bool proto_answers_init(proto_answers *answers, struct gjk_arena *arena) GJK_MUST_USE;

/* Lays out the lists of all rows, which stay where they are until then. Returns false if memory is
 * exhausted. */
bool proto_answers_finish(proto_answers *answers, struct gjk_arena *arena) GJK_MUST_USE;

/* Writes a number, or a row of vectors (NULL: zeros). */
static inline void proto_set_double(const proto_slot *slot, size_t i, double value) {
    memcpy(slot->doubles + i * sizeof value, &value, sizeof value);
}
static inline void proto_set_vector(const proto_slot *slot, uint32_t dimension, size_t i,
                                    const gjk_vec3 *vector) {
    const double v[3] = {vector != NULL ? vector->x : 0.0, vector != NULL ? vector->y : 0.0,
                         vector != NULL ? vector->z : 0.0};
    memcpy(slot->doubles + i * dimension * sizeof *v, v, dimension == 2 ? 16 : 24);
}

/* Notes that a row of a column of PROTO_SOME has a value; the others have defaults. */
static inline void proto_note_some(proto_slot *slot) {
    if (!atomic_load_explicit(&slot->any, memory_order_relaxed)) {
        atomic_store_explicit(&slot->any, true, memory_order_relaxed);
    }
}

/* Writes a value to such a column. */
static inline void proto_set_some(proto_slot *slot, size_t i, uint32_t value) {
    slot->uints[i] = value;
    proto_note_some(slot);
}

/* Fills a row by what was found, and its status by the worst of that. Without lists there is one
 * item, or none; lists stay where they are until they are laid out. */
void proto_answers_set(proto_answers *answers, uint32_t row, const void *items, uint32_t count);

/* Fill a row of rays or casts of mode any, of moves, and of shots (rewind NULL: the newest state was
 * judged). */
void proto_answers_set_any(proto_answers *answers, uint32_t row, bool hit);
void proto_answers_set_move(proto_answers *answers, uint32_t row, const gjk_move_result *result);
void proto_answers_set_shot(proto_answers *answers, uint32_t row, const gjk_judgement *judgement,
                            const proto_rewind *rewind);

/* Fills a row of a message that is answered in part with defaults: there is no answer, for that
 * reason. */
void proto_answers_refuse(proto_answers *answers, uint32_t row, uint32_t status);

/* Writes the answers as a message, or as JSON: one member a column, named and laid out as there. */
void proto_encode_answers(struct proto_buffer *out, const proto_answers *answers);
void proto_encode_answers_json(struct proto_buffer *out, const proto_answers *answers);

/* A column of integers as JSON has it or leaves it out. */
typedef struct proto_uints {
    bool is_there;
    const uint32_t *values;
    uint32_t count;
} proto_uints;

/* Answers to blocks, and beside them what TickAnswers add. */
typedef struct proto_block_answers {
    uint64_t revision;
    const proto_block *blocks; /* the questions */
    const proto_text *texts;   /* the answer to each, in the form that is written */
    uint32_t count;
    proto_uints unknown;    /* rows of poses that were passed over */
    proto_uints begin, end; /* two handles a pair */
} proto_block_answers;

/* Writes BatchAnswers or TickAnswers, as a message or as JSON: {"revision", "block": [{"raycast":
 * answer}, ...], "unknown"?, "begin"?, "end"?}. */
void proto_encode_block_answers(struct proto_buffer *out, const proto_block_answers *answers);
void proto_encode_block_answers_json(struct proto_buffer *out, const proto_block_answers *answers);

#endif
