#ifndef PROTO_REPLY_H
#define PROTO_REPLY_H

/*
 * Encoders of replies: from plain structs to JSON text in a proto_buffer. Every double is written
 * so that it parses back to exactly the same double. The same answer always gives the same bytes.
 * If memory is exhausted, the buffer is marked failed: check once, at the end.
 */

#include "gjk/move.h"
#include "gjk/shot.h"
#include "proto/edit.h"

/* Writes application/problem+json. */
void proto_encode_problem(struct proto_buffer *out, const struct proto_problem *problem);

/* Writes the answer to GET /problems/<code>: the same members; `detail` is the code's
 * explanation. */
void proto_encode_code(struct proto_buffer *out, proto_code code);

/* Maximum number of points of a Minkowski difference in a trace. */
#define PROTO_MINKOWSKI_POINTS_MAX 1024

/*
 * Recorded steps of one pair query, at most 2 * GJK_ITERATIONS_MAX. Set the query's
 * settings.recorder to &trace.recorder, run the query, then set the reply's stamp.trace. The struct
 * must not move in memory in between. For two 2D polytopes without radius the trace also has the
 * points of the Minkowski difference a - b in world axes, if there are at most
 * PROTO_MINKOWSKI_POINTS_MAX.
 */
struct proto_trace {
    gjk_recorder recorder;
    uint32_t dimension;
    struct proto_buffer text;
};

void proto_trace_init(struct proto_trace *trace, struct gjk_arena *arena, const gjk_placed *a,
                      const gjk_placed *b);

/* Members added to a reply beside the answer itself. Encoders take NULL for none. */
typedef struct proto_stamp {
    bool has_revision;
    uint64_t revision;
    bool has_tick;
    double tick;
    bool pose_gap; /* the answer depends on a tick whose poses were lost */
    bool has_against_revision;
    uint64_t against_revision;
    const struct proto_trace *trace; /* of a pair query; NULL: none */
    const gjk_contacts *contacts;    /* of a detect of a pair; NULL: none */
    /* Returns the meta of a stored body as JSON; absent if it has none. NULL: replies omit meta. */
    proto_text (*meta_of)(const gjk_body *body);
    const gjk_body *pair_a, *pair_b; /* stored bodies of a single pair; NULL: inline shapes */
} proto_stamp;

/* Write the answer about one pair. dimension is the length of the vectors. Without penetration the
 * answer has only colliding, state, status and iterations. */
void proto_encode_detect(struct proto_buffer *out, uint32_t dimension, bool penetration,
                         const gjk_detect_result *result, const proto_stamp *stamp);
void proto_encode_distance(struct proto_buffer *out, uint32_t dimension,
                           const gjk_distance_result *result, const proto_stamp *stamp);

/* Write the answer about one shape against a set, or about all pairs. */
void proto_encode_hits(struct proto_buffer *out, uint32_t dimension, bool penetration,
                       const gjk_hits *hits, const proto_stamp *stamp);
void proto_encode_pairs(struct proto_buffer *out, uint32_t dimension, bool penetration,
                        const gjk_pair_hits *pairs, const proto_stamp *stamp);
void proto_encode_nearest(struct proto_buffer *out, uint32_t dimension, const gjk_nears *nears,
                          const proto_stamp *stamp);
/* Writes the nearest pairs of one or two sets. */
void proto_encode_near_pairs(struct proto_buffer *out, uint32_t dimension,
                             const gjk_pair_nears *pairs, const proto_stamp *stamp);
/* Writes the hits of a ray. A hit without a body (an inline shape) gets a null id. exits: distance
 * at which the ray leaves each shape, or NULL. */
void proto_encode_ray_hits(struct proto_buffer *out, uint32_t dimension, const gjk_ray_hits *hits,
                           const double *exits, const proto_stamp *stamp);
void proto_encode_cast_hits(struct proto_buffer *out, uint32_t dimension, const gjk_cast_hits *hits,
                            const proto_stamp *stamp);
/* Writes the answer to a ray or cast of mode any. */
void proto_encode_ray_any(struct proto_buffer *out, bool hit, const proto_stamp *stamp);

void proto_encode_move(struct proto_buffer *out, uint32_t dimension, const gjk_move_result *result,
                       const proto_stamp *stamp);

/* The past state against which a shot was judged: ticks `from` and `to`, interpolated by alpha. */
typedef struct proto_rewind {
    double requested; /* tick */
    bool is_found;    /* from, to and alpha are valid */
    uint64_t from, to;
    double alpha;
    bool has_age; /* age_ticks is valid: the set keeps ticks */
    double age_ticks;
} proto_rewind;

/* Writes the answer to a shot. obstacle_set: name of the obstacle's set; NULL omits it. lacking:
 * name of the set without the tick, if judgement->reason is that a tick is missing. rewind NULL:
 * the newest state was judged. */
void proto_encode_judgement(struct proto_buffer *out, uint32_t dimension,
                            const gjk_judgement *judgement, const char *obstacle_set,
                            const char *lacking, const proto_rewind *rewind,
                            const proto_stamp *stamp);

/* Ticks that a set keeps. */
typedef struct proto_ticks {
    uint64_t oldest, newest; /* valid if count > 0 */
    uint64_t count;
    bool pose_gap; /* ticks between the oldest and the newest were lost */
} proto_ticks;

typedef struct proto_summary {
    const char *name;
    uint32_t dimension;
    uint64_t revision;
    uint64_t shapes;
    uint64_t bytes;
    proto_ticks ticks;
} proto_summary;

/* Write a batch's reply: begin, then the reply or problem of each query, then end. The reply to a
 * tick with a batch begins with the summary of the new version. */
void proto_encode_batch_begin(struct proto_buffer *out, const proto_stamp *stamp);
void proto_encode_tick_batch_begin(struct proto_buffer *out, const proto_summary *summary);
void proto_encode_batch_reply(struct proto_buffer *out, proto_text reply);
/* overlaps: the object by proto_encode_overlap_changes; an empty text omits it. */
void proto_encode_batch_end(struct proto_buffer *out, proto_text overlaps);

/* Writes {"begin": [[a, b], ...], "end": [...], "truncated": true?}. truncated: `changes` is
 * already incomplete. */
void proto_encode_overlap_changes(struct proto_buffer *out, const gjk_overlap_changes *changes,
                                  bool truncated);

/* Writes {"error": problem}, in place of a query's reply. */
void proto_encode_error(struct proto_buffer *out, const struct proto_problem *problem);

void proto_encode_summary(struct proto_buffer *out, const proto_summary *summary);

/* Writes a summary with "unknown": [row, ...], the rows of a partial tick that have no shape. */
void proto_encode_pose_summary(struct proto_buffer *out, const proto_summary *summary,
                               const uint32_t *unknown, uint32_t count);

/* Write a summary with "handles": {id: handle}: begin, then each shape in order, then
 * proto_encode_shapes_end. */
void proto_encode_handles_begin(struct proto_buffer *out, const proto_summary *summary);
void proto_encode_handle(struct proto_buffer *out, const gjk_body *body);

/* Writes {"sets": [...], "next": ...}; next NULL: null. */
void proto_encode_set_list(struct proto_buffer *out, const proto_summary *summaries, size_t count,
                           const char *next);

/* Members of a set except for its shapes. */
typedef struct proto_set_head {
    proto_summary summary;
    bool has_history;
    uint32_t history_ticks;
    proto_text meta;
} proto_set_head;

/* Write a whole set, in the form that PUT takes with read-only members added: begin, then each
 * shape in the order of ids, then end. */
void proto_encode_set_begin(struct proto_buffer *out, const proto_set_head *head);
void proto_encode_set_shape(struct proto_buffer *out, const char *id, uint32_t dimension,
                            const proto_stored *shape, uint32_t handle);
void proto_encode_shapes_end(struct proto_buffer *out);

/*
 * Writes a shape as proto_encode_set_shape does, but in three parts, so that the caller can send
 * the definition without a copy. Returns the middle part, which points into shape->definition. The
 * text around it goes to `before` and `after`, which must be empty.
 */
proto_text proto_encode_set_shape_parts(struct proto_buffer *before, struct proto_buffer *after,
                                        const char *id, bool is_first, uint32_t dimension,
                                        const proto_stored *shape, uint32_t handle);

/* Writes one shape of a set, and the set's revision. */
void proto_encode_shape(struct proto_buffer *out, uint32_t dimension, const proto_stored *shape,
                        uint32_t handle, uint64_t revision);

/* Writes a shape without its place and handle, in the form that proto_decode_definition reads. */
void proto_encode_definition(struct proto_buffer *out, const proto_stored *shape);

/* Writes {"id", "handle", "revision", "pieces"} of a shape just stored. "pieces" is their number, 1
 * for a convex shape. */
void proto_encode_stored(struct proto_buffer *out, const gjk_body *body, uint64_t revision);

/*
 * Writes {"pieces": [[vertex, ...], ...]}: the convex polygons, segments or triangles of a shape of
 * many pieces, in its own frame; null for a hole of a height field. Returns false, and writes
 * nothing, for a convex shape or a compound.
 */
bool proto_encode_pieces(struct proto_buffer *out, const gjk_shape *shape) GJK_MUST_USE;

/* Writes {"oldest", "newest", "count"}; the first two are null if count is 0. */
void proto_encode_ticks(struct proto_buffer *out, const proto_ticks *ticks);

/* Event of a set, with the set's revision and ticks after it. */
typedef struct proto_event {
    const char *kind;
    uint64_t revision;
    proto_ticks ticks;
} proto_event;

/* Writes {"kind", "revision", "tick"}. */
void proto_encode_event(struct proto_buffer *out, const proto_event *event);

/*
 * Event of changed shapes: {"kind", "revision", "tick", "ticks", "history"?, "meta"?, "shapes":
 * {id: shape or null}}. Write it by begin, then proto_encode_set_shape for each changed or
 * proto_encode_gone for each removed shape, then proto_encode_shapes_end. history and meta are null
 * if the set has lost them.
 */
typedef struct proto_change_head {
    proto_event event;
    bool tells_history, tells_meta; /* the event includes history or meta, because they changed */
    bool has_history;
    uint32_t history_ticks;
    proto_text meta;
} proto_change_head;

void proto_encode_change_begin(struct proto_buffer *out, const proto_change_head *head);
void proto_encode_gone(struct proto_buffer *out, const char *id);

/* Event of overlaps:
 * {"kind", "revision", "tick", "all": true?, "begin": [[a, b], ...], "end": []}. */
typedef struct proto_overlap {
    proto_event event;
    bool is_all; /* `begin` lists all overlapping pairs, not only new ones */
    gjk_overlap_changes changes;
} proto_overlap;

void proto_encode_overlap(struct proto_buffer *out, const proto_overlap *overlap);

/* Write the poses at a tick: begin, then each shape in the order of ids, then
 * proto_encode_shapes_end. */
void proto_encode_poses_begin(struct proto_buffer *out, double tick, bool pose_gap);
void proto_encode_pose(struct proto_buffer *out, const char *id, uint32_t dimension,
                       const gjk_pose *pose);

/* The cluster, and the state of the answering node. */
typedef struct proto_cluster {
    const char *name, *node, *state;
    uint64_t lag; /* committed changes that the node has not applied yet */
} proto_cluster;

/* Writes the answer to GET /v1. cluster NULL: the daemon belongs to no cluster. */
void proto_encode_about(struct proto_buffer *out, const char *version, const char *durability,
                        const proto_cluster *cluster, const proto_limits *limits);

/* A node's report on itself. */
typedef struct proto_cluster_node {
    const char *node, *state, *version;
    uint64_t age_ms, last, sets;
} proto_cluster_node;

/* State of the cluster's log. */
typedef struct proto_cluster_log {
    const char *leader; /* "": none */
    uint64_t servers, bytes, last;
} proto_cluster_log;

/* Writes the answer to GET /v1/cluster. log NULL: the log is not reachable. */
void proto_encode_cluster(struct proto_buffer *out, const proto_cluster *cluster,
                          const proto_cluster_log *log, const proto_cluster_node *nodes,
                          size_t count);

/* Writes {"status": status, "detail": detail}, for probes. detail NULL omits it. */
void proto_encode_status(struct proto_buffer *out, const char *status, const char *detail);

#endif
