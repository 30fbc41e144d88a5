/*
 * Cylinders, cones, capsules and points as hulls of two discs: support points and cover.
 *
 * Support points are in the frame of the pair. The support point of a disc along d is the point of
 * its rim in the direction of d projected into the disc's plane; that of the hull is the farther of
 * the two.
 */

#include "pair/direct/round.h"

#include "base/numbers.h"
#include "base/two.h"
#include "shape/convex/scan.h"

/* Squared lengths between these limits are far from overflow and underflow. */
#define LONGEST 0x1p900
#define SHORTEST 0x1p-900

static bool is_served(const gjk_shape *shape) {
    return (shape->count == 0 && (shape->type == GJK_CYLINDER || shape->type == GJK_CONE)) ||
           shape->count == 1 || shape->count == 2;
}

static void set_own(const gjk_shape *shape, gjk_round_body *body) {
    const gjk_curve *curve = &shape->curve;
    const gjk_columns cloud = gjk_columns_of(shape);
    const bool is_cloud = shape->count > 0;
    body->center[0] = is_cloud ? gjk_column_point(&cloud, 0) : curve->a;
    body->center[1] = is_cloud ? gjk_column_point(&cloud, shape->count - 1) : curve->b;
    body->across[0] = body->across[1] = (gjk_vec3){0, 0, 0};
    body->radius[0] = body->radius[1] = 0.0;
    if (!is_cloud) {
        body->across[0] = curve->across[0];
        body->across[1] = curve->across[1];
        body->radius[0] = curve->radius;
        body->radius[1] = shape->type == GJK_CYLINDER ? curve->radius : 0.0;
    }
    body->line = gjk_sub3(body->center[1], body->center[0]);
}

bool gjk_round_pair_place(const gjk_frame3 *frame, gjk_round_pair *pair) {
    if (!frame->curved || !is_served(frame->a) || !is_served(frame->b)) {
        return false;
    }
    gjk_round_body *a = &pair->body[0], *b = &pair->body[1];
    set_own(frame->a, a);
    set_own(frame->b, b);
    if (frame->unit != 1.0) { /* the rotation of b already includes it */
        a->line = gjk_scale3(frame->unit, a->line);
        for (int i = 0; i < 2; i++) {
            a->center[i] = gjk_scale3(frame->unit, a->center[i]);
            a->radius[i] *= frame->unit;
            b->radius[i] *= frame->unit;
        }
    }
    const gjk_mat3 *turn = &frame->rotation; /* unrolled: avoids a store-forwarding stall */
    b->center[0] = gjk_add3(gjk_mul3(turn, b->center[0]), frame->translation);
    b->center[1] = gjk_add3(gjk_mul3(turn, b->center[1]), frame->translation);
    b->across[0] = gjk_mul3(turn, b->across[0]);
    b->across[1] = gjk_mul3(turn, b->across[1]);
    b->line = gjk_mul3(turn, b->line);
    pair->shape_b = frame->b;
    pair->scale = frame->scale;
    return true;
}

/* The disc with the farthest rim point, and that point across the axis. */
typedef struct farthest3 {
    int end;
    double x, y;
} farthest3;

/* Finds the farthest point along d. Returns false if the squared direction could overflow or
 * underflow. */
static inline bool find_farthest(const gjk_round_body *body, gjk_vec3 d, farthest3 *f) {
    const double x = gjk_dot3(body->across[0], d), y = gjk_dot3(body->across[1], d);
    const double squared = x * x + y * y, length = sqrt(squared);
    const double ahead = gjk_dot3(body->line, d) + (body->radius[1] - body->radius[0]) * length;
    const double divisor = squared > 0.0 ? length : INFINITY;
    const gjk_two scales = (gjk_two){body->radius[0], body->radius[1]} / two_all(divisor);
    const gjk_two_bits is_last = two_mask(ahead > 0.0); /* a branch would be unpredictable */
    const double scale = two_pick(is_last, two_swapped(scales), scales)[0];
    f->end = (int)(is_last[0] & 1);
    f->x = scale * x;
    f->y = scale * y;
    return squared < LONGEST && (squared > SHORTEST || squared == 0.0);
}

static inline gjk_vec3 place_of(const gjk_round_body *body, const farthest3 *f) {
    const gjk_vec3 off =
        gjk_add3(gjk_scale3(f->x, body->across[0]), gjk_scale3(f->y, body->across[1]));
    return gjk_add3(body->center[f->end], off);
}

/* Returns the farthest point in the shape's own frame. */
static inline gjk_vec3 own_place_of(const gjk_shape *shape, const farthest3 *f) {
    const gjk_curve *curve = &shape->curve;
    if (shape->count > 0) {
        const gjk_columns cloud = gjk_columns_of(shape);
        return gjk_column_point(&cloud, f->end == 0 ? 0 : shape->count - 1);
    }
    const gjk_vec3 off =
        gjk_add3(gjk_scale3(f->x, curve->across[0]), gjk_scale3(f->y, curve->across[1]));
    return gjk_add3(f->end == 0 ? curve->a : curve->b, off);
}

bool gjk_round_support(const gjk_round_pair *pair, const gjk_vec3 *direction, gjk_vertex3 *vertex) {
    farthest3 a, b;
    const gjk_vec3 d = *direction;
    const bool found = find_farthest(&pair->body[0], d, &a);
    if (!find_farthest(&pair->body[1], gjk_neg3(d), &b) || !found) {
        return false;
    }
    vertex->a = place_of(&pair->body[0], &a);
    vertex->b = place_of(&pair->body[1], &b);
    vertex->own_b = own_place_of(pair->shape_b, &b);
    vertex->w = gjk_sub3(vertex->a, vertex->b);
    return true;
}

void gjk_round_look_along(const gjk_round_body *body, gjk_vec3 direction, gjk_round_look *look) {
    const double x = gjk_dot3(body->across[0], direction);
    const double y = gjk_dot3(body->across[1], direction);
    const double length = sqrt(x * x + y * y), scale = length > 0.0 ? 1.0 / length : 0.0;
    const gjk_vec3 outward =
        gjk_add3(gjk_scale3(scale * x, body->across[0]), gjk_scale3(scale * y, body->across[1]));
    look->along =
        gjk_sub3(gjk_scale3(scale * x, body->across[1]), gjk_scale3(scale * y, body->across[0]));
    look->sine = length;
    for (int i = 0; i < 2; i++) {
        look->point[i] = gjk_add3(body->center[i], gjk_scale3(body->radius[i], outward));
        look->value[i] = gjk_dot3(direction, look->point[i]);
    }
}

double gjk_round_height(const gjk_round_body *body, gjk_vec3 point) {
    const gjk_vec3 axis = gjk_sub3(body->center[1], body->center[0]);
    const double squared = gjk_dot3(axis, axis);
    const double along = gjk_dot3(gjk_sub3(point, body->center[0]), axis);
    return squared > 0.0 ? gjk_larger(0.0, gjk_smaller(1.0, along / squared)) : 0.0;
}

/*
 * Cover of a contact: an angle about its normal within which the depth of a in b is no less. Let n
 * be the normal, w the point of a - b there (so that w = depth * n), and m = cos(f) n + sin(f) t a
 * direction at an angle f. By w alone, h(m) is at least cos(f) * depth. h adds to that:
 *
 *   - by a rim of radius r with direction e at n: the projection y of m across the axis is longer
 *     than its part along that of n by y_e^2 / (|y| + that part), which is at least
 *     sin(f)^2 (t e)^2 / (2 Y) if no |y| exceeds Y; r times that much.
 *   - on a side with both ends' weights at least v: h is the larger of the ends' values, so it is
 *     at least their mean by any weights. Moving the weights by v towards one end adds
 *     v sin(f) |t g|, where g is the line between the ends, less what the other end's rim adds.
 *   - within a flat end: the distance from w to its rim, times sin(f).
 *
 * All three are at least half of sin(f)^2 times a quadratic form of t for all f up to the angle. If
 * the least eigenvalue of the form is at least 2 depth / (1 + cos(f)), this compensates for the
 * loss by cos(f).
 */

/* Sine of the widest angle to try; each further one is half of the one before. */
#define WIDEST 0.5
#define HALVINGS 8

/* Safety factor above the rounding of the quadratic form. */
#define SURE 1.0001

typedef struct form2 {
    double xx, xy, yy;
} form2;

static void add(gjk_vec2 v, double times, form2 *form) {
    form->xx += times * v.x * v.x;
    form->xy += times * v.x * v.y;
    form->yy += times * v.y * v.y;
}

/* Returns the distance by which the weights of a side's ends are moved. */
static double shift_of(const gjk_round_contact *c, int k) {
    return 0.5 * gjk_smaller(c->weight[k], 1.0 - c->weight[k]);
}

/* Returns the quadratic form for angles up to that sine. */
static form2 form_of(const gjk_round_pair *pair, const gjk_round_contact *c,
                     const gjk_vec3 across[2], double sine) {
    form2 form = {0, 0, 0};
    for (int k = 0; k < 2; k++) {
        const gjk_round_look *look = &c->look[k];
        const double *radius = pair->body[k].radius;
        if (c->margin[k] >= 0.0) {
            form.xx += 2.0 * c->margin[k] / sine;
            form.yy += 2.0 * c->margin[k] / sine;
            continue;
        }
        const double shift = shift_of(c, k), step = radius[1] - radius[0];
        const double mean = radius[0] + c->weight[k] * step - shift * fabs(step);
        const double most = gjk_smaller(1.0, look->sine + sine);
        const gjk_vec2 along = {gjk_dot3(across[0], look->along), gjk_dot3(across[1], look->along)};
        add(along, gjk_larger(mean, 0.0) / most, &form);
        if (shift > 0.0) {
            const gjk_vec3 line = gjk_sub3(look->point[1], look->point[0]);
            const gjk_vec2 g = {gjk_dot3(across[0], line), gjk_dot3(across[1], line)};
            add(g, 2.0 * shift / (sine * gjk_length3(line)), &form);
        }
    }
    return form;
}

/* Returns the residual of the contact's equations. */
static double residue(const gjk_round_contact *c, double sine) {
    const gjk_vec3 w = gjk_sub3(c->point[0], c->point[1]);
    const gjk_vec3 off = gjk_sub3(w, gjk_scale3(gjk_dot3(w, c->normal), c->normal));
    double sum = sine * gjk_length3(off);
    for (int k = 0; k < 2; k++) {
        const double ahead = c->look[k].value[1] - c->look[k].value[0];
        sum += c->margin[k] >= 0.0 ? 0.0 : shift_of(c, k) * fabs(ahead);
    }
    return sum;
}

void gjk_round_cover_make(const gjk_round_pair *pair, const gjk_round_contact *contact,
                          double depth, gjk_round_cover *cover) {
    const gjk_vec3 x = gjk_perpendicular3(contact->normal);
    const gjk_vec3 across[2] = {x, gjk_cross3(contact->normal, x)};
    const gjk_vec3 w = gjk_sub3(contact->point[0], contact->point[1]);
    cover->contact = *contact;
    cover->depth = depth;
    cover->cosine = 1.0;
    double sine = WIDEST;
    for (int i = 0; i < HALVINGS; i++, sine *= 0.5) {
        const double cosine = sqrt(1.0 - sine * sine);
        const form2 form = form_of(pair, contact, across, sine);
        const double least = SURE * 2.0 * depth / (1.0 + cosine);
        const double xx = form.xx - least, yy = form.yy - least;
        if (xx >= 0.0 && yy >= 0.0 && xx * yy >= form.xy * form.xy) {
            cover->cosine = cosine;
            break;
        }
    }
    const double along = gjk_smaller(gjk_dot3(contact->normal, w), depth);
    cover->least = along - residue(contact, sine);
}

/* Returns true if the face lies within the cover. A direction m along which the polytope is nearer
 * than the depth is less than acos(distance / depth) from the normal of some face: in the polar
 * polytope, whose corners are the normals over the distances, for x = m / |m| some corner c has m c
 * >= |x| > 1 / depth. */
static bool is_covered(const gjk_round_cover *cover, const gjk_face3 *face) {
    const double apart = gjk_dot3(face->normal, cover->contact.normal);
    const double away = face->distance / cover->depth;
    const double inner = apart * away - cover->cosine;
    return face->slack < INFINITY && apart > 0.0 && away > 0.0 && inner >= 0.0 &&
           inner * inner >= (1.0 - apart * apart) * (1.0 - away * away);
}

uint32_t gjk_round_uncovered_face(const gjk_round_cover *cover,
                                  const struct gjk_polytope3 *polytope) {
    uint32_t nearest = GJK_NO_FACE;
    double least = cover->depth;
    for (uint32_t i = 0; i < polytope->face_count; i++) {
        if (polytope->distance[i] < least && !is_covered(cover, &polytope->face[i])) {
            least = polytope->distance[i];
            nearest = i;
        }
    }
    return nearest;
}
