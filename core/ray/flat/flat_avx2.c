/* The kernel of rays with AVX2. */

#include "shape/convex/scan.h"

#ifdef GJK_SCAN_X86
#include "base/lanes_avx2.h"

#include "ray/flat/kernel.h"

FLAT_RAY_KERNEL(avx2)
#endif
