#ifndef GJK_SELECT_H
#define GJK_SELECT_H

#include "gjk/set_query.h"

/* Body i, where it stands at the moment, when it is selected; else NULL. */
static inline const gjk_body *gjk_selected(const gjk_moment *moment, uint32_t i,
                                           const gjk_selection *selection, gjk_placed *placed) {
    const gjk_body *body = gjk_set_body(moment->set, i);
    if (body == selection->except || !gjk_filter_passes(selection->filter, body)) {
        return NULL;
    }
    *placed = gjk_moment_place(moment, body);
    return body;
}

#endif
