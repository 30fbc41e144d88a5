/*
 * Height fields: samples on a grid, each cell two triangles. Nothing is stored but the heights; the
 * triangles are made where they are asked for. A cell with a hole at a corner has none.
 */

#include "shape/pieces.h"

#include "base/finite.h"

#include <math.h>

static gjk_status check(const gjk_heightfield *field, double rounding, gjk_pieces_fault *fault) {
    *fault = (gjk_pieces_fault){.depth = 0};
    if (field->columns < 2 || field->rows < 2) {
        return GJK_TOO_FEW_POINTS;
    }
    if ((uint64_t)(field->columns - 1) * (field->rows - 1) > GJK_PIECES_MAX / 2) {
        return GJK_TOO_MANY_POINTS;
    }
    for (uint32_t i = 0; i < 2; i++) {
        double extent = field->spacing[i] * ((i == 0 ? field->columns : field->rows) - 1);
        gjk_status status = gjk_check_length(field->spacing[i]);
        status = status == GJK_OK ? gjk_check_length(extent) : status;
        if (status == GJK_OK && field->spacing[i] == 0.0) {
            status = GJK_OUT_OF_RANGE;
        }
        if (status != GJK_OK) {
            return status;
        }
    }
    for (uint32_t i = 0; i < field->columns * field->rows; i++) {
        gjk_status status = gjk_check_coordinate(field->heights[i]);
        if (status != GJK_OK && !isnan(field->heights[i])) {
            *fault = (gjk_pieces_fault){.index = {i}, .depth = 1};
            return status;
        }
    }
    return gjk_check_length(rounding);
}

bool gjk_heightfield_samples(const struct gjk_pieces *pieces, uint32_t piece, uint32_t indices[3]) {
    const gjk_heightfield *field = &pieces->heightfield;
    const uint32_t cell = piece / 2, columns = field->columns;
    const uint32_t first = cell / (columns - 1) * columns + cell % (columns - 1);
    const uint32_t corners[4] = {first, first + 1, first + columns + 1, first + columns};
    for (int i = 0; i < 4; i++) {
        if (isnan(field->heights[corners[i]])) {
            return false;
        }
    }
    indices[0] = corners[0];
    indices[1] = piece % 2 == 0 ? corners[1] : corners[2];
    indices[2] = piece % 2 == 0 ? corners[2] : corners[3];
    return true;
}

static gjk_vec3 sample_at(const struct gjk_pieces *pieces, uint32_t sample) {
    const gjk_heightfield *field = &pieces->heightfield;
    const uint32_t column = sample % field->columns, row = sample / field->columns;
    return (gjk_vec3){column * field->spacing[0], row * field->spacing[1], field->heights[sample]};
}

static bool has_cells(const struct gjk_pieces *pieces) {
    for (uint32_t i = 0; i < pieces->count; i += 2) {
        if (gjk_piece_exists(pieces, i)) {
            return true;
        }
    }
    return false;
}

gjk_status gjk_shape_make_heightfield(struct gjk_arena *arena, const gjk_heightfield *field,
                                      double rounding, gjk_pieces_fault *fault, gjk_shape *out) {
    gjk_status status = check(field, rounding, fault);
    if (status != GJK_OK) {
        return status;
    }
    struct gjk_pieces *pieces = gjk_pieces_new(arena, GJK_HEIGHTFIELD, 3);
    if (pieces == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    const uint32_t cells = (field->columns - 1) * (field->rows - 1);
    pieces->count = 2 * cells;
    pieces->rounding = rounding;
    pieces->one_sided = field->one_sided;
    pieces->heightfield = *field;
    pieces->heightfield.heights =
        gjk_pieces_copy(pieces, field->heights, (size_t)field->columns * field->rows,
                        sizeof(double));
    if (field->materials != NULL) {
        pieces->materials = gjk_pieces_copy(pieces, field->materials, cells, sizeof(uint32_t));
    }
    pieces->heightfield.materials = pieces->materials;
    if (pieces->heightfield.heights == NULL ||
        (field->materials != NULL && pieces->materials == NULL)) {
        return GJK_OUT_OF_MEMORY;
    }
    if (!has_cells(pieces)) {
        return GJK_TOO_FEW_POINTS;
    }
    status = gjk_pieces_find_seeds(pieces, field->columns * field->rows, gjk_heightfield_samples,
                                   sample_at);
    return status == GJK_OK ? gjk_pieces_finish(pieces, arena, out) : status;
}
