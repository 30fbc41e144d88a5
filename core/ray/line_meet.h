#ifndef GJK_RAY_LINE_MEET_H
#define GJK_RAY_LINE_MEET_H

#include "ray/line.h"

/* The form for the shape's kind; UNSURE where there is none. Of ordinary size: products of
 * four lengths neither overflow nor vanish. */
gjk_line_hit gjk_line_meet(const gjk_shape *shape, const gjk_line *line);

#endif
