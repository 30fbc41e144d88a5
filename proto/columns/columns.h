#ifndef PROTO_COLUMNS_COLUMNS_H
#define PROTO_COLUMNS_COLUMNS_H

/*
 * Messages by their tables: a scan that judges the bytes before anything is allocated for them, a
 * reader, and the checks that columns of all messages share.
 */

#include "proto/columns.h"

/*
 * Most fields of one message that add nothing to it: empty pieces of columns, and singular fields
 * that are repeated.
 */
#define PROTO_IDLE_FIELDS_MAX 1024

/* A message under way. */
struct proto_message {
    const proto_table *table;
    struct gjk_arena *arena;
    struct proto_problem *problem;
    uint64_t lengths[PROTO_COLUMNS_MAX]; /* numbers or texts in each column of the table */
    uint32_t dimension;                  /* of the message, once checked */
    uint32_t count;                      /* rows, once known */
    uint32_t shapes;                     /* those of each row, of a configuration */
    uint32_t idle_count;                 /* fields that add nothing */
};

/* Returns a column's place in the table by its number; the count of columns: there is none. */
uint32_t proto_column_of(const proto_table *table, uint64_t number);

/* Returns how many numbers of a column one row has. */
uint32_t proto_width(const proto_column *column, uint32_t dimension, uint32_t shapes);

/*
 * Walks the message's fields without unpacking them: each known, of its wire type, within the
 * body, texts in UTF-8, dimension that of the set (0: 2 or 3), not too many idle ones. Fills
 * lengths.
 */
bool proto_message_scan(struct proto_message *message, proto_text body, uint32_t set_dimension);

/* Counts the rows by the length of a column, at most rows_max. */
bool proto_count_rows(struct proto_message *message, uint32_t column, uint64_t rows_max);

/* Counts the rows, at most rows_max, and checks that every column is as long as they demand. */
bool proto_check_lengths(struct proto_message *message, uint64_t rows_max);

/*
 * Reads all columns; of a singular field the last value. Packed doubles stay where they are, floats
 * become doubles. To be called after the scan. Returns false if memory is exhausted.
 */
bool proto_message_read(const struct proto_message *message, proto_text body, proto_field *fields);

/* Checks that the values are those that the table allows, and sorts names and lists of handles. */
bool proto_check_values(const struct proto_message *message, const proto_field *fields,
                        const proto_limits *limits);

/* The ascending order of handles, as of qsort. */
int proto_compare_handles(const void *a, const void *b);

/* All of that. A message without at_tick has that of the message around it. */
bool proto_decode_rows(const proto_source *source, const proto_table *table, uint64_t rows_max,
                       proto_rows *rows, proto_field *fields);

/* Makes poses of as many positions and rotations as there are rows. One column may be missing; without
 * both *poses is NULL. */
bool proto_make_poses(const proto_source *source, const proto_rows *rows,
                      const proto_field *position, const proto_field *rotation,
                      const gjk_pose **poses);

/* The cursor of a scan, and a varint at it; false: it does not end within the bytes. */
typedef struct proto_cursor {
    const uint8_t *at, *end;
} proto_cursor;
bool proto_read_varint(proto_cursor *in, uint64_t *out);

/* Writes the number of a piece, if there is one that has a number. */
void proto_set_piece(proto_slot *slot, size_t i, uint32_t piece);

/* Writes the normal and the points of a pair, of any answer that has them. */
#define PROTO_SET_VECTORS(out, i, has_normal, has_points, result)                                  \
    do {                                                                                           \
        const uint32_t dimension = (out)->answers.dimension;                                       \
        proto_set_vector(&(out)->normal, dimension, i, (has_normal) ? &(result)->normal : NULL);   \
        proto_set_vector(&(out)->point_a, dimension, i, (has_points) ? &(result)->point_a : NULL); \
        proto_set_vector(&(out)->point_b, dimension, i, (has_points) ? &(result)->point_b : NULL); \
    } while (0)

/* Wire types. */
enum { PROTO_WIRE_VARINT = 0, PROTO_WIRE_64BIT = 1, PROTO_WIRE_BYTES = 2, PROTO_WIRE_32BIT = 5 };

/* Writes a varint to at least 10 bytes; returns where it ends. */
uint8_t *proto_write_varint(uint8_t *at, uint64_t value);

/* The longest tag with a length or number, in bytes; writes one, and returns how many they are. */
#define PROTO_HEAD_MAX 20
size_t proto_write_head(uint8_t *head, uint64_t number, unsigned wire, uint64_t value);
void proto_put_head(struct proto_buffer *out, uint64_t number, unsigned wire, uint64_t value);

/* Returns the bytes of so many varints. */
size_t proto_uints_size(const uint32_t *values, size_t count);

/* Set a problem, the first one that points at a row of a column, or at the column. Return false. */
#define PROTO_NO_ROW UINT32_MAX
bool proto_refuse_row(struct proto_problem *problem, const char *column, uint32_t row,
                      proto_code code, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
bool proto_refuse_columns_status(struct proto_problem *problem, gjk_status status);

#endif
