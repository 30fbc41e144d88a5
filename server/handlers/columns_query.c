/* Column messages of rays, pairs and casts: each row is asked of the whole set, for the closest hit,
 * or of two of its shapes. */

#include "handlers/columns.h"

#include "request/context.h"
#include "request/request.h"

/* --- Rays --- */

struct rays {
    struct gjkd_columns columns; /* first: it is cast back */
    proto_ray_rows rows;
    proto_ray_answers answers;
};

static bool decode_rays(struct gjkd_columns *columns, const proto_source *source) {
    struct rays *rays = (struct rays *)columns;
    columns->rows = &rays->rows.rows;
    columns->answers = &rays->answers.answers;
    if (!proto_decode_ray_rows(source, &rays->rows)) {
        return false;
    }
    *columns->answers = (proto_answers){.table = &proto_raycast_answers_table,
                                        .slots = rays->answers.slots,
                                        .needs = rays->rows.exits.flag ? PROTO_NEEDS_EXITS : 0};
    return true;
}

static bool answer_ray(struct gjkd_columns *columns, struct gjkd_columns_row *row,
                       gjk_status *status) {
    struct rays *rays = (struct rays *)columns;
    const gjk_ray *ray = &rays->rows.rays[row->index];
    gjk_ray_settings settings = gjk_ray_settings_default();
    gjk_ray_hits hits;
    double exit = 0.0;
    settings.solid = !rays->rows.not_solid.flag;
    settings.budget = row->selection.budget;
    *status = gjk_set_raycast(row->snapshot, ray, &row->selection, &settings, &hits);
    const gjk_ray_hit *hit = *status == GJK_OK && hits.count > 0 ? &hits.items[0] : NULL;
    const bool exits = hit != NULL && rays->rows.exits.flag;
    if (exits) {
        const gjk_placed placed = gjk_snapshot_place(row->snapshot, hit->body);
        *status = gjk_ray_exit(&placed, ray, &hit->result, &settings, &exit);
    }
    if (*status == GJK_OK) {
        proto_ray_answers_set(&rays->answers, row->index, hit, exits ? &exit : NULL);
    }
    if (hit != NULL) {
        gjkd_tally_add(&row->tally, hit->result.iterations);
    }
    return true;
}

void gjkd_columns_raycast(struct gjkd_request *request) {
    static const struct gjkd_columns_kind kind = {.op = PROTO_OP_RAYCAST,
                                                  .size = sizeof(struct rays),
                                                  .row_ns = 1000,
                                                  .level_ns = 200,
                                                  .selects = true,
                                                  .decode = decode_rays,
                                                  .answer = answer_ray};
    gjkd_columns_answer(request, &kind);
}

/* --- Pairs --- */

struct pairs {
    struct gjkd_columns columns; /* first: it is cast back */
    proto_pair_rows rows;
    proto_pair_answers answers;
};

static bool decode_pairs(struct gjkd_columns *columns, const proto_source *source) {
    struct pairs *pairs = (struct pairs *)columns;
    columns->rows = &pairs->rows.rows;
    columns->answers = &pairs->answers.answers;
    *columns->answers =
        (proto_answers){.table = &proto_pair_answers_table, .slots = pairs->answers.slots};
    if (!proto_decode_pair_rows(source, &pairs->rows)) {
        return false;
    }
    if (pairs->rows.is_signed.flag && columns->kind->op == PROTO_OP_DETECT) {
        proto_problem_set(source->problem, PROTO_UNKNOWN_MEMBER,
                          "signed has no meaning but for distances");
        return proto_problem_point(source->problem, "/signed");
    }
    return true;
}

/* Places the shape that the row names as the row has it. Returns NULL if there is none. */
static const gjk_body *place(const struct gjkd_columns_row *row, uint32_t handle,
                             const proto_field *position, const proto_field *rotation,
                             const gjk_pose *poses, gjk_placed *out) {
    const gjk_body *body = gjk_set_find_handle(row->snapshot->set, handle);
    if (body == NULL) {
        return NULL;
    }
    *out = gjk_snapshot_place(row->snapshot, body);
    if (position->count > 0) {
        out->pose.position = poses[row->index].position;
    }
    if (rotation->count > 0) {
        gjk_pose_turn_as(&out->pose, &poses[row->index]);
    }
    return body;
}

static bool answer_pair(struct gjkd_columns *columns, struct gjkd_columns_row *row,
                        gjk_status *status) {
    struct pairs *pairs = (struct pairs *)columns;
    const proto_pair_rows *rows = &pairs->rows;
    const uint32_t i = row->index;
    gjk_placed a, b;
    if (place(row, rows->a.uints[i], &rows->position_a, &rows->rotation_a, rows->poses_a, &a) ==
            NULL ||
        place(row, rows->b.uints[i], &rows->position_b, &rows->rotation_b, rows->poses_b, &b) ==
            NULL) {
        return false;
    }
    if (columns->kind->op == PROTO_OP_DETECT) {
        gjk_detect_settings settings = gjk_detect_settings_default();
        settings.penetration = !rows->no_penetration.flag;
        settings.budget = row->selection.budget;
        const gjk_detect_result result = gjk_detect(&a, &b, &settings);
        proto_pair_answers_set_detect(&pairs->answers, i, &result, settings.penetration);
        gjkd_tally_add(&row->tally, result.iterations);
        *status = result.given_up ? GJK_GIVEN_UP : GJK_OK;
    } else {
        gjk_distance_settings settings = gjk_distance_settings_default();
        settings.is_signed = rows->is_signed.flag;
        settings.budget = row->selection.budget;
        const gjk_distance_result result = gjk_distance(&a, &b, &settings);
        proto_pair_answers_set_distance(&pairs->answers, i, &result);
        gjkd_tally_add(&row->tally, result.iterations);
        *status = result.given_up ? GJK_GIVEN_UP : GJK_OK;
    }
    return true;
}

void gjkd_columns_detect(struct gjkd_request *request) {
    static const struct gjkd_columns_kind kind = {.op = PROTO_OP_DETECT,
                                                  .size = sizeof(struct pairs),
                                                  .row_ns = 1000,
                                                  .decode = decode_pairs,
                                                  .answer = answer_pair};
    gjkd_columns_answer(request, &kind);
}

void gjkd_columns_distance(struct gjkd_request *request) {
    static const struct gjkd_columns_kind kind = {.op = PROTO_OP_DISTANCE,
                                                  .size = sizeof(struct pairs),
                                                  .row_ns = 1000,
                                                  .decode = decode_pairs,
                                                  .answer = answer_pair};
    gjkd_columns_answer(request, &kind);
}

/* --- Casts --- */

struct casts {
    struct gjkd_columns columns; /* first: it is cast back */
    proto_cast_rows rows;
    proto_cast_answers answers;
};

static bool decode_casts(struct gjkd_columns *columns, const proto_source *source) {
    struct casts *casts = (struct casts *)columns;
    columns->rows = &casts->rows.rows;
    columns->answers = &casts->answers.answers;
    if (!proto_decode_cast_rows(source, &casts->rows)) {
        return false;
    }
    const bool resolves = casts->rows.at_start.uint == GJK_AT_START_RESOLVE;
    *columns->answers = (proto_answers){.table = &proto_cast_answers_table,
                                        .slots = casts->answers.slots,
                                        .needs = resolves ? PROTO_NEEDS_DEPTH : 0};
    return true;
}

static bool answer_cast(struct gjkd_columns *columns, struct gjkd_columns_row *row,
                        gjk_status *status) {
    struct casts *casts = (struct casts *)columns;
    const proto_cast_rows *rows = &casts->rows;
    const uint32_t dimension = rows->rows.dimension;
    gjk_cast_settings settings = gjk_cast_settings_default();
    gjk_placed moving;
    gjk_cast_hits hits;
    row->selection.except = place(row, proto_uint_at(&rows->shape, row->index), &rows->position,
                                  &rows->rotation, rows->poses, &moving);
    if (row->selection.except == NULL) {
        return false;
    }
    const gjk_vec3 way = proto_vector_at(&rows->translation, dimension, row->index);
    gjk_rigid_motion motion = gjk_rigid_motion_straight(way);
    if (rows->to_poses != NULL) {
        gjk_pose to = moving.pose;
        gjk_pose_turn_as(&to, &rows->to_poses[row->index]);
        motion = gjk_rigid_motion_between(dimension, &moving.pose, &to);
        motion.translation = way;
    }
    settings.at_start = (gjk_at_start)rows->at_start.uint;
    *status =
        gjk_set_cast_turning(row->snapshot, &moving, &motion, &row->selection, &settings, &hits);
    if (*status == GJK_OK) {
        const gjk_cast_hit *hit = hits.count > 0 ? &hits.items[0] : NULL;
        proto_cast_answers_set(&casts->answers, row->index, hit);
        if (hit != NULL) {
            gjkd_tally_add(&row->tally, hit->result.iterations);
        }
    }
    return true;
}

void gjkd_columns_cast(struct gjkd_request *request) {
    static const struct gjkd_columns_kind kind = {.op = PROTO_OP_CAST,
                                                  .size = sizeof(struct casts),
                                                  .row_ns = 4000,
                                                  .level_ns = 500,
                                                  .selects = true,
                                                  .decode = decode_casts,
                                                  .answer = answer_cast};
    gjkd_columns_answer(request, &kind);
}
