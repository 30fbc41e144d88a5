/* Chains: the segments between successive vertices, in 2D. */

#include "shape/pieces.h"

#include "base/finite.h"

static gjk_status check(const gjk_vec2 *vertices, uint32_t count, bool closed,
                        gjk_pieces_fault *fault) {
    *fault = (gjk_pieces_fault){.depth = 0};
    if (count < 2) {
        return GJK_TOO_FEW_POINTS;
    }
    if (count - !closed > GJK_PIECES_MAX) {
        return GJK_TOO_MANY_POINTS;
    }
    for (uint32_t i = 0; i < count; i++) {
        const double numbers[2] = {vertices[i].x, vertices[i].y};
        for (uint32_t axis = 0; axis < 2; axis++) {
            gjk_status status = gjk_check_coordinate(numbers[axis]);
            if (status != GJK_OK) {
                *fault = (gjk_pieces_fault){.index = {i, axis}, .depth = 2};
                return status;
            }
        }
    }
    return GJK_OK;
}

gjk_status gjk_shape_make_chain(struct gjk_arena *arena, const gjk_vec2 *vertices, uint32_t count,
                                bool closed, double rounding, gjk_pieces_fault *fault,
                                gjk_shape *out) {
    gjk_status status = check(vertices, count, closed, fault);
    status = status == GJK_OK ? gjk_check_length(rounding) : status;
    if (status != GJK_OK) {
        return status;
    }
    struct gjk_pieces *pieces = gjk_pieces_new(arena, GJK_CHAIN, 2);
    if (pieces == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    pieces->count = closed ? count : count - 1;
    pieces->rounding = rounding;
    pieces->closed = closed;
    pieces->chain.count = count;
    pieces->chain.vertices = gjk_pieces_copy(pieces, vertices, count, sizeof *vertices);
    return pieces->chain.vertices != NULL ? gjk_pieces_finish(pieces, arena, out)
                                          : GJK_OUT_OF_MEMORY;
}
