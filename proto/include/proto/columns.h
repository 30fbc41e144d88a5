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

extern const proto_table proto_raycast_columns_table, proto_raycast_answers_table,
    proto_pair_columns_table, proto_pair_answers_table, proto_cast_columns_table,
    proto_cast_answers_table, proto_nearest_columns_table, proto_nearest_answers_table,
    proto_overlap_columns_table, proto_overlap_answers_table, proto_move_columns_table,
    proto_move_answers_table, proto_hit_columns_table, proto_hit_answers_table,
    proto_pose_columns_table, proto_body_columns_table, proto_configuration_columns_table,
    proto_configuration_answers_table, proto_block_table, proto_block_answer_table,
    proto_batch_columns_table, proto_batch_answers_table, proto_tick_columns_table,
    proto_tick_answers_table;

/* --- Queries --- */

/*
 * Column of a query as it was read. Doubles are a view into the message, not aligned, unless they
 * came in pieces or as floats. Where a default stands for a missing column, one value is there.
 */
typedef struct proto_field {
    uint32_t count; /* numbers or texts that the message gives; 0: none */
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

/* Beginning of a decoded message. */
typedef struct proto_rows {
    const proto_table *table;
    proto_field *fields;
    uint32_t dimension, count;
} proto_rows;

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

typedef struct proto_ray_rows {
    PROTO_ROWS_OF(PROTO_RAYCAST_COLUMNS);
    const gjk_ray *rays;
} proto_ray_rows;

/* poses: of parts that are given; NULL: neither. */
typedef struct proto_pair_rows {
    PROTO_ROWS_OF(PROTO_PAIR_COLUMNS);
    const gjk_pose *poses_a, *poses_b;
} proto_pair_rows;

typedef struct proto_cast_rows {
    PROTO_ROWS_OF(PROTO_CAST_COLUMNS);
    const gjk_pose *poses, *to_poses; /* the latter turn as to_rotation; NULL as above */
} proto_cast_rows;

typedef struct proto_nearest_rows {
    PROTO_ROWS_OF(PROTO_NEAREST_COLUMNS);
    const gjk_pose *poses; /* NULL as above */
} proto_nearest_rows;

typedef struct proto_overlap_rows {
    PROTO_ROWS_OF(PROTO_OVERLAP_COLUMNS);
    const gjk_pose *poses; /* NULL as above */
} proto_overlap_rows;

typedef struct proto_move_rows {
    PROTO_ROWS_OF(PROTO_MOVE_COLUMNS);
    const gjk_pose *poses; /* NULL as above */
} proto_move_rows;

typedef struct proto_hit_rows {
    PROTO_ROWS_OF(PROTO_HIT_COLUMNS);
    const gjk_ray *rays;
} proto_hit_rows;

typedef struct proto_pose_rows {
    PROTO_ROWS_OF(PROTO_POSE_COLUMNS); /* each handle once, teleport among them */
    const gjk_pose *poses;
    const gjk_rotation *turns; /* as given, of poses; NULL: rotations are kept */
} proto_pose_rows;

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
 * Decode a message. MALFORMED_PROTOBUF for bytes that are no such message; UNKNOWN_MEMBER for a
 * field that it does not have; MISSING_MEMBER, WRONG_TYPE for a column that is not as long as the
 * others demand; TOO_MANY for more rows than batch_queries_max (poses: shapes_per_set_max); the
 * codes of values as in JSON.
 */
bool proto_decode_ray_rows(const proto_source *source, proto_ray_rows *out) GJK_MUST_USE;
bool proto_decode_pair_rows(const proto_source *source, proto_pair_rows *out) GJK_MUST_USE;
bool proto_decode_cast_rows(const proto_source *source, proto_cast_rows *out) GJK_MUST_USE;
bool proto_decode_nearest_rows(const proto_source *source, proto_nearest_rows *out) GJK_MUST_USE;
bool proto_decode_overlap_rows(const proto_source *source, proto_overlap_rows *out) GJK_MUST_USE;
bool proto_decode_move_rows(const proto_source *source, proto_move_rows *out) GJK_MUST_USE;
bool proto_decode_hit_rows(const proto_source *source, proto_hit_rows *out) GJK_MUST_USE;
bool proto_decode_pose_rows(const proto_source *source, proto_pose_rows *out) GJK_MUST_USE;

/* How the body of row i moves. */
proto_move proto_move_at(const proto_move_rows *rows, uint32_t i);

/*
 * BodyColumns: a shape as a whole, as JSON's decoder would make it, but without a tree and with no
 * more memory than its columns need while it is made. The dimension is that of out->shape. Codes as
 * above; NOT_CLOSED, NOT_SIMPLE, NOT_CONVEX and TOO_MANY as in JSON, at a column and row.
 */
bool proto_decode_body_columns(proto_text text, const proto_limits *limits, struct gjk_arena *arena,
                               proto_shape *out, struct proto_problem *problem) GJK_MUST_USE;

/* --- Blocks --- */

/* A message of a block: its place in proto_block_table, and its bytes. */
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
    union {
        uint32_t *uints;
        unsigned char *doubles; /* not aligned */
    };                          /* NULL: not asked for */
    atomic_bool any;            /* PROTO_SOME, PROTO_SOME_LINES: there is a value */
} proto_slot;

typedef struct proto_answers proto_answers;

/* Writes the lists of a row as lines and legs from there on. */
typedef void proto_put_lists(proto_answers *answers, uint32_t row, size_t line, size_t leg);

/* Beginning of an answer. Doubles that every row has stand where the message has them; the rest is
 * added when all rows are known. */
struct proto_answers {
    const proto_table *table;
    proto_slot *slots;
    proto_put_lists *put_lists; /* NULL: rows have no lists but one line each */
    const void **lists;         /* of each row, as many lines as its count */
    uint64_t revision;
    uint32_t dimension, count;
    uint32_t needs;                   /* bits of what is asked for */
    uint32_t line_count, leg_count;   /* of PROTO_LINES and PROTO_LEGS, once all rows are known */
    uint32_t first, end;              /* columns in place */
    unsigned char *bytes, *bytes_end; /* of those */
};

#define PROTO_SLOT(number, name, ...) proto_slot name;
#define PROTO_SLOT_AS(number, member, ...) proto_slot member;
#define PROTO_ANSWERS_OF(LIST)                                                                   \
    proto_answers answers;                                                                       \
    union {                                                                                      \
        struct {                                                                                 \
            LIST(PROTO_SLOT, PROTO_SLOT_AS)                                                      \
        };                                                                                       \
        proto_slot slots[sizeof(struct {LIST(PROTO_SLOT, PROTO_SLOT_AS)}) / sizeof(proto_slot)]; \
    }

typedef struct proto_ray_answers {
    PROTO_ANSWERS_OF(PROTO_RAYCAST_ANSWERS);
} proto_ray_answers;
typedef struct proto_pair_answers {
    PROTO_ANSWERS_OF(PROTO_PAIR_ANSWERS);
} proto_pair_answers;
typedef struct proto_cast_answers {
    PROTO_ANSWERS_OF(PROTO_CAST_ANSWERS);
} proto_cast_answers;
typedef struct proto_nearest_answers {
    PROTO_ANSWERS_OF(PROTO_NEAREST_ANSWERS);
} proto_nearest_answers;
typedef struct proto_overlap_answers {
    PROTO_ANSWERS_OF(PROTO_OVERLAP_ANSWERS);
} proto_overlap_answers;
typedef struct proto_move_answers {
    PROTO_ANSWERS_OF(PROTO_MOVE_ANSWERS);
    const gjk_vec3 **ways; /* of each row its legs, as many as its leg_count */
} proto_move_answers;
typedef struct proto_hit_answers {
    PROTO_ANSWERS_OF(PROTO_HIT_ANSWERS);
} proto_hit_answers;

/* A line of an answer to a ray. */
typedef struct proto_ray_line {
    gjk_ray_hit hit;
    double exit; /* where that is asked */
} proto_ray_line;

/* Write lists of proto_ray_line, gjk_cast_hit, gjk_near, gjk_hit, gjk_move_contact beside legs, and
 * gjk_near of shots. */
proto_put_lists proto_put_ray_lines, proto_put_cast_lines, proto_put_nearest_lines,
    proto_put_overlap_lines, proto_put_move_lines, proto_put_near_lines;

/* Allocates the places of answers->count rows. table, slots, revision, dimension, count, needs and
 * put_lists are set. Returns false if memory is exhausted. */
bool proto_answers_init(proto_answers *answers, struct gjk_arena *arena) GJK_MUST_USE;

/* Returns how many lines the rows have, once all are set. */
uint64_t proto_answers_lines(const proto_answers *answers);

/* Lays out the lists of all rows, which stay where they are until then. Returns false if memory is
 * exhausted. */
bool proto_answers_finish(proto_answers *answers, struct gjk_arena *arena) GJK_MUST_USE;

/* The column of that name, which the answer has. */
proto_slot *proto_slot_of(const proto_answers *answers, const char *name);

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

/* Fill row i. hit NULL: none. exit NULL: not asked for, or no hit. */
void proto_ray_answers_set(proto_ray_answers *answers, uint32_t i, const gjk_ray_hit *hit,
                           const double *exit);
void proto_pair_answers_set_detect(proto_pair_answers *answers, uint32_t i,
                                   const gjk_detect_result *result, bool penetration);
void proto_pair_answers_set_distance(proto_pair_answers *answers, uint32_t i,
                                     const gjk_distance_result *result);
void proto_cast_answers_set(proto_cast_answers *answers, uint32_t i, const gjk_cast_hit *hit);
void proto_move_answers_set(proto_move_answers *answers, uint32_t i, const gjk_move_result *result);
/* Mode any of rays and casts, whose answers begin with these columns. */
void proto_answers_set_any(proto_answers *answers, uint32_t i, bool hit);
/* Fill row i with a list. */
void proto_ray_answers_set_all(proto_ray_answers *answers, uint32_t i, const proto_ray_line *lines,
                               uint32_t count);
void proto_cast_answers_set_all(proto_cast_answers *answers, uint32_t i, const gjk_cast_hit *hits,
                                uint32_t count);
void proto_nearest_answers_set(proto_nearest_answers *answers, uint32_t i, const gjk_near *nears,
                               uint32_t count);
void proto_overlap_answers_set(proto_overlap_answers *answers, uint32_t i, const gjk_hit *hits,
                               uint32_t count);
/* rewind NULL: the newest state was judged. Near misses stay where they are until the lists are
 * laid out. */
void proto_hit_answers_set(proto_hit_answers *answers, uint32_t i, const gjk_judgement *judgement,
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
