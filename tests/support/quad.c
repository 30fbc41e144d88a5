/* Root, sine, cosine and rotations in 113 bits: see quad.h. */

#include "quad.h"

quad quad_sqrt(quad x) {
    quad factor = 1;
    if (!(x > 0)) {
        return 0;
    }
    for (; x < (quad)0x1p-400; factor *= (quad)0x1p-200) {
        x *= (quad)0x1p400;
    }
    for (; x > (quad)0x1p400; factor *= (quad)0x1p200) {
        x *= (quad)0x1p-400;
    }
    quad root = sqrt((double)x);
    for (int i = 0; i < 2; i++) { /* 53, 106, more than 113 digits */
        root = (root + x / root) / 2;
    }
    return factor * root;
}

/* Sum of angle^k / k! over k = first, first + 2, ..., with alternating signs. */
static quad alternating_series(quad angle, int first) {
    quad term = first == 0 ? 1 : angle, sum = term;
    for (int k = first + 2; k < 40; k += 2) {
        term = -term * angle * angle / (k * (k - 1));
        sum += term;
    }
    return sum;
}

void quad_sincos(double angle, quad *sine, quad *cosine) {
    /* Half of pi in three doubles. */
    const double part[3] = {0x1.921fb54442d18p0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
    double quarters = floor(angle / part[0] + 0.5);
    quad rest = angle;
    for (int i = 0; i < 3; i++) {
        rest -= (quad)quarters * part[i];
    }
    quad s = alternating_series(rest, 1), c = alternating_series(rest, 0);
    int quadrant = (int)(quarters - 4 * floor(quarters / 4));
    *sine = quadrant == 0 ? s : quadrant == 1 ? c : quadrant == 2 ? -s : -c;
    *cosine = quadrant == 0 ? c : quadrant == 1 ? -s : quadrant == 2 ? -c : s;
}

quad3 quad3_unit(quad3 v) {
    quad length = quad_sqrt(quad3_dot(v, v));
    return length > 0 ? quad3_scale(1 / length, v) : v;
}

quad3 quad3_turn2(double angle, gjk_vec3 p) {
    quad s, c;
    quad_sincos(angle, &s, &c);
    return (quad3){c * p.x - s * p.y, s * p.x + c * p.y, p.z};
}

quad3 quad3_turn3(gjk_quat q, gjk_vec3 point) {
    /* (w + u) p (w - u) / |q|^2 = p + 2 (w (u x p) + u x (u x p)) / |q|^2 */
    quad3 u = {q.x, q.y, q.z}, p = quad3_of(point);
    quad3 t = quad3_cross(u, p);
    quad3 moved = quad3_add(quad3_scale(q.w, t), quad3_cross(u, t));
    return quad3_add(p, quad3_scale(2 / (quad3_dot(u, u) + (quad)q.w * q.w), moved));
}
