/*
 * Queries of all kinds. A kind is one row of the table below: its name, the members that it knows
 * with a set and without, and the decoder of its own members. The members that are given decide
 * the form: a pair, one shape against the set, all pairs, a ray, a sweep.
 */

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "decode/decode.h"
#include "json/reader.h"

#define LIMIT_MAX (UINT64_C(1) << 53)

/* Refuses a member, if it is given, because of how the others are. */
static bool refuse_given(struct proto_reader *reader, const proto_node *query, const char *name,
                         const char *why) {
    proto_node node = proto_optional(query, name);

    return !proto_is_given(&node) ||
           proto_refuse(reader, &node, PROTO_UNKNOWN_MEMBER, "\"%s\" has no meaning %s", name, why);
}

static bool decode_operands(struct proto_reader *reader, const proto_node *query, bool is_stateless,
                            proto_query *out) {
    proto_node a = proto_optional(query, "a"), b = proto_optional(query, "b");
    bool asks_pairs = out->op == PROTO_OP_DETECT || out->against != NULL;

    a.is_required = is_stateless || !asks_pairs || proto_is_given(&b);
    b.is_required = is_stateless;
    bool is_fine = proto_decode_operand(reader, &a, out->dimension, is_stateless, &out->a);
    return proto_decode_operand(reader, &b, out->dimension, is_stateless, &out->b) && is_fine;
}

/* They are told of a single pair only: an option without effect would mislead. */
static bool decode_contacts(struct proto_reader *reader, proto_node node, proto_query *out) {
    uint64_t contacts = 0;

    if (!proto_read_integer(reader, node, 1, GJK_CONTACTS_MAX, &contacts)) {
        return false;
    }
    out->contacts = (uint32_t)contacts;
    return contacts == 0 || out->b.kind != PROTO_OPERAND_ABSENT ||
           proto_refuse(reader, &node, PROTO_UNKNOWN_MEMBER,
                        "\"contacts\" has no meaning without a single pair");
}

/* The other set of a question to two, and the tick at which it is asked. */
static bool decode_against(struct proto_reader *reader, const proto_node *query, proto_query *out) {
    proto_node against = proto_optional(query, "against");
    proto_node at = proto_optional(query, "against_at");

    if (!proto_is_given(&against)) {
        return refuse_given(reader, query, "against_at", "without \"against\"");
    }
    bool is_fine = refuse_given(reader, query, "a", "beside \"against\"");
    is_fine = refuse_given(reader, query, "b", "beside \"against\"") && is_fine;
    is_fine = proto_decode_at(reader, &at, &out->against_at) && is_fine;
    return proto_read_set_name(reader, against, &out->against) && is_fine;
}

/* Decodes `relation`. "within" is a question to the set: for a pair, or pairs, it is refused. */
static bool decode_relation(struct proto_reader *reader, const proto_node *query,
                            proto_query *out) {
    static const char *const relations[] = {"intersects", "within", NULL};
    size_t relation = 0;

    if (!proto_read_choice(reader, proto_optional(query, "relation"), relations, &relation)) {
        return false;
    }
    out->within = relation == 1;
    bool is_one = out->a.kind != PROTO_OPERAND_ABSENT && out->b.kind == PROTO_OPERAND_ABSENT;
    return !out->within || is_one ||
           refuse_given(reader, query, "relation", "but with \"a\" alone");
}

static bool decode_detect(struct proto_reader *reader, const proto_node *query, bool is_stateless,
                          proto_query *out) {
    bool is_fine = is_stateless || decode_against(reader, query, out);

    is_fine = is_fine && decode_operands(reader, query, is_stateless, out);
    if (out->b.kind != PROTO_OPERAND_ABSENT) {
        is_fine = refuse_given(reader, query, "limit", "for a single pair") && is_fine;
    }
    is_fine = decode_relation(reader, query, out) && is_fine;
    is_fine = decode_contacts(reader, proto_optional(query, "contacts"), out) && is_fine;
    return proto_read_bool(reader, proto_optional(query, "penetration"), &out->penetration) &&
           is_fine;
}

static bool decode_distance(struct proto_reader *reader, const proto_node *query, bool is_stateless,
                            proto_query *out) {
    static const proto_range reach = {0.0, INFINITY, false};

    bool is_fine = is_stateless || decode_against(reader, query, out);
    is_fine = is_fine && decode_operands(reader, query, is_stateless, out);
    if (out->b.kind != PROTO_OPERAND_ABSENT) {
        is_fine = refuse_given(reader, query, "limit", "for a single pair") && is_fine;
        is_fine = refuse_given(reader, query, "max_distance", "for a single pair") && is_fine;
    }
    is_fine = proto_read_bool(reader, proto_optional(query, "signed"), &out->is_signed) && is_fine;
    return proto_read_number(reader, proto_optional(query, "max_distance"), reach,
                             &out->max_distance) &&
           is_fine;
}

/* A kind of query. */
static const struct query_kind {
    const char *name;                  /* of the operation on the wire */
    const char *const *members;        /* with a set; NULL behind the last */
    const char *const *stateless;      /* without; NULL: there is no such form */
    proto_query_decoder *decode;       /* its own members: all but those that kinds share */
    const char *all_pairs_unless_this; /* without that member a set is asked for all its pairs */
} kinds[] = {
#define MEMBERS(...) ((const char *const[]){__VA_ARGS__, NULL})
    [PROTO_OP_DETECT] =
        {
            "detect",
            MEMBERS("a", "b", "against", "against_at", "relation", "penetration", "contacts",
                    "limit", "include", "at", "filter", "options", "trace"),
            MEMBERS("dimension", "a", "b", "penetration", "contacts", "filter", "options", "trace"),
            decode_detect,
            .all_pairs_unless_this = "b",
        },
    [PROTO_OP_DISTANCE] =
        {
            "distance",
            MEMBERS("a", "b", "against", "against_at", "signed", "limit", "max_distance", "include",
                    "at", "filter", "options", "trace"),
            MEMBERS("dimension", "a", "b", "signed", "filter", "options", "trace"),
            decode_distance,
            .all_pairs_unless_this = "a",
        },
    [PROTO_OP_RAYCAST] =
        {
            "raycast",
            MEMBERS("origin", "direction", "max_distance", "mode", "solid", "exits", "limit",
                    "shape", "target", "include", "at", "filter", "options"),
            MEMBERS("dimension", "origin", "direction", "max_distance", "mode", "solid", "exits",
                    "limit", "shape", "shapes", "filter", "options"),
            proto_decode_ray,
            NULL,
        },
    [PROTO_OP_CAST] =
        {
            "cast",
            MEMBERS("shape", "translation", "to", "at_start", "mode", "limit", "target", "include",
                    "at", "filter", "options"),
            MEMBERS("dimension", "shape", "translation", "to", "at_start", "mode", "limit",
                    "against", "shapes", "filter", "options"),
            proto_decode_cast,
            NULL,
        },
    [PROTO_OP_HIT] =
        {
            "hit",
            MEMBERS("shooter", "at", "ray", "radius", "claim", "policy", "include", "filter",
                    "options"),
            NULL,
            proto_decode_hit,
            NULL,
        },
#undef MEMBERS
};
_Static_assert(sizeof kinds / sizeof kinds[0] == PROTO_OP_COUNT, "every kind of query has a row");

const char *proto_op_name(proto_op op) {
    return kinds[op].name;
}

bool proto_decode_op(struct proto_reader *reader, proto_node node, bool is_stateless,
                     proto_op *out) {
    const char *names[PROTO_OP_COUNT + 1];
    proto_op ops[PROTO_OP_COUNT];
    size_t count = 0, chosen = 0;

    for (int op = 0; op < PROTO_OP_COUNT; op++) {
        if (!is_stateless || kinds[op].stateless != NULL) {
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

bool proto_asks_for_all_pairs(const proto_node *query) {
    const proto_node name = proto_optional(query, "op");

    for (int op = 0; name.value.type == PROTO_STRING && op < PROTO_OP_COUNT; op++) {
        if (proto_text_equals(proto_text_of(name.value), kinds[op].name, strlen(kinds[op].name))) {
            const char *unless = kinds[op].all_pairs_unless_this;
            return unless != NULL && !proto_has(query, unless);
        }
    }
    return false;
}

/* Finds the dimension of the query: that of its set, its own, or that of its batch. */
static bool decode_dimension(struct proto_reader *reader, const proto_node *query,
                             const proto_scope *scope, uint32_t *out) {
    *out = scope->set_dimension != 0 ? scope->set_dimension : scope->given_dimension;
    if (scope->set_dimension != 0 || (*out != 0 && !proto_has(query, "dimension"))) {
        return true;
    }
    return proto_find_dimension(reader, query, out);
}

bool proto_decode_one(struct proto_reader *reader, const proto_node *query,
                      const proto_scope *scope, proto_query *out) {
    static const char *const in_batch[] = {"op", NULL};
    const struct query_kind *kind = &kinds[out->op];
    bool is_stateless = scope->set_dimension == 0;
    const char *const *more = scope->is_batch ? in_batch : NULL;
    proto_node limit = proto_optional(query, "limit");

    proto_pointer_text(query, out->pointer, sizeof out->pointer);
    if (!proto_read_object(reader, query)) {
        return false;
    }
    const char *const *known = is_stateless ? kind->stateless : kind->members;
    bool is_fine = proto_check_members(reader, query, known, more);
    if (!decode_dimension(reader, query, scope, &out->dimension)) {
        return false; /* no vector could be judged */
    }
    is_fine = kind->decode(reader, query, is_stateless, out) && is_fine;
    is_fine = proto_read_integer(reader, limit, 1, LIMIT_MAX, &out->limit) && is_fine;
    out->has_limit = proto_is_given(&limit);
    is_fine = proto_decode_common(reader, query, out) && is_fine;
    return (!scope->is_batch || !out->trace ||
            refuse_given(reader, query, "trace", "in a batch")) &&
           is_fine;
}

static void init_operand(proto_operand *operand) {
    memset(operand, 0, offsetof(proto_operand, shape));
    operand->pose = gjk_pose_identity();
}

/* In its place, and without the shapes of operands: a query is 2.6 KB, which to clear or to copy
 * would cost a ray of a batch a tenth of its time. */
void proto_query_init(proto_query *query, proto_op op) {
    memset(query, 0, offsetof(proto_query, a));
    init_operand(&query->a);
    init_operand(&query->b);
    init_operand(&query->moving);
    init_operand(&query->to);
    init_operand(&query->target);
    query->op = op;
    query->filter = query->obstacles_filter = gjk_filter_default();
    query->options = proto_options_default();
    query->penetration = true;
    query->max_distance = INFINITY;
    query->solid = true;
    query->max_rewind_ticks = INFINITY;
    query->near_miss = -1.0;
}

/* NOLINTNEXTLINE(readability-function-size): seven parameters are what a whole request is. */
bool proto_decode_query(proto_text body, proto_op op, uint32_t set_dimension,
                        const proto_limits *limits, struct gjk_arena *arena, proto_query *out,
                        struct proto_problem *problem) {
    struct proto_document document;
    struct proto_reader reader;
    const proto_scope scope = {.set_dimension = set_dimension};
    proto_query query;

    proto_query_init(&query, op);
    if (!proto_document_open(&document, body, arena, problem)) {
        return false;
    }
    proto_reader_init(&reader, &document, limits, arena, problem);
    proto_node root = proto_root(document.root);
    bool is_decoded = proto_decode_one(&reader, &root, &scope, &query);
    proto_document_close(&document);
    if (is_decoded) {
        *out = query;
    }
    return is_decoded;
}
