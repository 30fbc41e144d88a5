/*
 * Encodes answers that are mostly packed doubles as protobuf messages, in place. Packed doubles
 * have a known length, so their columns are laid out first and whoever computes a row writes
 * straight into them; nothing is copied. The varints have no known length and are written last:
 * those whose field numbers come first end where the doubles begin, so the message may begin
 * anywhere in its block. The bytes are those that protobuf-c would pack. Wire format:
 * https://protobuf.dev/programming-guides/encoding.
 */

#include "columns/columns.h"

enum { WIRE_VARINT = 0, WIRE_BYTES = 2 };

/*
 * The fields of every answer: the revision is 1, columns of uints begin at 2, then come the columns of
 * doubles in place, then further columns.
 */
enum { REVISION = 1, FIRST_UINTS = 2 };

/*
 * The longest varints of 32 and of 64 bits, and the longest tag with length of a column, in bytes.
 */
enum { VARINT32_MAX = 5, VARINT64_MAX = 10, HEAD_MAX = VARINT32_MAX + VARINT64_MAX };

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "doubles are packed as they are here");

static size_t varint_size(uint64_t value) {
    size_t size = 1;

    for (; value > 0x7f; value >>= 7) {
        size++;
    }
    return size;
}

static uint8_t *put_varint(uint8_t *at, uint64_t value) {
    for (; value > 0x7f; value >>= 7) {
        *at++ = (uint8_t)(value | 0x80);
    }
    *at++ = (uint8_t)value;
    return at;
}

static uint64_t tag_of(uint32_t field, unsigned wire) {
    return (uint64_t)field << 3 | wire;
}

static uint8_t *put_head(uint8_t *at, uint32_t field, size_t size) {
    return put_varint(put_varint(at, tag_of(field, WIRE_BYTES)), size);
}

/* The loop has no branches, so that compilers vectorise it. */
static size_t uints_size(const uint32_t *values, uint32_t count) {
    uint32_t more = 0;

    for (uint32_t i = 0; i < count; i++) {
        more += (values[i] >> 7 != 0) + (values[i] >> 14 != 0) + (values[i] >> 21 != 0) +
                (values[i] >> 28 != 0);
    }
    return (size_t)count + more;
}

/* Protobuf leaves an empty column out. */
static uint8_t *put_uints(uint8_t *at, uint32_t field, const uint32_t *values, uint32_t count) {
    if (count > 0) {
        at = put_head(at, field, uints_size(values, count));
    }
    for (uint32_t i = 0; i < count; i++) {
        at = put_varint(at, values[i]);
    }
    return at;
}

static uint8_t *put_doubles(uint8_t *at, uint32_t field, const double *values, uint32_t count) {
    const size_t size = (size_t)count * sizeof *values;

    if (count > 0) {
        at = put_head(at, field, size);
        memcpy(at, values, size);
    }
    return at + size;
}

bool proto_answer_init(proto_answer *answer, uint32_t count, const proto_answer_layout *layout,
                       struct gjk_arena *arena) {
    const size_t uints = HEAD_MAX + (size_t)count * VARINT32_MAX;
    const size_t more = HEAD_MAX + (size_t)count * sizeof(double);
    const size_t before = VARINT32_MAX + VARINT64_MAX + layout->uints * uints;
    size_t doubles = 0;
    uint32_t columns = 0;

    for (; columns < PROTO_ANSWER_DOUBLES && layout->widths[columns] > 0; columns++) {
        doubles += HEAD_MAX + (size_t)count * layout->widths[columns] * sizeof(double);
    }
    uint8_t *block = gjk_arena_alloc(arena, before + doubles + layout->more_uints * uints +
                                                layout->more_doubles * more);
    *answer = (proto_answer){.count = count, .columns = columns, .uints = layout->uints};
    if (block == NULL) {
        return false;
    }
    answer->begin = answer->end = block + before;
    for (uint32_t i = 0; i < columns && count > 0; i++) {
        size_t size = (size_t)count * layout->widths[i] * sizeof(double);
        answer->doubles[i] = put_head(answer->end, FIRST_UINTS + layout->uints + i, size);
        answer->end = answer->doubles[i] + size;
    }
    return true;
}

/* The bytes of a column of uints with its head. */
static size_t column_size(uint32_t field, const uint32_t *values, uint32_t count) {
    const size_t size = uints_size(values, count);
    return count > 0 ? varint_size(tag_of(field, WIRE_BYTES)) + varint_size(size) + size : 0;
}

void proto_answer_put(const proto_answer *answer, uint64_t revision, const uint32_t *const *first,
                      const proto_answer_column last[PROTO_ANSWER_COLUMNS],
                      struct proto_buffer *out) {
    uint8_t *end = answer->end, *begin = answer->begin;

    for (uint32_t i = answer->uints; i-- > 0;) {
        begin -= column_size(FIRST_UINTS + i, first[i], answer->count);
        (void)put_uints(begin, FIRST_UINTS + i, first[i], answer->count);
    }
    for (uint32_t i = 0; i < PROTO_ANSWER_COLUMNS && last[i].number > 0; i++) {
        if (last[i].uints != NULL) {
            end = put_uints(end, last[i].number, last[i].uints, answer->count);
        } else if (last[i].doubles != NULL) {
            end = put_doubles(end, last[i].number, last[i].doubles, answer->count);
        }
    }
    if (revision > 0) {
        begin -= varint_size(tag_of(REVISION, WIRE_VARINT)) + varint_size(revision);
        (void)put_varint(put_varint(begin, tag_of(REVISION, WIRE_VARINT)), revision);
    }
    out->data = (char *)begin;
    out->length = out->capacity = (size_t)(end - begin);
}
