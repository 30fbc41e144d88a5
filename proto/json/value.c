/*
 * Lookup in objects (a linear search), JSON merge patches (RFC 7396), and writing of any value.
 */

#include "json/value.h"

#include "json/writer.h"
#include <stdlib.h>

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

    for (uint32_t i = 0; i < count && count <= PROTO_SMALL_OBJECT_MAX; i++) {
        const proto_value *name = &pairs[2 * (size_t)i];
        initials |= name->count > 0 ? proto_initial_of(name->text, name->count) : 0;
    }
    return (proto_value){.type = PROTO_OBJECT,
                         .initials = count <= PROTO_SMALL_OBJECT_MAX ? initials : UINT16_MAX,
                         .count = count,
                         .items = pairs};
}

/* --- Merging --- */

/* Entry of a sorted index of a target's names, which a patch with many members searches. */
struct named {
    proto_text name;
    size_t index; /* of the member in the target */
};

/* Compares lengths first, which is cheaper. Any total order serves the search. */
static int compare_named(const void *a, const void *b) {
    const proto_text x = ((const struct named *)a)->name, y = ((const struct named *)b)->name;

    if (x.length != y.length) {
        return x.length < y.length ? -1 : 1;
    }
    return memcmp(x.data, y.data, x.length);
}

static struct named *sort_names(struct gjk_arena *arena, proto_value target) {
    const size_t count = proto_object_size(target);
    struct named *all = gjk_arena_alloc_array(arena, count, sizeof *all);

    for (size_t i = 0; all != NULL && i < count; i++) {
        all[i] = (struct named){proto_name_at(target, i), i};
    }
    if (count > 1 && all != NULL) {
        qsort(all, count, sizeof *all, compare_named);
    }
    return all;
}

/* Removes members with ABSENT values. Returns the number of members left. */
static size_t remove_absent(proto_value *pairs, size_t count) {
    size_t left = 0;

    for (size_t i = 0; i < count; i++) {
        if (pairs[2 * i + 1].type != PROTO_ABSENT) {
            pairs[2 * left] = pairs[2 * i];
            pairs[2 * left + 1] = pairs[2 * i + 1];
            left++;
        }
    }
    return left;
}

static bool merge_objects(struct gjk_arena *arena, proto_value target, proto_value patch,
                          proto_value *out) {
    const size_t old = proto_object_size(target);
    struct named *names = sort_names(arena, target);
    proto_value *pairs = gjk_arena_alloc_array(arena, 2 * (old + patch.count), sizeof *pairs);
    size_t count = old;

    if (names == NULL || pairs == NULL) {
        return false;
    }
    if (old > 0) {
        memcpy(pairs, target.items, 2 * old * sizeof *pairs);
    }
    for (size_t i = 0; i < patch.count; i++) {
        const proto_value value = proto_member_value(patch, i);
        const struct named key = {proto_name_at(patch, i), 0};
        const struct named *found =
            old > 0 ? bsearch(&key, names, old, sizeof *names, compare_named) : NULL;
        const size_t at = found != NULL ? found->index : old;
        proto_value *pair = &pairs[2 * (at < old ? at : count)];
        if (at == old) {
            pair[0] = patch.items[2 * i];
            pair[1] = (proto_value){.type = PROTO_ABSENT};
            count++;
        }
        if (value.type == PROTO_NULL) {
            pair[1] = (proto_value){.type = PROTO_ABSENT};
        } else if (!proto_merge(arena, pair[1], value, &pair[1])) {
            return false;
        }
    }
    *out = proto_object_of(pairs, (uint32_t)remove_absent(pairs, count));
    return true;
}

bool proto_merge(struct gjk_arena *arena, proto_value target, proto_value patch, proto_value *out) {
    if (patch.type != PROTO_OBJECT) {
        *out = patch;
        return true;
    }
    return merge_objects(arena, target, patch, out);
}

/* --- Writing --- */

static void put_object(struct proto_buffer *out, proto_value object) {
    proto_put_text(out, "{");
    for (size_t i = 0; i < object.count; i++) {
        const proto_text name = proto_name_at(object, i);
        proto_put_text(out, i > 0 ? "," : "");
        proto_put_string(out, name.data, name.length);
        proto_put_text(out, ":");
        proto_put_json(out, proto_member_value(object, i));
    }
    proto_put_text(out, "}");
}

void proto_put_json(struct proto_buffer *out, proto_value value) {
    switch ((proto_type)value.type) {
    case PROTO_OBJECT:
        put_object(out, value);
        break;
    case PROTO_ARRAY:
    case PROTO_NUMBERS:
    case PROTO_ROWS:
    case PROTO_INTEGERS:
        proto_put_text(out, "[");
        for (size_t i = 0; i < value.count && !out->failed; i++) {
            proto_put_item(out);
            proto_put_json(out, proto_value_at(value, i));
        }
        proto_put_text(out, "]");
        break;
    case PROTO_STRING:
        proto_put_string(out, value.text, value.count);
        break;
    case PROTO_NUMBER:
        proto_put_number(out, value.number);
        break;
    case PROTO_TRUE:
    case PROTO_FALSE:
        proto_put_bool(out, value.type == PROTO_TRUE);
        break;
    case PROTO_NULL:
    case PROTO_ABSENT:
        proto_put_text(out, "null");
        break;
    }
}
