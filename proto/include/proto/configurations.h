#ifndef PROTO_CONFIGURATIONS_H
#define PROTO_CONFIGURATIONS_H

/* Rows of configurations: POST .../configurations, in JSON and as a message of columns. */

#include <stdlib.h>

#include "gjk/configuration.h"
#include "proto/reply.h"

/* Most rows of one request. */
#define PROTO_CONFIGURATIONS_MAX 65536

/* Bits for the parts of a pose that are given; the others stay as they are stored. */
enum { PROTO_GIVEN_POSITION = 1, PROTO_GIVEN_ROTATION = 2 };

/* The id of an inline shape begins with this and goes on with its index, so that it is no id of a
 * stored shape, and stands before those. */
#define PROTO_INLINE_MARK '\001'

/* Returns the index of an inline shape; UINT32_MAX: it is the id of a stored one. */
static inline uint32_t proto_inline_index(const char *id) {
    return id[0] == PROTO_INLINE_MARK ? (uint32_t)strtoul(id + 1, NULL, 10) : UINT32_MAX;
}

typedef struct proto_configurations {
    uint32_t dimension;
    uint32_t count;                       /* of rows */
    uint32_t shape_count;                 /* of shapes in each */
    const char *const *ids;               /* of the shapes; NULL: by handle */
    const proto_operand *const *operands; /* of those that are more than an id; else NULL */
    const uint32_t *handles;
    const gjk_pose *poses; /* count * shape_count */
    const uint8_t *given;  /* of each pose; NULL: given_all of all */
    uint8_t given_all;
    uint32_t allowed_count;         /* of pairs */
    const char *const *allowed_ids; /* two of each; NULL: by handle */
    const uint32_t *allowed_handles;
    bool self, distance, continuous;
    const bool *starts; /* of each row: a new path begins there; NULL: none but the first */
    uint64_t limit;     /* of the nearest pairs that each row tells; 0: they are not asked for */
    bool include_meta;  /* rows tell what is stored as meta of their pair */
    double threshold;
    gjk_filter filter;
    proto_options options;
    const double *ticks; /* tick_count of them: none for the newest state, one, or one a row */
    uint32_t tick_count;
    const char *tick_pointer; /* to the tick, or with one a row to the column */
    bool partial;             /* rows that cannot be answered do not refuse the others */
} proto_configurations;

/* The answers of all rows. */
typedef struct proto_configured {
    gjk_configuration *rows;
    gjk_pair_nears *nearest; /* where a limit is asked for, the pairs of each row */
    uint8_t *refused;        /* PROTO_ROW_... of those that have no answer, else 0 */
} proto_configured;

/* Decode as proto_decode_query and proto_decode_pair_columns do: no more than set_dimension, limits
 * and arena decide. */
bool proto_decode_configurations(proto_text body, uint32_t set_dimension,
                                 const proto_limits *limits, struct gjk_arena *arena,
                                 proto_configurations *out,
                                 struct proto_problem *problem) GJK_MUST_USE;
bool proto_decode_configuration_columns(proto_text body, uint32_t set_dimension,
                                        const proto_limits *limits, struct gjk_arena *arena,
                                        proto_configurations *out,
                                        struct proto_problem *problem) GJK_MUST_USE;

/* Write the answers to all rows, as {"results": [...]}, where none is refused, or as a message of
 * columns. */
void proto_encode_configurations(struct proto_buffer *out, const proto_configurations *asked,
                                 const proto_configured *answers, const proto_stamp *stamp);
void proto_encode_configuration_columns(struct proto_buffer *out, const proto_configurations *asked,
                                        const proto_configured *answers, uint64_t revision);

#endif
