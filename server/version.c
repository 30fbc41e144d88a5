/*
 * How does a decoded body become a version that thousands of readers share? Everything is
 * copied once, in the order of ids, into one arena of exactly the size it needs, away from
 * the request's arena with its parse tree. Counting references is all the sharing there is.
 */

#include "version.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* 4294967295 means "no shape" on the wire. */
#define HANDLES_END UINT32_MAX

/* A random number; 0 and false when the kernel has none to give. */
static bool make_incarnation(uint64_t *out) {
    *out = 0;
    return getrandom(out, sizeof *out, 0) == (ssize_t)sizeof *out;
}

static bool copy_text(struct gjk_arena *arena, proto_text text, proto_text *out) {
    if (text.data == NULL) {
        *out = (proto_text){NULL, 0};
        return true;
    }
    out->length = text.length;
    out->data = gjk_arena_copy_text(arena, text.data, text.length);
    return out->data != NULL;
}

/* The shape and, unless it is a curve, its columns. */
static const gjk_shape *copy_shape(struct gjk_arena *arena, const gjk_shape *shape) {
    size_t count = (size_t)shape->column_count * shape->stride;
    gjk_shape *copy = gjk_arena_alloc(arena, sizeof *copy);
    if (copy == NULL) {
        return NULL;
    }
    *copy = *shape;
    if (count > 0) {
        double *columns = gjk_arena_alloc_array(arena, count, sizeof *columns);
        if (columns == NULL) {
            return NULL;
        }
        memcpy(columns, shape->columns, count * sizeof *columns);
        copy->columns = columns;
    }
    return copy;
}

static bool copy_body(struct gjk_arena *arena, const proto_named_shape *from, gjk_body *body,
                      proto_text *definition) {
    const proto_shape *shape = &from->shape;
    body->id = gjk_arena_copy_text(arena, from->id, strlen(from->id));
    body->group = NULL;
    if (shape->group != NULL) {
        body->group = gjk_arena_copy_text(arena, shape->group, strlen(shape->group));
    }
    body->category = shape->category;
    body->mask = shape->mask;
    body->turn = shape->turn;
    body->teleport = false;
    body->placed.shape = copy_shape(arena, &shape->shape);
    body->placed.pose = shape->pose;
    return body->id != NULL && (body->group != NULL || shape->group == NULL) &&
           body->placed.shape != NULL && copy_text(arena, shape->definition, definition);
}

/* Both lists are in the order of ids: walk them side by side. */
static gjk_status give_handles(struct gjkd_version *version, gjk_body *bodies, uint32_t count,
                               const struct gjkd_version *previous) {
    uint32_t old_count = previous != NULL ? gjk_set_count(previous->set) : 0;
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        while (at < old_count && strcmp(gjk_set_body(previous->set, at)->id, bodies[i].id) < 0) {
            at++;
        }
        const gjk_body *old = at < old_count ? gjk_set_body(previous->set, at) : NULL;
        if (old != NULL && strcmp(old->id, bodies[i].id) == 0) {
            bodies[i].handle = old->handle;
        } else if (version->next_handle < HANDLES_END) {
            bodies[i].handle = (uint32_t)version->next_handle++;
        } else {
            return GJK_OUT_OF_RANGE;
        }
    }
    return GJK_OK;
}

static gjk_status fill_bodies(struct gjkd_version *version, const proto_set *body,
                              const struct gjkd_version *previous) {
    uint32_t count = body->shape_count;
    gjk_body *bodies = gjk_arena_alloc_array(&version->arena, count, sizeof *bodies);
    proto_text *definitions = gjk_arena_alloc_array(&version->arena, count, sizeof *definitions);
    gjk_status status = bodies != NULL && definitions != NULL ? GJK_OK : GJK_OUT_OF_MEMORY;
    for (uint32_t i = 0; status == GJK_OK && i < count; i++) {
        if (!copy_body(&version->arena, &body->shapes[i], &bodies[i], &definitions[i])) {
            status = GJK_OUT_OF_MEMORY;
        } else if (bodies[i].placed.shape->count > version->points_max) {
            version->points_max = bodies[i].placed.shape->count;
        }
    }
    if (status == GJK_OK) {
        status = give_handles(version, bodies, count, previous);
    }
    if (status == GJK_OK) {
        status = gjk_set_new(version->dimension, bodies, count, &version->set);
    }
    version->definitions = definitions;
    return status;
}

static gjk_status fill(struct gjkd_version *version, const char *name, const proto_set *body,
                       const struct gjkd_version *previous) {
    if (previous != NULL) {
        version->incarnation = previous->incarnation;
        version->revision = previous->revision + 1;
        version->next_handle = previous->next_handle;
    } else {
        version->revision = 1;
        version->next_handle = 1;
        if (!make_incarnation(&version->incarnation)) {
            return GJK_OUT_OF_MEMORY;
        }
    }
    version->dimension = body->dimension;
    version->has_history = body->has_history;
    version->history_ticks = body->history_ticks;
    version->name = gjk_arena_copy_text(&version->arena, name, strlen(name));
    if (version->name == NULL || !copy_text(&version->arena, body->meta, &version->meta)) {
        return GJK_OUT_OF_MEMORY;
    }
    gjk_status status = fill_bodies(version, body, previous);
    version->bytes = sizeof *version + version->arena.used_bytes;
    return status;
}

gjk_status gjkd_version_new(const char *name, const proto_set *body,
                            const struct gjkd_version *previous, struct gjkd_version **out) {
    struct gjkd_version *version = calloc(1, sizeof *version);
    if (version == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    atomic_init(&version->references, 1);
    gjk_arena_init(&version->arena, 0);
    gjk_status status = fill(version, name, body, previous);
    if (status != GJK_OK) {
        gjkd_version_release(version);
        return status;
    }
    *out = version;
    return GJK_OK;
}

struct gjkd_version *gjkd_version_retain(struct gjkd_version *version) {
    atomic_fetch_add_explicit(&version->references, 1, memory_order_relaxed);
    return version;
}

void gjkd_version_release(struct gjkd_version *version) {
    if (version == NULL ||
        atomic_fetch_sub_explicit(&version->references, 1, memory_order_acq_rel) != 1) {
        return;
    }
    gjk_set_release(version->set);
    gjk_arena_fini(&version->arena);
    free(version);
}

proto_summary gjkd_version_summary(const struct gjkd_version *version) {
    return (proto_summary){
        .name = version->name,
        .dimension = version->dimension,
        .revision = version->revision,
        .shapes = gjk_set_count(version->set),
        .bytes = version->bytes,
    };
}

void gjkd_version_etag(const struct gjkd_version *version, char etag[GJKD_ETAG_MAX]) {
    gjkd_etag_format(etag, version->incarnation, version->revision);
}
