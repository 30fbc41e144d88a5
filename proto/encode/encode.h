#ifndef PROTO_ENCODE_ENCODE_H
#define PROTO_ENCODE_ENCODE_H

/* Parts that several replies share. All write members into an object that is open. */

#include "proto/reply.h"
#include "json/writer.h"

void proto_put_detect(struct proto_buffer *out, uint32_t dimension, bool penetration,
                      const gjk_detect_result *result);
void proto_put_distance(struct proto_buffer *out, uint32_t dimension,
                        const gjk_distance_result *result);
/* Writes the index of a piece, unless it is GJK_NO_PIECE. */
void proto_put_piece(struct proto_buffer *out, const char *key, uint32_t piece);
void proto_put_status(struct proto_buffer *out, gjk_convergence convergence);
void proto_put_trace(struct proto_buffer *out, const struct proto_trace *trace);
void proto_put_summary(struct proto_buffer *out, const proto_summary *summary);
void proto_put_stamp(struct proto_buffer *out, const proto_stamp *stamp);

/* Writes those lists of the shape's geometry (NULL: none is known) that its pieces keep. */
void proto_put_kept(struct proto_buffer *out, const gjk_shape *shape);

/* Write "tick", the newest one, and "ticks", all that are kept; null where there is none. */
void proto_put_tick(struct proto_buffer *out, const proto_ticks *ticks);
void proto_put_ticks(struct proto_buffer *out, const proto_ticks *ticks);

/* Writes the body that was hit (NULL: an inline shape, which has no id), and where. */
void proto_put_body(struct proto_buffer *out, const gjk_body *body, const proto_stamp *stamp);
/* exit: where the ray leaves it, or NULL. */
void proto_put_ray_hit(struct proto_buffer *out, uint32_t dimension, const gjk_ray_hit *hit,
                       const double *exit, const proto_stamp *stamp);

/* Writes what is kept as meta of the body (NULL, or without an id: an inline shape), where lines are
 * to tell it. */
void proto_put_meta(struct proto_buffer *out, const char *key, const gjk_body *body,
                    const proto_stamp *stamp);

#endif
