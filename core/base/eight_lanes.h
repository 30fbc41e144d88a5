#ifndef GJK_BASE_EIGHT_LANES_H
#define GJK_BASE_EIGHT_LANES_H

/* Eight doubles side by side, in the registers of this form. lanes_plain.h documents each
 * function. */

#include "base/lanes.h"

#if defined(LANES_AVX512)
#include "base/lanes_avx512.h"
#elif defined(LANES_AVX2)
#include "base/lanes_avx2.h"
#else
#include "base/lanes_plain.h"
#endif

#endif
