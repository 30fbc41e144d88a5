#ifndef PROTO_JSON_READER_H
#define PROTO_JSON_READER_H

/*
 * Checked reading of a body. Mistakes are sticky: the reader keeps them with their places, decoders
 * go on, and proto_reader_finish tells all of them. A decoder asks for each member of an object by
 * its name; a member that nobody has asked for is unknown.
 */

#include "gjk/arena.h"
#include "proto/limits.h"
#include "proto/problem.h"
#include "json/text.h"
#include "json/value.h"
#include "json/writer.h"

/* A mistake in a body. */
typedef struct proto_mistake {
    proto_code code;
    const char *pointer, *detail;
    const char *hint; /* "": none */
    uint64_t limit;   /* valid if has_limit */
    bool has_limit;
} proto_mistake;

struct proto_reader {
    const proto_limits *limits;
    struct gjk_arena *arena;   /* of the caller, for what the decoder answers */
    struct gjk_arena *scratch; /* for what is needed on the way */
    struct gjk_arena own;      /* of the values, and usually the scratch */
    proto_value root;
    struct proto_buffer text; /* in scratch, for any compact text */

    uint32_t refused;        /* number of refusals, even those that are not kept */
    bool is_muted;           /* refusals only follow from another one: none is kept */
    proto_code fatal;        /* OUT_OF_MEMORY, DEADLINE_EXCEEDED: reported instead of mistakes */
    uint32_t mistake_count;  /* at most PROTO_ERRORS_MAX */
    proto_mistake *mistakes; /* in the arena; NULL: none */
    proto_mistake *last;     /* the latest one; NULL: the latest refusal is not kept */
};

/* --- The body --- */

/*
 * Parses the body, which must live until close. Returns false after having set the problem; then
 * nothing is to be closed. The reader must not be moved. Its memory counts against what is left of
 * the limit of the arena, which is borrowed.
 */
bool proto_reader_open(struct proto_reader *reader, proto_text body, const proto_limits *limits,
                       struct gjk_arena *arena, struct proto_problem *problem) GJK_MUST_USE;
void proto_reader_close(struct proto_reader *reader);

/* Makes a reader of values that another one has, with the arena for all memory. */
void proto_reader_init(struct proto_reader *reader, const proto_limits *limits,
                       struct gjk_arena *arena);

/* Returns true if there was no mistake, or sets the problem. */
bool proto_reader_finish(const struct proto_reader *reader,
                         struct proto_problem *problem) GJK_MUST_USE;

/* Parses a text of our own making, which is JSON: the definition of a stored shape, or meta. */
bool proto_read_stored(struct proto_reader *reader, proto_text text, proto_value *out);

/* --- Nodes --- */

/* A value and the way to it. Nodes point at their parents, on the stack of the decoder. */
typedef struct proto_node {
    const struct proto_node *parent; /* NULL: the whole document */
    const char *name;                /* of this member; NULL: an item of an array */
    uint32_t name_length;
    uint32_t index;    /* of that item */
    proto_value value; /* ABSENT: there is none, or a member that is null */
    bool is_required;  /* reading it refuses if it is absent */
} proto_node;

/* Returns true if there is a value; a member that is null has none. */
static inline bool proto_is_given(const proto_node *node) {
    return node->value.type != PROTO_ABSENT;
}

proto_node proto_root(proto_value value);
proto_node proto_item(const proto_node *array, size_t index);
/* Returns member i of an object with its value as it is, null too. */
proto_node proto_member(const proto_node *object, size_t i);

/* Finds the value of a member, even null. Returns NULL if there is no such member. */
static inline const proto_value *proto_lookup(const proto_node *object, const char *name) {
    const size_t length = strlen(name);

    return (object->value.initials & proto_initial_of(name, length)) != 0
               ? proto_find(object->value, name, length)
               : NULL;
}

/* Returns true if the object has the member, even as null. */
static inline bool proto_has(const proto_node *object, const char *name) {
    return proto_lookup(object, name) != NULL;
}

/* Returns the member, which is not required, without asking for it as a decoder does. */
static inline proto_node proto_peek(const proto_node *object, const char *name) {
    const proto_value *value = proto_lookup(object, name);
    const bool is_given = value != NULL && value->type != PROTO_NULL;

    return (proto_node){.parent = object,
                        .name = name,
                        .name_length = (uint32_t)strlen(name),
                        .value = is_given ? *value : (proto_value){.type = PROTO_ABSENT}};
}

/* Writes the JSON pointer (RFC 6901) of a node, cut back to an enclosing value if size is short. */
void proto_pointer_text(const proto_node *node, char *text, size_t size);

/* Copies the JSON pointer of a node to the arena. */
bool proto_copy_pointer(struct proto_reader *reader, const proto_node *node, const char **out);

/* --- Objects --- */

/* Names that a decoder asks one object for, at most. */
#define PROTO_ASKED_MAX 48

/* An object that is being read. */
typedef struct proto_object {
    proto_node node;
    uint64_t read;          /* bits of the first 64 members */
    uint32_t mistake_count; /* of the reader, when it came to the object's own members */
    uint32_t asked_count;
    const char *asked[PROTO_ASKED_MAX + 1];
} proto_object;

/* Begins to read an object. Returns false if it is absent or no object. */
bool proto_object_open(struct proto_reader *reader, const proto_node *node, proto_object *object);

/*
 * Refuses members that no decoder has asked for, with a hint. They are reported before mistakes
 * found since the object was opened, and instead of a missing member with a similar name.
 */
void proto_object_close(struct proto_reader *reader, proto_object *object);

/* Asks for a member. The name has to live as long as the node. */
static inline proto_node proto_optional(proto_object *object, const char *name) {
    proto_node node = {.parent = &object->node,
                       .name = name,
                       .name_length = (uint32_t)strlen(name)};
    const proto_value *value = proto_lookup(&object->node, name);

    GJK_ASSERT(object->asked_count < PROTO_ASKED_MAX);
    object->asked[object->asked_count++] = name;
    if (value != NULL) {
        const size_t i = (size_t)(value - object->node.value.items) / 2;
        object->read |= i < 64 ? UINT64_C(1) << i : 0;
        if (value->type != PROTO_NULL) {
            node.value = *value;
        }
    }
    return node;
}

static inline proto_node proto_required(proto_object *object, const char *name) {
    proto_node node = proto_optional(object, name);

    node.is_required = true;
    return node;
}

/* --- Refusals --- */

/*
 * Returns true if fewer than PROTO_ERRORS_MAX mistakes were found, so that decoders should look for
 * more. To be asked for each item of a list: it spends the arena's budget, and refuses if that is
 * spent.
 */
bool proto_may_go_on(struct proto_reader *reader);

/*
 * Refuse a node. All return false. Of one place only the first mistake is kept. A lack of memory or
 * time replaces all mistakes.
 */
bool proto_refuse(struct proto_reader *reader, const proto_node *at, proto_code code,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));
bool proto_refuse_type(struct proto_reader *reader, const proto_node *at, const char *expected);
bool proto_refuse_missing(struct proto_reader *reader, const proto_node *at);
bool proto_refuse_memory(struct proto_reader *reader);
/* Refuses a number of things, called `what`, that exceeds limit. */
bool proto_refuse_many(struct proto_reader *reader, const proto_node *at, const char *what,
                       uint64_t found, uint64_t limit);
/* Refuses the node because of the core's status; OUT_OF_MEMORY and GIVEN_UP do not blame the
 * node. */
bool proto_refuse_status(struct proto_reader *reader, const proto_node *at, gjk_status status);
/* Returns the code of a status of the core. */
proto_code proto_code_of(gjk_status status);

/* Add to the mistake just refused, if it is kept. All return false. */
bool proto_hint(struct proto_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool proto_hint_limit(struct proto_reader *reader, uint64_t limit);
/* Suggests a name of the list (NULL behind the last) for one from the document. */
bool proto_hint_names(struct proto_reader *reader, const char *what, proto_text name,
                      const char *const *known);

/* --- Readers --- */

/* Values between bounds, both included unless above_min. */
typedef struct proto_range {
    double min, max;
    bool above_min;
} proto_range;

extern const proto_range proto_any_number;
extern const proto_range proto_not_negative;
extern const proto_range proto_coordinate;
extern const proto_range proto_length;          /* >= 0 */
extern const proto_range proto_positive_length; /* > 0 */

/*
 * Read a value. Return true if it is right, or optional and absent, which leaves *out alone.
 * MISSING_MEMBER, WRONG_TYPE (also a fraction where an integer is due), OUT_OF_RANGE, NOT_FINITE.
 */
bool proto_check_type(struct proto_reader *reader, const proto_node *node, bool is_right,
                      const char *expected);
bool proto_read_object(struct proto_reader *reader, const proto_node *node);
bool proto_read_array(struct proto_reader *reader, const proto_node *node);
bool proto_read_bool(struct proto_reader *reader, proto_node node, bool *out);
bool proto_read_number(struct proto_reader *reader, proto_node node, proto_range range,
                       double *out);
/* Reads an integer; max at most 2^53. */
bool proto_read_integer(struct proto_reader *reader, proto_node node, uint64_t min, uint64_t max,
                        uint64_t *out);
bool proto_read_u32(struct proto_reader *reader, proto_node node, uint32_t min, uint32_t max,
                    uint32_t *out);

/* Reads one of some texts (NULL behind the last); *out is its index. */
bool proto_read_choice(struct proto_reader *reader, proto_node node, const char *const *texts,
                       size_t *out);

/*
 * Return the numbers of an array, side by side in the document, or NULL if they are not packed or
 * not all within range (a null only if it may be): then they are to be read one by one. The same
 * for an array of arrays of that many numbers, as vectors are.
 */
const double *proto_packed_numbers(proto_value array, proto_range range, bool may_be_null);
const double *proto_packed_rows(proto_value array, uint32_t columns, proto_range range);

/* The same for integers up to max, or rows of them; columns 0: single ones. */
const uint32_t *proto_packed_integers(proto_value array, uint32_t columns, uint32_t max);

/* Reads dimension numbers within range; z is 0 in 2D. DIMENSION_MISMATCH for a vector of the
 * other. */
bool proto_read_vector(struct proto_reader *reader, proto_node node, uint32_t dimension,
                       proto_range range, gjk_vec3 *out);
bool proto_read_quaternion(struct proto_reader *reader, proto_node node, gjk_quat *out);

/* Read shape ids and groups, copied to reader->arena. BAD_NAME. */
bool proto_read_id(struct proto_reader *reader, proto_node node, const char **out);
bool proto_copy_id(struct proto_reader *reader, const proto_node *at, proto_text text,
                   const char **out);

/* Reads an array of ids, none if it is absent. */
bool proto_read_ids(struct proto_reader *reader, const proto_node *node, const char *const **out,
                    uint32_t *count);

#endif
