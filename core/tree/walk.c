/*
 * Which selected bodies may a question be about? Down the tree, the branches that the probe
 * meets in the order of their keys, each to its end before the next; whoever asks lowers the
 * bound as it learns, and later branches fall out. The stack holds, for each level, the
 * branches of one node less the one gone into.
 */

#include "tree/walk.h"

#include "tree/keys.h"
#include "tree/motion.h"

/* Makes squares of distances compare as the distances would, in spite of their roundings. */
#define SQUARE_SLACK (1.0 + 0x1p-48)
#define SQUARE_LEAST 0x1p-1060

gjk_query_bounds gjk_query_bounds_of_moment(const gjk_snapshot *snapshot, double tolerance) {
    const uint32_t dimension = gjk_set_dimension(snapshot->set);
    gjk_query_bounds probe = {.kind = GJK_QUERY_OVERLAP,
                              .dimension = dimension,
                              .looseness = gjk_box_looseness(tolerance)};
    const gjk_vec3 far = {INFINITY, INFINITY, INFINITY};
    gjk_bounds box = {gjk_neg3(far), far};
    if (snapshot->tree != NULL) {
        box = gjk_tree_bounds(snapshot->tree);
        double side = gjk_largest3(gjk_sub3(box.max, box.min));
        box = gjk_box_widen(box, dimension, probe.looseness * side);
    }
    gjk_query_bounds_put_box(&probe, &box);
    return probe;
}

void gjk_walk_init(gjk_walk *walk, const gjk_snapshot *snapshot, const gjk_selection *selection) {
    walk->snapshot = snapshot;
    walk->selection = selection;
    walk->top = 0;
    walk->index = UINT32_MAX;
    walk->steps = 0;
    walk->next = NULL;
    walk->given_up = false;
}

void gjk_walk_aim(gjk_walk *walk, const gjk_query_bounds *probe, double bound) {
    const struct gjk_tree *tree = walk->snapshot->tree;
    walk->probe = *probe;
    walk->bound = bound;
    walk->next = NULL;
    walk->index = 0;
    walk->top = 0;
    if (probe->kind == GJK_QUERY_NEAR) {
        gjk_walk_stay_within(walk, bound);
    }
    if (tree != NULL) {
        walk->stack[walk->top++] = (gjk_walk_entry){0.0, tree->root, GJK_BRANCH_NODE};
    }
}

void gjk_walk_stay_within(gjk_walk *walk, double distance) {
    walk->bound = distance * distance * SQUARE_SLACK + SQUARE_LEAST;
}

/* The branches of a node that the probe meets, the nearest on top. */
static void open_node(gjk_walk *walk, const gjk_tree_node *node) {
    double keys[GJK_TREE_WIDTH];
    uint32_t bottom = walk->top;
    uint32_t mask = gjk_query_bounds_node(&walk->probe, node, walk->bound, keys);
    GJK_ASSERT(bottom + node->used <= GJK_WALK_STACK);
    for (; mask != 0; mask &= mask - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(mask);
        uint32_t at = walk->top++;
        while (at > bottom && walk->stack[at - 1].key < keys[i]) {
            walk->stack[at] = walk->stack[at - 1];
            at--;
        }
        walk->stack[at] =
            (gjk_walk_entry){keys[i], node->branch[i], (gjk_branch_kind)node->kind[i]};
    }
}

static bool is_selected(const gjk_walk *walk, const gjk_body *body) {
    return body != walk->selection->except && gjk_filter_passes(walk->selection->filter, body);
}

bool gjk_walk_gives_up(gjk_walk *walk) {
    const gjk_patience *patience = walk->selection->patience;
    if (++walk->steps % GJK_PATIENCE_STEPS == 0 && patience != NULL) {
        walk->given_up = walk->given_up || patience->is_over(patience->user);
    }
    return walk->given_up;
}

static const gjk_body *next_of_all(gjk_walk *walk) {
    const struct gjk_set *set = walk->snapshot->set;
    while (walk->index < gjk_set_count(set) && !gjk_walk_gives_up(walk)) {
        const uint32_t left = gjk_set_count(set) - walk->index, at = walk->index % GJK_WALK_BATCH;
        if (at == 0) {
            gjk_set_list(set, walk->index, left < GJK_WALK_BATCH ? left : GJK_WALK_BATCH,
                         walk->batch);
        }
        const gjk_body *body = walk->batch[at];
        walk->index++;
        if (is_selected(walk, body)) {
            return body;
        }
    }
    return NULL;
}

const gjk_body *gjk_walk_next(gjk_walk *walk) {
    if (walk->snapshot->tree == NULL) {
        return next_of_all(walk);
    }
    while (walk->top > 0 && !gjk_walk_gives_up(walk)) {
        const gjk_walk_entry entry = walk->stack[--walk->top];
        if (entry.key > walk->bound) {
            continue;
        }
        if (entry.kind == GJK_BRANCH_NODE) {
            open_node(walk, entry.what);
            continue;
        }
        const gjk_motion *motion = entry.kind == GJK_BRANCH_MOTION ? entry.what : NULL;
        const gjk_body *body = motion != NULL ? motion->from : entry.what;
        if (is_selected(walk, body)) {
            walk->next = motion != NULL ? motion->to : NULL;
            return body;
        }
    }
    return NULL;
}

gjk_placed gjk_walk_place(const gjk_walk *walk, const gjk_body *body) {
    const gjk_snapshot *snapshot = walk->snapshot;
    if (snapshot->tree == NULL || snapshot->next == NULL) {
        return gjk_snapshot_place(snapshot, body);
    }
    gjk_placed room;
    return *gjk_leaf_place(snapshot, &(gjk_leaf){body, walk->next}, &room);
}

const gjk_placed *gjk_leaf_place(const gjk_snapshot *snapshot, const gjk_leaf *leaf,
                                 gjk_placed *room) {
    if (leaf->next == NULL) {
        return &leaf->body->placed; /* the tree would know if it moved */
    }
    gjk_rotation turn;
    room->shape = leaf->body->placed.shape;
    room->pose = gjk_pose_on_way(leaf->body, leaf->next, snapshot->alpha, &turn);
    return room;
}
