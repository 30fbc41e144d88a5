#ifndef PROTO_DECODE_DECODE_H
#define PROTO_DECODE_DECODE_H

/* Decoders of the parts of requests. They report mistakes to the reader. */

#include "gjk/kinds.h"
#include "proto/request.h"
#include "json/reader.h"

/* --- Shapes --- */

/* Lists the types of shapes in a dimension, or with is_part of parts of compounds. NULL is last. */
#define PROTO_KIND_NAMES_MAX (GJK_KIND_COUNT + 1)
void proto_kind_names(uint32_t dimension, bool is_part, const char *names[PROTO_KIND_NAMES_MAX]);

/* Returns true if some kind of shape has a geometry member of that name. */
bool proto_is_geometry(proto_text member);

/* Lists the names of the geometry members of all kinds, without duplicates; NULL is last. Returns
 * their number. */
#define PROTO_GEOMETRY_NAMES_MAX (GJK_KIND_COUNT * GJK_MEMBERS_MAX + 1)
size_t proto_geometry_names(const char *names[PROTO_GEOMETRY_NAMES_MAX]);

/* A stored shape of many pieces, and the patch that changes it. */
typedef struct proto_kept {
    const gjk_shape *shape;
    const proto_node *patch;
} proto_kept;

/*
 * Makes a shape of the kind from the geometry members of the object. The caller sets arena,
 * dimension and rounding of *geometry. With `kept` (NULL: none), a shape of the same kind, lists
 * that the patch does not name come from the stored shape; if the patch names no geometry at all,
 * the new shape shares its pieces.
 */
void proto_decode_geometry(struct proto_reader *reader, proto_object *object, const gjk_kind *kind,
                           const proto_kept *kept, gjk_geometry *geometry, gjk_shape *out);

/* Context of a shape, which decides the members that it may have. */
typedef enum proto_shape_use {
    PROTO_SHAPE_STORED,  /* of a set: gets a definition; `handle` is allowed and ignored */
    PROTO_SHAPE_AT_TICK, /* as STORED, in a tick: `teleport` is allowed too */
    PROTO_SHAPE_ALONE,   /* as STORED, as the whole body: `revision` is allowed and ignored too */
    PROTO_SHAPE_INLINE,  /* of a query */
    PROTO_SHAPE_OPERAND, /* of a query, in a place where the id of a stored shape is allowed too */
    PROTO_SHAPE_PART,    /* of a compound: convex; only geometry, rounding and place */
} proto_shape_use;

/* Decodes a shape. kept: see proto_decode_geometry; ignored if its kind is another. */
void proto_decode_shape(struct proto_reader *reader, const proto_node *node, uint32_t dimension,
                        proto_shape_use use, const proto_kept *kept, proto_shape *out);

/* Decodes a part of a compound. `rounding` is the compound's and is added to the part's own. */
void proto_decode_part(struct proto_reader *reader, const proto_node *node, uint32_t dimension,
                       double rounding, gjk_shape *out, gjk_pose *pose);

/* Decodes "shapes": {id: shape, ...} into an array sorted by id; empty if the node is absent. */
void proto_decode_shapes(struct proto_reader *reader, const proto_node *node, uint32_t dimension,
                         proto_shape_use use, proto_named_shape **out, uint32_t *count);

/* Decodes the members of a place: position, and angle or orientation. */
void proto_decode_place(struct proto_reader *reader, proto_object *object, uint32_t dimension,
                        proto_place *out);

/* Checks that a shape's meta would not exceed PROTO_DEPTH_MAX in the body of its whole set, so that
 * PUT accepts what GET returns. */
bool proto_check_meta_depth(struct proto_reader *reader, const proto_node *meta);

/* Copies meta in compact form to *out; refuses more than meta_bytes_max bytes. *out is unchanged if
 * meta is absent. */
void proto_decode_meta(struct proto_reader *reader, const proto_node *meta, proto_text *out);

/* --- Sets --- */

/* Reads the name of a set. Refuses an invalid one by BAD_NAME. *out is unchanged if the node is
 * optional and absent. */
bool proto_read_set_name(struct proto_reader *reader, proto_node node, const char **out);

/* --- Queries --- */

/* Sets all defaults. Operands are absent; their poses and shapes stay uninitialised. */
void proto_query_init(proto_query *query, proto_op op);

/* Context of a query. */
typedef struct proto_scope {
    uint32_t set_dimension;   /* 0: stateless */
    uint32_t given_dimension; /* "dimension" of a stateless batch; 0: none */
    bool is_batch;
} proto_scope;

/* Makes an operand absent. */
void proto_operand_init(proto_operand *operand);

/*
 * Decodes an operand. *out must be absent (proto_operand_init) and stays so if the node is optional
 * and absent. is_stateless: only inline shapes are allowed.
 */
void proto_decode_operand(struct proto_reader *reader, const proto_node *node, uint32_t dimension,
                          bool is_stateless, proto_operand *out);

/* Reads "limit". */
void proto_read_limit(struct proto_reader *reader, const proto_node *limit, proto_query *out);

/* Decodes "filter" and "options", and with has_set also "at". */
void proto_decode_scene(struct proto_reader *reader, proto_object *query, bool has_set,
                        proto_query *out);
void proto_decode_include(struct proto_reader *reader, proto_node node, proto_query *out);

/* Decodes a filter. *out is unchanged if the node is absent. */
void proto_decode_filter(struct proto_reader *reader, const proto_node *node, gjk_filter *out);

/* Refuses a member, if it is given, because it has no meaning beside the others. `why` completes
 * the sentence "... has no meaning". */
void proto_refuse_given(struct proto_reader *reader, const proto_object *query, const char *name,
                        const char *why);

/* Decodes the members that only one kind of query has. */
typedef void proto_query_decoder(struct proto_reader *reader, proto_object *query,
                                 bool is_stateless, proto_query *out);
proto_query_decoder proto_decode_hit, proto_decode_ray, proto_decode_cast, proto_decode_move;

#endif
