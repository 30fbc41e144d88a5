/* The kernel of rays with AVX-512. */

#include "shape/convex/scan.h"

#ifdef GJK_SCAN_X86
#include "base/lanes_avx512.h"

#include "ray/flat/kernel.h"

FLAT_RAY_KERNEL(avx512)
#endif
