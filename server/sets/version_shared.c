#include "sets/version_shared.h"

#include "sets/feed.h"
#include "sets/version_builder.h"

#include <stdlib.h>

static void push_bodies(struct gjkd_builder *builder, const gjkd_restored *set,
                        const struct gjk_set *base) {
    for (uint32_t i = 0; i < set->count; i++) {
        const gjk_edit *edit = &set->edits[i];
        const gjk_body *old = base != NULL ? gjk_set_find(base, edit->id) : NULL;
        gjkd_builder_account(builder, old, edit->body, edit->id);
    }
    builder->edits = set->edits;
    builder->count = set->count;
}

/* Edits of the previous version; its history goes on. */
static gjk_status continue_set(struct gjkd_version *version, const struct gjkd_version *previous,
                               const gjkd_restored *set) {
    const proto_edits head = {.sets_history = true,
                              .has_history = set->has_history,
                              .history_ticks = set->history_ticks};
    struct gjkd_builder builder = {.version = version, .previous = previous};
    gjk_status status = gjkd_version_inherit(version, previous, &head);
    if (status != GJK_OK) {
        gjkd_edits_free(set->edits, set->count);
        return status;
    }
    gjkd_builder_begin_edits(&builder);
    push_bodies(&builder, set, previous->set);
    return gjkd_builder_finish(&builder, GJK_OK, previous->set);
}

/* All shapes there are. */
static gjk_status replace_set(struct gjkd_version *version, const struct gjkd_version *previous,
                              const gjkd_successor *successor) {
    const gjkd_restored *set = &successor->set;
    struct gjkd_builder builder = {.version = version};
    struct gjk_set *empty = gjk_set_new_empty(set->dimension, &gjkd_stored_keeper);
    version->feed = previous != NULL ? gjkd_feed_retain(previous->feed)
                                     : gjkd_feed_new(successor->order << GJKD_UNLOGGED_BITS);
    version->made_bytes = previous != NULL ? previous->made_bytes : 0;
    version->dimension = set->dimension;
    version->has_history = set->has_history;
    version->history_ticks = set->history_ticks;
    if (empty == NULL || version->feed == NULL || gjkd_version_fill_history(version) != GJK_OK) {
        gjk_set_release(empty);
        gjkd_edits_free(set->edits, set->count);
        return GJK_OUT_OF_MEMORY;
    }
    push_bodies(&builder, set, NULL);
    const gjk_status status = gjkd_builder_finish(&builder, GJK_OK, empty);
    gjk_set_release(empty);
    return status;
}

/* Lets go of ticks from that one on, which another node has made as well: what the newest tick does
 * not share is not known any more, but it is not more than all there is. */
static gjk_status cut_ticks(struct gjkd_version *version, uint64_t from) {
    struct gjk_history *history = NULL;
    if (gjkd_version_ticks_end(version) <= from) {
        return GJK_OK;
    }
    const gjk_status status =
        gjkd_ticks_cut(version->history, from, &version->tick_totals, &history);
    if (status != GJK_OK) {
        return status;
    }
    gjk_history_release(version->history);
    version->history = history;
    version->fresh_body_bytes = version->body_bytes;
    version->fresh_order_bytes = gjk_set_bytes(version->set);
    return GJK_OK;
}

gjk_status gjkd_version_succeed(const struct gjkd_version *previous,
                                const gjkd_successor *successor, struct gjkd_version **out) {
    const gjkd_restored *set = &successor->set;
    struct gjkd_version *version = gjkd_version_alloc(set->name, set->meta);
    if (version == NULL) {
        gjkd_edits_free(set->edits, set->count);
        return GJK_OUT_OF_MEMORY;
    }
    gjk_status status = successor->is_whole ? replace_set(version, previous, successor)
                                            : continue_set(version, previous, set);
    if (status == GJK_OK && successor->stamp != NULL) {
        status = cut_ticks(version, successor->ticks_end);
        status = status == GJK_OK ? gjkd_version_stamp(version, successor->stamp) : status;
    }
    version->unlogged = successor->unlogged;
    if (version->unlogged.base != NULL) {
        version->unlogged.base = gjk_set_retain(version->unlogged.base);
    }
    version->incarnation = set->incarnation;
    version->revision = set->revision;
    version->mark = set->mark;
    version->order = successor->order;
    version->is_shared = true;
    version->next_handle = set->next_handle;
    return gjkd_version_complete(version, status, out);
}

void gjkd_version_number(struct gjkd_version *version, bool is_first, uint64_t incarnation,
                         const struct gjkd_version *revision_of, uint64_t order, uint32_t mark) {
    version->revision = revision_of != NULL ? revision_of->revision : order;
    version->mark = revision_of != NULL ? revision_of->mark : mark;
    gjk_set_release(version->unlogged.base);
    version->unlogged = (gjkd_unlogged){.base = NULL};
    version->order = order;
    version->is_shared = true;
    if (is_first) {
        version->incarnation = incarnation;
        gjkd_feed_begin(version->feed, gjkd_version_moment(version));
    }
}

void gjkd_version_number_tick(struct gjkd_version *version, const struct gjkd_version *from) {
    version->revision = from->revision;
    version->mark = from->mark;
    version->order = from->order;
    version->is_shared = true;
    version->unlogged = from->unlogged;
    version->unlogged.base = gjk_set_retain(gjkd_version_base_set(from));
    version->unlogged.base_ticks = gjkd_version_base_ticks(from);
    version->unlogged.ticks++;
    version->unlogged.owes = true;
}

uint64_t gjkd_version_base_ticks(const struct gjkd_version *version) {
    return version->unlogged.base != NULL ? version->unlogged.base_ticks
                                          : gjkd_version_ticks_end(version);
}

/* Returns true if the log may have ticks that the version lacks. A message that has not raised the
 * revision is a tick, or stands for one. */
bool gjkd_version_may_lack_ticks(const struct gjkd_version *version) {
    const gjkd_unlogged *unlogged = &version->unlogged;
    const bool is_of_another = version->is_shared && !unlogged->leads && !unlogged->owes;
    return unlogged->doubts ||
           (is_of_another && (version->order != version->revision || unlogged->ticks > 0));
}
