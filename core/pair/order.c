/* The order of placed shapes of one size: by the numbers that usually differ first, positions; by
 * all others that an answer can depend on after them. */

#include "pair/order.h"

/* Negative, 0 or positive, as lists of numbers are before or behind each other. */
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

static int compare_curves(const gjk_curve *a, const gjk_curve *b) {
    const int ends = compare_vectors(a->a, b->a);
    const int order = ends != 0 ? ends : compare_vectors(a->b, b->b);
    return order != 0 ? order : compare(&a->radius, &b->radius, 1);
}

static int compare_shapes(const gjk_shape *a, const gjk_shape *b) {
    const double p[3] = {a->radius, a->type, a->count}, q[3] = {b->radius, b->type, b->count};
    const int order = compare(p, q, 3);
    if (order != 0 || a == b) {
        return order;
    }
    return a->count == 0 ? compare_curves(&a->curve, &b->curve)
                         : compare(a->columns, b->columns, (size_t)a->dimension * a->stride);
}

bool gjk_comes_first_alike(const gjk_placed *a, const gjk_placed *b) {
    const int order = compare_poses(&a->pose, &b->pose);
    return (order != 0 ? order : compare_shapes(a->shape, b->shape)) <= 0;
}
