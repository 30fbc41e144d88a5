#ifndef FUZZ_RECORD_SETS_H
#define FUZZ_RECORD_SETS_H

#include "sets/registry.h"

/* The sets that a node has when a record comes: "s" in 2D with two ticks, "t" in 3D, and "u" in 2D
 * with a tick in the log and two that were told beside it. Always the same. */
struct gjkd_registry *record_sets(void);

#endif
