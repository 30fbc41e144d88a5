/* The kernels with AVX-512. */

#include "shape/convex/scan.h"

#ifdef GJK_SCAN_X86
#include "base/lanes_avx512.h"

#include "pair/kernels/flat_kernels.h"

FLAT_KERNELS(avx512)
#endif
