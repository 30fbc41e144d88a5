#ifndef PROTO_DECODE_DECODE_H
#define PROTO_DECODE_DECODE_H

/* Decoders of the parts of requests. Mistakes stay with the reader. */

#include "gjk/kinds.h"
#include "proto/request.h"
#include "json/reader.h"

/* --- Shapes --- */

/* Lists the types that shapes of that dimension, or parts of a compound, may have; NULL is last. */
#define PROTO_KIND_NAMES_MAX (GJK_KIND_COUNT + 1)
void proto_kind_names(uint32_t dimension, bool is_part, const char *names[PROTO_KIND_NAMES_MAX]);

/* Returns true if any kind of shape has a member of that name in its geometry. */
bool proto_is_geometry(proto_text member);

/* Lists all those names, each once, NULL is last. Returns how many there are. */
#define PROTO_GEOMETRY_NAMES_MAX (GJK_KIND_COUNT * GJK_MEMBERS_MAX + 1)
size_t proto_geometry_names(const char *names[PROTO_GEOMETRY_NAMES_MAX]);

/* The stored shape of the same kind, of many pieces, that a patch is merged into. */
typedef struct proto_kept {
    const gjk_shape *shape;
    const proto_node *patch;
} proto_kept;

/*
 * Makes a shape of the kind of the members of its geometry; the arena, dimension, which fits, and
 * rounding of *geometry are given. Lists that the patch does not name are taken from `kept` (NULL:
 * none); if it names no geometry, the shape shares the pieces.
 */
void proto_decode_geometry(struct proto_reader *reader, proto_object *object, const gjk_kind *kind,
                           const proto_kept *kept, gjk_geometry *geometry, gjk_shape *out);

/* Where a shape stands, which decides the members that it may have. */
typedef enum proto_shape_use {
    PROTO_SHAPE_STORED,  /* to be kept: with a definition, and `handle` may be there */
    PROTO_SHAPE_AT_TICK, /* stored, in a tick: `teleport` may be there, too */
    PROTO_SHAPE_ALONE,   /* stored, a whole body: `revision` may be there, too */
    PROTO_SHAPE_INLINE,  /* in a query */
    PROTO_SHAPE_OPERAND, /* likewise, where it might have been a stored one's `id` */
    PROTO_SHAPE_PART,    /* of a compound: convex, nothing but geometry, rounding and place */
} proto_shape_use;

/* Decodes a shape. kept: see proto_decode_geometry; not regarded if the kind is another. */
void proto_decode_shape(struct proto_reader *reader, const proto_node *node, uint32_t dimension,
                        proto_shape_use use, const proto_kept *kept, proto_shape *out);

/* Decodes a part of a compound of that rounding. */
void proto_decode_part(struct proto_reader *reader, const proto_node *node, uint32_t dimension,
                       double rounding, gjk_shape *out, gjk_pose *pose);

/* Decodes "shapes": {id: shape, ...} into the order of ids; absent counts as empty. */
void proto_decode_shapes(struct proto_reader *reader, const proto_node *node, uint32_t dimension,
                         proto_shape_use use, proto_named_shape **out, uint32_t *count);

/* Decodes the members of a place: position, angle or orientation. */
void proto_decode_place(struct proto_reader *reader, proto_object *object, uint32_t dimension,
                        proto_place *out);

/* Checks that meta is not nested too deeply for PUT of the whole set, which GET answers. */
bool proto_check_meta_depth(struct proto_reader *reader, const proto_node *meta);

/* Copies the compact form of meta, of meta_bytes_max at most, to *out, which stays as it is if there
 * is none. */
void proto_decode_meta(struct proto_reader *reader, const proto_node *meta, proto_text *out);

/* --- Sets --- */

/* Reads the name of a set; leaves *out alone if the node is absent and may be. BAD_NAME. */
bool proto_read_set_name(struct proto_reader *reader, proto_node node, const char **out);

/* --- Queries --- */

/* Sets all defaults; the shapes of operands, which are absent, are left as they are. */
void proto_query_init(proto_query *query, proto_op op);

/* Context of a query besides its own text. */
typedef struct proto_scope {
    uint32_t set_dimension;   /* 0: stateless */
    uint32_t given_dimension; /* by the stateless batch; 0: none */
    bool is_batch;
} proto_scope;

/* Makes an operand absent. */
void proto_operand_init(proto_operand *operand);

/*
 * Decodes an operand. *out is as proto_operand_init made it, and is left alone if the node is
 * absent and may be. is_stateless: there is no set that an id could belong to.
 */
void proto_decode_operand(struct proto_reader *reader, const proto_node *node, uint32_t dimension,
                          bool is_stateless, proto_operand *out);

/* Reads "limit". */
void proto_read_limit(struct proto_reader *reader, const proto_node *limit, proto_query *out);

/* Decodes filter and options and, if there is a set, at. */
void proto_decode_scene(struct proto_reader *reader, proto_object *query, bool has_set,
                        proto_query *out);
void proto_decode_include(struct proto_reader *reader, proto_node node, proto_query *out);

/* Decodes a filter; leaves *out alone if the node is absent. */
void proto_decode_filter(struct proto_reader *reader, const proto_node *node, gjk_filter *out);

/* Refuses a member, if it is given, because of how the others are. */
void proto_refuse_given(struct proto_reader *reader, const proto_object *query, const char *name,
                        const char *why);

/* Decodes the members that only one kind of query has. */
typedef void proto_query_decoder(struct proto_reader *reader, proto_object *query,
                                 bool is_stateless, proto_query *out);
proto_query_decoder proto_decode_hit, proto_decode_ray, proto_decode_cast, proto_decode_move;

#endif
