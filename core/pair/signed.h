#ifndef GJK_PAIR_SIGNED_H
#define GJK_PAIR_SIGNED_H

#include "gjk/pair.h"

/* gjk_distance where settings->is_signed. */
gjk_distance_result gjk_distance_signed(const gjk_placed *a, const gjk_placed *b,
                                        const gjk_distance_settings *settings);

#endif
