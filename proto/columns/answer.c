/*
 * Encodes answers by their tables, and fills their rows. Packed doubles have a known length, so the
 * first run of columns of doubles that every row has is laid out where the message has it, and rows
 * are written straight into it. Varints have no known length: the columns before the run are
 * written last, so that they end where it begins, and the message may begin anywhere in its block.
 * The bytes are those that protobuf's own libraries would write. Wire format:
 * https://protobuf.dev/programming-guides/encoding.
 */

#include <math.h>

#include "columns/columns.h"
#include "gjk/pieces.h"
#include "json/writer.h"

/* The longest varints of 32 and of 64 bits, and the longest tag with length of a column, in
 * bytes. */
enum { VARINT32_MAX = 5, VARINT64_MAX = 10, HEAD_MAX = VARINT32_MAX + VARINT64_MAX };

static size_t varint_size(uint64_t value) {
    size_t size = 1;

    for (; value > 0x7f; value >>= 7) {
        size++;
    }
    return size;
}

uint8_t *proto_write_varint(uint8_t *at, uint64_t value) {
    for (; value > 0x7f; value >>= 7) {
        *at++ = (uint8_t)(value | 0x80);
    }
    *at++ = (uint8_t)value;
    return at;
}

static uint64_t tag_of(const proto_column *column, unsigned wire) {
    return (uint64_t)column->number << 3 | wire;
}

static uint8_t *put_head(uint8_t *at, const proto_column *column, size_t size) {
    return proto_write_varint(proto_write_varint(at, tag_of(column, PROTO_WIRE_BYTES)), size);
}

/* Returns the bytes of so many varints. The loop has no branches, so that compilers vectorise
 * it. */
static size_t uints_size(const uint32_t *values, size_t count) {
    size_t more = 0;

    for (size_t i = 0; i < count; i++) {
        more += (size_t)(values[i] >> 7 != 0) + (values[i] >> 14 != 0) + (values[i] >> 21 != 0) +
                (values[i] >> 28 != 0);
    }
    return count + more;
}

/* Returns true if the rows' lists tell how long the column is. */
static bool is_list(const proto_answers *answers, uint32_t i) {
    const uint8_t rule = answers->table->columns[i].rule;
    return answers->put_lists != NULL &&
           (rule == PROTO_LINES || rule == PROTO_SOME_LINES || rule == PROTO_LEGS);
}

static size_t rows_of(const proto_answers *answers, uint32_t i) {
    return !is_list(answers, i)                            ? answers->count
           : answers->table->columns[i].rule == PROTO_LEGS ? answers->leg_count
                                                           : answers->line_count;
}

static size_t length_of(const proto_answers *answers, uint32_t i) {
    return rows_of(answers, i) * proto_width(&answers->table->columns[i], answers->dimension, 1);
}

/* Returns true if the column is left out where all its values are the default. */
static bool is_some(const proto_column *column) {
    return column->rule == PROTO_SOME || column->rule == PROTO_SOME_LINES;
}

static bool is_asked(const proto_answers *answers, uint32_t i) {
    return (answers->table->columns[i].values & ~answers->needs) == 0;
}

static bool is_in_place(const proto_answers *answers, uint32_t i) {
    const proto_column *column = &answers->table->columns[i];
    return column->type == PROTO_DOUBLES && !is_some(column) && !is_list(answers, i) &&
           is_asked(answers, i);
}

/* Writes the default to places from row on. */
static void fill(const proto_answers *answers, uint32_t i, size_t row, size_t rows) {
    const proto_column *column = &answers->table->columns[i];
    const size_t width = proto_width(column, answers->dimension, 1);
    const proto_slot *slot = &answers->slots[i];

    for (size_t at = row * width; at < (row + rows) * width; at++) {
        if (column->type == PROTO_DOUBLES) {
            proto_set_double(slot, at, column->otherwise);
        } else {
            slot->uints[at] = (uint32_t)column->otherwise;
        }
    }
}

/* Allocates a column that is not in place. */
static bool make_slot(proto_answers *answers, uint32_t i, struct gjk_arena *arena) {
    const proto_column *column = &answers->table->columns[i];
    proto_slot *slot = &answers->slots[i];

    if (column->type == PROTO_DOUBLES) {
        slot->doubles = gjk_arena_alloc_array(arena, length_of(answers, i), sizeof(double));
    } else {
        slot->uints = gjk_arena_alloc_array(arena, length_of(answers, i), sizeof *slot->uints);
    }
    if (slot->doubles != NULL && is_some(column)) {
        fill(answers, i, 0, rows_of(answers, i));
    }
    return slot->doubles != NULL;
}

/* Allocates the columns of lists, and the message anew for all of them. */
static bool make_lines(proto_answers *answers, struct gjk_arena *arena) {
    size_t size = VARINT32_MAX + VARINT64_MAX;
    bool is_fine = true;

    for (uint32_t i = 1; i < answers->table->count && is_fine; i++) {
        const proto_column *column = &answers->table->columns[i];
        const bool is_double = column->type == PROTO_DOUBLES;
        if (!is_asked(answers, i)) {
            continue;
        }
        size += HEAD_MAX + length_of(answers, i) * (is_double ? sizeof(double) : VARINT32_MAX);
        if (is_list(answers, i)) {
            is_fine = make_slot(answers, i, arena);
            atomic_store(&answers->slots[i].any, !is_some(column) && length_of(answers, i) > 0);
        }
    }
    uint8_t *block = is_fine ? gjk_arena_alloc(arena, size) : NULL;
    if (block != NULL) {
        answers->bytes = answers->bytes_end = block + VARINT32_MAX + VARINT64_MAX;
    }
    return block != NULL;
}

bool proto_answers_init(proto_answers *answers, struct gjk_arena *arena) {
    const proto_table *table = answers->table;
    size_t sizes[3] = {VARINT32_MAX + VARINT64_MAX, 0, 0}; /* before, in, and behind the run */
    bool is_fine = true;

    answers->first = answers->end = answers->put_lists != NULL ? 1 : table->count;
    for (uint32_t i = 1; i < table->count; i++) {
        const bool is_double = table->columns[i].type == PROTO_DOUBLES;
        if (i < answers->first && is_in_place(answers, i)) {
            answers->first = i;
        } else if (i > answers->first && i < answers->end && !is_in_place(answers, i)) {
            answers->end = i;
        }
        if (is_asked(answers, i)) {
            sizes[(i >= answers->first) + (i >= answers->end)] +=
                HEAD_MAX + length_of(answers, i) * (is_double ? sizeof(double) : VARINT32_MAX);
        }
        atomic_init(&answers->slots[i].any, !is_some(&table->columns[i]));
        answers->slots[i].doubles = NULL;
    }
    uint8_t *block = gjk_arena_alloc(arena, sizes[0] + sizes[1] + sizes[2]);
    if (block == NULL) {
        return false;
    }
    if (answers->put_lists != NULL) {
        answers->lists = gjk_arena_alloc_array(arena, answers->count, sizeof *answers->lists);
        is_fine = answers->lists != NULL;
    }
    answers->bytes = answers->bytes_end = block + sizes[0];
    for (uint32_t i = 1; i < table->count && is_fine; i++) {
        const size_t size = length_of(answers, i) * sizeof(double);
        if (i < answers->first || i >= answers->end) {
            is_fine = !is_asked(answers, i) || make_slot(answers, i, arena);
        } else if (size > 0) { /* protobuf leaves an empty column out */
            answers->slots[i].doubles = put_head(answers->bytes_end, &table->columns[i], size);
            answers->bytes_end = answers->slots[i].doubles + size;
        } else {
            answers->slots[i].doubles = block;
        }
    }
    return is_fine;
}

void proto_answers_refuse(proto_answers *answers, uint32_t row, uint32_t status) {
    for (uint32_t i = 1; i < answers->table->count; i++) {
        if (is_asked(answers, i) && !is_list(answers, i)) {
            fill(answers, i, row, 1);
        }
    }
    proto_slot_of(answers, "status")->uints[row] = status;
}

proto_slot *proto_slot_of(const proto_answers *answers, const char *name) {
    return &answers->slots[proto_column_called(answers->table, name)];
}

/* Returns the column of that name; NULL: the answer has none. */
static const uint32_t *counts_of(const proto_answers *answers, const char *name) {
    const uint32_t i = proto_column_called(answers->table, name);
    return i < answers->table->count ? answers->slots[i].uints : NULL;
}

/* Returns the lines of each row; NULL: the answer has none. */
static const uint32_t *line_counts_of(const proto_answers *answers) {
    const uint32_t *counts = counts_of(answers, "count");
    return counts != NULL ? counts : counts_of(answers, "near_count");
}

uint64_t proto_answers_lines(const proto_answers *answers) {
    const uint32_t *counts = answers->put_lists != NULL ? line_counts_of(answers) : NULL;
    uint64_t lines = 0;

    for (uint32_t i = 0; counts != NULL && i < answers->count; i++) {
        lines += counts[i];
    }
    return lines;
}

bool proto_answers_finish(proto_answers *answers, struct gjk_arena *arena) {
    const uint64_t lines = proto_answers_lines(answers);
    uint64_t legs = 0;
    size_t line = 0, leg = 0;

    if (answers->put_lists == NULL) {
        return true;
    }
    const uint32_t *counts = line_counts_of(answers);
    const uint32_t *leg_counts = counts_of(answers, "leg_count");
    for (uint32_t i = 0; leg_counts != NULL && i < answers->count; i++) {
        legs += leg_counts[i];
    }
    answers->line_count = (uint32_t)lines;
    answers->leg_count = (uint32_t)legs;
    if (lines > UINT32_MAX || legs > UINT32_MAX || !make_lines(answers, arena)) {
        return false;
    }
    for (uint32_t i = 0; i < answers->count; i++) {
        answers->put_lists(answers, i, line, leg);
        line += counts[i];
        leg += leg_counts != NULL ? leg_counts[i] : 0;
    }
    return true;
}

/* --- The message --- */

static bool is_sent(const proto_answers *answers, uint32_t i) {
    return is_asked(answers, i) && answers->count > 0 && atomic_load(&answers->slots[i].any);
}

static uint8_t *put_uints(uint8_t *at, const proto_column *column, const uint32_t *values,
                          size_t count, size_t size) {
    at = put_head(at, column, size);
    for (size_t i = 0; i < count; i++) {
        at = proto_write_varint(at, values[i]);
    }
    return at;
}

void proto_encode_answers(struct proto_buffer *out, const proto_answers *answers) {
    const proto_table *table = answers->table;
    uint8_t *begin = answers->bytes, *end = answers->bytes_end;

    for (uint32_t i = answers->first; i-- > 1;) {
        const proto_column *column = &table->columns[i];
        const size_t count = length_of(answers, i);
        if (is_sent(answers, i)) {
            const size_t size = uints_size(answers->slots[i].uints, count);
            begin -= varint_size(tag_of(column, PROTO_WIRE_BYTES)) + varint_size(size) + size;
            (void)put_uints(begin, column, answers->slots[i].uints, count, size);
        }
    }
    for (uint32_t i = answers->end; i < table->count; i++) {
        const proto_column *column = &table->columns[i];
        const proto_slot *slot = &answers->slots[i];
        const size_t count = length_of(answers, i), size = count * sizeof(double);
        if (is_sent(answers, i) && column->type == PROTO_DOUBLES) {
            end = put_head(end, column, size);
            memcpy(end, slot->doubles, size);
            end += size;
        } else if (is_sent(answers, i)) {
            end = put_uints(end, column, slot->uints, count, uints_size(slot->uints, count));
        }
    }
    if (answers->revision > 0) {
        const uint64_t tag = tag_of(&table->columns[0], PROTO_WIRE_VARINT);
        begin -= varint_size(tag) + varint_size(answers->revision);
        (void)proto_write_varint(proto_write_varint(begin, tag), answers->revision);
    }
    out->data = (char *)begin;
    out->length = out->capacity = (size_t)(end - begin);
}

/* --- JSON --- */

void proto_encode_answers_json(struct proto_buffer *out, const proto_answers *answers) {
    const proto_table *table = answers->table;

    proto_put_text(out, "{");
    proto_put_key(out, table->columns[0].name);
    proto_put_integer(out, answers->revision);
    for (uint32_t i = 1; i < table->count; i++) {
        const proto_slot *slot = &answers->slots[i];
        const size_t count = length_of(answers, i);
        if (!is_asked(answers, i) || !atomic_load(&slot->any)) {
            continue;
        }
        proto_put_key(out, table->columns[i].name);
        proto_put_text(out, "[");
        for (size_t k = 0; k < count && !out->failed; k++) {
            double value;
            proto_put_item(out);
            if (table->columns[i].type != PROTO_DOUBLES) {
                proto_put_integer(out, slot->uints[k]);
                continue;
            }
            memcpy(&value, slot->doubles + k * sizeof value, sizeof value);
            if (isfinite(value)) {
                proto_put_number(out, value);
            } else {
                proto_put_text(out, "null"); /* inside a closed mesh: there is no such number */
            }
        }
        proto_put_text(out, "]");
    }
    proto_put_text(out, "}");
}

/* --- Rows, from what the core has found --- */

static uint32_t status_of(gjk_convergence convergence) {
    return convergence == GJK_CONVERGED ? PROTO_ROW_CONVERGED : PROTO_ROW_ITERATION_LIMIT;
}

/* The number of a piece that is told: what is part of a base has none. */
static uint32_t number_of_piece(uint32_t piece) {
    return piece < GJK_PIECES_MAX ? piece : GJK_NO_PIECE;
}

/* Writes the number of a piece, if there is one that has a number. */
static void set_piece(proto_slot *slot, size_t i, uint32_t piece) {
    if (number_of_piece(piece) != GJK_NO_PIECE) {
        proto_set_some(slot, i, piece);
    }
}

/* Sets the status of a row to that of its worst line. */
static void worsen(proto_slot *status, uint32_t i, gjk_convergence convergence) {
    if (convergence != GJK_CONVERGED) {
        status->uints[i] = PROTO_ROW_ITERATION_LIMIT;
    }
}

static void set_ray_line(proto_ray_answers *answers, size_t at, const gjk_ray_hit *hit,
                         const double *exit) {
    static const gjk_ray_result none = {.convergence = GJK_CONVERGED, .piece = GJK_NO_PIECE};
    const gjk_ray_result *result = hit != NULL ? &hit->result : &none;
    const uint32_t dimension = answers->answers.dimension;

    answers->handle.uints[at] = hit != NULL ? hit->body->handle : PROTO_NO_HANDLE;
    proto_set_double(&answers->distance, at, result->distance);
    proto_set_vector(&answers->point, dimension, at, &result->point);
    proto_set_vector(&answers->normal, dimension, at, result->has_normal ? &result->normal : NULL);
    set_piece(&answers->piece, at, result->piece);
    if (result->has_material) {
        proto_set_some(&answers->material, at, result->material);
    }
    if (result->inside) {
        proto_set_some(&answers->inside, at, 1);
    }
    if (exit != NULL) {
        proto_set_double(&answers->exit, at, *exit);
        proto_note_some(&answers->exit);
    }
}

void proto_ray_answers_set(proto_ray_answers *answers, uint32_t i, const gjk_ray_hit *hit,
                           const double *exit) {
    set_ray_line(answers, i, hit, exit);
    answers->status.uints[i] = status_of(hit != NULL ? hit->result.convergence : GJK_CONVERGED);
}

void proto_ray_answers_set_all(proto_ray_answers *answers, uint32_t i, const proto_ray_line *lines,
                               uint32_t count) {
    answers->count.uints[i] = count;
    answers->answers.lists[i] = lines;
    answers->status.uints[i] = PROTO_ROW_CONVERGED;
    for (uint32_t k = 0; k < count; k++) {
        worsen(&answers->status, i, lines[k].hit.result.convergence);
    }
}

void proto_put_ray_lines(proto_answers *head, uint32_t row, size_t line, size_t leg) {
    proto_ray_answers *answers = (proto_ray_answers *)head;
    const proto_ray_line *lines = head->lists[row];

    (void)leg;
    for (uint32_t k = 0; k < answers->count.uints[row]; k++) {
        const bool exits = answers->exit.doubles != NULL;
        set_ray_line(answers, line + k, &lines[k].hit, exits ? &lines[k].exit : NULL);
    }
}

void proto_answers_set_any(proto_answers *answers, uint32_t i, bool hit) {
    proto_slot_of(answers, "handle")->uints[i] = hit ? 0 : PROTO_NO_HANDLE;
    proto_slot_of(answers, "status")->uints[i] = PROTO_ROW_CONVERGED;
}

/* --- Pairs --- */

static uint32_t number_of_state(gjk_state state) {
    static const uint32_t states[] =
        {[GJK_SEPARATED] = 0, [GJK_TOUCHING] = 1, [GJK_OVERLAPPING] = 2};

    return states[state];
}

static void set_pair(proto_pair_answers *answers, uint32_t i, gjk_state state,
                     gjk_convergence convergence, uint32_t iterations) {
    answers->state.uints[i] = number_of_state(state);
    answers->status.uints[i] = status_of(convergence);
    answers->iterations.uints[i] = iterations;
}

/* Writes the normal and the points of a pair, of any answer that has them. */
#define SET_VECTORS(answers, i, has_normal, has_points, result)     \
    do {                                                            \
        const uint32_t dimension = (answers)->answers.dimension;    \
        proto_set_vector(&(answers)->normal, dimension, i,          \
                         (has_normal) ? &(result)->normal : NULL);  \
        proto_set_vector(&(answers)->point_a, dimension, i,         \
                         (has_points) ? &(result)->point_a : NULL); \
        proto_set_vector(&(answers)->point_b, dimension, i,         \
                         (has_points) ? &(result)->point_b : NULL); \
    } while (0)

void proto_pair_answers_set_detect(proto_pair_answers *answers, uint32_t i,
                                   const gjk_detect_result *result, bool penetration) {
    const bool has_points = penetration && result->has_points;

    set_pair(answers, i, result->state, result->convergence, result->iterations);
    proto_set_double(&answers->value, i, penetration ? result->depth : 0.0);
    proto_set_double(&answers->lower_bound, i, penetration ? result->depth_lower_bound : 0.0);
    SET_VECTORS(answers, i, penetration, has_points, result);
    set_piece(&answers->piece_a, i, penetration ? result->piece_a : GJK_NO_PIECE);
    set_piece(&answers->piece_b, i, penetration ? result->piece_b : GJK_NO_PIECE);
}

void proto_pair_answers_set_distance(proto_pair_answers *answers, uint32_t i,
                                     const gjk_distance_result *result) {
    const bool has_points = result->has_points;

    set_pair(answers, i, result->state, result->convergence, result->iterations);
    proto_set_double(&answers->value, i,
                     result->is_signed ? result->signed_distance : result->distance);
    proto_set_double(&answers->lower_bound, i, result->lower_bound);
    SET_VECTORS(answers, i, has_points, has_points, result);
    set_piece(&answers->piece_a, i, result->piece_a);
    set_piece(&answers->piece_b, i, result->piece_b);
}

/* Sets the count, the list and the worst status of a row. */
#define SET_LIST(answers_, i, items, count_)                               \
    do {                                                                   \
        (answers_)->count.uints[i] = count_;                               \
        (answers_)->answers.lists[i] = items;                              \
        (answers_)->status.uints[i] = PROTO_ROW_CONVERGED;                 \
        for (uint32_t k = 0; k < (count_); k++) {                          \
            worsen(&(answers_)->status, i, (items)[k].result.convergence); \
        }                                                                  \
    } while (0)

void proto_nearest_answers_set(proto_nearest_answers *answers, uint32_t i, const gjk_near *nears,
                               uint32_t count) {
    SET_LIST(answers, i, nears, count);
}

void proto_put_nearest_lines(proto_answers *head, uint32_t row, size_t line, size_t leg) {
    proto_nearest_answers *answers = (proto_nearest_answers *)head;
    const gjk_near *nears = head->lists[row];

    (void)leg;
    for (uint32_t k = 0; k < answers->count.uints[row]; k++) {
        const gjk_distance_result *result = &nears[k].result;
        const size_t at = line + k;
        answers->handle.uints[at] = nears[k].body->handle;
        proto_set_double(&answers->value, at,
                         result->is_signed ? result->signed_distance : result->distance);
        proto_set_double(&answers->lower_bound, at, result->lower_bound);
        SET_VECTORS(answers, at, result->has_points, result->has_points, result);
        answers->piece_a.uints[at] = number_of_piece(result->piece_a);
        answers->piece_b.uints[at] = number_of_piece(result->piece_b);
    }
}

void proto_overlap_answers_set(proto_overlap_answers *answers, uint32_t i, const gjk_hit *hits,
                               uint32_t count) {
    SET_LIST(answers, i, hits, count);
}

void proto_put_overlap_lines(proto_answers *head, uint32_t row, size_t line, size_t leg) {
    proto_overlap_answers *answers = (proto_overlap_answers *)head;
    const gjk_hit *hits = head->lists[row];

    (void)leg;
    for (uint32_t k = 0; k < answers->count.uints[row]; k++) {
        const gjk_detect_result *result = &hits[k].result;
        const size_t at = line + k;
        answers->handle.uints[at] = hits[k].body->handle;
        answers->state.uints[at] = number_of_state(result->state);
        if (answers->depth.doubles != NULL) {
            proto_set_double(&answers->depth, at, result->depth);
            proto_set_double(&answers->lower_bound, at, result->depth_lower_bound);
            SET_VECTORS(answers, at, true, result->has_points, result);
            answers->piece_a.uints[at] = number_of_piece(result->piece_a);
            answers->piece_b.uints[at] = number_of_piece(result->piece_b);
        }
    }
}

/* --- Casts and shots --- */

static void set_cast_line(proto_cast_answers *answers, size_t at, const gjk_cast_hit *hit) {
    static const gjk_cast_result none = {.convergence = GJK_CONVERGED,
                                         .fraction = 1.0,
                                         .piece = GJK_NO_PIECE,
                                         .moving_piece = GJK_NO_PIECE};
    const gjk_cast_result *result = hit != NULL ? &hit->result : &none;
    const uint32_t dimension = answers->answers.dimension;

    answers->handle.uints[at] = hit != NULL ? hit->body->handle : PROTO_NO_HANDLE;
    answers->inside.uints[at] = result->inside;
    proto_set_double(&answers->fraction, at, result->fraction);
    proto_set_vector(&answers->point, dimension, at, &result->point);
    proto_set_vector(&answers->normal, dimension, at, result->has_normal ? &result->normal : NULL);
    if (answers->depth.doubles != NULL) {
        proto_set_double(&answers->depth, at, result->has_depth ? result->depth : 0.0);
    }
    set_piece(&answers->piece, at, result->piece);
    set_piece(&answers->moving_piece, at, result->moving_piece);
    if (result->has_material) {
        proto_set_some(&answers->material, at, result->material);
    }
}

void proto_cast_answers_set(proto_cast_answers *answers, uint32_t i, const gjk_cast_hit *hit) {
    set_cast_line(answers, i, hit);
    answers->status.uints[i] = status_of(hit != NULL ? hit->result.convergence : GJK_CONVERGED);
}

void proto_cast_answers_set_all(proto_cast_answers *answers, uint32_t i, const gjk_cast_hit *hits,
                                uint32_t count) {
    SET_LIST(answers, i, hits, count);
}

void proto_put_cast_lines(proto_answers *head, uint32_t row, size_t line, size_t leg) {
    proto_cast_answers *answers = (proto_cast_answers *)head;
    const gjk_cast_hit *hits = head->lists[row];

    (void)leg;
    for (uint32_t k = 0; k < answers->count.uints[row]; k++) {
        set_cast_line(answers, line + k, &hits[k]);
    }
}

void proto_move_answers_set(proto_move_answers *answers, uint32_t i,
                            const gjk_move_result *result) {
    const uint32_t dimension = answers->answers.dimension;
    const gjk_move_contact *ground = &result->ground;

    proto_set_vector(&answers->position, dimension, i, &result->position);
    proto_set_vector(&answers->blocked, dimension, i, &result->blocked);
    proto_set_vector(&answers->pushed, dimension, i, &result->pushed);
    proto_set_vector(&answers->ground_normal, dimension, i,
                     result->grounded ? &ground->normal : NULL);
    answers->ground.uints[i] = result->grounded ? ground->body->handle : PROTO_NO_HANDLE;
    answers->ground_piece.uints[i] =
        result->grounded ? number_of_piece(ground->piece) : GJK_NO_PIECE;
    answers->ground_material.uints[i] =
        result->grounded && ground->has_material ? ground->material : 0;
    answers->status.uints[i] = status_of(result->convergence);
    answers->count.uints[i] = result->count;
    answers->answers.lists[i] = result->items;
    answers->leg_count.uints[i] = result->leg_count;
    answers->ways[i] = result->legs;
}

void proto_put_move_lines(proto_answers *head, uint32_t row, size_t line, size_t leg) {
    proto_move_answers *answers = (proto_move_answers *)head;
    const gjk_move_contact *contacts = head->lists[row];

    for (uint32_t k = 0; k < answers->count.uints[row]; k++) {
        const gjk_move_contact *contact = &contacts[k];
        answers->handle.uints[line + k] = contact->body->handle;
        answers->piece.uints[line + k] = number_of_piece(contact->piece);
        answers->material.uints[line + k] = contact->has_material ? contact->material : 0;
        answers->is_step.uints[line + k] = contact->step;
        proto_set_double(&answers->fraction, line + k, contact->fraction);
        proto_set_vector(&answers->point, head->dimension, line + k, &contact->point);
        proto_set_vector(&answers->normal, head->dimension, line + k, &contact->normal);
    }
    for (uint32_t k = 0; k < answers->leg_count.uints[row]; k++) {
        proto_set_vector(&answers->leg, head->dimension, leg + k, &answers->ways[row][k]);
    }
}

/* Returns why there is no verdict, or whether the answers that it follows from converged. */
static uint32_t status_of_shot(const gjk_judgement *judgement) {
    if (judgement->reason == GJK_REASON_TICK_EXPIRED) {
        return PROTO_ROW_TICK_EXPIRED;
    }
    if (judgement->reason == GJK_REASON_TICK_IN_FUTURE) {
        return PROTO_ROW_TICK_IN_FUTURE;
    }
    const bool has_converged =
        (!judgement->has_hit || judgement->hit.result.convergence == GJK_CONVERGED) &&
        (!judgement->has_obstacle || judgement->obstacle.result.convergence == GJK_CONVERGED);
    return status_of(has_converged ? GJK_CONVERGED : GJK_ITERATION_LIMIT);
}

/* All four columns come or none. */
static void set_obstacle(proto_hit_answers *answers, uint32_t i, const gjk_judgement *judgement) {
    const gjk_ray_hit *obstacle = &judgement->obstacle;
    const gjk_ray_result *result = &obstacle->result;

    proto_set_double(&answers->obstacle_distance, i, result->distance);
    proto_set_some(&answers->obstacle_set, i, judgement->obstacle_set);
    proto_set_some(&answers->obstacle, i, obstacle->body->handle);
    proto_set_some(&answers->obstacle_piece, i, number_of_piece(result->piece));
    proto_set_some(&answers->obstacle_material, i, result->has_material ? result->material : 0);
}

/* Sets the near misses of a row, if they are asked for. */
static void set_near_misses(proto_hit_answers *answers, uint32_t i, const gjk_nears *nears) {
    if (answers->near_count.uints == NULL) {
        return;
    }
    answers->near_count.uints[i] = nears->count;
    answers->answers.lists[i] = nears->items;
    for (uint32_t k = 0; k < nears->count; k++) {
        worsen(&answers->status, i, nears->items[k].result.convergence);
    }
}

void proto_put_near_lines(proto_answers *head, uint32_t row, size_t line, size_t leg) {
    proto_hit_answers *answers = (proto_hit_answers *)head;
    const gjk_near *nears = head->lists[row];

    (void)leg;
    for (uint32_t k = 0; k < answers->near_count.uints[row]; k++) {
        answers->near.uints[line + k] = nears[k].body->handle;
        proto_set_double(&answers->near_distance, line + k, nears[k].result.distance);
    }
}

void proto_hit_answers_set(proto_hit_answers *answers, uint32_t i, const gjk_judgement *judgement,
                           const proto_rewind *rewind) {
    static const uint32_t verdicts[] = {[GJK_VERDICT_CONFIRMED] = 0,
                                        [GJK_VERDICT_ADJUSTED] = 1,
                                        [GJK_VERDICT_DENIED] = 2,
                                        [GJK_VERDICT_UNVERIFIABLE] = 3};
    static const uint32_t reasons[] = {
        [GJK_REASON_NONE] = 0,           [GJK_REASON_OTHER_TARGET] = 1,
        [GJK_REASON_BLOCKED] = 2,        [GJK_REASON_MISS] = 3,
        [GJK_REASON_NO_TARGET] = 4,      [GJK_REASON_TICK_EXPIRED] = 5,
        [GJK_REASON_TICK_IN_FUTURE] = 6, [GJK_REASON_REWIND_LIMIT] = 7,
    };
    static const gjk_ray_result none = {.piece = GJK_NO_PIECE};
    const gjk_ray_result *hit = judgement->has_hit ? &judgement->hit.result : &none;
    const uint32_t dimension = answers->answers.dimension;

    answers->verdict.uints[i] = verdicts[judgement->verdict];
    answers->reason.uints[i] = reasons[judgement->reason];
    answers->handle.uints[i] = judgement->has_hit ? judgement->hit.body->handle : PROTO_NO_HANDLE;
    answers->status.uints[i] = status_of_shot(judgement);
    proto_set_double(&answers->distance, i, hit->distance);
    proto_set_vector(&answers->point, dimension, i, &hit->point);
    proto_set_vector(&answers->normal, dimension, i, hit->has_normal ? &hit->normal : NULL);
    proto_set_double(&answers->obstacle_distance, i, -1.0);
    set_piece(&answers->piece, i, hit->piece);
    if (hit->has_material) {
        proto_set_some(&answers->material, i, hit->material);
    }
    if (judgement->has_obstacle) {
        set_obstacle(answers, i, judgement);
    }
    set_near_misses(answers, i, &judgement->near_misses);
    if (rewind != NULL && rewind->is_found) {
        const size_t at = 3 * (size_t)i;
        proto_set_double(&answers->rewind, at, (double)rewind->from);
        proto_set_double(&answers->rewind, at + 1, (double)rewind->to);
        proto_set_double(&answers->rewind, at + 2, rewind->alpha);
        proto_note_some(&answers->rewind);
    }
}
