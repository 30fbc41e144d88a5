#ifndef PROTO_READER_NODE_H
#define PROTO_READER_NODE_H

/*
 * A value of a JSON tree together with the way to it, so that every refusal names its place. Nodes
 * point at their parents: they live on the stack of whoever walks the tree.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

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

#endif
