/* The kernels for every processor. */

#include "base/lanes_plain.h"

#include "pair/flat/kernels.h"

FLAT_KERNELS(plain)
