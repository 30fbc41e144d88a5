#ifndef PROTO_EDIT_H
#define PROTO_EDIT_H

/*
 * Requests that change a stored set: JSON merge patches (RFC 7396) of the set, of a shape or at
 * a tick, and whole shapes. Their result depends on the stored set, so they are decoded in two
 * steps: open checks what the text alone decides, apply merges the text into the set. The server
 * ensures that no other write comes between apply and its commit.
 *
 * apply reads only the shapes that the request names. A patch with pose members alone moves the
 * shape. Any other patch is merged with the stored shape; the result is decoded like a whole shape.
 */

#include "proto/request.h"

/* A stored shape. All pointers are borrowed. */
typedef struct proto_stored {
    proto_text definition;
    proto_place place;
    const void *self;       /* the server's object for the shape, or NULL */
    const gjk_shape *shape; /* holds the lists of the geometry that the definition omits */
} proto_stored;

/*
 * Decodes the output of proto_encode_definition. out->definition may point into the text;
 * out->place is empty. The rules are those for a shape in a request.
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
    bool (*find)(const void *user, const char *id, proto_stored *out); /* false: no such shape */
} proto_base;

typedef enum proto_edit_kind {
    PROTO_EDIT_REMOVE,
    PROTO_EDIT_MOVE,   /* changes the place of a stored shape */
    PROTO_EDIT_DEFINE, /* adds a shape or replaces a stored one */
} proto_edit_kind;

typedef struct proto_edit {
    const char *id;
    proto_edit_kind kind;
    bool teleport;            /* of a tick: poses are not interpolated across it */
    const void *self;         /* proto_stored.self; NULL if the shape is not stored */
    proto_place place;        /* valid for MOVE */
    const proto_shape *shape; /* valid for DEFINE */
} proto_edit;

typedef struct proto_edits {
    const proto_edit *items; /* in the order of ids, each id once */
    uint32_t count;
    bool sets_history, sets_meta; /* the set's history or meta is replaced by the values below */
    bool has_history;
    uint32_t history_ticks;
    proto_text meta;
} proto_edits;

/* Orders edits by their ids: a gjk_sort_order for arrays of proto_edit. */
int proto_compare_edits(const void *a, const void *b);

typedef enum proto_change_form {
    PROTO_PATCH_SET,   /* PATCH of the set called name */
    PROTO_PUT_TICK,    /* {"shapes": patch}; shapes may have "teleport" */
    PROTO_POST_TICK,   /* the same, and the members of a batch, which are ignored */
    PROTO_PATCH_SHAPE, /* PATCH of the shape called name */
    PROTO_PUT_SHAPE,   /* PUT of the shape called name */
} proto_change_form;

typedef struct proto_change_request {
    proto_text body;
    proto_change_form form;
    const char *name; /* of the set or shape; unused for ticks */
    const proto_limits *limits;
    struct gjk_arena *arena; /* memory of the change and of its edits */
} proto_change_request;

struct proto_change;

/* Parses a change and checks what its text alone decides. The request's texts must live until
 * proto_change_close, which must be called if and only if true was returned. */
bool proto_change_open(const proto_change_request *request, struct proto_change **out,
                       struct proto_problem *problem) GJK_MUST_USE;

/* Computes the edits that the change makes of a set. May be called once. *out lives as long as the
 * request's arena. */
bool proto_change_apply(struct proto_change *change, const proto_base *base, proto_edits *out,
                        struct proto_problem *problem) GJK_MUST_USE;

void proto_change_close(struct proto_change *change);

#endif
