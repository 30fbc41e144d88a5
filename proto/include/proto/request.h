#ifndef PROTO_REQUEST_H
#define PROTO_REQUEST_H

/*
 * Requests as plain structs, and the decoders that fill them from JSON text.
 * Everything that depends on the text alone is checked here, once: types, ranges,
 * names, members, geometry. What depends on stored sets (does the id exist?) is
 * the server's. All memory comes from the caller's arena and lives as long as it.
 * A decoder returns false and fills *problem when it refuses; it never does half
 * a job. Thread-safe for different arenas.
 */

#include "gjk/ray.h"
#include "gjk/set_query.h"
#include "proto/buffer.h"
#include "proto/limits.h"
#include "proto/messages.h"
#include "proto/problem.h"

/* Where a shape stands: position with angle or orientation; either may be absent and is the
 * default then. */
typedef struct proto_place {
    gjk_pose pose; /* with its turn as given */
    bool has_position, has_rotation;
} proto_place;

/*
 * A shape as a body gives it: checked geometry and place, and its definition, the compact JSON
 * object of the other members that were given, in an order of its own (numbers read back as
 * the same doubles; read-only members like `handle` left out, and those lists of its geometry that
 * the shape's pieces keep). GET answers both. The arena holds a reference to the pieces.
 */
typedef struct proto_shape {
    gjk_shape shape;
    proto_place place;
    uint32_t category, mask;
    const char *group; /* NULL: none */
    proto_text definition;
    uint32_t meta_bytes; /* of meta's value, the last member of the definition; 0: it has none */
} proto_shape;

/* An operand: absent, a stored shape (perhaps at another pose), or an inline shape. */
typedef enum proto_operand_kind {
    PROTO_OPERAND_ABSENT,
    PROTO_OPERAND_STORED,
    PROTO_OPERAND_INLINE,
} proto_operand_kind;

typedef struct proto_operand {
    proto_operand_kind kind;
    const char *member; /* name of the query's member that it is */
    const char *id;     /* STORED */
    bool has_position;  /* STORED: replaces the stored position ... */
    bool has_rotation;  /* ... and the stored rotation, each on its own */
    const char *group;  /* INLINE: as it was given, or NULL */
    gjk_pose pose;      /* INLINE, or the replacing parts; of ABSENT nothing is set */
    gjk_shape shape;    /* INLINE; of others nothing is set */
} proto_operand;

typedef struct proto_options {
    double tolerance;
    uint32_t max_iterations;
} proto_options;

/* The kinds of queries. */
typedef enum proto_op {
    PROTO_OP_DETECT,
    PROTO_OP_DISTANCE,
    PROTO_OP_RAYCAST,
    PROTO_OP_CAST,
    PROTO_OP_HIT,
    PROTO_OP_MOVE,
    PROTO_OP_COUNT /* not a kind: how many there are */
} proto_op;

/* Returns the name of a kind on the wire. */
const char *proto_op_name(proto_op op);

/* Of rays and casts. */
typedef enum proto_ray_mode { PROTO_RAY_CLOSEST, PROTO_RAY_ANY, PROTO_RAY_ALL } proto_ray_mode;

/* An inline shape of the stateless form's "shapes", in the order of ids (bytewise). */
typedef struct proto_named_shape {
    const char *id;
    proto_shape shape;
} proto_named_shape;

/* The tick that a query asks about. */
typedef struct proto_at {
    bool given;
    bool is_own; /* not that of the query's batch */
    double tick;
} proto_at;

/* How a body moves; NAN: the default, which depends on the body. */
typedef struct proto_move {
    bool has_up;
    gjk_vec3 up;
    double max_slope, step, snap;
    double skin, depenetrate;
    uint32_t slides;
} proto_move;

#define PROTO_SLOPE_MAX 1.5707963267948966 /* pi / 2 */
#define PROTO_SLIDES_DEFAULT 8

/* A set that may be in the way of a shot. */
typedef struct proto_obstacles {
    const char *set;
    const char *place, *at_place; /* paths to its name and to the state, within the query */
    bool at_shot;                 /* as it stood at the tick of the shot */
    gjk_filter filter;
} proto_obstacles;

/* One query of any op; members that its op does not have keep their defaults. */
typedef struct proto_query {
    proto_op op;
    uint32_t dimension;
    proto_at at; /* of the set in the path */
    gjk_filter filter;
    proto_options options;
    bool trace;        /* detect, distance: only with a and b */
    bool include_meta; /* lines tell what is stored as meta of their shapes */

    const char *against; /* detect, distance: name of the other set, or NULL */
    proto_at against_at; /* of that set */
    bool within;         /* detect: what lies within a, not what meets it */
    bool penetration;    /* detect */
    bool of_pieces;      /* ... of the deepest pair of pieces alone */
    bool is_signed;      /* distance: depths too, as less than nothing */
    uint32_t contacts;   /* detect, of a single pair: how many are told at most; 0: none */
    bool has_limit;
    uint64_t limit;      /* >= 1; valid when has_limit */
    double max_distance; /* distance: nearest and pairs; INFINITY: none */

    gjk_ray ray; /* raycast: direction of unit length */
    bool solid;  /* raycast */
    bool exits;  /* raycast: hits tell where the ray leaves */

    gjk_vec3 translation;  /* cast, move; may be zero */
    gjk_at_start at_start; /* cast */

    proto_ray_mode mode;       /* raycast, cast */
    proto_named_shape *shapes; /* stateless raycast, cast */
    uint32_t shape_count;
    bool has_shapes;

    const char *shooter;                /* hit: a group, or NULL */
    const char *claim_id, *claim_group; /* hit: one of them, or none */
    double radius;                      /* hit: 0: none */
    double max_rewind_ticks;            /* hit: INFINITY: any */
    const proto_obstacles *obstacles;   /* hit: each a set */
    uint32_t obstacles_count;           /* hit: at most PROTO_OBSTACLES_MAX */
    double near_miss;                   /* hit: negative: not wanted */

    proto_move move; /* move */

    char pointer[24]; /* JSON pointer of the query: "", or that of its place in a batch */

    proto_operand a, b;   /* detect, distance */
    proto_operand moving; /* cast, move: "shape" */
    proto_operand to; /* cast: in place of a translation, as the pose of a STORED one; or ABSENT */
    proto_operand target; /* raycast: "shape", or "target" as a STORED operand;
                             cast: "target" likewise, or "against" as an INLINE one */
} proto_query;

/*
 * Decodes the body of POST .../detect|distance|raycast|cast|hit|move. set_dimension is the set's
 * dimension, or 0 for the stateless form, where `dimension`, the type names and
 * the lengths of the vectors decide (2 when nothing tells) and stored operands,
 * `against` as the name of a set, `at` and one-against-all forms are refused.
 */
bool proto_decode_query(proto_text body, proto_op op, uint32_t set_dimension,
                        const proto_limits *limits, struct gjk_arena *arena, proto_query *out,
                        struct proto_problem *problem) GJK_MUST_USE;

/*
 * The body of POST .../batch, understood as far as that it is a batch of so many queries, at
 * most batch_queries_max. Lives in the arena until it is closed, and borrows it. beside_tick: the
 * body is that of a tick too, whose shapes are not looked at.
 */
struct proto_batch;
bool proto_decode_batch(proto_text body, uint32_t set_dimension, bool beside_tick,
                        const proto_limits *limits, struct gjk_arena *arena,
                        struct proto_batch **out, struct proto_problem *problem) GJK_MUST_USE;
uint32_t proto_batch_count(const struct proto_batch *batch);
bool proto_batch_tick(const struct proto_batch *batch, double *tick); /* false: it names none */

/* Returns true if some query of that kind, to a set, is without a member. */
bool proto_batch_has_without(const struct proto_batch *batch, proto_op op, const char *member);

/* Returns true if the batch came with a tick and asks for the pairs that begin and end to overlap
 * there; *filter is that of their shapes. */
bool proto_batch_overlaps(const struct proto_batch *batch, gjk_filter *filter);

/*
 * Decodes query i, as proto_decode_query would, with the batch's at, filter and options where it
 * has none of its own; pointers are into the batch. Threads with arenas of their own may ask at
 * the same time.
 */
bool proto_batch_query(const struct proto_batch *batch, uint32_t i, struct gjk_arena *arena,
                       proto_query *out, struct proto_problem *problem) GJK_MUST_USE;

/* Frees a batch. NULL is allowed. */
void proto_batch_close(struct proto_batch *batch);

/* The body of PUT /v1/sets/{set}. shapes are in the order of ids (bytewise). */
typedef struct proto_set {
    const char *name;
    uint32_t dimension;
    bool has_history;
    uint32_t history_ticks;
    proto_text meta; /* compact JSON, or absent */
    proto_named_shape *shapes;
    uint32_t shape_count;
} proto_set;

/* name is the set's name in the URL: a `name` member must equal it. NULL: there must be one, which
 * is the set's. */
bool proto_decode_set(proto_text body, const char *name, const proto_limits *limits,
                      struct gjk_arena *arena, proto_set *out,
                      struct proto_problem *problem) GJK_MUST_USE;

#endif
