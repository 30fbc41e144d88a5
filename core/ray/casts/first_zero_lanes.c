/* The first zero of swinging heights, eight points at a time. */

#include "base/eight_lanes.h"
#include "ray/casts/advance.h"

LANES_INLINE lanes along(const lanes r[3], const gjk_vec3 *v) {
    const lanes xy = lanes_add(lanes_mul(lanes_all(v->x), r[0]), lanes_mul(lanes_all(v->y), r[1]));
    return lanes_add(xy, lanes_mul(lanes_all(v->z), r[2]));
}

/* Computes each root in the form without cancellation. A constant height gives NaN, which the
 * comparison ignores. */
LANES_INLINE double first_zero(const gjk_shape *cloud, const gjk_swinging *by) {
    const uint32_t stride = cloud->stride;
    const double *x = cloud->columns, *y = x + stride;
    const double *z = cloud->dimension == 3 ? y + stride : x; /* v->z is 0 in 2D */
    const lanes none = lanes_all(0.0), curve = lanes_all(by->curve);
    lanes least = lanes_all(INFINITY);
    for (uint32_t i = 0; i < stride; i += GJK_LANES) {
        const lanes r[3] = {lanes_load(x + i), lanes_load(y + i), lanes_load(z + i)};
        const lanes start = lanes_add(lanes_all(by->start), along(r, &by->up));
        const lanes twice = lanes_add(start, start);
        const lanes rate = lanes_add(lanes_all(by->rate), along(r, &by->swing));
        const lanes root = lanes_root(lanes_add(lanes_mul(rate, rate), lanes_mul(curve, twice)));
        const lanes above = lanes_where_less(rate, none, twice, lanes_add(rate, root));
        const lanes below = lanes_where_less(rate, none, lanes_sub(root, rate), curve);
        const lanes zero = lanes_where_less(none, start, lanes_divide(above, below), none);
        least = lanes_smaller(zero, least);
    }
    return lanes_first(lanes_least(least));
}

gjk_first_zero *const LANES_FORM(gjk_first_zero) = first_zero;
