/* The kernel of rays for every processor. */

#include "base/lanes_plain.h"

#include "ray/flat/kernel.h"

FLAT_RAY_KERNEL(plain)
