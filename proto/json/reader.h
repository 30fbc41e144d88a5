#ifndef PROTO_JSON_READER_H
#define PROTO_JSON_READER_H

/* Checked reading of a body: its values with the way to each, so that every refusal names its place. */

#include "gjk/arena.h"
#include "proto/limits.h"
#include "proto/problem.h"
#include "json/text.h"
#include "json/value.h"
#include "json/writer.h"

/* --- The body --- */

/*
 * The values of a body, in an arena of their own. One decoder opens and closes it; no part of it
 * outlives the call. Its memory counts against what is left of the caller's limit.
 */
struct proto_document {
    struct gjk_arena scratch; /* the values, and whatever else its decoder needs for a while */
    proto_value root;
};

/*
 * Parses the body (see proto_parse), which must live until close. Close it if and only if true was
 * returned.
 */
bool proto_document_open(struct proto_document *document, proto_text body, struct gjk_arena *caller,
                         struct proto_problem *problem) GJK_MUST_USE;
void proto_document_close(struct proto_document *document);

/* --- Nodes --- */

/* A value and the way to it. Nodes point at their parents, on the stack of the decoder. */
typedef struct proto_node {
    const struct proto_node *parent; /* NULL: the whole document */
    const char *name;                /* of this member; NULL: an item of an array */
    uint32_t name_length;
    uint32_t index;    /* of that item */
    proto_value value; /* ABSENT: there is none, or a member that is null */
    bool is_required;  /* whether reading it refuses when it is absent */
} proto_node;

/* Returns true if there is a value; a member that is null has none. */
static inline bool proto_is_given(const proto_node *node) {
    return node->value.type != PROTO_ABSENT;
}

/* Made by these only. */
proto_node proto_root(proto_value value);
proto_node proto_item(const proto_node *array, size_t index);
/* Member i of an object, whose value is as it is, null too. */
proto_node proto_member(const proto_node *object, size_t i);

/* Returns true if the object may have a member of that name. */
static inline bool proto_may_have(const proto_node *object, const char *name, size_t length) {
    return (object->value.initials & proto_initial_of(name, length)) != 0;
}

static inline proto_node proto_named(const proto_node *object, const char *name, bool is_required) {
    const size_t length = strlen(name);
    proto_node node = {.parent = object,
                       .name = name,
                       .name_length = (uint32_t)length,
                       .is_required = is_required};

    if (proto_may_have(object, name, length)) {
        const proto_value *value = proto_find(object->value, name, length);
        if (value != NULL && value->type != PROTO_NULL) {
            node.value = *value;
        }
    }
    return node;
}

/* The member of that name, which has to live as long as the node. */
static inline proto_node proto_required(const proto_node *object, const char *name) {
    return proto_named(object, name, true);
}

static inline proto_node proto_optional(const proto_node *object, const char *name) {
    return proto_named(object, name, false);
}

/* Returns true if the object has the member, even as null. */
static inline bool proto_has(const proto_node *object, const char *name) {
    const size_t length = strlen(name);

    return proto_may_have(object, name, length) && proto_find(object->value, name, length) != NULL;
}

/* The JSON pointer (RFC 6901) of a node, cut back to an enclosing value where size is short. */
void proto_pointer_text(const proto_node *node, char *text, size_t size);

/* --- Refusals --- */

/* State of a decoder. */
struct proto_reader {
    const proto_limits *limits;
    struct gjk_arena *arena;   /* the caller's: for what the decoder answers */
    struct gjk_arena *scratch; /* the document's: for what is needed on the way */
    struct proto_problem *problem;
    struct proto_buffer text; /* in scratch; for whoever needs a compact text */
    proto_error *more;        /* in arena: the problem's further mistakes; NULL: none yet */
    uint32_t error_count;     /* of mistakes told; PROTO_ERRORS_MAX: no more are looked for */
};

/*
 * Returns true if fewer than PROTO_ERRORS_MAX mistakes were found, so that decoders should look for
 * more. To be asked for each item of a list: it is the place where the arena's budget is spent,
 * which refuses too.
 */
bool proto_may_go_on(struct proto_reader *reader);

/*
 * Refuse at a node. All return false. The first mistake becomes the problem, later ones are added
 * to it; of one place only the first is told. A lack of memory or time replaces them all.
 */
bool proto_refuse(struct proto_reader *reader, const proto_node *at, proto_code code,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));
bool proto_refuse_type(struct proto_reader *reader, const proto_node *at, const char *expected);
/* Refuses a missing member, unless an unknown one beside it is probably this one, misspelt. */
bool proto_refuse_missing(struct proto_reader *reader, const proto_node *at);
bool proto_refuse_memory(struct proto_reader *reader);
bool proto_refuse_late(struct proto_reader *reader);
/* Refuses a number of things, called `what`, that exceeds limit. */
bool proto_refuse_many(struct proto_reader *reader, const proto_node *at, const char *what,
                       uint64_t found, uint64_t limit);
/* The code of a status of the core. */
proto_code proto_code_of(gjk_status status);
/* Refuses the node because of the core's status; OUT_OF_MEMORY and GIVEN_UP do not blame the node. */
bool proto_refuse_status(struct proto_reader *reader, const proto_node *at, gjk_status status);

/* proto_suggest for a name from the document. */
void proto_suggest_near(struct proto_reader *reader, const char *what, proto_text name,
                        const char *const *known, const char *const *more);

/*
 * Checks that every member of the object is in one of the lists (NULL at their ends; more may be
 * NULL). Refuses each that is not with UNKNOWN_MEMBER and a hint.
 */
bool proto_check_members(struct proto_reader *reader, const proto_node *object,
                         const char *const *known, const char *const *more);

/* --- Readers: return false after having set the problem --- */

void proto_reader_init(struct proto_reader *reader, struct proto_document *document,
                       const proto_limits *limits, struct gjk_arena *arena,
                       struct proto_problem *problem);

/* A text of our own making, which is JSON: the definition of a stored shape, or meta. */
bool proto_read_stored(struct proto_reader *reader, proto_text text, proto_value *out);

/* Values between bounds, both included unless above_min. */
typedef struct proto_range {
    double min, max;
    bool above_min;
} proto_range;

extern const proto_range proto_any_number;
extern const proto_range proto_coordinate;
extern const proto_range proto_length;          /* >= 0 */
extern const proto_range proto_positive_length; /* > 0 */

/*
 * All leave *out alone and return true when an optional node is absent. MISSING_MEMBER,
 * WRONG_TYPE (also a fraction where an integer is due), OUT_OF_RANGE.
 */
bool proto_read_object(struct proto_reader *reader, const proto_node *node);
bool proto_read_array(struct proto_reader *reader, const proto_node *node);
bool proto_read_bool(struct proto_reader *reader, proto_node node, bool *out);
bool proto_read_number(struct proto_reader *reader, proto_node node, proto_range range,
                       double *out);
/* max at most 2^53 */
bool proto_read_integer(struct proto_reader *reader, proto_node node, uint64_t min, uint64_t max,
                        uint64_t *out);
bool proto_read_u32(struct proto_reader *reader, proto_node node, uint32_t *out);

/* One of count texts; *out is its index. */
bool proto_read_choice(struct proto_reader *reader, proto_node node, const char *const *texts,
                       size_t *out);

/*
 * The numbers of an array, side by side in the document, or NULL where they are not packed or not
 * all within range (a null only if it may be): to be read one by one then. The same for an array of
 * arrays of that many numbers, as vectors are.
 */
const double *proto_packed_numbers(proto_value array, proto_range range, bool may_be_null);
const double *proto_packed_rows(proto_value array, uint32_t columns, proto_range range);

/* dimension numbers within range; z is 0 in 2D. DIMENSION_MISMATCH for a vector of the other. */
bool proto_read_vector(struct proto_reader *reader, proto_node node, uint32_t dimension,
                       proto_range range, gjk_vec3 *out);
bool proto_read_quaternion(struct proto_reader *reader, proto_node node, gjk_quat *out);

/* Shape ids and groups, copied to reader->arena. BAD_NAME. */
bool proto_read_id(struct proto_reader *reader, proto_node node, const char **out);
bool proto_copy_id(struct proto_reader *reader, const proto_node *at, proto_text text,
                   const char **out);

#endif
