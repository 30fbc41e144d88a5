/* The kernels for every processor. */

#include "base/lanes_plain.h"

#include "pair/kernels/flat_kernels.h"

FLAT_KERNELS(plain)
