#ifndef PROTO_READER_READER_H
#define PROTO_READER_READER_H

/*
 * Checked reading of a JSON tree. A node is a value together with the way to it, so that every
 * refusal names its place as a JSON pointer. Readers return false after having set the problem.
 * Nodes point at their parents: they live on the stack of whoever walks the tree.
 */

#include <jansson.h>

#include "proto/request.h"
#include "text/buffer.h"

struct proto_reader {
    const proto_limits *limits;
    struct gjk_arena *arena;   /* the caller's: for what the decoder answers */
    struct gjk_arena *scratch; /* the document's: for what is needed on the way */
    struct proto_problem *problem;
    struct proto_buffer text; /* in scratch; for whoever needs a compact text */
};

struct proto_document;
void proto_reader_init(struct proto_reader *reader, struct proto_document *document,
                       const proto_limits *limits, struct gjk_arena *arena,
                       struct proto_problem *problem);

typedef struct proto_node {
    const struct proto_node *parent; /* NULL: the whole document */
    const char *name;                /* of this member; NULL: an item of an array */
    size_t index;                    /* of that item */
    json_t *json;                    /* borrowed; NULL: absent, or a member that is null */
    uint64_t initials;               /* of an object: what its members' names may begin with */
    bool is_required;                /* whether reading it refuses when it is absent */
} proto_node;

/* Made by these only. */
proto_node proto_root(json_t *json);
proto_node proto_required(const proto_node *object, const char *name);
proto_node proto_optional(const proto_node *object, const char *name);
proto_node proto_item(const proto_node *array, size_t index);
/* A required member whose value is known, null as it is. */
proto_node proto_member(const proto_node *object, const char *name, json_t *value);
/* The same place with another value. */
proto_node proto_changed(const proto_node *node, json_t *json);

/* Whether the object has the member, even as null. */
bool proto_has(const proto_node *object, const char *name);

/* The JSON pointer (RFC 6901) of a node, cut back to an enclosing value where size is short. */
void proto_pointer_text(const proto_node *node, char *text, size_t size);

/* Refuse at a node. All return false. */
bool proto_refuse(struct proto_reader *reader, const proto_node *at, proto_code code,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));
bool proto_refuse_type(struct proto_reader *reader, const proto_node *at, const char *expected);
bool proto_refuse_missing(struct proto_reader *reader, const proto_node *at);
bool proto_refuse_memory(struct proto_reader *reader);
/* More of what than limit allows. */
bool proto_refuse_many(struct proto_reader *reader, const proto_node *at, const char *what,
                       uint64_t found, uint64_t limit);
/* A status of the core that blames the node; OUT_OF_MEMORY blames none. */
bool proto_refuse_status(struct proto_reader *reader, const proto_node *at, gjk_status status);

/* Whether every member of the object is in one of the lists (NULL at their ends; more may be
 * NULL); otherwise UNKNOWN_MEMBER with a hint. */
bool proto_check_members(struct proto_reader *reader, const proto_node *object,
                         const char *const *known, const char *const *more);

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

/* dimension numbers within range; z is 0 in 2D. DIMENSION_MISMATCH for a vector of the other. */
bool proto_read_vector(struct proto_reader *reader, proto_node node, uint32_t dimension,
                       proto_range range, gjk_vec3 *out);
bool proto_read_quaternion(struct proto_reader *reader, proto_node node, gjk_quat *out);

/* Shape ids and groups, copied to reader->arena. BAD_NAME. */
bool proto_read_id(struct proto_reader *reader, proto_node node, const char **out);
bool proto_copy_id(struct proto_reader *reader, const proto_node *at, const char *text,
                   size_t length, const char **out);

#endif
