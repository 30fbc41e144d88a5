#ifndef PROTO_REPLY_H
#define PROTO_REPLY_H

/*
 * Replies: plain structs in, JSON text out. The text grows in a buffer in the
 * caller's arena. Every double is written so that it parses back to exactly the
 * same double; the same answer always gives the same bytes. Running out of memory
 * marks the buffer failed and writes nothing more: check once, at the end.
 */

#include "gjk/move.h"
#include "gjk/shot.h"
#include "proto/edit.h"

/* Writes application/problem+json. */
void proto_encode_problem(struct proto_buffer *out, const struct proto_problem *problem);

/* Writes the answer to GET /problems/<code>: the same members, with `detail` the explanation. */
void proto_encode_code(struct proto_buffer *out, proto_code code);

/* Points of a - b that a trace may tell. */
#define PROTO_MINKOWSKI_POINTS_MAX 1024

/*
 * The steps of a pair query. Give &trace.recorder to the query's settings, run it, then give the
 * trace to the reply's stamp. Must not move in memory until then; for one query. Beside the steps,
 * for two 2D polytopes (without radius), the points of the Minkowski difference a - b, each point
 * of a less each of b in the world's axes, where these are at most PROTO_MINKOWSKI_POINTS_MAX.
 * Bounded by 2 * GJK_ITERATIONS_MAX steps.
 */
struct proto_trace {
    gjk_recorder recorder;
    uint32_t dimension;
    struct proto_buffer text;
};

void proto_trace_init(struct proto_trace *trace, struct gjk_arena *arena, const gjk_placed *a,
                      const gjk_placed *b);

/* Members added to a reply beside the answer itself. NULL: none. */
typedef struct proto_stamp {
    bool has_revision;
    uint64_t revision;
    bool has_tick;
    double tick;
    bool pose_gap; /* a tick that it needs is lost */
    bool has_against_revision;
    uint64_t against_revision;
    const struct proto_trace *trace; /* of a pair query, or NULL */
    const gjk_contacts *contacts;    /* of a detect, or NULL */
    /* The JSON that is kept as meta of a stored body, absent where there is none; NULL: lines do
     * not tell it. A single pair tells it of its two, NULL: inline. */
    proto_text (*meta_of)(const gjk_body *body);
    const gjk_body *pair_a, *pair_b;
} proto_stamp;

/* Write the answers of pair forms. dimension decides the length of the vectors. penetration false
 * leaves colliding, state, status and iterations. */
void proto_encode_detect(struct proto_buffer *out, uint32_t dimension, bool penetration,
                         const gjk_detect_result *result, const proto_stamp *stamp);
void proto_encode_distance(struct proto_buffer *out, uint32_t dimension,
                           const gjk_distance_result *result, const proto_stamp *stamp);

/* Write the answers of set forms. */
void proto_encode_hits(struct proto_buffer *out, uint32_t dimension, bool penetration,
                       const gjk_hits *hits, const proto_stamp *stamp);
void proto_encode_pairs(struct proto_buffer *out, uint32_t dimension, bool penetration,
                        const gjk_pair_hits *pairs, const proto_stamp *stamp);
void proto_encode_nearest(struct proto_buffer *out, uint32_t dimension, const gjk_nears *nears,
                          const proto_stamp *stamp);
/* Writes the nearest pairs of two sets. */
void proto_encode_near_pairs(struct proto_buffer *out, uint32_t dimension,
                             const gjk_pair_nears *pairs, const proto_stamp *stamp);
/* Writes the hits of a ray. One without a body is that of a single inline shape: its id is null.
 * exits: where the ray leaves each of them, or NULL. */
void proto_encode_ray_hits(struct proto_buffer *out, uint32_t dimension, const gjk_ray_hits *hits,
                           const double *exits, const proto_stamp *stamp);
void proto_encode_cast_hits(struct proto_buffer *out, uint32_t dimension, const gjk_cast_hits *hits,
                            const proto_stamp *stamp);
/* Writes the answer of mode any, of casts too. */
void proto_encode_ray_any(struct proto_buffer *out, bool hit, const proto_stamp *stamp);

void proto_encode_move(struct proto_buffer *out, uint32_t dimension, const gjk_move_result *result,
                       const proto_stamp *stamp);

/* Where a judge had to look: NULL stands for the set as it is. */
typedef struct proto_rewind {
    double requested;
    bool is_found; /* from, to and alpha are valid */
    uint64_t from, to;
    double alpha;
    bool has_age; /* the set keeps ticks */
    double age_ticks;
} proto_rewind;

/* Writes the answer of a shot. obstacle_set: the name of the set that the obstacle is of, or NULL
 * where there is only one. lacking: the name of the set that lacks the tick, where the judgement says
 * that one does. */
void proto_encode_judgement(struct proto_buffer *out, uint32_t dimension,
                            const gjk_judgement *judgement, const char *obstacle_set,
                            const char *lacking, const proto_rewind *rewind,
                            const proto_stamp *stamp);

/* The ticks that a set keeps. None: count is 0. */
typedef struct proto_ticks {
    uint64_t oldest, newest;
    uint64_t count;
    bool pose_gap; /* some between the oldest and the newest are lost */
} proto_ticks;

typedef struct proto_summary {
    const char *name;
    uint32_t dimension;
    uint64_t revision;
    uint64_t shapes;
    uint64_t bytes;
    proto_ticks ticks;
} proto_summary;

/* A batch's reply: begin, then for each query its reply or its problem, then end. That of a batch
 * which came with a tick begins with the summary of the version that the tick made. */
void proto_encode_batch_begin(struct proto_buffer *out, const proto_stamp *stamp);
void proto_encode_tick_batch_begin(struct proto_buffer *out, const proto_summary *summary);
void proto_encode_batch_reply(struct proto_buffer *out, proto_text reply);
/* overlaps: an object of those at the tick; no text: none were asked for. */
void proto_encode_batch_end(struct proto_buffer *out, proto_text overlaps);

/* Writes {"begin": [[a, b], ...], "end": [...], "truncated": true?}. */
void proto_encode_overlap_changes(struct proto_buffer *out, const gjk_overlap_changes *changes,
                                  bool truncated);

/* Writes {"error": problem}, which stands for a reply. */
void proto_encode_error(struct proto_buffer *out, const struct proto_problem *problem);

void proto_encode_summary(struct proto_buffer *out, const proto_summary *summary);

/* Write a summary with "unknown": [row], of a tick of poses in part: begin, then each row, then
 * end. */
void proto_encode_pose_summary_begin(struct proto_buffer *out, const proto_summary *summary);
void proto_encode_unknown_row(struct proto_buffer *out, uint32_t row);
void proto_encode_pose_summary_end(struct proto_buffer *out);

/* Write a summary with "handles": {id: handle}: begin, then each shape in order, then
 * proto_encode_shapes_end. */
void proto_encode_handles_begin(struct proto_buffer *out, const proto_summary *summary);
void proto_encode_handle(struct proto_buffer *out, const gjk_body *body);

/* Writes {"sets": [...], "next": ...}; next NULL: null. */
void proto_encode_set_list(struct proto_buffer *out, const proto_summary *summaries, size_t count,
                           const char *next);

/* A whole set, as PUT took it plus the read-only members. Shapes one by one, so that
 * the server keeps them as it likes: begin, then each shape in order, then end. */
typedef struct proto_set_head {
    proto_summary summary;
    bool has_history;
    uint32_t history_ticks;
    proto_text meta;
} proto_set_head;

void proto_encode_set_begin(struct proto_buffer *out, const proto_set_head *head);
void proto_encode_set_shape(struct proto_buffer *out, const char *id, uint32_t dimension,
                            const proto_stored *shape, uint32_t handle);
void proto_encode_shapes_end(struct proto_buffer *out);

/*
 * Writes the same shape in three parts, so that the caller can send the definition without a copy.
 * Returns the definition; `before` and `after`, which are empty, get the text on either side of it.
 */
proto_text proto_encode_set_shape_parts(struct proto_buffer *before, struct proto_buffer *after,
                                        const char *id, bool is_first, uint32_t dimension,
                                        const proto_stored *shape, uint32_t handle);

/* Writes one shape of a set at that revision. */
void proto_encode_shape(struct proto_buffer *out, uint32_t dimension, const proto_stored *shape,
                        uint32_t handle, uint64_t revision);

/* Encodes a shape without its place and handle, in the form that proto_decode_definition reads. */
void proto_encode_definition(struct proto_buffer *out, const proto_stored *shape);

/* Writes {"id", "handle", "revision", "pieces"}: a shape that was stored; a convex one is one
 * piece. */
void proto_encode_stored(struct proto_buffer *out, const gjk_body *body, uint64_t revision);

/*
 * Writes {"pieces": [[vertex, ...], ...]}: the convex polygons, segments or triangles that a shape
 * of many pieces is the union of, in its own frame; null where a height field has a hole. False: it
 * is no such shape, or a compound, whose pieces are its parts.
 */
bool proto_encode_pieces(struct proto_buffer *out, const gjk_shape *shape) GJK_MUST_USE;

/* Writes {"oldest", "newest", "count"}; the first two are null where there is none. */
void proto_encode_ticks(struct proto_buffer *out, const proto_ticks *ticks);

/* Something that happened to a set, which stands at that revision and keeps these ticks now. */
typedef struct proto_event {
    const char *kind;
    uint64_t revision;
    proto_ticks ticks;
} proto_event;

/* Writes {"kind", "revision", "tick"}. */
void proto_encode_event(struct proto_buffer *out, const proto_event *event);

/*
 * {"kind", "revision", "tick", "ticks", "history"?, "meta"?, "shapes": {id: shape or null}}: begin,
 * then each changed shape as proto_encode_set_shape writes it or, where it is gone, by
 * proto_encode_gone, then proto_encode_shapes_end. What is told of history and meta replaces what the
 * set had: null where it has none any more.
 */
typedef struct proto_change_head {
    proto_event event;
    bool tells_history, tells_meta;
    bool has_history;
    uint32_t history_ticks;
    proto_text meta;
} proto_change_head;

void proto_encode_change_begin(struct proto_buffer *out, const proto_change_head *head);
void proto_encode_gone(struct proto_buffer *out, const char *id);

/* {"kind", "revision", "tick", "all": true?, "begin": [[a, b], ...], "end": [...]} */
typedef struct proto_overlap {
    proto_event event;
    bool is_all; /* begin lists all pairs there are */
    gjk_overlap_changes changes;
} proto_overlap;

void proto_encode_overlap(struct proto_buffer *out, const proto_overlap *overlap);

/* Write where shapes stood at a tick: begin, then each in order, then proto_encode_shapes_end. */
void proto_encode_poses_begin(struct proto_buffer *out, double tick, bool pose_gap);
void proto_encode_pose(struct proto_buffer *out, const char *id, uint32_t dimension,
                       const gjk_pose *pose);

/* A node of a cluster. */
typedef struct proto_cluster {
    const char *name, *node, *state;
    uint64_t lag; /* changes that it does not show yet */
} proto_cluster;

/* Writes the answer to GET /v1. cluster NULL: it is none. */
void proto_encode_about(struct proto_buffer *out, const char *version, const char *durability,
                        const proto_cluster *cluster, const proto_limits *limits);

/* Report of a node of a cluster on itself. */
typedef struct proto_cluster_node {
    const char *node, *state, *version;
    uint64_t age_ms, last, sets;
} proto_cluster_node;

/* The log of a cluster, as its leader knows it. */
typedef struct proto_cluster_log {
    const char *leader; /* "": none */
    uint64_t servers, bytes, last;
} proto_cluster_log;

/* Writes the answer to GET /v1/cluster. log NULL: it cannot be asked now. */
void proto_encode_cluster(struct proto_buffer *out, const proto_cluster *cluster,
                          const proto_cluster_log *log, const proto_cluster_node *nodes,
                          size_t count);

/* Writes {"status": "ok"} and the like, for probes. detail NULL: none. */
void proto_encode_status(struct proto_buffer *out, const char *status, const char *detail);

#endif
