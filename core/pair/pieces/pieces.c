/*
 * Pairs in which one or both shapes have pieces: first the candidate pairs of pieces, then the
 * queries on them.
 *
 * Candidates are the pairs of pieces that may be nearer than a bound. If one operand has pieces,
 * its tree is walked with the other's box in its own frame, nearest first. If both have, their
 * trees are walked together: the larger of two boxes is opened, and the boxes of b are carried into
 * the frame of a by the rotation between them (Gottschalk, Lin, Manocha 1996, with boxes along a's
 * axes).
 */

#include "pair/pieces/pieces.h"

#include "base/list.h"
#include "base/numbers.h"
#include "shape/pieces/pieces.h"
#include "shape/pieces/walk.h"

#include <string.h>

/* Rounding error of a relative pose, relative to its coordinates. */
#define POSE_ROUNDING 0x1p-46

/* Budget steps of a pair of pieces beside those of its query. */
#define PAIR_STEPS 16

double gjk_slack_of_pieces(const gjk_placed *a, const gjk_placed *b, double radius,
                           double tolerance) {
    const gjk_vec3 p = a->pose.position, q = b->pose.position;
    const double far = fabs(p.x) + fabs(p.y) + fabs(p.z) + fabs(q.x) + fabs(q.y) + fabs(q.z) +
                       a->shape->reach + b->shape->reach + radius;
    return 2.0 * tolerance * gjk_larger(a->shape->size, b->shape->size) + POSE_ROUNDING * far;
}

/* --- One operand has pieces --- */

/* A piece of a leaf and its gap to the other shape. */
typedef struct near_piece {
    double gap;
    uint32_t index;
} near_piece;

/* Returns true if a pair of pieces with that gap may be relevant to the visitor. */
static bool may_matter(const gjk_piece_visitor *visitor, double gap, double slack) {
    const bool is_too_far = gap - slack > visitor->bound;
    const bool is_too_shallow = visitor->depth > 0.0 && -gap + slack < visitor->depth;
    return !is_too_far && !is_too_shallow;
}

/* Sorts the pieces of a leaf by ascending gap. */
static void sort_leaf(const struct gjk_pieces *pieces, uint32_t first, uint32_t count,
                      const gjk_seen *seen, near_piece sorted[GJK_PIECES_LEAF]) {
    double gaps[GJK_PIECES_LEAF];
    gjk_leaf_gap_lengths(pieces, first, count, seen, gaps);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t index = gjk_slot_piece(&pieces->tree, first + i);
        const double gap = gaps[i];
        uint32_t at = i;
        while (at > 0 && sorted[at - 1].gap > gap) {
            sorted[at].gap = sorted[at - 1].gap;
            sorted[at].index = sorted[at - 1].index;
            at--;
        }
        sorted[at].gap = gap;
        sorted[at].index = index;
    }
}

static void visit_one(const gjk_placed *whole, const gjk_placed *other, bool whole_is_a,
                      gjk_piece_visitor *visitor) {
    const struct gjk_pieces *pieces = whole->shape->pieces;
    const gjk_seen seen = gjk_seen_make(&whole->pose, other);
    const gjk_bounds box = gjk_placed_bounds(&seen.placed);
    const double slack = gjk_slack_of_pieces(whole, other, 0.0, visitor->tolerance);
    gjk_pieces_walk walk;
    uint32_t first, count;
    gjk_pieces_walk_begin(&walk, &pieces->tree, GJK_WALK_NEAR, &box, slack, INFINITY,
                          visitor->budget);
    gjk_pieces_walk_ball(&walk, seen.center, other->shape->bounding_radius + slack,
                         other->shape->count == 1);
    gjk_pieces_walk_narrow(&walk, visitor->bound);
    while (gjk_pieces_walk_next(&walk, &first, &count)) {
        near_piece sorted[GJK_PIECES_LEAF];
        sort_leaf(pieces, first, count, &seen, sorted);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t index = sorted[i].index;
            if (!may_matter(visitor, sorted[i].gap, slack)) {
                continue;
            }
            gjk_piece piece;
            gjk_piece_make(whole, index, &piece);
            const gjk_piece_pair pair = {
                whole_is_a ? &piece.placed : other,
                whole_is_a ? other : &piece.placed,
                whole_is_a ? index : GJK_NO_PIECE,
                whole_is_a ? GJK_NO_PIECE : index,
            };
            if (gjk_budget_spend(visitor->budget, PAIR_STEPS) || !visitor->visit(visitor, &pair)) {
                return;
            }
        }
        gjk_pieces_walk_narrow(&walk, visitor->bound);
    }
}

/* --- Both operands have pieces --- */

/* A child of a tree node, with its box in that tree's unit. */
typedef struct branch {
    double min[3], max[3];
    uint32_t child;
} branch;

typedef struct branch_pair {
    double key; /* squared gap between the boxes, in the unit of a's tree */
    branch a, b;
} branch_pair;

/* Each step opens one node and replaces it by at most eight pairs. */
#define DUAL_STACK (2 * GJK_PIECES_HEIGHT_MAX * (GJK_PIECES_WIDTH - 1) + 1)

typedef struct dual_walk {
    const gjk_placed *a, *b;
    const struct gjk_pieces *pieces_a, *pieces_b;
    double turn[3][3]; /* from the unit of b's tree to that of a's tree */
    double shift[3];
    double length_slack, slack; /* in world units, and in the unit of a's tree */
    gjk_piece_visitor *visitor;
    uint32_t top;
    branch_pair stack[DUAL_STACK];
} dual_walk;

static void aim_dual(dual_walk *walk) {
    const gjk_pieces_tree *p = &walk->pieces_a->tree, *q = &walk->pieces_b->tree;
    const gjk_pose pose = gjk_pose_relative(&walk->a->pose, &walk->b->pose);
    const gjk_vec3 rows[3] = {pose.rotation.r0, pose.rotation.r1, pose.rotation.r2};
    const double scale = p->unit / q->unit;
    const gjk_vec3 center = gjk_sub3(gjk_pose_apply(&pose, q->center), p->center);
    const double shift[3] = {center.x, center.y, center.z};
    for (int axis = 0; axis < 3; axis++) {
        walk->turn[axis][0] = rows[axis].x * scale;
        walk->turn[axis][1] = rows[axis].y * scale;
        walk->turn[axis][2] = rows[axis].z * scale;
        walk->shift[axis] = shift[axis] * p->unit;
    }
    walk->length_slack = gjk_slack_of_pieces(walk->a, walk->b, 0.0, walk->visitor->tolerance);
    walk->slack = walk->length_slack * p->unit;
}

/* Returns the squared gap between a's box and b's box in the frame of a. */
static double key_of(const dual_walk *walk, const branch *a, const branch *b) {
    double sum = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double middle = walk->shift[axis], half = walk->slack;
        for (int i = 0; i < 3; i++) {
            middle += walk->turn[axis][i] * (0.5 * b->min[i] + 0.5 * b->max[i]);
            half += fabs(walk->turn[axis][i]) * (0.5 * b->max[i] - 0.5 * b->min[i]);
        }
        half += POSE_ROUNDING * (fabs(middle) + half);
        const double above = a->min[axis] - (middle + half), below = middle - half - a->max[axis];
        const double gap = gjk_larger(gjk_larger(above, below), 0.0);
        sum += gap * gap;
    }
    return sum;
}

static double side_of(const branch *box) {
    return gjk_larger(box->max[0] - box->min[0],
                      gjk_larger(box->max[1] - box->min[1], box->max[2] - box->min[2]));
}

static branch child_of(const gjk_pieces_node *node, uint32_t i) {
    branch child = {.child = node->child[i]};
    for (int axis = 0; axis < 3; axis++) {
        child.min[axis] = (double)node->min[axis][i];
        child.max[axis] = (double)node->max[axis][i];
    }
    return child;
}

/* Replaces a pair of branches by pairs with the children of the opened one. */
static void open_pair(dual_walk *walk, const branch_pair *pair, bool open_a) {
    const gjk_pieces_tree *tree = open_a ? &walk->pieces_a->tree : &walk->pieces_b->tree;
    const gjk_pieces_node *node = &tree->nodes[open_a ? pair->a.child : pair->b.child];
    const double bound = gjk_pieces_near_bound(&walk->pieces_a->tree, walk->visitor->bound);
    const uint32_t bottom = walk->top;
    for (uint32_t i = 0; i < GJK_PIECES_WIDTH; i++) {
        branch_pair next = *pair;
        if (!(node->min[0][i] <= node->max[0][i])) {
            continue;
        }
        *(open_a ? &next.a : &next.b) = child_of(node, i);
        next.key = key_of(walk, &next.a, &next.b);
        if (next.key <= bound) {
            uint32_t at = walk->top++;
            GJK_CHECK(at < DUAL_STACK);
            while (at > bottom && walk->stack[at - 1].key < next.key) {
                walk->stack[at] = walk->stack[at - 1];
                at--;
            }
            walk->stack[at] = next;
        }
    }
}

/* Visits all pairs of pieces of two leaves. Returns false if the visitor ended the search. */
static bool visit_leaves(dual_walk *walk, uint32_t leaf_a, uint32_t leaf_b) {
    const uint32_t first_a = gjk_child_first_slot(leaf_a), first_b = gjk_child_first_slot(leaf_b);
    const uint32_t count_a = gjk_child_slot_count(leaf_a), count_b = gjk_child_slot_count(leaf_b);
    for (uint32_t i = 0; i < count_a; i++) {
        gjk_piece a;
        gjk_piece_pair pair = {.a = &a.placed,
                               .piece_a = gjk_slot_piece(&walk->pieces_a->tree, first_a + i)};
        gjk_piece_make(walk->a, pair.piece_a, &a);
        const gjk_seen seen = gjk_seen_make(&walk->b->pose, &a.placed);
        for (uint32_t k = 0; k < count_b; k++) {
            pair.piece_b = gjk_slot_piece(&walk->pieces_b->tree, first_b + k);
            const gjk_gap gap =
                gjk_piece_gap(walk->pieces_b, pair.piece_b, &seen, (gjk_vec3){0, 0, 0});
            if (gjk_budget_spend(walk->visitor->budget, 4)) {
                return false;
            }
            if (!may_matter(walk->visitor, gap.length, walk->length_slack)) {
                continue;
            }
            gjk_piece b;
            gjk_piece_make(walk->b, pair.piece_b, &b);
            pair.b = &b.placed;
            if (gjk_budget_spend(walk->visitor->budget, PAIR_STEPS) ||
                !walk->visitor->visit(walk->visitor, &pair)) {
                return false;
            }
        }
    }
    return true;
}

static void visit_both(const gjk_placed *a, const gjk_placed *b, gjk_piece_visitor *visitor) {
    dual_walk walk;
    walk.a = a;
    walk.b = b;
    walk.pieces_a = a->shape->pieces;
    walk.pieces_b = b->shape->pieces;
    walk.visitor = visitor;
    walk.top = 0;
    if (walk.pieces_a->tree.node_count == 0 || walk.pieces_b->tree.node_count == 0) {
        return;
    }
    aim_dual(&walk);
    const branch root = {.min = {-1, -1, -1}, .max = {1, 1, 1}, .child = 0};
    walk.stack[walk.top++] = (branch_pair){0.0, root, root};
    while (walk.top > 0) {
        const branch_pair pair = walk.stack[--walk.top];
        if (gjk_budget_spend(visitor->budget, 4)) {
            return;
        }
        if (pair.key > gjk_pieces_near_bound(&walk.pieces_a->tree, visitor->bound)) {
            continue;
        }
        const bool leaf_a = gjk_child_is_leaf(pair.a.child),
                   leaf_b = gjk_child_is_leaf(pair.b.child);
        if (!leaf_a || !leaf_b) {
            const double scale = walk.pieces_a->tree.unit / walk.pieces_b->tree.unit;
            open_pair(&walk, &pair,
                      leaf_b || (!leaf_a && side_of(&pair.a) >= side_of(&pair.b) * scale));
        } else if (!visit_leaves(&walk, pair.a.child, pair.b.child)) {
            return;
        }
    }
}

void gjk_visit_piece_pairs(const gjk_placed *a, const gjk_placed *b, gjk_piece_visitor *visitor) {
    if (gjk_shape_is_empty(a->shape) || gjk_shape_is_empty(b->shape)) {
        return;
    }
    if (a->shape->pieces == NULL && b->shape->pieces == NULL) {
        const gjk_piece_pair pair = {a, b, GJK_NO_PIECE, GJK_NO_PIECE};
        (void)visitor->visit(visitor, &pair);
    } else if (b->shape->pieces == NULL) {
        visit_one(a, b, true, visitor);
    } else if (a->shape->pieces == NULL) {
        visit_one(b, a, false, visitor);
    } else {
        visit_both(a, b, visitor);
    }
}

/*
 * Detection and distance of shapes of many pieces. The union's signed distance is the least of its
 * pieces', so the answer is that of one pair of pieces, found by walking the trees with the best
 * one so far as the bound. An overlapping pair precedes a touching pair, which precedes a separated
 * one; then the deepest or nearest pair; then the least indices. A shape that meets no triangle of
 * a closed mesh but has a point in it is inside.
 */

typedef struct piece_search {
    gjk_piece_visitor visitor; /* first member: cast back by the visitor */
    gjk_question question;
    gjk_pair_settings settings;
    double least_bound; /* distance: pairs this near may be touching, even if others are nearer */
    double lower_bound; /* distance: of all pairs */
    bool any;
    gjk_pair_answer best;
} piece_search;

static bool visit_pair(gjk_piece_visitor *visitor, const gjk_piece_pair *pair) {
    piece_search *search = (piece_search *)visitor;
    const bool is_distance = search->question == GJK_ASK_DISTANCE;
    gjk_pair_answer *best = &search->best, answer;
    gjk_answer_into(search->question, pair->a, pair->b, &search->settings, &answer);
    answer.piece_a = pair->piece_a;
    answer.piece_b = pair->piece_b;
    if (!search->any || gjk_pair_precedes(search->question, &answer, best)) {
        *best = answer;
    }
    search->any = true;
    if (is_distance) {
        search->lower_bound = gjk_smaller(search->lower_bound, answer.lower_bound);
        visitor->bound = gjk_larger(best->distance, search->least_bound);
    } else {
        visitor->depth = best->state == GJK_OVERLAPPING ? best->depth : 0.0;
    }
    return best->state != GJK_OVERLAPPING || (!is_distance && search->settings.penetration);
}

gjk_pair_answer gjk_search_pairs(gjk_question question, const gjk_placed *a, const gjk_placed *b,
                                 const gjk_pair_settings *settings) {
    const double size = gjk_larger(a->shape->size, b->shape->size);
    piece_search search = {
        .visitor = gjk_visitor_make(visit_pair, settings),
        .question = question,
        .settings = *settings,
        .least_bound = settings->tolerance * size,
        .lower_bound = INFINITY,
        .best = {.piece_a = GJK_NO_PIECE, .piece_b = GJK_NO_PIECE},
    };
    search.visitor.bound = question == GJK_ASK_DISTANCE ? INFINITY : 0.0;
    search.settings.recorder = NULL;
    search.settings.cache = NULL;
    gjk_visit_piece_pairs(a, b, &search.visitor);
    if (gjk_budget_is_spent(settings->budget)) {
        return gjk_answer_without_pieces(false);
    }
    if (question == GJK_ASK_DISTANCE && search.best.state != GJK_OVERLAPPING) {
        search.best.lower_bound = gjk_smaller(search.best.lower_bound, search.lower_bound);
        if (search.best.distance - search.best.lower_bound > search.least_bound) {
            search.best.convergence = GJK_ITERATION_LIMIT; /* another pair's bound is lower */
        }
    }
    return search.best;
}

gjk_pair_answer gjk_search_pieces(gjk_question question, const gjk_placed *a, const gjk_placed *b,
                                  const gjk_pair_settings *settings) {
    gjk_pair_answer best;
    const bool is_found = gjk_search_ball(question, a, b, settings, &best);
    return is_found && (question == GJK_ASK_DETECT || best.state != GJK_OVERLAPPING)
               ? best
               : gjk_search_pairs(question, a, b, settings);
}

gjk_pair_answer gjk_check_enclosure(const gjk_pair_answer *found, const gjk_placed *a,
                                    const gjk_placed *b, gjk_budget *budget) {
    const bool inside =
        found->state == GJK_SEPARATED && !found->given_up && gjk_either_encloses(a, b, budget);
    return inside || gjk_budget_is_spent(budget)
               ? gjk_answer_without_pieces(!gjk_budget_is_spent(budget))
               : *found;
}

gjk_pair_answer gjk_find_piece_pair(gjk_question question, const gjk_placed *a, const gjk_placed *b,
                                    const gjk_pair_settings *settings) {
    const gjk_pair_answer best = gjk_search_pieces(question, a, b, settings);
    return gjk_check_enclosure(&best, a, b, settings->budget);
}

/* --- Contacts --- */

typedef struct piece_contacts {
    gjk_piece_visitor visitor; /* first member: cast back by the visitor */
    gjk_detect_settings settings;
    gjk_list found;
    uint32_t limit;
    bool out_of_memory;
} piece_contacts;

static int deepest_first(const void *p, const void *q) {
    const gjk_detect_result *a = p, *b = q;
    int order = GJK_COMPARE(b->depth, a->depth);
    order = order != 0 ? order : GJK_COMPARE(a->piece_a, b->piece_a);
    return order != 0 ? order : GJK_COMPARE(a->piece_b, b->piece_b);
}

static bool visit_contact(gjk_piece_visitor *visitor, const gjk_piece_pair *pair) {
    piece_contacts *contacts = (piece_contacts *)visitor;
    gjk_detect_result result = gjk_detect(pair->a, pair->b, &contacts->settings);
    if (result.state == GJK_SEPARATED) {
        return true;
    }
    result.piece_a = pair->piece_a;
    result.piece_b = pair->piece_b;
    contacts->out_of_memory =
        !gjk_list_offer(&contacts->found, contacts->limit, deepest_first, &result);
    if (contacts->found.truncated) {
        /* The list is full, with its last contact at the front. */
        visitor->depth = ((const gjk_detect_result *)(void *)contacts->found.items)->depth;
    }
    return !contacts->out_of_memory;
}

gjk_status gjk_pair_contacts(const gjk_placed *a, const gjk_placed *b,
                             const gjk_detect_settings *settings, uint32_t limit,
                             struct gjk_arena *arena, gjk_contacts *out) {
    GJK_ASSERT(limit >= 1 && limit <= GJK_CONTACTS_MAX);
    piece_contacts contacts = {
        .visitor = gjk_visitor_make(visit_contact, settings),
        .settings = *settings,
        .found = gjk_list_make(arena, sizeof(gjk_detect_result)),
        .limit = limit,
    };
    contacts.settings.recorder = NULL;
    contacts.settings.cache = NULL;
    contacts.settings.penetration = true;
    gjk_visit_piece_pairs(a, b, &contacts.visitor);
    *out = (gjk_contacts){(gjk_detect_result *)(void *)contacts.found.items, contacts.found.count,
                          contacts.found.truncated};
    if (contacts.out_of_memory) {
        return GJK_OUT_OF_MEMORY;
    }
    return gjk_budget_is_spent(contacts.visitor.budget)
               ? GJK_GIVEN_UP
               : gjk_list_sort(&contacts.found, deepest_first);
}
