/* Rows are the differences that gjk_set_diff finds, sorted by id as edits must be. */

#include "cluster/poses.h"

#include "sets/kept_ticks.h"
#include "sets/version.h"
#include "sets/version_edit.h"
#include "store/row.h"

#include <stdlib.h>
#include <string.h>

#define FORMAT UINT32_C(0x31544a47) /* "GJT1" */

enum { POSES_ARE_MERGED = 1, ROWS_ARE_MARKED = 2, TICK_IS_AFTER_GAP = 4 };
#define FLAGS (POSES_ARE_MERGED | ROWS_ARE_MARKED | TICK_IS_AFTER_GAP)
enum { ROW_JUMPS = 1, ROW_IS_MOVED = 2 };

/* Minimum length of a row, which has neither position nor rotation. */
#define ROW_BYTES_MIN (4 + 1 + 1)

/* --- Writing --- */

void gjkd_differences_note(void *user, const gjk_body *from, const gjk_body *to) {
    gjkd_differences *all = user;
    if (all->count == all->capacity && !all->failed) {
        const uint32_t capacity = all->capacity > 0 ? 2 * all->capacity : 64;
        void *larger = realloc(all->items, capacity * sizeof *all->items);
        all->failed = larger == NULL;
        all->items = larger != NULL ? larger : all->items;
        all->capacity = larger != NULL ? capacity : all->capacity;
    }
    const gjk_body *some = to != NULL ? to : from;
    if (!all->failed && some != NULL) {
        all->items[all->count++] = (gjkd_difference){from, to, some->id};
    }
}

static int compare(const void *a, const void *b) {
    return strcmp(((const gjkd_difference *)a)->id, ((const gjkd_difference *)b)->id);
}

void gjkd_differences_sort(gjkd_differences *all) {
    uint32_t count = 0;
    if (all->count > 1) {
        qsort(all->items, all->count, sizeof *all->items, compare);
    }
    for (uint32_t i = 0; i < all->count; i++) {
        const gjkd_difference *next = &all->items[i];
        gjkd_difference *last = count > 0 ? &all->items[count - 1] : NULL;
        if (last != NULL && strcmp(last->id, next->id) == 0) {
            last->from = last->from != NULL ? last->from : next->from;
            last->to = last->to != NULL ? last->to : next->to;
        } else {
            all->items[count++] = *next;
        }
    }
    all->count = count;
}

static void put_row(struct proto_buffer *out, const gjk_body *body, uint32_t dimension,
                    bool is_moved) {
    gjkd_place_row place;
    const gjkd_origin none = {.revision = 0}; /* stands for the message's own tick */
    gjkd_place_encode(body, dimension, body->handle, is_moved ? none : gjkd_stored_origin(body),
                      &place);
    gjkd_put32(out, body->handle);
    gjkd_put8(out, (uint8_t)((body->teleport ? ROW_JUMPS : 0) | (is_moved ? ROW_IS_MOVED : 0)));
    gjkd_put8(out, (uint8_t)place.length);
    gjkd_put_bytes(out, place.bytes, place.length);
}

static void put_rows(struct proto_buffer *out, const struct gjkd_version *from,
                     const struct gjkd_version *version) {
    gjkd_differences moves = {.items = NULL};
    gjk_set_diff(gjkd_version_base_set(version), version->set, gjkd_differences_note, &moves);
    gjkd_differences_sort(&moves);
    out->failed = out->failed || moves.failed;
    gjkd_put32(out, moves.count);
    for (uint32_t i = 0; i < moves.count && !out->failed; i++) {
        const gjk_body *body = moves.items[i].to;
        out->failed = moves.items[i].from == NULL || body == NULL; /* more than a move */
        if (!out->failed) {
            put_row(out, body, version->dimension,
                    from != NULL && gjk_set_find_handle(from->set, body->handle) != body);
        }
    }
    free(moves.items);
}

/* Returns the newest tick, or all zero if there is none. *previous_end: number of the tick before
 * it, plus one; 0 if there is none. */
static gjk_tick newest_tick(const struct gjkd_version *version, uint64_t *previous_end) {
    const uint32_t count = version->history != NULL ? gjk_history_count(version->history) : 0;
    *previous_end = count > 1 ? gjk_history_tick(version->history, count - 2).number + 1 : 0;
    return count > 0 ? gjk_history_tick(version->history, count - 1) : (gjk_tick){.number = 0};
}

void gjkd_poses_put(struct proto_buffer *out, const struct gjkd_version *from,
                    const struct gjkd_version *version) {
    uint64_t previous_end = 0;
    const gjk_tick newest = newest_tick(version, &previous_end);
    const gjkd_tick *kept = newest.note;
    const gjkd_digest none = {{0}}, *digest = kept != NULL ? &kept->digest : &none;
    gjkd_put64(out, version->incarnation);
    gjkd_put64(out, version->order);
    gjkd_put32(out, version->unlogged.ticks);
    gjkd_put32(out, version->dimension);
    gjkd_put64(out, from != NULL ? gjkd_version_ticks_end(from) : previous_end);
    gjkd_put64(out, gjkd_version_ticks_end(version));
    gjkd_put8(out, (uint8_t)((version->unlogged.is_merged ? POSES_ARE_MERGED : 0) |
                             (from != NULL ? ROWS_ARE_MARKED : 0) |
                             (newest.after_gap ? TICK_IS_AFTER_GAP : 0)));
    gjkd_put_bytes(out, digest->bytes, sizeof digest->bytes);
    put_rows(out, from, version);
}

void gjkd_tick_message_put(struct proto_buffer *out, uint64_t epoch,
                           const struct gjkd_version *from, const struct gjkd_version *version) {
    gjkd_put32(out, FORMAT);
    gjkd_put64(out, epoch);
    gjkd_put_name(out, version->name);
    gjkd_poses_put(out, from, version);
}

/* --- Reading --- */

bool gjkd_poses_read(gjkd_cursor *cursor, gjkd_poses *out) {
    *out = (gjkd_poses){.incarnation = gjkd_take64(cursor)};
    out->place = gjkd_take64(cursor);
    out->ticks = gjkd_take32(cursor);
    out->dimension = gjkd_take32(cursor);
    out->previous_end = gjkd_take64(cursor);
    out->tick_end = gjkd_take64(cursor);
    const uint8_t flags = gjkd_take8(cursor);
    out->is_merged = (flags & POSES_ARE_MERGED) != 0;
    out->after_gap = (flags & TICK_IS_AFTER_GAP) != 0;
    out->is_marked = (flags & ROWS_ARE_MARKED) != 0;
    gjkd_take_into(cursor, out->digest.bytes, sizeof out->digest.bytes);
    out->count = gjkd_take32(cursor);
    out->rows = cursor->rest;
    const bool is_fine = out->dimension >= 2 && out->dimension <= 3 && flags <= FLAGS &&
                         out->ticks > 0 && out->ticks <= GJKD_UNLOGGED_MAX &&
                         out->tick_end <= (uint64_t)GJK_TICK_MAX + 1 &&
                         (out->tick_end == 0 || out->previous_end < out->tick_end) &&
                         out->count <= out->rows.length / ROW_BYTES_MIN;
    for (uint32_t i = 0; i < out->count && is_fine && !cursor->failed; i++) {
        (void)gjkd_take(cursor, 4 + 1);
        (void)gjkd_take(cursor, gjkd_take8(cursor));
    }
    out->rows.length -= cursor->rest.length;
    return is_fine && !cursor->failed;
}

bool gjkd_tick_message_read(proto_text text, gjkd_tick_message *out) {
    gjkd_cursor cursor = {.rest = text};
    if (gjkd_take32(&cursor) != FORMAT) {
        return false;
    }
    out->epoch = gjkd_take64(&cursor);
    out->name = gjkd_take_name(&cursor);
    return gjkd_poses_read(&cursor, &out->poses) && cursor.rest.length == 0 &&
           proto_is_set_name(out->name, strlen(out->name));
}

static bool refuse(struct proto_problem *problem, const char *what) {
    return proto_problem_set(problem, PROTO_INTERNAL, "%s", what);
}

static bool refuse_memory(struct proto_problem *problem) {
    return proto_problem_set(problem, PROTO_OUT_OF_MEMORY, "out of memory");
}

/* Returns true if both bodies are equal, entity tags included. */
static bool is_unchanged(const gjk_body *body, const gjk_body *moved) {
    const gjkd_origin a = gjkd_stored_origin(body), b = gjkd_stored_origin(moved);
    return a.revision == b.revision && a.nonce == b.nonce && a.tick_end == b.tick_end &&
           body->teleport == moved->teleport && gjkd_stored_is_same(body, moved);
}

/* Conversion of a message's rows to edits of a set. */
struct conversion {
    const gjkd_poses *poses;
    const struct gjk_set *set;
    gjkd_origin this_tick; /* origin of bodies that the message's own tick has moved */
    bool only_moved;
    gjkd_places places;
    struct proto_problem *problem;
};

/* Decodes the next row. *body: the moved body, or NULL if the row changes nothing; *id is set in
 * both cases. Returns false if the row is damaged or memory is exhausted. */
static bool decode_row(gjkd_cursor *rows, struct conversion *to, const gjk_body **body,
                       const char **id) {
    const uint32_t handle = gjkd_take32(rows);
    const uint8_t flags = gjkd_take8(rows);
    const size_t length = gjkd_take8(rows);
    const char *bytes = gjkd_take(rows, length);
    const gjk_body *before = gjk_set_find_handle(to->set, handle);
    proto_place place;
    gjkd_origin origin;
    *body = NULL;
    if (rows->failed || before == NULL) {
        return refuse(to->problem, "it moves a shape that is not there");
    }
    *id = before->id;
    const gjkd_row row = {.key = handle,
                          .dimension = to->poses->dimension,
                          .id = before->id,
                          .place = {bytes, length}};
    if (!gjkd_row_decode_place(&row, &place, &origin, to->problem)) {
        return false;
    }
    if (to->only_moved && !(flags & ROW_IS_MOVED)) {
        return true;
    }
    const gjk_body *moved = gjkd_stored_move(before, &place, (flags & ROW_JUMPS) != 0, &to->places);
    if (moved == NULL) {
        return refuse_memory(to->problem);
    }
    gjkd_stored_set_origin(moved, origin.revision > 0 ? origin : to->this_tick);
    if (!to->only_moved && is_unchanged(before, moved)) {
        gjkd_stored_callbacks.release(moved);
    } else {
        *body = moved;
    }
    return true;
}

bool gjkd_poses_edit(const gjkd_poses *poses, const struct gjkd_version *current,
                     const struct gjk_set *set, bool only_moved, gjk_edit **edits, uint32_t *count,
                     struct proto_problem *problem) {
    struct conversion conversion = {.poses = poses,
                                    .set = set,
                                    .this_tick = {current->revision, current->nonce,
                                                  poses->tick_end},
                                    .only_moved = only_moved,
                                    .problem = problem};
    gjkd_cursor rows = {.rest = poses->rows};
    const char *last = NULL;
    bool is_fine = true;
    *count = 0;
    *edits = calloc(poses->count + (size_t)1, sizeof **edits);
    if (*edits == NULL) {
        return refuse_memory(problem);
    }
    for (uint32_t i = 0; i < poses->count && is_fine; i++) {
        const gjk_body *body;
        const char *id = "";
        is_fine = decode_row(&rows, &conversion, &body, &id);
        if (is_fine && body != NULL) {
            (*edits)[(*count)++] = (gjk_edit){id, body};
        }
        is_fine = is_fine && ((last == NULL || strcmp(last, id) < 0) ||
                              refuse(problem, "its shapes are out of order"));
        last = id;
    }
    gjkd_places_close(&conversion.places);
    if (!is_fine) {
        gjkd_edits_free(*edits, *count);
    }
    return is_fine;
}

/* --- Applying --- */

bool gjkd_poses_apply(const gjkd_poses *poses, const struct gjkd_version *current,
                      struct gjkd_version **out, struct proto_problem *problem) {
    const gjkd_unlogged *unlogged = &current->unlogged;
    const uint64_t end = gjkd_version_ticks_end(current);
    const bool is_next = poses->is_marked && unlogged->ticks + 1 == poses->ticks;
    const gjkd_stamp stamp = {.tick = poses->tick_end - 1,
                              .digest = poses->digest,
                              .after_gap = poses->after_gap || poses->previous_end != end,
                              .is_missing = poses->is_merged};
    gjkd_successor successor = {
        .set = {.name = current->name,
                .incarnation = current->incarnation,
                .revision = current->revision,
                .nonce = current->nonce,
                .next_handle = current->next_handle,
                .dimension = current->dimension,
                .has_history = current->has_history,
                .history_ticks = current->history_ticks,
                .meta = current->meta},
        .stamp = current->history != NULL && poses->tick_end > end ? &stamp : NULL,
        .ticks_end = end,
        .order = current->order,
        .unlogged = {.base = gjkd_version_base_set(current),
                     .base_ticks = gjkd_version_base_ticks(current),
                     .ticks = poses->ticks,
                     .is_merged = poses->is_merged},
    };
    if (poses->incarnation != current->incarnation || poses->place != current->order ||
        poses->ticks <= unlogged->ticks || poses->dimension != current->dimension) {
        return refuse(problem, "it does not follow what is there");
    }
    if (!gjkd_poses_edit(poses, current, current->set, is_next, &successor.set.edits,
                         &successor.set.count, problem)) {
        return false;
    }
    return gjkd_version_succeed(current, &successor, out) == GJK_OK || refuse_memory(problem);
}
