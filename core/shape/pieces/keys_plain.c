/* The keys of a node's children for every processor. */

#include "base/lanes_plain.h"

#include "shape/pieces/keys_lanes.h"

gjk_pieces_keys *const gjk_pieces_keys_plain = find_keys;
