/* Shared by messages of rays, casts and shots: the lines of their rows, and the shapes that rows
 * ask. */

#include <math.h>
#include <string.h>

#include "columns/columns.h"
#include "gjk/sort.h"
#include "text/text.h"

static const proto_column_range coordinate = {-GJK_COORDINATE_MAX, GJK_COORDINATE_MAX};
static const proto_column_range reach = {0.0, INFINITY};

/*
 * Makes rays of the rows. Returns the first row that gives none or whose direction is longer than
 * the wire allows, or count when all are right.
 */
static uint32_t make_rays(const struct proto_message *message, const proto_line_rows *rows,
                          gjk_ray *rays) {
    const proto_doubles distance = {rows->max_distance, (uint32_t)rows->max_distance_length};
    uint32_t dimension = message->dimension, row = 0;

    for (; row < message->count; row++) {
        gjk_vec3 direction = proto_row_vector(rows->direction, dimension, row);
        bool within = fabs(direction.x) <= coordinate.max && fabs(direction.y) <= coordinate.max &&
                      fabs(direction.z) <= coordinate.max;
        if (!within ||
            gjk_ray_make(proto_row_vector(rows->origin, dimension, row), direction,
                         proto_double_at(distance, row, INFINITY), &rays[row]) != GJK_OK) {
            break;
        }
    }
    return row;
}

static bool check_distances(const struct proto_message *message, const proto_line_rows *rows) {
    return proto_check_column(message->problem, "max_distance", rows->max_distance,
                              rows->max_distance_length, 1, reach);
}

/* Finds out why a row gives no ray. Columns are judged one after the other, each as a whole. */
static void refuse_rays(const struct proto_message *message, const proto_line_rows *rows,
                        uint32_t row) {
    struct proto_problem *problem = message->problem;
    const uint32_t dimension = message->dimension;
    const size_t length = (size_t)message->count * dimension;

    if (proto_check_column(problem, "origin", rows->origin, length, dimension, coordinate) &&
        proto_check_column(problem, "direction", rows->direction, length, dimension, coordinate) &&
        check_distances(message, rows)) {
        proto_refuse_row(problem, "direction", row, PROTO_ZERO_DIRECTION, "%s",
                         gjk_status_text(GJK_ZERO_DIRECTION));
    }
}

gjk_ray *proto_make_rays(const struct proto_message *message, const proto_line_rows *rows) {
    gjk_ray *rays = gjk_arena_alloc_array(message->arena, message->count, sizeof *rays);

    if (rays == NULL) {
        proto_refuse_columns_memory(message->problem);
        return NULL;
    }
    const uint32_t made = make_rays(message, rows, rays);
    if (made < message->count) {
        refuse_rays(message, rows, made);
        return NULL;
    }
    return check_distances(message, rows) ? rays : NULL;
}

bool proto_check_select_lengths(struct proto_message *message) {
    return proto_column_shared(message, "mask") && proto_column_shared(message, "category") &&
           proto_column_shared(message, "ignore_group_of") &&
           proto_column_most(message, "ignore_groups", PROTO_IGNORE_GROUPS_MAX);
}

static bool check_groups(struct proto_problem *problem, const proto_select_rows *rows,
                         const proto_limits *limits) {
    for (size_t i = 0; i < rows->ignore_groups_length; i++) {
        const char *group = rows->ignore_groups[i];
        if (!proto_is_id(group, strlen(group), limits->id_bytes_max)) {
            return proto_refuse_row(problem, "ignore_groups", (uint32_t)i, PROTO_BAD_NAME,
                                    "\"%.128s\" is not an id or group", group);
        }
    }
    return true;
}

bool proto_make_select(const struct proto_message *message, const proto_select_rows *rows,
                       const proto_limits *limits, proto_select_columns *out) {
    if (!check_groups(message->problem, rows, limits)) {
        return false;
    }
    const gjk_status status =
        gjk_sort(message->arena, (void *)rows->ignore_groups, rows->ignore_groups_length,
                 sizeof *rows->ignore_groups, proto_compare_texts);
    if (status != GJK_OK) {
        return proto_refuse_columns_status(message->problem, status);
    }
    *out = (proto_select_columns){
        .mask = {rows->mask, (uint32_t)rows->mask_length},
        .category = {rows->category, (uint32_t)rows->category_length},
        .ignore_group_of = {rows->ignore_group_of, (uint32_t)rows->ignore_group_of_length},
        .ignore_groups = (const char *const *)rows->ignore_groups,
        .ignore_groups_count = (uint32_t)rows->ignore_groups_length,
    };
    return true;
}
