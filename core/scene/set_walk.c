/*
 * The selected bodies of a snapshot that may matter to a query: those that the walk down the
 * snapshot's tree finds, or all of the set in batches where there is no tree.
 */

#include "scene/scene.h"

gjk_query_bounds gjk_query_bounds_of_snapshot(const gjk_snapshot *snapshot, double tolerance) {
    const uint32_t dimension = gjk_set_dimension(snapshot->set);
    gjk_query_bounds query = {.kind = GJK_QUERY_OVERLAP,
                              .dimension = dimension,
                              .looseness = gjk_box_looseness(tolerance)};
    const gjk_vec3 far = {INFINITY, INFINITY, INFINITY};
    gjk_bounds box = {gjk_neg3(far), far};
    if (snapshot->tree != NULL) {
        box = gjk_tree_bounds(snapshot->tree);
        double side = gjk_largest3(gjk_sub3(box.max, box.min));
        box = gjk_box_widen(box, dimension, query.looseness * side);
    }
    gjk_query_bounds_put_box(&query, &box);
    return query;
}

void gjk_set_walk_init(gjk_set_walk *walk, const gjk_snapshot *snapshot,
                       const gjk_selection *selection) {
    walk->snapshot = snapshot;
    walk->selection = selection;
    walk->all.set = snapshot->set; /* but not the batch */
    walk->all.budget = selection->budget;
    gjk_tree_walk_init(&walk->tree, selection->budget);
}

void gjk_set_walk_aim(gjk_set_walk *walk, const gjk_query_bounds *query, double distance) {
    walk->all.next = 0;
    gjk_tree_walk_aim(&walk->tree, walk->snapshot->tree, query, distance);
}

static bool next_of_all(gjk_set_walk *walk, gjk_leaf *leaf) {
    for (const gjk_body *body; (body = gjk_set_next(&walk->all)) != NULL;) {
        if (gjk_selection_has(walk->selection, body)) {
            *leaf = (gjk_leaf){body, gjk_snapshot_next(walk->snapshot, body)};
            return true;
        }
    }
    return false;
}

bool gjk_set_walk_next(gjk_set_walk *walk, gjk_leaf *leaf) {
    if (walk->snapshot->tree == NULL) {
        return next_of_all(walk, leaf);
    }
    while (gjk_tree_walk_next(&walk->tree, leaf)) {
        if (gjk_selection_has(walk->selection, leaf->body)) {
            (void)gjk_budget_spend(walk->tree.budget, gjk_query_steps(leaf->body->placed.shape));
            return true;
        }
    }
    return false;
}

const gjk_placed *gjk_leaf_place(const gjk_snapshot *snapshot, const gjk_leaf *leaf,
                                 gjk_placed *room) {
    if (leaf->next == NULL) {
        return &leaf->body->placed;
    }
    gjk_rotation turn;
    room->shape = leaf->body->placed.shape;
    room->pose = gjk_pose_between(leaf->body, leaf->next, snapshot->alpha, &turn);
    return room;
}
