/* The keys of a node's branches for every processor. */

#include "base/lanes_plain.h"

#include "tree/keys_lanes.h"

gjk_tree_keys *const gjk_tree_keys_plain = find_keys;
