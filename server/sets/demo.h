#ifndef GJKD_SETS_DEMO_H
#define GJKD_SETS_DEMO_H

/* The demo sets: arena2d and range3d, embedded as demo/<name>.json. */

#include "sets/registry.h"

/* Stores each demo set unless its name is taken. False: error names the one that cannot be. */
bool gjkd_demo_load(struct gjkd_registry *registry, const proto_limits *limits,
                    char error[PROTO_DETAIL_MAX]);

#endif
