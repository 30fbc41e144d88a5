#ifndef PROTO_LIMITS_H
#define PROTO_LIMITS_H

/* Limits of requests and answers, and rules for names. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limits that GET /v1 lists. */
typedef struct proto_limits {
    uint64_t body_bytes_max;
    uint64_t batch_queries_max;
    uint64_t sets_max;
    uint64_t shapes_per_set_max;
    uint64_t points_per_hull_max;
    uint64_t pieces_per_shape_max;
    uint64_t history_ticks_max;
    uint64_t id_bytes_max;
    uint64_t meta_bytes_max;
    uint64_t answers_max;
    uint64_t watches_max; /* per client */
} proto_limits;

proto_limits proto_limits_default(void);

/* Maximum nesting of arrays and objects in a body. */
#define PROTO_DEPTH_MAX 64

#define PROTO_SET_NAME_BYTES_MAX 128

/* Return true for a valid name of a set, [A-Za-z0-9][A-Za-z0-9._~-]{0,127}; for a valid shape id or
 * group, 1 to id_bytes_max characters of [A-Za-z0-9._~:@/-] without empty, `.` or `..` segments. */
bool proto_is_set_name(const char *text, size_t length);
bool proto_is_id(const char *text, size_t length, uint64_t id_bytes_max);

#endif
