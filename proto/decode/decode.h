#ifndef PROTO_DECODE_DECODE_H
#define PROTO_DECODE_DECODE_H

/* Decoders of the parts of requests. All return false after having set the problem. */

#include "gjk/kinds.h"
#include "proto/request.h"
#include "json/reader.h"

/* The names that shapes of that dimension, or parts of a compound, may have as their type, NULL
 * behind the last. */
#define PROTO_KIND_NAMES_MAX (GJK_KIND_COUNT + 1)
void proto_kind_names(uint32_t dimension, bool is_part, const char *names[PROTO_KIND_NAMES_MAX]);

/* Returns true if any kind of shape has a member of that name in its geometry. */
bool proto_is_geometry(proto_text member);

/* All those names, each once, NULL behind the last. */
#define PROTO_GEOMETRY_NAMES_MAX (GJK_KIND_COUNT * GJK_MEMBERS_MAX + 1)
void proto_geometry_names(const char *names[PROTO_GEOMETRY_NAMES_MAX]);

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
bool proto_decode_geometry(struct proto_reader *reader, const proto_node *object,
                           const gjk_kind *kind, const proto_kept *kept, gjk_geometry *geometry,
                           gjk_shape *out);

/* The list of a member that pieces keep, in the document's memory. */
bool proto_read_kept(struct proto_reader *reader, const proto_node *node, const gjk_member *member,
                     uint32_t dimension, gjk_member_value *out);

/* The parts of a compound, with the compound's rounding added to their own, likewise. */
bool proto_read_parts(struct proto_reader *reader, const proto_node *node, uint32_t dimension,
                      double rounding, gjk_member_value *out);

/* Where a shape stands, which decides the members that it may have. */
typedef enum proto_shape_use {
    PROTO_SHAPE_STORED,  /* to be kept: with a definition, and `handle` may be there */
    PROTO_SHAPE_AT_TICK, /* the same as a part of a tick: `teleport` may be there too */
    PROTO_SHAPE_ALONE,   /* the same as a body of its own: `revision` may be there too */
    PROTO_SHAPE_INLINE,  /* in a query */
    PROTO_SHAPE_OPERAND, /* likewise, where it might have been a stored one's `id` */
    PROTO_SHAPE_PART,    /* of a compound: convex, nothing but geometry, rounding and place */
} proto_shape_use;

/* kept: see proto_decode_geometry; not regarded where the kind is another. */
bool proto_decode_shape(struct proto_reader *reader, const proto_node *node, uint32_t dimension,
                        proto_shape_use use, const proto_kept *kept, proto_shape *out);

/* A part of a compound of that rounding. */
bool proto_decode_part(struct proto_reader *reader, const proto_node *node, uint32_t dimension,
                       double rounding, gjk_shape *out, gjk_pose *pose);

/* "shapes": {id: shape, ...}, in the order of ids; absent counts as empty. */
bool proto_decode_shapes(struct proto_reader *reader, const proto_node *node, uint32_t dimension,
                         proto_shape_use use, proto_named_shape **out, uint32_t *count);

/* Leaves the compact form of the value in reader->text (length 0: absent). TOO_MANY when it is
 * longer than meta_bytes_max. */
bool proto_check_meta(struct proto_reader *reader, const proto_node *meta);

/* Checks that meta is not nested too deeply for PUT of the whole set, which GET answers. */
bool proto_check_meta_depth(struct proto_reader *reader, const proto_node *meta);

/* Both, of a shape that comes alone. */
bool proto_check_meta_alone(struct proto_reader *reader, const proto_node *meta);

/* Checks the value likewise and copies it to *out, which stays as it is when there is none. */
bool proto_decode_meta(struct proto_reader *reader, const proto_node *meta, proto_text *out);

/* {"ticks": n}; leaves *ticks alone where there is none. */
bool proto_decode_history(struct proto_reader *reader, const proto_node *history, bool *exists,
                          uint32_t *ticks);

/* A set's own name, if it is given, must be that of the path. */
bool proto_check_set_name(struct proto_reader *reader, proto_node node, const char *name);

/* A copy of reader->text in reader->arena. */
bool proto_take_text(struct proto_reader *reader, proto_text *out);

bool proto_decode_place(struct proto_reader *reader, const proto_node *object, uint32_t dimension,
                        proto_place *out);

/* *out is as proto_query_init made it, and is left alone when the node is absent and may be.
 * is_stateless: there is no set that an id could belong to. */
bool proto_decode_operand(struct proto_reader *reader, const proto_node *node, uint32_t dimension,
                          bool is_stateless, proto_operand *out);

/* at, filter, options, include, trace: where the query has them. */
bool proto_decode_common(struct proto_reader *reader, const proto_node *query, proto_query *out);

/* at, filter, options alone. */
bool proto_decode_scene(struct proto_reader *reader, const proto_node *query, proto_query *out);
bool proto_decode_include(struct proto_reader *reader, proto_node node, proto_query *out);

/* Leaves *out alone when the node is absent. */
bool proto_decode_filter(struct proto_reader *reader, const proto_node *node, gjk_filter *out);

/* {"tick": t}; leaves *out alone when the node is absent. */
bool proto_decode_at(struct proto_reader *reader, const proto_node *node, proto_at *out);

proto_options proto_options_default(void);
/* All defaults; the shapes of operands, which are absent, are left as they are. */
void proto_query_init(proto_query *query, proto_op op);

/* Context of a query besides its own text. */
typedef struct proto_scope {
    uint32_t set_dimension;   /* 0: stateless */
    uint32_t given_dimension; /* by the stateless batch; 0: none */
    bool is_batch;
} proto_scope;

/* One query, alone or in a batch. *out comes with its op and the defaults. */
bool proto_decode_one(struct proto_reader *reader, const proto_node *query,
                      const proto_scope *scope, proto_query *out);

/* The operation that a batch's query names; without a set only those that have such a form. */
bool proto_decode_op(struct proto_reader *reader, proto_node node, bool is_stateless,
                     proto_op *out);

/* Returns true if a batch's query, which is not decoded yet, asks a set for all its pairs. */
bool proto_asks_for_all_pairs(const proto_node *query);

/* BAD_NAME; leaves *out alone when the node is absent. */
bool proto_read_set_name(struct proto_reader *reader, proto_node node, const char **out);

/* origin, direction, max_distance */
bool proto_decode_line(struct proto_reader *reader, const proto_node *line, uint32_t dimension,
                       gjk_ray *out);

/* Decodes the members that only one kind of query has. */
typedef bool proto_query_decoder(struct proto_reader *reader, const proto_node *query,
                                 bool is_stateless, proto_query *out);
proto_query_decoder proto_decode_hit, proto_decode_ray, proto_decode_cast;

/* Decode the members that rays and casts share: mode, and the shapes that are in the way. */
bool proto_decode_mode(struct proto_reader *reader, proto_node mode, proto_ray_mode *out);
bool proto_decode_target(struct proto_reader *reader, const proto_node *query, bool is_stateless,
                         proto_query *out);

/* The dimension of a stateless query; DIMENSION_MISMATCH where its parts disagree. */
bool proto_find_dimension(struct proto_reader *reader, const proto_node *query, uint32_t *out);

#endif
