#ifndef PROTO_COLUMNS_COLUMNS_H
#define PROTO_COLUMNS_COLUMNS_H

/*
 * A scan that judges the bytes of a message before anything is allocated for it, and the checks
 * that columns of all messages share.
 */

#include <string.h>

#include "gjkd.pb-c.h"
#include "proto/columns.h"

/* At least one more than the fields of the largest message, because field numbers start at 1. */
#define PROTO_FIELDS_MAX 24

/*
 * Most fields of one message that add nothing to it: empty pieces of columns, and singular fields
 * that are repeated.
 */
#define PROTO_IDLE_FIELDS_MAX 1024

/* Most groups that the rays of a message may ignore. */
#define PROTO_IGNORE_GROUPS_MAX 65536

struct proto_message {
    const ProtobufCMessageDescriptor *descriptor;
    struct gjk_arena *arena;
    struct proto_problem *problem;
    uint64_t lengths[PROTO_FIELDS_MAX]; /* numbers or texts in each field */
    uint32_t dimension;                 /* of the message, once checked */
    uint32_t count;                     /* rows, once known */
    uint32_t idle_count;                /* fields that add nothing */
};

/*
 * Walks the message's fields without unpacking them: each known, of its wire type, within the
 * body, texts in UTF-8, dimension that of the set (0: 2 or 3), not too many idle ones. Fills
 * lengths.
 */
bool proto_message_scan(struct proto_message *message, proto_text body, uint32_t set_dimension);

/*
 * Lengths of columns of `width` numbers a row. `rows` is the number of rows by its own length,
 * at most rows_max; `full` must have as many as there are rows; `optional` may have none;
 * `shared` may also have one row for all.
 */
bool proto_column_rows(struct proto_message *message, const char *name, uint32_t width,
                       uint64_t rows_max);
bool proto_column_full(struct proto_message *message, const char *name, uint32_t width);
bool proto_column_optional(struct proto_message *message, const char *name, uint32_t width);
bool proto_column_shared(struct proto_message *message, const char *name);

/* Checks a column whose length does not depend on the rows: it has at most max entries. */
bool proto_column_most(struct proto_message *message, const char *name, uint64_t max);

/*
 * Unpacks the message into protobuf-c's struct in the arena. To be called after the scan and the
 * checks of the lengths.
 */
ProtobufCMessage *proto_message_unpack(const struct proto_message *message, proto_text body);

/*
 * Value of a field, read straight from the packed bytes: floats as doubles, of a singular field the
 * last value. A text is a view into the body.
 */
typedef struct proto_field {
    uint64_t count; /* of numbers or texts; 0: the field is not there */
    double *doubles;
    uint32_t *uints; /* integers and bools */
    proto_text text;
} proto_field;

/*
 * Reads all fields, by their numbers, into arrays in the message's arena. To be called after the
 * scan. False: out of memory.
 */
bool proto_message_read(const struct proto_message *message, proto_text body,
                        proto_field fields[PROTO_FIELDS_MAX]);

/* The cursor of a scan, and a varint at it; false: it does not end within the bytes. */
typedef struct proto_cursor {
    const uint8_t *at, *end;
} proto_cursor;
bool proto_read_varint(proto_cursor *in, uint64_t *out);

/* Wire types. */
enum { PROTO_WIRE_VARINT = 0, PROTO_WIRE_64BIT = 1, PROTO_WIRE_BYTES = 2, PROTO_WIRE_32BIT = 5 };

/* Set a problem, the first one that points at a row of a column. All return false. */
bool proto_refuse_row(struct proto_problem *problem, const char *column, uint32_t row,
                      proto_code code, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
bool proto_refuse_columns_memory(struct proto_problem *problem);
/* Sets a problem with a member as a whole. Returns false. */
bool proto_refuse_member(struct proto_problem *problem, const char *pointer, proto_code code,
                         const char *detail);
/* For OUT_OF_MEMORY and GIVEN_UP. */
bool proto_refuse_columns_status(struct proto_problem *problem, gjk_status status);

/*
 * proto_check_column checks that every number of a column is finite and within a range; infinite
 * bounds allow any finite number. A row has width numbers.
 */
typedef struct proto_column_range {
    double min, max;
} proto_column_range;
bool proto_check_column(struct proto_problem *problem, const char *name, const double *values,
                        size_t length, uint32_t width, proto_column_range range);

/* The vector in row i. */
static inline gjk_vec3 proto_row_vector(const double *values, uint32_t dimension, uint32_t i) {
    const double *at = values + (size_t)i * dimension;
    return gjk_vec3_make(at[0], at[1], dimension == 3 ? at[2] : 0.0);
}

/*
 * Lines of n rows as rays, in the arena. max_distance may be missing. NULL: refused, as in JSON, at
 * the first row that is wrong of the first column that has one.
 */
typedef struct proto_line_rows {
    const double *origin, *direction, *max_distance;
    size_t max_distance_length;
} proto_line_rows;
gjk_ray *proto_make_rays(const struct proto_message *message, const proto_line_rows *rows);

/* The lengths and the values of what all rows select by: what the fields are called is the same in
 * all messages. The groups are sorted where they stand. */
typedef struct proto_select_rows {
    uint32_t *mask, *category, *ignore_group_of;
    size_t mask_length, category_length, ignore_group_of_length;
    char **ignore_groups;
    size_t ignore_groups_length;
} proto_select_rows;
#define PROTO_SELECT_ROWS(columns)                                                       \
    {                                                                                    \
        .mask = (columns)->mask, .category = (columns)->category,                        \
        .ignore_group_of = (columns)->ignore_group_of, .mask_length = (columns)->n_mask, \
        .category_length = (columns)->n_category,                                        \
        .ignore_group_of_length = (columns)->n_ignore_group_of,                          \
        .ignore_groups = (columns)->ignore_groups,                                       \
        .ignore_groups_length = (columns)->n_ignore_groups,                              \
    }
bool proto_check_select_lengths(struct proto_message *message);
bool proto_make_select(const struct proto_message *message, const proto_select_rows *rows,
                       const proto_limits *limits, proto_select_columns *out);

/*
 * Positions and rotations of n rows as poses. Either may be missing (NULL). turns: where the
 * rotations go as they were given, or NULL.
 */
typedef struct proto_pose_rows {
    const char *position_name, *rotation_name;
    const double *position, *rotation;
} proto_pose_rows;
bool proto_make_poses(const struct proto_message *message, const proto_pose_rows *rows,
                      gjk_pose *poses, gjk_rotation *turns);

/* The same as a column that may be missing as a whole, in the arena. */
bool proto_make_pose_column(const struct proto_message *message, const proto_pose_rows *rows,
                            proto_pose_column *out);

/* Bits for a whole message: 0 stands for all. */
static inline uint32_t proto_bits_or_all(uint32_t bits) {
    return bits == 0 ? UINT32_MAX : bits;
}

/* The values of a column that may be missing: protobuf-c sets a pointer for an empty one too. */
static inline const double *proto_column_values(const double *values, size_t length) {
    return length > 0 ? values : NULL;
}

/*
 * How an answer is laid out: columns of uints (their fields begin at 2), then the columns of
 * doubles that are filled in place (their fields follow), then so many others of either kind at
 * most.
 */
typedef struct proto_answer_layout {
    uint32_t uints;                        /* columns before the doubles */
    uint32_t widths[PROTO_ANSWER_DOUBLES]; /* of a row of the doubles in place; 0 behind the last */
    uint32_t more_uints, more_doubles;     /* columns behind them, these of one number a row */
} proto_answer_layout;

/* Allocates an answer of count rows. Returns false when memory runs out. */
bool proto_answer_init(proto_answer *answer, uint32_t count, const proto_answer_layout *layout,
                       struct gjk_arena *arena);

/*
 * Completes the message and hands it to the buffer: adds the revision, the columns of uints before
 * those of doubles in place, and the columns behind them, in the order of their fields; one without
 * values is left out.
 */
#define PROTO_ANSWER_COLUMNS 7
typedef struct proto_answer_column {
    uint32_t number; /* 0: no more */
    const uint32_t *uints;
    const double *doubles;
} proto_answer_column;
void proto_answer_put(const proto_answer *answer, uint64_t revision, const uint32_t *const *first,
                      const proto_answer_column last[PROTO_ANSWER_COLUMNS],
                      struct proto_buffer *out);

/* A column of pieces, or NULL if every row says that there is none: then it is not sent. */
const uint32_t *proto_pieces_if_any(const uint32_t *pieces, uint32_t count);

/* Write a number, or a vector (NULL: zeros), to row i of a column of an answer. */
static inline void proto_set_double(unsigned char *column, uint32_t i, double value) {
    memcpy(column + (size_t)i * sizeof value, &value, sizeof value);
}
static inline void proto_set_row(unsigned char *column, uint32_t dimension, uint32_t i,
                                 const gjk_vec3 *vector) {
    static const gjk_vec3 none = {0.0, 0.0, 0.0};
    const gjk_vec3 *v = vector != NULL ? vector : &none;
    unsigned char *row = column + (size_t)i * dimension * sizeof(double);
    proto_set_double(row, 0, v->x);
    proto_set_double(row, 1, v->y);
    if (dimension == 3) {
        proto_set_double(row, 2, v->z);
    }
}

/* Write a column as a member of a JSON object (NULL: it is left out); doubles stand as in the
 * message, row by row. */
void proto_put_uints(struct proto_buffer *out, const char *name, const uint32_t *values,
                     uint32_t count);
void proto_put_doubles(struct proto_buffer *out, const char *name, const unsigned char *values,
                       uint32_t count);
void proto_put_doubles_if(struct proto_buffer *out, const char *name, const double *values,
                          uint32_t count);

#endif
