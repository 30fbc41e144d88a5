#ifndef FUZZ_RECORD_SETS_H
#define FUZZ_RECORD_SETS_H

#include "sets/registry.h"

/* The sets that a node has when a record comes: "s" in 2D with two ticks, "t" in 3D. Always the same. */
struct gjkd_registry *record_sets(void);

#endif
