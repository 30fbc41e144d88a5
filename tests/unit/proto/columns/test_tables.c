/*
 * Are the tables of the messages those of gjkd.proto? Compares them, both ways, with the set of
 * descriptors that protoc makes of it (google/protobuf/descriptor.proto).
 */

#include <stdio.h>
#include <string.h>

#include "columns/columns.h"
#include "test_proto.h"

/* Numbers of fields in a FileDescriptorSet. */
enum { SET_FILE = 1, FILE_MESSAGE = 4, MESSAGE_NAME = 1, MESSAGE_FIELD = 2 };
enum { FIELD_NAME = 1, FIELD_NUMBER = 3, FIELD_LABEL = 4, FIELD_TYPE = 5, LABEL_REPEATED = 3 };

#define TABLE(name, LIST, message) &proto_##name##_table,
static const proto_table *const tables[] = {PROTO_COLUMNS_MAP(TABLE) PROTO_ANSWERS_MAP(TABLE) &
                                                proto_block_table,
                                            &proto_block_answer_table};

/* Type in descriptor.proto, and whether it is repeated, of each element of a table. */
static const struct {
    uint64_t type;
    bool is_repeated;
} elements[] = {
    [PROTO_DOUBLES] = {1, true},   [PROTO_FLOATS] = {2, true},    [PROTO_UINTS] = {13, true},
    [PROTO_TEXTS] = {9, true},     [PROTO_DOUBLE] = {1, false},   [PROTO_UINT] = {13, false},
    [PROTO_ULONG] = {4, false},    [PROTO_BOOL] = {8, false},     [PROTO_TEXT] = {9, false},
    [PROTO_MESSAGES] = {11, true}, [PROTO_MESSAGE] = {11, false},
};

/* Reads the next field: a number, or bytes. Returns its number, 0 at the end. */
static uint32_t next(proto_cursor *in, uint64_t *value, proto_cursor *bytes) {
    uint64_t tag;

    if (in->at == in->end)
        return 0;
    ck_assert(proto_read_varint(in, &tag) && proto_read_varint(in, value));
    if ((tag & 7) == PROTO_WIRE_BYTES) {
        ck_assert_uint_le(*value, (uint64_t)(in->end - in->at));
        *bytes = (proto_cursor){in->at, in->at + *value};
        in->at = bytes->end;
    }
    return (uint32_t)(tag >> 3);
}

static bool is_called(proto_cursor bytes, const char *name) {
    return strlen(name) == (size_t)(bytes.end - bytes.at) &&
           memcmp(bytes.at, name, strlen(name)) == 0;
}

static void compare_field(const proto_table *table, proto_cursor in) {
    uint64_t value, number = 0, type = 0, label = 0;
    proto_cursor bytes = in, name = in;

    for (uint32_t field; (field = next(&in, &value, &bytes)) != 0;) {
        name = field == FIELD_NAME ? bytes : name;
        number = field == FIELD_NUMBER ? value : number;
        label = field == FIELD_LABEL ? value : label;
        type = field == FIELD_TYPE ? value : type;
    }
    const uint32_t i = proto_column_of(table, number);
    ck_assert_msg(i < table->count, "%s has no row for the field %u", table->name,
                  (unsigned)number);
    const proto_column *column = &table->columns[i];
    ck_assert_msg(is_called(name, column->name), "%s.%s has another name", table->name,
                  column->name);
    ck_assert_msg(elements[column->type].type == type &&
                      elements[column->type].is_repeated == (label == LABEL_REPEATED),
                  "%s.%s has another type", table->name, column->name);
}

/* Compares a message, unless it is one without columns. */
static void compare_message(proto_cursor in, uint32_t *compared) {
    const proto_table *table = NULL;
    const proto_cursor begin = in;
    proto_cursor bytes = in, name = in;
    uint32_t count = 0;
    uint64_t value;

    for (uint32_t field; (field = next(&in, &value, &bytes)) != 0;)
        name = field == MESSAGE_NAME ? bytes : name;
    for (int i = 0; i < COUNT_OF(tables); i++)
        table = is_called(name, tables[i]->name) ? tables[i] : table;
    if (is_called(name, "Call") || is_called(name, "Answer"))
        return;
    ck_assert_msg(table != NULL, "%.*s has no table", (int)(name.end - name.at),
                  (const char *)name.at);
    in = begin;
    for (uint32_t field; (field = next(&in, &value, &bytes)) != 0;) {
        if (field == MESSAGE_FIELD) {
            compare_field(table, bytes);
            count++;
        }
    }
    ck_assert_msg(count == table->count, "%s: %u fields, %u rows", table->name, count,
                  table->count);
    ++*compared;
}

TEST(gjkd_proto) {
    static uint8_t content[1 << 20];
    FILE *file = fopen(GJKD_DESCRIPTORS, "rb");
    ck_assert_ptr_nonnull(file);
    const size_t size = fread(content, 1, sizeof content, file);
    fclose(file);
    ck_assert_uint_lt(size, sizeof content);
    proto_cursor set = {content, content + size}, in, bytes;
    uint32_t compared = 0;
    uint64_t value;

    ck_assert_uint_eq(next(&set, &value, &in), SET_FILE);
    for (uint32_t field; (field = next(&in, &value, &bytes)) != 0;) {
        if (field == FILE_MESSAGE)
            compare_message(bytes, &compared);
    }
    ck_assert_int_eq((int)compared, COUNT_OF(tables));
}

TEST(numbers_ascend) {
    for (int i = 0; i < COUNT_OF(tables); i++) {
        ck_assert_uint_le(tables[i]->count, PROTO_COLUMNS_MAX);
        for (uint32_t k = 1; k < tables[i]->count; k++)
            ck_assert_uint_lt(tables[i]->columns[k - 1].number, tables[i]->columns[k].number);
    }
}
