/*
 * Top-down construction by the surface area heuristic (MacDonald and Booth 1990): a group of bodies
 * is cut in two at the plane with the least sum, over both sides, of box measure times count.
 * Candidates are 15 planes per axis (Wald, On fast Construction of SAH-based Bounding Volume
 * Hierarchies, 2007). For one node, the largest group is cut again until there are GJK_TREE_WIDTH
 * groups, or each group fits into one node.
 *
 * Deviation: each side of a cut gets at least an eighth of the bodies. So the largest of eight
 * groups has at most (7/8)^7 < 0.4 of a node's bodies, which bounds the height for any input. If no
 * plane qualifies, the group is cut at the median center; bodies with equal centers are cut at the
 * median of their handles, so that edits can find each body by its range of handles. With in_haste,
 * a group is cut in the middle of its widest axis.
 */

#include "tree/node.h"

#include <string.h>

#define BINS 16
#define FEW_BINS 8    /* for groups smaller than MANY */
#define MANY 64       /* number of bodies from which only the widest axis is tried */
#define LEAST_SHARE 8 /* each side gets at least one body in LEAST_SHARE */
#define BY_HANDLE 3   /* sort by handle, instead of along axis 0, 1 or 2 */

/* Returns twice the coordinate of the box's center. */
static inline double middle_of(const gjk_branch *body, uint32_t axis) {
    const gjk_bounds *b = &body->box;
    return axis == 0 ? b->min.x + b->max.x : axis == 1 ? b->min.y + b->max.y : b->min.z + b->max.z;
}

static inline void swap(gjk_branch *a, gjk_branch *b) {
    const gjk_branch t = *a;
    *a = *b;
    *b = t;
}

typedef struct gjk_bin {
    gjk_bounds box;
    uint32_t count;
} gjk_bin;

typedef struct gjk_group {
    gjk_branch *bodies;
    uint32_t count;
} gjk_group;

/* A plane at the lower side of a bin; bodies in lower bins are on its lower side. */
typedef struct gjk_cut {
    uint32_t axis, bin;
    double cost; /* INFINITY: no valid plane */
} gjk_cut;

/* Range of the centers on each axis: lower end, bins per length (0: all in one bin), width. Then
 * the number of bins and the widest axis. */
typedef struct gjk_spread {
    double low[3], rate[3], width[3];
    uint32_t bins, widest;
} gjk_spread;

static gjk_spread measure_spread(const gjk_group *group, uint32_t dimension, uint32_t bins) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < group->count; i++) {
        for (uint32_t axis = 0; axis < 3; axis++) {
            const double at = middle_of(&group->bodies[i], axis);
            low[axis] = at < low[axis] ? at : low[axis];
            high[axis] = at > high[axis] ? at : high[axis];
        }
    }
    gjk_spread spread = {.bins = bins};
    for (uint32_t axis = 0; axis < dimension; axis++) {
        const double rate = bins / (high[axis] - low[axis]);
        spread.low[axis] = low[axis];
        spread.width[axis] = high[axis] - low[axis];
        spread.rate[axis] = rate < INFINITY ? rate : 0.0; /* all centers fall into one bin */
        spread.widest = spread.width[axis] > spread.width[spread.widest] ? axis : spread.widest;
    }
    return spread;
}

static inline uint32_t bin_of(const gjk_spread *spread, const gjk_branch *body, uint32_t axis) {
    const double at = (middle_of(body, axis) - spread->low[axis]) * spread->rate[axis];
    return at < spread->bins - 1 ? (uint32_t)at : spread->bins - 1;
}

/* Returns the minimum number of bodies on each side of a cut. */
static uint32_t least_share(uint32_t count) {
    return (count + LEAST_SHARE - 1) / LEAST_SHARE;
}

/* Replaces `best` by the cheapest cut along an axis, given its bins, if that is cheaper. */
static void weigh_cuts(const gjk_bin *bins, uint32_t bin_count, uint32_t axis, uint32_t count,
                       uint32_t dimension, gjk_cut *best) {
    const uint32_t least = least_share(count);
    double below[BINS] = {0};
    gjk_bounds box = gjk_box_empty();
    uint32_t so_far = 0;
    for (uint32_t i = 0; i + 1 < bin_count; i++) {
        box = gjk_box_join(&box, &bins[i].box);
        so_far += bins[i].count;
        below[i + 1] = so_far > 0 ? gjk_box_measure(&box, dimension) * so_far : INFINITY;
    }
    box = gjk_box_empty();
    so_far = 0;
    for (uint32_t i = bin_count - 1; i > 0; i--) {
        box = gjk_box_join(&box, &bins[i].box);
        so_far += bins[i].count;
        if (so_far < least) {
            continue;
        }
        if (count - so_far < least) {
            break;
        }
        double cost = below[i] + gjk_box_measure(&box, dimension) * so_far;
        if (cost < best->cost) {
            *best = (gjk_cut){axis, i, cost};
        }
    }
}

static gjk_cut find_cut(const gjk_group *group, const gjk_spread *spread, uint32_t dimension) {
    const bool tries_all = group->count < MANY;
    const uint32_t first = tries_all ? 0 : spread->widest;
    const uint32_t end = tries_all ? dimension : first + 1;
    gjk_cut best = {.cost = INFINITY};
    for (uint32_t axis = first; axis < end; axis++) {
        gjk_bin bins[BINS];
        if (spread->rate[axis] == 0.0) {
            continue;
        }
        for (uint32_t i = 0; i < BINS; i++) {
            bins[i] = (gjk_bin){gjk_box_empty(), 0};
        }
        for (uint32_t i = 0; i < group->count; i++) {
            gjk_bin *bin = &bins[bin_of(spread, &group->bodies[i], axis)];
            bin->box = gjk_box_join(&bin->box, &group->bodies[i].box);
            bin->count++;
        }
        weigh_cuts(bins, spread->bins, axis, group->count, dimension, &best);
    }
    return best;
}

static uint32_t cut_at(gjk_group *group, const gjk_spread *spread, const gjk_cut *cut) {
    uint32_t low = 0, high = group->count;
    while (low < high) {
        if (bin_of(spread, &group->bodies[low], cut->axis) < cut->bin) {
            low++;
        } else {
            swap(&group->bodies[low], &group->bodies[--high]);
        }
    }
    return low;
}

/* Cuts a group in two: the first part stays in `group`, the other becomes `rest`. */
static void cut_group(gjk_group *group, gjk_group *rest, uint32_t dimension, bool in_haste) {
    const uint32_t bins = in_haste ? 2 : group->count < MANY ? FEW_BINS : BINS;
    const gjk_spread spread = measure_spread(group, dimension, bins);
    const gjk_cut middle = {spread.widest, 1, spread.rate[spread.widest] > 0.0 ? 0.0 : INFINITY};
    const gjk_cut cut = in_haste ? middle : find_cut(group, &spread, dimension);
    uint32_t at = cut.cost < INFINITY ? cut_at(group, &spread, &cut) : 0;
    if (at < least_share(group->count) || group->count - at < least_share(group->count)) {
        at = group->count / 2;
        (void)gjk_branches_halve(group->bodies, group->count, spread.widest);
    }
    *rest = (gjk_group){group->bodies + at, group->count - at};
    group->count = at;
}

static gjk_group *largest_of(gjk_group *groups, uint32_t count) {
    gjk_group *largest = groups;
    for (uint32_t i = 1; i < count; i++) {
        largest = groups[i].count > largest->count ? &groups[i] : largest;
    }
    return largest;
}

static bool build_node(uint32_t dimension, const gjk_branch *branches, uint32_t count,
                       gjk_branch *out) {
    const gjk_tree_node *node = gjk_tree_node_new(dimension, branches, count);
    if (node != NULL) {
        *out = gjk_branch_of_node(node);
    }
    return node != NULL;
}

bool gjk_tree_build(uint32_t dimension, gjk_branch *bodies, uint32_t count, bool in_haste,
                    gjk_budget *budget, gjk_branch *out) {
    if (count == 1) {
        *out = bodies[0];
        return true;
    }
    if (count <= GJK_TREE_WIDTH) {
        return build_node(dimension, bodies, count, out);
    }
    gjk_group groups[GJK_TREE_WIDTH] = {{bodies, count}};
    uint32_t used = 1;
    for (gjk_group *largest = groups; used < GJK_TREE_WIDTH && largest->count > GJK_TREE_WIDTH;
         largest = largest_of(groups, used)) {
        if (gjk_budget_spend(budget, 2 * largest->count)) {
            return false;
        }
        cut_group(largest, &groups[used], dimension, in_haste);
        used++;
    }
    gjk_branch branches[GJK_TREE_WIDTH] = {{.what = NULL}};
    uint32_t built = 0;
    while (built < used && gjk_tree_build(dimension, groups[built].bodies, groups[built].count,
                                          in_haste, budget, &branches[built])) {
        built++;
    }
    if (built == used && build_node(dimension, branches, used, out)) {
        return true;
    }
    for (uint32_t i = 0; i < built; i++) {
        gjk_branch_release(&branches[i]);
    }
    return false;
}

/* Returns an integer key whose order is that of the centers along an axis, or of the handles. */
static uint64_t key_of(const gjk_branch *body, uint32_t axis) {
    if (axis == BY_HANDLE) {
        return body->first;
    }
    const double at = middle_of(body, axis);
    uint64_t bits;
    memcpy(&bits, &at, sizeof bits);
    return bits >> 63 != 0 ? ~bits : bits | UINT64_C(1) << 63; /* in the order of the doubles */
}

/* Selection by bisection of the range of keys. Each round at least halves the range, so no input
 * takes more than 64 rounds by centers and 32 by handles; typical inputs take few. */
uint64_t gjk_branches_halve(gjk_branch *bodies, uint32_t count, uint32_t axis) {
    const uint32_t half = count / 2;
    uint32_t low = 0, high = count;
    uint64_t looked_at = 0;
    while (low < half) {
        uint64_t least = UINT64_MAX, most = 0;
        for (uint32_t i = low; i < high; i++) {
            const uint64_t key = key_of(&bodies[i], axis);
            least = key < least ? key : least;
            most = key > most ? key : most;
        }
        looked_at += high - low;
        if (least == most && axis == BY_HANDLE) {
            break;
        }
        if (least == most) {
            axis = BY_HANDLE;
            continue;
        }
        const uint64_t pivot = least + (most - least) / 2;
        uint32_t at = low;
        for (uint32_t end = high; at < end;) {
            if (key_of(&bodies[at], axis) <= pivot) {
                at++;
            } else {
                swap(&bodies[at], &bodies[--end]);
            }
        }
        *(half < at ? &high : &low) = at;
    }
    return looked_at;
}
