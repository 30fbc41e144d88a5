/* Seeded random numbers: see rng.h. */

#include "rng.h"

static uint64_t splitmix(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

test_rng test_rng_make(uint64_t seed) {
    test_rng rng;
    for (int i = 0; i < 4; i++) {
        rng.state[i] = splitmix(&seed);
    }
    return rng;
}

static uint64_t rotate_left(uint64_t x, int k) {
    return (x << k) | (x >> (64 - k));
}

uint64_t test_rng_next(test_rng *rng) {
    uint64_t *s = rng->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint32_t test_rng_below(test_rng *rng, uint32_t count) {
    return (uint32_t)(((test_rng_next(rng) >> 32) * count) >> 32);
}

int test_rng_integer(test_rng *rng, int low, int high) {
    return low + (int)test_rng_below(rng, (uint32_t)(high - low + 1));
}

double test_rng_uniform(test_rng *rng, double low, double high) {
    return low + (high - low) * ((double)(test_rng_next(rng) >> 11) * 0x1p-53);
}

double test_rng_magnitude(test_rng *rng, double low_exponent, double high_exponent) {
    const double log2_of_10 = 3.321928094887362;
    double exponent = log2_of_10 * test_rng_uniform(rng, low_exponent, high_exponent);
    double whole = floor(exponent);
    return ldexp(1.0 + (exponent - whole), (int)whole); /* libm's pow differs by machine */
}

bool test_rng_once_in(test_rng *rng, uint32_t count) {
    return test_rng_below(rng, count) == 0;
}

gjk_vec3 test_rng_direction(test_rng *rng, uint32_t dimension) {
    for (;;) {
        gjk_vec3 v = {test_rng_uniform(rng, -1, 1), test_rng_uniform(rng, -1, 1),
                      dimension == 3 ? test_rng_uniform(rng, -1, 1) : 0.0};
        double square = gjk_dot3(v, v);
        if (square > 0.01 && square <= 1.0) {
            return gjk_scale3(1.0 / sqrt(square), v);
        }
    }
}

gjk_quat test_rng_rotation(test_rng *rng) {
    for (;;) {
        gjk_quat q = {test_rng_uniform(rng, -1, 1), test_rng_uniform(rng, -1, 1),
                      test_rng_uniform(rng, -1, 1), test_rng_uniform(rng, -1, 1)};
        double square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
        if (square > 0.01 && square <= 1.0) {
            double f = 1.0 / sqrt(square);
            return (gjk_quat){f * q.x, f * q.y, f * q.z, f * q.w};
        }
    }
}
