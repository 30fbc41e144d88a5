/*
 * Decodes queries of all kinds. The table `kinds` has a row for each kind: its name, the decoder of
 * its own members, and which shared members it has. The members given decide the form of a query:
 * a pair, one shape against the set, or all pairs.
 */

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "decode/decode.h"
#include "gjk/sort.h"
#include "json/number.h"

#define LIMIT_MAX (UINT64_C(1) << 53)

/* --- Members that several kinds share --- */

bool proto_read_set_name(struct proto_reader *reader, proto_node node, const char **out) {
    if (node.value.type != PROTO_STRING) {
        return proto_check_type(reader, &node, false, "the name of a set");
    }
    const proto_text name = proto_text_of(node.value);
    if (!proto_is_set_name(name.data, name.length)) {
        return proto_refuse(reader, &node, PROTO_BAD_NAME, "\"%.*s\" is not the name of a set",
                            proto_shown(name, 128), name.data);
    }
    *out = gjk_arena_copy_text(reader->arena, name.data, name.length);
    return *out != NULL || proto_refuse_memory(reader);
}

void proto_refuse_given(struct proto_reader *reader, const proto_object *query, const char *name,
                        const char *why) {
    const proto_node node = proto_peek(&query->node, name);

    if (proto_is_given(&node)) {
        proto_refuse(reader, &node, PROTO_UNKNOWN_MEMBER, "\"%s\" has no meaning %s", name, why);
    }
}

/* Reads names and sorts them, because filters search them by bisection. */
static void read_names(struct proto_reader *reader, const proto_node *node, const char *const **out,
                       uint32_t *count) {
    if (proto_read_ids(reader, node, out, count)) {
        const gjk_status status = gjk_sort(reader->arena, (void *)(uintptr_t)*out, *count,
                                           sizeof **out, proto_compare_texts);
        if (status != GJK_OK) {
            proto_refuse_status(reader, node, status);
        }
    }
}

void proto_decode_filter(struct proto_reader *reader, const proto_node *node, gjk_filter *out) {
    proto_object filter;

    if (proto_is_given(node)) {
        *out = gjk_filter_default();
    }
    if (!proto_object_open(reader, node, &filter)) {
        return;
    }
    proto_read_u32(reader, proto_optional(&filter, "category"), 0, UINT32_MAX, &out->category);
    proto_read_u32(reader, proto_optional(&filter, "mask"), 0, UINT32_MAX, &out->mask);
    const proto_node ignore = proto_optional(&filter, "ignore");
    read_names(reader, &ignore, &out->ignore, &out->ignore_count);
    const proto_node ignore_groups = proto_optional(&filter, "ignore_groups");
    read_names(reader, &ignore_groups, &out->ignore_groups, &out->ignore_groups_count);
    const proto_node only_groups = proto_optional(&filter, "only_groups");
    out->has_only_groups = proto_is_given(&only_groups);
    read_names(reader, &only_groups, &out->only_groups, &out->only_groups_count);
    proto_object_close(reader, &filter);
}

static void decode_options(struct proto_reader *reader, const proto_node *node,
                           proto_options *out) {
    static const proto_range tolerance = {0.0, GJK_TOLERANCE_MAX, true};
    proto_object options;

    if (proto_is_given(node)) {
        *out = (proto_options){GJK_TOLERANCE_DEFAULT, GJK_ITERATIONS_DEFAULT};
    }
    if (!proto_object_open(reader, node, &options)) {
        return;
    }
    proto_read_number(reader, proto_optional(&options, "tolerance"), tolerance, &out->tolerance);
    proto_read_u32(reader, proto_optional(&options, "max_iterations"), GJK_ITERATIONS_MIN,
                   GJK_ITERATIONS_MAX, &out->max_iterations);
    proto_object_close(reader, &options);
}

/* Decodes {"tick": t}. *out is unchanged if the node is absent. */
static void decode_at(struct proto_reader *reader, const proto_node *node, proto_at *out) {
    proto_object at;

    if (!proto_object_open(reader, node, &at)) {
        return;
    }
    out->given = out->is_own = true;
    proto_read_number(reader, proto_required(&at, "tick"), proto_not_negative, &out->tick);
    proto_object_close(reader, &at);
}

void proto_decode_scene(struct proto_reader *reader, proto_object *query, bool has_set,
                        proto_query *out) {
    if (has_set) {
        const proto_node at = proto_optional(query, "at");
        decode_at(reader, &at, &out->at);
    }
    const proto_node filter = proto_optional(query, "filter");
    proto_decode_filter(reader, &filter, &out->filter);
    const proto_node options = proto_optional(query, "options");
    decode_options(reader, &options, &out->options);
}

void proto_decode_include(struct proto_reader *reader, proto_node node, proto_query *out) {
    static const char *const known[] = {"meta", NULL};
    const size_t size = proto_array_size(node.value); /* 0 if absent */

    if (!proto_read_array(reader, &node)) {
        return;
    }
    for (size_t i = 0; i < size && proto_may_go_on(reader); i++) {
        size_t chosen = 0;
        proto_read_choice(reader, proto_item(&node, i), known, &chosen);
    }
    out->include_meta = size > 0;
}

/* Decodes "trace". Refuses it where it would have no effect. */
static void decode_trace(struct proto_reader *reader, proto_node node, bool is_batch,
                         proto_query *out) {
    if (!proto_read_bool(reader, node, &out->trace) || !out->trace) {
        return;
    }
    if (out->b.kind == PROTO_OPERAND_ABSENT) {
        proto_refuse(reader, &node, PROTO_UNKNOWN_MEMBER,
                     "\"trace\" has no meaning without a single pair");
        proto_hint(reader, "give \"a\" and \"b\" to have that pair traced");
    } else if (is_batch) {
        proto_refuse(reader, &node, PROTO_UNKNOWN_MEMBER, "\"trace\" has no meaning in a batch");
    }
}

/* --- Operands: a stored shape by its id, the same at another pose, or an inline shape --- */

void proto_decode_operand(struct proto_reader *reader, const proto_node *node, uint32_t dimension,
                          bool is_stateless, proto_operand *out) {
    const bool is_name = node->value.type == PROTO_STRING;
    proto_place place = {.has_position = false};
    proto_object object;
    proto_shape shape;

    if (!proto_is_given(node) && !node->is_required) {
        return;
    }
    out->kind = PROTO_OPERAND_INLINE; /* or STORED, see below; even a refused one is not ABSENT */
    out->member = node->name;
    if (!proto_is_given(node)) {
        proto_refuse_missing(reader, node);
    } else if (!is_name && node->value.type != PROTO_OBJECT) {
        proto_refuse_type(reader, node, "an id or a shape");
    } else if (!is_name && !proto_has(node, "id")) {
        proto_decode_shape(reader, node, dimension,
                           is_stateless ? PROTO_SHAPE_INLINE : PROTO_SHAPE_OPERAND, NULL, &shape);
        out->shape = shape.shape;
        out->group = shape.group;
        out->pose = shape.place.pose;
    } else if (is_stateless) {
        proto_refuse(reader, node, PROTO_WRONG_TYPE,
                     "expected an inline shape: without a set there are no stored ones");
        proto_hint(reader, "give an object with \"type\", or ask /v1/sets/{set}/...");
    } else if (is_name) {
        out->kind = PROTO_OPERAND_STORED;
        proto_read_id(reader, *node, &out->id);
    } else if (proto_object_open(reader, node, &object)) {
        place.pose = gjk_pose_identity();
        out->kind = PROTO_OPERAND_STORED;
        proto_read_id(reader, proto_required(&object, "id"), &out->id);
        proto_decode_place(reader, &object, dimension, &place);
        object.mistake_count = reader->mistake_count; /* mistakes in id and place come first */
        proto_object_close(reader, &object);
        out->pose = place.pose;
        out->has_position = place.has_position;
        out->has_rotation = place.has_rotation;
    }
}

/* --- Pairs --- */

/* Decodes the operands of detect and distance, or the other set and its tick. */
static void decode_operands(struct proto_reader *reader, proto_object *query, bool has_set,
                            proto_query *out) {
    proto_node a = proto_optional(query, "a"), b = proto_optional(query, "b");
    proto_node against = {0}, at = {0};

    if (has_set) {
        against = proto_optional(query, "against");
        at = proto_optional(query, "against_at");
    }
    if (proto_is_given(&against)) {
        const uint32_t refused = reader->refused;
        proto_refuse_given(reader, query, "a", "beside \"against\"");
        proto_refuse_given(reader, query, "b", "beside \"against\"");
        decode_at(reader, &at, &out->against_at);
        proto_read_set_name(reader, against, &out->against);
        if (reader->refused != refused) {
            return;
        }
    } else if (proto_is_given(&at)) {
        proto_refuse_given(reader, query, "against_at", "without \"against\"");
        return;
    }
    const proto_node reach = proto_peek(&query->node, "max_distance");
    const bool asks_pairs =
        out->op == PROTO_OP_DETECT || out->against != NULL || proto_is_given(&reach);
    a.is_required = !has_set || !asks_pairs || proto_is_given(&b);
    b.is_required = !has_set;
    proto_decode_operand(reader, &a, out->dimension, !has_set, &out->a);
    if (has_set && out->op == PROTO_OP_DISTANCE && a.is_required && !proto_is_given(&a)) {
        proto_hint(reader, "give \"a\", or \"max_distance\" alone for all pairs within it");
    }
    proto_decode_operand(reader, &b, out->dimension, !has_set, &out->b);
}

void proto_read_limit(struct proto_reader *reader, const proto_node *limit, proto_query *out) {
    proto_read_integer(reader, *limit, 1, LIMIT_MAX, &out->limit);
    out->has_limit = proto_is_given(limit);
}

/* Reads "penetration": true, false, or "pieces". */
static void read_penetration(struct proto_reader *reader, proto_node node, proto_query *out) {
    static const char *const kinds[] = {"pieces", NULL};
    size_t chosen = 0;

    if (proto_is_given(&node) && node.value.type == PROTO_STRING) {
        out->of_pieces = proto_read_choice(reader, node, kinds, &chosen);
    } else if (proto_is_given(&node) && !proto_is_bool(node.value)) {
        proto_refuse_type(reader, &node, "true, false or \"pieces\"");
    } else {
        proto_read_bool(reader, node, &out->penetration);
    }
}

static void decode_detect(struct proto_reader *reader, proto_object *query, bool is_stateless,
                          proto_query *out) {
    static const char *const relations[] = {"intersects", "within", NULL};
    proto_node relation = {0}, limit = {0};
    size_t chosen = 0;

    decode_operands(reader, query, !is_stateless, out);
    const bool is_pair = out->b.kind != PROTO_OPERAND_ABSENT;
    if (!is_stateless) {
        relation = proto_optional(query, "relation");
    }
    const proto_node penetration = proto_optional(query, "penetration");
    const proto_node contacts = proto_optional(query, "contacts");
    if (!is_stateless) {
        limit = proto_optional(query, "limit");
    }
    if (is_pair && proto_is_given(&limit)) {
        proto_refuse_given(reader, query, "limit", "for a single pair");
    }
    proto_read_choice(reader, relation, relations, &chosen);
    out->within = chosen == 1; /* only for one shape against the set */
    if (out->within && (out->a.kind == PROTO_OPERAND_ABSENT || is_pair)) {
        proto_refuse_given(reader, query, "relation", "but with \"a\" alone");
    }
    if (proto_read_u32(reader, contacts, 1, GJK_CONTACTS_MAX, &out->contacts) &&
        out->contacts != 0 && !is_pair) {
        proto_refuse_given(reader, query, "contacts", "without a single pair");
    }
    read_penetration(reader, penetration, out);
    proto_read_limit(reader, &limit, out);
}

static void decode_distance(struct proto_reader *reader, proto_object *query, bool is_stateless,
                            proto_query *out) {
    proto_node limit = {0}, max_distance = {0};

    decode_operands(reader, query, !is_stateless, out);
    const proto_node is_signed = proto_optional(query, "signed");
    if (!is_stateless) {
        limit = proto_optional(query, "limit");
        max_distance = proto_optional(query, "max_distance");
        if (out->b.kind != PROTO_OPERAND_ABSENT) {
            proto_refuse_given(reader, query, "limit", "for a single pair");
            proto_refuse_given(reader, query, "max_distance", "for a single pair");
        }
    }
    proto_read_bool(reader, is_signed, &out->is_signed);
    proto_read_number(reader, max_distance, proto_not_negative, &out->max_distance);
    proto_read_limit(reader, &limit, out);
}

/* --- The dimension of a query without a set --- */

/*
 * Finds the dimension of a query without a set. Types that exist in one dimension only and lengths
 * of vectors imply it, and all must agree. Other mistakes are left to the decoders that run
 * afterwards.
 */

struct search {
    struct proto_reader *reader;
    uint32_t dimension; /* 0: not found yet */
    bool is_refused;    /* two places disagree */
};

/* Compares the dimension that one place implies (0: none) with the one found so far. */
static void compare(struct search *search, const proto_node *at, uint32_t implied) {
    if (implied == 0 || implied == search->dimension || search->is_refused) {
        return;
    }
    if (search->dimension != 0) {
        search->is_refused = true;
        proto_refuse(search->reader, at, PROTO_DIMENSION_MISMATCH,
                     "this is %uD, but what stands before it is %uD", implied, search->dimension);
        return;
    }
    search->dimension = implied;
}

/* Compares the lengths of all vectors in a list nested `levels` deep; levels 0: of one vector. */
static void search_vectors(struct search *search, const proto_node *node, unsigned levels) {
    const size_t count = proto_array_size(node->value);

    if (levels == 0) {
        compare(search, node, count == 2 || count == 3 ? (uint32_t)count : 0);
        return;
    }
    for (size_t i = 0; i < count && !search->is_refused; i++) {
        const proto_node item = proto_item(node, i);
        search_vectors(search, &item, levels - 1);
    }
}

static void search_shape(struct search *search, const proto_node *shape);

static void search_member(struct search *search, const proto_node *node, gjk_member_form form) {
    switch (form) {
    case GJK_MEMBER_VECTOR:
        search_vectors(search, node, 0);
        break;
    case GJK_MEMBER_POINTS:
    case GJK_MEMBER_VERTICES:
        search_vectors(search, node, 1);
        break;
    case GJK_MEMBER_RINGS:
        search_vectors(search, node, 3);
        break;
    case GJK_MEMBER_PARTS:
        for (size_t i = 0; i < proto_array_size(node->value); i++) {
            const proto_node part = proto_item(node, i);
            search_shape(search, &part);
        }
        break;
    default:
        break;
    }
}

/* Looks at the vectors among a kind's geometry members or, with `others`, at all other members. */
static void search_members(struct search *search, const proto_node *shape, const gjk_kind *kind,
                           bool others) {
    for (const gjk_member *member = kind->members; member->name != NULL; member++) {
        if ((member->form != GJK_MEMBER_VECTOR) == others && member->form != GJK_MEMBER_NUMBER) {
            const proto_node node = proto_peek(shape, member->name);
            search_member(search, &node, member->form);
        }
    }
}

/* Looks at type, vectors, position and lists of a shape. If the type is unknown, looks at the
 * members of all kinds. */
static void search_shape(struct search *search, const proto_node *shape) {
    const proto_node type = proto_peek(shape, "type"), position = proto_peek(shape, "position");
    const gjk_kind *first = gjk_kinds, *end = gjk_kinds + GJK_KIND_COUNT, *named = NULL;
    uint32_t implied = 0;

    if (!proto_is_given(shape)) {
        return;
    }
    if (type.value.type == PROTO_STRING) {
        named = gjk_kind_find(type.value.text, type.value.count, &implied);
    }
    if (named != NULL) {
        first = named;
        end = named + 1;
    }
    compare(search, &type, implied);
    for (int lists = 0; lists < 2; lists++) {
        for (const gjk_kind *kind = first; kind < end; kind++) {
            search_members(search, shape, kind, lists == 1);
        }
        if (lists == 0) {
            search_vectors(search, &position, 0);
        }
    }
}

static void search_query(struct search *search, const proto_node *query) {
    static const char *const vectors[] = {"origin", "direction", "translation"};
    static const char *const operands[] = {"a", "b", "shape", "against"};
    const proto_node to = proto_peek(query, "to"), arrival = proto_peek(&to, "position");
    const proto_node shapes = proto_peek(query, "shapes");

    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        const proto_node vector = proto_peek(query, vectors[i]);
        search_vectors(search, &vector, 0);
    }
    for (size_t i = 0; i < sizeof operands / sizeof operands[0]; i++) {
        const proto_node operand = proto_peek(query, operands[i]);
        search_shape(search, &operand);
    }
    search_vectors(search, &arrival, 0);
    for (size_t i = 0; i < proto_object_size(shapes.value); i++) {
        const proto_node shape = proto_member(&shapes, i);
        search_shape(search, &shape);
    }
}

/* Returns the dimension that the position of "a" or the origin implies, or 0. */
static uint32_t guess_dimension(const proto_node *query) {
    const proto_node a = proto_peek(query, "a"), position = proto_peek(&a, "position");
    const proto_node origin = proto_peek(query, "origin");
    const size_t count =
        proto_array_size(proto_is_given(&position) ? position.value : origin.value);

    return count == 2 || count == 3 ? (uint32_t)count : 0;
}

static bool find_dimension(struct proto_reader *reader, const proto_node *query, bool may_guess,
                           uint32_t *out) {
    const proto_node given = proto_peek(query, "dimension");
    struct search search = {.reader = reader};

    if (!proto_is_given(&given)) {
        search.dimension = may_guess ? guess_dimension(query) : 0;
        if (search.dimension == 0) {
            search_query(&search, query);
        }
    }
    *out = search.dimension != 0 ? search.dimension : 2;
    return !search.is_refused && proto_read_u32(reader, given, 2, 3, out);
}

/* --- Kinds --- */

/* Properties of a kind of query. */
static const struct query_kind {
    const char *name;            /* of the operation on the wire */
    proto_query_decoder *decode; /* decodes the members that kinds do not share */
    bool has_trace;
    bool needs_set; /* the kind has no stateless form */
} kinds[] = {
    [PROTO_OP_DETECT] = {"detect", decode_detect, true, false},
    [PROTO_OP_DISTANCE] = {"distance", decode_distance, true, false},
    [PROTO_OP_RAYCAST] = {"raycast", proto_decode_ray, false, false},
    [PROTO_OP_CAST] = {"cast", proto_decode_cast, false, false},
    [PROTO_OP_HIT] = {"hit", proto_decode_hit, false, true},
    [PROTO_OP_MOVE] = {"move", proto_decode_move, false, true},
};
_Static_assert(sizeof kinds / sizeof kinds[0] == PROTO_OP_COUNT, "every kind of query has a row");

const char *proto_op_name(proto_op op) {
    return kinds[op].name;
}

/* Decodes the name of a kind. Stateless, only kinds with a stateless form are allowed. */
static bool decode_op(struct proto_reader *reader, proto_node node, bool is_stateless,
                      proto_op *out) {
    node.is_required = true;
    const char *names[PROTO_OP_COUNT + 1];
    proto_op ops[PROTO_OP_COUNT];
    size_t count = 0, chosen = 0;

    for (int op = 0; op < PROTO_OP_COUNT; op++) {
        if (!is_stateless || !kinds[op].needs_set) {
            ops[count] = (proto_op)op;
            names[count++] = kinds[op].name;
        }
    }
    names[count] = NULL;
    if (!proto_read_choice(reader, node, names, &chosen)) {
        return false;
    }
    *out = ops[chosen];
    return true;
}

/* Finds the dimension of the query: that of its set, its own, or that of its batch. */
static bool decode_dimension(struct proto_reader *reader, proto_object *query,
                             const proto_scope *scope, bool may_guess, uint32_t *out) {
    *out = scope->set_dimension != 0 ? scope->set_dimension : scope->given_dimension;
    if (scope->set_dimension != 0) {
        return true;
    }
    const bool is_given = *out != 0 && !proto_has(&query->node, "dimension");
    proto_optional(query, "dimension");
    return is_given || find_dimension(reader, &query->node, may_guess, out);
}

static void decode_members(struct proto_reader *reader, proto_object *query,
                           const proto_scope *scope, bool may_guess, proto_query *out) {
    const struct query_kind *kind = &kinds[out->op];
    const bool has_set = scope->set_dimension != 0;

    if (!decode_dimension(reader, query, scope, may_guess, &out->dimension)) {
        /* Vectors cannot be checked. The muted decoders only mark the known members as asked
         * for. */
        reader->is_muted = true;
        out->dimension = 2;
    }
    kind->decode(reader, query, !has_set, out);
    proto_node include = {0};
    if (has_set) {
        include = proto_optional(query, "include");
    }
    proto_decode_scene(reader, query, has_set, out);
    proto_decode_include(reader, include, out);
    if (kind->has_trace) {
        decode_trace(reader, proto_optional(query, "trace"), scope->is_batch, out);
    }
    if (scope->is_batch) {
        proto_optional(query, "op");
    }
    reader->is_muted = false;
    proto_object_close(reader, query);
}

/*
 * Decodes one query, alone or in a batch. The caller has set out->op and the defaults, and nothing
 * was refused. If all fits a guessed dimension, nothing contradicts it; else the query is decoded
 * again, so that mistakes are those of the dimension that a search finds.
 */
static void decode_one(struct proto_reader *reader, proto_object *query, const proto_scope *scope,
                       proto_query *out) {
    static const char queries[] = "/queries/";
    const proto_node node = query->node;

    out->pointer[0] = '\0';
    if (scope->is_batch) {
        memcpy(out->pointer, queries, sizeof queries);
        proto_integer_text(node.index, out->pointer + sizeof queries - 1);
    }
    decode_members(reader, query, scope, true, out);
    if (reader->mistake_count > 0 && scope->set_dimension == 0) {
        reader->refused = reader->mistake_count = 0;
        if (proto_object_open(reader, &node, query)) {
            decode_members(reader, query, scope, false, out);
        }
    }
}

void proto_operand_init(proto_operand *operand) {
    memset(operand, 0, offsetof(proto_operand, pose));
}

/* Leaves poses and shapes of operands uninitialised: a query has 2.6 KB, and clearing or copying it
 * would take a tenth of the time of a ray in a batch. */
void proto_query_init(proto_query *query, proto_op op) {
    memset(query, 0, offsetof(proto_query, a));
    proto_operand_init(&query->a);
    proto_operand_init(&query->b);
    proto_operand_init(&query->moving);
    proto_operand_init(&query->to);
    proto_operand_init(&query->target);
    query->op = op;
    query->filter = gjk_filter_default();
    query->options = (proto_options){GJK_TOLERANCE_DEFAULT, GJK_ITERATIONS_DEFAULT};
    query->penetration = true;
    query->max_distance = INFINITY;
    query->solid = true;
    query->max_rewind_ticks = INFINITY;
    query->near_miss = -1.0;
    query->move = (proto_move){.max_slope = PROTO_SLOPE_DEFAULT,
                               .skin = NAN,
                               .depenetrate = NAN,
                               .slides = PROTO_SLIDES_DEFAULT};
}

/* NOLINTNEXTLINE(readability-function-size): seven parameters describe a whole request. */
bool proto_decode_query(proto_text body, proto_op op, uint32_t set_dimension,
                        const proto_limits *limits, struct gjk_arena *arena, proto_query *out,
                        struct proto_problem *problem) {
    const proto_scope scope = {.set_dimension = set_dimension};
    struct proto_reader reader;
    proto_object object;
    proto_query query;

    if (!proto_reader_open(&reader, body, limits, arena, problem)) {
        return false;
    }
    proto_query_init(&query, op);
    const proto_node root = proto_root(reader.root);
    if (proto_object_open(&reader, &root, &object)) {
        decode_one(&reader, &object, &scope, &query);
    }
    const bool is_decoded = proto_reader_finish(&reader, problem);
    proto_reader_close(&reader);
    if (is_decoded) {
        *out = query;
    }
    return is_decoded;
}

/* --- Batches --- */

/*
 * Batches of queries. The body is parsed once. Each query is decoded by the thread that answers it,
 * and a mistake in a query refuses only that query.
 */

struct proto_batch {
    struct proto_reader reader; /* of the whole body */
    proto_scope scope;
    proto_node root, queries; /* parents of the nodes of all queries */
    proto_query common;       /* at, filter and options of the batch */
    bool asks_overlaps;       /* of a tick */
    gjk_filter overlaps;      /* filter of the pairs asked for */
    uint32_t count;
};

uint32_t proto_batch_count(const struct proto_batch *batch) {
    return batch->count;
}

bool proto_batch_tick(const struct proto_batch *batch, double *tick) {
    *tick = batch->common.at.tick;
    return batch->common.at.given;
}

bool proto_batch_overlaps(const struct proto_batch *batch, gjk_filter *filter) {
    *filter = batch->overlaps;
    return batch->asks_overlaps;
}

static void decode_overlaps(struct proto_reader *reader, const proto_node *node,
                            struct proto_batch *out) {
    proto_object overlaps;

    out->overlaps = gjk_filter_default();
    out->asks_overlaps = proto_is_given(node);
    if (out->asks_overlaps && proto_object_open(reader, node, &overlaps)) {
        const proto_node filter = proto_optional(&overlaps, "filter");
        proto_decode_filter(reader, &filter, &out->overlaps);
        proto_object_close(reader, &overlaps);
    }
}

/* NOLINTNEXTLINE(readability-function-size): seven parameters describe a whole request. */
bool proto_decode_batch(proto_text body, uint32_t set_dimension, bool beside_tick,
                        const proto_limits *limits, struct gjk_arena *arena,
                        struct proto_batch **out, struct proto_problem *problem) {
    struct proto_batch *batch = gjk_arena_alloc(arena, sizeof *batch);
    const uint64_t most = limits->batch_queries_max;
    proto_object root;

    if (batch == NULL) {
        return proto_problem_set(problem, PROTO_OUT_OF_MEMORY, "no memory for the queries");
    }
    struct proto_reader *reader = &batch->reader;
    if (!proto_reader_open(reader, body, limits, arena, problem)) {
        return false;
    }
    batch->scope = (proto_scope){.set_dimension = set_dimension, .is_batch = true};
    proto_query_init(&batch->common, PROTO_OP_DETECT);
    batch->root = proto_root(reader->root);
    if (proto_object_open(reader, &batch->root, &root)) {
        proto_node overlaps = {0};
        if (beside_tick) {
            proto_optional(&root, "shapes");
            overlaps = proto_optional(&root, "overlaps");
        }
        decode_overlaps(reader, &overlaps, batch);
        batch->queries = batch->asks_overlaps ? proto_optional(&root, "queries")
                                              : proto_required(&root, "queries");
        batch->queries.parent = &batch->root;
        proto_read_array(reader, &batch->queries);
        if (set_dimension == 0) {
            proto_read_u32(reader, proto_optional(&root, "dimension"), 2, 3,
                           &batch->scope.given_dimension);
        }
        const size_t count = proto_array_size(batch->queries.value);
        if (count > most) {
            proto_refuse_many(reader, &batch->queries, "queries", count, most);
        }
        batch->count = (uint32_t)count;
        proto_decode_scene(reader, &root, set_dimension != 0, &batch->common);
        proto_object_close(reader, &root);
    }
    if (!proto_reader_finish(reader, problem)) {
        proto_reader_close(reader);
        return false;
    }
    *out = batch;
    return true;
}

bool proto_batch_has_without(const struct proto_batch *batch, proto_op op, const char *member) {
    const char *const wanted = kinds[op].name;

    for (uint32_t i = 0; batch->scope.set_dimension != 0 && i < batch->count; i++) {
        const proto_node query = proto_item(&batch->queries, i), name = proto_peek(&query, "op");
        if (name.value.type == PROTO_STRING &&
            proto_text_equals(proto_text_of(name.value), wanted, strlen(wanted))) {
            const proto_node given = proto_peek(&query, member);
            if (!proto_is_given(&given)) {
                return true;
            }
        }
    }
    return false;
}

bool proto_batch_query(const struct proto_batch *batch, uint32_t i, struct gjk_arena *arena,
                       proto_query *out, struct proto_problem *problem) {
    const proto_node node = proto_item(&batch->queries, i);
    struct proto_reader reader;
    proto_object query;
    proto_op op = PROTO_OP_DETECT;

    proto_reader_init(&reader, batch->reader.limits, arena);
    if (proto_object_open(&reader, &node, &query) &&
        decode_op(&reader, proto_peek(&node, "op"), batch->scope.set_dimension == 0, &op)) {
        proto_query_init(out, op);
        out->at = batch->common.at;
        out->at.is_own = false;
        out->filter = batch->common.filter;
        out->options = batch->common.options;
        decode_one(&reader, &query, &batch->scope, out);
    }
    return proto_reader_finish(&reader, problem);
}

void proto_batch_close(struct proto_batch *batch) {
    if (batch != NULL) {
        proto_reader_close(&batch->reader);
    }
}
