/*
 * The least translation in 3D by branch and bound (Land, Doig 1960). A free translation is outside
 * the Minkowski difference of each pair of pieces, so beyond one of the planes around it. A node
 * represents the translations beyond some planes; the length of its shortest translation is its
 * lower bound. The search opens the node with the least bound. If its shortest translation is free,
 * that is the answer. Otherwise the translation is in a difference, and each plane of that
 * difference makes a child.
 *
 * Deviations: a child's bound is first estimated from the distance of its plane from the parent's
 * translation, and refined when it becomes the least. Children are made one at a time, in the order
 * of their estimates, when the previous one becomes the least. Translations beyond the plane of an
 * earlier child belong to that child: a node whose least translation is one of them is cut at that
 * plane. The difference of two balls is a ball, which makes no children: it moves the least
 * translations of all nodes out of it.
 */

#include "pair/pieces/way_out.h"

#include "base/numbers.h"
#include "pair/pieces/pieces.h"

#define NODES 1024 /* a multiple of GJK_LANES */
#define NODE_PLANES 24
#define LISTED 4 /* children of a node found in one scan */
#define DIFFERENCES 48
#define GATHERED 16      /* limit of pairs of boxes whose differences are made before the search */
#define GATHER_REACH 1.5 /* of the deepest pair's depth: reach of the gathered pairs */
/* Number of opened nodes before the first descent to a shorter way out, and the factor to the
 * next. */
#define FIRST_DESCENT 4
#define LATE_DESCENT 256 /* if no way out is known */
#define NEXT_DESCENT 4
#define ROUGH_ROUNDING 0x1p-30 /* relative safety of estimated bounds */
#define BALL_ROUNDING 0x1p-36  /* of points where balls meet, relative to their radii */
#define NODE_STEPS 8           /* budget steps of a node without its children */

typedef struct child {
    double square; /* squared bound */
    uint32_t at;   /* index of the plane among all planes */
} child;

typedef struct node {
    gjk_plane plane;
    gjk_vec3 least; /* least translation beyond this plane and the ancestors'; not if is_rough */
    double key;     /* length of `least`, or a lower bound of it */
    uint16_t parent;
    uint16_t before; /* the parent's previous child; 0: none */
    uint16_t balls;  /* number of balls that the bound takes into account */
    bool is_rough;
    bool is_cut;   /* the parent without what is beyond an earlier child's plane */
    bool is_whole; /* must not be cut */
    bool is_vague; /* `least` is the parent's: the planes meet at too small angles */
    /* Valid if opened: */
    uint16_t around;        /* index of the difference that contains the translation */
    uint16_t latest;        /* latest child; 0: none */
    uint16_t next, ready;   /* listed children: the next, and their number */
    child children[LISTED]; /* ordered by bound, then by index */
} node;

typedef struct tree {
    gjk_way_out *way;
    uint32_t node_count, difference_count;
    uint32_t opened, next_descent;  /* opened nodes, and their number at the next descent */
    bool is_exact;                  /* all differences are exact */
    double left_out;                /* least bound of nodes that cannot be opened */
    gjk_balls balls;                /* differences of balls */
    double known_length;            /* shorter translations meet only known differences */
    _Alignas(64) double key[NODES]; /* bounds of the nodes; INFINITY: opened */
    node nodes[NODES];
    gjk_difference differences[DIFFERENCES];
    gjk_difference_planes all;
    _Alignas(64) double inner[GJK_DIFFERENCE_PLANES]; /* scratch for one difference */
} tree;

/* --- Differences --- */

/* Adds the difference of a pair. Returns NULL if it cannot be computed. */
static const gjk_difference *add_difference(tree *s, const gjk_placed *a, const gjk_placed *b,
                                            uint32_t piece_a, uint32_t piece_b) {
    if (s->difference_count == DIFFERENCES) {
        return NULL;
    }
    gjk_difference *new = &s->differences[s->difference_count];
    *new = (gjk_difference){.piece_a = piece_a, .piece_b = piece_b};
    if (!gjk_difference_find(s->way, a, b, &s->all, new)) {
        return NULL;
    }
    s->is_exact &= new->is_exact;
    s->difference_count++;
    return new;
}

/* Returns the known difference that contains a translation most deeply, or NULL. Within `gap`
 * outside of a difference counts as inside. */
static const gjk_difference *known_difference(tree *s, gjk_vec3 t, double gap) {
    const gjk_difference *deepest = NULL;
    double most = -gap;
    for (uint32_t i = 0; i < s->difference_count; i++) {
        const double depth = gjk_difference_depth(&s->all, &s->differences[i], t, s->inner);
        deepest = depth > most ? &s->differences[i] : deepest;
        most = gjk_larger(depth, most);
    }
    return deepest;
}

typedef struct gathering {
    gjk_piece_visitor visitor; /* first member: cast back by the visitor */
    tree *s;
    bool is_whole;
} gathering;

static bool is_known(const tree *s, uint32_t piece_a, uint32_t piece_b) {
    for (uint32_t i = 0; i < s->difference_count; i++) {
        if (s->differences[i].piece_a == piece_a && s->differences[i].piece_b == piece_b) {
            return true;
        }
    }
    return false;
}

/* Adds the difference of a pair that overlaps after a translation. Reads only the pieces of
 * `found`. If both are balls, adds a ball and returns NULL. */
static const gjk_difference *add_pair(tree *s, const gjk_pair_answer *found, gjk_vec3 t) {
    gjk_convex_pair pair;
    gjk_way_take(s->way, found, &pair);
    const gjk_shape *a = pair.a.placed.shape, *b = pair.b.placed.shape;
    if (a->count == 1 && b->count == 1) {
        const gjk_placed moved = gjk_moved_by(&pair.b.placed, t);
        const gjk_pair_answer there = gjk_detect(&pair.a.placed, &moved, &s->way->settings);
        const double radius = a->radius + b->radius;
        const gjk_vec3 from = gjk_scale3(there.depth - radius, there.normal);
        s->is_exact &= !gjk_balls_add(&s->balls, (gjk_ball){gjk_add3(t, from), radius});
        return NULL;
    }
    return add_difference(s, &pair.a.placed, &pair.b.placed, found->piece_a, found->piece_b);
}

static bool visit_boxes(gjk_piece_visitor *visitor, const gjk_piece_pair *pair) {
    gathering *gather = (gathering *)visitor;
    tree *s = gather->s;
    if (!is_known(s, pair->piece_a, pair->piece_b)) {
        gather->is_whole =
            gjk_difference_is_of_boxes(pair->a, pair->b) && s->difference_count < GATHERED &&
            add_difference(s, pair->a, pair->b, pair->piece_a, pair->piece_b) != NULL;
    }
    return gather->is_whole;
}

/* Computes the differences of all pairs that short translations reach, if these are few boxes:
 * cheaper than finding them one by one. */
static void gather_boxes(tree *s, double depth) {
    gathering gather = {.visitor = gjk_visitor_make(visit_boxes, &s->way->settings),
                        .s = s,
                        .is_whole = true};
    gather.visitor.bound = GATHER_REACH * depth;
    gjk_visit_piece_pairs(&s->way->a, &s->way->b, &gather.visitor);
    s->known_length = gather.is_whole ? gather.visitor.bound : 0.0;
}

typedef struct unknown_search {
    gjk_piece_visitor visitor; /* first member: cast back by the visitor */
    const tree *s;
    gjk_pair_settings settings;
    gjk_state state;
    uint32_t piece_a, piece_b; /* an overlapping pair */
} unknown_search;

/* Skips pairs with exactly known differences, which the margin separates. */
static bool visit_unknown(gjk_piece_visitor *visitor, const gjk_piece_pair *pair) {
    unknown_search *search = (unknown_search *)visitor;
    if (is_known(search->s, pair->piece_a, pair->piece_b)) {
        return true;
    }
    const gjk_state state = gjk_detect(pair->a, pair->b, &search->settings).state;
    search->state = state > search->state ? state : search->state;
    search->piece_a = pair->piece_a;
    search->piece_b = pair->piece_b;
    return state != GJK_OVERLAPPING;
}

/* Returns the answer for the shapes after a translation beyond the planes of all exact differences:
 * the state, and the pieces of an overlapping pair. */
static gjk_pair_answer query_unknown_pairs(const tree *s, gjk_vec3 t) {
    gjk_way_out *way = s->way;
    const gjk_placed moved = gjk_moved_by(&way->b, t);
    unknown_search search = {.visitor = gjk_visitor_make(visit_unknown, &way->settings),
                             .s = s,
                             .settings = way->settings};
    search.settings.penetration = false;
    way->queries_left -= way->queries_left > 0;
    gjk_visit_piece_pairs(&way->a, &moved, &search.visitor);
    if (gjk_budget_is_spent(way->settings.budget)) {
        return gjk_answer_without_pieces(false);
    }
    if (search.state == GJK_SEPARATED &&
        gjk_either_encloses(&way->a, &moved, way->settings.budget)) {
        return gjk_answer_without_pieces(true);
    }
    return (gjk_pair_answer){.state = search.state,
                             .piece_a = search.piece_a,
                             .piece_b = search.piece_b};
}

/* Returns a difference that contains a translation, which is beyond the node's planes by the
 * margin. Returns NULL if there is none or it cannot be computed. Sets *is_free. */
static const gjk_difference *find_difference(tree *s, gjk_vec3 t, bool *is_free) {
    /* A translation must be beyond a plane of each known difference by the margin, or it touches: a
     * slot without width is no way out. */
    const gjk_difference *known = known_difference(s, t, 0.5 * s->way->margin);
    *is_free = false;
    if (known != NULL) {
        return known;
    }
    if (s->is_exact && gjk_length3(t) < s->known_length) {
        *is_free = true;
        return NULL;
    }
    const gjk_pair_answer found =
        s->is_exact ? query_unknown_pairs(s, t) : gjk_way_query(s->way, t);
    *is_free = gjk_way_is_free(&found);
    if (found.given_up || found.inside || found.state != GJK_OVERLAPPING) {
        return NULL;
    }
    const gjk_difference *new = add_pair(s, &found, t);
    const bool has_it = new != NULL &&gjk_difference_depth(&s->all, new, t, s->inner) > 0.0;
    return has_it ? new : NULL;
}

/* --- Nodes --- */

/* Lists the planes of a node, the newest last, with room for one more. Returns their number, or
 * NODE_PLANES if there are too many. */
static uint32_t planes_of(const tree *s, uint32_t index, gjk_plane planes[NODE_PLANES]) {
    uint32_t count = 0, i;
    for (i = index; i != 0; i = s->nodes[i].parent) {
        count++;
    }
    if (count >= NODE_PLANES) {
        return NODE_PLANES;
    }
    for (uint32_t at = count, k = index; k != 0; k = s->nodes[k].parent) {
        planes[--at] = s->nodes[k].plane;
    }
    return count;
}

/* Returns true if the last plane meets others at so small an angle that a least translation may
 * exist although none was found. At angles below the lower limits the planes meet too far away. */
static bool is_oblique(const gjk_plane *planes, uint32_t count) {
    const gjk_vec3 last = planes[count - 1].normal;
    for (uint32_t i = 0; i + 1 < count; i++) {
        const gjk_vec3 across = gjk_cross3(last, planes[i].normal);
        const double sine = gjk_length3(across);
        bool is_thin = sine > 0x1p-20 && sine < GJK_WAY_OBLIQUE;
        for (uint32_t k = 0; k < i; k++) {
            const double product = fabs(gjk_dot3(across, planes[k].normal));
            is_thin |= product > 0x1p-44 && product < GJK_WAY_OBLIQUE;
        }
        if (is_thin) {
            return true;
        }
    }
    return false;
}

static double rough_of(double square) {
    return sqrt(square) * (1.0 - ROUGH_ROUNDING);
}

/* Lists the next children of an opened node, after the last one listed, that may lead to a shorter
 * way out. The parent's translation p is the point nearest to 0 of a convex set, so the whole set
 * lies beyond the plane through p with normal p. A child's bound is the distance from 0 to the
 * translations beyond both that plane and the child's own. */
static void list_children(tree *s, node *parent) {
    const gjk_difference *around = &s->differences[parent->around];
    const uint32_t count = around->end - around->first;
    gjk_scans_fastest()->beyond(s->all.x + around->first, GJK_DIFFERENCE_PLANES, count,
                                &parent->least, s->inner);
    for (uint32_t i = 0; i < count && parent->ready > 0; i++) {
        const child *last = &parent->children[parent->ready - 1];
        const bool is_after = s->inner[i] > last->square ||
                              (s->inner[i] == last->square && around->first + i > last->at);
        s->inner[i] = is_after ? s->inner[i] : INFINITY;
    }
    parent->next = parent->ready = 0;
    while (parent->ready < LISTED) {
        const uint32_t i = gjk_scans_fastest()->least(s->inner, count);
        if (s->inner[i] == INFINITY || rough_of(s->inner[i]) >= s->way->length) {
            return;
        }
        parent->children[parent->ready++] = (child){s->inner[i], around->first + i};
        s->inner[i] = INFINITY;
    }
}

/* Returns the index of a new node, or 0 if there is no room. */
static uint32_t new_node(tree *s, uint32_t parent, gjk_plane plane, double key) {
    if (s->node_count == NODES) {
        return 0;
    }
    const uint32_t index = s->node_count++;
    for (uint32_t i = 0; index % GJK_LANES == 0 && i < GJK_LANES; i++) {
        s->key[index + i] = INFINITY;
    }
    node *new = &s->nodes[index];
    new->plane = plane;
    new->key = s->key[index] = key;
    new->parent = (uint16_t)parent;
    new->before = new->balls = 0;
    new->is_rough = true;
    new->is_cut = new->is_whole = new->is_vague = false;
    return index;
}

/* Adds the next child of an opened node if it may lead to a shorter way out. Returns false if there
 * is no room. */
static bool add_child(tree *s, uint32_t parent) {
    node *of = &s->nodes[parent];
    if (of->next == of->ready) {
        if (of->ready > 0 && of->ready < LISTED) {
            return true;
        }
        list_children(s, of);
        if (of->ready == 0) {
            return true;
        }
    }
    const child next = of->children[of->next++];
    const double rough = gjk_larger(rough_of(next.square), of->key);
    if (rough >= s->way->length) {
        return true;
    }
    const uint32_t index = new_node(s, parent, gjk_difference_plane(&s->all, next.at), rough);
    if (index == 0) {
        return false;
    }
    s->nodes[index].before = of->latest;
    of->latest = (uint16_t)index;
    return true;
}

/* Replaces a node's estimated bound by its least translation. */
static void refine(tree *s, uint32_t index, const gjk_plane *planes, uint32_t count) {
    node *of = &s->nodes[index];
    gjk_vec3 least;
    of->is_rough = false;
    of->least = s->nodes[of->parent].least;
    if (gjk_dot3(of->plane.normal, of->least) < of->plane.least) {
        if (gjk_way_least(planes, count, 0.0, s->way->margin, &least)) {
            of->least = least;
            of->key = gjk_larger(of->key, gjk_length3(least));
        } else if (!is_oblique(planes, count)) {
            of->key = INFINITY;
        } else {
            of->is_vague = true;
            of->key = gjk_larger(of->key, gjk_way_farthest(planes, count));
        }
    }
    s->key[index] = of->key;
}

/* Returns an earlier child of the same parent, or of an ancestor's, beyond whose plane the node's
 * least translation is, or 0 if there is none. */
static uint32_t earlier_around(const tree *s, uint32_t index) {
    const gjk_vec3 t = s->nodes[index].least;
    for (uint32_t k = s->nodes[index].is_whole ? 0 : index; k != 0; k = s->nodes[k].parent) {
        for (uint32_t i = s->nodes[k].before; i != 0; i = s->nodes[i].before) {
            if (gjk_dot3(s->nodes[i].plane.normal, t) >
                s->nodes[i].plane.least + 4.0 * s->way->margin) {
                return i;
            }
        }
    }
    return 0;
}

/* Replaces a node by the part that is not beyond the plane of an earlier child, if that can be
 * computed. `planes` are the node's, with room for one more. Returns false if there is no room. */
static bool cut_node(tree *s, uint32_t index, uint32_t earlier, gjk_plane *planes, uint32_t count) {
    const gjk_plane *off = &s->nodes[earlier].plane;
    gjk_vec3 least;
    /* If a margin also holds a translation back, this plane does not. */
    planes[count] = (gjk_plane){gjk_neg3(off->normal), -off->least - s->way->margin};
    const bool is_found = gjk_way_least(planes, count + 1, 0.0, s->way->margin, &least);
    if (!is_found && is_oblique(planes, count + 1)) {
        s->nodes[index].is_whole = true;
        return true;
    }
    const double key = gjk_larger(s->key[index], gjk_length3(least));
    const uint32_t cut = is_found ? new_node(s, index, planes[count], key) : 0;
    s->key[index] = INFINITY;
    if (cut != 0) {
        s->nodes[cut].least = least;
        s->nodes[cut].is_rough = false;
        s->nodes[cut].is_cut = true;
    }
    return cut != 0 || !is_found;
}

/* Raises the bound of a node by the current balls. */
static void raise_by_balls(tree *s, uint32_t index, const gjk_plane *planes, uint32_t count) {
    node *of = &s->nodes[index];
    gjk_vec3 t = of->least;
    const double length =
        gjk_balls_least(&s->balls, planes, count, 0.0, s->way->margin, s->way->length, &t);
    of->balls = (uint16_t)s->balls.count;
    of->key = s->key[index] = gjk_larger(of->key, length);
}

/* Replaces a node by its first child. */
static bool open_node(tree *s, uint32_t index, const gjk_difference *around) {
    node *of = &s->nodes[index];
    of->around = (uint16_t)(around - s->differences);
    of->latest = of->next = of->ready = 0;
    s->key[index] = INFINITY;
    return !gjk_budget_spend(s->way->settings.budget, NODE_STEPS + around->end - around->first) &&
           add_child(s, index);
}

/* Searches for a shorter way out near a translation. */
static void descend_near(gjk_way_out *way, gjk_vec3 t) {
    const double length = gjk_length3(t);
    if (length > 0.0) {
        gjk_way_descend(way, (gjk_plane){gjk_scale3(1.0 / length, t), length});
    }
}

/* Stores a free translation that is the least beyond a node's planes. */
static void keep_least(const tree *s, uint32_t index, const gjk_plane *planes, uint32_t count,
                       gjk_vec3 free) {
    gjk_vec3 touching;
    while (s->nodes[index].is_cut) {
        index = s->nodes[index].parent;
    }
    const gjk_difference *last = &s->differences[s->nodes[s->nodes[index].parent].around];
    if (s->is_exact && gjk_way_least(planes, count, 0.0, 0.0, &touching)) {
        gjk_way_keep(s->way, touching, 0.0);
        s->way->has_pair = gjk_way_has_fine_margin(s->way);
        s->way->piece_a = last->piece_a;
        s->way->piece_b = last->piece_b;
        s->way->parting = s->nodes[index].plane.normal;
    } else {
        gjk_way_settle(s->way, free);
    }
}

static void begin_tree(tree *s, gjk_way_out *way) {
    s->way = way;
    s->node_count = 1;
    s->difference_count = 0;
    s->all.count = 0;
    s->is_exact = true;
    s->known_length = 0.0;
    s->balls.count = s->opened = 0;
    s->balls.budget = way->settings.budget;
    s->next_descent = way->length < INFINITY ? FIRST_DESCENT : LATE_DESCENT;
    s->left_out = INFINITY;
    s->nodes[0] = (node){.parent = 0};
    s->key[0] = 0.0;
    for (uint32_t i = 1; i < GJK_LANES; i++) {
        s->key[i] = INFINITY;
    }
}

/* Processes the node with the least bound. Returns false if the search cannot continue from it. */
static bool process_node(tree *s, uint32_t index) {
    gjk_way_out *way = s->way;
    gjk_plane planes[NODE_PLANES];
    gjk_vec3 t = {0, 0, 0};
    node *of = &s->nodes[index];
    const uint32_t count = planes_of(s, index, planes);
    if (count == NODE_PLANES) {
        return false;
    }
    if (of->is_rough) {
        refine(s, index, planes, count);
        return add_child(s, of->parent);
    }
    const uint32_t earlier = s->is_exact ? earlier_around(s, index) : 0;
    if (earlier != 0) {
        return cut_node(s, index, earlier, planes, count);
    }
    if (of->balls < s->balls.count && !of->is_vague) {
        raise_by_balls(s, index, planes, count);
        return !gjk_budget_is_spent(way->settings.budget);
    }
    const bool is_beyond = count == 0 || gjk_way_least(planes, count, way->margin, 0.0, &t);
    if (!is_beyond && of->is_vague) {
        s->left_out = gjk_smaller(s->left_out, s->key[index]);
        s->key[index] = INFINITY;
        return true;
    }
    t = is_beyond ? t : of->least;
    if (s->balls.count > 0) {
        (void)gjk_balls_least(&s->balls, planes, count, way->margin, 0.5 * way->margin, INFINITY,
                              &t);
    }
    if (s->opened++ == s->next_descent) {
        s->next_descent *= NEXT_DESCENT;
        descend_near(way, t);
    }
    const uint32_t balls = s->balls.count;
    bool is_free = false;
    const gjk_difference *around =
        is_beyond ? find_difference(s, t, &is_free) : known_difference(s, t, 0.0);
    if (s->balls.count > balls) {
        return true;
    }
    if (is_free) {
        keep_least(s, index, planes, count, t);
    }
    if (around == NULL && !(is_free && s->is_exact)) {
        const bool lacks_length = !is_free && way->length == INFINITY;
        descend_near(way, t);
        if (lacks_length && way->length < INFINITY) {
            return true; /* planes of any difference can now be found */
        }
    }
    return around != NULL && open_node(s, index, around);
}

/* Raises the lower bound of the way out to the least bound of all nodes. */
static void search_tree(tree *s) {
    gjk_way_out *way = s->way;
    double least, rounding = 2.0 * way->margin;
    uint32_t index;
    do {
        index = gjk_scans_fastest()->least(s->key, s->node_count);
        least = gjk_smaller(s->key[index], way->length);
    } while (least < way->length - 0.5 * way->close && process_node(s, index));
    least = gjk_smaller(gjk_smaller(least, s->left_out), way->length);
    for (uint32_t i = 0; i < s->balls.count; i++) {
        rounding = gjk_larger(rounding, BALL_ROUNDING * s->balls.of[i].radius);
    }
    if (!gjk_budget_is_spent(way->settings.budget) && least < INFINITY) {
        way->lower_bound = gjk_larger(way->lower_bound, least - rounding);
    }
}

void gjk_way_bound(gjk_way_out *way, const gjk_pair_answer *deepest) {
    tree s; /* set member by member, since it is large */
    begin_tree(&s, way);
    if (deepest->depth > 0.0) {
        const gjk_difference *first = add_pair(&s, deepest, (gjk_vec3){0, 0, 0});
        if (first != NULL && first->is_of_boxes) {
            gather_boxes(&s, deepest->depth);
        }
    }
    search_tree(&s);
}
