#ifndef PROTO_MESSAGES_H
#define PROTO_MESSAGES_H

/*
 * Tables of the column messages: one macro for each message of gjkd.proto, one row for each of its
 * fields. Structs, scan, decoder, encoder, JSON, refusals and the test against gjkd.proto are
 * generated from these tables. The maps at the end list all messages.
 *
 * Row of a query: X(number, name, type, width, rule, values, default). The default is the value of
 * an absent column; of a PROTO_LIST it is the maximum number of entries, 0: as many as rows.
 * Row of an answer: X(number, name, type, width, rule, needs, default). The column is present if
 * all bits of `needs` are asked for. The default fills rows that have no answer.
 * AS takes the C member's name before the name, where the name is no identifier of C.
 */

#include <math.h>
#include <stdint.h>

/* Handle for "no shape", "no hit" and "no ignored group". */
#define PROTO_NO_HANDLE UINT32_MAX

/* Types of fields: first the repeated ones (columns), then the singular ones. */
typedef enum proto_element {
    PROTO_DOUBLES,
    PROTO_FLOATS,
    PROTO_UINTS,
    PROTO_TEXTS,
    PROTO_MESSAGES,
    PROTO_DOUBLE,
    PROTO_UINT,
    PROTO_ULONG,
    PROTO_BOOL,
    PROTO_TEXT,
    PROTO_MESSAGE,
} proto_element;

/* Widths (numbers in each row) that depend on the dimension: vectors have 2 or 3 numbers, rotations
 * 1 or 4. EACH_... has one for each shape of a configuration. */
enum { PROTO_VECTOR = 100, PROTO_TURN, PROTO_EACH_VECTOR, PROTO_EACH_TURN };

/* Number of values of a field in a message of n rows. */
typedef enum proto_rule {
    PROTO_ONE,         /* a singular field */
    PROTO_COUNTS,      /* n: this column determines n */
    PROTO_EACH,        /* n */
    PROTO_SHARED,      /* n or 1 */
    PROTO_DEFAULTED,   /* n, 1 or 0 */
    PROTO_OPTIONAL,    /* n or 0 */
    PROTO_ONE_OR_EACH, /* n, 1 or 0, without a default */
    PROTO_LIST,        /* any number, not related to rows */
    PROTO_SOME,        /* of answers: n, or 0 if all are the default */
    PROTO_LINES,       /* of answers: a list for each row, in the order of rows; or n */
    PROTO_SOME_LINES,  /* of answers: as PROTO_LINES, or 0 if all are the default */
    PROTO_LEGS,        /* of answers: as PROTO_LINES, with list lengths of its own */
} proto_rule;

/* Allowed values of a query's column. */
typedef enum proto_values {
    PROTO_ANY,
    PROTO_FINITE,
    PROTO_COORDINATE,
    PROTO_LENGTH, /* 0 to the largest coordinate */
    PROTO_POSITIVE,
    PROTO_REACH,     /* at least 0 */
    PROTO_STARTS,    /* 0 to 3 */
    PROTO_MODES,     /* 0 to 2 */
    PROTO_TOLERANCE, /* 0 to GJK_TOLERANCE_MAX */
    PROTO_SLOPE,     /* 0 to pi / 2 */
    PROTO_SLIDES,    /* 0 to 32 */
    PROTO_SETS,      /* names of sets; a PROTO_TEXT may also be empty */
    PROTO_NAMES,     /* ids or groups; the decoder sorts them */
    PROTO_HANDLES,   /* handles, stored or not; the decoder sorts them */
    PROTO_SHAPE,     /* handles of stored shapes, or PROTO_NO_HANDLE if that is the default */
} proto_values;

/* Options that a query must ask for to get a column of its answer, as bits. Their meaning depends on
 * the message. */
enum {
    PROTO_NEEDS_EXITS = 1,
    PROTO_NEEDS_DEPTH = 1,
    PROTO_NEEDS_DISTANCE = 1,
    PROTO_NEEDS_MOTION = 2,
    PROTO_NEEDS_OBSTACLES = 1,
    PROTO_NEEDS_PENETRATION = 1,
    PROTO_NEEDS_REWIND = 2,
    PROTO_NEEDS_COUNT = 4, /* rays, casts: mode all; configurations: several pairs per row */
    PROTO_NEEDS_NEAR = 4,  /* shots: near misses */
    PROTO_NEEDS_HITS = 8,  /* rays, casts: modes closest and all */
};

/* Maximum number of sets of obstacles of a shot. */
#define PROTO_OBSTACLES_MAX 16

/* Maximum length of ignore_groups. */
#define PROTO_IGNORE_GROUPS_MAX 65536

/* Maximum length of ignore. */
#define PROTO_IGNORE_MAX 65536

/* Default of max_slope: pi / 4. */
#define PROTO_SLOPE_DEFAULT 0.78539816339744831

/* Maximum number of blocks of a message. */
#define PROTO_BLOCKS_MAX 1024

/* Maximum length of a list that only other limits bound. */
#define PROTO_UNLIMITED (UINT32_MAX - 1)

/* clang-format off */
#define PROTO_RAYCAST_COLUMNS(X, AS)                                                                                \
    X( 1, dimension,       PROTO_UINT,    1,            PROTO_ONE,       PROTO_ANY,        0)                       \
    X( 2, origin,          PROTO_DOUBLES, PROTO_VECTOR, PROTO_COUNTS,    PROTO_COORDINATE, 0)                       \
    X( 3, direction,       PROTO_DOUBLES, PROTO_VECTOR, PROTO_EACH,      PROTO_COORDINATE, 0)                       \
    X( 4, max_distance,    PROTO_DOUBLES, 1,            PROTO_DEFAULTED, PROTO_REACH,      INFINITY)                \
    X( 5, mask,            PROTO_UINTS,   1,            PROTO_DEFAULTED, PROTO_ANY,        UINT32_MAX)              \
    X( 6, category,        PROTO_UINTS,   1,            PROTO_DEFAULTED, PROTO_ANY,        UINT32_MAX)              \
    X( 7, at_tick,         PROTO_DOUBLES, 1,            PROTO_DEFAULTED, PROTO_REACH,      0)                       \
    X( 8, ignore_groups,   PROTO_TEXTS,   1,            PROTO_LIST,      PROTO_NAMES,      PROTO_IGNORE_GROUPS_MAX) \
    X( 9, not_solid,       PROTO_BOOL,    1,            PROTO_ONE,       PROTO_ANY,        0)                       \
    X(10, ignore_group_of, PROTO_UINTS,   1,            PROTO_DEFAULTED, PROTO_SHAPE,      PROTO_NO_HANDLE)         \
    X(11, partial,         PROTO_BOOL,    1,            PROTO_ONE,       PROTO_ANY,        0)                       \
    X(12, exits,           PROTO_BOOL,    1,            PROTO_ONE,       PROTO_ANY,        0)                       \
    X(13, mode,            PROTO_UINT,    1,            PROTO_ONE,       PROTO_MODES,      0)                       \
    X(14, limit,           PROTO_UINT,    1,            PROTO_ONE,       PROTO_ANY,        0)                       \
    X(15, ignore,          PROTO_UINTS,   1,            PROTO_LIST,      PROTO_HANDLES,    PROTO_IGNORE_MAX)
#define PROTO_RAYCAST_ANSWERS(X, AS)                                                                    \
    X( 1, revision, PROTO_ULONG,   1,            PROTO_ONE,        0,                  0)               \
    X( 2, handle,   PROTO_UINTS,   1,            PROTO_LINES,      0,                  PROTO_NO_HANDLE) \
    X( 3, distance, PROTO_DOUBLES, 1,            PROTO_LINES,      PROTO_NEEDS_HITS,   0)               \
    X( 4, point,    PROTO_DOUBLES, PROTO_VECTOR, PROTO_LINES,      PROTO_NEEDS_HITS,   0)               \
    X( 5, normal,   PROTO_DOUBLES, PROTO_VECTOR, PROTO_LINES,      PROTO_NEEDS_HITS,   0)               \
    X( 6, status,   PROTO_UINTS,   1,            PROTO_EACH,       0,                  0)               \
    X( 7, piece,    PROTO_UINTS,   1,            PROTO_SOME_LINES, PROTO_NEEDS_HITS,   PROTO_NO_HANDLE) \
    X( 8, exit,     PROTO_DOUBLES, 1,            PROTO_SOME_LINES, PROTO_NEEDS_EXITS,  0)               \
    X( 9, material, PROTO_UINTS,   1,            PROTO_SOME_LINES, PROTO_NEEDS_HITS,   0)               \
    X(10, pose_gap, PROTO_UINTS,   1,            PROTO_SOME,       0,                  0)               \
    X(11, count,    PROTO_UINTS,   1,            PROTO_EACH,       PROTO_NEEDS_COUNT,  0)               \
    X(12, inside,   PROTO_UINTS,   1,            PROTO_SOME_LINES, PROTO_NEEDS_HITS,   0)

#define PROTO_PAIR_COLUMNS(X, AS)                                                                  \
    X( 1, dimension,            PROTO_UINT,    1,            PROTO_ONE,       PROTO_ANY,        0) \
    X( 2, a,                    PROTO_UINTS,   1,            PROTO_COUNTS,    PROTO_SHAPE,      0) \
    X( 3, b,                    PROTO_UINTS,   1,            PROTO_EACH,      PROTO_SHAPE,      0) \
    X( 4, position_a,           PROTO_DOUBLES, PROTO_VECTOR, PROTO_OPTIONAL,  PROTO_COORDINATE, 0) \
    X( 5, rotation_a,           PROTO_DOUBLES, PROTO_TURN,   PROTO_OPTIONAL,  PROTO_FINITE,     0) \
    X( 6, position_b,           PROTO_DOUBLES, PROTO_VECTOR, PROTO_OPTIONAL,  PROTO_COORDINATE, 0) \
    X( 7, rotation_b,           PROTO_DOUBLES, PROTO_TURN,   PROTO_OPTIONAL,  PROTO_FINITE,     0) \
    X( 8, at_tick,              PROTO_DOUBLES, 1,            PROTO_DEFAULTED, PROTO_REACH,      0) \
    X( 9, no_penetration,       PROTO_BOOL,    1,            PROTO_ONE,       PROTO_ANY,        0) \
    X(10, partial,              PROTO_BOOL,    1,            PROTO_ONE,       PROTO_ANY,        0) \
    AS(11, is_signed, "signed", PROTO_BOOL,    1,            PROTO_ONE,       PROTO_ANY,        0) \
    X(12, pieces,               PROTO_BOOL,    1,            PROTO_ONE,       PROTO_ANY,        0)
#define PROTO_PAIR_ANSWERS(X, AS)                                                   \
    X( 1, revision,    PROTO_ULONG,   1,            PROTO_ONE,  0, 0)               \
    X( 2, state,       PROTO_UINTS,   1,            PROTO_EACH, 0, 0)               \
    X( 3, value,       PROTO_DOUBLES, 1,            PROTO_EACH, 0, 0)               \
    X( 4, lower_bound, PROTO_DOUBLES, 1,            PROTO_EACH, 0, 0)               \
    X( 5, normal,      PROTO_DOUBLES, PROTO_VECTOR, PROTO_EACH, 0, 0)               \
    X( 6, point_a,     PROTO_DOUBLES, PROTO_VECTOR, PROTO_EACH, 0, 0)               \
    X( 7, point_b,     PROTO_DOUBLES, PROTO_VECTOR, PROTO_EACH, 0, 0)               \
    X( 8, iterations,  PROTO_UINTS,   1,            PROTO_EACH, 0, 0)               \
    X( 9, status,      PROTO_UINTS,   1,            PROTO_EACH, 0, 0)               \
    X(10, piece_a,     PROTO_UINTS,   1,            PROTO_SOME, 0, PROTO_NO_HANDLE) \
    X(11, piece_b,     PROTO_UINTS,   1,            PROTO_SOME, 0, PROTO_NO_HANDLE) \
    X(12, pose_gap,    PROTO_UINTS,   1,            PROTO_SOME, 0, 0)

#define PROTO_CAST_COLUMNS(X, AS)                                                                                   \
    X( 1, dimension,       PROTO_UINT,    1,            PROTO_ONE,       PROTO_ANY,        0)                       \
    X( 2, shape,           PROTO_UINTS,   1,            PROTO_SHARED,    PROTO_SHAPE,      0)                       \
    X( 3, position,        PROTO_DOUBLES, PROTO_VECTOR, PROTO_OPTIONAL,  PROTO_COORDINATE, 0)                       \
    X( 4, rotation,        PROTO_DOUBLES, PROTO_TURN,   PROTO_OPTIONAL,  PROTO_FINITE,     0)                       \
    X( 5, translation,     PROTO_DOUBLES, PROTO_VECTOR, PROTO_COUNTS,    PROTO_COORDINATE, 0)                       \
    X( 6, to_rotation,     PROTO_DOUBLES, PROTO_TURN,   PROTO_OPTIONAL,  PROTO_FINITE,     0)                       \
    X( 7, at_start,        PROTO_UINT,    1,            PROTO_ONE,       PROTO_STARTS,     0)                       \
    X( 8, mask,            PROTO_UINTS,   1,            PROTO_DEFAULTED, PROTO_ANY,        UINT32_MAX)              \
    X( 9, category,        PROTO_UINTS,   1,            PROTO_DEFAULTED, PROTO_ANY,        UINT32_MAX)              \
    X(10, at_tick,         PROTO_DOUBLES, 1,            PROTO_DEFAULTED, PROTO_REACH,      0)                       \
    X(11, ignore_groups,   PROTO_TEXTS,   1,            PROTO_LIST,      PROTO_NAMES,      PROTO_IGNORE_GROUPS_MAX) \
    X(12, ignore_group_of, PROTO_UINTS,   1,            PROTO_DEFAULTED, PROTO_SHAPE,      PROTO_NO_HANDLE)         \
    X(13, partial,         PROTO_BOOL,    1,            PROTO_ONE,       PROTO_ANY,        0)                       \
    X(14, mode,            PROTO_UINT,    1,            PROTO_ONE,       PROTO_MODES,      0)                       \
    X(15, limit,           PROTO_UINT,    1,            PROTO_ONE,       PROTO_ANY,        0)                       \
    X(16, ignore,          PROTO_UINTS,   1,            PROTO_LIST,      PROTO_HANDLES,    PROTO_IGNORE_MAX)
#define PROTO_CAST_ANSWERS(X, AS)                                                                           \
    X( 1, revision,     PROTO_ULONG,   1,            PROTO_ONE,        0,                  0)               \
    X( 2, handle,       PROTO_UINTS,   1,            PROTO_LINES,      0,                  PROTO_NO_HANDLE) \
    X( 3, fraction,     PROTO_DOUBLES, 1,            PROTO_LINES,      PROTO_NEEDS_HITS,   0)               \
    X( 4, point,        PROTO_DOUBLES, PROTO_VECTOR, PROTO_LINES,      PROTO_NEEDS_HITS,   0)               \
    X( 5, normal,       PROTO_DOUBLES, PROTO_VECTOR, PROTO_LINES,      PROTO_NEEDS_HITS,   0)               \
    X( 6, inside,       PROTO_UINTS,   1,            PROTO_LINES,      PROTO_NEEDS_HITS,   0)               \
    X( 7, depth,        PROTO_DOUBLES, 1,            PROTO_LINES,      PROTO_NEEDS_DEPTH,  0)               \
    X( 8, piece,        PROTO_UINTS,   1,            PROTO_SOME_LINES, PROTO_NEEDS_HITS,   PROTO_NO_HANDLE) \
    X( 9, status,       PROTO_UINTS,   1,            PROTO_EACH,       0,                  0)               \
    X(10, moving_piece, PROTO_UINTS,   1,            PROTO_SOME_LINES, PROTO_NEEDS_HITS,   PROTO_NO_HANDLE) \
    X(11, material,     PROTO_UINTS,   1,            PROTO_SOME_LINES, PROTO_NEEDS_HITS,   0)               \
    X(12, pose_gap,     PROTO_UINTS,   1,            PROTO_SOME,       0,                  0)               \
    X(13, count,        PROTO_UINTS,   1,            PROTO_EACH,       PROTO_NEEDS_COUNT,  0)

#define PROTO_NEAREST_COLUMNS(X, AS)                                                                                    \
    X( 1, dimension,           PROTO_UINT,    1,            PROTO_ONE,       PROTO_ANY,        0)                       \
    X( 2, shape,               PROTO_UINTS,   1,            PROTO_SHARED,    PROTO_SHAPE,      PROTO_NO_HANDLE)         \
    X( 3, position,            PROTO_DOUBLES, PROTO_VECTOR, PROTO_OPTIONAL,  PROTO_COORDINATE, 0)                       \
    X( 4, rotation,            PROTO_DOUBLES, PROTO_TURN,   PROTO_OPTIONAL,  PROTO_FINITE,     0)                       \
    X( 5, limit,               PROTO_UINT,    1,            PROTO_ONE,       PROTO_ANY,        0)                       \
    X( 6, max_distance,        PROTO_DOUBLES, 1,            PROTO_DEFAULTED, PROTO_REACH,      INFINITY)                \
    AS(7, is_signed, "signed", PROTO_BOOL,    1,            PROTO_ONE,       PROTO_ANY,        0)                       \
    X( 8, mask,                PROTO_UINTS,   1,            PROTO_DEFAULTED, PROTO_ANY,        UINT32_MAX)              \
    X( 9, category,            PROTO_UINTS,   1,            PROTO_DEFAULTED, PROTO_ANY,        UINT32_MAX)              \
    X(10, at_tick,             PROTO_DOUBLES, 1,            PROTO_DEFAULTED, PROTO_REACH,      0)                       \
    X(11, ignore_groups,       PROTO_TEXTS,   1,            PROTO_LIST,      PROTO_NAMES,      PROTO_IGNORE_GROUPS_MAX) \
    X(12, ignore_group_of,     PROTO_UINTS,   1,            PROTO_DEFAULTED, PROTO_SHAPE,      PROTO_NO_HANDLE)         \
    X(13, ignore,              PROTO_UINTS,   1,            PROTO_LIST,      PROTO_HANDLES,    PROTO_IGNORE_MAX)        \
    X(14, partial,             PROTO_BOOL,    1,            PROTO_ONE,       PROTO_ANY,        0)
#define PROTO_NEAREST_ANSWERS(X, AS)                                                 \
    X( 1, revision,    PROTO_ULONG,   1,            PROTO_ONE,   0, 0)               \
    X( 2, count,       PROTO_UINTS,   1,            PROTO_EACH,  0, 0)               \
    X( 3, handle,      PROTO_UINTS,   1,            PROTO_LINES, 0, PROTO_NO_HANDLE) \
    X( 4, value,       PROTO_DOUBLES, 1,            PROTO_LINES, 0, 0)               \
    X( 5, lower_bound, PROTO_DOUBLES, 1,            PROTO_LINES, 0, 0)               \
    X( 6, normal,      PROTO_DOUBLES, PROTO_VECTOR, PROTO_LINES, 0, 0)               \
    X( 7, point_a,     PROTO_DOUBLES, PROTO_VECTOR, PROTO_LINES, 0, 0)               \
    X( 8, point_b,     PROTO_DOUBLES, PROTO_VECTOR, PROTO_LINES, 0, 0)               \
    X( 9, piece_a,     PROTO_UINTS,   1,            PROTO_LINES, 0, PROTO_NO_HANDLE) \
    X(10, piece_b,     PROTO_UINTS,   1,            PROTO_LINES, 0, PROTO_NO_HANDLE) \
    X(11, status,      PROTO_UINTS,   1,            PROTO_EACH,  0, 0)               \
    X(12, pose_gap,    PROTO_UINTS,   1,            PROTO_SOME,  0, 0)

#define PROTO_OVERLAP_COLUMNS(X, AS)                                                                                \
    X( 1, dimension,       PROTO_UINT,    1,            PROTO_ONE,       PROTO_ANY,        0)                       \
    X( 2, shape,           PROTO_UINTS,   1,            PROTO_SHARED,    PROTO_SHAPE,      0)                       \
    X( 3, position,        PROTO_DOUBLES, PROTO_VECTOR, PROTO_OPTIONAL,  PROTO_COORDINATE, 0)                       \
    X( 4, rotation,        PROTO_DOUBLES, PROTO_TURN,   PROTO_OPTIONAL,  PROTO_FINITE,     0)                       \
    X( 5, penetration,     PROTO_UINT,    1,            PROTO_ONE,       PROTO_MODES,      0)                       \
    X( 6, limit,           PROTO_UINT,    1,            PROTO_ONE,       PROTO_ANY,        0)                       \
    X( 7, mask,            PROTO_UINTS,   1,            PROTO_DEFAULTED, PROTO_ANY,        UINT32_MAX)              \
    X( 8, category,        PROTO_UINTS,   1,            PROTO_DEFAULTED, PROTO_ANY,        UINT32_MAX)              \
    X( 9, at_tick,         PROTO_DOUBLES, 1,            PROTO_DEFAULTED, PROTO_REACH,      0)                       \
    X(10, ignore_groups,   PROTO_TEXTS,   1,            PROTO_LIST,      PROTO_NAMES,      PROTO_IGNORE_GROUPS_MAX) \
    X(11, ignore_group_of, PROTO_UINTS,   1,            PROTO_DEFAULTED, PROTO_SHAPE,      PROTO_NO_HANDLE)         \
    X(12, ignore,          PROTO_UINTS,   1,            PROTO_LIST,      PROTO_HANDLES,    PROTO_IGNORE_MAX)        \
    X(13, partial,         PROTO_BOOL,    1,            PROTO_ONE,       PROTO_ANY,        0)
#define PROTO_OVERLAP_ANSWERS(X, AS)                                                                       \
    X( 1, revision,    PROTO_ULONG,   1,            PROTO_ONE,   0,                       0)               \
    X( 2, count,       PROTO_UINTS,   1,            PROTO_EACH,  0,                       0)               \
    X( 3, handle,      PROTO_UINTS,   1,            PROTO_LINES, 0,                       PROTO_NO_HANDLE) \
    X( 4, state,       PROTO_UINTS,   1,            PROTO_LINES, 0,                       0)               \
    X( 5, depth,       PROTO_DOUBLES, 1,            PROTO_LINES, PROTO_NEEDS_PENETRATION, 0)               \
    X( 6, lower_bound, PROTO_DOUBLES, 1,            PROTO_LINES, PROTO_NEEDS_PENETRATION, 0)               \
    X( 7, normal,      PROTO_DOUBLES, PROTO_VECTOR, PROTO_LINES, PROTO_NEEDS_PENETRATION, 0)               \
    X( 8, point_a,     PROTO_DOUBLES, PROTO_VECTOR, PROTO_LINES, PROTO_NEEDS_PENETRATION, 0)               \
    X( 9, point_b,     PROTO_DOUBLES, PROTO_VECTOR, PROTO_LINES, PROTO_NEEDS_PENETRATION, 0)               \
    X(10, piece_a,     PROTO_UINTS,   1,            PROTO_LINES, PROTO_NEEDS_PENETRATION, PROTO_NO_HANDLE) \
    X(11, piece_b,     PROTO_UINTS,   1,            PROTO_LINES, PROTO_NEEDS_PENETRATION, PROTO_NO_HANDLE) \
    X(12, status,      PROTO_UINTS,   1,            PROTO_EACH,  0,                       0)               \
    X(13, pose_gap,    PROTO_UINTS,   1,            PROTO_SOME,  0,                       0)

#define PROTO_MOVE_COLUMNS(X, AS)                                                                                     \
    X( 1, dimension,       PROTO_UINT,    1,            PROTO_ONE,         PROTO_ANY,        0)                       \
    X( 2, shape,           PROTO_UINTS,   1,            PROTO_SHARED,      PROTO_SHAPE,      0)                       \
    X( 3, position,        PROTO_DOUBLES, PROTO_VECTOR, PROTO_OPTIONAL,    PROTO_COORDINATE, 0)                       \
    X( 4, rotation,        PROTO_DOUBLES, PROTO_TURN,   PROTO_OPTIONAL,    PROTO_FINITE,     0)                       \
    X( 5, translation,     PROTO_DOUBLES, PROTO_VECTOR, PROTO_COUNTS,      PROTO_COORDINATE, 0)                       \
    X( 6, up,              PROTO_DOUBLES, PROTO_VECTOR, PROTO_ONE_OR_EACH, PROTO_COORDINATE, 0)                       \
    X( 7, max_slope,       PROTO_DOUBLES, 1,            PROTO_DEFAULTED,   PROTO_SLOPE,      PROTO_SLOPE_DEFAULT)     \
    X( 8, step,            PROTO_DOUBLES, 1,            PROTO_DEFAULTED,   PROTO_LENGTH,     0)                       \
    X( 9, snap,            PROTO_DOUBLES, 1,            PROTO_DEFAULTED,   PROTO_LENGTH,     0)                       \
    X(10, skin,            PROTO_DOUBLES, 1,            PROTO_DEFAULTED,   PROTO_LENGTH,     NAN)                     \
    X(11, depenetrate,     PROTO_DOUBLES, 1,            PROTO_DEFAULTED,   PROTO_LENGTH,     NAN)                     \
    X(12, at_tick,         PROTO_DOUBLES, 1,            PROTO_DEFAULTED,   PROTO_REACH,      0)                       \
    X(13, slides,          PROTO_UINT,    1,            PROTO_ONE,         PROTO_SLIDES,     0)                       \
    X(14, mask,            PROTO_UINTS,   1,            PROTO_DEFAULTED,   PROTO_ANY,        UINT32_MAX)              \
    X(15, category,        PROTO_UINTS,   1,            PROTO_DEFAULTED,   PROTO_ANY,        UINT32_MAX)              \
    X(16, ignore_groups,   PROTO_TEXTS,   1,            PROTO_LIST,        PROTO_NAMES,      PROTO_IGNORE_GROUPS_MAX) \
    X(17, ignore_group_of, PROTO_UINTS,   1,            PROTO_DEFAULTED,   PROTO_SHAPE,      PROTO_NO_HANDLE)         \
    X(18, ignore,          PROTO_UINTS,   1,            PROTO_LIST,        PROTO_HANDLES,    PROTO_IGNORE_MAX)        \
    X(19, partial,         PROTO_BOOL,    1,            PROTO_ONE,         PROTO_ANY,        0)
#define PROTO_MOVE_ANSWERS(X, AS)                                                         \
    X( 1, revision,        PROTO_ULONG,   1,            PROTO_ONE,   0, 0)               \
    X( 2, position,        PROTO_DOUBLES, PROTO_VECTOR, PROTO_EACH,  0, 0)               \
    X( 3, blocked,         PROTO_DOUBLES, PROTO_VECTOR, PROTO_EACH,  0, 0)               \
    X( 4, ground,          PROTO_UINTS,   1,            PROTO_EACH,  0, PROTO_NO_HANDLE) \
    X( 5, ground_piece,    PROTO_UINTS,   1,            PROTO_EACH,  0, PROTO_NO_HANDLE) \
    X( 6, ground_material, PROTO_UINTS,   1,            PROTO_EACH,  0, 0)               \
    X( 7, ground_normal,   PROTO_DOUBLES, PROTO_VECTOR, PROTO_EACH,  0, 0)               \
    X( 8, count,           PROTO_UINTS,   1,            PROTO_EACH,  0, 0)               \
    X( 9, handle,          PROTO_UINTS,   1,            PROTO_LINES, 0, PROTO_NO_HANDLE) \
    X(10, piece,           PROTO_UINTS,   1,            PROTO_LINES, 0, PROTO_NO_HANDLE) \
    X(11, material,        PROTO_UINTS,   1,            PROTO_LINES, 0, 0)               \
    X(12, fraction,        PROTO_DOUBLES, 1,            PROTO_LINES, 0, 0)               \
    X(13, point,           PROTO_DOUBLES, PROTO_VECTOR, PROTO_LINES, 0, 0)               \
    X(14, normal,          PROTO_DOUBLES, PROTO_VECTOR, PROTO_LINES, 0, 0)               \
    X(15, status,          PROTO_UINTS,   1,            PROTO_EACH,  0, 0)               \
    X(16, pose_gap,        PROTO_UINTS,   1,            PROTO_SOME,  0, 0)               \
    X(17, pushed,          PROTO_DOUBLES, PROTO_VECTOR, PROTO_EACH,  0, 0)               \
    X(18, is_step,         PROTO_UINTS,   1,            PROTO_LINES, 0, 0)               \
    X(19, leg_count,       PROTO_UINTS,   1,            PROTO_EACH,  0, 0)               \
    X(20, leg,             PROTO_DOUBLES, PROTO_VECTOR, PROTO_LEGS,  0, 0)

#define PROTO_HIT_COLUMNS(X, AS)                                                                                      \
    X( 1, dimension,         PROTO_UINT,    1,            PROTO_ONE,       PROTO_ANY,        0)                       \
    X( 2, shooter_of,        PROTO_UINTS,   1,            PROTO_DEFAULTED, PROTO_SHAPE,      PROTO_NO_HANDLE)         \
    X( 3, at_tick,           PROTO_DOUBLES, 1,            PROTO_DEFAULTED, PROTO_REACH,      0)                       \
    X( 4, origin,            PROTO_DOUBLES, PROTO_VECTOR, PROTO_COUNTS,    PROTO_COORDINATE, 0)                       \
    X( 5, direction,         PROTO_DOUBLES, PROTO_VECTOR, PROTO_EACH,      PROTO_COORDINATE, 0)                       \
    X( 6, max_distance,      PROTO_DOUBLES, 1,            PROTO_DEFAULTED, PROTO_REACH,      INFINITY)                \
    X( 7, radius,            PROTO_DOUBLES, 1,            PROTO_DEFAULTED, PROTO_LENGTH,     0)                       \
    X( 8, claim,             PROTO_UINTS,   1,            PROTO_OPTIONAL,  PROTO_ANY,        PROTO_NO_HANDLE)         \
    X( 9, claim_group,       PROTO_BOOL,    1,            PROTO_ONE,       PROTO_ANY,        0)                       \
    X(10, max_rewind_ticks,  PROTO_DOUBLE,  1,            PROTO_ONE,       PROTO_REACH,      0)                       \
    X(11, obstacles,         PROTO_TEXT,    1,            PROTO_ONE,       PROTO_SETS,       0)                       \
    X(12, obstacles_at_shot, PROTO_BOOL,    1,            PROTO_ONE,       PROTO_ANY,        0)                       \
    X(13, mask,              PROTO_UINT,    1,            PROTO_ONE,       PROTO_ANY,        0)                       \
    X(14, category,          PROTO_UINT,    1,            PROTO_ONE,       PROTO_ANY,        0)                       \
    X(15, partial,           PROTO_BOOL,    1,            PROTO_ONE,       PROTO_ANY,        0)                       \
    X(16, more_obstacles,    PROTO_TEXTS,   1,            PROTO_LIST,      PROTO_SETS,       PROTO_OBSTACLES_MAX - 1) \
    X(17, near_miss,         PROTO_DOUBLE,  1,            PROTO_ONE,       PROTO_LENGTH,     0)
#define PROTO_HIT_ANSWERS(X, AS)                                                                               \
    X( 1, revision,          PROTO_ULONG,   1,            PROTO_ONE,   0,                     0)               \
    X( 2, verdict,           PROTO_UINTS,   1,            PROTO_EACH,  0,                     3)               \
    X( 3, reason,            PROTO_UINTS,   1,            PROTO_EACH,  0,                     0)               \
    X( 4, handle,            PROTO_UINTS,   1,            PROTO_EACH,  0,                     PROTO_NO_HANDLE) \
    X( 5, distance,          PROTO_DOUBLES, 1,            PROTO_EACH,  0,                     0)               \
    X( 6, point,             PROTO_DOUBLES, PROTO_VECTOR, PROTO_EACH,  0,                     0)               \
    X( 7, normal,            PROTO_DOUBLES, PROTO_VECTOR, PROTO_EACH,  0,                     0)               \
    X( 8, obstacle_distance, PROTO_DOUBLES, 1,            PROTO_EACH,  0,                     -1)              \
    X( 9, piece,             PROTO_UINTS,   1,            PROTO_SOME,  0,                     PROTO_NO_HANDLE) \
    X(10, pose_gap,          PROTO_UINTS,   1,            PROTO_SOME,  0,                     0)               \
    X(11, status,            PROTO_UINTS,   1,            PROTO_EACH,  0,                     0)               \
    X(12, material,          PROTO_UINTS,   1,            PROTO_SOME,  0,                     0)               \
    X(13, obstacle_set,      PROTO_UINTS,   1,            PROTO_SOME,  PROTO_NEEDS_OBSTACLES, PROTO_NO_HANDLE) \
    X(14, obstacle,          PROTO_UINTS,   1,            PROTO_SOME,  PROTO_NEEDS_OBSTACLES, PROTO_NO_HANDLE) \
    X(15, obstacle_piece,    PROTO_UINTS,   1,            PROTO_SOME,  PROTO_NEEDS_OBSTACLES, PROTO_NO_HANDLE) \
    X(16, obstacle_material, PROTO_UINTS,   1,            PROTO_SOME,  PROTO_NEEDS_OBSTACLES, 0)               \
    X(17, rewind,            PROTO_DOUBLES, 3,            PROTO_SOME,  PROTO_NEEDS_REWIND,    0)               \
    X(18, near_count,        PROTO_UINTS,   1,            PROTO_EACH,  PROTO_NEEDS_NEAR,      0)               \
    X(19, near,              PROTO_UINTS,   1,            PROTO_LINES, PROTO_NEEDS_NEAR,      PROTO_NO_HANDLE) \
    X(20, near_distance,     PROTO_DOUBLES, 1,            PROTO_LINES, PROTO_NEEDS_NEAR,      0)

#define PROTO_POSE_COLUMNS(X, AS)                                                     \
    X(1, dimension, PROTO_UINT,    1,            PROTO_ONE,      PROTO_ANY,        0) \
    X(2, handle,    PROTO_UINTS,   1,            PROTO_COUNTS,   PROTO_ANY,        0) \
    X(3, position,  PROTO_DOUBLES, PROTO_VECTOR, PROTO_EACH,     PROTO_COORDINATE, 0) \
    X(4, rotation,  PROTO_DOUBLES, PROTO_TURN,   PROTO_OPTIONAL, PROTO_FINITE,     0) \
    X(5, teleport,  PROTO_UINTS,   1,            PROTO_LIST,     PROTO_ANY,        0) \
    X(6, partial,   PROTO_BOOL,    1,            PROTO_ONE,      PROTO_ANY,        0)

/* The shape's type decides which columns of its geometry are required, and their lengths. */
#define PROTO_BODY_COLUMNS(X, AS)                                                                     \
    X( 1, dimension,      PROTO_UINT,    1,            PROTO_ONE,  PROTO_ANY,        0)               \
    X( 2, type,           PROTO_TEXT,    1,            PROTO_ONE,  PROTO_ANY,        0)               \
    X( 3, vertices,       PROTO_DOUBLES, PROTO_VECTOR, PROTO_LIST, PROTO_COORDINATE, PROTO_UNLIMITED) \
    X( 4, vertices_float, PROTO_FLOATS,  PROTO_VECTOR, PROTO_LIST, PROTO_COORDINATE, PROTO_UNLIMITED) \
    X( 5, triangles,      PROTO_UINTS,   3,            PROTO_LIST, PROTO_ANY,        PROTO_UNLIMITED) \
    X( 6, ring_sizes,     PROTO_UINTS,   1,            PROTO_LIST, PROTO_ANY,        PROTO_UNLIMITED) \
    X( 7, polygon_sizes,  PROTO_UINTS,   1,            PROTO_LIST, PROTO_ANY,        PROTO_UNLIMITED) \
    X( 8, closed,         PROTO_BOOL,    1,            PROTO_ONE,  PROTO_ANY,        0)               \
    X( 9, one_sided,      PROTO_BOOL,    1,            PROTO_ONE,  PROTO_ANY,        0)               \
    X(10, columns,        PROTO_UINT,    1,            PROTO_ONE,  PROTO_ANY,        0)               \
    AS(11, row_count, "rows", PROTO_UINT, 1,            PROTO_ONE,  PROTO_ANY,        0)               \
    X(12, spacing,        PROTO_DOUBLES, 1,            PROTO_LIST, PROTO_POSITIVE,   PROTO_UNLIMITED) \
    X(13, heights,        PROTO_DOUBLES, 1,            PROTO_LIST, PROTO_ANY,        PROTO_UNLIMITED) \
    X(14, heights_float,  PROTO_FLOATS,  1,            PROTO_LIST, PROTO_ANY,        PROTO_UNLIMITED) \
    X(15, materials,      PROTO_UINTS,   1,            PROTO_LIST, PROTO_ANY,        PROTO_UNLIMITED) \
    X(16, position,       PROTO_DOUBLES, PROTO_VECTOR, PROTO_LIST, PROTO_COORDINATE, PROTO_UNLIMITED) \
    X(17, rotation,       PROTO_DOUBLES, PROTO_TURN,   PROTO_LIST, PROTO_FINITE,     PROTO_UNLIMITED) \
    X(18, rounding,       PROTO_DOUBLE,  1,            PROTO_ONE,  PROTO_ANY,        0)               \
    X(19, category,       PROTO_UINTS,   1,            PROTO_LIST, PROTO_ANY,        1)               \
    X(20, mask,           PROTO_UINTS,   1,            PROTO_LIST, PROTO_ANY,        1)               \
    X(21, group,          PROTO_TEXT,    1,            PROTO_ONE,  PROTO_ANY,        0)               \
    X(22, meta_json,      PROTO_TEXT,    1,            PROTO_ONE,  PROTO_ANY,        0)               \
    X(23, fill,           PROTO_TEXT,    1,            PROTO_ONE,  PROTO_ANY,        0)               \
    X(24, weld,           PROTO_BOOL,    1,            PROTO_ONE,  PROTO_ANY,        0)               \
    X(25, radii,          PROTO_DOUBLES, 1,            PROTO_LIST, PROTO_LENGTH,     PROTO_UNLIMITED) \
    X(26, base,           PROTO_DOUBLES, 1,            PROTO_LIST, PROTO_COORDINATE, 1)

#define PROTO_CONFIGURATION_COLUMNS(X, AS)                                                                             \
    X( 1, dimension,     PROTO_UINT,    1,                 PROTO_ONE,       PROTO_ANY,        0)                       \
    X( 2, shape,         PROTO_UINTS,   1,                 PROTO_LIST,      PROTO_ANY,        PROTO_UNLIMITED)         \
    X( 3, position,      PROTO_DOUBLES, PROTO_EACH_VECTOR, PROTO_COUNTS,    PROTO_COORDINATE, 0)                       \
    X( 4, rotation,      PROTO_DOUBLES, PROTO_EACH_TURN,   PROTO_OPTIONAL,  PROTO_FINITE,     0)                       \
    X( 5, self,          PROTO_BOOL,    1,                 PROTO_ONE,       PROTO_ANY,        0)                       \
    X( 6, allowed,       PROTO_UINTS,   2,                 PROTO_LIST,      PROTO_ANY,        PROTO_UNLIMITED)         \
    X( 7, threshold,     PROTO_DOUBLES, 1,                 PROTO_LIST,      PROTO_REACH,      PROTO_UNLIMITED)         \
    X( 8, distance,      PROTO_BOOL,    1,                 PROTO_ONE,       PROTO_ANY,        0)                       \
    X( 9, continuous,    PROTO_BOOL,    1,                 PROTO_ONE,       PROTO_ANY,        0)                       \
    X(10, mask,          PROTO_UINT,    1,                 PROTO_ONE,       PROTO_ANY,        0)                       \
    X(11, category,      PROTO_UINT,    1,                 PROTO_ONE,       PROTO_ANY,        0)                       \
    X(12, ignore_groups, PROTO_TEXTS,   1,                 PROTO_LIST,      PROTO_NAMES,      PROTO_IGNORE_GROUPS_MAX) \
    X(13, only_groups,   PROTO_TEXTS,   1,                 PROTO_LIST,      PROTO_NAMES,      PROTO_IGNORE_GROUPS_MAX) \
    X(14, ignore,        PROTO_UINTS,   1,                 PROTO_LIST,      PROTO_HANDLES,    PROTO_IGNORE_MAX)        \
    X(15, at_tick,       PROTO_DOUBLES, 1,                 PROTO_DEFAULTED, PROTO_REACH,      0)                       \
    X(16, starts,        PROTO_UINTS,   1,                 PROTO_LIST,      PROTO_ANY,        0)                       \
    X(17, limit,         PROTO_UINT,    1,                 PROTO_ONE,       PROTO_ANY,        0)                       \
    X(18, tolerance,     PROTO_DOUBLE,  1,                 PROTO_ONE,       PROTO_TOLERANCE,  0)                       \
    X(19, partial,       PROTO_BOOL,    1,                 PROTO_ONE,       PROTO_ANY,        0)
#define PROTO_CONFIGURATION_ANSWERS(X, AS)                                                                   \
    X( 1, revision,    PROTO_ULONG,   1,            PROTO_ONE,        0,                    0)               \
    X( 2, colliding,   PROTO_UINTS,   1,            PROTO_EACH,       0,                    0)               \
    X( 3, pair,        PROTO_UINTS,   2,            PROTO_LINES,      0,                    PROTO_NO_HANDLE) \
    X( 4, distance,    PROTO_DOUBLES, 1,            PROTO_LINES,      PROTO_NEEDS_DISTANCE, 0)               \
    X( 5, lower_bound, PROTO_DOUBLES, 1,            PROTO_LINES,      PROTO_NEEDS_DISTANCE, 0)               \
    X( 6, normal,      PROTO_DOUBLES, PROTO_VECTOR, PROTO_LINES,      PROTO_NEEDS_DISTANCE, 0)               \
    X( 7, point_a,     PROTO_DOUBLES, PROTO_VECTOR, PROTO_LINES,      PROTO_NEEDS_DISTANCE, 0)               \
    X( 8, point_b,     PROTO_DOUBLES, PROTO_VECTOR, PROTO_LINES,      PROTO_NEEDS_DISTANCE, 0)               \
    X( 9, fraction,    PROTO_DOUBLES, 1,            PROTO_EACH,       PROTO_NEEDS_MOTION,   0)               \
    X(10, status,      PROTO_UINTS,   1,            PROTO_EACH,       0,                    0)               \
    X(11, count,       PROTO_UINTS,   1,            PROTO_EACH,       PROTO_NEEDS_COUNT,    0)               \
    X(12, piece,       PROTO_UINTS,   2,            PROTO_SOME_LINES, PROTO_NEEDS_DISTANCE, PROTO_NO_HANDLE) \
    X(13, inside,      PROTO_UINTS,   1,            PROTO_SOME_LINES, PROTO_NEEDS_DISTANCE, 0)

/* Kinds of blocks. A block has exactly one of these fields. */
#define PROTO_BLOCK(X, AS)                                               \
    X(1, raycast,        PROTO_MESSAGE, 1, PROTO_ONE, PROTO_ANY, 0)      \
    X(2, cast,           PROTO_MESSAGE, 1, PROTO_ONE, PROTO_ANY, 0)      \
    X(3, detect,         PROTO_MESSAGE, 1, PROTO_ONE, PROTO_ANY, 0)      \
    X(4, distance,       PROTO_MESSAGE, 1, PROTO_ONE, PROTO_ANY, 0)      \
    X(5, nearest,        PROTO_MESSAGE, 1, PROTO_ONE, PROTO_ANY, 0)      \
    X(6, overlap,        PROTO_MESSAGE, 1, PROTO_ONE, PROTO_ANY, 0)      \
    X(7, hit,            PROTO_MESSAGE, 1, PROTO_ONE, PROTO_ANY, 0)      \
    X(8, configurations, PROTO_MESSAGE, 1, PROTO_ONE, PROTO_ANY, 0)      \
    X(9, move,           PROTO_MESSAGE, 1, PROTO_ONE, PROTO_ANY, 0)
#define PROTO_BATCH_COLUMNS(X, AS)                                                  \
    X(1, dimension, PROTO_UINT,     1, PROTO_ONE,  PROTO_ANY,   0)                  \
    X(2, block,     PROTO_MESSAGES, 1, PROTO_LIST, PROTO_ANY,   PROTO_BLOCKS_MAX)   \
    X(3, at_tick,   PROTO_DOUBLES,  1, PROTO_LIST, PROTO_REACH, 1)
#define PROTO_BATCH_ANSWERS(X, AS)                                                  \
    X(1, revision,  PROTO_ULONG,    1, PROTO_ONE,  PROTO_ANY,   0)                  \
    X(2, block,     PROTO_MESSAGES, 1, PROTO_LIST, PROTO_ANY,   PROTO_BLOCKS_MAX)
#define PROTO_TICK_COLUMNS(X, AS)                                                          \
    X(1, poses,            PROTO_MESSAGE,  1, PROTO_ONE,  PROTO_ANY, 0)                    \
    X(2, block,            PROTO_MESSAGES, 1, PROTO_LIST, PROTO_ANY, PROTO_BLOCKS_MAX)     \
    X(3, overlaps,         PROTO_BOOL,     1, PROTO_ONE,  PROTO_ANY, 0)                    \
    X(4, overlap_mask,     PROTO_UINT,     1, PROTO_ONE,  PROTO_ANY, 0)                    \
    X(5, overlap_category, PROTO_UINT,     1, PROTO_ONE,  PROTO_ANY, 0)
#define PROTO_TICK_ANSWERS(X, AS)                                                          \
    X(1, revision,         PROTO_ULONG,    1, PROTO_ONE,  PROTO_ANY, 0)                    \
    X(2, block,            PROTO_MESSAGES, 1, PROTO_LIST, PROTO_ANY, PROTO_BLOCKS_MAX)     \
    X(3, unknown,          PROTO_UINTS,    1, PROTO_LIST, PROTO_ANY, PROTO_UNLIMITED)      \
    X(4, begin,            PROTO_UINTS,    2, PROTO_LIST, PROTO_ANY, PROTO_UNLIMITED)      \
    X(5, end,              PROTO_UINTS,    2, PROTO_LIST, PROTO_ANY, PROTO_UNLIMITED)
/* clang-format on */

/* Messages of queries: M(name in C, its table above, name in gjkd.proto). */
#define PROTO_COLUMNS_MAP(M)                                                      \
    M(raycast_columns, PROTO_RAYCAST_COLUMNS, "RaycastColumns")                   \
    M(pair_columns, PROTO_PAIR_COLUMNS, "PairColumns")                            \
    M(cast_columns, PROTO_CAST_COLUMNS, "CastColumns")                            \
    M(nearest_columns, PROTO_NEAREST_COLUMNS, "NearestColumns")                   \
    M(overlap_columns, PROTO_OVERLAP_COLUMNS, "OverlapColumns")                   \
    M(move_columns, PROTO_MOVE_COLUMNS, "MoveColumns")                            \
    M(hit_columns, PROTO_HIT_COLUMNS, "HitColumns")                               \
    M(pose_columns, PROTO_POSE_COLUMNS, "PoseColumns")                            \
    M(body_columns, PROTO_BODY_COLUMNS, "BodyColumns")                            \
    M(configuration_columns, PROTO_CONFIGURATION_COLUMNS, "ConfigurationColumns") \
    M(batch_columns, PROTO_BATCH_COLUMNS, "BatchColumns")                         \
    M(tick_columns, PROTO_TICK_COLUMNS, "TickColumns")

/* Messages of answers. */
#define PROTO_ANSWERS_MAP(M)                                                      \
    M(raycast_answers, PROTO_RAYCAST_ANSWERS, "RaycastAnswers")                   \
    M(pair_answers, PROTO_PAIR_ANSWERS, "PairAnswers")                            \
    M(cast_answers, PROTO_CAST_ANSWERS, "CastAnswers")                            \
    M(nearest_answers, PROTO_NEAREST_ANSWERS, "NearestAnswers")                   \
    M(overlap_answers, PROTO_OVERLAP_ANSWERS, "OverlapAnswers")                   \
    M(move_answers, PROTO_MOVE_ANSWERS, "MoveAnswers")                            \
    M(hit_answers, PROTO_HIT_ANSWERS, "HitAnswers")                               \
    M(configuration_answers, PROTO_CONFIGURATION_ANSWERS, "ConfigurationAnswers") \
    M(batch_answers, PROTO_BATCH_ANSWERS, "BatchAnswers")                         \
    M(tick_answers, PROTO_TICK_ANSWERS, "TickAnswers")

#endif
