/*
 * Where in the body is a value? Its JSON pointer (RFC 6901): the names and indices on the way
 * down, with ~ written ~0 and / written ~1.
 */

#include <string.h>

#include "reader/reader.h"
#include "text/number.h"

struct pointer {
    char *text;
    size_t length, size;
    bool is_full; /* a step did not fit: nothing more may follow */
};

static void put_char(struct pointer *pointer, char c) {
    if (pointer->length + 1 >= pointer->size)
        pointer->is_full = true;
    if (!pointer->is_full)
        pointer->text[pointer->length++] = c;
}

static void put_step(struct pointer *pointer, const char *step) {
    size_t start = pointer->length;

    put_char(pointer, '/');
    for (; *step != '\0'; step++) {
        bool is_special = *step == '~' || *step == '/';
        put_char(pointer, is_special ? '~' : *step);
        if (is_special)
            put_char(pointer, *step == '~' ? '0' : '1');
    }
    if (pointer->is_full)
        pointer->length = start;
}

static void put_node(struct pointer *pointer, const proto_node *node) {
    char index[PROTO_NUMBER_MAX];

    if (node->parent == NULL)
        return;
    put_node(pointer, node->parent);
    if (pointer->is_full)
        return;
    if (node->name == NULL)
        proto_integer_text(node->index, index);
    put_step(pointer, node->name != NULL ? node->name : index);
}

void proto_pointer_text(const proto_node *node, char *text, size_t size) {
    struct pointer pointer = {.text = text, .size = size};

    put_node(&pointer, node);
    text[pointer.length] = '\0';
}
