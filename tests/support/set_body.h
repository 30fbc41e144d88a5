#ifndef TEST_SET_BODY_H
#define TEST_SET_BODY_H

/* Body i of a set in the order of ids; NULL: there are not so many. O(i). */

#include "gjk/set.h"

static inline const gjk_body *test_set_body(const struct gjk_set *set, uint32_t i) {
    gjk_set_iterator bodies = gjk_set_iterate(set, NULL);
    const gjk_body *body = NULL;
    do {
        body = gjk_set_next(&bodies);
    } while (body != NULL && bodies.next <= i);
    return body;
}

#endif
