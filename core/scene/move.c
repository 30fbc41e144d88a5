/*
 * Collide and slide: after Quake's PM_SlideMove and PM_StepSlideMove, with casts against a set in
 * place of traces. At each place, the touches within the skin determine where the rest of the
 * motion may lead; a cast determines how far. Deviations: the gap to a contact is measured, instead
 * of pushing back by a constant; a leg ends where the contact that turns it ends; seams between
 * pieces are no contacts (touches.c).
 */

#include "gjk/move.h"

#include "base/numbers.h"
#include "gjk/pieces.h"
#include "scene/scene.h"
#include "scene/touches.h"

/* Limit of legs, in addition to one per turn. */
#define ROUNDS 64
/* Legs of a step: up, along, down. */
#define STEP_LEGS 3
#define CONTACTS_MAX 128
#define LEGS_MAX (ROUNDS + (STEP_LEGS + 1) * GJK_SLIDES_MAX + 1)
/* Maximum number of pushes out of overlaps. */
#define PUSHES_MAX 32
/* Relative tolerance of the skin: gaps within it are contacts. */
#define SKIN_SLACK 1e-3
/* Newton iterations for a gap, and where they end, relative to the skin. */
#define GAP_STEPS 12
#define GAP_CLOSE 1e-7
/* Bisections for the end of a contact. */
#define END_STEPS 12
/* Cosines between normals above which a contact continues, and two slides count as one. */
#define GOES_ON 0.9
#define SAME_SLIDE 0.996
/* The tolerance for the end of a contact doubles with each end, up to this often; otherwise a round
 * edge would cause many short legs. */
#define ENDS_MAX 6
/* If a step does not land, shorter multiples of 1 / STEP_TRIES of its length are tried. */
#define STEP_TRIES 8
/* Maximum number of normals from casts that are added to the touches of a place. */
#define EXTRAS_MAX 4
/* Fraction of a length that counts as zero. */
#define NO_WAY 1e-9

typedef struct mover {
    const gjk_snapshot *snapshot;
    const gjk_move *move;
    const gjk_selection *selection;
    gjk_move_result *out;
    gjk_upright upright;
    gjk_placed placed;     /* the moving shape at the place last examined */
    gjk_vec3 start, moved; /* the current position is their sum */
    double rest;           /* fraction of the translation not done yet */
    double near;           /* gaps up to this are contacts */
    uint32_t turns, steps, ends;
    gjk_nearby *nearby;
    gjk_touches seen; /* touches at seen_at within seen_reach */
    gjk_vec3 seen_at;
    double seen_reach;               /* negative: no place yet */
    gjk_vec3 slides[GJK_SLIDES_MAX]; /* normals that have turned the motion */
    gjk_status status;               /* nothing more is done after an error */
} mover;

gjk_move gjk_move_make(const gjk_placed *moving, gjk_vec3 translation) {
    const gjk_shape *shape = moving->shape;
    const gjk_vec3 half = shape->half_extents;
    double least = INFINITY;
    least = half.x > 0.0 ? half.x : least;
    least = half.y > 0.0 ? gjk_smaller(least, half.y) : least;
    least = half.z > 0.0 ? gjk_smaller(least, half.z) : least;
    return (gjk_move){
        .moving = *moving,
        .translation = translation,
        .max_slope = 0.78539816339744831,
        .skin = 1e-4 * (shape->size > 0.0 ? shape->size : gjk_length3(translation)),
        .depenetrate = least < INFINITY ? least : 0.0,
        .slides = 8,
        .tolerance = GJK_TOLERANCE_DEFAULT,
        .max_iterations = GJK_ITERATIONS_DEFAULT,
    };
}

/* --- Looking --- */

static gjk_vec3 here(const mover *m) {
    return gjk_add3(m->start, m->moved);
}

static const gjk_placed *placed_at(mover *m, gjk_vec3 at) {
    m->placed.pose.position = at;
    return &m->placed;
}

static gjk_distance_settings distance_settings(const mover *m) {
    gjk_distance_settings settings = gjk_distance_settings_default();
    settings.tolerance = m->move->tolerance;
    settings.max_iterations = m->move->max_iterations;
    settings.budget = m->selection->budget;
    return settings;
}

/* Returns the smallest reach of a search for touches. */
static double reach_of_look(const mover *m) {
    return m->near + m->move->skin;
}

/* Returns the touches at a place within a reach. The last result is cached: most places are
 * examined twice, and a smaller reach only drops the farthest touches. */
static gjk_touches touches_at(mover *m, gjk_vec3 at, double reach) {
    const gjk_distance_settings settings = distance_settings(m);
    const double wide = gjk_larger(reach, reach_of_look(m));
    const bool is_known = wide <= m->seen_reach && at.x == m->seen_at.x && at.y == m->seen_at.y &&
                          at.z == m->seen_at.z;
    gjk_touches touches = {.count = 0};
    if (m->status == GJK_OK && !is_known) {
        m->nearby->ahead = gjk_scale3(m->rest, m->move->translation);
        m->status = gjk_touches_find(m->snapshot, placed_at(m, at), wide, m->selection, &settings,
                                     m->nearby, &m->seen);
        m->seen_at = at;
        m->seen_reach = wide;
    }
    while (m->status == GJK_OK && touches.count < m->seen.count &&
           m->seen.items[touches.count].gap <= reach) {
        touches.items[touches.count] = m->seen.items[touches.count];
        touches.count++;
    }
    return touches;
}

/* The free distance in one direction. */
typedef struct passage {
    double length;
    bool is_stopped;
    gjk_cast_hit hit; /* what stops the motion */
} passage;

/* Finds the first contact in the whole set. Returns a result that is no hit if there is none. */
static gjk_cast_hit cast_at_set(mover *m, const gjk_sweep *sweep,
                                const gjk_cast_settings *settings) {
    const gjk_arena_mark mark = gjk_arena_here(m->selection->arena);
    gjk_selection first = *m->selection;
    gjk_cast_hits hits = {.count = 0};
    gjk_cast_hit hit = {.body = NULL};
    first.limit = 1;
    first.rest_unasked = true;
    m->status = gjk_set_cast(m->snapshot, sweep, &first, settings, &hits);
    if (m->status == GJK_OK && hits.count > 0) {
        hit = hits.items[0];
    }
    gjk_arena_rewind(m->selection->arena, mark);
    return hit;
}

/* Finds the first contact of the shape from `at`, as gjk_set_cast defines it. Returns false if
 * there is none. */
static bool first_contact(mover *m, gjk_vec3 at, gjk_vec3 way, gjk_at_start at_start,
                          gjk_cast_hit *hit) {
    const gjk_sweep sweep = {*placed_at(m, at), way};
    const gjk_cast_settings settings = {.tolerance = m->move->tolerance,
                                        .max_iterations = m->move->max_iterations,
                                        .at_start = at_start,
                                        .budget = m->selection->budget};
    if (!gjk_nearby_cast(m->nearby, &sweep.moving, way, &settings, hit)) {
        *hit = cast_at_set(m, &sweep, &settings);
    } else if (gjk_budget_is_spent(settings.budget)) {
        m->status = GJK_GIVEN_UP;
    }
    const bool is_hit = m->status == GJK_OK && hit->result.hit;
    if (is_hit) {
        m->out->iterations += hit->result.iterations;
        if (hit->result.convergence != GJK_CONVERGED) {
            m->out->convergence = hit->result.convergence;
        }
    }
    return is_hit;
}

/*
 * Returns the distance along `unit` at which the gap to a contact equals the skin. The gap of two
 * convex shapes is a convex function of that distance, so Newton's method from a smaller distance
 * never passes it.
 */
static double keep_gap(mover *m, gjk_vec3 at, gjk_vec3 unit, const gjk_cast_hit *hit) {
    const gjk_cast_result *r = &hit->result;
    const double skin = m->move->skin, speed = -gjk_dot3(unit, r->normal);
    if (r->inside || !r->has_normal || !(speed > 0.0)) {
        return 0.0;
    }
    const gjk_distance_settings settings = distance_settings(m);
    const gjk_placed whole = gjk_snapshot_place(m->snapshot, hit->body);
    gjk_piece target;
    gjk_part_make(&whole, r->piece, &target);
    double along = gjk_larger(0.0, r->distance - skin / speed);
    for (int i = 0; i < GAP_STEPS; i++) {
        const gjk_placed *placed = placed_at(m, gjk_add3(at, gjk_scale3(along, unit)));
        const gjk_distance_result gap = gjk_distance(&target.placed, placed, &settings);
        const double rest = gap.distance - skin, closing = -gjk_dot3(unit, gap.normal);
        if (!(rest > GAP_CLOSE * skin) || !(closing > 0.0)) {
            break;
        }
        along = gjk_smaller(along + rest / closing, r->distance);
    }
    return along;
}

static passage pass(mover *m, gjk_vec3 at, gjk_vec3 unit, double length) {
    passage free = {.length = length};
    const gjk_vec3 way = gjk_scale3(length + 2.0 * m->move->skin, unit);
    if (m->status == GJK_OK && first_contact(m, at, way, GJK_AT_START_LEAVING, &free.hit)) {
        free.length = gjk_smaller(keep_gap(m, at, unit, &free.hit), length);
        free.is_stopped = free.length < length;
    }
    return free;
}

/* --- Recording --- */

static void add_leg(mover *m, gjk_vec3 leg) {
    gjk_move_result *out = m->out;
    m->moved = gjk_add3(m->moved, leg);
    if (out->leg_count < LEGS_MAX && (leg.x != 0.0 || leg.y != 0.0 || leg.z != 0.0)) {
        out->legs[out->leg_count++] = gjk_no_minus_zero3(leg);
    }
}

static gjk_move_contact contact_of(const mover *m, const gjk_touch *touch) {
    gjk_move_contact contact = {.body = touch->body,
                                .piece = touch->piece,
                                .fraction = 1.0 - m->rest,
                                .point = touch->point,
                                .normal = touch->normal};
    contact.has_material =
        touch->piece != GJK_NO_PIECE &&
        gjk_piece_material(touch->body->placed.shape->pieces, touch->piece, &contact.material);
    return contact;
}

/* Records a contact unless it is recorded already. Returns its record, or the last one if there is
 * no room. */
static gjk_move_contact *record(mover *m, const gjk_touch *touch) {
    gjk_move_result *out = m->out;
    for (uint32_t i = 0; i < out->count; i++) {
        gjk_move_contact *known = &out->items[i];
        if (known->body == touch->body && known->piece == touch->piece &&
            gjk_dot3(known->normal, touch->normal) > SAME_SLIDE) {
            return known;
        }
    }
    if (out->count == CONTACTS_MAX) {
        out->truncated = true;
        return &out->items[CONTACTS_MAX - 1];
    }
    out->items[out->count] = contact_of(m, touch);
    return &out->items[out->count++];
}

/* Counts a turn by a normal, unless a similar one has been counted. Returns false if the limit is
 * exceeded. */
static bool count_turn(mover *m, gjk_vec3 normal) {
    for (uint32_t i = 0; i < m->turns; i++) {
        if (gjk_dot3(m->slides[i], normal) > SAME_SLIDE) {
            return true;
        }
    }
    if (m->turns == m->move->slides) {
        return false;
    }
    m->slides[m->turns++] = normal;
    return true;
}

/* --- Pushing out --- */

/* Finds all bodies that the shape meets at a place, with or without their depths. */
static gjk_hits hits_at(mover *m, gjk_vec3 at, bool penetration) {
    gjk_detect_settings settings = distance_settings(m);
    gjk_selection all = *m->selection;
    gjk_hits hits = {.count = 0};
    settings.penetration = penetration;
    all.limit = UINT32_MAX;
    m->status = gjk_set_detect(m->snapshot, placed_at(m, at), &all, &settings, &hits);
    return hits;
}

/* Finds the deepest overlap at a place after the `skipped` deepest. Returns false if there is
 * none. */
static bool find_deepest(mover *m, gjk_vec3 at, uint32_t skipped, gjk_detect_result *out) {
    const gjk_arena_mark mark = gjk_arena_here(m->selection->arena);
    const gjk_hits hits = hits_at(m, at, true);
    bool is_found = false;
    for (uint32_t round = 0; m->status == GJK_OK && round <= skipped; round++) {
        gjk_hit *deepest = NULL;
        for (uint32_t i = 0; i < hits.count; i++) {
            const gjk_detect_result *r = &hits.items[i].result;
            if (r->state == GJK_OVERLAPPING && r->depth > 0.0 &&
                (deepest == NULL || r->depth > deepest->result.depth)) {
                deepest = &hits.items[i];
            }
        }
        is_found = deepest != NULL;
        if (is_found) {
            *out = deepest->result;
            deepest->result.depth = 0.0;
        }
    }
    gjk_arena_rewind(m->selection->arena, mark);
    return is_found;
}

/* Returns true if the shape overlaps a body at the start. Cheaper than computing depths. */
static bool overlaps_any(mover *m) {
    const gjk_arena_mark mark = gjk_arena_here(m->selection->arena);
    m->nearby->ahead = m->move->translation;
    if (m->move->moving.shape->pieces == NULL &&
        gjk_nearby_keep(m->nearby, m->snapshot, placed_at(m, m->start), reach_of_look(m),
                        m->selection, m->move->tolerance) &&
        gjk_nearby_is_apart(m->nearby, &m->placed)) {
        return false;
    }
    const gjk_hits hits = hits_at(m, m->start, false);
    bool is_found = false;
    for (uint32_t i = 0; m->status == GJK_OK && i < hits.count; i++) {
        is_found = is_found || hits.items[i].result.state == GJK_OVERLAPPING;
    }
    gjk_arena_rewind(m->selection->arena, mark);
    return is_found;
}

static void push_out(mover *m) {
    double left = m->move->depenetrate > 0.0 && overlaps_any(m) ? m->move->depenetrate : 0.0;
    gjk_vec3 pushed = {0, 0, 0};
    uint32_t skipped = 0;
    for (int i = 0; i < PUSHES_MAX && left > 0.0; i++) {
        gjk_detect_result deep;
        gjk_cast_hit hit;
        if (!find_deepest(m, gjk_add3(m->start, pushed), skipped, &deep)) {
            break;
        }
        double length = gjk_smaller(deep.depth, left);
        gjk_vec3 way = gjk_scale3(-length, deep.normal);
        if (first_contact(m, gjk_add3(m->start, pushed), way, GJK_AT_START_IGNORE, &hit)) {
            way = gjk_scale3(hit.result.fraction, way);
            length *= hit.result.fraction;
        }
        if (m->status != GJK_OK) {
            break;
        }
        skipped = length > NO_WAY * deep.depth ? 0 : skipped + 1;
        pushed = gjk_add3(pushed, way);
        left -= length;
    }
    m->start = gjk_add3(m->start, pushed);
    m->out->pushed = gjk_no_minus_zero3(pushed);
}

/* --- Steps --- */

/* A place where the shape lands on a floor. */
typedef struct landing {
    double drop;
    gjk_touch floor;
} landing;

static const gjk_touch *find_floor(const mover *m, const gjk_touches *touches) {
    for (uint32_t i = 0; i < touches->count; i++) {
        if (gjk_is_floor(&m->upright, touches->items[i].normal)) {
            return &touches->items[i];
        }
    }
    return NULL;
}

/* Moves the shape down from a place by at most `most`. Returns true if it lands on a floor. Sets
 * out->drop in either case. */
static bool land(mover *m, gjk_vec3 at, double most, landing *out) {
    const gjk_vec3 down = gjk_neg3(m->upright.up);
    const passage fall = pass(m, at, down, most);
    out->drop = fall.length;
    if (!fall.is_stopped || m->status != GJK_OK) {
        return false;
    }
    const gjk_touches touches = touches_at(m, gjk_add3(at, gjk_scale3(fall.length, down)), m->near);
    const gjk_touch *floor = find_floor(m, &touches);
    if (floor != NULL) {
        out->floor = *floor;
    }
    return floor != NULL;
}

/* Returns half of the shape's extent along a direction. */
static double half_width(const mover *m, gjk_vec3 unit) {
    const gjk_bounds box = gjk_placed_bounds(&m->placed);
    const gjk_vec3 half = gjk_scale3(0.5, gjk_sub3(box.max, box.min));
    return fabs(unit.x) * half.x + fabs(unit.y) * half.y + fabs(unit.z) * half.z;
}

/* Returns the distance along a step, at most along->length, from which the shape lands on a floor;
 * negative if there is none. A round shape may first come down on the edge of the step: then the
 * floor is searched for half a width further. */
static double find_landing(mover *m, gjk_vec3 top, gjk_vec3 unit, const passage *along, double rise,
                           landing *out) {
    const double most = rise + 2.0 * m->move->skin;
    if (land(m, gjk_add3(top, gjk_scale3(along->length, unit)), most, out)) {
        return along->length;
    }
    const double edge = out->drop, wide = half_width(m, unit);
    if (edge < rise && along->length < wide && !along->is_stopped) {
        const passage further = pass(m, top, unit, wide);
        if (land(m, gjk_add3(top, gjk_scale3(further.length, unit)), most, out)) {
            out->drop = edge;
            return along->length;
        }
    }
    for (int i = STEP_TRIES - 1; i > 0 && m->status == GJK_OK; i--) {
        const double length = along->length * i / STEP_TRIES;
        if (land(m, gjk_add3(top, gjk_scale3(length, unit)), most, out)) {
            return length;
        }
    }
    return -1.0;
}

/* Climbs the wall in front if its top is within the height of a step. Returns false if it does
 * not. */
static bool climb(mover *m, const gjk_touch *wall) {
    const gjk_vec3 up = m->upright.up, way = gjk_scale3(m->rest, m->move->translation);
    const gjk_vec3 level = gjk_sub3(way, gjk_scale3(gjk_dot3(way, up), up));
    const double length = gjk_length3(level);
    if (!(length > 0.0) || !(m->move->step > 0.0) || m->steps == GJK_SLIDES_MAX ||
        !(gjk_dot3(level, wall->normal) < -NO_WAY * length)) {
        return false;
    }
    const gjk_vec3 unit = gjk_scale3(1.0 / length, level);
    const double rise = pass(m, here(m), up, m->move->step).length;
    const gjk_vec3 top = gjk_add3(here(m), gjk_scale3(rise, up));
    const passage along = pass(m, top, unit, length);
    const double least = gjk_smaller(m->move->skin, 0.5 * length);
    landing place;
    if (m->status != GJK_OK || !(rise > 0.0) || !(along.length > least)) {
        return false;
    }
    const double found = find_landing(m, top, unit, &along, rise, &place);
    if (m->status != GJK_OK || !(found > least)) {
        return false;
    }
    record(m, wall)->step = true;
    add_leg(m, gjk_scale3(rise, up));
    add_leg(m, gjk_scale3(found, unit));
    add_leg(m, gjk_scale3(-place.drop, up));
    m->rest *= 1.0 - found / length;
    m->steps++;
    m->out->grounded = true; /* a further slide resets this */
    m->out->ground = contact_of(m, &place.floor);
    return true;
}

/* --- Sliding --- */

/* Returns true if each contact that turns a leg also exists at a place, or one with a similar
 * normal. */
static bool is_held(mover *m, gjk_vec3 at, const gjk_touches *turning) {
    const gjk_touches now = touches_at(m, at, m->near + m->move->skin * (1u << m->ends));
    for (uint32_t i = 0; i < turning->count; i++) {
        bool goes_on = false;
        for (uint32_t k = 0; k < now.count && !goes_on; k++) {
            goes_on = gjk_dot3(now.items[k].normal, turning->items[i].normal) >= GOES_ON;
        }
        if (!goes_on) {
            return false;
        }
    }
    return true;
}

/* Returns the distance along a leg for which the contacts that turn it last. */
static double held_length(mover *m, gjk_vec3 unit, double length, const gjk_touches *touches) {
    gjk_touches turning = {.count = 0};
    for (uint32_t i = 0; i < touches->count; i++) {
        const gjk_vec3 n = touches->items[i].normal;
        if (gjk_dot3(n, m->move->translation) < 0.0 && fabs(gjk_dot3(n, unit)) < 1e-6) {
            turning.items[turning.count++] = touches->items[i];
        }
    }
    const gjk_vec3 at = here(m);
    if (turning.count == 0 || is_held(m, gjk_add3(at, gjk_scale3(length, unit)), &turning)) {
        return length;
    }
    double low = 0.0, high = length;
    for (int i = 0; i < END_STEPS && m->status == GJK_OK; i++) {
        const double middle = 0.5 * (low + high);
        *(is_held(m, gjk_add3(at, gjk_scale3(middle, unit)), &turning) ? &low : &high) = middle;
    }
    m->ends += m->ends < ENDS_MAX;
    return high > 1e-6 * length ? high : length;
}

/* Records the contacts that oppose the motion, and climbs one if possible. Returns false if the
 * motion ends here. */
static bool meet(mover *m, const gjk_touches *touches, bool *climbs) {
    const gjk_vec3 way = m->move->translation;
    const double least = -NO_WAY * gjk_length3(way);
    bool may_go_on = true;
    *climbs = false;
    for (uint32_t i = 0; i < touches->count && !*climbs; i++) {
        const gjk_touch *touch = &touches->items[i];
        if (!(gjk_dot3(touch->normal, way) < least)) {
            continue;
        }
        *climbs = m->upright.has_up && !gjk_is_floor(&m->upright, touch->normal) && climb(m, touch);
        if (!*climbs) {
            (void)record(m, touch);
            may_go_on = count_turn(m, touch->normal) && may_go_on;
        }
    }
    return may_go_on || *climbs;
}

/* A direction for the next leg. */
typedef struct slide_way {
    gjk_vec3 unit;
    double length; /* wanted distance along it */
    passage free;
} slide_way;

/* Finds the direction that the touches leave free, and how far a cast gets along it. If the cast is
 * stopped at once, for example by a remaining overlap, its contact is added to the touches and the
 * search begins again. Returns false if no motion is possible. */
static bool find_way(mover *m, gjk_touches *touches, slide_way *out) {
    const gjk_vec3 wish = gjk_scale3(m->rest, m->move->translation);
    for (int extras = 0;; extras++) {
        const gjk_vec3 way = gjk_touches_turn(touches, &m->upright, wish);
        const double length = gjk_length3(way), size = m->move->moving.shape->size;
        if (!(length > NO_WAY * gjk_length3(m->move->translation))) {
            return false;
        }
        out->unit = gjk_scale3(1.0 / length, way);
        out->length = length;
        out->free = pass(m, here(m), out->unit, length);
        const double least = NO_WAY * (size > 0.0 ? gjk_smaller(size, length) : length);
        if (m->status != GJK_OK || !out->free.is_stopped || out->free.length > least) {
            return m->status == GJK_OK;
        }
        const gjk_cast_result *r = &out->free.hit.result;
        if (extras == EXTRAS_MAX || touches->count == GJK_TOUCHES_MAX || !r->has_normal) {
            return false;
        }
        const gjk_touch extra = {.body = out->free.hit.body,
                                 .piece = r->piece,
                                 .normal = r->normal,
                                 .point = r->point};
        touches->items[touches->count++] = extra;
        (void)record(m, &extra);
    }
}

/*
 * Finds a direction that the touches forbid and a cast does not. At a corner or an edge, all
 * normals of a cone separate the two shapes, and the normal at the nearest points may forbid what
 * another allows. Each touch in turn is dropped; if the cast meets it, it returns with the normal
 * of the cast. A shape that is round everywhere has one normal at each place and does not need
 * this.
 */
static bool find_way_past(mover *m, gjk_touches *touches, slide_way *out) {
    for (uint32_t i = 0; i < touches->count && m->status == GJK_OK; i++) {
        gjk_touches others = *touches;
        others.items[i] = others.items[--others.count];
        if (gjk_dot3(touches->items[i].normal, m->move->translation) < 0.0 &&
            find_way(m, &others, out)) {
            *touches = others;
            return true;
        }
    }
    return false;
}

/* Moves along one leg. Returns false if no motion is possible, or none is left. */
static bool slide(mover *m, gjk_touches *touches) {
    const gjk_shape *shape = m->move->moving.shape;
    const bool is_round = shape->pieces == NULL && shape->radius > m->move->skin;
    slide_way way;
    if (!find_way(m, touches, &way) && (is_round || !find_way_past(m, touches, &way))) {
        return false;
    }
    const double held = held_length(m, way.unit, way.free.length, touches);
    add_leg(m, gjk_scale3(held, way.unit));
    m->rest *= 1.0 - held / way.length;
    m->out->grounded = false;
    return m->status == GJK_OK && (way.free.is_stopped || held < way.free.length);
}

static void slide_all(mover *m) {
    for (uint32_t i = 0; i < ROUNDS + m->turns && m->status == GJK_OK; i++) {
        gjk_touches touches = touches_at(m, here(m), m->near);
        bool climbs;
        if (!meet(m, &touches, &climbs)) {
            return;
        }
        if (climbs) {
            if (m->rest <= NO_WAY) {
                return;
            }
        } else if (!slide(m, &touches)) {
            return;
        }
    }
}

/* --- Ground --- */

static void find_ground(mover *m) {
    gjk_move_result *out = m->out;
    const gjk_touches touches = touches_at(m, here(m), m->near + m->move->skin);
    const gjk_touch *floor = find_floor(m, &touches);
    if (floor != NULL) {
        m->rest = 0.0;
        out->grounded = true;
        out->ground = contact_of(m, floor);
    }
}

static void snap_down(mover *m) {
    const double rise = gjk_dot3(m->move->translation, m->upright.up);
    landing found;
    if (m->move->snap > 0.0 && rise <= NO_WAY * gjk_length3(m->move->translation) &&
        land(m, here(m), m->move->snap, &found) && found.drop > GAP_CLOSE * m->move->skin) {
        add_leg(m, gjk_scale3(-found.drop, m->upright.up));
    }
}

/* --- The whole --- */

static mover make_mover(const gjk_snapshot *snapshot, const gjk_move *move,
                        const gjk_selection *selection, gjk_move_result *out) {
    mover m = {.snapshot = snapshot,
               .move = move,
               .selection = selection,
               .out = out,
               .upright = {.dimension = move->moving.shape->dimension, .has_up = move->has_up},
               .placed = move->moving,
               .start = move->moving.pose.position,
               .rest = 1.0,
               .seen_reach = -1.0,
               .status = GJK_OK};
    m.near = move->skin * (1.0 + SKIN_SLACK) + 4.0 * move->tolerance * move->moving.shape->size;
    if (move->has_up) {
        const double most = gjk_largest3(move->up);
        const gjk_vec3 up = {move->up.x / most, move->up.y / most, move->up.z / most};
        double sine;
        m.upright.up = gjk_scale3(1.0 / gjk_length3(up), up);
        gjk_sincos(move->max_slope, &sine, &m.upright.least_floor);
        m.upright.least_floor -= NO_WAY;
    }
    *out = (gjk_move_result){.convergence = GJK_CONVERGED};
    out->legs = gjk_arena_alloc_array(selection->arena, LEGS_MAX, sizeof *out->legs);
    out->items = gjk_arena_alloc_array(selection->arena, CONTACTS_MAX, sizeof *out->items);
    if (out->legs == NULL || out->items == NULL) {
        m.status = GJK_OUT_OF_MEMORY;
    }
    return m;
}

gjk_status gjk_set_move(const gjk_snapshot *snapshot, const gjk_move *move,
                        const gjk_selection *selection, gjk_move_result *out) {
    GJK_ASSERT(move->slides >= 1 && move->slides <= GJK_SLIDES_MAX);
    GJK_ASSERT(move->moving.shape->dimension == gjk_set_dimension(snapshot->set));
    mover m = make_mover(snapshot, move, selection, out);
    gjk_nearby nearby;
    gjk_nearby_init(&nearby);
    m.nearby = &nearby;
    if (m.status == GJK_OK) {
        push_out(&m);
    }
    slide_all(&m);
    if (move->has_up && m.status == GJK_OK) {
        snap_down(&m);
        find_ground(&m);
    }
    if (m.status == GJK_OK && gjk_budget_is_spent(selection->budget)) {
        m.status = GJK_GIVEN_UP;
    }
    out->moved = gjk_no_minus_zero3(m.moved);
    out->position = gjk_no_minus_zero3(here(&m));
    out->blocked = gjk_no_minus_zero3(gjk_sub3(move->translation, m.moved));
    return m.status;
}
