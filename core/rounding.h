#ifndef GJK_ROUNDING_H
#define GJK_ROUNDING_H

/*
 * A few units in the last place: differences below GJK_ROUNDING * scale, scale
 * being the magnitude of the numbers at hand, are rounding errors of a support
 * point's coordinates (two products, two sums and a difference each).
 */
#define GJK_ROUNDING 0x1p-51

#endif
