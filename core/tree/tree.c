/*
 * Edits of a tree by path copying: branches with changes are copied, all others are shared. There
 * are two passes: the first removes and moves bodies, the second inserts. On the way back up, each
 * changed branch is composed again, or rebuilt if it has degraded.
 *
 * Operations are stored once. What is passed down the tree is a part of one array of errands, which
 * hold the operations' numbers and are reordered in place. In a branch where at most TABLE_ONE_IN
 * bodies come to each errand that removes or moves one, every body is looked up in a hash table
 * instead: otherwise each of many bodies that overlap would be sought in most branches.
 */

#include "tree/tree.h"

#include "base/numbers.h"
#include "tree/node.h"

#include <stdlib.h>
#include <string.h>

#define TABLE_ONE_IN 4

/* Budget steps for an operation tested at a node, and for a body looked up in the hash table. */
#define MOVE_STEPS 4

typedef struct gjk_op {
    const gjk_body *from, *to; /* from NULL: pending insertion of `to`; both NULL: done */
    gjk_bounds was, box;       /* boxes of from and to */
    const gjk_motion *motion;  /* in a span, the new content of the branch */
} gjk_op;

/* An operation passed down the tree. branches: mask of the current node's branches that it may
 * concern. */
typedef struct gjk_errand {
    uint32_t op, branches;
} gjk_errand;

typedef struct gjk_editor {
    uint32_t dimension;
    bool span, has_boxes; /* has_boxes: the ops' boxes enclose their motions */
    gjk_op *ops;
    gjk_errand *errands;
    uint32_t *table; /* op numbers plus 1, hashed by `from` */
    uint32_t table_shift;
    gjk_budget *budget; /* NULL: unlimited */
} gjk_editor;

/* Moves the errands that concern branch i to the front. Returns their number. */
static uint32_t select_errands(gjk_errand *errands, uint32_t count, uint32_t i) {
    uint32_t selected = 0;
    for (uint32_t k = 0; k < count; k++) {
        if ((errands[k].branches >> i & 1) != 0) {
            const gjk_errand errand = errands[k];
            errands[k] = errands[selected];
            errands[selected++] = errand;
        }
    }
    return selected;
}

/* Returns the first slot of the table for a body (Fibonacci hashing). */
static uint32_t hash(const gjk_editor *e, const void *body) {
    return (uint32_t)(((uint64_t)(uintptr_t)body * UINT64_C(0x9E3779B97F4A7C15)) >> e->table_shift);
}

/* Fills the hash table with those of the ops that remove or move one of `replaced` bodies: open
 * addressing, linear probing, at most half full. Returns false if memory is exhausted. */
static bool make_table(gjk_editor *e, uint32_t count, uint32_t replaced) {
    e->table_shift = 63;
    while (UINT64_C(1) << (64 - e->table_shift) < 2 * (uint64_t)replaced) {
        e->table_shift--;
    }
    const uint32_t last = (uint32_t)((UINT64_C(1) << (64 - e->table_shift)) - 1);
    e->table = malloc(((size_t)last + 1) * sizeof *e->table);
    if (e->table == NULL) {
        return false;
    }
    memset(e->table, 0, ((size_t)last + 1) * sizeof *e->table);
    for (uint32_t i = 0; i < count; i++) {
        if (e->ops[i].from != NULL) {
            uint32_t at = hash(e, e->ops[i].from);
            while (e->table[at] != 0) {
                at = (at + 1) & last;
            }
            e->table[at] = i + 1;
        }
    }
    return true;
}

/* Initialises an editor for the changes of a tree. Precondition: dimension, span, has_boxes and
 * budget are set, the rest is 0. Returns false if memory is exhausted; call editor_fini even
 * then. */
static bool editor_init(gjk_editor *e, const gjk_tree_change *changes, uint32_t count) {
    uint32_t replaced = 0;
    e->ops = malloc(((size_t)count + 1) * sizeof *e->ops);
    e->errands = malloc(((size_t)count + 1) * sizeof *e->errands);
    if (e->ops == NULL || e->errands == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        gjk_op *op = &e->ops[i];
        *op = (gjk_op){.from = changes[i].from, .to = changes[i].to};
        replaced += op->from != NULL;
        if (op->to != NULL && !e->span) {
            op->box = gjk_box_of(&op->to->placed);
        }
    }
    return make_table(e, count, replaced);
}

static void editor_fini(gjk_editor *e) {
    free(e->ops);
    free(e->errands);
    free(e->table);
}

/* Lists the ops that remove or move bodies (moves), or those with a body still to be inserted.
 * Returns their number. */
static uint32_t list_errands(gjk_editor *e, uint32_t count, bool moves) {
    uint32_t listed = 0;
    for (uint32_t i = 0; i < count; i++) {
        if ((moves ? e->ops[i].from : e->ops[i].to) != NULL) {
            e->errands[listed++] = (gjk_errand){.op = i};
        }
    }
    return listed;
}

/*
 * Partial rebuilding (Overmars 1983) of changed branches. A branch is rebuilt in three cases: a
 * random ray that meets it would meet more than DEGRADED_LOAD times as many boxes in it as after
 * its last build; its number of bodies has grown or shrunk by more than a factor of DEGRADED_COUNT;
 * it exceeds the height limit.
 */

#define DEGRADED_LOAD 1.5
#define DEGRADED_COUNT 2

static void branches_release(const gjk_branch *branches, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        gjk_branch_release(&branches[i]);
    }
}

static gjk_branch branch_of_body(const gjk_body *body, gjk_bounds box) {
    return (gjk_branch){box, body, body->handle, body->handle, GJK_BRANCH_BODY};
}

/* Builds a branch over the bodies of another, which is not changed, and those that `added` errands
 * insert. Returns false if memory or the budget is exhausted. */
static bool branch_rebuild(gjk_editor *e, const gjk_branch *branch, const gjk_errand *errands,
                           uint32_t added, gjk_branch *out) {
    const uint32_t count = gjk_branch_count(branch) + added;
    gjk_branch *bodies = malloc((size_t)count * sizeof *bodies);
    if (bodies == NULL) {
        return false;
    }
    gjk_branch *end = branch->what != NULL ? gjk_branch_collect(branch, bodies) : bodies;
    for (uint32_t i = 0; i < added; i++) {
        const gjk_op *op = &e->ops[errands[i].op];
        *end++ = branch_of_body(op->to, op->box);
    }
    bool built = gjk_tree_build(e->dimension, bodies, count, false, e->budget, out);
    free(bodies);
    return built;
}

static uint32_t height_limit(uint32_t count) {
    uint32_t digits = 0;
    for (uint32_t rest = count; rest > 0; rest >>= 1) {
        digits++;
    }
    return GJK_TREE_HEIGHT_SPARE + digits;
}

static bool is_degraded(const gjk_tree_node *node, double measure) {
    return node->height > height_limit(node->count) ||
           node->load > DEGRADED_LOAD * node->built_load * measure ||
           node->count / DEGRADED_COUNT > node->built_count ||
           node->built_count / DEGRADED_COUNT > node->count;
}

/* Makes one branch of the remaining branches of a node, and rebuilds it if it has degraded. Takes
 * over the references in `left`, even on failure. */
static bool branch_compose(gjk_editor *e, const gjk_tree_node *before, const gjk_branch *left,
                           uint32_t count, gjk_branch *out) {
    if (count <= 1) {
        *out = count == 1 ? left[0] : (gjk_branch){.what = NULL};
        return true;
    }
    gjk_tree_node *node = gjk_tree_node_new(e->dimension, left, count);
    if (node == NULL) {
        branches_release(left, count);
        return false;
    }
    *out = gjk_branch_of_node(node);
    node->built_load = before->built_load;
    node->built_count = before->built_count;
    if (e->span || !is_degraded(node, gjk_box_measure(&out->box, e->dimension))) {
        return true;
    }
    gjk_branch degraded = *out;
    bool built = branch_rebuild(e, &degraded, NULL, 0, out);
    gjk_branch_release(&degraded);
    return built;
}

/* First pass: removed and moved bodies. They are found by their boxes and handles, or, where they
 * are many, by looking up every body of a branch in the hash table. A body that moves a little
 * stays in its node with a new box; a body that moves far is removed and inserted again. */

/* Returns true if `box` is inside `home` enlarged by its own width on each side. */
static bool is_near(const gjk_bounds *box, const gjk_bounds *home) {
    gjk_vec3 side = gjk_sub3(home->max, home->min);
    gjk_bounds wide = {gjk_sub3(home->min, side), gjk_add3(home->max, side)};
    return gjk_box_holds(&wide, box);
}

/* Returns sin^2(angle / 2) of the rotation from a to b, from the differences of the matrix entries
 * (in 2D, of one row). */
static double turn_between(const gjk_pose *a, const gjk_pose *b, uint32_t dimension) {
    const gjk_mat3 *m = &a->rotation, *n = &b->rotation;
    const gjk_vec3 first = gjk_sub3(n->r0, m->r0);
    if (dimension == 2) {
        return 0.25 * (first.x * first.x + first.y * first.y);
    }
    const gjk_vec3 second = gjk_sub3(n->r1, m->r1), third = gjk_sub3(n->r2, m->r2);
    return 0.125 * (gjk_dot3(first, first) + gjk_dot3(second, second) + gjk_dot3(third, third));
}

/*
 * If a body is turned by an angle, a point at distance `reach` from the body's origin is at most 2
 * sin(angle / 2) * reach from where pure translation would take it. Between two poses, with linear
 * translation and even rotation, the point deviates from its chord by at most angle^2 / 8 * reach
 * (the error bound of linear interpolation), and angle^2 / 8 <= 1.24 sin(angle / 2)^2. For large
 * rotations a ball around the body's origin is tighter.
 */
gjk_bounds gjk_tree_motion_box(const gjk_placed *base, const gjk_bounds *box,
                               const gjk_pose *const *poses, uint32_t count) {
    const uint32_t dimension = base->shape->dimension;
    const double reach = 1.75 * gjk_largest3(base->shape->center) + base->shape->bounding_radius;
    gjk_bounds origins = {base->pose.position, base->pose.position};
    double slack = gjk_box_slack(base), turned = 0.0, step = 0.0;
    bool turns = false;
    for (uint32_t i = 0; i < count; i++) {
        const gjk_bounds at = {poses[i]->position, poses[i]->position};
        origins = gjk_box_join(&origins, &at);
        const gjk_placed there = {base->shape, {.position = poses[i]->position}};
        slack = gjk_larger(slack, gjk_box_slack(&there));
        turns = turns || !gjk_same_rotation(&base->pose.rotation, &poses[i]->rotation);
    }
    for (uint32_t i = 0; turns && i < count; i++) {
        turned = gjk_larger(turned, turn_between(&base->pose, poses[i], dimension));
        step = gjk_larger(step, i > 0 ? turn_between(poses[i - 1], poses[i], dimension) : 0.0);
    }
    const double strays = 2.0 * sqrt(turned) + 1.5 * step;
    if (strays > 1.0) {
        return gjk_box_widen(origins, dimension, 1.125 * slack + reach);
    }
    const gjk_vec3 back = gjk_sub3(origins.min, base->pose.position);
    const gjk_vec3 forth = gjk_sub3(origins.max, base->pose.position);
    const gjk_bounds swept = {gjk_add3(box->min, back), gjk_add3(box->max, forth)};
    return gjk_box_widen(swept, dimension, slack + (1.0 + 0x1p-40) * strays * reach);
}

/* Applies an op to the branch of its body, in a node with the box `home`. Returns the new branch,
 * or an empty one if the body leaves this place. */
static gjk_branch apply(const gjk_editor *e, gjk_op *op, const gjk_branch *body,
                        const gjk_bounds *home) {
    if (e->span) {
        const gjk_pose *const way[] = {&op->from->placed.pose, &op->to->placed.pose};
        const uint32_t handle = op->to->handle;
        const gjk_bounds box =
            e->has_boxes ? op->box : gjk_tree_motion_box(&op->from->placed, &body->box, way, 2);
        op->from = op->to = NULL;
        return (gjk_branch){box, op->motion, handle, handle, GJK_BRANCH_MOTION};
    }
    op->from = NULL;
    if (op->to == NULL || !is_near(&op->box, home)) {
        return (gjk_branch){.what = NULL};
    }
    const gjk_branch stays = branch_of_body(op->to, op->box);
    op->to = NULL;
    return stays;
}

/* Returns the body of a leaf; for a motion, the body at its start. */
static const gjk_body *body_of(const gjk_branch *leaf) {
    return leaf->kind == GJK_BRANCH_BODY ? leaf->what : ((const gjk_motion *)leaf->what)->from;
}

/* Computes for each errand the branches of a node that may hold its body; none if it is done.
 * Returns false if the budget is exhausted. */
static bool aim_moves(const gjk_editor *e, const gjk_tree_node *node, gjk_errand *errands,
                      uint32_t count) {
    gjk_query_bounds query = {.kind = GJK_QUERY_OVERLAP, .dimension = e->dimension};
    _Alignas(64) double keys[GJK_TREE_WIDTH];
    if (gjk_budget_spend(e->budget, MOVE_STEPS * count)) {
        return false;
    }
    for (uint32_t k = 0; k < count; k++) {
        const gjk_op *op = &e->ops[errands[k].op];
        errands[k].branches = 0;
        if (op->from == NULL) {
            continue;
        }
        gjk_query_bounds_put_box(&query, &op->was);
        uint32_t met = gjk_tree_node_keys(node, &query, 0.0, keys);
        for (; met != 0; met &= met - 1) {
            const uint32_t i = (uint32_t)__builtin_ctz(met), handle = op->from->handle;
            const bool may_hold = node->first[i] <= handle && handle <= node->last[i];
            errands[k].branches |= (uint32_t)may_hold << i;
        }
    }
    return true;
}

/* Returns the op that removes or moves a body. NULL if there is none. */
static gjk_op *find_op(const gjk_editor *e, const gjk_body *body) {
    const uint32_t last = (uint32_t)((UINT64_C(1) << (64 - e->table_shift)) - 1);
    for (uint32_t at = hash(e, body); e->table[at] != 0; at = (at + 1) & last) {
        gjk_op *op = &e->ops[e->table[at] - 1];
        if (op->from == body) {
            return op;
        }
    }
    return NULL;
}

/* Returns true if the bodies of a branch are to be looked up rather than sought by `count` errands.
 * The nodes that seek them then hold more than TABLE_ONE_IN bodies to an errand, so that no level
 * of the tree takes more tests than a part of its bodies. */
static bool is_looked_up(const gjk_branch *branch, uint32_t count) {
    return count >= gjk_branch_count(branch) / TABLE_ONE_IN;
}

/* First pass: drops removed bodies and refits moved ones; bodies that moved far are dropped too.
 * home: box of the node that holds the branch. errands: the `count` ops whose bodies the branch may
 * hold; NULL if every body is looked up. out: the remaining branch, retained, or empty. Returns
 * false if memory or the budget is exhausted. */
static bool branch_move(gjk_editor *e, const gjk_branch *branch, gjk_errand *errands,
                        uint32_t count, const gjk_bounds *home, gjk_branch *out) {
    if (branch->kind != GJK_BRANCH_NODE) {
        gjk_op *op = find_op(e, body_of(branch));
        *out = op != NULL ? apply(e, op, branch, home) : *branch;
        return true;
    }
    const gjk_tree_node *node = branch->what;
    gjk_branch left[GJK_TREE_WIDTH];
    uint32_t left_count = 0;
    bool changed = false;
    if (errands != NULL && is_looked_up(branch, count)) {
        errands = NULL;
    }
    bool done = errands != NULL ? aim_moves(e, node, errands, count)
                                : !gjk_budget_spend(e->budget, MOVE_STEPS * node->used);
    for (uint32_t i = 0; done && i < node->used; i++) {
        const gjk_branch below = gjk_branch_at(node, i);
        const uint32_t selected = errands != NULL ? select_errands(errands, count, i) : 0;
        if (errands != NULL && selected == 0) {
            gjk_branch_retain(&below);
            left[left_count++] = below;
            continue;
        }
        done = branch_move(e, &below, errands, selected, &branch->box, &left[left_count]);
        if (done) {
            changed = changed || left[left_count].what != below.what;
            left_count += left[left_count].what != NULL;
            /* The recursive call has overwritten their masks. */
            done = errands == NULL || aim_moves(e, node, errands, selected);
        }
    }
    if (done && changed) {
        return branch_compose(e, node, left, left_count, out);
    }
    branches_release(left, left_count);
    if (done) {
        gjk_branch_retain(branch);
        *out = *branch;
    }
    return done;
}

/* Second pass: insertion by least enlargement (Guttman 1984). Each inserted body descends to the
 * branch whose box grows least, unless the node has a free slot and no branch is near. */

/* Returns the increase of the measure of a branch's box if the body is inserted there. */
static double growth(const gjk_branch *branch, const gjk_op *op, uint32_t dimension) {
    gjk_bounds both = gjk_box_join(&branch->box, &op->box);
    return gjk_box_measure(&both, dimension) - gjk_box_measure(&branch->box, dimension);
}

static uint32_t handle_gap(const gjk_branch *branch, const gjk_op *op) {
    uint32_t handle = op->to->handle;
    return handle < branch->first  ? branch->first - handle
           : handle > branch->last ? handle - branch->last
                                   : 0;
}

/* Returns the branch that grows least; of equals, the one with the nearest handles. */
static uint32_t find_host(const gjk_editor *e, const gjk_branch *branches, uint32_t count,
                          const gjk_op *op) {
    uint32_t best = 0;
    double least = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        double by = growth(&branches[i], op, e->dimension);
        if (by < least ||
            (by == least && handle_gap(&branches[i], op) < handle_gap(&branches[best], op))) {
            best = i;
            least = by;
        }
    }
    return best;
}

/* Assigns each inserted body to a free slot if no branch is near; otherwise to a branch, and
 * enlarges the branch's box. */
static void aim_insertions(const gjk_editor *e, gjk_errand *errands, uint32_t added,
                           gjk_branch *branches, uint32_t *count) {
    for (uint32_t k = 0; k < added; k++) {
        const gjk_op *op = &e->ops[errands[k].op];
        const uint32_t host = find_host(e, branches, *count, op);
        errands[k].branches = 0;
        if (*count < GJK_TREE_WIDTH &&
            growth(&branches[host], op, e->dimension) >= gjk_box_measure(&op->box, e->dimension)) {
            branches[(*count)++] = branch_of_body(op->to, op->box);
        } else {
            branches[host].box = gjk_box_join(&branches[host].box, &op->box);
            errands[k].branches = 1u << host;
        }
    }
}

/* Second pass: inserts the bodies of the errands. Result as in branch_move. */
static bool branch_insert(gjk_editor *e, const gjk_branch *branch, gjk_errand *errands,
                          uint32_t added, gjk_branch *out) {
    if (gjk_budget_spend(e->budget, 16 + GJK_TREE_WIDTH * added)) {
        return false;
    }
    if (added == 0) {
        gjk_branch_retain(branch);
        *out = *branch;
        return true;
    }
    if (added >= gjk_branch_count(branch)) {
        return branch_rebuild(e, branch, errands, added, out);
    }
    const gjk_tree_node *node = branch->what;
    GJK_ASSERT(branch->kind == GJK_BRANCH_NODE && node != NULL && node->used >= 1);
    gjk_branch left[GJK_TREE_WIDTH];
    uint32_t count = node->used;
    for (uint32_t i = 0; i < count; i++) {
        left[i] = gjk_branch_at(node, i);
    }
    aim_insertions(e, errands, added, left, &count);
    for (uint32_t i = 0; i < count; i++) {
        const gjk_branch below = i < node->used ? gjk_branch_at(node, i) : left[i];
        const uint32_t selected = select_errands(errands, added, i);
        if (!branch_insert(e, &below, errands, selected, &left[i])) {
            branches_release(left, i);
            return false;
        }
        errands += selected; /* each errand goes to one branch only */
        added -= selected;
    }
    return branch_compose(e, node, left, count, out);
}

/* Counts the nodes not shared with any other tree. The tree edited from must still be alive. */
static uint32_t count_own(const gjk_tree_node *node) {
    uint32_t count = 1;
    if (!gjk_references_only(&node->references)) {
        return 0;
    }
    for (uint32_t i = 0; i < node->used; i++) {
        count += node->kind[i] == GJK_BRANCH_NODE ? count_own(node->branch[i]) : 0;
    }
    return count;
}

/* Initialises a tree with a branch and takes over its reference. */
static gjk_status tree_make(uint32_t dimension, const gjk_branch *branch, struct gjk_tree *tree) {
    const gjk_tree_node *node = branch->what;
    if (branch->kind != GJK_BRANCH_NODE) {
        node = gjk_tree_node_new(dimension, branch, 1);
    }
    gjk_references_init(&tree->references);
    tree->dimension = dimension;
    tree->root = node;
    tree->bounds = branch->box;
    tree->motion_count = 0;
    tree->own_nodes = node != NULL ? count_own(node) : 0;
    return node != NULL ? GJK_OK : GJK_OUT_OF_MEMORY;
}

/* Returns a view of a whole tree (NULL: empty). A root with one body becomes that body's branch. */
static gjk_branch tree_branch(const struct gjk_tree *tree) {
    if (tree == NULL) {
        return (gjk_branch){.what = NULL};
    }
    return tree->root->count == 1 ? gjk_branch_at(tree->root, 0) : gjk_branch_of_node(tree->root);
}

static bool apply_changes(gjk_editor *e, const gjk_branch *root, uint32_t count, gjk_branch *out) {
    gjk_branch left = {.what = NULL};
    const uint32_t moved = list_errands(e, count, true);
    for (uint32_t i = 0; i < moved && root->what != NULL && !is_looked_up(root, moved); i++) {
        gjk_op *op = &e->ops[e->errands[i].op];
        op->was = gjk_box_of(&op->from->placed);
    }
    if (root->what != NULL && !branch_move(e, root, e->errands, moved, &root->box, &left)) {
        return false;
    }
    const uint32_t added = list_errands(e, count, false);
    const bool done = branch_insert(e, &left, e->errands, added, out);
    gjk_branch_release(&left);
    return done;
}

/* Fast path for teleports: if every body moves, and most so far that no branch would keep its
 * bodies, the old tree is of no use. The bodies may jump again at the next edit, so the new tree is
 * built with in_haste. */

#define TELEPORT_LEAVES 2 /* minimal jump, in widths of a leaf if bodies were spread evenly */

/* Returns true if all bodies move and more than half of them jump. */
static bool is_teleport(const struct gjk_tree *tree, const gjk_tree_change *changes,
                        uint32_t count) {
    if (tree == NULL || count != tree->root->count || count <= GJK_TREE_WIDTH) {
        return false;
    }
    const gjk_vec3 sides = gjk_sub3(tree->bounds.max, tree->bounds.min);
    const double leaves = (double)tree->root->count / GJK_TREE_WIDTH;
    double cells = 1.0; /* leaves along each axis */
    while (cells * cells * (tree->dimension == 3 ? cells : 1.0) < leaves) {
        cells += 1.0;
    }
    const gjk_vec3 away = gjk_scale3(TELEPORT_LEAVES / cells, sides);
    uint32_t far = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (changes[i].from == NULL || changes[i].to == NULL) {
            return false;
        }
        const gjk_vec3 step =
            gjk_sub3(changes[i].to->placed.pose.position, changes[i].from->placed.pose.position);
        far += fabs(step.x) > away.x || fabs(step.y) > away.y || fabs(step.z) > away.z;
    }
    return far > count / 2;
}

/* Builds a branch over the bodies after the changes. Returns false if memory or the budget is
 * exhausted. */
static bool build_new(uint32_t dimension, const gjk_tree_change *changes, uint32_t count,
                      gjk_budget *budget, gjk_branch *out) {
    gjk_branch *bodies = malloc((size_t)count * sizeof *bodies);
    for (uint32_t i = 0; bodies != NULL && i < count; i++) {
        bodies[i] = branch_of_body(changes[i].to, gjk_box_of(&changes[i].to->placed));
    }
    const bool built =
        bodies != NULL && gjk_tree_build(dimension, bodies, count, true, budget, out);
    free(bodies);
    return built;
}

gjk_status gjk_tree_edit(const struct gjk_tree *tree, uint32_t dimension,
                         const gjk_tree_change *changes, uint32_t count, gjk_budget *budget,
                         struct gjk_tree **out) {
    gjk_editor e = {.dimension = dimension, .budget = budget};
    gjk_branch root = tree_branch(tree), left = {.what = NULL};
    *out = NULL;
    struct gjk_tree *edited = malloc(sizeof *edited);
    bool done = edited != NULL;
    if (done && is_teleport(tree, changes, count)) {
        done = build_new(dimension, changes, count, budget, &left);
    } else if (done) {
        done = editor_init(&e, changes, count) && apply_changes(&e, &root, count, &left);
    }
    editor_fini(&e);
    if (done && left.what == NULL) {
        free(edited);
        return GJK_OK;
    }
    if (!done || tree_make(dimension, &left, edited) != GJK_OK) {
        free(edited);
        return gjk_budget_is_spent(e.budget) ? GJK_GIVEN_UP : GJK_OUT_OF_MEMORY;
    }
    *out = edited;
    return GJK_OK;
}

/* Trees whose boxes enclose the motions of bodies: only the first pass of an edit, without removals
 * and with unchanged structure. */

gjk_status gjk_tree_span(const struct gjk_tree *tree, const gjk_tree_change *changes,
                         uint32_t count, const gjk_bounds *boxes, struct gjk_tree **out) {
    gjk_editor e = {.dimension = tree->dimension, .span = true, .has_boxes = boxes != NULL};
    gjk_branch root = tree_branch(tree), left = {.what = NULL};
    struct gjk_tree *span = malloc(sizeof *span + (size_t)count * sizeof span->motions[0]);
    bool done = span != NULL && editor_init(&e, changes, count);
    for (uint32_t i = 0; done && i < count; i++) {
        gjk_op *op = &e.ops[i];
        if (op->from == NULL || op->to == NULL) {
            op->from = op->to = NULL;
            continue;
        }
        span->motions[i] = (gjk_motion){boxes != NULL ? op->to : op->from, op->to};
        op->box = boxes != NULL ? boxes[i] : op->box;
        op->motion = &span->motions[i];
    }
    done = done && apply_changes(&e, &root, count, &left) &&
           tree_make(tree->dimension, &left, span) == GJK_OK;
    editor_fini(&e);
    if (!done) {
        free(span);
        return GJK_OUT_OF_MEMORY;
    }
    span->motion_count = count;
    *out = span;
    return GJK_OK;
}

/* Reference counts and statistics of trees. */

struct gjk_tree *gjk_tree_retain(const struct gjk_tree *tree) {
    struct gjk_tree *shared = (struct gjk_tree *)tree;
    gjk_references_add(&shared->references);
    return shared;
}

void gjk_tree_release(const struct gjk_tree *tree) {
    struct gjk_tree *shared = (struct gjk_tree *)tree;
    if (shared == NULL || !gjk_references_drop(&shared->references)) {
        return;
    }
    const gjk_branch root = {.what = shared->root, .kind = GJK_BRANCH_NODE};
    gjk_branch_release(&root);
    free(shared);
}

size_t gjk_tree_bytes(const struct gjk_tree *tree) {
    if (tree == NULL) {
        return 0;
    }
    return sizeof *tree + tree->root->nodes * sizeof(gjk_tree_node) +
           tree->motion_count * sizeof(gjk_motion);
}

size_t gjk_tree_added_bytes(const struct gjk_tree *tree) {
    if (tree == NULL) {
        return 0;
    }
    return sizeof *tree + tree->own_nodes * sizeof(gjk_tree_node) +
           tree->motion_count * sizeof(gjk_motion);
}

size_t gjk_tree_bytes_beside(const struct gjk_tree *tree, const struct gjk_tree *span) {
    const uint32_t shared = tree->root->nodes - span->own_nodes;
    const uint32_t only = tree->own_nodes > shared ? tree->own_nodes - shared : 0; /* lower bound */
    return span != tree ? sizeof *tree + only * sizeof(gjk_tree_node) : 0;
}

double gjk_tree_boxes_met(const struct gjk_tree *tree) {
    double measure = gjk_box_measure(&tree->bounds, tree->dimension);
    double met = 1.0 + tree->root->load / measure;
    return met <= 2.0 * tree->root->count ? met : 2.0 * tree->root->count; /* if the measure is 0 */
}

gjk_bounds gjk_tree_bounds(const struct gjk_tree *tree) {
    return tree->bounds;
}
