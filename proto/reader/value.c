/* Objects: a sequence of names and values, searched from the front. */

#include "reader/value.h"

/*
 * Larger objects are maps of shapes, of which nobody asks for a member by its name often: their
 * names are not looked at.
 */
#define SMALL_OBJECT_MAX 16 /* members */

const proto_value *proto_find(proto_value object, const char *name, size_t length) {
    const proto_value *const end = object.items + 2 * proto_object_size(object);

    for (const proto_value *at = object.items; at < end; at += 2) {
        if (at->count == length && memcmp(at->text, name, length) == 0) {
            return at + 1;
        }
    }
    return NULL;
}

proto_value proto_object_of(const proto_value *pairs, uint32_t count) {
    uint16_t initials = 0;

    for (uint32_t i = 0; i < count && count <= SMALL_OBJECT_MAX; i++) {
        const proto_value *name = &pairs[2 * (size_t)i];
        initials |= name->count > 0 ? proto_initial_of(name->text, name->count) : 0;
    }
    return (proto_value){.type = PROTO_OBJECT,
                         .initials = count <= SMALL_OBJECT_MAX ? initials : UINT16_MAX,
                         .count = count,
                         .items = pairs};
}
