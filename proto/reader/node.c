/*
 * Nodes: a value of a document and the way to it, which is printed as a JSON pointer (RFC 6901),
 * with ~ written ~0 and / written ~1.
 */

#include "reader/node.h"

#include "text/text.h"

proto_node proto_root(proto_value value) {
    return (proto_node){.value = value, .is_required = true};
}

proto_node proto_member(const proto_node *object, size_t i) {
    const proto_text name = proto_name_at(object->value, i);

    return (proto_node){.parent = object,
                        .name = name.data,
                        .name_length = (uint32_t)name.length,
                        .value = proto_member_value(object->value, i),
                        .is_required = true};
}

proto_node proto_item(const proto_node *array, size_t index) {
    return (proto_node){.parent = array,
                        .index = (uint32_t)index,
                        .value = proto_value_at(array->value, index),
                        .is_required = true};
}

/* --- The pointer --- */

struct pointer {
    char *text;
    size_t length, size;
    bool is_full; /* a step did not fit: nothing more may follow */
};

static void put_char(struct pointer *pointer, char c) {
    if (pointer->length + 1 >= pointer->size) {
        pointer->is_full = true;
    }
    if (!pointer->is_full) {
        pointer->text[pointer->length++] = c;
    }
}

static void put_step(struct pointer *pointer, const char *step, size_t length) {
    size_t start = pointer->length;

    if (start + length + 1 < pointer->size && memchr(step, '~', length) == NULL &&
        memchr(step, '/', length) == NULL) { /* nearly always */
        pointer->text[start] = '/';
        memcpy(pointer->text + start + 1, step, length);
        pointer->length += length + 1;
        return;
    }
    put_char(pointer, '/');
    for (const char *end = step + length; step < end; step++) {
        bool is_special = *step == '~' || *step == '/';
        put_char(pointer, is_special ? '~' : *step);
        if (is_special) {
            put_char(pointer, *step == '~' ? '0' : '1');
        }
    }
    if (pointer->is_full) {
        pointer->length = start;
    }
}

static void put_node(struct pointer *pointer, const proto_node *node) {
    char index[PROTO_NUMBER_MAX];

    if (node->parent == NULL) {
        return;
    }
    put_node(pointer, node->parent);
    if (pointer->is_full) {
        return;
    }
    if (node->name != NULL) {
        put_step(pointer, node->name, node->name_length);
    } else {
        put_step(pointer, index, proto_integer_text(node->index, index));
    }
}

void proto_pointer_text(const proto_node *node, char *text, size_t size) {
    struct pointer pointer = {.text = text, .size = size};

    put_node(&pointer, node);
    text[pointer.length] = '\0';
}
