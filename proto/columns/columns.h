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
 * What a field holds, read straight from the packed bytes: floats as doubles, of a singular field the
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

/* Set a problem that points at a row of a column. Both return false. */
bool proto_refuse_row(struct proto_problem *problem, const char *column, uint32_t row,
                      proto_code code, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
bool proto_refuse_columns_memory(struct proto_problem *problem);

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
 * Positions and rotations of n rows as poses. Either may be missing (NULL). turns: where the
 * rotations go as they were given, or NULL.
 */
typedef struct proto_pose_rows {
    const char *position_name, *rotation_name;
    const double *position, *rotation;
} proto_pose_rows;
bool proto_make_poses(const struct proto_message *message, const proto_pose_rows *rows,
                      gjk_pose *poses, gjk_rotation *turns);

/*
 * Allocates an answer of count rows, with columns of doubles of those widths (0 behind the last
 * one). Returns false when memory runs out.
 */
bool proto_answer_init(proto_answer *answer, uint32_t count, const uint32_t *widths,
                       struct gjk_arena *arena);

/*
 * Completes the message and hands it to the buffer: adds the revision, the column of uints before
 * those of doubles, and the columns of uints behind them, in the order of their fields; one whose
 * values are NULL is left out.
 */
#define PROTO_ANSWER_UINTS 4
typedef struct proto_uint_field {
    uint32_t number; /* 0: no more */
    const uint32_t *values;
} proto_uint_field;
void proto_answer_put(const proto_answer *answer, uint64_t revision, const uint32_t *first,
                      const proto_uint_field last[PROTO_ANSWER_UINTS], struct proto_buffer *out);

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

#endif
