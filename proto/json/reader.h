#ifndef PROTO_JSON_READER_H
#define PROTO_JSON_READER_H

/*
 * Checked reading of a body. The reader collects mistakes and their places, and decoders continue
 * after a mistake; proto_reader_finish reports all of them. A decoder asks for each member of an
 * object by name. A member that no decoder asked for is refused as unknown.
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
    struct gjk_arena *arena;   /* the caller's, for decoded output */
    struct gjk_arena *scratch; /* for temporary memory */
    struct gjk_arena own;      /* for parsed values; usually also the scratch */
    proto_value root;
    struct proto_buffer text; /* reused for compact texts; in scratch */

    uint32_t refused;        /* number of refusals, including those that are not kept */
    bool is_muted;           /* refusals are not kept, because they only follow from another one */
    proto_code fatal;        /* OUT_OF_MEMORY or DEADLINE_EXCEEDED, reported instead of mistakes */
    uint32_t mistake_count;  /* at most PROTO_ERRORS_MAX */
    proto_mistake *mistakes; /* in the arena; NULL: none */
    proto_mistake *last;     /* made by the last refusal; NULL if that was not kept */
};

/* --- The body --- */

/*
 * Parses the body, which must live until proto_reader_close. Returns false with the problem set;
 * then the reader must not be closed. The reader must not be moved. Its memory counts against the
 * limit of `arena`, which is borrowed.
 */
bool proto_reader_open(struct proto_reader *reader, proto_text body, const proto_limits *limits,
                       struct gjk_arena *arena, struct proto_problem *problem) GJK_MUST_USE;
void proto_reader_close(struct proto_reader *reader);

/* Makes a reader for values that are parsed already. It takes all memory from the arena and need
 * not be closed. */
void proto_reader_init(struct proto_reader *reader, const proto_limits *limits,
                       struct gjk_arena *arena);

/* Returns true if nothing was refused. Else sets the problem and returns false. */
bool proto_reader_finish(const struct proto_reader *reader,
                         struct proto_problem *problem) GJK_MUST_USE;

/* Parses JSON that the daemon stored: the definition of a shape, or meta. Refuses, and returns
 * false, if memory or time is exhausted. */
bool proto_read_stored(struct proto_reader *reader, proto_text text, proto_value *out);

/* --- Nodes --- */

/* A value and its path. Nodes point at their parents, on the stack of the decoder. */
typedef struct proto_node {
    const struct proto_node *parent; /* NULL: the root */
    const char *name;                /* of a member; NULL: an item of an array */
    uint32_t name_length;
    uint32_t index;    /* of an item */
    proto_value value; /* ABSENT: no such member, or a member that is null */
    bool is_required;  /* readers refuse the node if it is absent */
} proto_node;

/* Returns true if there is a value. A member that is null counts as absent. */
static inline bool proto_is_given(const proto_node *node) {
    return node->value.type != PROTO_ABSENT;
}

proto_node proto_root(proto_value value);
proto_node proto_item(const proto_node *array, size_t index);
/* Returns member i of an object. Its value may be null. */
proto_node proto_member(const proto_node *object, size_t i);

/* Returns the value of a member, which may be null, or NULL if there is no such member. */
static inline const proto_value *proto_lookup(const proto_node *object, const char *name) {
    const size_t length = strlen(name);

    return (object->value.initials & proto_initial_of(name, length)) != 0
               ? proto_find(object->value, name, length)
               : NULL;
}

/* Returns true if the object has the member, even if it is null. */
static inline bool proto_has(const proto_node *object, const char *name) {
    return proto_lookup(object, name) != NULL;
}

/* Returns an optional member without marking it as asked for. */
static inline proto_node proto_peek(const proto_node *object, const char *name) {
    const proto_value *value = proto_lookup(object, name);
    const bool is_given = value != NULL && value->type != PROTO_NULL;

    return (proto_node){.parent = object,
                        .name = name,
                        .name_length = (uint32_t)strlen(name),
                        .value = is_given ? *value : (proto_value){.type = PROTO_ABSENT}};
}

/* Writes the JSON pointer (RFC 6901) of a node, or of an enclosing value if size is too small. */
void proto_pointer_text(const proto_node *node, char *text, size_t size);

/* Copies the JSON pointer of a node to the arena. */
bool proto_copy_pointer(struct proto_reader *reader, const proto_node *node, const char **out);

/* --- Objects --- */

/* Maximum number of names that decoders ask one object for. */
#define PROTO_ASKED_MAX 48

/* An object that is being read. */
typedef struct proto_object {
    proto_node node;
    uint64_t read;          /* bit i: member i < 64 was asked for */
    uint32_t mistake_count; /* where unknown members are inserted into the reader's mistakes */
    uint32_t asked_count;
    const char *asked[PROTO_ASKED_MAX + 1];
} proto_object;

/* Begins to read an object. Returns false if the node is absent, or refused as not an object. */
bool proto_object_open(struct proto_reader *reader, const proto_node *node, proto_object *object);

/*
 * Refuses members that no decoder has asked for, with a hint. They are reported before mistakes
 * found since the object was opened. A missing member with a similar name is no longer reported.
 */
void proto_object_close(struct proto_reader *reader, proto_object *object);

/* Returns the member with that name and marks it as asked for. The name must live as long as the
 * node. */
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
 * Returns true if decoding should continue: fewer than PROTO_ERRORS_MAX mistakes were found, and
 * memory and time are left. Decoders call it for each item of a list, because it charges the
 * arena's budget. It refuses the body if the budget is spent.
 */
bool proto_may_go_on(struct proto_reader *reader);

/*
 * Refuse a node. All return false. Only the first mistake at each place is kept. Exhausted memory
 * or time is reported instead of all mistakes.
 */
bool proto_refuse(struct proto_reader *reader, const proto_node *at, proto_code code,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));
bool proto_refuse_type(struct proto_reader *reader, const proto_node *at, const char *expected);
bool proto_refuse_missing(struct proto_reader *reader, const proto_node *at);
bool proto_refuse_memory(struct proto_reader *reader);
/* Refuses a count `found` of things called `what` that exceeds limit. */
bool proto_refuse_many(struct proto_reader *reader, const proto_node *at, const char *what,
                       uint64_t found, uint64_t limit);
/* Refuses the node with the code of a core's status. GJK_OUT_OF_MEMORY and GJK_GIVEN_UP are
 * reported without a place. */
bool proto_refuse_status(struct proto_reader *reader, const proto_node *at, gjk_status status);
/* Returns the problem code of a core's status. */
proto_code proto_code_of(gjk_status status);

/* Add a hint or limit to the mistake of the last refusal, if it was kept. All return false. */
bool proto_hint(struct proto_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool proto_hint_limit(struct proto_reader *reader, uint64_t limit);
/* Suggests a name from `known` (NULL is last) in place of an unknown name in the body. */
bool proto_hint_names(struct proto_reader *reader, const char *what, proto_text name,
                      const char *const *known);

/* --- Readers --- */

/* Range of allowed values; both bounds are included, except for min if above_min. */
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
 * Read a value. Return true if it is valid, or if it is optional and absent; then *out is
 * unchanged. Refuse the node by MISSING_MEMBER, WRONG_TYPE (also for a fraction instead of an
 * integer), OUT_OF_RANGE or NOT_FINITE.
 */
bool proto_check_type(struct proto_reader *reader, const proto_node *node, bool is_right,
                      const char *expected);
bool proto_read_object(struct proto_reader *reader, const proto_node *node);
bool proto_read_array(struct proto_reader *reader, const proto_node *node);
bool proto_read_bool(struct proto_reader *reader, proto_node node, bool *out);
bool proto_read_number(struct proto_reader *reader, proto_node node, proto_range range,
                       double *out);
/* Reads an integer. max must be at most 2^53. */
bool proto_read_integer(struct proto_reader *reader, proto_node node, uint64_t min, uint64_t max,
                        uint64_t *out);
bool proto_read_u32(struct proto_reader *reader, proto_node node, uint32_t min, uint32_t max,
                    uint32_t *out);

/* Reads a string that must be in `texts` (NULL is last); sets *out to its index. */
bool proto_read_choice(struct proto_reader *reader, proto_node node, const char *const *texts,
                       size_t *out);

/*
 * Return the packed numbers of an array, or of an array of arrays of `columns` numbers, without a
 * copy. Return NULL if they are not packed, or one is out of range, or is null and may not be; then
 * the caller must read them one by one, which refuses the wrong ones.
 */
const double *proto_packed_numbers(proto_value array, proto_range range, bool may_be_null);
const double *proto_packed_rows(proto_value array, uint32_t columns, proto_range range);

/* Returns packed integers from 0 to max as the function above returns numbers; columns 0: of an array
 * of integers, else of an array of arrays. */
const uint32_t *proto_packed_integers(proto_value array, uint32_t columns, uint32_t max);

/* Reads a vector with numbers within range; z is 0 in 2D. Refuses a vector of the other dimension
 * by DIMENSION_MISMATCH. */
bool proto_read_vector(struct proto_reader *reader, proto_node node, uint32_t dimension,
                       proto_range range, gjk_vec3 *out);
bool proto_read_quaternion(struct proto_reader *reader, proto_node node, gjk_quat *out);

/* Read a shape id or group and copy it to reader->arena. Refuse an invalid one by BAD_NAME. */
bool proto_read_id(struct proto_reader *reader, proto_node node, const char **out);
bool proto_copy_id(struct proto_reader *reader, const proto_node *at, proto_text text,
                   const char **out);

/* Reads an array of ids. *count is 0 if it is absent. */
bool proto_read_ids(struct proto_reader *reader, const proto_node *node, const char *const **out,
                    uint32_t *count);

#endif
