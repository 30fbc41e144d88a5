#ifndef BENCH_REGIONS_H
#define BENCH_REGIONS_H

#include "gjk/pieces.h"

enum { BENCH_REGION_VERTICES = 5000, BENCH_REGION_CROSSINGS = 500 };

/* Makes valid what the rings describe, by the even-odd rule. Returns the area; *nanoseconds: what
 * it took, conversion of the rings to the library's own form excluded. */
double bench_geos_make_valid(const gjk_region *region, double *nanoseconds);

/* Processor time. */
double bench_nanoseconds(void);

#endif
