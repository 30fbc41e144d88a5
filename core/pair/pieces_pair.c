/*
 * Detect and distance where shapes of many pieces take part: the union's signed distance is the least
 * of its pieces', so the answer is that of one pair of pieces, found by walking the trees with the
 * best known so far. Who speaks: overlapping before touching before separated, then the deepest or
 * nearest, then the least indices. A shape that meets no triangle of a closed mesh, but has a point
 * in it, is inside.
 */

#include "pair/pieces_pair.h"

#include "base/larger.h"
#include "base/list.h"
#include "pair/inside_mesh.h"
#include "shape/pieces.h"

static bool comes_first(const gjk_piece_pair *p, uint32_t piece_a, uint32_t piece_b) {
    return p->piece_a != piece_a ? p->piece_a < piece_a : p->piece_b < piece_b;
}

static bool is_closed_mesh(const gjk_shape *shape) {
    return shape->pieces != NULL && shape->type == GJK_MESH && shape->pieces->closed;
}

/* Of shapes whose surfaces do not meet. */
static bool one_encloses(const gjk_placed *a, const gjk_placed *b, gjk_budget *budget) {
    return (is_closed_mesh(a->shape) && gjk_mesh_encloses_some(a, b, budget)) ||
           (is_closed_mesh(b->shape) && gjk_mesh_encloses_some(b, a, budget));
}

/* --- Detect --- */

typedef struct piece_detection {
    gjk_piece_visitor visitor; /* first: it is cast back */
    gjk_detect_settings settings;
    bool any;
    gjk_detect_result best;
} piece_detection;

static bool visit_detect(gjk_piece_visitor *visitor, const gjk_piece_pair *pair) {
    piece_detection *detection = (piece_detection *)visitor;
    gjk_detect_result *best = &detection->best;
    gjk_detect_result result = gjk_detect(pair->a, pair->b, &detection->settings);
    bool better =
        !detection->any || result.state > best->state ||
        (result.state == best->state &&
         (result.depth > best->depth ||
          (result.depth == best->depth && comes_first(pair, best->piece_a, best->piece_b))));
    if (better) {
        *best = result;
        best->piece_a = pair->piece_a;
        best->piece_b = pair->piece_b;
    }
    detection->any = true;
    visitor->depth = best->state == GJK_OVERLAPPING ? best->depth : 0.0;
    return detection->settings.penetration || best->state != GJK_OVERLAPPING;
}

/* The query about one pair of pieces, which is the whole's answer: with the recorder. */
static gjk_detect_result detect_again(const gjk_placed *a, const gjk_placed *b, uint32_t piece_a,
                                      uint32_t piece_b, const gjk_detect_settings *settings) {
    gjk_piece of_a, of_b;
    gjk_detect_settings alone = *settings;
    alone.cache = NULL;
    if (piece_a != GJK_NO_PIECE) {
        gjk_piece_make(a, piece_a, &of_a);
    }
    if (piece_b != GJK_NO_PIECE) {
        gjk_piece_make(b, piece_b, &of_b);
    }
    gjk_detect_result result = gjk_detect(piece_a != GJK_NO_PIECE ? &of_a.placed : a,
                                          piece_b != GJK_NO_PIECE ? &of_b.placed : b, &alone);
    result.piece_a = piece_a;
    result.piece_b = piece_b;
    return result;
}

static gjk_distance_settings distance_settings_of(const gjk_detect_settings *settings) {
    gjk_distance_settings distance = gjk_distance_settings_default();
    distance.tolerance = settings->tolerance;
    distance.max_iterations = settings->max_iterations;
    distance.first_direction = settings->first_direction;
    distance.solver = settings->solver;
    distance.budget = settings->budget;
    return distance;
}

static gjk_detect_result inside_result(void) {
    return (gjk_detect_result){.state = GJK_OVERLAPPING,
                               .inside = true,
                               .piece_a = GJK_NO_PIECE,
                               .piece_b = GJK_NO_PIECE};
}

static gjk_detect_result given_up_result(void) {
    return (gjk_detect_result){.given_up = true, .piece_a = GJK_NO_PIECE, .piece_b = GJK_NO_PIECE};
}

static gjk_distance_result distance_of_nearest(const gjk_placed *a, const gjk_placed *b,
                                               const gjk_distance_settings *settings);

gjk_detect_result gjk_detect_pieces(const gjk_placed *a, const gjk_placed *b,
                                    const gjk_detect_settings *settings) {
    piece_detection detection = {
        .visitor = {.visit = visit_detect,
                    .tolerance = settings->tolerance,
                    .budget = settings->budget},
        .settings = *settings,
        .best = {.piece_a = GJK_NO_PIECE, .piece_b = GJK_NO_PIECE},
    };
    detection.settings.recorder = NULL;
    detection.settings.cache = NULL;
    gjk_visit_piece_pairs(a, b, &detection.visitor);
    const gjk_detect_result *best = &detection.best;
    gjk_budget *budget = detection.visitor.budget;
    const bool inside =
        best->state == GJK_SEPARATED && !gjk_budget_is_spent(budget) && one_encloses(a, b, budget);
    if (gjk_budget_is_spent(budget)) {
        return given_up_result();
    }
    if (inside) {
        return inside_result();
    }
    if (best->state == GJK_SEPARATED && settings->penetration) {
        const gjk_distance_settings nearest = distance_settings_of(settings);
        const gjk_distance_result apart = distance_of_nearest(a, b, &nearest);
        return apart.given_up ? given_up_result()
                              : detect_again(a, b, apart.piece_a, apart.piece_b, settings);
    }
    return settings->recorder != NULL && settings->penetration
               ? detect_again(a, b, best->piece_a, best->piece_b, settings)
               : *best;
}

/* --- Distance --- */

typedef struct piece_distance {
    gjk_piece_visitor visitor; /* first: it is cast back */
    gjk_distance_settings settings;
    double least_bound; /* pairs this near may be touching, whatever is nearer */
    double lower_bound;
    bool any;
    gjk_distance_result best;
} piece_distance;

static bool visit_distance(gjk_piece_visitor *visitor, const gjk_piece_pair *pair) {
    piece_distance *measurement = (piece_distance *)visitor;
    gjk_distance_result *best = &measurement->best;
    gjk_distance_result result = gjk_distance(pair->a, pair->b, &measurement->settings);
    bool better =
        !measurement->any || result.state > best->state ||
        (result.state == best->state &&
         (result.distance < best->distance ||
          (result.distance == best->distance && comes_first(pair, best->piece_a, best->piece_b))));
    if (better) {
        *best = result;
        best->piece_a = pair->piece_a;
        best->piece_b = pair->piece_b;
    }
    measurement->any = true;
    measurement->lower_bound = gjk_smaller(measurement->lower_bound, result.lower_bound);
    visitor->bound = gjk_larger(best->distance, measurement->least_bound);
    return best->state != GJK_OVERLAPPING;
}

static gjk_distance_result distance_again(const gjk_placed *a, const gjk_placed *b,
                                          const gjk_detect_result *speaker,
                                          const gjk_distance_settings *settings) {
    gjk_piece of_a, of_b;
    if (speaker->piece_a != GJK_NO_PIECE) {
        gjk_piece_make(a, speaker->piece_a, &of_a);
    }
    if (speaker->piece_b != GJK_NO_PIECE) {
        gjk_piece_make(b, speaker->piece_b, &of_b);
    }
    gjk_distance_settings alone = *settings;
    alone.cache = NULL;
    gjk_distance_result result =
        gjk_distance(speaker->piece_a != GJK_NO_PIECE ? &of_a.placed : a,
                     speaker->piece_b != GJK_NO_PIECE ? &of_b.placed : b, &alone);
    result.piece_a = speaker->piece_a;
    result.piece_b = speaker->piece_b;
    return result;
}

/* The answer that names no pieces: one encloses the other, or the budget is spent. */
static gjk_distance_result no_distance(bool inside) {
    return (gjk_distance_result){.state = inside ? GJK_OVERLAPPING : GJK_SEPARATED,
                                 .inside = inside,
                                 .given_up = !inside,
                                 .piece_a = GJK_NO_PIECE,
                                 .piece_b = GJK_NO_PIECE};
}

/* The deepest pair speaks where pieces overlap. */
static gjk_distance_result distance_of_deepest(const gjk_placed *a, const gjk_placed *b,
                                               const gjk_distance_settings *settings) {
    gjk_detect_settings depth = gjk_detect_settings_default();
    depth.tolerance = settings->tolerance;
    depth.max_iterations = settings->max_iterations;
    depth.first_direction = settings->first_direction;
    depth.solver = settings->solver;
    depth.budget = settings->budget;
    const gjk_detect_result deepest = gjk_detect_pieces(a, b, &depth);
    return deepest.given_up ? no_distance(false) : distance_again(a, b, &deepest, settings);
}

/* Of the nearest pair of pieces; of one that overlaps, whichever is met first. */
static gjk_distance_result distance_of_nearest(const gjk_placed *a, const gjk_placed *b,
                                               const gjk_distance_settings *settings) {
    piece_distance measurement = {
        .visitor = {.visit = visit_distance,
                    .bound = INFINITY,
                    .tolerance = settings->tolerance,
                    .budget = settings->budget},
        .settings = *settings,
        .least_bound = settings->tolerance * gjk_larger(a->shape->size, b->shape->size),
        .lower_bound = INFINITY,
        .best = {.piece_a = GJK_NO_PIECE, .piece_b = GJK_NO_PIECE},
    };
    measurement.settings.recorder = NULL;
    measurement.settings.cache = NULL;
    gjk_visit_piece_pairs(a, b, &measurement.visitor);
    gjk_distance_result result = measurement.best;
    gjk_budget *budget = measurement.visitor.budget;
    const bool inside =
        result.state == GJK_SEPARATED && !gjk_budget_is_spent(budget) && one_encloses(a, b, budget);
    if (inside || gjk_budget_is_spent(budget)) {
        return no_distance(inside && !gjk_budget_is_spent(budget));
    }
    if (result.state == GJK_OVERLAPPING) {
        return result;
    }
    if (settings->recorder != NULL) {
        const gjk_detect_result speaker = {.piece_a = result.piece_a, .piece_b = result.piece_b};
        result = distance_again(a, b, &speaker, settings);
    }
    result.lower_bound = gjk_smaller(result.lower_bound, measurement.lower_bound);
    return result;
}

gjk_distance_result gjk_distance_pieces(const gjk_placed *a, const gjk_placed *b,
                                        const gjk_distance_settings *settings) {
    const gjk_distance_result nearest = distance_of_nearest(a, b, settings);
    return nearest.state == GJK_OVERLAPPING && !nearest.inside ? distance_of_deepest(a, b, settings)
                                                               : nearest;
}

/* --- Contacts --- */

typedef struct piece_contacts {
    gjk_piece_visitor visitor; /* first: it is cast back */
    gjk_detect_settings settings;
    gjk_list found;
    uint32_t limit;
    bool out_of_memory;
} piece_contacts;

static int deepest_first(const void *p, const void *q) {
    const gjk_detect_result *a = p, *b = q;
    if (a->depth != b->depth) {
        return a->depth > b->depth ? -1 : 1;
    }
    if (a->piece_a != b->piece_a) {
        return a->piece_a < b->piece_a ? -1 : 1;
    }
    return a->piece_b < b->piece_b ? -1 : a->piece_b > b->piece_b;
}

static bool visit_contact(gjk_piece_visitor *visitor, const gjk_piece_pair *pair) {
    piece_contacts *contacts = (piece_contacts *)visitor;
    gjk_detect_result result = gjk_detect(pair->a, pair->b, &contacts->settings);
    if (result.state == GJK_SEPARATED) {
        return true;
    }
    result.piece_a = pair->piece_a;
    result.piece_b = pair->piece_b;
    contacts->out_of_memory =
        !gjk_list_offer(&contacts->found, contacts->limit, deepest_first, &result);
    if (contacts->found.truncated) {
        /* Full: the list is a heap whose last contact stands in front. */
        visitor->depth = ((const gjk_detect_result *)(void *)contacts->found.items)->depth;
    }
    return !contacts->out_of_memory;
}

gjk_status gjk_pair_contacts(const gjk_placed *a, const gjk_placed *b,
                             const gjk_detect_settings *settings, uint32_t limit,
                             struct gjk_arena *arena, gjk_contacts *out) {
    GJK_ASSERT(limit >= 1 && limit <= GJK_CONTACTS_MAX);
    piece_contacts contacts = {
        .visitor = {.visit = visit_contact,
                    .tolerance = settings->tolerance,
                    .budget = settings->budget},
        .settings = *settings,
        .found = gjk_list_make(arena, sizeof(gjk_detect_result)),
        .limit = limit,
    };
    contacts.settings.recorder = NULL;
    contacts.settings.cache = NULL;
    contacts.settings.penetration = true;
    if (a->shape->pieces != NULL || b->shape->pieces != NULL) {
        gjk_visit_piece_pairs(a, b, &contacts.visitor);
    } else {
        const gjk_piece_pair pair = {a, b, GJK_NO_PIECE, GJK_NO_PIECE};
        (void)visit_contact(&contacts.visitor, &pair);
    }
    *out = (gjk_contacts){(gjk_detect_result *)(void *)contacts.found.items, contacts.found.count,
                          contacts.found.truncated};
    if (contacts.out_of_memory) {
        return GJK_OUT_OF_MEMORY;
    }
    return gjk_budget_is_spent(contacts.visitor.budget)
               ? GJK_GIVEN_UP
               : gjk_list_sort(&contacts.found, deepest_first);
}
