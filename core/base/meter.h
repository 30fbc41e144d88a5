#ifndef GJK_BASE_METER_H
#define GJK_BASE_METER_H

/* Counts the steps of long work and asks the caller's patience now and then. */

#include "gjk/patience.h"

#include <stddef.h>
#include <stdint.h>

/* A step within a shape of pieces is dearer than one of a set's tree: it may run a kernel. */
#define GJK_METER_STEPS (GJK_PATIENCE_STEPS / 4)

typedef struct gjk_meter {
    const gjk_patience *patience; /* NULL: endless */
    uint32_t steps;               /* since patience was asked */
    bool given_up;                /* patience has ended */
} gjk_meter;

/* Counts steps; true when patience has ended. */
static inline bool gjk_meter_spend(gjk_meter *meter, uint32_t steps) {
    meter->steps += steps;
    if (meter->steps >= GJK_METER_STEPS) {
        meter->steps = 0;
        meter->given_up = meter->given_up || (meter->patience != NULL &&
                                              meter->patience->is_over(meter->patience->user));
    }
    return meter->given_up;
}

#endif
