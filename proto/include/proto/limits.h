#ifndef PROTO_LIMITS_H
#define PROTO_LIMITS_H

/* Limits of requests and answers, and rules for names. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limits that GET /v1 lists, and their defaults. watches_max is per client. */
#define PROTO_LIMITS(X)                     \
    X(body_bytes_max, 16777216)             \
    X(batch_queries_max, 65536)             \
    X(sets_max, 10000)                      \
    X(shapes_per_set_max, 1000000)          \
    X(points_per_hull_max, GJK_POINTS_MAX)  \
    X(pieces_per_shape_max, GJK_PIECES_MAX) \
    X(history_ticks_max, 4096)              \
    X(id_bytes_max, 128)                    \
    X(meta_bytes_max, 4096)                 \
    X(answers_max, 1000000)                 \
    X(watches_max, 4096)

typedef struct proto_limits {
#define X(name, value) uint64_t name;
    PROTO_LIMITS(X)
#undef X
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
