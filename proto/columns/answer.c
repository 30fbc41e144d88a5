/*
 * Encodes answers by their tables, and sets their rows. The length of packed doubles is known in
 * advance, so the first run of columns with a double for every row is laid out as in the message,
 * and rows are written in place. The length of varints is not known in advance: columns before the
 * run are encoded at the end, backwards from its start, so that the message may begin anywhere in
 * its block. The bytes are those of protobuf's own libraries. Wire format:
 * https://protobuf.dev/programming-guides/encoding.
 */

#include <math.h>
#include <stddef.h>

#include "columns/columns.h"
#include "gjk/pieces.h"
#include "json/writer.h"

/* Maximum sizes in bytes of varints of 32 and 64 bits, and of a column's tag and length. */
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

size_t proto_write_head(uint8_t *head, uint64_t number, unsigned wire, uint64_t value) {
    return (size_t)(proto_write_varint(proto_write_varint(head, number << 3 | wire), value) - head);
}

void proto_put_head(struct proto_buffer *out, uint64_t number, unsigned wire, uint64_t value) {
    uint8_t head[PROTO_HEAD_MAX];

    proto_put_bytes(out, (const char *)head, proto_write_head(head, number, wire, value));
}

static uint64_t tag_of(const proto_column *column, unsigned wire) {
    return (uint64_t)column->number << 3 | wire;
}

static uint8_t *put_head(uint8_t *at, const proto_column *column, size_t size) {
    return proto_write_varint(proto_write_varint(at, tag_of(column, PROTO_WIRE_BYTES)), size);
}

/* The loop has no branches, so that compilers vectorize it. */
size_t proto_uints_size(const uint32_t *values, size_t count) {
    size_t more = 0;

    for (size_t i = 0; i < count; i++) {
        more += (size_t)(values[i] >> 7 != 0) + (values[i] >> 14 != 0) + (values[i] >> 21 != 0) +
                (values[i] >> 28 != 0);
    }
    return count + more;
}

/* Returns true if the lengths of the rows' lists determine the column's length. */
static bool is_list(const proto_answers *answers, uint32_t i) {
    const uint8_t rule = answers->table->columns[i].rule;
    return answers->has_lists &&
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

/* Returns true if the column is omitted when all its values are the default. */
static bool is_omitted_if_default(const proto_column *column) {
    return column->rule == PROTO_SOME || column->rule == PROTO_SOME_LINES;
}

static bool is_asked(const proto_answers *answers, uint32_t i) {
    return (answers->table->columns[i].values & ~answers->needs) == 0;
}

static bool is_in_place(const proto_answers *answers, uint32_t i) {
    const proto_column *column = &answers->table->columns[i];
    return column->type == PROTO_DOUBLES && !is_omitted_if_default(column) &&
           !is_list(answers, i) && is_asked(answers, i);
}

/* Sets `rows` rows, from `row` on, to the default. */
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
    if (slot->doubles != NULL && is_omitted_if_default(column)) {
        fill(answers, i, 0, rows_of(answers, i));
    }
    return slot->doubles != NULL;
}

/* Allocates the columns of lists, and a block for the whole message, once the lengths of lists are
 * known. */
static bool make_list_columns(proto_answers *answers, struct gjk_arena *arena) {
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
            atomic_store(&answers->slots[i].any,
                         !is_omitted_if_default(column) && length_of(answers, i) > 0);
        }
    }
    uint8_t *block = is_fine ? gjk_arena_alloc(arena, size) : NULL;
    if (block != NULL) {
        answers->bytes = answers->bytes_end = block + VARINT32_MAX + VARINT64_MAX;
    }
    return block != NULL;
}

/* Returns the column of that name, or NULL if the answer has none or it is not asked for. */
static proto_slot *asked_slot(const proto_answers *answers, const char *name) {
    const uint32_t i = proto_column_called(answers->table, name);
    return i < answers->table->count && is_asked(answers, i) ? &answers->slots[i] : NULL;
}

/* Finds the columns of status and list lengths, and allocates the arrays of the rows' lists. */
static bool find_lists(proto_answers *answers, struct gjk_arena *arena) {
    proto_slot *near_counts = asked_slot(answers, "near_count");

    answers->status = asked_slot(answers, "status");
    answers->pose_gap = asked_slot(answers, "pose_gap");
    answers->line_counts = near_counts != NULL ? near_counts : asked_slot(answers, "count");
    answers->leg_counts = asked_slot(answers, "leg_count");
    answers->has_lists = answers->line_counts != NULL;
    answers->lists = answers->has_lists
                         ? gjk_arena_alloc_array(arena, answers->count, sizeof *answers->lists)
                         : NULL;
    answers->legs = answers->leg_counts != NULL
                        ? gjk_arena_alloc_array(arena, answers->count, sizeof *answers->legs)
                        : NULL;
    return (!answers->has_lists || answers->lists != NULL) &&
           (answers->leg_counts == NULL || answers->legs != NULL);
}

bool proto_answers_init(proto_answers *answers, struct gjk_arena *arena) {
    const proto_table *table = answers->table;
    size_t sizes[3] = {VARINT32_MAX + VARINT64_MAX, 0, 0}; /* bytes before, in and after the run */

    if (!find_lists(answers, arena)) {
        return false;
    }
    answers->first = answers->end = answers->has_lists ? 1 : table->count;
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
        atomic_init(&answers->slots[i].any, !is_omitted_if_default(&table->columns[i]));
        answers->slots[i].doubles = NULL;
    }
    uint8_t *block = gjk_arena_alloc(arena, sizes[0] + sizes[1] + sizes[2]);
    bool is_fine = block != NULL;
    answers->bytes = answers->bytes_end = is_fine ? block + sizes[0] : NULL;
    for (uint32_t i = 1; i < table->count && is_fine; i++) {
        const size_t size = length_of(answers, i) * sizeof(double);
        if (i < answers->first || i >= answers->end) {
            is_fine = !is_asked(answers, i) || make_slot(answers, i, arena);
        } else if (size > 0) { /* protobuf omits empty columns */
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
    answers->status->uints[row] = status;
}

/* Returns the total length of the lists of all rows. */
static uint64_t sum_of(const proto_answers *answers, const proto_slot *counts) {
    uint64_t sum = 0;

    for (uint32_t i = 0; counts != NULL && i < answers->count; i++) {
        sum += counts->uints[i];
    }
    return sum;
}

bool proto_answers_finish(proto_answers *answers, struct gjk_arena *arena) {
    const uint64_t lines = sum_of(answers, answers->line_counts);
    const uint64_t legs = sum_of(answers, answers->leg_counts);
    const uint32_t leg_column = proto_column_called(answers->table, "leg");
    size_t line = 0, leg = 0;

    if (!answers->has_lists) {
        return true;
    }
    answers->line_count = (uint32_t)lines;
    answers->leg_count = (uint32_t)legs;
    if (lines > UINT32_MAX || legs > UINT32_MAX || !make_list_columns(answers, arena)) {
        return false;
    }
    for (uint32_t i = 0; i < answers->count; i++) {
        const char *item = answers->lists[i];
        for (uint32_t k = 0; k < answers->line_counts->uints[i]; k++) {
            answers->results->put(answers, line++, item + k * answers->results->size);
        }
        for (uint32_t k = 0; legs > 0 && k < answers->leg_counts->uints[i]; k++) {
            proto_set_vector(&answers->slots[leg_column], answers->dimension, leg++,
                             &answers->legs[i][k]);
        }
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
            const size_t size = proto_uints_size(answers->slots[i].uints, count);
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
            end = put_uints(end, column, slot->uints, count, proto_uints_size(slot->uints, count));
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
                proto_put_text(out, "null"); /* such as a distance inside a closed mesh */
            }
        }
        proto_put_text(out, "]");
    }
    proto_put_text(out, "}");
}

/* --- Rows, from results of the core --- */

static uint32_t status_of(gjk_convergence convergence) {
    return convergence == GJK_CONVERGED ? PROTO_ROW_CONVERGED : PROTO_ROW_ITERATION_LIMIT;
}

/* Returns the index of a piece for the answer. Pieces of a height field's base have none. */
static uint32_t number_of_piece(uint32_t piece) {
    return piece < GJK_PIECES_MAX ? piece : GJK_NO_PIECE;
}

void proto_set_piece(proto_slot *slot, size_t i, uint32_t piece) {
    if (number_of_piece(piece) != GJK_NO_PIECE) {
        proto_set_some(slot, i, piece);
    }
}

static void set_list(proto_answers *answers, uint32_t row, const void *items, uint32_t count) {
    answers->line_counts->uints[row] = count;
    answers->lists[row] = items;
}

void proto_answers_set(proto_answers *answers, uint32_t row, const void *items, uint32_t count) {
    const proto_result_type *results = answers->results;
    const char *item = items;
    uint32_t status = PROTO_ROW_CONVERGED;

    for (uint32_t k = 0; k < count; k++, item += results->size) {
        gjk_convergence convergence;
        memcpy(&convergence, item + results->convergence, sizeof convergence);
        status = convergence != GJK_CONVERGED ? status_of(convergence) : status;
    }
    answers->status->uints[row] = status;
    if (answers->has_lists) {
        set_list(answers, row, items, count);
    } else {
        results->put(answers, row, count > 0 ? items : NULL);
    }
}

static void put_ray(proto_answers *head, size_t i, const void *item) {
    static const proto_ray_item none = {.hit.result.piece = GJK_NO_PIECE};
    proto_raycast_answers *answers = (proto_raycast_answers *)head;
    const proto_ray_item *ray = item != NULL ? item : &none;
    const gjk_ray_result *result = &ray->hit.result;

    answers->handle.uints[i] = item != NULL ? ray->hit.body->handle : PROTO_NO_HANDLE;
    proto_set_double(&answers->distance, i, result->distance);
    proto_set_vector(&answers->point, head->dimension, i, &result->point);
    proto_set_vector(&answers->normal, head->dimension, i,
                     result->has_normal ? &result->normal : NULL);
    proto_set_piece(&answers->piece, i, result->piece);
    if (result->has_material) {
        proto_set_some(&answers->material, i, result->material);
    }
    if (result->inside) {
        proto_set_some(&answers->inside, i, 1);
    }
    if (item != NULL && answers->exit.doubles != NULL) {
        proto_set_double(&answers->exit, i, ray->exit);
        proto_note_some(&answers->exit);
    }
}

void proto_answers_set_any(proto_answers *answers, uint32_t row, bool hit) {
    asked_slot(answers, "handle")->uints[row] = hit ? 0 : PROTO_NO_HANDLE;
    answers->status->uints[row] = PROTO_ROW_CONVERGED;
}

static uint32_t number_of_state(gjk_state state) {
    static const uint32_t states[] =
        {[GJK_SEPARATED] = 0, [GJK_TOUCHING] = 1, [GJK_OVERLAPPING] = 2};

    return states[state];
}

/* Writes a pair. Without penetration only its state and iterations are set; the rest is zero. */
static void put_detect(proto_answers *head, size_t i, const void *item) {
    proto_pair_answers *answers = (proto_pair_answers *)head;
    const bool penetration = (head->needs & PROTO_NEEDS_PENETRATION) != 0;
    const gjk_detect_result *result = item;

    answers->state.uints[i] = number_of_state(result->state);
    answers->iterations.uints[i] = result->iterations;
    proto_set_double(&answers->value, i, penetration ? result->depth : 0.0);
    proto_set_double(&answers->lower_bound, i, penetration ? result->depth_lower_bound : 0.0);
    PROTO_SET_VECTORS(answers, i, penetration, penetration && result->has_points, result);
    if (penetration) {
        proto_set_piece(&answers->piece_a, i, result->piece_a);
        proto_set_piece(&answers->piece_b, i, result->piece_b);
    }
}

static double distance_of(const gjk_distance_result *result) {
    return result->is_signed ? result->signed_distance : result->distance;
}

static void put_distance(proto_answers *head, size_t i, const void *item) {
    proto_pair_answers *answers = (proto_pair_answers *)head;
    const gjk_distance_result *result = item;

    answers->state.uints[i] = number_of_state(result->state);
    answers->iterations.uints[i] = result->iterations;
    proto_set_double(&answers->value, i, distance_of(result));
    proto_set_double(&answers->lower_bound, i, result->lower_bound);
    PROTO_SET_VECTORS(answers, i, result->has_points, result->has_points, result);
    proto_set_piece(&answers->piece_a, i, result->piece_a);
    proto_set_piece(&answers->piece_b, i, result->piece_b);
}

static void put_near(proto_answers *head, size_t i, const void *item) {
    proto_nearest_answers *answers = (proto_nearest_answers *)head;
    const gjk_near *near = item;
    const gjk_distance_result *result = &near->result;

    answers->handle.uints[i] = near->body->handle;
    proto_set_double(&answers->value, i, distance_of(result));
    proto_set_double(&answers->lower_bound, i, result->lower_bound);
    PROTO_SET_VECTORS(answers, i, result->has_points, result->has_points, result);
    answers->piece_a.uints[i] = number_of_piece(result->piece_a);
    answers->piece_b.uints[i] = number_of_piece(result->piece_b);
}

static void put_overlap(proto_answers *head, size_t i, const void *item) {
    proto_overlap_answers *answers = (proto_overlap_answers *)head;
    const gjk_hit *hit = item;
    const gjk_detect_result *result = &hit->result;

    answers->handle.uints[i] = hit->body->handle;
    answers->state.uints[i] = number_of_state(result->state);
    if (answers->depth.doubles != NULL) {
        proto_set_double(&answers->depth, i, result->depth);
        proto_set_double(&answers->lower_bound, i, result->depth_lower_bound);
        PROTO_SET_VECTORS(answers, i, true, result->has_points, result);
        answers->piece_a.uints[i] = number_of_piece(result->piece_a);
        answers->piece_b.uints[i] = number_of_piece(result->piece_b);
    }
}

/* --- Casts and moves --- */

static void put_cast(proto_answers *head, size_t i, const void *item) {
    static const gjk_cast_hit none = {
        .result = {.fraction = 1.0, .piece = GJK_NO_PIECE, .moving_piece = GJK_NO_PIECE}};
    proto_cast_answers *answers = (proto_cast_answers *)head;
    const gjk_cast_hit *hit = item != NULL ? item : &none;
    const gjk_cast_result *result = &hit->result;

    answers->handle.uints[i] = item != NULL ? hit->body->handle : PROTO_NO_HANDLE;
    answers->inside.uints[i] = result->inside;
    proto_set_double(&answers->fraction, i, result->fraction);
    proto_set_vector(&answers->point, head->dimension, i, &result->point);
    proto_set_vector(&answers->normal, head->dimension, i,
                     result->has_normal ? &result->normal : NULL);
    if (answers->depth.doubles != NULL) {
        proto_set_double(&answers->depth, i, result->has_depth ? result->depth : 0.0);
    }
    proto_set_piece(&answers->piece, i, result->piece);
    proto_set_piece(&answers->moving_piece, i, result->moving_piece);
    if (result->has_material) {
        proto_set_some(&answers->material, i, result->material);
    }
}

static void put_contact(proto_answers *head, size_t i, const void *item) {
    proto_move_answers *answers = (proto_move_answers *)head;
    const gjk_move_contact *contact = item;

    answers->handle.uints[i] = contact->body->handle;
    answers->piece.uints[i] = number_of_piece(contact->piece);
    answers->material.uints[i] = contact->has_material ? contact->material : 0;
    answers->is_step.uints[i] = contact->step;
    proto_set_double(&answers->fraction, i, contact->fraction);
    proto_set_vector(&answers->point, head->dimension, i, &contact->point);
    proto_set_vector(&answers->normal, head->dimension, i, &contact->normal);
}

void proto_answers_set_move(proto_answers *answers, uint32_t row, const gjk_move_result *result) {
    proto_move_answers *out = (proto_move_answers *)answers;
    const gjk_move_contact *ground = &result->ground;
    const uint32_t dimension = answers->dimension;

    proto_set_vector(&out->position, dimension, row, &result->position);
    proto_set_vector(&out->blocked, dimension, row, &result->blocked);
    proto_set_vector(&out->pushed, dimension, row, &result->pushed);
    proto_set_vector(&out->ground_normal, dimension, row,
                     result->grounded ? &ground->normal : NULL);
    out->ground.uints[row] = result->grounded ? ground->body->handle : PROTO_NO_HANDLE;
    out->ground_piece.uints[row] = result->grounded ? number_of_piece(ground->piece) : GJK_NO_PIECE;
    out->ground_material.uints[row] =
        result->grounded && ground->has_material ? ground->material : 0;
    out->status.uints[row] = status_of(result->convergence);
    set_list(answers, row, result->items, result->count);
    out->leg_count.uints[row] = result->leg_count;
    answers->legs[row] = result->legs;
}

/* --- Shots --- */

static void put_near_miss(proto_answers *head, size_t i, const void *item) {
    proto_hit_answers *answers = (proto_hit_answers *)head;
    const gjk_near *near = item;

    answers->near.uints[i] = near->body->handle;
    proto_set_double(&answers->near_distance, i, near->result.distance);
}

/* Returns the reason why a shot has no verdict, or else whether all its results converged. */
static uint32_t status_of_shot(const gjk_judgement *judgement) {
    const gjk_nears *near_misses = &judgement->near_misses;
    bool has_converged =
        (!judgement->has_hit || judgement->hit.result.convergence == GJK_CONVERGED) &&
        (!judgement->has_obstacle || judgement->obstacle.result.convergence == GJK_CONVERGED);

    if (judgement->reason == GJK_REASON_TICK_EXPIRED) {
        return PROTO_ROW_TICK_EXPIRED;
    }
    if (judgement->reason == GJK_REASON_TICK_IN_FUTURE) {
        return PROTO_ROW_TICK_IN_FUTURE;
    }
    for (uint32_t k = 0; k < near_misses->count; k++) {
        has_converged = has_converged && near_misses->items[k].result.convergence == GJK_CONVERGED;
    }
    return has_converged ? PROTO_ROW_CONVERGED : PROTO_ROW_ITERATION_LIMIT;
}

void proto_answers_set_shot(proto_answers *answers, uint32_t row, const gjk_judgement *judgement,
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
    proto_hit_answers *out = (proto_hit_answers *)answers;
    const gjk_ray_result *hit = judgement->has_hit ? &judgement->hit.result : &none;
    const gjk_ray_result *obstacle = &judgement->obstacle.result;

    out->verdict.uints[row] = verdicts[judgement->verdict];
    out->reason.uints[row] = reasons[judgement->reason];
    out->handle.uints[row] = judgement->has_hit ? judgement->hit.body->handle : PROTO_NO_HANDLE;
    out->status.uints[row] = status_of_shot(judgement);
    proto_set_double(&out->distance, row, hit->distance);
    proto_set_vector(&out->point, answers->dimension, row, &hit->point);
    proto_set_vector(&out->normal, answers->dimension, row, hit->has_normal ? &hit->normal : NULL);
    proto_set_double(&out->obstacle_distance, row,
                     judgement->has_obstacle ? obstacle->distance : -1.0);
    proto_set_piece(&out->piece, row, hit->piece);
    if (hit->has_material) {
        proto_set_some(&out->material, row, hit->material);
    }
    if (judgement->has_obstacle || judgement->lacks_obstacles) { /* all four columns or none */
        const bool has_one = judgement->has_obstacle;
        proto_set_some(&out->obstacle_set, row, judgement->obstacle_set);
        proto_set_some(&out->obstacle, row,
                       has_one ? judgement->obstacle.body->handle : PROTO_NO_HANDLE);
        proto_set_some(&out->obstacle_piece, row,
                       has_one ? number_of_piece(obstacle->piece) : GJK_NO_PIECE);
        proto_set_some(&out->obstacle_material, row,
                       obstacle->has_material ? obstacle->material : 0);
    }
    if (answers->has_lists) {
        set_list(answers, row, judgement->near_misses.items, judgement->near_misses.count);
    }
    if (rewind != NULL && rewind->is_found) {
        const gjk_vec3 ticks = {(double)rewind->from, (double)rewind->to, rewind->alpha};
        proto_set_vector(&out->rewind, 3, row, &ticks);
        proto_note_some(&out->rewind);
    }
}

/* --- The lines --- */

/* clang-format off */
#define LINE(type, convergence, iterations, put) \
    {sizeof(type), offsetof(type, convergence), offsetof(type, iterations), put}
/* clang-format on */

const proto_result_type proto_ray_results =
    LINE(proto_ray_item, hit.result.convergence, hit.result.iterations, put_ray);
const proto_result_type proto_detect_results =
    LINE(gjk_detect_result, convergence, iterations, put_detect);
const proto_result_type proto_distance_results =
    LINE(gjk_distance_result, convergence, iterations, put_distance);
const proto_result_type proto_cast_results =
    LINE(gjk_cast_hit, result.convergence, result.iterations, put_cast);
const proto_result_type proto_nearest_results =
    LINE(gjk_near, result.convergence, result.iterations, put_near);
const proto_result_type proto_overlap_results =
    LINE(gjk_hit, result.convergence, result.iterations, put_overlap);
const proto_result_type proto_contact_results = {.size = sizeof(gjk_move_contact),
                                                 .put = put_contact};
const proto_result_type proto_near_miss_results = {.size = sizeof(gjk_near), .put = put_near_miss};
