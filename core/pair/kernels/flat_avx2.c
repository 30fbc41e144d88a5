/* The kernels with AVX2. */

#include "shape/convex/scan.h"

#ifdef GJK_SCAN_X86
#include "base/lanes_avx2.h"

#include "pair/kernels/flat_kernels.h"

FLAT_KERNELS(avx2)
#endif
