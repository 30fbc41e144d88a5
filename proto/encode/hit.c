/* Encodes the judgement of a shot, and the ticks and hits that it rests on. */

#include "encode/encode.h"

static void put_hit_if(struct proto_buffer *out, const char *key, bool exists, uint32_t dimension,
                       const gjk_ray_hit *hit, const proto_stamp *stamp) {
    proto_put_key(out, key);
    if (!exists) {
        proto_put_text(out, "null");
        return;
    }
    proto_put_text(out, "{");
    proto_put_ray_hit(out, dimension, hit, NULL, stamp);
    proto_put_text(out, "}");
}

static void put_near_misses(struct proto_buffer *out, const gjk_nears *nears,
                            const proto_stamp *stamp) {
    proto_put_key(out, "near_misses");
    proto_put_text(out, "[");
    uint32_t i = 0;
    for (; i < nears->count && proto_list_goes_on(out); i++) {
        proto_put_item(out);
        proto_put_text(out, "{");
        proto_put_body(out, nears->items[i].body, stamp);
        proto_put_key(out, "distance");
        proto_put_number(out, nears->items[i].result.distance);
        proto_put_text(out, "}");
    }
    proto_put_text(out, "]");
    if (nears->truncated || i < nears->count) {
        proto_put_key(out, "truncated");
        proto_put_bool(out, true);
    }
}

static void put_rewind(struct proto_buffer *out, const proto_rewind *rewind) {
    proto_put_key(out, "rewind");
    if (rewind == NULL) {
        proto_put_text(out, "null");
        return;
    }
    proto_put_text(out, "{");
    proto_put_number_if(out, "requested", true, rewind->requested);
    proto_put_number_if(out, "from", rewind->is_found, (double)rewind->from);
    proto_put_number_if(out, "to", rewind->is_found, (double)rewind->to);
    proto_put_number_if(out, "alpha", rewind->is_found, rewind->alpha);
    proto_put_number_if(out, "age_ticks", rewind->has_age, rewind->age_ticks);
    proto_put_text(out, "}");
}

void proto_encode_judgement(struct proto_buffer *out, uint32_t dimension,
                            const gjk_judgement *judgement, const proto_rewind *rewind,
                            const proto_stamp *stamp) {
    proto_put_text(out, "{");
    proto_put_key(out, "verdict");
    proto_put_string_or_null(out, gjk_verdict_text(judgement->verdict));
    proto_put_key(out, "reason");
    proto_put_string_or_null(out, gjk_reason_text(judgement->reason));
    put_hit_if(out, "hit", judgement->has_hit, dimension, &judgement->hit, stamp);
    put_hit_if(out, "obstacle", judgement->has_obstacle, dimension, &judgement->obstacle, stamp);
    put_near_misses(out, &judgement->near_misses, stamp);
    put_rewind(out, rewind);
    proto_put_stamp(out, stamp);
    proto_put_text(out, "}");
}
