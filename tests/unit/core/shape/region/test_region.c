/* Which rings make a region, and where is what does not? */

#include "gjk/pieces.h"

#include <stdlib.h>
#include <string.h>

#include "failing_malloc.h"
#include "support/test.h"

static struct gjk_arena arena;
static gjk_pieces_fault fault;
static gjk_shape shape;

static void set_up(void) {
    gjk_arena_init(&arena, 0);
    fault = (gjk_pieces_fault){.depth = 7};
}

static void tear_down(void) {
    gjk_arena_fini(&arena);
}

TEST_FIXTURE(set_up, tear_down)

/* Makes a region from rings that are given as text: numbers of a ring, "/" before a hole, ";"
 * before another polygon. */
static gjk_status make_rounded(const char *text, double rounding) {
    static gjk_vec2 vertices[64];
    static uint32_t ring_sizes[16], polygon_sizes[16];
    uint32_t vertex_count = 0, ring = 0, polygon = 0;
    memset(ring_sizes, 0, sizeof ring_sizes);
    memset(polygon_sizes, 0, sizeof polygon_sizes);
    polygon_sizes[0] = 1;
    while (*text != '\0') {
        if (*text == '/' || *text == ';') {
            ring++;
            polygon += *text == ';';
            polygon_sizes[polygon]++;
            text++;
        } else if (*text == ' ') {
            text++;
        } else {
            char *end;
            const double x = strtod(text, &end);
            const double y = strtod(end + 1, &end);
            vertices[vertex_count++] = (gjk_vec2){x, y};
            ring_sizes[ring]++;
            text = end;
        }
    }
    const gjk_region region = {.vertices = vertices,
                               .ring_sizes = ring_sizes,
                               .polygon_sizes = polygon_sizes,
                               .polygon_count = polygon + 1};
    return gjk_shape_make_region(&arena, &region, rounding, &fault, &shape);
}

static gjk_status make(const char *text) {
    return make_rounded(text, 0);
}

static void check_pieces(const char *text, uint32_t count) {
    ck_assert_msg(make(text) == GJK_OK, "%s", text);
    ck_assert_msg(gjk_pieces_count(shape.pieces) == count, "%s: %u pieces", text,
                  gjk_pieces_count(shape.pieces));
}

static void check_refused(const char *text, gjk_status status, uint32_t depth, uint32_t polygon,
                          uint32_t ring, uint32_t vertex) {
    const uint32_t index[3] = {polygon, ring, vertex};
    const gjk_status got = make(text);
    ck_assert_msg(got == status, "%s: %s", text, gjk_status_text(got));
    ck_assert_msg(fault.depth == depth, "%s: depth %u", text, fault.depth);
    for (uint32_t i = 0; i < depth; i++) {
        ck_assert_msg(fault.index[i] == index[i], "%s: {%u, %u, %u}", text, fault.index[0],
                      fault.index[1], fault.index[2]);
    }
}

static void check_not_simple(const char *text, uint32_t polygon, uint32_t ring, uint32_t vertex) {
    check_refused(text, GJK_NOT_SIMPLE, 3, polygon, ring, vertex);
}

#define SQUARE "0,0 8,0 8,8 0,8"

TEST(convex_rings_are_one_piece) {
    check_pieces("0,0 1,0 0,1", 1);
    check_pieces("0,0 0,1 1,0", 1);
    check_pieces(SQUARE, 1);
    check_pieces(SQUARE " 0,0", 1);
    check_pieces("0,0 4,0 4,0 8,0 8,8 8,8 8,8 4,8 0,8 0,4 0,0 0,0", 1);
    check_pieces("-0.0,0 1,0 0,1 0,-0.0", 1);
}

TEST(concave_rings_are_cut) {
    check_pieces("0,0 4,0 4,1 1,1 1,4 0,4", 2);                         /* an L */
    check_pieces("0,0 3,0 3,1 2,1 2,3 1,3 1,1 0,1", 2);                 /* a T */
    check_pieces("1,0 2,0 2,1 3,1 3,2 2,2 2,3 1,3 1,2 0,2 0,1 1,1", 3); /* a cross */
    check_pieces("0,0 1,1 2,0 2,2 1,1 0,2", 2);                         /* touches itself */
    check_pieces(SQUARE "; 10,0 11,0 10,1", 2);                         /* two polygons */
    check_pieces(SQUARE "; 8,8 9,8 8,9", 2);                            /* that touch */
    check_pieces(SQUARE "; 8,4 9,4 9,5", 2);                            /* on an edge */
    check_pieces("0,0 8,0 8,8 0,8 / 1,1 7,1 7,7 1,7; 2,2 4,2 2,4", 5);  /* in its hole */
}

TEST(holes_are_left_out) {
    const char *const regions[] = {
        SQUARE "/ 3,3 5,3 5,5 3,5",               /* apart */
        SQUARE "/ 0,0 2,1 1,2",                   /* touching a vertex */
        SQUARE "/ 0,4 2,3 2,5",                   /* touching an edge */
        SQUARE "/ 0,4 4,0 8,4 4,8",               /* touching all: four corners remain */
        SQUARE "/ 2,2 4,4 2,4 / 6,6 4,4 6,4",     /* touching each other */
        SQUARE "/ 2,2 4,2 4,4 2,4 / 4,3 5,3 5,5", /* a vertex on an edge */
    };
    for (uint32_t i = 0; i < sizeof regions / sizeof regions[0]; i++) {
        ck_assert_msg(make(regions[i]) == GJK_OK, "%s", regions[i]);
    }
    check_pieces(regions[3], 4);
}

TEST(rings_of_too_few_points) {
    check_refused("", GJK_TOO_FEW_POINTS, 2, 0, 0, 0);
    check_refused("1,1", GJK_TOO_FEW_POINTS, 2, 0, 0, 0);
    check_refused("1,1 2,2 1,1", GJK_TOO_FEW_POINTS, 2, 0, 0, 0);
    check_refused("1,1 2,2 1,1 2,2 1,1", GJK_TOO_FEW_POINTS, 2, 0, 0, 0);
    check_refused("1,1 1,1 1,1 1,1", GJK_TOO_FEW_POINTS, 2, 0, 0, 0);
    check_refused(SQUARE "/ 1,1 2,2", GJK_TOO_FEW_POINTS, 2, 0, 1, 0);
    check_refused(SQUARE "; 9,9 10,10", GJK_TOO_FEW_POINTS, 2, 1, 0, 0);

    const gjk_vec2 vertices[3] = {{0, 0}, {1, 0}, {0, 1}};
    const uint32_t ring_size = 3, polygon_sizes[2] = {1, 0};
    gjk_region region = {.vertices = vertices,
                         .ring_sizes = &ring_size,
                         .polygon_sizes = polygon_sizes,
                         .polygon_count = 2};
    ck_assert_int_eq(gjk_shape_make_region(&arena, &region, 0, &fault, &shape), GJK_TOO_FEW_POINTS);
    ck_assert_uint_eq(fault.depth, 1);
    ck_assert_uint_eq(fault.index[0], 1);
    region.polygon_count = 0;
    ck_assert_int_eq(gjk_shape_make_region(&arena, &region, 0, &fault, &shape), GJK_TOO_FEW_POINTS);
    ck_assert_uint_eq(fault.depth, 0);
}

TEST(no_rings_at_all) { /* and so no arrays */
    const gjk_region region = {.fill = GJK_FILL_NONZERO};
    ck_assert_int_eq(gjk_shape_make_region(&arena, &region, 0, &fault, &shape), GJK_OK);
    ck_assert_uint_eq(gjk_pieces_count(shape.pieces), 0);
}

TEST(numbers_out_of_range) {
    check_refused(SQUARE "/ 1,1 2,1 2,nan", GJK_NOT_FINITE, 3, 0, 1, 2);
    check_refused(SQUARE "; 9,9 10,9 inf,10", GJK_NOT_FINITE, 3, 1, 0, 2);
    check_refused("0,0 1e150,0 0,1.0000001e150", GJK_OUT_OF_RANGE, 3, 0, 0, 2);
    check_pieces("0,0 1e150,0 0,1e150", 1);
    ck_assert_int_eq(make_rounded(SQUARE, -1), GJK_OUT_OF_RANGE);
    ck_assert_uint_eq(fault.depth, 0);
}

TEST(rings_of_too_many_points) {
    gjk_vec2 *vertices = calloc(GJK_PIECES_MAX, sizeof *vertices); /* which coincide */
    const uint32_t polygon_size = 1;
    uint32_t ring_size = GJK_PIECES_MAX;
    const gjk_region region = {.vertices = vertices,
                               .ring_sizes = &ring_size,
                               .polygon_sizes = &polygon_size,
                               .polygon_count = 1};
    ck_assert_ptr_nonnull(vertices);
    ck_assert_int_eq(gjk_shape_make_region(&arena, &region, 0, &fault, &shape), GJK_TOO_FEW_POINTS);
    ring_size++;
    ck_assert_int_eq(gjk_shape_make_region(&arena, &region, 0, &fault, &shape),
                     GJK_TOO_MANY_POINTS);
    free(vertices);
}

TEST(crossing_rings) {
    check_not_simple("0,0 2,2 2,0 0,2", 0, 0, 2);         /* a bow tie */
    check_not_simple("0,0 1,1 2,2 2,0 1,1 0,2", 0, 0, 4); /* its edges meet at a vertex */
    check_not_simple("0,0 0,0 2,2 2,2 2,0 0,2", 0, 0, 4); /* counted as they were given */
    check_not_simple("0,0 4,4 2,2", 0, 0, 2);             /* no area */
    check_not_simple("0,0 4,0 4,4 4,2 0,2", 0, 0, 2);     /* turns back */
    check_not_simple(SQUARE "/ 6,4 10,3 10,5", 0, 1, 0);  /* a hole over the edge */
    check_not_simple(SQUARE "/ 1,1 7,1 7,7 1,7 / 2,0.5 3,2 1.5,2", 0, 2, 2);
    check_not_simple(SQUARE "; 4,4 12,4 12,12 4,12", 1, 0, 0); /* polygons overlap */
    check_not_simple(SQUARE "/ 0,2 4,2 4,4 0,4", 0, 1, 3);     /* runs along an edge */
    check_not_simple(SQUARE "; 8,0 16,0 16,8 8,8", 1, 0, 3);   /* so do these */
    check_not_simple(SQUARE "/ " SQUARE, 0, 1, 0);             /* the same ring twice */
    check_not_simple(SQUARE "; 8,8 8,0 0,0 0,8", 1, 0, 1);
}

TEST(rings_where_they_must_not_be) {
    check_not_simple(SQUARE "/ 10,0 11,0 10,1", 0, 1, 0);                /* a hole outside */
    check_not_simple(SQUARE "/ 8,4 9,3 9,5", 0, 1, 0);                   /* touching */
    check_not_simple(SQUARE "/ 1,1 7,1 7,7 1,7 / 2,2 4,2 2,4", 0, 2, 0); /* in a hole */
    check_not_simple(SQUARE "; 2,2 4,2 2,4", 1, 0, 0);                   /* a polygon inside */
    check_not_simple("2,2 4,2 2,4; " SQUARE, 0, 0, 0);
    check_not_simple(SQUARE "; 10,0 18,0 18,8 10,8 / 1,1 2,1 1,2", 1, 1, 0); /* another's hole */
    check_not_simple("3,3 5,3 5,5 3,5 / " SQUARE, 0, 1, 0); /* round its outer one */
}

TEST(what_was_given_is_kept) {
    gjk_region rings;
    ck_assert_int_eq(make("0,0 4,0 4,0 4,4 0,0 / 2,1 3,1 3,2; 9,9 10,9 9,10"), GJK_OK);
    ck_assert(gjk_pieces_region(shape.pieces, &rings));
    ck_assert_uint_eq(rings.polygon_count, 2);
    ck_assert_uint_eq(rings.polygon_sizes[0], 2);
    ck_assert_uint_eq(rings.polygon_sizes[1], 1);
    ck_assert_uint_eq(rings.ring_sizes[0], 5);
    ck_assert_uint_eq(rings.ring_sizes[1], 3);
    ck_assert_uint_eq(rings.ring_sizes[2], 3);
    ck_assert_double_eq(rings.vertices[2].x, 4);
    ck_assert_double_eq(rings.vertices[10].y, 10);
}

TEST(pieces_are_convex_polygons) {
    ck_assert_int_eq(make_rounded("0,0 4,0 4,1 1,1 1,4 0,4", 0.25), GJK_OK);
    ck_assert_int_eq(shape.type, GJK_REGION);
    ck_assert_uint_eq(shape.dimension, 2);
    ck_assert_double_eq_tol(shape.half_extents.x, 2.25, 1e-13);
    const gjk_placed whole = {&shape, gjk_pose_identity()};
    for (uint32_t i = 0; i < gjk_pieces_count(shape.pieces); i++) {
        gjk_piece piece;
        const gjk_vec2 *corners;
        gjk_piece_make(&whole, i, &piece);
        ck_assert_int_eq(piece.placed.shape->type, GJK_POLYGON);
        ck_assert_uint_eq(piece.placed.shape->count, gjk_pieces_polygon(shape.pieces, i, &corners));
        ck_assert_double_eq(piece.placed.shape->radius, 0.25);
    }
}

TEST(slivers_are_pieces) {
    check_pieces("0,0 1,0 2,1e-300", 1);
    check_pieces("1,1 2,2 3,3.0000000000000004", 1);
    check_pieces("0,0 1e-200,0 0,1e-200", 1);
    check_pieces("1e150,0 -1e150,0 0,1e-300", 1);
}

TEST(memory_runs_out) {
    for (unsigned n = 0;; n++) {
        gjk_arena_fini(&arena);
        gjk_arena_init(&arena, 0);
        test_malloc_fail(n);
        const gjk_status status = make(SQUARE "/ 3,3 5,3 5,5 3,5");
        const bool failed = test_malloc_restore();
        ck_assert_int_eq(status, failed ? GJK_OUT_OF_MEMORY : GJK_OK);
        if (!failed) {
            ck_assert_uint_gt(n, 3);
            return;
        }
    }
}
