#ifndef GJKD_SETS_VERSION_BUILDER_H
#define GJKD_SETS_VERSION_BUILDER_H

/*
 * A version of a set while it is being built, for version_edit.c and version_shared.c alone: nobody else
 * has seen it yet, so that all of this is for one thread. The new bodies are gathered as edits of a
 * set, which make the version's set all at once.
 */

#include "sets/version.h"

struct gjkd_builder {
    struct gjkd_version *version;        /* being built */
    const struct gjkd_version *previous; /* NULL: none */
    const struct gjk_set *newest;        /* of the newest tick that is kept, or NULL */
    gjk_edit *edits;
    uint32_t count;
    gjk_budget *budget; /* NULL: endless */
};

/* A version with a name and a copy of meta, and nothing else. NULL: out of memory. */
struct gjkd_version *gjkd_version_alloc(const char *name, proto_text meta);

/* To be asked before each body is made: whether the budget is spent. */
bool gjkd_builder_gives_up(struct gjkd_builder *builder);

/* Counts a body in the place of another; either may be NULL. */
void gjkd_builder_account(struct gjkd_builder *builder, const gjk_body *old, const gjk_body *body,
                          const char *id);

/* Counts it and adds an edit, which takes ownership of the body; NULL: removes the shape. There is
 * room in edits. */
void gjkd_builder_push(struct gjkd_builder *builder, const char *id, const gjk_body *old,
                       const gjk_body *body);

/* Where status is GJK_OK, applies the edits to `from`, all or none, which makes the version's set.
 * Frees the edits in any case. */
gjk_status gjkd_builder_finish(struct gjkd_builder *builder, gjk_status status,
                               const struct gjk_set *from) GJK_MUST_USE;

/* An empty history, if the version is to keep ticks. */
gjk_status gjkd_version_fill_history(struct gjkd_version *version) GJK_MUST_USE;

/* Copies from the previous version everything but name, meta and shapes, as edited. */
gjk_status gjkd_version_inherit(struct gjkd_version *version, const struct gjkd_version *previous,
                                const proto_edits *edits) GJK_MUST_USE;

/* Before gjkd_builder_finish: of which bodies and trees the memory is shared with the newest tick. */
void gjkd_builder_begin_edits(struct gjkd_builder *builder);

/* Adds the finished set to the version's history as a tick. */
gjk_status gjkd_version_stamp(struct gjkd_version *version, const gjkd_stamp *stamp) GJK_MUST_USE;

/* Charges and measures the version, and gives it to the caller; or lets go of it where status is not
 * GJK_OK, or becomes so for want of memory. */
gjk_status gjkd_version_complete(struct gjkd_version *version, gjk_status status,
                                 struct gjkd_version **out) GJK_MUST_USE;

#endif
