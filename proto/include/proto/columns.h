#ifndef PROTO_COLUMNS_H
#define PROTO_COLUMNS_H

/*
 * Many queries in one message, and their answers: gjkd.proto as plain structs. Row i of every
 * column belongs to query i. Decoders check every row as the JSON decoders check a query, and
 * refuse the message whole, naming column and row ("/origin/17"). Memory comes from the caller's
 * arena, in a few blocks whose sizes follow from lengths that were checked before. Thread-safe
 * for different arenas.
 */

#include <stdatomic.h>

#include "gjk/body.h"
#include "proto/reply.h"

/* The handle that stands for no shape, no hit or no ignored group. */
#define PROTO_NO_HANDLE UINT32_MAX

/* A column of one number a row: rows of them, one that serves all, or none. */
typedef struct proto_doubles {
    const double *values;
    uint32_t rows;
} proto_doubles;
typedef struct proto_uints {
    const uint32_t *values;
    uint32_t rows;
} proto_uints;

static inline double proto_double_at(proto_doubles column, uint32_t row, double otherwise) {
    return column.rows == 0 ? otherwise : column.values[column.rows == 1 ? 0 : row];
}
static inline uint32_t proto_uint_at(proto_uints column, uint32_t row, uint32_t otherwise) {
    return column.rows == 0 ? otherwise : column.values[column.rows == 1 ? 0 : row];
}

/* Filter of a row: the shapes that pass. */
typedef struct proto_select_columns {
    proto_uints mask, category;  /* none: UINT32_MAX */
    proto_uints ignore_group_of; /* handles; none: PROTO_NO_HANDLE */
    const char *const *ignore_groups;
    uint32_t ignore_groups_count;
} proto_select_columns;

/* RaycastColumns */
typedef struct proto_ray_columns {
    uint32_t dimension, count;
    const gjk_ray *rays;
    proto_select_columns select;
    proto_doubles at_tick; /* none: newest */
    bool solid;
    bool exits;   /* hits tell where the ray leaves */
    bool partial; /* rows that cannot be answered do not refuse the others */
} proto_ray_columns;

/* Poses of one operand of every pair, or of the parts of them that are given. */
typedef struct proto_pose_column {
    const gjk_pose *poses; /* NULL: neither part */
    bool has_position, has_rotation;
} proto_pose_column;

/* PairColumns */
typedef struct proto_pair_columns {
    uint32_t dimension, count;
    const uint32_t *a, *b; /* handles */
    proto_pose_column pose_a, pose_b;
    proto_doubles at_tick;
    bool penetration;
    bool is_signed; /* distances */
    bool partial;
} proto_pair_columns;

/* CastColumns */
typedef struct proto_cast_columns {
    uint32_t dimension, count;
    proto_uints shape;      /* handles; one may serve all rows */
    proto_pose_column from; /* where the shapes start */
    const gjk_vec3 *translation;
    proto_pose_column
        to; /* how they have turned at the end; has_rotation false: they do not turn */
    gjk_at_start at_start;
    proto_select_columns select;
    proto_doubles at_tick;
    bool partial;
} proto_cast_columns;

/* HitColumns */
typedef struct proto_hit_columns {
    uint32_t dimension, count;
    proto_uints shooter_of; /* handles; none: PROTO_NO_HANDLE */
    proto_doubles at_tick;  /* none: newest */
    const gjk_ray *rays;
    proto_doubles radius;    /* none: 0 */
    proto_uints claim;       /* handles, one a row; none: PROTO_NO_HANDLE */
    bool claim_group;        /* the group of the shape is claimed */
    double max_rewind_ticks; /* INFINITY: any */
    const char *obstacles;   /* name of a set, or NULL */
    bool obstacles_at_shot;
    bool partial;
    uint32_t mask, category; /* of targets and obstacles */
} proto_hit_columns;

/* PoseColumns */
typedef struct proto_pose_columns {
    uint32_t dimension, count;
    const uint32_t *handle; /* each once */
    const gjk_pose *poses;
    const gjk_rotation *turns; /* as given, of poses; NULL: rotations are kept */
    const uint32_t *teleport;  /* handles among those above */
    uint32_t teleport_count;
    bool partial; /* rows of unknown handles are passed over */
} proto_pose_columns;

/*
 * set_dimension must be the message's own (0: the caller looks at that later).
 * MALFORMED_PROTOBUF for what is no such message; UNKNOWN_MEMBER for a field that it does not
 * have; MISSING_MEMBER, WRONG_TYPE for a column that is not as long as the others demand; TOO_MANY
 * for more rows than batch_queries_max (poses: shapes_per_set_max); the codes of values as in JSON.
 */
bool proto_decode_ray_columns(proto_text body, uint32_t set_dimension, const proto_limits *limits,
                              struct gjk_arena *arena, proto_ray_columns *out,
                              struct proto_problem *problem) GJK_MUST_USE;
bool proto_decode_pair_columns(proto_text body, uint32_t set_dimension, const proto_limits *limits,
                               struct gjk_arena *arena, proto_pair_columns *out,
                               struct proto_problem *problem) GJK_MUST_USE;
bool proto_decode_cast_columns(proto_text body, uint32_t set_dimension, const proto_limits *limits,
                               struct gjk_arena *arena, proto_cast_columns *out,
                               struct proto_problem *problem) GJK_MUST_USE;
bool proto_decode_hit_columns(proto_text body, uint32_t set_dimension, const proto_limits *limits,
                              struct gjk_arena *arena, proto_hit_columns *out,
                              struct proto_problem *problem) GJK_MUST_USE;
bool proto_decode_pose_columns(proto_text body, uint32_t set_dimension, const proto_limits *limits,
                               struct gjk_arena *arena, proto_pose_columns *out,
                               struct proto_problem *problem) GJK_MUST_USE;

/*
 * BodyColumns: a shape as a whole, as JSON's decoder would make it, but without a tree and with no
 * more memory than its columns need while it is made. The dimension is that of out->shape. Codes as
 * above; NOT_CLOSED, NOT_SIMPLE, NOT_CONVEX and TOO_MANY as in JSON, at a column and row.
 */
bool proto_decode_body_columns(proto_text text, const proto_limits *limits, struct gjk_arena *arena,
                               proto_shape *out, struct proto_problem *problem) GJK_MUST_USE;

/*
 * An answer's message under way: most of its columns of doubles stand in their place, to be filled;
 * what comes before and behind them is added when all rows are known.
 */
#define PROTO_ANSWER_DOUBLES 5 /* at most so many columns of them */
typedef struct proto_answer {
    uint32_t count, columns, uints;
    unsigned char *doubles[PROTO_ANSWER_DOUBLES]; /* of each column the first, not aligned */
    unsigned char *begin, *end;                   /* of all that */
} proto_answer;

/* Values of a row's status. */
enum {
    PROTO_ROW_CONVERGED,
    PROTO_ROW_ITERATION_LIMIT,
    PROTO_ROW_TICK_EXPIRED, /* from here on: there is no answer */
    PROTO_ROW_TICK_IN_FUTURE,
    PROTO_ROW_UNKNOWN_HANDLE,
};

/* RaycastAnswers: a slot for every row, to be filled in any order, by any thread. */
typedef struct proto_ray_answers {
    uint64_t revision;
    uint32_t dimension, count;
    uint32_t *handle, *status, *piece, *material;
    double *exit;              /* NULL: not asked for */
    atomic_bool *any_material; /* some row has one */
    const uint32_t *pose_gap;  /* 1 where a row needed a tick that is lost; NULL: no row did */
    proto_answer message;
} proto_ray_answers;

/* PairAnswers, likewise. */
typedef struct proto_pair_answers {
    uint64_t revision;
    uint32_t dimension, count;
    uint32_t *state, *iterations, *status, *piece_a, *piece_b;
    const uint32_t *pose_gap; /* 1 where a row needed a tick that is lost; NULL: no row did */
    proto_answer message;
} proto_pair_answers;

/* CastAnswers, likewise. */
typedef struct proto_cast_answers {
    uint64_t revision;
    uint32_t dimension, count;
    uint32_t *handle, *inside, *piece, *status, *moving_piece, *material;
    double *depth; /* NULL: overlaps are not resolved */
    atomic_bool *any_material;
    const uint32_t *pose_gap; /* 1 where a row needed a tick that is lost; NULL: no row did */
    proto_answer message;
} proto_cast_answers;

/* HitAnswers, likewise. */
typedef struct proto_hit_answers {
    uint64_t revision;
    uint32_t dimension, count;
    uint32_t *verdict, *reason, *handle, *piece, *status;
    const uint32_t *pose_gap; /* 1 where a row needed a tick that is lost; NULL: no row did */
    proto_answer message;
} proto_hit_answers;

/* Slots for count rows. False: out of memory. */
bool proto_ray_answers_init(proto_ray_answers *answers, uint32_t dimension, uint32_t count,
                            bool exits, struct gjk_arena *arena) GJK_MUST_USE;
bool proto_pair_answers_init(proto_pair_answers *answers, uint32_t dimension, uint32_t count,
                             struct gjk_arena *arena) GJK_MUST_USE;
bool proto_cast_answers_init(proto_cast_answers *answers, uint32_t dimension, uint32_t count,
                             gjk_at_start at_start, struct gjk_arena *arena) GJK_MUST_USE;
bool proto_hit_answers_init(proto_hit_answers *answers, uint32_t dimension, uint32_t count,
                            struct gjk_arena *arena) GJK_MUST_USE;

/* Fill row i. hit NULL: none. exit: where the ray leaves what it hits, if that is asked for. */
void proto_ray_answers_set(const proto_ray_answers *answers, uint32_t i, const gjk_ray_hit *hit,
                           double exit);
void proto_pair_answers_set_detect(const proto_pair_answers *answers, uint32_t i,
                                   const gjk_detect_result *result, bool penetration);
void proto_pair_answers_set_distance(const proto_pair_answers *answers, uint32_t i,
                                     const gjk_distance_result *result);
void proto_cast_answers_set(const proto_cast_answers *answers, uint32_t i, const gjk_cast_hit *hit);
void proto_hit_answers_set(const proto_hit_answers *answers, uint32_t i,
                           const gjk_judgement *judgement);

/* Fill row i of a message that is answered in part: there is no answer, for that reason. */
void proto_ray_answers_refuse(const proto_ray_answers *answers, uint32_t i, uint32_t status);
void proto_pair_answers_refuse(const proto_pair_answers *answers, uint32_t i, uint32_t status);
void proto_cast_answers_refuse(const proto_cast_answers *answers, uint32_t i, uint32_t status);
void proto_hit_answers_refuse(const proto_hit_answers *answers, uint32_t i, uint32_t status);

/* The answers as a message, or as JSON: one member a column, named and laid out as there. */
void proto_encode_ray_columns(struct proto_buffer *out, const proto_ray_answers *answers);
void proto_encode_pair_columns(struct proto_buffer *out, const proto_pair_answers *answers);
void proto_encode_cast_columns(struct proto_buffer *out, const proto_cast_answers *answers);
void proto_encode_hit_columns(struct proto_buffer *out, const proto_hit_answers *answers);
void proto_encode_ray_columns_json(struct proto_buffer *out, const proto_ray_answers *answers);
void proto_encode_pair_columns_json(struct proto_buffer *out, const proto_pair_answers *answers);
void proto_encode_cast_columns_json(struct proto_buffer *out, const proto_cast_answers *answers);
void proto_encode_hit_columns_json(struct proto_buffer *out, const proto_hit_answers *answers);

#endif
