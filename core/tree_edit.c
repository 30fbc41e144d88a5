/*
 * What becomes of a tree when bodies come, go and move? The branches with changes are copied,
 * all others shared. Two passes: the first finds whoever goes or moves, by box and handle, or,
 * where it is one in ONE_IN or more, by asking of every body whether it does; who
 * stays near has the box fitted where it is, who went far is put in anew by the second, which
 * leads newcomers down to where boxes grow least.
 *
 * A branch that has worn out is built anew (after the partial rebuilding of Overmars 1983): when
 * a random ray that meets it would meet GJK_WORN_LOAD times as many boxes in it as when it was
 * built, when it has twice or half as many bodies, or when it has grown too high.
 */

#include "larger.h"
#include "tree_keys.h"
#include "tree_node.h"

#include <stdlib.h>
#include <string.h>

#define ONE_IN 4
#define WORN_LOAD 1.5
#define WORN_COUNT 2

typedef struct gjk_op {
    const gjk_body *from, *to; /* from NULL: to be put in; both NULL: done */
    gjk_bounds was, box;       /* of from and to */
    const gjk_motion *motion;  /* instead of `to`, in a span */
} gjk_op;

/* A stack of numbers of ops; lists on it are named by where they begin. */
typedef struct gjk_editor {
    uint32_t dimension;
    bool span;
    gjk_op *ops;
    uint32_t *table; /* numbers of ops from 1 by the body taken out, hashed; NULL: few ops */
    uint32_t table_shift;
    uint32_t *stack;
    size_t top, capacity;
} gjk_editor;

typedef struct gjk_ops {
    size_t at;
    uint32_t count;
} gjk_ops;

static bool push(gjk_editor *e, uint32_t number) {
    if (e->top == e->capacity) {
        size_t capacity = 2 * e->capacity;
        uint32_t *stack = malloc(capacity * sizeof *stack);
        if (stack == NULL) {
            return false;
        }
        memcpy(stack, e->stack, e->top * sizeof *stack);
        free(e->stack);
        e->stack = stack;
        e->capacity = capacity;
    }
    e->stack[e->top++] = number;
    return true;
}

static gjk_op *op_at(gjk_editor *e, gjk_ops ops, uint32_t i) {
    return &e->ops[e->stack[ops.at + i]];
}

static void release_all(const gjk_branch *branches, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        gjk_branch_release(&branches[i]);
    }
}

/* Builds a branch over the bodies of one and those put in by ops. The branch stays as it is. */
static bool rebuild(gjk_editor *e, const gjk_branch *branch, gjk_ops ops, gjk_branch *out) {
    uint32_t count = gjk_branch_count(branch) + ops.count;
    gjk_branch *bodies = malloc((size_t)count * sizeof *bodies);
    if (bodies == NULL) {
        return false;
    }
    gjk_branch *end = branch->what != NULL ? gjk_branch_collect(branch, bodies) : bodies;
    for (uint32_t i = 0; i < ops.count; i++) {
        const gjk_op *op = op_at(e, ops, i);
        *end++ = (gjk_branch){op->box, op->to, op->to->handle, op->to->handle, GJK_BRANCH_BODY};
    }
    bool built = gjk_tree_build(e->dimension, bodies, count, out);
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

static bool is_worn(const gjk_tree_node *node, double measure) {
    return node->height > height_limit(node->count) ||
           node->load > WORN_LOAD * node->built_load * measure ||
           node->count / WORN_COUNT > node->built_count ||
           node->built_count / WORN_COUNT > node->count;
}

/* The branches that are left of a node as one branch; takes them over, also when it fails. */
static bool compose(gjk_editor *e, const gjk_tree_node *before, const gjk_branch *left,
                    uint32_t count, gjk_branch *out) {
    if (count <= 1) {
        *out = count == 1 ? left[0] : (gjk_branch){.what = NULL};
        return true;
    }
    gjk_tree_node *node = gjk_tree_node_new(e->dimension, left, count);
    if (node == NULL) {
        release_all(left, count);
        return false;
    }
    *out = gjk_branch_of_node(node);
    node->built_load = before->built_load;
    node->built_count = before->built_count;
    if (e->span || !is_worn(node, gjk_box_measure(&out->box, e->dimension))) {
        return true;
    }
    gjk_branch worn = *out;
    bool built = rebuild(e, &worn, (gjk_ops){0, 0}, out);
    gjk_branch_release(&worn);
    return built;
}

/* Puts the ops with bit i of their mask on the stack. masks: as many as ops. */
static bool select_ops(gjk_editor *e, gjk_ops ops, size_t masks, uint32_t i, gjk_ops *out) {
    *out = (gjk_ops){e->top, 0};
    for (uint32_t k = 0; k < ops.count; k++) {
        if ((e->stack[masks + k] >> i & 1) != 0) {
            if (!push(e, e->stack[ops.at + k])) {
                return false;
            }
            out->count++;
        }
    }
    return true;
}

/* The first pass. */

/* Is a box no farther from another than that is wide? */
static bool is_near(const gjk_bounds *box, const gjk_bounds *home) {
    gjk_vec3 side = gjk_sub3(home->max, home->min);
    gjk_bounds wide = {gjk_sub3(home->min, side), gjk_add3(home->max, side)};
    return gjk_box_holds(&wide, box);
}

/* A body's branch after its op: moved, or gone. */
static gjk_branch apply(const gjk_editor *e, gjk_op *op, const gjk_branch *body,
                        const gjk_bounds *home) {
    gjk_branch moved = *body;
    op->from = NULL;
    if (op->to == NULL || (!e->span && !is_near(&op->box, home))) {
        return (gjk_branch){.what = NULL};
    }
    moved.box = op->box;
    moved.what = op->to;
    moved.first = moved.last = op->to->handle;
    if (e->span) {
        moved.what = op->motion;
        moved.kind = GJK_BRANCH_MOTION;
    }
    op->to = NULL;
    return moved;
}

/* The same where one of the ops may be the body's. */
static gjk_branch move_body(gjk_editor *e, const gjk_branch *body, gjk_ops ops,
                            const gjk_bounds *home) {
    for (uint32_t i = 0; i < ops.count; i++) {
        gjk_op *op = op_at(e, ops, i);
        if (op->from == body->what) {
            return apply(e, op, body, home);
        }
    }
    return *body;
}

/* Where in the table a body's op is looked for first (Fibonacci hashing). */
static uint32_t hash(const gjk_editor *e, const void *body) {
    return (uint32_t)(((uint64_t)(uintptr_t)body * UINT64_C(0x9E3779B97F4A7C15)) >> e->table_shift);
}

/* At most half full. */
static bool make_table(gjk_editor *e, uint32_t count) {
    e->table_shift = 63;
    while (UINT64_C(1) << (64 - e->table_shift) < 2 * (uint64_t)count) {
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

static gjk_branch look_up(gjk_editor *e, const gjk_branch *body, const gjk_bounds *home) {
    const uint32_t last = (uint32_t)((UINT64_C(1) << (64 - e->table_shift)) - 1);
    for (uint32_t at = hash(e, body->what); e->table[at] != 0; at = (at + 1) & last) {
        gjk_op *op = &e->ops[e->table[at] - 1];
        if (op->from == body->what) {
            return apply(e, op, body, home);
        }
    }
    return *body;
}

/* Asks of every body below whether it has an op. */
static bool look_up_all(gjk_editor *e, const gjk_branch *branch, const gjk_bounds *home,
                        gjk_branch *out) {
    if (branch->kind != GJK_BRANCH_NODE) {
        *out = branch->kind == GJK_BRANCH_BODY ? look_up(e, branch, home) : *branch;
        return true;
    }
    const gjk_tree_node *node = branch->what;
    gjk_branch left[GJK_TREE_WIDTH];
    uint32_t count = 0;
    bool changed = false;
    for (uint32_t i = 0; i < node->used; i++) {
        gjk_branch below = gjk_branch_at(node, i);
        if (!look_up_all(e, &below, &branch->box, &left[count])) {
            release_all(left, count);
            return false;
        }
        changed = changed || left[count].what != below.what;
        count += left[count].what != NULL;
    }
    if (changed) {
        return compose(e, node, left, count, out);
    }
    release_all(left, count);
    gjk_branch_retain(branch);
    *out = *branch;
    return true;
}

static bool mask_moves(gjk_editor *e, const gjk_tree_node *node, gjk_ops ops) {
    gjk_probe probe = {.kind = GJK_PROBE_OVERLAP, .dimension = e->dimension};
    double keys[GJK_TREE_WIDTH];
    for (uint32_t k = 0; k < ops.count; k++) {
        const gjk_op *op = op_at(e, ops, k);
        const uint32_t handle = op->from->handle;
        uint32_t mask = 0;
        gjk_probe_put_box(&probe, &op->was);
        uint32_t met = gjk_probe_node(&probe, node, 0.0, keys);
        for (; met != 0; met &= met - 1) {
            const uint32_t i = (uint32_t)__builtin_ctz(met);
            const bool may_hold = node->first[i] <= handle && handle <= node->last[i];
            mask |= (uint32_t)may_hold << i;
        }
        if (!push(e, mask)) {
            return false;
        }
    }
    return true;
}

/* Ops that were done on the way (found in another branch) are skipped. */
static gjk_ops drop_done(gjk_editor *e, gjk_ops ops) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < ops.count; i++) {
        if (op_at(e, ops, i)->from != NULL) {
            e->stack[ops.at + count++] = e->stack[ops.at + i];
        }
    }
    e->top = ops.at + count;
    return (gjk_ops){ops.at, count};
}

static bool move_node(gjk_editor *e, const gjk_branch *branch, gjk_ops ops, gjk_branch *out);

static bool move_branch(gjk_editor *e, const gjk_branch *branch, gjk_ops ops,
                        const gjk_bounds *home, gjk_branch *out) {
    ops = drop_done(e, ops);
    if (branch->kind == GJK_BRANCH_NODE && ops.count > 0) {
        return move_node(e, branch, ops, out);
    }
    gjk_branch_retain(branch);
    *out = branch->kind == GJK_BRANCH_BODY ? move_body(e, branch, ops, home) : *branch;
    return true;
}

static bool move_node(gjk_editor *e, const gjk_branch *branch, gjk_ops ops, gjk_branch *out) {
    const gjk_tree_node *node = branch->what;
    gjk_branch left[GJK_TREE_WIDTH];
    uint32_t count = 0;
    size_t masks = e->top;
    bool done = mask_moves(e, node, ops);
    for (uint32_t i = 0; done && i < node->used; i++) {
        size_t top = e->top;
        gjk_branch below = gjk_branch_at(node, i);
        gjk_ops mine;
        done = select_ops(e, ops, masks, i, &mine) &&
               move_branch(e, &below, mine, &branch->box, &left[count]);
        count += done && left[count].what != NULL;
        e->top = top;
    }
    e->top = masks;
    if (!done) {
        release_all(left, count);
        return false;
    }
    return compose(e, node, left, count, out);
}

/* The second pass. */

/* How much a branch's measure grows by a box; ties go to the nearer handles. */
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

/* Where each newcomer goes: to a free place of its own if no branch is near, else to a branch,
 * whose box grows by it. The masks are left on the stack. */
static bool place_newcomers(gjk_editor *e, gjk_ops ops, gjk_branch *branches, uint32_t *count) {
    for (uint32_t k = 0; k < ops.count; k++) {
        const gjk_op *op = op_at(e, ops, k);
        uint32_t host = find_host(e, branches, *count, op), mask = 0;
        if (*count < GJK_TREE_WIDTH &&
            growth(&branches[host], op, e->dimension) >= gjk_box_measure(&op->box, e->dimension)) {
            uint32_t handle = op->to->handle;
            branches[(*count)++] = (gjk_branch){op->box, op->to, handle, handle, GJK_BRANCH_BODY};
        } else {
            branches[host].box = gjk_box_join(&branches[host].box, &op->box);
            mask = 1u << host;
        }
        if (!push(e, mask)) {
            return false;
        }
    }
    return true;
}

static bool insert(gjk_editor *e, const gjk_branch *branch, gjk_ops ops, gjk_branch *out) {
    if (ops.count >= gjk_branch_count(branch)) {
        return ops.count == 0 || rebuild(e, branch, ops, out);
    }
    if (ops.count == 0) {
        gjk_branch_retain(branch);
        *out = *branch;
        return true;
    }
    const gjk_tree_node *node = branch->what;
    GJK_ASSERT(branch->kind == GJK_BRANCH_NODE && node != NULL && node->used >= 1);
    gjk_branch left[GJK_TREE_WIDTH];
    uint32_t count = node->used, inserted = 0;
    for (uint32_t i = 0; i < count; i++) {
        left[i] = gjk_branch_at(node, i);
    }
    size_t masks = e->top;
    bool done = place_newcomers(e, ops, left, &count);
    for (uint32_t i = 0; done && i < count; i++) {
        size_t top = e->top;
        gjk_ops mine;
        gjk_branch below = i < node->used ? gjk_branch_at(node, i) : left[i];
        done = select_ops(e, ops, masks, i, &mine) && insert(e, &below, mine, &left[i]);
        inserted += done;
        e->top = top;
    }
    e->top = masks;
    if (!done) {
        release_all(left, inserted);
        return false;
    }
    return compose(e, node, left, count, out);
}

/* The whole. */

static bool make_ops(gjk_editor *e, const gjk_tree_change *changes, uint32_t count, uint32_t held) {
    uint32_t leaving = 0;
    e->capacity = 2 * (size_t)count + 64;
    e->ops = malloc(((size_t)count + 1) * sizeof *e->ops);
    e->stack = malloc(e->capacity * sizeof *e->stack);
    if (e->ops == NULL || e->stack == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        gjk_op *op = &e->ops[i];
        *op = (gjk_op){.from = changes[i].from, .to = changes[i].to};
        leaving += op->from != NULL;
        if (op->to != NULL && !e->span) {
            op->box = gjk_box_of(&op->to->placed);
        }
    }
    if (leaving > 0 && leaving >= held / ONE_IN) {
        return make_table(e, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        gjk_op *op = &e->ops[i];
        if (op->from != NULL) {
            op->was = gjk_box_of(&op->from->placed);
        }
    }
    return true;
}

static void drop_ops(gjk_editor *e) {
    free(e->ops);
    free(e->stack);
    free(e->table);
}

static gjk_ops list_ops(gjk_editor *e, uint32_t count, bool moves) {
    gjk_ops ops = {0, 0};
    for (uint32_t i = 0; i < count; i++) {
        const gjk_op *op = &e->ops[i];
        if (moves ? op->from != NULL : op->to != NULL) {
            e->stack[ops.count++] = i;
        }
    }
    e->top = ops.count;
    return ops;
}

/* The first pass over a whole tree. */
static bool move_root(gjk_editor *e, const gjk_branch *root, uint32_t count, gjk_branch *out) {
    return e->table != NULL ? look_up_all(e, root, &root->box, out)
                            : move_branch(e, root, list_ops(e, count, true), &root->box, out);
}

static bool run(gjk_editor *e, const gjk_branch *root, uint32_t count, gjk_branch *out) {
    gjk_branch left = {.what = NULL};
    if (root->what != NULL && !move_root(e, root, count, &left)) {
        return false;
    }
    gjk_ops newcomers = list_ops(e, count, false);
    bool done = insert(e, &left, newcomers, out);
    gjk_branch_release(&left);
    return done;
}

/* Nodes that nobody else has, while the tree that was edited is held. */
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

static gjk_status make_tree(uint32_t dimension, const gjk_branch *branch, struct gjk_tree *tree) {
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

/* A view. A root that holds but one body stands for that. */
static gjk_branch root_of(const struct gjk_tree *tree) {
    if (tree == NULL) {
        return (gjk_branch){.what = NULL};
    }
    return tree->root->count == 1 ? gjk_branch_at(tree->root, 0) : gjk_branch_of_node(tree->root);
}

gjk_status gjk_tree_edit(const struct gjk_tree *tree, uint32_t dimension,
                         const gjk_tree_change *changes, uint32_t count, struct gjk_tree **out) {
    gjk_editor e = {.dimension = dimension};
    gjk_branch root = root_of(tree), left = {.what = NULL};
    *out = NULL;
    struct gjk_tree *edited = malloc(sizeof *edited);
    bool done = edited != NULL && make_ops(&e, changes, count, gjk_branch_count(&root)) &&
                run(&e, &root, count, &left);
    drop_ops(&e);
    if (done && left.what == NULL) {
        free(edited);
        return GJK_OK;
    }
    if (!done || make_tree(dimension, &left, edited) != GJK_OK) {
        free(edited);
        return GJK_OUT_OF_MEMORY;
    }
    *out = edited;
    return GJK_OK;
}

/* The box of a body on its way: where it does not turn, the way is straight and both ends bound
 * it; else any turn keeps it in a ball around its own origin. */
static gjk_bounds box_of_motion(const gjk_placed *from, const gjk_pose *to) {
    const gjk_placed there = {from->shape, *to};
    gjk_bounds here = {from->pose.position, from->pose.position};
    gjk_bounds next = {to->position, to->position};
    double slack = gjk_larger(gjk_box_slack(from), gjk_box_slack(&there));
    double by = 0.125 * slack; /* for the roundings of places on the way */
    if (gjk_same_rotation(&from->pose.rotation, &to->rotation)) {
        here = gjk_box_of(from);
        next = gjk_box_of(&there);
    } else {
        by += slack + 1.75 * gjk_largest3(from->shape->center) + from->shape->bounding_radius;
    }
    return gjk_box_widen(gjk_box_join(&here, &next), from->shape->dimension, by);
}

gjk_status gjk_tree_span(const struct gjk_tree *tree, const gjk_tree_change *changes,
                         uint32_t count, struct gjk_tree **out) {
    gjk_editor e = {.dimension = tree->dimension, .span = true};
    gjk_branch root = root_of(tree), left = {.what = NULL};
    struct gjk_tree *span = malloc(sizeof *span + (size_t)count * sizeof span->motions[0]);
    bool done = span != NULL && make_ops(&e, changes, count, tree->root->count);
    for (uint32_t i = 0; done && i < count; i++) {
        gjk_op *op = &e.ops[i];
        if (op->from == NULL || op->to == NULL) {
            op->from = NULL;
            continue;
        }
        span->motions[i] = (gjk_motion){op->from, op->to};
        op->motion = &span->motions[i];
        op->box = box_of_motion(&op->from->placed, &op->to->placed.pose);
    }
    done = done && move_root(&e, &root, count, &left) &&
           make_tree(tree->dimension, &left, span) == GJK_OK;
    drop_ops(&e);
    if (!done) {
        free(span);
        return GJK_OUT_OF_MEMORY;
    }
    span->motion_count = count;
    *out = span;
    return GJK_OK;
}
