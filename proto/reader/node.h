#ifndef PROTO_READER_NODE_H
#define PROTO_READER_NODE_H

/*
 * A value of a document together with the way to it, so that every refusal names its place. Nodes
 * point at their parents: they live on the stack of whoever walks the document.
 */

#include "reader/value.h"

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

#endif
