#ifndef PROTO_REQUEST_H
#define PROTO_REQUEST_H

/*
 * Requests as plain structs, and their decoders from JSON text. Decoders check everything that the
 * text alone decides: types, ranges, names, members, geometry. The server checks what depends on
 * stored sets, such as whether an id exists. All memory comes from the caller's arena. A decoder
 * that refuses a request returns false and sets *problem; *out is then undefined. Thread-safe for
 * different arenas.
 */

#include "gjk/ray.h"
#include "gjk/set_query.h"
#include "proto/buffer.h"
#include "proto/limits.h"
#include "proto/messages.h"
#include "proto/problem.h"

/* Place of a shape: position, and angle (2D) or orientation (3D). Absent members are 0, or no
 * rotation. */
typedef struct proto_place {
    gjk_pose pose; /* pose.turn has the numbers as given */
    bool has_position, has_rotation;
} proto_place;

/*
 * A decoded shape: checked geometry and place, and the definition that GET returns, a compact JSON
 * object of the given members in a fixed order. The definition omits the place, read-only
 * members like `handle`, and lists that shape.pieces holds; its numbers read back as the same
 * doubles. The arena holds a reference to the pieces.
 */
typedef struct proto_shape {
    gjk_shape shape;
    proto_place place;
    uint32_t category, mask;
    const char *group; /* NULL: none */
    proto_text definition;
    uint32_t meta_bytes; /* length of meta's value, the definition's last member; 0: no meta */
} proto_shape;

/* Operand of a query: absent, a stored shape (perhaps at another pose), or an inline shape. */
typedef enum proto_operand_kind {
    PROTO_OPERAND_ABSENT,
    PROTO_OPERAND_STORED,
    PROTO_OPERAND_INLINE,
} proto_operand_kind;

typedef struct proto_operand {
    proto_operand_kind kind;
    const char *member; /* name of the operand in the query, such as "a" */
    const char *id;     /* STORED */
    bool has_position;  /* STORED: pose.position replaces the stored one */
    bool has_rotation;  /* STORED: pose's rotation replaces the stored one */
    const char *group;  /* INLINE; NULL: none */
    gjk_pose pose;      /* INLINE, or STORED as far as given; else uninitialised */
    gjk_shape shape;    /* INLINE; else uninitialised */
} proto_operand;

typedef struct proto_options {
    double tolerance;
    uint32_t max_iterations;
} proto_options;

/* Kinds of queries. */
typedef enum proto_op {
    PROTO_OP_DETECT,
    PROTO_OP_DISTANCE,
    PROTO_OP_RAYCAST,
    PROTO_OP_CAST,
    PROTO_OP_HIT,
    PROTO_OP_MOVE,
    PROTO_OP_COUNT /* the number of kinds */
} proto_op;

/* Returns the name of a kind in requests. */
const char *proto_op_name(proto_op op);

/* Hits that a ray or cast reports. */
typedef enum proto_ray_mode { PROTO_RAY_CLOSEST, PROTO_RAY_ANY, PROTO_RAY_ALL } proto_ray_mode;

/* A shape and its id, in arrays sorted by id (bytewise). */
typedef struct proto_named_shape {
    const char *id;
    proto_shape shape;
} proto_named_shape;

/* Tick that a query asks about. */
typedef struct proto_at {
    bool given;  /* false: the newest state */
    bool is_own; /* given by the query itself, not by its batch */
    double tick;
} proto_at;

/* Settings of a move. NAN means a default that the core derives from the moving shape. */
typedef struct proto_move {
    bool has_up;
    gjk_vec3 up;
    double max_slope, step, snap;
    double skin, depenetrate;
    uint32_t slides;
} proto_move;

#define PROTO_SLOPE_MAX 1.5707963267948966 /* pi / 2 */
#define PROTO_SLIDES_DEFAULT 8

/* A set whose shapes can block a shot. */
typedef struct proto_obstacles {
    const char *set;
    const char *pointer, *at_pointer; /* of "set" and "at": the part after the query's and "/" */
    bool at_shot;                     /* at the tick of the shot, not in the newest state */
    gjk_filter filter;
} proto_obstacles;

/* A query of any kind. Members that do not belong to its op have their defaults. */
typedef struct proto_query {
    proto_op op;
    uint32_t dimension;
    proto_at at; /* tick of the set in the path */
    gjk_filter filter;
    proto_options options;
    bool trace;        /* detect, distance of a pair: record the steps */
    bool include_meta; /* the answer includes the meta of its shapes */

    const char *against; /* detect, distance: name of the other set; NULL: none */
    proto_at against_at; /* tick of the set `against` */
    bool within;         /* detect: shapes that lie within a, not all that touch it */
    bool penetration;    /* detect: depth, normal and points are asked for */
    bool of_pieces;      /* detect: the depth is that of the deepest pair of pieces */
    bool is_signed;      /* distance: a penetration depth is a negative distance */
    uint32_t contacts;   /* detect of a pair: maximum number of contacts; 0: not asked for */
    bool has_limit;
    uint64_t limit;      /* >= 1; valid if has_limit */
    double max_distance; /* distance: bound of nearest shapes and pairs; INFINITY: none */

    gjk_ray ray; /* raycast; the direction has unit length */
    bool solid;  /* raycast */
    bool exits;  /* raycast: also report where the ray leaves each shape */

    gjk_vec3 translation;  /* cast, move; may be zero */
    gjk_at_start at_start; /* cast */

    proto_ray_mode mode;       /* raycast, cast */
    proto_named_shape *shapes; /* stateless raycast, cast */
    uint32_t shape_count;
    bool has_shapes;

    const char *shooter;                /* hit: group of the shooter; NULL: none */
    const char *claim_id, *claim_group; /* hit: the claimed target; at most one is not NULL */
    double radius;                      /* hit: of the projectile; 0: a ray */
    double max_rewind_ticks;            /* hit: INFINITY: unlimited */
    const proto_obstacles *obstacles;   /* hit */
    uint32_t obstacles_count;           /* hit: at most PROTO_OBSTACLES_MAX */
    double near_miss;                   /* hit: distance; negative: not asked for */

    proto_move move; /* move */

    char pointer[24]; /* JSON pointer of the query: "", or of an element of a batch */

    proto_operand a, b;   /* detect, distance */
    proto_operand moving; /* cast, move: "shape" */
    proto_operand to;     /* cast: "to"; its pose is set as for STORED; ABSENT: see translation */
    proto_operand target; /* raycast: "shape", or "target" as a STORED operand;
                             cast: "target" as a STORED or "against" as an INLINE operand */
} proto_query;

/*
 * Decodes the body of POST .../detect|distance|raycast|cast|hit|move. set_dimension is the set's
 * dimension, or 0 for the stateless form. That form takes its dimension from `dimension`, type
 * names and lengths of vectors (2 if these do not decide), and refuses stored operands, `against`
 * as the name of a set, `at`, and one-against-all queries.
 */
bool proto_decode_query(proto_text body, proto_op op, uint32_t set_dimension,
                        const proto_limits *limits, struct gjk_arena *arena, proto_query *out,
                        struct proto_problem *problem) GJK_MUST_USE;

/*
 * Decodes the body of POST .../batch, except for its queries, at most batch_queries_max. The batch
 * borrows body and arena until it is closed. beside_tick: the body is that of a tick with a batch;
 * its shapes are ignored.
 */
struct proto_batch;
bool proto_decode_batch(proto_text body, uint32_t set_dimension, bool beside_tick,
                        const proto_limits *limits, struct gjk_arena *arena,
                        struct proto_batch **out, struct proto_problem *problem) GJK_MUST_USE;
uint32_t proto_batch_count(const struct proto_batch *batch);
bool proto_batch_tick(const struct proto_batch *batch, double *tick); /* false: no tick given */

/* Returns true if a query of that kind lacks the member. For batches of a set; else false. */
bool proto_batch_has_without(const struct proto_batch *batch, proto_op op, const char *member);

/* Returns true if the batch of a tick asks for the pairs that begin or end to overlap; sets *filter
 * to the filter of their shapes. */
bool proto_batch_overlaps(const struct proto_batch *batch, gjk_filter *filter);

/*
 * Decodes query i as proto_decode_query does. The batch's at, filter and options are its defaults.
 * JSON pointers of problems lead into the whole body. Thread-safe for different arenas.
 */
bool proto_batch_query(const struct proto_batch *batch, uint32_t i, struct gjk_arena *arena,
                       proto_query *out, struct proto_problem *problem) GJK_MUST_USE;

/* Frees a batch. Does nothing for NULL. */
void proto_batch_close(struct proto_batch *batch);

/* Body of PUT /v1/sets/{set}. */
typedef struct proto_set {
    const char *name;
    uint32_t dimension;
    bool has_history;
    uint32_t history_ticks;
    proto_text meta; /* compact JSON, or absent */
    proto_named_shape *shapes;
    uint32_t shape_count;
} proto_set;

/* Decodes a whole set. name is the set's name in the URL; the body's `name`, if given, must equal
 * it. If name is NULL, the body's `name` is required. */
bool proto_decode_set(proto_text body, const char *name, const proto_limits *limits,
                      struct gjk_arena *arena, proto_set *out,
                      struct proto_problem *problem) GJK_MUST_USE;

#endif
