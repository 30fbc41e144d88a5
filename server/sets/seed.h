#ifndef GJKD_SETS_SEED_H
#define GJKD_SETS_SEED_H

/* Sets that the daemon begins with: bodies as PUT takes them. */

#include "sets/commit.h"

/* Names of sets that were seeded, whether or not they were there already; zero: none. */
struct gjkd_seeded {
    void *names; /* a tree of <search.h> */
};

void gjkd_seeded_fini(struct gjkd_seeded *seeded);

/*
 * Makes the body the set of that name (NULL: of the name that it says) unless there is one; waits
 * until it is stored. `where` is a write with its storage; NULL: the body is only checked. A name
 * that is among `seeded` is a mistake; it is added to them. False: the problem says why.
 */
bool gjkd_seed(const gjkd_write *where, const char *name, proto_text body,
               const proto_limits *limits, struct gjkd_seeded *seeded,
               struct proto_problem *problem) GJK_MUST_USE;

/* The demo sets, arena2d and range3d, which are embedded as demo/<name>.json. False: error names
 * the one that cannot be. */
bool gjkd_seed_demo(const gjkd_write *where, const proto_limits *limits,
                    char error[PROTO_DETAIL_MAX]) GJK_MUST_USE;

#endif
