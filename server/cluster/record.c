/*
 * gjk_set_diff finds the differences between two versions in no order; they are written in the
 * order of ids. Decoding fails for good when bytes are missing, and everything is checked before a
 * version is built.
 */

#include "cluster/record.h"

#include "cluster/poses.h"
#include "sets/feed.h"
#include "sets/kept_ticks.h"
#include "sets/version.h"
#include "sets/version_edit.h"
#include "store/row.h"

#include <stdlib.h>
#include <string.h>

/* Kinds of a change. WHOLE: all shapes of the set follow. EDITED: the shapes that differ follow. */
enum { SET_IS_GONE, SET_IS_WHOLE, SET_IS_EDITED };

/* Kinds of a shape's change. MOVED: its pose follows. DEFINED: its pose and definition follow. */
enum { SHAPE_IS_GONE, SHAPE_IS_MOVED, SHAPE_IS_DEFINED };

/* Flags of a version. NONCE: its nonce follows. STAMP: the change is a tick. POSES: poses of ticks
 * that the log lacked follow. DOUBTS: another node may have sent ticks that no other has
 * received. */
enum {
    HAS_HISTORY = 1,
    HAS_META = 2,
    HAS_STAMP = 4,
    HAS_POSES = 8,
    HAS_DOUBTS = 16,
    HAS_NONCE = 32,
};

/* Flags of a tick. AFTER_GAP: ticks right before it are lost. IS_MISSING: it is lost itself. */
enum { STAMP_AFTER_GAP = 1, STAMP_IS_MISSING = 2 };

/* --- Writing --- */

static bool is_moved(const gjk_body *from, const gjk_body *to) {
    return from != NULL && to != NULL && from->handle == to->handle &&
           gjkd_stored_is_moved(from, to);
}

static void put_shape(struct proto_buffer *out, const gjkd_difference *difference,
                      uint32_t dimension) {
    const gjk_body *to = difference->to;
    const bool moves = is_moved(difference->from, to);
    gjkd_put8(out, to == NULL ? SHAPE_IS_GONE : moves ? SHAPE_IS_MOVED : SHAPE_IS_DEFINED);
    gjkd_put_name(out, difference->id);
    if (to == NULL) {
        return;
    }
    gjkd_place_row place;
    gjkd_place_encode(to, dimension, to->handle, gjkd_stored_origin(to), &place);
    gjkd_put8(out, to->teleport);
    gjkd_put32(out, to->handle);
    gjkd_put_blob(out, place.bytes, place.length);
    if (!moves) {
        struct gjk_arena scratch;
        gjk_arena_init(&scratch, 0);
        const proto_text shape = gjkd_shape_encode(to, to->handle, &scratch);
        out->failed = out->failed || shape.data == NULL;
        gjkd_put_blob(out, shape.data, shape.length);
        gjk_arena_fini(&scratch);
    }
}

static void put_shapes(struct proto_buffer *out, const gjkd_proposal *proposal) {
    gjkd_differences all = {.items = NULL};
    const struct gjkd_version *to = proposal->to;
    if (proposal->is_whole || proposal->from == NULL) {
        gjk_set_iterator bodies = gjk_set_iterate(to->set, NULL);
        for (const gjk_body *body; (body = gjk_set_next(&bodies)) != NULL;) {
            gjkd_differences_note(&all, NULL, body);
        }
    } else {
        gjk_set_diff(proposal->from->set, to->set, gjkd_differences_note, &all);
    }
    gjkd_differences_sort(&all);
    out->failed = out->failed || all.failed;
    gjkd_put32(out, all.count);
    for (uint32_t i = 0; i < all.count && !out->failed; i++) {
        put_shape(out, &all.items[i], to->dimension);
    }
    free(all.items);
}

/* Ticks before a change, as its writer knows them. */
struct past {
    uint64_t ticks_end;               /* number of the newest one, plus one; 0 if none */
    const struct gjkd_version *poses; /* version with poses that the log lacks, or NULL */
    bool has_doubts;                  /* `doubts` of a snapshot's version */
};

static void put_stamp(struct proto_buffer *out, const gjkd_stamp *stamp) {
    gjkd_put64(out, stamp->tick);
    gjkd_put_bytes(out, stamp->digest.bytes, sizeof stamp->digest.bytes);
    gjkd_put8(out, (uint8_t)((stamp->after_gap ? STAMP_AFTER_GAP : 0) |
                             (stamp->is_missing ? STAMP_IS_MISSING : 0)));
}

/* Encodes a version without its shapes. */
static void put_version(struct proto_buffer *out, const gjkd_proposal *proposal,
                        const struct past *past) {
    const struct gjkd_version *to = proposal->to;
    gjkd_put64(out, to->incarnation);
    gjkd_put64(out, to->revision);
    gjkd_put64(out, to->order);
    gjkd_put64(out, to->next_handle);
    gjkd_put32(out, to->dimension);
    gjkd_put8(out,
              (uint8_t)((to->has_history ? HAS_HISTORY : 0) |
                        (to->meta.data != NULL ? HAS_META : 0) |
                        (proposal->stamp != NULL ? HAS_STAMP : 0) |
                        (past->poses != NULL ? HAS_POSES : 0) |
                        (past->has_doubts ? HAS_DOUBTS : 0) | (to->nonce != 0 ? HAS_NONCE : 0)));
    gjkd_put32(out, to->history_ticks);
    if (to->nonce != 0) {
        gjkd_put32(out, to->nonce);
    }
    if (to->meta.data != NULL) {
        gjkd_put_blob(out, to->meta.data, to->meta.length);
    }
    gjkd_put64(out, past->ticks_end);
    if (proposal->stamp != NULL) {
        put_stamp(out, proposal->stamp);
    }
    if (past->poses != NULL) {
        gjkd_poses_put(out, NULL, past->poses);
    }
}

static void put_change(struct proto_buffer *out, const gjkd_proposal *proposal,
                       const struct past *past) {
    const struct gjkd_version *to = proposal->to;
    const bool is_whole = proposal->is_whole || proposal->from == NULL;
    gjkd_put8(out, to == NULL ? SET_IS_GONE : is_whole ? SET_IS_WHOLE : SET_IS_EDITED);
    gjkd_put_name(out, proposal->name);
    if (to != NULL) {
        put_version(out, proposal, past);
        put_shapes(out, proposal);
    }
}

void gjkd_record_put(struct proto_buffer *out, const gjkd_proposal *proposal) {
    const struct gjkd_version *from = proposal->from;
    struct past past = {.ticks_end = 0};
    if (from != NULL && !proposal->is_whole) {
        past.ticks_end = gjkd_version_ticks_end(from);
        past.poses = from->unlogged.base != NULL ? from : NULL;
    }
    put_change(out, proposal, &past);
}

/* Omits ticks that the log lacks, since readers of the snapshot receive those by broadcast. */
void gjkd_record_put_set(struct proto_buffer *out, const struct gjkd_version *version) {
    /* Only the fields of these versions that are encoded or compared are set. */
    struct gjkd_version before = {.set = NULL};
    struct gjkd_version at = {.incarnation = version->incarnation,
                              .revision = version->revision,
                              .nonce = version->nonce,
                              .order = version->order,
                              .next_handle = version->next_handle,
                              .dimension = version->dimension,
                              .has_history = version->has_history,
                              .history_ticks = version->history_ticks,
                              .meta = version->meta};
    const uint64_t end = gjkd_version_base_ticks(version);
    const uint32_t count = version->history != NULL ? gjk_history_count(version->history) : 0;
    gjkd_proposal proposal = {.name = version->name, .to = &at, .is_whole = true};
    struct past past = {.has_doubts = version->unlogged.doubts};
    for (uint32_t i = 0; i < count && !out->failed; i++) {
        const gjk_tick tick = gjk_history_tick(version->history, i);
        if (tick.number >= end) {
            break;
        }
        const gjkd_tick *kept = tick.note;
        const gjkd_stamp stamp = {tick.number, kept->digest, tick.after_gap, tick.is_missing};
        at.set = (struct gjk_set *)(uintptr_t)tick.set;
        proposal.stamp = &stamp;
        put_change(out, &proposal, &past);
        past.ticks_end = tick.number + 1;
        before.set = at.set;
        proposal.from = &before;
        proposal.is_whole = false;
    }
    at.set = gjkd_version_base_set(version);
    proposal.stamp = NULL;
    if (proposal.is_whole || before.set != at.set || past.ticks_end != end) {
        past.ticks_end = end;
        put_change(out, &proposal, &past);
    }
}

/* --- Reading --- */

static bool refuse(struct proto_problem *problem, const char *what) {
    return proto_problem_set(problem, PROTO_INTERNAL, "%s", what);
}

/* State of decoding a change. */
struct reading {
    struct gjkd_version *from; /* retained; NULL if the set is new */
    bool is_edit;              /* the change edits `from` */
    gjkd_successor successor;
    gjkd_stamp stamp;
    bool has_poses, lacks_ticks;
    gjkd_poses poses;   /* poses that the writer had and the log lacked */
    uint64_t ticks_end; /* newest tick that the writer had, plus one; 0 if none */
    uint64_t place;     /* position of the message */
    const proto_limits *limits;
    struct gjk_arena scratch;
    gjkd_places places;
    struct proto_problem *problem;
};

static const gjk_body *find_shape(const struct reading *reading, const char *id) {
    return reading->is_edit ? gjk_set_find(reading->from->set, id) : NULL;
}

/* Returns true if the handle has been given, and to no other shape. */
static bool is_valid_handle(const struct reading *reading, uint64_t handle, const char *id) {
    const gjk_body *owner =
        reading->is_edit ? gjk_set_find_handle(reading->from->set, (uint32_t)handle) : NULL;
    return handle > 0 && handle < reading->successor.set.next_handle &&
           (owner == NULL || strcmp(owner->id, id) == 0);
}

static bool decode_body(struct reading *reading, const gjkd_row *row, bool is_moved,
                        const gjk_body **out) {
    if (!is_valid_handle(reading, (uint64_t)row->key, row->id)) {
        return refuse(reading->problem, "it gives a shape the handle of another");
    }
    if (!is_moved) {
        return gjkd_row_decode(row, reading->limits, &reading->scratch, out, reading->problem);
    }
    proto_place place;
    gjkd_origin origin;
    const gjk_body *body = find_shape(reading, row->id);
    if (body == NULL || body->handle != row->key) {
        return refuse(reading->problem, "it moves a shape that is not there");
    }
    if (!gjkd_row_decode_place(row, &place, &origin, reading->problem)) {
        return false;
    }
    *out = gjkd_stored_move(body, &place, row->teleport, &reading->places);
    if (*out == NULL) {
        return proto_problem_set(reading->problem, PROTO_OUT_OF_MEMORY, "out of memory");
    }
    gjkd_stored_set_origin(*out, origin);
    return true;
}

static bool decode_shape(gjkd_cursor *cursor, struct reading *reading) {
    gjkd_restored *set = &reading->successor.set;
    const uint8_t kind = gjkd_take8(cursor);
    gjk_edit *edit = &set->edits[set->count];
    gjkd_row row = {.id = gjkd_take_name(cursor), .dimension = set->dimension};
    *edit = (gjk_edit){row.id, NULL};
    if (kind != SHAPE_IS_GONE) {
        row.teleport = gjkd_take8(cursor) != 0;
        row.key = gjkd_take32(cursor);
        row.place = gjkd_take_blob(cursor);
        row.shape = kind == SHAPE_IS_DEFINED ? gjkd_take_blob(cursor) : (proto_text){NULL, 0};
    }
    if (cursor->failed || kind > SHAPE_IS_DEFINED) {
        return refuse(reading->problem, "it ends too early");
    }
    if (!proto_is_id(row.id, strlen(row.id), reading->limits->id_bytes_max)) {
        return refuse(reading->problem, "it has a shape without an id");
    }
    if (set->count > 0 && strcmp(edit[-1].id, row.id) >= 0) {
        return refuse(reading->problem, "its shapes are out of order");
    }
    if (kind == SHAPE_IS_GONE && find_shape(reading, row.id) == NULL) {
        return refuse(reading->problem, "it removes a shape that is not there");
    }
    if (kind != SHAPE_IS_GONE && !decode_body(reading, &row, kind == SHAPE_IS_MOVED, &edit->body)) {
        return false;
    }
    set->count++;
    gjk_arena_reset(&reading->scratch);
    return true;
}

static int compare_handles(const void *a, const void *b) {
    const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    return (p > q) - (p < q);
}

/* Returns true if no two bodies have the same handle. */
static bool have_distinct_handles(struct reading *reading) {
    const gjkd_restored *set = &reading->successor.set;
    uint32_t *handles = malloc((set->count + (size_t)1) * sizeof *handles), count = 0;
    if (handles == NULL) {
        return proto_problem_set(reading->problem, PROTO_OUT_OF_MEMORY, "out of memory");
    }
    for (uint32_t i = 0; i < set->count; i++) {
        if (set->edits[i].body != NULL) {
            handles[count++] = set->edits[i].body->handle;
        }
    }
    qsort(handles, count, sizeof *handles, compare_handles);
    bool fine = true;
    for (uint32_t i = 1; i < count && fine; i++) {
        fine = handles[i - 1] != handles[i];
    }
    free(handles);
    return fine || refuse(reading->problem, "it gives two shapes one handle");
}

static bool decode_shapes(gjkd_cursor *cursor, struct reading *reading) {
    gjkd_restored *set = &reading->successor.set;
    const uint32_t count = gjkd_take32(cursor);
    if (cursor->failed || count > reading->limits->shapes_per_set_max * 2) {
        return refuse(reading->problem, "it has too many shapes");
    }
    set->edits = calloc(count + (size_t)1, sizeof *set->edits);
    if (set->edits == NULL) {
        return proto_problem_set(reading->problem, PROTO_OUT_OF_MEMORY, "out of memory");
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!decode_shape(cursor, reading)) {
            return false;
        }
    }
    return have_distinct_handles(reading);
}

static uint64_t nonzero_or(uint64_t number, uint64_t place) {
    return number != 0 ? number : place;
}

/* Decodes a version without its shapes. */
static void decode_version(gjkd_cursor *cursor, struct reading *reading) {
    gjkd_restored *set = &reading->successor.set;
    set->incarnation = gjkd_take64(cursor);
    set->revision = nonzero_or(gjkd_take64(cursor), reading->place);
    reading->successor.order = nonzero_or(gjkd_take64(cursor), reading->place);
    set->next_handle = gjkd_take64(cursor);
    set->dimension = gjkd_take32(cursor);
    const uint8_t flags = gjkd_take8(cursor);
    set->has_history = (flags & HAS_HISTORY) != 0;
    set->history_ticks = gjkd_take32(cursor);
    set->nonce = flags & HAS_NONCE ? gjkd_take32(cursor) : 0;
    if (flags & HAS_META) {
        set->meta = gjkd_take_blob(cursor);
    }
    reading->ticks_end = gjkd_take64(cursor);
    if (flags & HAS_STAMP) {
        reading->stamp.tick = gjkd_take64(cursor);
        gjkd_take_into(cursor, reading->stamp.digest.bytes, sizeof reading->stamp.digest.bytes);
        const uint8_t stamp = gjkd_take8(cursor);
        reading->stamp.after_gap = (stamp & STAMP_AFTER_GAP) != 0;
        reading->stamp.is_missing = (stamp & STAMP_IS_MISSING) != 0;
        reading->successor.stamp = &reading->stamp;
    }
    reading->has_poses = (flags & HAS_POSES) != 0;
    reading->successor.unlogged.doubts = (flags & HAS_DOUBTS) != 0;
    if (reading->has_poses && !gjkd_poses_read(cursor, &reading->poses)) {
        cursor->failed = true;
    }
}

static bool check_version(const gjkd_cursor *cursor, const struct reading *reading) {
    const gjkd_restored *set = &reading->successor.set;
    const struct gjkd_version *from = reading->from;
    const gjkd_stamp *stamp = reading->successor.stamp;
    const bool keeps_ticks = set->has_history && set->history_ticks > 0;
    if (set->dimension < 2 || set->dimension > 3 || cursor->failed ||
        set->history_ticks > reading->limits->history_ticks_max ||
        reading->ticks_end > (uint64_t)GJK_TICK_MAX + 1 ||
        (from != NULL && from->incarnation == set->incarnation &&
         set->next_handle < from->next_handle)) {
        return refuse(reading->problem, "it is damaged");
    }
    if (reading->is_edit && (from == NULL || from->incarnation != set->incarnation ||
                             from->dimension != set->dimension)) {
        return refuse(reading->problem, "it changes a set that is not there");
    }
    if (stamp != NULL && (!keeps_ticks || stamp->tick < reading->ticks_end ||
                          stamp->tick > (uint64_t)GJK_TICK_MAX)) {
        return refuse(reading->problem, "it is a tick that the set cannot have");
    }
    return !reading->has_poses ||
           (reading->is_edit && reading->poses.place == from->order &&
            reading->poses.incarnation == from->incarnation &&
            reading->poses.dimension == from->dimension) ||
           refuse(reading->problem, "it has poses of another set");
}

/* Applies the poses of ticks that the writer of the change had and this node lacks. */
static bool apply_missed_poses(struct reading *reading) {
    struct gjkd_version *next = NULL;
    if (!reading->has_poses || reading->poses.ticks <= reading->from->unlogged.ticks) {
        return true;
    }
    if (!gjkd_poses_apply(&reading->poses, reading->from, &next, reading->problem)) {
        return false;
    }
    gjkd_version_release(reading->from);
    reading->from = next;
    reading->lacks_ticks = true;
    return true;
}

/* Returns true if this node has ticks that the writer of the change lacked. */
static bool has_newer_ticks(const struct reading *reading) {
    const uint32_t known = reading->has_poses ? reading->poses.ticks : 0;
    return reading->is_edit && reading->from != NULL && reading->from->unlogged.ticks > known;
}

static bool edit_set(const struct gjk_set *from, const gjk_edit *edits, uint32_t count,
                     struct gjk_set **out, struct proto_problem *problem) {
    if (count == 0) {
        *out = gjk_set_retain(from);
        return true;
    }
    return gjk_set_edit(from, edits, count, out) == GJK_OK ||
           proto_problem_set(problem, PROTO_OUT_OF_MEMORY, "out of memory");
}

/* Builds the set as the log has it after the change: the log's set before, then the writer's poses,
 * then the change. */
static bool make_base(const struct reading *reading, struct gjk_set **out) {
    const gjkd_restored *set = &reading->successor.set;
    const struct gjk_set *base = gjkd_version_base_set(reading->from);
    struct gjk_set *posed = NULL;
    gjk_edit *edits = NULL;
    uint32_t count = 0;
    if (reading->has_poses && !gjkd_poses_edit(&reading->poses, reading->from, base, false, &edits,
                                               &count, reading->problem)) {
        return false;
    }
    const bool is_fine = edit_set(base, edits, count, &posed, reading->problem) &&
                         edit_set(posed, set->edits, set->count, out, reading->problem);
    gjk_set_release(posed);
    gjkd_edits_free(edits, count);
    return is_fine;
}

/* Replaces the change by one that turns the current set into `base`. */
static bool redirect_edits(struct reading *reading, const struct gjk_set *base) {
    gjkd_restored *set = &reading->successor.set;
    gjkd_differences all = {.items = NULL};
    gjk_set_diff(reading->from->set, base, gjkd_differences_note, &all);
    gjkd_differences_sort(&all);
    gjk_edit *edits = all.failed ? NULL : calloc(all.count + (size_t)1, sizeof *edits);
    for (uint32_t i = 0; i < all.count && edits != NULL; i++) {
        edits[i] = (gjk_edit){all.items[i].id, all.items[i].to};
        if (edits[i].body != NULL) {
            gjkd_stored_callbacks.retain(edits[i].body);
        }
    }
    free(all.items);
    if (edits == NULL) {
        return proto_problem_set(reading->problem, PROTO_OUT_OF_MEMORY, "out of memory");
    }
    gjkd_edits_free(set->edits, set->count);
    set->edits = edits;
    set->count = all.count;
    return true;
}

/* Returns true if the new version may lack ticks: the change says so, or it is not a tick and the
 * version before may lack some. */
static bool has_doubts(const struct reading *reading) {
    return reading->successor.unlogged.doubts ||
           (reading->is_edit && reading->successor.stamp == NULL &&
            gjkd_version_may_lack_ticks(reading->from));
}

/*
 * If this node has newer ticks than the writer, keeps their poses beside the change, and the log's
 * state as *base. If the change is a tick, drops them instead: its writer makes the ticks from now
 * on, starting from the state that it had.
 */
static bool keep_newer_ticks(struct reading *reading, struct gjk_set **base) {
    *base = NULL;
    reading->successor.unlogged.doubts = has_doubts(reading);
    if (reading->from == NULL || !has_newer_ticks(reading)) {
        return true;
    }
    if (!make_base(reading, base)) {
        return false;
    }
    if (reading->successor.stamp != NULL) {
        return redirect_edits(reading, *base);
    }
    const gjkd_unlogged *before = &reading->from->unlogged;
    reading->successor.unlogged = (gjkd_unlogged){
        .base = *base,
        .base_ticks = reading->ticks_end,
        .ticks = before->ticks - (reading->has_poses ? reading->poses.ticks : 0),
        .is_merged = true,
        .doubts = reading->successor.unlogged.doubts,
        .owes = before->owes,
        .since_ns = before->since_ns,
    };
    return true;
}

/* Returns the newest tick below a number, plus one; 0 if there is none. */
static uint64_t ticks_end_below(const struct gjkd_version *version, uint64_t number) {
    const struct gjk_history *history = version != NULL ? version->history : NULL;
    uint32_t i = history != NULL ? gjk_history_count(history) : 0;
    while (i > 0 && gjk_history_tick(history, i - 1).number >= number) {
        i--;
    }
    return i > 0 ? gjk_history_tick(history, i - 1).number + 1 : 0;
}

/* Marks a gap for ticks of the writer that this node lacks. Ticks that only this node has came from
 * another node; they are dropped if the change is a tick. */
static void mark_gap(struct reading *reading) {
    const gjkd_restored *set = &reading->successor.set;
    reading->successor.ticks_end = reading->ticks_end;
    const uint64_t end = reading->is_edit ? gjkd_version_ticks_end(reading->from) : 0;
    if (reading->successor.stamp != NULL) {
        const uint64_t before =
            reading->is_edit ? ticks_end_below(reading->from, reading->ticks_end) : 0;
        reading->stamp.after_gap = reading->stamp.after_gap || before != reading->ticks_end;
    } else if (end < reading->ticks_end && set->has_history && set->history_ticks > 0) {
        reading->stamp =
            (gjkd_stamp){.tick = reading->ticks_end - 1, .after_gap = true, .is_missing = true};
        reading->successor.stamp = &reading->stamp;
    }
}

static bool make_version(struct reading *reading, bool is_same_life, struct gjkd_version **out) {
    struct gjk_set *base = NULL;
    if (!keep_newer_ticks(reading, &base)) {
        gjk_set_release(base);
        gjkd_edits_free(reading->successor.set.edits, reading->successor.set.count);
        return false;
    }
    mark_gap(reading);
    const gjk_status status =
        gjkd_version_succeed(is_same_life ? reading->from : NULL, &reading->successor, out);
    gjk_set_release(base);
    return status == GJK_OK ||
           proto_problem_set(reading->problem, PROTO_OUT_OF_MEMORY, "out of memory");
}

static bool decode_change(gjkd_cursor *cursor, struct reading *reading, struct gjkd_version **out) {
    decode_version(cursor, reading);
    if (!check_version(cursor, reading) || !apply_missed_poses(reading)) {
        return false;
    }
    gjkd_restored *set = &reading->successor.set;
    gjk_arena_init(&reading->scratch, 0);
    const bool is_fine = decode_shapes(cursor, reading);
    gjkd_places_close(&reading->places);
    gjk_arena_fini(&reading->scratch);
    if (!is_fine) {
        gjkd_edits_free(set->edits, set->count);
        return false;
    }
    return make_version(reading,
                        reading->from != NULL && reading->from->incarnation == set->incarnation,
                        out);
}

bool gjkd_record_apply(proto_text *text, uint64_t place, struct gjkd_version *before,
                       struct gjkd_registry *registry, const proto_limits *limits,
                       gjkd_applied *out, struct proto_problem *problem) {
    gjkd_cursor cursor = {.rest = *text};
    const uint8_t kind = gjkd_take8(&cursor);
    const char *name = gjkd_take_name(&cursor);
    *out = (gjkd_applied){.from = NULL};
    if (cursor.failed || kind > SET_IS_EDITED || !proto_is_set_name(name, strlen(name))) {
        return refuse(problem, "it is no change");
    }
    memcpy(out->name, name, strlen(name) + 1);
    out->from = before != NULL && strcmp(before->name, name) == 0
                    ? gjkd_version_retain(before)
                    : gjkd_registry_get(registry, name);
    if (kind != SET_IS_GONE) {
        struct reading reading = {.from = out->from != NULL ? gjkd_version_retain(out->from) : NULL,
                                  .is_edit = kind == SET_IS_EDITED,
                                  .successor = {.set = {.name = name},
                                                .is_whole = kind == SET_IS_WHOLE},
                                  .place = place,
                                  .limits = limits,
                                  .problem = problem};
        const bool is_fine = decode_change(&cursor, &reading, &out->to);
        gjkd_version_release(reading.from);
        out->lacks_ticks = reading.lacks_ticks;
        if (!is_fine) {
            gjkd_version_release(out->from);
            return false;
        }
    }
    *text = cursor.rest;
    return true;
}

bool gjkd_record_read(proto_text text, uint64_t place, struct gjkd_registry *registry,
                      const proto_limits *limits, gjkd_applied *out,
                      struct proto_problem *problem) {
    if (!gjkd_record_apply(&text, place, NULL, registry, limits, out, problem)) {
        return false;
    }
    bool is_fine = true;
    while (is_fine && text.length > 0) {
        gjkd_applied next;
        is_fine = gjkd_record_apply(&text, place, out->to, registry, limits, &next, problem);
        if (is_fine) {
            gjkd_version_release(next.from);
            gjkd_version_release(out->to);
            out->to = next.to;
            is_fine = strcmp(next.name, out->name) == 0 || refuse(problem, "it is of two sets");
        }
    }
    if (!is_fine) {
        gjkd_version_release(out->from);
        gjkd_version_release(out->to);
    }
    return is_fine;
}
