#ifndef PROTO_ENCODE_ENCODE_PARTS_H
#define PROTO_ENCODE_ENCODE_PARTS_H

/* What several replies have in common. All write members into an object that is open. */

#include "text/buffer.h"

void proto_put_detect(struct proto_buffer *out, uint32_t dimension, bool penetration,
                      const gjk_detect_result *result);
void proto_put_distance(struct proto_buffer *out, uint32_t dimension,
                        const gjk_distance_result *result);
void proto_put_status(struct proto_buffer *out, gjk_convergence convergence);
void proto_put_trace(struct proto_buffer *out, const struct proto_trace *trace);
void proto_put_stamp(struct proto_buffer *out, const proto_stamp *stamp);

/* Who was hit: NULL is an inline shape without a name. And where. */
void proto_put_body(struct proto_buffer *out, const gjk_body *body);
void proto_put_ray_hit(struct proto_buffer *out, uint32_t dimension, const gjk_ray_hit *hit);

/* "key": v, or null where there is none */
void proto_put_vector_if(struct proto_buffer *out, const char *key, bool exists, uint32_t dimension,
                         gjk_vec3 v);

#endif
