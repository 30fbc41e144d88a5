#ifndef GJK_SELECT_H
#define GJK_SELECT_H

#include "gjk/set_query.h"

/* Body i when it is selected, else NULL. */
static inline const gjk_body *gjk_selected(const struct gjk_set *set, uint32_t i,
                                           const gjk_selection *selection) {
    const gjk_body *body = gjk_set_body(set, i);
    bool takes_part = i != selection->except && gjk_filter_passes(selection->filter, body);
    return takes_part ? body : NULL;
}

#endif
