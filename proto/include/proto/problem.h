#ifndef PROTO_PROBLEM_H
#define PROTO_PROBLEM_H

/* Problems: the table of all codes by which requests are refused, and the description of one
 * refusal. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * X(NAME, HTTP status, "code", "title", "text"). The title is the same for every occurrence. The
 * text explains cause and remedy; GET of the problem's `type` URL returns it.
 */
/* clang-format off */
#define PROTO_PROBLEM_TABLE(X)                                                                    \
    X(MALFORMED_JSON, 400, "malformed-json", "The body is not well-formed JSON.",                 \
      "The detail tells line and column of the first fault. Besides plain syntax errors these "   \
      "are refused: a member that stands twice in one object, a number too large for a double, "  \
      "invalid UTF-8, a NUL in a member's name, and arrays or objects nested deeper than 64.")    \
    X(MALFORMED_PROTOBUF, 400, "malformed-protobuf", "The body is not a well-formed message.",    \
      "The bytes do not decode as the message that this route takes. Check the schema's "         \
      "version, the Content-Type and that the whole message was sent.")                           \
    X(BAD_REQUEST, 400, "bad-request", "The request makes no sense as it stands.",                \
      "Something outside the body is at fault: an unknown query parameter, a header that cannot " \
      "be read, a path that is not validly escaped. The detail names it.")                        \
    X(UNAUTHENTICATED, 401, "unauthenticated", "A valid token is needed.",                        \
      "Send Authorization: Bearer TOKEN with a token that the daemon knows.")                     \
    X(FORBIDDEN, 403, "forbidden", "This request is not allowed.",                                \
      "The token's scope or prefix does not cover what was asked, or the Host header is neither " \
      "an IP literal, localhost nor an allowed host.")                                            \
    X(ROUTE_NOT_FOUND, 404, "route-not-found", "There is nothing at this path.",                  \
      "No operation has this path. Paths begin with /v1; GET /v1 lists where to go from there.")  \
    X(SET_NOT_FOUND, 404, "set-not-found", "There is no set of this name.",                       \
      "The set was never stored or has been deleted. GET /v1/sets lists those that exist.")       \
    X(SHAPE_NOT_FOUND, 404, "shape-not-found", "There is no shape of this id in the set.",        \
      "The id in the path or in an operand names no shape of this set's version.")                \
    X(METHOD_NOT_ALLOWED, 405, "method-not-allowed", "This path does not take this method.",      \
      "The Allow header lists the methods that it takes.")                                        \
    X(NOT_ACCEPTABLE, 406, "not-acceptable", "The reply cannot take the form asked for.",         \
      "The Accept header excludes every form that this route can answer in.")                     \
    X(UNSUPPORTED_MEDIA_TYPE, 415, "unsupported-media-type",                                      \
      "The body's type is missing or is not taken here.",                                         \
      "Send Content-Type: application/json with the body.")                                       \
    X(TICK_CONFLICT, 409, "tick-conflict", "The tick does not follow the newest one.",            \
      "Ticks of a set only go up, and only a set with a history keeps any. Repeating a kept tick "\
      "with the same bytes is allowed.")                                                          \
    X(TICK_IN_FUTURE, 409, "tick-in-future", "The tick is newer than the newest one.",            \
      "The set has not reached that tick yet. Ask again when it has, or ask for an older one.")   \
    X(TICK_EXPIRED, 410, "tick-expired", "The tick is no longer kept.",                           \
      "The set keeps only its last ticks, or none at all; this one is older than the oldest.")    \
    X(REVISION_MISMATCH, 412, "revision-mismatch", "The set is not at the revision expected.",    \
      "Somebody else wrote in between, or the set exists already. Read it again, merge, retry "   \
      "with the new ETag.")                                                                       \
    X(BODY_TOO_LARGE, 413, "body-too-large", "The body is larger than the limit.",                \
      "The limit is body_bytes_max of GET /v1. Split a large set into several requests.")         \
    X(URI_TOO_LONG, 414, "uri-too-long", "The path is longer than the limit.",                    \
      "Shorten the path and the query parameters.")                                               \
    X(HEADERS_TOO_LARGE, 431, "headers-too-large", "The headers are larger than the limit.",      \
      "Send fewer or shorter headers.")                                                           \
    X(UNKNOWN_MEMBER, 422, "unknown-member", "A member is not known at this place.",              \
      "Members that are not known are refused, so that a typo never changes an answer in "        \
      "silence. The same holds for a member that has no meaning beside the others given. The "    \
      "hint suggests a name or lists those that are known.")                                      \
    X(MISSING_MEMBER, 422, "missing-member", "A required member is missing.",                     \
      "The pointer tells which. A member that is null counts as missing.")                        \
    X(WRONG_TYPE, 422, "wrong-type", "A value is of another type than expected.",                 \
      "The detail tells what was expected and what was found.")                                   \
    X(OUT_OF_RANGE, 422, "out-of-range", "A value is outside its range.",                         \
      "The detail tells the range. Coordinates and lengths may have a magnitude of up to 1e150.") \
    X(NOT_FINITE, 422, "not-finite", "A number is not finite.",                                   \
      "NaN and infinities are not geometry. Check what computed the number.")                     \
    X(UNKNOWN_TYPE, 422, "unknown-type", "There is no shape of this type.",                       \
      "The hint suggests a type or lists those that the dimension has.")                          \
    X(DIMENSION_MISMATCH, 422, "dimension-mismatch", "2D and 3D are mixed.",                      \
      "All shapes and vectors of a request have one dimension, that of the set where there is "   \
      "one. 2D vectors have two numbers and rotate by angle, 3D vectors have three and rotate "   \
      "by orientation.")                                                                          \
    X(NOT_CONVEX, 422, "not-convex", "The polygon is not convex.",                                \
      "The vertex named is concave, or the outline crosses itself there, or the polygon has no "  \
      "area. A shape of type hull takes any points and is their convex hull.")                    \
    X(NOT_CLOSED, 422, "not-closed", "The mesh is not closed.",                                   \
      "A mesh that says closed has every edge in exactly two triangles, which run along it in "   \
      "opposite directions. The triangle named has an edge that is open or wound like its "       \
      "neighbour's. Without closed any triangles are a mesh.")                                    \
    X(NOT_SIMPLE, 422, "not-simple", "Rings cross.",                                              \
      "The rings of a region cross neither themselves nor each other; they may touch in points. " \
      "The vertex named begins an edge that does, or its polygon lies within another.")           \
    X(BAD_NAME, 422, "bad-name", "A name is not well-formed.",                                    \
      "Sets: [A-Za-z0-9][A-Za-z0-9._~-]{0,127}. Shape ids and groups: 1 to 128 characters of "    \
      "[A-Za-z0-9._~:@/-], with no segment between slashes empty, . or .. (written %2F in a "     \
      "path).")                                                                                   \
    X(BAD_ORIENTATION, 422, "bad-orientation", "The quaternion is not of unit length.",           \
      "An orientation is [x, y, z, w] with a length within 1e-3 of 1; no rotation is "            \
      "[0, 0, 0, 1].")                                                                            \
    X(ZERO_DIRECTION, 422, "zero-direction", "The direction has no length.",                      \
      "A ray needs a direction; its length does not matter, as long as it has one.")              \
    X(TOO_MANY, 422, "too-many", "There is more of something than the limit allows.",             \
      "The member limit tells how much is allowed. GET /v1 lists all limits.")                    \
    X(RATE_LIMITED, 429, "rate-limited", "Too many requests from this client.",                   \
      "Wait as long as Retry-After says, then go slower.")                                        \
    X(INTERNAL, 500, "internal", "Something went wrong inside the daemon.",                       \
      "This is a fault of the daemon, not of the request. Its log may tell more.")                \
    X(NOT_IMPLEMENTED, 501, "not-implemented", "The daemon cannot do that in this way.",              \
      "What was asked for exists, but not on this connection. The detail says where it does.")       \
    X(OVERLOADED, 503, "overloaded", "The daemon has more work than it can take.",                \
      "Nothing was done. Retry after the time that Retry-After says.")                            \
    X(DRAINING, 503, "draining", "The daemon is shutting down.",                                  \
      "Nothing was done. Retry at another instance, or after the time that Retry-After says.")    \
    X(NOT_HERE, 421, "not-here", "This node of the cluster does not hold the set.",               \
      "Nothing was done. The detail names the nodes that hold it: ask one of them.")              \
    X(NOT_READY, 503, "not-ready", "The daemon is not ready yet.",                                \
      "It is starting up, or something it depends on is away. Retry after the time that "         \
      "Retry-After says.")                                                                        \
    X(DEADLINE_EXCEEDED, 504, "deadline-exceeded", "The answer was not ready in time.",           \
      "The time that the request or the daemon allows has passed. Ask for less at once, or "      \
      "allow more time.")                                                                         \
    X(OUT_OF_MEMORY, 507, "out-of-memory", "There is not enough memory for this request.",        \
      "The request, or what is stored together with it, needs more memory than is left. A "       \
      "refused write changes nothing.")                                                           \
    X(NOT_STORED, 507, "not-stored", "The write could not be stored.",                            \
      "The disk of --data-dir is full or fails; the daemon's log says which. The write has "      \
      "changed nothing, and reads go on. Retry when there is room again.")
/* clang-format on */

typedef enum proto_code {
    PROTO_OK, /* no problem */
#define X(name, status, code, title, text) PROTO_##name,
    PROTO_PROBLEM_TABLE(X)
#undef X
        PROTO_CODE_COUNT
} proto_code;

#define PROTO_POINTER_MAX 384
#define PROTO_DETAIL_MAX 384
#define PROTO_HINT_MAX 320

/* Maximum number of mistakes in one refusal. */
#define PROTO_ERRORS_MAX 16

/* Further mistake in a body, with texts as in proto_problem. */
typedef struct proto_error {
    proto_code code;
    const char *pointer, *detail;
} proto_error;

/*
 * Refusal of a request. code, pointer, detail and hint describe the first mistake. pointer is a
 * JSON pointer (RFC 6901) into the request's body, or "" if the mistake is not in the body. Texts
 * are valid UTF-8, truncated to their buffers. Further mistakes live in the decoder's arena.
 */
struct proto_problem {
    proto_code code;
    char pointer[PROTO_POINTER_MAX];
    char detail[PROTO_DETAIL_MAX];
    char hint[PROTO_HINT_MAX]; /* "": none */
    uint64_t limit;            /* valid when has_limit */
    bool has_limit;
    uint64_t revision; /* current revision of the set; 0: not reported */
    const proto_error *more;
    uint32_t more_count; /* less than PROTO_ERRORS_MAX */
};

/* Sets code and detail (in printf form) and clears all else. Returns false, so that decoders can
 * write `return proto_problem_set(...)`. */
bool proto_problem_set(struct proto_problem *problem, proto_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Add to a problem that is set. All return false. A pointer that does not fit is shortened to that
 * of an enclosing value. */
bool proto_problem_point(struct proto_problem *problem, const char *pointer);
bool proto_problem_hint(struct proto_problem *problem, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool proto_problem_limit(struct proto_problem *problem, uint64_t limit);

/* Return the texts of a code, and its HTTP status. */
int proto_code_status(proto_code code);        /* 422 */
const char *proto_code_text(proto_code code);  /* "unknown-member" */
const char *proto_code_title(proto_code code); /* "A member is not known at this place." */
const char *proto_code_explanation(proto_code code);
/* Returns the code with that text, or PROTO_OK. text need not be NUL-terminated. */
proto_code proto_code_find(const char *text, size_t length);

/* Returns the entry of `known` (NULL is last) for which `name` is probably a misspelling, or
 * NULL. */
const char *proto_nearest_name(const char *name, const char *const *known);

#endif
