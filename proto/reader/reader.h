#ifndef PROTO_READER_READER_H
#define PROTO_READER_READER_H

/* Checked reading of a document. Readers return false after having set the problem. */

#include "reader/refuse.h"

struct proto_document;
void proto_reader_init(struct proto_reader *reader, struct proto_document *document,
                       const proto_limits *limits, struct gjk_arena *arena,
                       struct proto_problem *problem);

/* A text of our own making, which is JSON: the definition of a stored shape, or meta. */
bool proto_read_stored(struct proto_reader *reader, proto_text text, proto_value *out);

/* Values between bounds, both included unless above_min. */
typedef struct proto_range {
    double min, max;
    bool above_min;
} proto_range;

extern const proto_range proto_any_number;
extern const proto_range proto_coordinate;
extern const proto_range proto_length;          /* >= 0 */
extern const proto_range proto_positive_length; /* > 0 */

/*
 * All leave *out alone and return true when an optional node is absent. MISSING_MEMBER,
 * WRONG_TYPE (also a fraction where an integer is due), OUT_OF_RANGE.
 */
bool proto_read_object(struct proto_reader *reader, const proto_node *node);
bool proto_read_array(struct proto_reader *reader, const proto_node *node);
bool proto_read_bool(struct proto_reader *reader, proto_node node, bool *out);
bool proto_read_number(struct proto_reader *reader, proto_node node, proto_range range,
                       double *out);
/* max at most 2^53 */
bool proto_read_integer(struct proto_reader *reader, proto_node node, uint64_t min, uint64_t max,
                        uint64_t *out);
bool proto_read_u32(struct proto_reader *reader, proto_node node, uint32_t *out);

/* One of count texts; *out is its index. */
bool proto_read_choice(struct proto_reader *reader, proto_node node, const char *const *texts,
                       size_t *out);

/*
 * The numbers of an array, side by side in the document, or NULL where they are not packed or not
 * all within range (a null only if it may be): to be read one by one then. The same for an array of
 * arrays of that many numbers, as vectors are.
 */
const double *proto_packed_numbers(proto_value array, proto_range range, bool may_be_null);
const double *proto_packed_rows(proto_value array, uint32_t columns, proto_range range);

/* dimension numbers within range; z is 0 in 2D. DIMENSION_MISMATCH for a vector of the other. */
bool proto_read_vector(struct proto_reader *reader, proto_node node, uint32_t dimension,
                       proto_range range, gjk_vec3 *out);
bool proto_read_quaternion(struct proto_reader *reader, proto_node node, gjk_quat *out);

/* Shape ids and groups, copied to reader->arena. BAD_NAME. */
bool proto_read_id(struct proto_reader *reader, proto_node node, const char **out);
bool proto_copy_id(struct proto_reader *reader, const proto_node *at, proto_text text,
                   const char **out);

#endif
