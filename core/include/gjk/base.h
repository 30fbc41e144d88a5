#ifndef GJK_BASE_H
#define GJK_BASE_H

/*
 * The core reports errors on three channels:
 *   bad input           -> a gjk_status that must be used (constructors only)
 *   a programmer's error -> GJK_ASSERT
 *   a numerical outcome -> fields of the result (state, convergence, bounds)
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Enclose the declarations of every public header. The shared library exports only what these
 * headers declare. In C++17 the declarations have C linkage, and literals of values use C++
 * syntax. */
#ifdef __cplusplus
#define GJK_BEGIN \
    extern "C" {  \
    _Pragma("GCC visibility push(default)")
#define GJK_END                   \
    _Pragma("GCC visibility pop") \
    }
#define GJK_LITERAL(type) type
/* clang-format off */
#define GJK_ZERO {}
/* clang-format on */
#else
#define GJK_BEGIN _Pragma("GCC visibility push(default)")
#define GJK_END _Pragma("GCC visibility pop")
#define GJK_LITERAL(type) (type)
/* clang-format off */
#define GJK_ZERO {0}
/* clang-format on */
#endif

GJK_BEGIN

/* Table of the core's statuses: name and a short English text. */
#define GJK_STATUS_MAP(X)                                                  \
    X(OK, "ok")                                                            \
    X(OUT_OF_MEMORY, "out of memory")                                      \
    X(NOT_FINITE, "a number is not finite")                                \
    X(OUT_OF_RANGE, "a number is outside the range of the shape")          \
    X(TOO_FEW_POINTS, "the shape needs more points")                       \
    X(TOO_MANY_POINTS, "the shape has more points than can be kept")       \
    X(NOT_CONVEX, "the polygon is concave, crosses itself or has no area") \
    X(BAD_ORIENTATION, "the quaternion is not of unit length")             \
    X(ZERO_DIRECTION, "the direction has no length")                       \
    X(BAD_INDEX, "an index lies past the end")                             \
    X(NOT_CLOSED, "an edge has not two triangles in opposite directions")  \
    X(NOT_SIMPLE, "the rings cross themselves or each other")              \
    X(DUPLICATE_ID, "two shapes of one set have the same id")              \
    X(GIVEN_UP, "the caller has given up")

typedef enum gjk_status {
#define X(name, text) GJK_##name,
    GJK_STATUS_MAP(X)
#undef X
} gjk_status;

#define GJK_MUST_USE __attribute__((warn_unused_result))

/* Returns the text of a status. Never NULL; static storage. */
const char *gjk_status_text(gjk_status status);

/* Calls the handler that gjk_set_assert_handler installed, or without one prints to standard error,
 * and then aborts. Assertions check what the caller promised, never a user's data. */
typedef void (*gjk_assert_handler)(const char *condition, const char *file, int line);
void gjk_set_assert_handler(gjk_assert_handler handler);
void gjk_assert_failed(const char *condition, const char *file, int line) __attribute__((noreturn));

#ifdef NDEBUG
#define GJK_ASSERT(condition) ((void)0)
#else
#define GJK_ASSERT(condition) \
    ((condition) ? (void)0 : gjk_assert_failed(#condition, __FILE__, __LINE__))
#endif

/* Asserts in every build. For indices into fixed arrays whose range rests on a proof alone: if the
 * proof is wrong, the process ends instead of writing into other memory. */
#define GJK_CHECK(condition)                      \
    (__builtin_expect(!!(condition), 1) ? (void)0 \
                                        : gjk_assert_failed(#condition, __FILE__, __LINE__))

/* Largest magnitude of a coordinate or length that a shape, pose or ray may have. Queries work in
 * units of a power of two near the pair's own size, so products of three lengths neither overflow
 * nor vanish. */
#define GJK_COORDINATE_MAX 1e150

GJK_END

#endif
