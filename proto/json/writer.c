/*
 * A growing buffer of JSON text. It doubles in the caller's arena; old memory stays until the arena
 * is freed, so a text of n bytes takes at most 4n bytes. With blocks, text after the first 64 KiB
 * is not copied again. A comma is needed unless the last byte written is an opening bracket,
 * because no value ends in one.
 */

#include "json/writer.h"

#include <string.h>

#include "json/number.h"
#include "json/text.h"

#define FIRST_CAPACITY_BYTES 1024
#define KEY_MARKS 4 /* bytes around a name: comma, quotes, colon */

/* Approximate size of the first block. Further blocks double in size, up to the maximum. */
#define BLOCK_BYTES_MIN 65536
#define BLOCK_BYTES_MAX 1048576

/* Upper bound of one entry of a list: two ids, a group, eleven numbers and the members' names. */
#define LIST_ITEM_BYTES_MAX 1024

/* A full block. */
struct proto_buffer_block {
    struct proto_buffer_block *previous;
    proto_text text;
};

void proto_buffer_init(struct proto_buffer *buffer, struct gjk_arena *arena) {
    *buffer = (struct proto_buffer){.arena = arena, .list_bytes_max = SIZE_MAX};
}

void proto_buffer_init_blocks(struct proto_buffer *buffer, struct gjk_arena *arena) {
    proto_buffer_init(buffer, arena);
    buffer->in_blocks = true;
}

void proto_buffer_reserve(struct proto_buffer *buffer, size_t length) {
    GJK_ASSERT(buffer->length == 0);
    buffer->capacity = length < BLOCK_BYTES_MAX ? length : BLOCK_BYTES_MAX;
    buffer->data = gjk_arena_alloc(buffer->arena, buffer->capacity);
    buffer->failed = buffer->data == NULL;
}

size_t proto_buffer_length(const struct proto_buffer *buffer) {
    return buffer->blocks_bytes + buffer->length;
}

const proto_text *proto_buffer_texts(const struct proto_buffer *buffer, size_t *count) {
    size_t i = 1;
    for (const struct proto_buffer_block *block = buffer->blocks; block != NULL;
         block = block->previous) {
        i++;
    }
    proto_text *texts = gjk_arena_alloc_array(buffer->arena, i, sizeof *texts);
    if (texts == NULL) {
        return NULL;
    }
    *count = i;
    texts[--i] = (proto_text){buffer->data, buffer->length};
    for (const struct proto_buffer_block *block = buffer->blocks; block != NULL;
         block = block->previous) {
        texts[--i] = block->text;
    }
    return texts;
}

bool proto_list_goes_on(struct proto_buffer *out) {
    if (proto_buffer_length(out) + LIST_ITEM_BYTES_MAX > out->list_bytes_max) {
        out->is_cut = true;
    }
    return !out->failed && !out->is_cut;
}

/* Moves the current text to the list of full blocks and begins a block of at least `length`
 * bytes. */
static bool begin_block(struct proto_buffer *out, size_t length) {
    size_t capacity = out->capacity < BLOCK_BYTES_MAX / 2 ? 2 * out->capacity : BLOCK_BYTES_MAX;
    capacity = capacity > length ? capacity : length;
    struct proto_buffer_block *full = gjk_arena_alloc(out->arena, sizeof *full);
    char *data = full != NULL ? gjk_arena_alloc(out->arena, capacity) : NULL;
    if (data == NULL) {
        out->failed = true;
        return false;
    }
    *full = (struct proto_buffer_block){out->blocks, {out->data, out->length}};
    out->blocks = full;
    out->blocks_bytes += out->length;
    out->data = data;
    out->length = 0;
    out->capacity = capacity;
    return true;
}

static bool grow(struct proto_buffer *out, size_t length) {
    size_t capacity = out->capacity > 0 ? out->capacity : FIRST_CAPACITY_BYTES;

    if (out->failed) {
        return false;
    }
    if (out->in_blocks && out->length > 0 &&
        (out->length >= BLOCK_BYTES_MIN / 2 || length >= BLOCK_BYTES_MIN)) {
        return begin_block(out, length);
    }
    while (capacity - out->length < length) {
        if (capacity > SIZE_MAX / 2) {
            out->failed = true;
            return false;
        }
        capacity *= 2;
    }
    char *data = gjk_arena_alloc(out->arena, capacity);
    if (data == NULL) {
        out->failed = true;
        return false;
    }
    if (out->length > 0) {
        memcpy(data, out->data, out->length);
    }
    out->data = data;
    out->capacity = capacity;
    return true;
}

static inline bool reserve(struct proto_buffer *out, size_t length) {
    return (length <= out->capacity - out->length && !out->failed) || grow(out, length);
}

void proto_put_bytes(struct proto_buffer *out, const char *data, size_t length) {
    if (length == 0 || !reserve(out, length)) {
        return;
    }
    memcpy(out->data + out->length, data, length);
    out->length += length;
}

static void put_byte(struct proto_buffer *out, char byte) {
    if (reserve(out, 1)) {
        out->data[out->length++] = byte;
    }
}

void proto_put_text(struct proto_buffer *out, const char *text) {
    proto_put_bytes(out, text, strlen(text));
}

void proto_put_item(struct proto_buffer *out) {
    if (out->length > 0 && out->data[out->length - 1] != '[') {
        put_byte(out, ',');
    }
}

void proto_put_key(struct proto_buffer *out, const char *name) {
    const size_t length = strlen(name);
    const bool is_first = out->length == 0 || out->data[out->length - 1] == '{';

    if (!reserve(out, length + KEY_MARKS)) {
        return;
    }
    char *to = out->data + out->length;
    if (!is_first) {
        *to++ = ',';
    }
    *to++ = '"';
    memcpy(to, name, length);
    to += length;
    *to++ = '"';
    *to++ = ':';
    out->length = (size_t)(to - out->data);
}

static void put_escaped(struct proto_buffer *out, unsigned char byte) {
    static const char hex[] = "0123456789abcdef";
    static const char letters[] = "\"\"\\\\\bb\ff\nn\rr\tt";

    for (const char *pair = letters; *pair != '\0'; pair += 2) {
        if ((unsigned char)pair[0] == byte) {
            proto_put_bytes(out, (char[]){'\\', pair[1]}, 2);
            return;
        }
    }
    proto_put_bytes(out, (char[]){'\\', 'u', '0', '0', hex[byte >> 4], hex[byte & 15]}, 6);
}

void proto_put_string(struct proto_buffer *out, const char *data, size_t length) {
    size_t plain = 0; /* start of the run of bytes not written yet, which need no escape */

    put_byte(out, '"');
    for (size_t i = 0; i < length;) {
        unsigned char byte = (unsigned char)data[i];
        if (byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\') { /* needs no escape */
            i++;
            continue;
        }
        size_t step = proto_utf8_sequence(data + i, length - i);
        if (step > 1) {
            i += step;
            continue;
        }
        proto_put_bytes(out, data + plain, i - plain);
        if (step == 0) {
            proto_put_text(out, "\xEF\xBF\xBD");
        } else {
            put_escaped(out, byte);
        }
        plain = ++i;
    }
    proto_put_bytes(out, data + plain, length - plain);
    put_byte(out, '"');
}

void proto_put_string_or_null(struct proto_buffer *out, const char *text) {
    if (text != NULL) {
        proto_put_string(out, text, strlen(text));
    } else {
        proto_put_text(out, "null");
    }
}

void proto_put_number(struct proto_buffer *out, double value) {
    if (reserve(out, PROTO_NUMBER_MAX)) {
        out->length += proto_number_text(value, out->data + out->length);
    }
}

void proto_put_integer_if(struct proto_buffer *out, const char *key, bool exists, uint64_t value) {
    proto_put_key(out, key);
    if (exists) {
        proto_put_integer(out, value);
    } else {
        proto_put_text(out, "null");
    }
}

void proto_put_number_if(struct proto_buffer *out, const char *key, bool exists, double value) {
    proto_put_key(out, key);
    if (exists) {
        proto_put_number(out, value);
    } else {
        proto_put_text(out, "null");
    }
}

void proto_put_named_number(struct proto_buffer *out, const char *key, double value) {
    proto_put_key(out, key);
    proto_put_number(out, value);
}

void proto_put_integer(struct proto_buffer *out, uint64_t value) {
    if (reserve(out, PROTO_NUMBER_MAX)) {
        out->length += proto_integer_text(value, out->data + out->length);
    }
}

void proto_put_bool(struct proto_buffer *out, bool value) {
    proto_put_text(out, value ? "true" : "false");
}

void proto_put_named_integer(struct proto_buffer *out, const char *key, uint64_t value) {
    proto_put_key(out, key);
    proto_put_integer(out, value);
}

void proto_put_named_bool(struct proto_buffer *out, const char *key, bool value) {
    proto_put_key(out, key);
    proto_put_bool(out, value);
}

void proto_put_flag(struct proto_buffer *out, const char *key, bool value) {
    if (value) {
        proto_put_named_bool(out, key, true);
    }
}

void proto_put_named_text(struct proto_buffer *out, const char *key, const char *text) {
    proto_put_key(out, key);
    proto_put_string_or_null(out, text);
}

void proto_put_named_json(struct proto_buffer *out, const char *key, proto_text json) {
    proto_put_key(out, key);
    if (json.data != NULL) {
        proto_put_bytes(out, json.data, json.length);
    } else {
        proto_put_text(out, "null");
    }
}

void proto_put_open(struct proto_buffer *out, const char *key, const char *bracket) {
    proto_put_key(out, key);
    proto_put_text(out, bracket);
}

void proto_put_vector(struct proto_buffer *out, uint32_t dimension, gjk_vec3 v) {
    if (!reserve(out, 3 * PROTO_NUMBER_MAX + 4)) {
        return;
    }
    char *to = out->data + out->length;
    *to++ = '[';
    to += proto_number_text(v.x, to);
    *to++ = ',';
    to += proto_number_text(v.y, to);
    if (dimension == 3) {
        *to++ = ',';
        to += proto_number_text(v.z, to);
    }
    *to++ = ']';
    out->length = (size_t)(to - out->data);
}

void proto_put_vector_if(struct proto_buffer *out, const char *key, bool exists, uint32_t dimension,
                         gjk_vec3 v) {
    proto_put_key(out, key);
    if (exists) {
        proto_put_vector(out, dimension, v);
    } else {
        proto_put_text(out, "null");
    }
}
