#ifndef PROTO_EDIT_H
#define PROTO_EDIT_H

/*
 * Requests that change a stored set: JSON merge patches (RFC 7396) of the set, of a shape or at
 * a tick, and whole shapes. What they come to depends on what is stored, so they are taken in
 * two steps: open checks all that the text alone tells, apply merges it into a set. Between the
 * two the server makes sure that the set stays what it is.
 *
 * Only shapes that are named are looked at. One whose patch has nothing but members of its pose
 * is moved; any other is merged, decoded and checked as if it had been given whole.
 */

#include "proto/request.h"

/* A shape as it is stored. Borrowed. */
typedef struct proto_stored {
    proto_text definition;
    proto_place place;
    const void *self;       /* the store's own name for it, or NULL */
    const gjk_shape *shape; /* keeps those lists of its geometry that the definition leaves out */
} proto_stored;

/*
 * Reads what proto_encode_definition has written, and nothing else: *out may borrow from the text,
 * as its definition. No place is read, and *out has none. Refuses what a request's shape would be
 * refused for.
 */
bool proto_decode_definition(proto_text text, uint32_t dimension, const proto_limits *limits,
                             struct gjk_arena *arena, proto_shape *out,
                             struct proto_problem *problem) GJK_MUST_USE;

/* The set that edits are merged into. Borrowed. */
typedef struct proto_base {
    uint32_t dimension;
    uint32_t shape_count;
    bool has_history;
    uint32_t history_ticks;
    proto_text meta;
    const void *user;
    bool (*find)(const void *user, const char *id, proto_stored *out); /* false: none of that id */
} proto_base;

typedef enum proto_edit_kind {
    PROTO_EDIT_REMOVE,
    PROTO_EDIT_MOVE,   /* a stored shape gets another place and keeps its definition */
    PROTO_EDIT_DEFINE, /* a shape as a whole, new or not */
} proto_edit_kind;

typedef struct proto_edit {
    const char *id;
    proto_edit_kind kind;
    bool teleport;            /* of a tick: it was not on the way there */
    const void *self;         /* of the stored shape, as it was found; NULL: none was */
    proto_place place;        /* MOVE */
    const proto_shape *shape; /* DEFINE */
} proto_edit;

typedef struct proto_edits {
    const proto_edit *items; /* in the order of ids, each id once */
    uint32_t count;
    bool sets_history, sets_meta; /* whether the two below replace what the set has */
    bool has_history;
    uint32_t history_ticks;
    proto_text meta;
} proto_edits;

/* Orders edits by their ids, for arrays of proto_edit. */
int proto_compare_edits(const void *a, const void *b);

typedef enum proto_change_form {
    PROTO_PATCH_SET,   /* PATCH of the set called name */
    PROTO_PUT_TICK,    /* {"shapes": patch}, where shapes may "teleport" */
    PROTO_POST_TICK,   /* the same with the members of a batch beside it, which are not looked at */
    PROTO_PATCH_SHAPE, /* PATCH of the shape called name */
    PROTO_PUT_SHAPE,   /* that shape as a whole */
} proto_change_form;

typedef struct proto_change_request {
    proto_text body;
    proto_change_form form;
    const char *name; /* NULL: PUT_TICK */
    const proto_limits *limits;
    struct gjk_arena *arena; /* of the change and of the edits it comes to */
} proto_change_request;

struct proto_change;

/* Opens a change. The request's texts must live until close. Close it if and only if true was
 * returned. */
bool proto_change_open(const proto_change_request *request, struct proto_change **out,
                       struct proto_problem *problem) GJK_MUST_USE;

/* Merges the change into a set, at most once. What *out points to lives as long as the arena. */
bool proto_change_apply(struct proto_change *change, const proto_base *base, proto_edits *out,
                        struct proto_problem *problem) GJK_MUST_USE;

void proto_change_close(struct proto_change *change);

#endif
