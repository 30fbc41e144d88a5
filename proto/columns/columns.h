#ifndef PROTO_COLUMNS_COLUMNS_H
#define PROTO_COLUMNS_COLUMNS_H

/*
 * Decoding of messages by their tables: a scan that validates the bytes before anything is
 * allocated, a reader, and checks that all messages share. Also parts of the encoder.
 */

#include "proto/columns.h"

/*
 * Maximum number of fields that add nothing to a message: empty pieces of columns, and repeated
 * singular fields.
 */
#define PROTO_IDLE_FIELDS_MAX 1024

/* A message that is being decoded. */
struct proto_message {
    const proto_table *table;
    struct gjk_arena *arena;
    struct proto_problem *problem;
    uint64_t lengths[PROTO_COLUMNS_MAX]; /* number of values in each column of the table */
    uint32_t dimension;                  /* set by the scan */
    uint32_t count;                      /* number of rows; set by the checks of lengths */
    uint32_t shapes;                     /* shapes per row of configurations; else 1 */
    uint32_t idle_count;                 /* number of fields that add nothing */
};

/* Returns the index of the column with that field number, or table->count if there is none. */
uint32_t proto_column_of(const proto_table *table, uint64_t number);

/* Returns the number of values that a column has for each row. */
uint32_t proto_width(const proto_column *column, uint32_t dimension, uint32_t shapes);

/*
 * Validates the message's fields without unpacking them, and counts the values of each column in
 * message->lengths. Refuses unknown fields, wrong wire types, fields that end outside the body,
 * invalid UTF-8, another dimension than set_dimension (0: 2 or 3), and too many idle fields.
 */
bool proto_message_scan(struct proto_message *message, proto_text body, uint32_t set_dimension);

/* Sets message->count from the length of a column. Refuses more than rows_max rows, and a length
 * that is no multiple of the column's width. */
bool proto_count_rows(struct proto_message *message, uint32_t column, uint64_t rows_max);

/* Sets message->count, and checks the length of every column against its rule. */
bool proto_check_lengths(struct proto_message *message, uint64_t rows_max);

/*
 * Reads all columns, after the scan. Of a repeated singular field the last value counts. Packed
 * doubles are not copied; floats become doubles. Returns false if memory is exhausted.
 */
bool proto_message_read(const struct proto_message *message, proto_text body, proto_field *fields);

/* Checks values against the ranges of the table, and sorts lists of names and handles. */
bool proto_check_values(const struct proto_message *message, const proto_field *fields,
                        const proto_limits *limits);

/* Orders handles ascending: a comparison for qsort. */
int proto_compare_handles(const void *a, const void *b);

/* Decodes a message by all of these steps. source->at_tick is the default of at_tick. */
bool proto_decode_rows(const proto_source *source, const proto_table *table, uint64_t rows_max,
                       proto_rows *rows, proto_field *fields);

/* Makes a pose for each row from its position and rotation. One column may be absent; if both are,
 * *poses is NULL. */
bool proto_make_poses(const proto_source *source, const proto_rows *rows,
                      const proto_field *position, const proto_field *rotation,
                      const gjk_pose **poses);

/* Unread bytes. proto_read_varint returns false if no valid varint ends within them. */
typedef struct proto_cursor {
    const uint8_t *at, *end;
} proto_cursor;
bool proto_read_varint(proto_cursor *in, uint64_t *out);

/* Writes the index of a piece, unless it is GJK_NO_PIECE or part of a base, which has no index. */
void proto_set_piece(proto_slot *slot, size_t i, uint32_t piece);

/* Writes the columns normal, point_a and point_b of any answer that has them. */
#define PROTO_SET_VECTORS(out, i, has_normal, has_points, result)                                  \
    do {                                                                                           \
        const uint32_t dimension = (out)->answers.dimension;                                       \
        proto_set_vector(&(out)->normal, dimension, i, (has_normal) ? &(result)->normal : NULL);   \
        proto_set_vector(&(out)->point_a, dimension, i, (has_points) ? &(result)->point_a : NULL); \
        proto_set_vector(&(out)->point_b, dimension, i, (has_points) ? &(result)->point_b : NULL); \
    } while (0)

/* Wire types. */
enum { PROTO_WIRE_VARINT = 0, PROTO_WIRE_64BIT = 1, PROTO_WIRE_BYTES = 2, PROTO_WIRE_32BIT = 5 };

/* Writes a varint to `at`, which has room for 10 bytes. Returns its end. */
uint8_t *proto_write_varint(uint8_t *at, uint64_t value);

/* Maximum size in bytes of a head: a tag, and a length or number. proto_write_head returns the size
 * of the head written. */
#define PROTO_HEAD_MAX 20
size_t proto_write_head(uint8_t *head, uint64_t number, unsigned wire, uint64_t value);
void proto_put_head(struct proto_buffer *out, uint64_t number, unsigned wire, uint64_t value);

/* Returns the size in bytes of the values as varints. */
size_t proto_uints_size(const uint32_t *values, size_t count);

/* Set a problem. proto_refuse_row points it at a row of a column, or with PROTO_NO_ROW at the
 * column. Both return false. */
#define PROTO_NO_ROW UINT32_MAX
bool proto_refuse_row(struct proto_problem *problem, const char *column, uint32_t row,
                      proto_code code, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
bool proto_refuse_columns_status(struct proto_problem *problem, gjk_status status);

#endif
