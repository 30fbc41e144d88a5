/*
 * Nodes: a value of a JSON tree and the way to it. Members are looked up by name, and the way is
 * printed as a JSON pointer (RFC 6901), with ~ written ~0 and / written ~1.
 */

#include "reader/node.h"

#include "text/text.h"

/*
 * Objects up to this size have their names read to spare lookups; larger ones are maps of shapes,
 * where this does not pay.
 */
#define SMALL_OBJECT_MAX 16 /* members */

static uint64_t initial_of(const char *name) {
    return UINT64_C(1) << (name[0] & 63);
}

/* A function of its own, so that making a node of a value that is no object saves no registers. */
__attribute__((noinline)) static uint64_t initials_of_object(json_t *object) {
    uint64_t initials = 0;

    if (json_object_size(object) > SMALL_OBJECT_MAX) {
        return UINT64_MAX;
    }
    for (void *at = json_object_iter(object); at != NULL; at = json_object_iter_next(object, at)) {
        initials |= initial_of(json_object_iter_key(at));
    }
    return initials;
}

static uint64_t initials_of(json_t *json) {
    return json_is_object(json) ? initials_of_object(json) : 0;
}

/*
 * Looks a member up. Most optional members are absent; where no name begins with that letter, this
 * is known without hashing.
 */
static json_t *find(const proto_node *object, const char *name) {
    return (object->initials & initial_of(name)) != 0 ? json_object_get(object->json, name) : NULL;
}

proto_node proto_root(json_t *json) {
    return (proto_node){.json = json, .initials = initials_of(json), .is_required = true};
}

static inline proto_node member_of(const proto_node *object, const char *name, json_t *value,
                                   bool is_required) {
    return (proto_node){
        .parent = object,
        .name = name,
        .json = value,
        .initials = initials_of(value),
        .is_required = is_required,
    };
}

proto_node proto_member(const proto_node *object, const char *name, json_t *value) {
    return member_of(object, name, value, true);
}

static inline json_t *value_of(const proto_node *object, const char *name) {
    json_t *json = find(object, name);

    return json_is_null(json) ? NULL : json;
}

proto_node proto_required(const proto_node *object, const char *name) {
    return member_of(object, name, value_of(object, name), true);
}

proto_node proto_optional(const proto_node *object, const char *name) {
    return member_of(object, name, value_of(object, name), false);
}

proto_node proto_changed(const proto_node *node, json_t *json) {
    proto_node changed = *node;

    changed.json = json;
    changed.initials = initials_of(json);
    return changed;
}

proto_node proto_item(const proto_node *array, size_t index) {
    json_t *json = json_array_get(array->json, index);

    return (proto_node){
        .parent = array,
        .index = index,
        .json = json,
        .initials = initials_of(json),
        .is_required = true,
    };
}

bool proto_has(const proto_node *object, const char *name) {
    return find(object, name) != NULL;
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

static void put_step(struct pointer *pointer, const char *step) {
    size_t start = pointer->length;

    put_char(pointer, '/');
    for (; *step != '\0'; step++) {
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
    if (node->name == NULL) {
        proto_integer_text(node->index, index);
    }
    put_step(pointer, node->name != NULL ? node->name : index);
}

void proto_pointer_text(const proto_node *node, char *text, size_t size) {
    struct pointer pointer = {.text = text, .size = size};

    put_node(&pointer, node);
    text[pointer.length] = '\0';
}
