/* Compounds: convex shapes at poses of their own within the whole. */

#include "shape/pieces.h"

/* A copy of a convex shape whose columns live in the pieces' memory. */
static const gjk_shape *copy_shape(struct gjk_pieces *pieces, const gjk_shape *shape) {
    gjk_shape *copy = gjk_pieces_copy(pieces, shape, 1, sizeof *shape);
    if (copy != NULL && shape->count > 0) {
        copy->columns =
            gjk_pieces_copy(pieces, shape->columns, (size_t)shape->column_count * shape->stride,
                            sizeof *shape->columns);
    }
    return copy != NULL && (copy->count == 0 || copy->columns != NULL) ? copy : NULL;
}

static gjk_status copy_parts(struct gjk_pieces *pieces, const gjk_placed *parts, uint32_t count) {
    gjk_placed *copies = gjk_arena_alloc_array(&pieces->memory, count, sizeof *copies);
    if (copies == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        GJK_ASSERT(parts[i].shape->pieces == NULL);
        GJK_ASSERT(parts[i].shape->dimension == pieces->dimension);
        copies[i] = (gjk_placed){copy_shape(pieces, parts[i].shape), parts[i].pose};
        if (copies[i].shape == NULL) {
            return GJK_OUT_OF_MEMORY;
        }
    }
    pieces->count = count;
    pieces->compound.parts = copies;
    return GJK_OK;
}

gjk_status gjk_shape_make_compound(struct gjk_arena *arena, uint32_t dimension,
                                   const gjk_placed *parts, uint32_t count, gjk_shape *out) {
    GJK_ASSERT(dimension == 2 || dimension == 3);
    if (count == 0 || count > GJK_PARTS_MAX) {
        return count == 0 ? GJK_TOO_FEW_POINTS : GJK_TOO_MANY_POINTS;
    }
    struct gjk_pieces *pieces = gjk_pieces_new(arena, GJK_COMPOUND, dimension);
    if (pieces == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    gjk_status status = copy_parts(pieces, parts, count);
    return status == GJK_OK ? gjk_pieces_finish(pieces, arena, out) : status;
}
