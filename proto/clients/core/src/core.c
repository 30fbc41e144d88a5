/*
 * The core as a WebAssembly module. core.js encodes a query as an array of numbers; the functions
 * below read them in the same order. Texts follow the numbers, which have their offsets. Answers
 * are the daemon's JSON. Readers check what the core's constructors do not check.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gjk/kinds.h"
#include "gjk/move.h"
#include "proto/reply.h"
#include "json/number.h"

#ifdef __wasm__
#define EXPORT(name) __attribute__((export_name(#name)))
#else /* a native build, for benchmarks */
#define EXPORT(name)
#endif

/* Geometry of a body, shared by its versions at different poses. */
struct geometry {
    struct gjk_arena arena;
    gjk_shape shape;
    uint32_t references;
};

struct stored {
    gjk_body body;
    struct geometry *geometry;
    uint32_t references;
    char texts[];
};

struct scene {
    struct gjk_set *set;
    uint32_t dimension, revision, handle;
};

static struct gjk_arena arena; /* memory of one call */
static const double *numbers;  /* next number to read */
static const char *texts;      /* offsets of texts count from here */
static gjk_status failed;      /* first failure of the call */
static struct proto_buffer out;

static void fail(gjk_status status) {
    failed = failed == GJK_OK ? status : failed;
}

#ifdef __wasm__
/* --- Replacements of functions that JavaScript provides, or that a module does not need --- */

/* Writes a number as JavaScript does: the shortest text that reads back as the same double. */
__attribute__((import_module("env"), import_name("number"))) extern size_t write_number(
    double value, char *text);

size_t proto_number_text(double value, char text[PROTO_NUMBER_MAX]) {
    return write_number(value, text);
}

size_t proto_integer_text(uint64_t value, char *text) {
    return write_number((double)value, text);
}

/* A module has no standard error. */
int fprintf(FILE *file, const char *format, ...) {
    (void)file;
    (void)format;
    return 0;
}

#endif

/* --- Reading --- */

static double next(void) {
    return *numbers++;
}

/* Reads a number that core.js computed, so that it needs no check. */
static uint32_t next_count(void) {
    return (uint32_t)next();
}

static double next_within(double min, double max) {
    const double x = next();
    if (!(x >= min && x <= max)) {
        fail(isfinite(x) ? GJK_OUT_OF_RANGE : GJK_NOT_FINITE);
        return min;
    }
    return x;
}

static uint32_t next_integer(uint32_t min, uint32_t max) {
    const double x = next_within(min, max);
    if (x != (uint32_t)x) {
        fail(GJK_OUT_OF_RANGE);
    }
    return (uint32_t)x;
}

/* Reads a length that may be infinite. */
static double next_reach(void) {
    return *numbers == INFINITY ? next() : next_within(0, GJK_COORDINATE_MAX);
}

static gjk_vec3 next_vector(uint32_t dimension) {
    gjk_vec3 v = {0, 0, 0};
    v.x = next_within(-GJK_COORDINATE_MAX, GJK_COORDINATE_MAX);
    v.y = next_within(-GJK_COORDINATE_MAX, GJK_COORDINATE_MAX);
    if (dimension == 3) {
        v.z = next_within(-GJK_COORDINATE_MAX, GJK_COORDINATE_MAX);
    }
    return v;
}

static const char *next_text(void) {
    const double offset = next();
    return offset < 0 ? NULL : texts + (size_t)offset;
}

/* Traps if memory is exhausted, because a write to address 0 would not fault in WebAssembly. */
static void *must(void *block) {
    if (block == NULL) {
        __builtin_trap();
    }
    return block;
}

static void *list_of(size_t count, size_t size) {
    return must(gjk_arena_alloc_array(&arena, count + 1, size));
}

static const char *const *next_texts(uint32_t *count) {
    *count = next_count();
    const char **list = list_of(*count, sizeof *list);
    for (uint32_t i = 0; i < *count; i++) {
        list[i] = next_text();
    }
    return list;
}

static uint32_t *next_integers(uint32_t count) {
    uint32_t *list = list_of(count, sizeof *list);
    for (uint32_t i = 0; i < count; i++) {
        list[i] = next_integer(0, UINT32_MAX);
    }
    return list;
}

/* Reads a position and a rotation into *pose. An absent one is left unchanged. */
static void next_pose(uint32_t dimension, gjk_pose *pose) {
    gjk_vec3 position = pose->position;
    gjk_pose turned;
    if (next() != 0) {
        position = next_vector(dimension);
    }
    if (next() != 0) {
        gjk_status status;
        if (dimension == 2) {
            status = gjk_pose_make2(gjk_xy(position), next(), &turned);
        } else {
            const gjk_quat q = {numbers[0], numbers[1], numbers[2], numbers[3]};
            numbers += 4;
            status = gjk_pose_make3(position, q, &turned);
        }
        fail(status);
        if (status == GJK_OK) {
            *pose = turned;
        }
    }
    pose->position = position;
}

static void next_shape(struct gjk_arena *lasting, uint32_t dimension, double rounding,
                       gjk_shape *shape);

/* Reads polygons, each a list of rings. */
static gjk_region next_region(void) {
    gjk_region region = {.polygon_count = next_count()};
    const uint32_t rings = next_count(), vertices = next_count();
    gjk_vec2 *points = list_of(vertices, sizeof *points);
    region.polygon_sizes = next_integers(region.polygon_count);
    region.ring_sizes = next_integers(rings);
    for (uint32_t i = 0; i < vertices; i++) {
        points[i] = gjk_xy(next_vector(2));
    }
    region.vertices = points;
    return region;
}

static void next_points(uint32_t dimension, gjk_member_value *value, bool is_list) {
    const uint32_t count = next_count();
    gjk_vec3 *in_3d = list_of(count, sizeof *in_3d);
    gjk_vec2 *in_2d = list_of(count, sizeof *in_2d);
    for (uint32_t i = 0; i < count; i++) {
        in_3d[i] = next_vector(dimension);
        in_2d[i] = gjk_xy(in_3d[i]);
    }
    if (is_list) {
        value->list.points = in_3d;
        value->list.count = count;
    } else {
        value->vertices.count = count;
        value->vertices.in_2d = dimension == 2 ? in_2d : NULL;
        value->vertices.in_3d = dimension == 3 ? in_3d : NULL;
    }
}

static void next_parts(uint32_t dimension, double rounding, gjk_member_value *value) {
    const uint32_t count = value->parts.count = next_count();
    gjk_placed *parts = list_of(count, sizeof *parts);
    gjk_shape *shapes = list_of(count, sizeof *shapes);
    for (uint32_t i = 0; i < count && failed == GJK_OK; i++) {
        next_shape(&arena, dimension, rounding, &shapes[i]);
        parts[i] = (gjk_placed){&shapes[i], gjk_pose_identity()};
        next_pose(dimension, &parts[i].pose);
    }
    value->parts.items = parts;
}

static void next_member(const gjk_member *member, uint32_t dimension, double rounding,
                        gjk_member_value *value) {
    *value = (gjk_member_value){0};
    if (next() == 0) { /* absent */
        if (member->form == GJK_MEMBER_NUMBER) {
            value->number = NAN;
        }
        return;
    }
    switch (member->form) {
    case GJK_MEMBER_NUMBER:
        value->number = next_within(member->min, member->max);
        break;
    case GJK_MEMBER_VECTOR:
        value->vector = next_vector(dimension);
        break;
    case GJK_MEMBER_STEPS:
        value->vector = next_vector(2);
        break;
    case GJK_MEMBER_FLAG:
        value->flag = next() != 0;
        break;
    case GJK_MEMBER_COUNT:
    case GJK_MEMBER_CHOICE:
        value->integer = next_integer(0, UINT32_MAX);
        break;
    case GJK_MEMBER_POINTS:
    case GJK_MEMBER_VERTICES:
        next_points(dimension, value, member->form == GJK_MEMBER_POINTS);
        break;
    case GJK_MEMBER_PARTS:
        next_parts(dimension, rounding, value);
        break;
    case GJK_MEMBER_TRIANGLES:
        value->triangles.count = next_count();
        value->triangles.items = (const uint32_t(*)[3])next_integers(3 * value->triangles.count);
        break;
    case GJK_MEMBER_RINGS:
    case GJK_MEMBER_FLAT_RINGS:
        value->rings = next_region();
        break;
    case GJK_MEMBER_HEIGHTS:
    case GJK_MEMBER_RADII:
        value->heights.count = next_count();
        value->heights.items = memcpy(list_of(value->heights.count, sizeof *numbers), numbers,
                                      value->heights.count * sizeof *numbers);
        numbers += value->heights.count;
        break;
    default:
        value->materials.count = next_count();
        value->materials.items = next_integers(value->materials.count);
    }
}

static void next_shape(struct gjk_arena *lasting, uint32_t dimension, double rounding,
                       gjk_shape *shape) {
    const gjk_kind *kind = &gjk_kinds[next_count()];
    gjk_geometry geometry = {.arena = lasting, .dimension = dimension};
    geometry.rounding = rounding + next_within(0, GJK_COORDINATE_MAX);
    for (uint32_t i = 0; kind->members[i].name != NULL; i++) {
        next_member(&kind->members[i], dimension, geometry.rounding, &geometry.values[i]);
        if (failed != GJK_OK) {
            return;
        }
    }
    fail(kind->make(&geometry, shape));
}

/* --- Sets --- */

static void release_geometry(struct geometry *geometry) {
    if (--geometry->references == 0) {
        gjk_arena_fini(&geometry->arena);
        free(geometry);
    }
}

static void retain_body(const gjk_body *body) {
    ((struct stored *)(void *)body)->references++;
}

static void release_body(const gjk_body *body) {
    struct stored *stored = (struct stored *)(void *)body;
    if (--stored->references == 0) {
        release_geometry(stored->geometry);
        free(stored);
    }
}

EXPORT(set_new) struct scene *set_new(uint32_t dimension) {
    static const gjk_body_callbacks callbacks = {retain_body, release_body};
    struct scene *scene = must(malloc(sizeof *scene));
    *scene = (struct scene){must(gjk_set_new_empty(dimension, &callbacks)), dimension, 0, 1};
    return scene;
}

EXPORT(set_free) void set_free(struct scene *scene) {
    gjk_set_release(scene->set);
    free(scene);
}

/* Returns a new body with one reference. */
static struct stored *make_stored(const char *id, const char *group, struct geometry *geometry) {
    const size_t id_bytes = strlen(id) + 1, group_bytes = group != NULL ? strlen(group) + 1 : 0;
    struct stored *stored = must(calloc(1, sizeof *stored + id_bytes + group_bytes));
    stored->references = 1;
    stored->geometry = geometry;
    geometry->references++;
    stored->body.id = memcpy(stored->texts, id, id_bytes);
    stored->body.group =
        group != NULL ? memcpy(stored->texts + id_bytes, group, group_bytes) : NULL;
    return stored;
}

/* Reads the definition of a body that replaces `before` (NULL: none). Failures are in `failed`. */
static struct stored *next_stored(const char *id, struct scene *scene, const gjk_body *before) {
    struct geometry *geometry = must(calloc(1, sizeof *geometry));
    gjk_arena_init(&geometry->arena, 0);
    geometry->references = 1;
    struct stored *stored = make_stored(id, next_text(), geometry);
    gjk_body *body = &stored->body;
    body->category = next_integer(0, UINT32_MAX);
    body->mask = next_integer(0, UINT32_MAX);
    body->placed = (gjk_placed){&geometry->shape, gjk_pose_identity()};
    next_shape(&geometry->arena, scene->dimension, 0, &geometry->shape);
    if (failed == GJK_OK) {
        next_pose(scene->dimension, &body->placed.pose);
    }
    release_geometry(geometry);
    body->handle = before != NULL ? before->handle : scene->handle++;
    return stored;
}

static struct stored *next_moved(struct scene *scene, const gjk_body *before) {
    const struct stored *old = (const struct stored *)(const void *)before;
    struct stored *stored = make_stored(before->id, before->group, old->geometry);
    stored->body.handle = before->handle;
    stored->body.category = before->category;
    stored->body.mask = before->mask;
    stored->body.placed = before->placed;
    next_pose(scene->dimension, &stored->body.placed.pose);
    return stored;
}

/* Changes shapes, all or none. Each edit, in the order of ids, removes (0), defines (1) or moves
 * (2) a shape. Returns a status. */
static gjk_status edit(struct scene *scene) {
    const uint32_t count = next_count();
    gjk_edit *edits = list_of(count, sizeof *edits);
    struct stored **made = list_of(count, sizeof *made);
    struct gjk_set *set = NULL;
    uint32_t i, known = 0;
    for (i = 0; i < count && failed == GJK_OK; i++) {
        const char *id = next_text();
        const gjk_body *before = gjk_set_find(scene->set, id);
        const uint32_t kind = next_count();
        made[i] = kind == 0   ? NULL
                  : kind == 1 ? next_stored(id, scene, before)
                              : next_moved(scene, before);
        edits[i] = (gjk_edit){id, made[i] != NULL ? &made[i]->body : NULL};
        known = i + 1;
    }
    if (failed == GJK_OK) {
        fail(gjk_set_edit(scene->set, edits, count, &set));
    }
    for (i = 0; i < known; i++) {
        if (made[i] != NULL) {
            release_body(&made[i]->body);
        }
    }
    if (failed == GJK_OK) {
        gjk_set_release(scene->set);
        scene->set = set;
        scene->revision++;
    }
    return failed;
}

/* --- Queries --- */

struct question {
    struct scene *scene;     /* NULL: none */
    struct gjk_set *brought; /* of the query's own shapes; NULL: none */
    gjk_snapshot snapshot;
    uint32_t dimension, max_iterations, limit;
    double tolerance;
    gjk_filter filter;
    proto_stamp stamp;
};

struct operand {
    const gjk_body *body;
    gjk_body brought;
    gjk_shape shape;
    gjk_placed placed;
};

static void next_operand(const struct question *q, struct operand *operand) {
    operand->body = NULL;
    operand->brought = (gjk_body){0};
    const char *id = next_text();
    if (id != NULL) {
        operand->body = gjk_set_find(q->scene->set, id);
        operand->placed = operand->body->placed;
    } else {
        operand->brought.group = next_text();
        operand->placed = (gjk_placed){&operand->shape, gjk_pose_identity()};
        next_shape(&arena, q->dimension, 0, &operand->shape);
    }
    if (failed == GJK_OK) {
        next_pose(q->dimension, &operand->placed.pose);
    }
}

static struct question next_question(void) {
    struct question q = {.scene = (struct scene *)(uintptr_t)next()};
    q.dimension = next_count();
    q.tolerance = next_within(5e-324, GJK_TOLERANCE_MAX);
    q.max_iterations = next_integer(GJK_ITERATIONS_MIN, GJK_ITERATIONS_MAX);
    q.limit = next_integer(1, UINT32_MAX);
    q.filter.category = next_integer(0, UINT32_MAX);
    q.filter.mask = next_integer(0, UINT32_MAX);
    q.filter.ignore = next_texts(&q.filter.ignore_count);
    q.filter.ignore_groups = next_texts(&q.filter.ignore_groups_count);
    q.filter.has_only_groups = next() != 0;
    q.filter.only_groups = next_texts(&q.filter.only_groups_count);
    if (q.scene != NULL) {
        q.snapshot = gjk_snapshot_of(q.scene->set);
        q.stamp.has_revision = true;
        q.stamp.revision = q.scene->revision;
    }
    return q;
}

static gjk_selection select_from(const struct question *q, const gjk_body *except, uint32_t limit) {
    return (gjk_selection){.filter = &q->filter, .except = except, .limit = limit, .arena = &arena};
}

/* Forms of a query: about the set, one shape, a pair, inline shapes, or another set. */
enum { OF_SET, OF_ONE, OF_PAIR, OF_SHAPES = OF_PAIR, OF_ANOTHER };

/* Reads the operands that a query of that form has. Returns false if reading has failed. */
static bool next_operands(const struct question *q, uint32_t form, struct operand *a,
                          struct operand *b) {
    if (form == OF_ONE || form == OF_PAIR) {
        next_operand(q, a);
    }
    if (form == OF_PAIR) {
        next_operand(q, b);
    }
    return failed == GJK_OK;
}

/* Reads the other set of a query and returns its snapshot. */
static gjk_snapshot next_another(struct question *q) {
    const struct scene *another = (const struct scene *)(uintptr_t)next();
    q->stamp.has_against_revision = true;
    q->stamp.against_revision = another->revision;
    return gjk_snapshot_of(another->set);
}

/* Begins a trace of a pair if is_traced. Returns its recorder, or NULL. */
static const gjk_recorder *start_trace(struct question *q, bool is_traced, const struct operand *a,
                                       const struct operand *b, struct proto_trace *trace) {
    if (!is_traced) {
        return NULL;
    }
    proto_trace_init(trace, &arena, &a->placed, &b->placed);
    q->stamp.trace = trace;
    return &trace->recorder;
}

static void detect(struct question *q) {
    gjk_detect_settings settings = gjk_detect_settings_default();
    settings.tolerance = q->tolerance;
    settings.max_iterations = q->max_iterations;
    settings.penetration = next() != 0;
    settings.of_pieces = next() != 0;
    const uint32_t contacts_max = next_integer(0, GJK_CONTACTS_MAX);
    const bool within = next() != 0, is_traced = next() != 0;
    const uint32_t form = next_count();
    struct operand a, b;
    if (!next_operands(q, form, &a, &b)) {
        return;
    }
    if (form == OF_PAIR) {
        struct proto_trace trace;
        settings.recorder = start_trace(q, is_traced, &a, &b, &trace);
        const gjk_detect_result result = gjk_detect(&a.placed, &b.placed, &settings);
        gjk_contacts contacts;
        if (contacts_max > 0) {
            fail(gjk_pair_contacts(&a.placed, &b.placed, &settings, contacts_max, &arena,
                                   &contacts));
            q->stamp.contacts = &contacts;
        }
        proto_encode_detect(&out, q->dimension, settings.penetration, &result, &q->stamp);
        return;
    }
    const gjk_selection selection = select_from(q, form == OF_ONE ? a.body : NULL, q->limit);
    if (form == OF_SET || form == OF_ANOTHER) {
        gjk_pair_hits pairs;
        if (form == OF_ANOTHER) {
            const gjk_snapshot another = next_another(q);
            fail(gjk_set_detect_against(&q->snapshot, &another, &selection, &settings, &pairs));
        } else {
            fail(gjk_set_detect_pairs(&q->snapshot, &selection, &settings, &pairs));
        }
        proto_encode_pairs(&out, q->dimension, settings.penetration, &pairs, &q->stamp);
        return;
    }
    gjk_hits hits;
    if (within && !gjk_may_contain(&a.placed)) {
        fail(GJK_OUT_OF_RANGE);
        return;
    }
    fail(within ? gjk_set_within(&q->snapshot, &a.placed, &selection, &settings, &hits)
                : gjk_set_detect(&q->snapshot, &a.placed, &selection, &settings, &hits));
    proto_encode_hits(&out, q->dimension, settings.penetration && !within, &hits, &q->stamp);
}

static void distance(struct question *q) {
    gjk_distance_settings settings = gjk_distance_settings_default();
    settings.tolerance = q->tolerance;
    settings.max_iterations = q->max_iterations;
    settings.is_signed = next() != 0;
    const double max_distance = next_reach();
    const bool is_traced = next() != 0;
    const uint32_t form = next_count();
    struct operand a, b;
    if (!next_operands(q, form, &a, &b)) {
        return;
    }
    if (form == OF_PAIR) {
        struct proto_trace trace;
        settings.recorder = start_trace(q, is_traced, &a, &b, &trace);
        const gjk_distance_result result = gjk_distance(&a.placed, &b.placed, &settings);
        proto_encode_distance(&out, q->dimension, &result, &q->stamp);
        return;
    }
    const gjk_selection selection = select_from(q, form == OF_ONE ? a.body : NULL, q->limit);
    if (form == OF_SET || form == OF_ANOTHER) {
        gjk_pair_nears pairs;
        if (form == OF_ANOTHER) {
            const gjk_snapshot another = next_another(q);
            const bool asks_all = q->limit == UINT32_MAX && max_distance < INFINITY;
            fail(asks_all ? gjk_set_near_pairs_against(&q->snapshot, &another, max_distance,
                                                       &selection, &settings, &pairs)
                          : gjk_set_nearest_against(&q->snapshot, &another, max_distance,
                                                    &selection, &settings, &pairs));
        } else {
            fail(gjk_set_near_pairs(&q->snapshot, max_distance, &selection, &settings, &pairs));
        }
        proto_encode_near_pairs(&out, q->dimension, &pairs, &q->stamp);
        return;
    }
    gjk_nears nears;
    fail(gjk_set_nearest(&q->snapshot, &a.placed, max_distance, &selection, &settings, &nears));
    proto_encode_nearest(&out, q->dimension, &nears, &q->stamp);
}

/* Makes the query about a set of inline shapes, which it reads. */
static void next_set(struct question *q) {
    const uint32_t count = next_count();
    gjk_body *bodies = list_of(count, sizeof *bodies);
    gjk_shape *shapes = list_of(count, sizeof *shapes);
    for (uint32_t i = 0; i < count && failed == GJK_OK; i++) {
        gjk_body *body = &bodies[i];
        *body = (gjk_body){.id = next_text(), .group = next_text(), .handle = i};
        body->category = next_integer(0, UINT32_MAX);
        body->mask = next_integer(0, UINT32_MAX);
        body->placed = (gjk_placed){&shapes[i], gjk_pose_identity()};
        next_shape(&arena, q->dimension, 0, &shapes[i]);
        if (failed == GJK_OK) {
            next_pose(q->dimension, &body->placed.pose);
        }
    }
    if (failed == GJK_OK) {
        fail(gjk_set_new(q->dimension, bodies, count, &q->brought));
    }
    if (q->brought != NULL) {
        q->snapshot = gjk_snapshot_of(q->brought);
    }
}

enum { CLOSEST, ANY }; /* modes; any other value means all */

static void raycast_set(struct question *q, const gjk_ray *ray, uint32_t mode, bool exits,
                        const gjk_ray_settings *settings) {
    gjk_selection selection = select_from(q, NULL, mode == CLOSEST ? 1 : q->limit);
    selection.rest_unasked = mode == CLOSEST;
    gjk_ray_hits hits;
    if (mode == ANY) {
        proto_encode_ray_any(&out, gjk_set_raycast_any(&q->snapshot, ray, &selection, settings),
                             &q->stamp);
        return;
    }
    fail(gjk_set_raycast(&q->snapshot, ray, &selection, settings, &hits));
    if (failed != GJK_OK) {
        return;
    }
    double *ways = exits ? list_of(hits.count, sizeof *ways) : NULL;
    for (uint32_t i = 0; exits && i < hits.count; i++) {
        const gjk_placed placed = gjk_snapshot_place(&q->snapshot, hits.items[i].body);
        fail(gjk_ray_exit(&placed, ray, &hits.items[i].result, settings, &ways[i]));
    }
    proto_encode_ray_hits(&out, q->dimension, &hits, ways, &q->stamp);
}

static void raycast(struct question *q) {
    gjk_ray_settings settings = gjk_ray_settings_default();
    settings.tolerance = q->tolerance;
    settings.max_iterations = q->max_iterations;
    settings.solid = next() != 0;
    const bool exits = next() != 0;
    const uint32_t mode = next_count(), form = next_count();
    const gjk_vec3 origin = next_vector(q->dimension), direction = next_vector(q->dimension);
    const double max_distance = next_reach();
    gjk_ray ray;
    if (failed == GJK_OK) {
        fail(gjk_ray_make(origin, direction, max_distance, &ray));
    }
    if (failed == GJK_OK && form == OF_ONE) {
        struct operand target;
        double way;
        next_operand(q, &target);
        if (failed != GJK_OK) {
            return;
        }
        gjk_ray_hit hit = {target.body != NULL ? target.body : &target.brought,
                           gjk_raycast(&target.placed, &ray, &settings)};
        const gjk_ray_hits hits = {&hit, hit.result.hit ? 1 : 0, false};
        if (mode == ANY) {
            proto_encode_ray_any(&out, hit.result.hit, &q->stamp);
            return;
        }
        if (exits && hits.count > 0) {
            fail(gjk_ray_exit(&target.placed, &ray, &hit.result, &settings, &way));
        }
        proto_encode_ray_hits(&out, q->dimension, &hits, exits ? &way : NULL, &q->stamp);
        return;
    }
    if (failed == GJK_OK && form == OF_SHAPES) {
        next_set(q);
    }
    if (failed == GJK_OK) {
        raycast_set(q, &ray, mode, exits, &settings);
    }
}

static void cast_set(struct question *q, const struct operand *moving,
                     const gjk_rigid_motion *motion, uint32_t mode,
                     const gjk_cast_settings *settings) {
    gjk_selection selection = select_from(q, moving->body, mode == CLOSEST ? 1 : q->limit);
    selection.rest_unasked = mode == CLOSEST;
    gjk_cast_hits hits;
    if (mode == ANY) {
        proto_encode_ray_any(&out,
                             gjk_set_cast_turning_any(&q->snapshot, &moving->placed, motion,
                                                      &selection, settings),
                             &q->stamp);
        return;
    }
    fail(gjk_set_cast_turning(&q->snapshot, &moving->placed, motion, &selection, settings, &hits));
    proto_encode_cast_hits(&out, q->dimension, &hits, &q->stamp);
}

static void cast(struct question *q) {
    gjk_cast_settings settings = gjk_cast_settings_default();
    settings.tolerance = q->tolerance;
    settings.max_iterations = q->max_iterations;
    settings.at_start = (gjk_at_start)next_count();
    const uint32_t mode = next_count(), form = next_count();
    struct operand moving, target;
    next_operand(q, &moving);
    if (failed != GJK_OK) {
        return;
    }
    gjk_rigid_motion motion;
    if (next() == 0) {
        motion = gjk_rigid_motion_straight(next_vector(q->dimension));
    } else {
        gjk_pose to = moving.placed.pose;
        next_pose(q->dimension, &to);
        motion = gjk_rigid_motion_between(q->dimension, &moving.placed.pose, &to);
    }
    if (failed == GJK_OK && form == OF_ONE) {
        next_operand(q, &target);
        if (failed != GJK_OK) {
            return;
        }
        gjk_cast_hit hit = {target.body != NULL ? target.body : &target.brought, {0}};
        if (target.body == NULL || target.body != moving.body) {
            hit.result = gjk_cast_turning(&moving.placed, &motion, &target.placed, &settings);
        }
        const gjk_cast_hits hits = {&hit, hit.result.hit ? 1 : 0, false};
        if (mode == ANY) {
            proto_encode_ray_any(&out, hit.result.hit, &q->stamp);
            return;
        }
        proto_encode_cast_hits(&out, q->dimension, &hits, &q->stamp);
        return;
    }
    if (failed == GJK_OK && form == OF_SHAPES) {
        next_set(q);
    }
    if (failed == GJK_OK) {
        cast_set(q, &moving, &motion, mode, &settings);
    }
}

/* Reads an optional number of a move. */
static void next_choice(double max, double *number) {
    if (next() != 0) {
        *number = next_within(0, max);
    }
}

static void move(struct question *q) {
    struct operand moving;
    gjk_move_result result = {.count = 0};
    next_operand(q, &moving);
    if (failed != GJK_OK) {
        return;
    }
    gjk_move way = gjk_move_make(&moving.placed, next_vector(q->dimension));
    way.tolerance = q->tolerance;
    way.max_iterations = q->max_iterations;
    way.has_up = next() != 0;
    if (way.has_up) {
        way.up = next_vector(q->dimension);
        if (way.up.x == 0 && way.up.y == 0 && way.up.z == 0) {
            fail(GJK_ZERO_DIRECTION);
        }
    }
    next_choice(1.5707963267948966, &way.max_slope);
    next_choice(GJK_COORDINATE_MAX, &way.step);
    next_choice(GJK_COORDINATE_MAX, &way.snap);
    next_choice(GJK_COORDINATE_MAX, &way.skin);
    next_choice(GJK_COORDINATE_MAX, &way.depenetrate);
    way.slides = next_integer(1, GJK_SLIDES_MAX);
    if (failed == GJK_OK) {
        const gjk_selection selection = select_from(q, moving.body, q->limit);
        fail(gjk_set_move(&q->snapshot, &way, &selection, &result));
        proto_encode_move(&out, q->dimension, &result, &q->stamp);
    }
}

/* --- Calls --- */

/* Begins a call. Returns memory for `count` numbers followed by `bytes` bytes of texts. */
EXPORT(begin) double *begin(uint32_t count, uint32_t bytes) {
    gjk_arena_reset(&arena);
    double *room = gjk_arena_alloc(&arena, count * sizeof *room + bytes + 1);
    numbers = room;
    texts = (const char *)(room + count);
    failed = room != NULL ? GJK_OK : GJK_OUT_OF_MEMORY;
    return room;
}

/* Edits the set. Returns a status. */
EXPORT(patch) uint32_t patch(struct scene *scene) {
    return edit(scene);
}

/* Answers a query. Returns a status; if it is 0, text() and length() are the answer. */
EXPORT(ask) uint32_t ask(proto_op op) {
    static void (*const answers[])(struct question *) = {
        [PROTO_OP_DETECT] = detect, [PROTO_OP_DISTANCE] = distance, [PROTO_OP_RAYCAST] = raycast,
        [PROTO_OP_CAST] = cast,     [PROTO_OP_MOVE] = move,
    };
    struct question question = next_question();
    proto_buffer_init(&out, &arena);
    if (failed == GJK_OK) {
        answers[op](&question);
    }
    gjk_set_release(question.brought);
    return out.failed ? GJK_OUT_OF_MEMORY : failed;
}

EXPORT(text) const char *text(void) {
    return out.data;
}

EXPORT(length) uint32_t length(void) {
    return (uint32_t)out.length;
}

EXPORT(status_text) const char *status_text(gjk_status status) {
    return gjk_status_text(status);
}

/* Returns an entry of the table of kinds. what: 0, 1 the kind's names in 2D and 3D; of a member: 2
 * name, 3 form, 4 is_optional, 5 replaces, 6 and up choices. Texts are addresses, or 0 for none. */
EXPORT(kind) uintptr_t kind(uint32_t i, uint32_t member, uint32_t what) {
    if (i >= GJK_KIND_COUNT) {
        return 0;
    }
    const gjk_member *m = &gjk_kinds[i].members[member];
    switch (what) {
    case 0:
    case 1:
        return (uintptr_t)gjk_kinds[i].names[what];
    case 2:
        return (uintptr_t)m->name;
    case 3:
        return m->form;
    case 4:
        return m->is_optional;
    case 5:
        return m->replaces;
    default:
        return (uintptr_t)m->choices[what - 6];
    }
}
