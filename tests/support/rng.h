#ifndef TEST_RNG_H
#define TEST_RNG_H

/*
 * Random numbers that are the same on every machine: xoshiro256** (Blackman and
 * Vigna 2018), seeded through splitmix64. Never seeded by time: a failure that
 * names its seed can be run again.
 */

#include "gjk/vec.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct test_rng {
    uint64_t state[4];
} test_rng;

test_rng test_rng_make(uint64_t seed);

uint64_t test_rng_next(test_rng *rng);

/* 0 <= result < count */
uint32_t test_rng_below(test_rng *rng, uint32_t count);

/* low <= result <= high, integers */
int test_rng_integer(test_rng *rng, int low, int high);

/* low <= result < high */
double test_rng_uniform(test_rng *rng, double low, double high);

/* Between 10^low_exponent and 10^high_exponent, all magnitudes about equally often. */
double test_rng_magnitude(test_rng *rng, double low_exponent, double high_exponent);

/* True once in `count` times. */
bool test_rng_once_in(test_rng *rng, uint32_t count);

/* Uniform on the unit circle (z 0) or the unit sphere. */
gjk_vec3 test_rng_direction(test_rng *rng, uint32_t dimension);

/* Uniform over all rotations, of unit length within rounding. */
gjk_quat test_rng_rotation(test_rng *rng);

#endif
