/* The order of placed shapes of equal size: first by positions, which usually differ, then by all
 * other numbers that an answer can depend on. */

#include "pair/order.h"

/* Compares two lists of numbers lexicographically. Returns a negative number, 0 or a positive
 * number. */
static int compare(const double *a, const double *b, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

static int compare_vectors(gjk_vec3 a, gjk_vec3 b) {
    const double p[3] = {a.x, a.y, a.z}, q[3] = {b.x, b.y, b.z};
    return compare(p, q, 3);
}

static int compare_poses(const gjk_pose *a, const gjk_pose *b) {
    const gjk_vec3 p[4] = {a->position, a->rotation.r0, a->rotation.r1, a->rotation.r2};
    const gjk_vec3 q[4] = {b->position, b->rotation.r0, b->rotation.r1, b->rotation.r2};
    int order = 0;
    for (int i = 0; i < 4 && order == 0; i++) {
        order = compare_vectors(p[i], q[i]);
    }
    return order;
}

static int compare_shapes(const gjk_shape *a, const gjk_shape *b) {
    const double p[3] = {a->radius, a->type, a->count}, q[3] = {b->radius, b->type, b->count};
    const int order = compare(p, q, 3);
    if (order != 0 || a == b) {
        return order;
    }
    if (a->count > 0) {
        return compare(a->columns, b->columns, (size_t)a->dimension * a->stride);
    }
    const gjk_curve *c = &a->curve, *d = &b->curve;
    const int ends = compare_vectors(c->a, d->a);
    const int middle = ends != 0 ? ends : compare_vectors(c->b, d->b);
    return middle != 0 ? middle : compare(&c->radius, &d->radius, 1);
}

bool gjk_comes_first_alike(const gjk_placed *a, const gjk_placed *b) {
    const int order = compare_poses(&a->pose, &b->pose);
    return (order != 0 ? order : compare_shapes(a->shape, b->shape)) <= 0;
}
