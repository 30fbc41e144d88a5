/*
 * Tests of a shape at places close together. Along a fixed direction, the gap to an item changes
 * with the shape's position by just the motion along that direction. So a separating plane found
 * once excludes the item at many places.
 */

#include "scene/nearby.h"

#include "base/numbers.h"
#include "pair/pieces/pieces.h"
#include "ray/casts/casts.h"
#include "scene/scene.h"
#include "shape/pieces/pieces.h"
#include "shape/pieces/walk.h"

/* Relative rounding error of positions. */
#define ROUNDING 0x1p-46
/* AROUND: factor by which a search exceeds half the motion and the reach. LESS: factor by which the
 * length of motion shrinks when a search finds too many items. */
#define AROUND 1.5
#define LESS 0.25

void gjk_nearby_init(gjk_nearby *nearby) {
    nearby->ahead = nearby->center = (gjk_vec3){0, 0, 0};
    nearby->radius = -1.0;
    nearby->most = INFINITY;
    nearby->slack = 0.0;
    nearby->count = 0;
    nearby->is_full = false;
    nearby->seen_by = NULL;
}

static gjk_nearby_item *add_item(gjk_nearby *nearby, const gjk_body *body, const gjk_placed *whole,
                                 uint32_t index, double slack) {
    if (nearby->count == GJK_NEARBY_MAX) {
        nearby->is_full = true;
        return NULL;
    }
    gjk_nearby_item *item = &nearby->items[nearby->count++];
    item->body = body;
    item->whole = *whole;
    item->index = index;
    item->is_made = false;
    item->slack = slack;
    return item;
}

/* Adds a convex body, with the gap between the bounding balls. */
static void add_convex(gjk_nearby *nearby, const gjk_body *body, const gjk_placed *whole,
                       const gjk_placed *moving, double radius, double slack) {
    const gjk_vec3 off = gjk_sub3(gjk_pose_apply(&moving->pose, moving->shape->center),
                                  gjk_pose_apply(&whole->pose, whole->shape->center));
    const double length = gjk_length3(off);
    const double gap =
        length - whole->shape->bounding_radius - moving->shape->bounding_radius - slack;
    if (gap > radius) {
        return;
    }
    gjk_nearby_item *item = add_item(nearby, body, whole, GJK_NO_PIECE, slack);
    if (item != NULL) {
        const bool is_apart = length > 0.0 && gap > 0.0;
        item->from = moving->pose.position;
        item->normal = is_apart ? gjk_scale3(1.0 / length, off) : (gjk_vec3){0, 0, 0};
        item->gap = is_apart ? gap : -INFINITY;
    }
}

/* Adds the pieces of a body that may be within a radius of the shape. */
static void add_pieces(gjk_nearby *nearby, const gjk_body *body, const gjk_placed *whole,
                       const gjk_placed *moving, double radius, double slack, gjk_budget *budget) {
    const struct gjk_pieces *pieces = whole->shape->pieces;
    const gjk_seen seen = gjk_seen_make(&whole->pose, moving);
    const gjk_bounds box = gjk_placed_bounds(&seen.placed);
    gjk_pieces_walk walk;
    uint32_t first, count;
    gjk_pieces_walk_begin(&walk, &pieces->tree, GJK_WALK_NEAR, &box, slack, INFINITY, budget);
    gjk_pieces_walk_ball(&walk, seen.center, moving->shape->bounding_radius + slack,
                         moving->shape->count == 1);
    gjk_pieces_walk_narrow(&walk, radius);
    while (!nearby->is_full && gjk_pieces_walk_next(&walk, &first, &count)) {
        for (uint32_t slot = first; slot < first + count; slot++) {
            const uint32_t index = gjk_slot_piece(&pieces->tree, slot);
            const gjk_gap gap = gjk_piece_gap(pieces, index, &seen, (gjk_vec3){0, 0, 0});
            if (gap.length - slack > radius) {
                continue;
            }
            gjk_nearby_item *item = add_item(nearby, body, whole, index, slack);
            if (item == NULL) {
                return;
            }
            item->from = moving->pose.position;
            item->normal = gjk_mul3(&whole->pose.rotation, gap.direction);
            item->gap = gap.length - slack;
        }
    }
}

static void search(gjk_nearby *nearby, const gjk_snapshot *snapshot, const gjk_placed *moving,
                   double radius, const gjk_selection *selection, double tolerance) {
    const gjk_query_bounds query = gjk_query_bounds_of(GJK_QUERY_NEAR, moving, tolerance);
    gjk_set_walk walk;
    gjk_leaf leaf;
    nearby->count = 0;
    nearby->is_full = false;
    nearby->center = moving->pose.position;
    nearby->radius = radius;
    nearby->slack = 0.0;
    nearby->has_solid = false;
    nearby->seen_by = NULL;
    gjk_set_walk_init(&walk, snapshot, selection);
    gjk_set_walk_aim(&walk, &query, radius);
    while (!nearby->is_full && gjk_set_walk_next(&walk, &leaf)) {
        gjk_placed room;
        const gjk_placed *whole = gjk_leaf_place(snapshot, &leaf, &room);
        const double slack = gjk_slack_of_pieces(whole, moving, radius, tolerance);
        nearby->slack = gjk_larger(nearby->slack, slack);
        if (whole->shape->pieces == NULL) {
            add_convex(nearby, leaf.body, whole, moving, radius, slack);
        } else if (!gjk_shape_is_empty(whole->shape)) {
            nearby->has_solid = nearby->has_solid || whole->shape->type == GJK_REGION ||
                                gjk_shape_is_solid(whole->shape);
            add_pieces(nearby, leaf.body, whole, moving, radius, slack, selection->budget);
        }
    }
}

/* Returns true if everything within `reach` of a place is in the cache. */
static bool covers(const gjk_nearby *nearby, gjk_vec3 at, double reach) {
    const double off = gjk_length3(gjk_sub3(at, nearby->center));
    return !nearby->is_full && off * (1.0 + ROUNDING) + reach <= nearby->radius;
}

bool gjk_nearby_keep(gjk_nearby *nearby, const gjk_snapshot *snapshot, const gjk_placed *moving,
                     double reach, const gjk_selection *selection, double tolerance) {
    if (covers(nearby, moving->pose.position, reach)) {
        return true;
    }
    while (!nearby->is_full) {
        const double wanted = gjk_length3(nearby->ahead);
        const double length = gjk_smaller(wanted, nearby->most);
        const double part = wanted > 0.0 ? 0.5 * length / wanted : 0.0;
        gjk_placed middle = *moving;
        middle.pose.position = gjk_add3(moving->pose.position, gjk_scale3(part, nearby->ahead));
        search(nearby, snapshot, &middle, AROUND * (reach + 0.5 * length), selection, tolerance);
        if (nearby->is_full && length > reach) {
            nearby->most = LESS * length;
            nearby->is_full = false;
        } else {
            break;
        }
    }
    return !nearby->is_full;
}

const gjk_placed *gjk_nearby_look(gjk_nearby *nearby, uint32_t i, const gjk_placed *moving,
                                  double reach) {
    gjk_nearby_item *item = &nearby->items[i];
    const gjk_vec3 at = moving->pose.position;
    const gjk_vec3 way = gjk_sub3(at, item->from);
    if (item->gap + gjk_dot3(item->normal, way) > reach) {
        return NULL;
    }
    if (item->index == GJK_NO_PIECE) {
        return &item->whole;
    }
    if (nearby->seen_by != item->body || at.x != nearby->seen_at.x || at.y != nearby->seen_at.y ||
        at.z != nearby->seen_at.z) {
        nearby->seen = gjk_seen_make(&item->whole.pose, moving);
        nearby->seen_at = at;
        nearby->seen_by = item->body;
    }
    const gjk_gap gap =
        gjk_piece_gap(item->whole.shape->pieces, item->index, &nearby->seen, (gjk_vec3){0, 0, 0});
    if (gap.length - item->slack > reach) {
        item->normal = gjk_mul3(&item->whole.pose.rotation, gap.direction);
        item->gap = gap.length - item->slack;
        item->from = at;
        return NULL;
    }
    if (!item->is_made) {
        gjk_piece_make(&item->whole, item->index, &item->piece);
        item->is_made = true;
    }
    return &item->piece.placed;
}

void gjk_nearby_note(gjk_nearby *nearby, uint32_t i, const gjk_placed *moving,
                     const gjk_distance_result *apart) {
    gjk_nearby_item *item = &nearby->items[i];
    if (apart->state == GJK_SEPARATED && apart->convergence == GJK_CONVERGED) {
        item->normal = apart->normal;
        item->gap = apart->lower_bound - item->slack;
        item->from = moving->pose.position;
    }
}

bool gjk_nearby_is_apart(gjk_nearby *nearby, const gjk_placed *moving) {
    bool is_apart = !nearby->has_solid && covers(nearby, moving->pose.position, nearby->slack);
    for (uint32_t i = 0; i < nearby->count && is_apart; i++) {
        is_apart = gjk_nearby_look(nearby, i, moving, nearby->slack) == NULL;
    }
    return is_apart;
}

/* Returns the fraction of the motion up to which the item's plane separates the shape from it;
 * INFINITY: for the whole motion. */
static double first_time(const gjk_nearby_item *item, gjk_vec3 at, gjk_vec3 way) {
    const double gap = item->gap + gjk_dot3(item->normal, gjk_sub3(at, item->from));
    const double rest = gap - 4.0 * item->slack, speed = -gjk_dot3(item->normal, way);
    if (!(rest > 0.0)) {
        return 0.0;
    }
    return rest > speed ? INFINITY : rest / speed;
}

/* Lists the pieces of one body, from item *i on, that may be hit, by their earliest possible time.
 * Returns their number; *i becomes the first item of the next body. */
static uint32_t find_met(const gjk_nearby *nearby, uint32_t *i, gjk_vec3 at, gjk_vec3 way,
                         uint32_t pieces[GJK_NEARBY_MAX]) {
    const gjk_body *body = nearby->items[*i].body;
    double times[GJK_NEARBY_MAX];
    uint32_t count = 0;
    for (; *i < nearby->count && nearby->items[*i].body == body; ++*i) {
        const double time = first_time(&nearby->items[*i], at, way);
        uint32_t k = count;
        if (time == INFINITY) {
            continue;
        }
        for (; k > 0 && times[k - 1] > time; k--) {
            times[k] = times[k - 1];
            pieces[k] = pieces[k - 1];
        }
        times[k] = time;
        pieces[k] = nearby->items[*i].index;
        count++;
    }
    return count;
}

static bool comes_first(const gjk_cast_hit *p, const gjk_cast_hit *q) {
    return !q->result.hit || p->result.fraction < q->result.fraction ||
           (p->result.fraction == q->result.fraction && strcmp(p->body->id, q->body->id) < 0);
}

bool gjk_nearby_cast(const gjk_nearby *nearby, const gjk_placed *moving, gjk_vec3 way,
                     const gjk_cast_settings *settings, gjk_cast_hit *out) {
    const gjk_vec3 at = moving->pose.position;
    const double reach = 4.0 * nearby->slack;
    out->result.hit = false;
    if (!covers(nearby, at, reach) || !covers(nearby, gjk_add3(at, way), reach)) {
        return false;
    }
    for (uint32_t i = 0; i < nearby->count;) {
        const gjk_nearby_item *first = &nearby->items[i];
        uint32_t pieces[GJK_NEARBY_MAX];
        const uint32_t count = find_met(nearby, &i, at, way, pieces);
        gjk_cast_hit hit = {.body = first->body};
        if (count > 0 && first->index == GJK_NO_PIECE) {
            hit.result = gjk_cast(moving, way, &first->whole, settings);
        } else if (count > 0) {
            hit.result = gjk_cast_at_pieces(moving, way, &first->whole, settings, pieces, count);
        }
        if (hit.result.hit && comes_first(&hit, out)) {
            *out = hit;
        }
    }
    return true;
}
