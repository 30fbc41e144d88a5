#ifndef GJK_BASE_ARCTANGENT_H
#define GJK_BASE_ARCTANGENT_H

/*
 * The angle in [-pi, pi] of the finite vector (x, y) from the x axis, counter-clockwise: what
 * libm calls atan2, zeros and signs of zeros included, with the same bits everywhere. Within 2
 * units in the last place where neither x nor y is subnormal.
 */
double gjk_atan2(double y, double x);

#endif
