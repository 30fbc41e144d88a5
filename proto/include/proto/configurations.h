#ifndef PROTO_CONFIGURATIONS_H
#define PROTO_CONFIGURATIONS_H

/* Collision checks of many configurations (rows of poses of the same shapes): POST
 * .../configurations, in JSON and as a message of columns. */

#include <stdlib.h>

#include "gjk/configuration.h"
#include "proto/reply.h"

/* Maximum number of rows of a request. */
#define PROTO_CONFIGURATIONS_MAX 65536

/* Bits for the parts of a pose that a request gives. The others are taken from the stored shape. */
enum { PROTO_GIVEN_POSITION = 1, PROTO_GIVEN_ROTATION = 2 };

/* First byte of the internal id of an inline shape; its index follows in decimal digits. No stored
 * id contains this byte, and all of them sort after it. */
#define PROTO_INLINE_MARK '\001'

/* Returns the index of an inline shape, or UINT32_MAX if the id is that of a stored shape. */
static inline uint32_t proto_inline_index(const char *id) {
    return id[0] == PROTO_INLINE_MARK ? (uint32_t)strtoul(id + 1, NULL, 10) : UINT32_MAX;
}

typedef struct proto_configurations {
    uint32_t dimension;
    uint32_t count;                       /* number of rows */
    uint32_t shape_count;                 /* number of shapes in each row */
    const char *const *ids;               /* of the shapes; NULL: see handles */
    const proto_operand *const *operands; /* per shape; NULL: only an id */
    const uint32_t *handles;
    const gjk_pose *poses; /* count * shape_count, row by row */
    const uint8_t *given;  /* PROTO_GIVEN_... of each pose; NULL: given_all for all */
    uint8_t given_all;
    uint32_t allowed_count;         /* pairs that may collide */
    const char *const *allowed_ids; /* two for each pair; NULL: see allowed_handles */
    const uint32_t *allowed_handles;
    bool self, distance, continuous;
    const bool *starts; /* per row: true if a new path begins there; NULL: only at row 0 */
    uint64_t limit;     /* maximum number of nearest pairs per row; 0: not asked for */
    bool include_meta;  /* answers include the stored meta of both shapes of a pair */
    double threshold;
    gjk_filter filter;
    proto_options options;
    const double *ticks;      /* tick_count values */
    uint32_t tick_count;      /* 0: newest state; 1: one tick for all rows; else one per row */
    const char *tick_pointer; /* JSON pointer to the tick, or to the column of ticks */
    bool partial;             /* a row that cannot be answered does not refuse the others */
} proto_configurations;

/* Answers to all rows. */
typedef struct proto_configured {
    gjk_configuration *rows;
    gjk_pair_nears *nearest; /* nearest pairs of each row, if a limit is asked for */
    uint8_t *refused;        /* per row: PROTO_ROW_... if it has no answer, else 0 */
} proto_configured;

/* Decode the body of POST .../configurations, as JSON or as the message ConfigurationColumns. They
 * check what the body and the arguments decide; whether shapes exist is the server's. */
bool proto_decode_configurations(proto_text body, uint32_t set_dimension,
                                 const proto_limits *limits, struct gjk_arena *arena,
                                 proto_configurations *out,
                                 struct proto_problem *problem) GJK_MUST_USE;
bool proto_decode_configuration_columns(proto_text body, uint32_t set_dimension,
                                        const proto_limits *limits, struct gjk_arena *arena,
                                        proto_configurations *out,
                                        struct proto_problem *problem) GJK_MUST_USE;

/* Write the answers to all rows, as {"results": [...]} (then no row may be refused) or as the
 * message ConfigurationAnswers. */
void proto_encode_configurations(struct proto_buffer *out, const proto_configurations *asked,
                                 const proto_configured *answers, const proto_stamp *stamp);
void proto_encode_configuration_columns(struct proto_buffer *out, const proto_configurations *asked,
                                        const proto_configured *answers, uint64_t revision);

#endif
