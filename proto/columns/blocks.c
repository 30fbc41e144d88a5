/*
 * Decodes BatchColumns and TickColumns except for the messages in their blocks. Encodes
 * BatchAnswers and TickAnswers from encoded answers to these. Stricter than the format, which
 * merges repeated messages, a repeated message is refused, and so is a block with two queries.
 */

#include <stdio.h>

#include "columns/columns.h"
#include "json/writer.h"

/* --- Queries --- */

/* Points a problem at a block, or at the query in it. Returns false. */
static bool point_at(struct proto_problem *problem, uint32_t block, const char *question) {
    char pointer[64];

    snprintf(pointer, sizeof pointer, "/block/%u%s%s", block, question[0] != '\0' ? "/" : "",
             question);
    return proto_problem_point(problem, pointer);
}

/* Reads a block, which must have exactly one query. */
static bool read_block(const proto_source *source, proto_text body, uint32_t at, proto_block *out) {
    const proto_table *table = &proto_block_table;
    struct proto_message message = {.table = table,
                                    .arena = source->arena,
                                    .problem = source->problem,
                                    .shapes = 1};
    proto_field fields[PROTO_COLUMNS_MAX];
    uint32_t count = 0, kind = 0;

    if (!proto_message_scan(&message, body, 0)) {
        return point_at(source->problem, at, "");
    }
    for (uint32_t i = 0; i < table->count; i++) {
        count += message.lengths[i] > 0;
        kind = message.lengths[i] > 0 ? i : kind;
    }
    if (count != 1 || message.lengths[kind] != 1) {
        proto_problem_set(source->problem, count == 0 ? PROTO_MISSING_MEMBER : PROTO_WRONG_TYPE,
                          "a block has one question, not %s", count == 0 ? "none" : "several");
        return point_at(source->problem, at, "");
    }
    if (!proto_message_read(&message, body, fields)) {
        return false;
    }
    *out = (proto_block){kind, fields[kind].text};
    return true;
}

/* Decodes a message of blocks, and each block as far as its query. */
static bool decode(const proto_source *source, const proto_table *table, proto_field *fields,
                   proto_blocks *out) {
    proto_rows rows;

    if (!proto_decode_rows(source, table, 0, &rows, fields)) {
        return false;
    }
    const proto_field *field = &fields[proto_column_called(table, "block")];
    proto_block *blocks = gjk_arena_alloc_array(source->arena, field->count, sizeof *blocks);
    if (blocks == NULL) {
        return proto_refuse_columns_status(source->problem, GJK_OUT_OF_MEMORY);
    }
    *out = (proto_blocks){.items = blocks, .count = field->count};
    bool is_fine = true;
    for (uint32_t i = 0; i < field->count && is_fine; i++) {
        is_fine = read_block(source, field->messages[i], i, &blocks[i]);
    }
    return is_fine;
}

bool proto_decode_batch_columns(const proto_source *source, proto_blocks *out) {
    proto_batch_columns batch;

    if (!decode(source, &proto_batch_columns_table, batch.fields, out)) {
        return false;
    }
    out->at_tick = batch.at_tick;
    return true;
}

bool proto_decode_tick_columns(const proto_source *source, proto_blocks *out) {
    proto_tick_columns tick;

    if (!decode(source, &proto_tick_columns_table, tick.fields, out)) {
        return false;
    }
    if (tick.poses.count != 1) {
        return proto_refuse_row(source->problem, "poses", PROTO_NO_ROW,
                                tick.poses.count == 0 ? PROTO_MISSING_MEMBER : PROTO_WRONG_TYPE,
                                "a tick has one message of poses");
    }
    out->poses = tick.poses.text;
    out->overlaps = tick.overlaps.flag;
    out->overlap_mask = proto_bits_or_all(&tick.overlap_mask);
    out->overlap_category = proto_bits_or_all(&tick.overlap_category);
    return true;
}

/* --- Answers --- */

/* Field numbers of BatchAnswers and TickAnswers. */
enum { REVISION = 1, BLOCK = 2, UNKNOWN = 3, BEGIN = 4, END = 5 };

static void put_block(struct proto_buffer *out, const proto_block *block, proto_text text) {
    uint8_t head[PROTO_HEAD_MAX];
    const uint32_t number = proto_block_answer_table.columns[block->kind].number;
    const size_t length = proto_write_head(head, number, PROTO_WIRE_BYTES, text.length);

    proto_put_head(out, BLOCK, PROTO_WIRE_BYTES, length + text.length);
    proto_put_bytes(out, (const char *)head, length);
    proto_put_bytes(out, text.data, text.length);
}

static void put_packed(struct proto_buffer *out, uint64_t number, const proto_uints *uints) {
    const uint32_t *values = uints->values, count = uints->count;
    uint8_t varint[PROTO_HEAD_MAX];

    if (count > 0) {
        proto_put_head(out, number, PROTO_WIRE_BYTES, proto_uints_size(values, count));
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *end = proto_write_varint(varint, values[i]);
        proto_put_bytes(out, (const char *)varint, (size_t)(end - varint));
    }
}

void proto_encode_block_answers(struct proto_buffer *out, const proto_block_answers *answers) {
    if (answers->revision > 0) {
        proto_put_head(out, REVISION, PROTO_WIRE_VARINT, answers->revision);
    }
    for (uint32_t i = 0; i < answers->count; i++) {
        put_block(out, &answers->blocks[i], answers->texts[i]);
    }
    put_packed(out, UNKNOWN, &answers->unknown);
    put_packed(out, BEGIN, &answers->begin);
    put_packed(out, END, &answers->end);
}

static void put_json(struct proto_buffer *out, const char *name, const proto_uints *uints) {
    if (!uints->is_there) {
        return;
    }
    proto_put_open(out, name, "[");
    for (uint32_t i = 0; i < uints->count; i++) {
        proto_put_item(out);
        proto_put_integer(out, uints->values[i]);
    }
    proto_put_text(out, "]");
}

void proto_encode_block_answers_json(struct proto_buffer *out, const proto_block_answers *answers) {
    proto_put_text(out, "{");
    proto_put_named_integer(out, "revision", answers->revision);
    proto_put_open(out, "block", "[");
    for (uint32_t i = 0; i < answers->count; i++) {
        proto_put_item(out);
        proto_put_text(out, "{");
        proto_put_named_json(out, proto_block_answer_table.columns[answers->blocks[i].kind].name,
                             answers->texts[i]);
        proto_put_text(out, "}");
    }
    proto_put_text(out, "]");
    put_json(out, "unknown", &answers->unknown);
    put_json(out, "begin", &answers->begin);
    put_json(out, "end", &answers->end);
    proto_put_text(out, "}");
}
