#include "sets/version.h"

#include "sets/feed.h"
#include "work/deferred_free.h"
#include "work/memory.h"

#include <stdlib.h>
#include <string.h>

/* --- References --- */

struct gjkd_version *gjkd_version_retain(struct gjkd_version *version) {
    gjkd_references_retain(&version->references);
    return version;
}

static void free_version(void *closure) {
    struct gjkd_version *version = closure;
    gjk_history_release(version->history);
    gjk_set_release(version->unlogged.base);
    gjk_set_release(version->set);
    gjkd_feed_release(version->feed);
    gjkd_memory_give(GJKD_CHARGE_SETS, version->charged_bytes);
    free(version);
}

void gjkd_version_release_part(struct gjkd_version *version, uint64_t bytes) {
    if (version != NULL && gjkd_references_release(&version->references)) {
        gjkd_deferred_free(version, bytes, free_version);
    }
}

void gjkd_version_release(struct gjkd_version *version) {
    gjkd_version_release_part(version, version != NULL ? version->bytes : 0);
}

uint64_t gjkd_version_pinned_bytes(const struct gjkd_version *version,
                                   const struct gjkd_version *newest) {
    if (version == newest) {
        return 0;
    }
    uint64_t shared = 0; /* at least: what the newest has and was not made since */
    if (newest != NULL && newest->incarnation == version->incarnation) {
        const uint64_t made = newest->made_bytes - version->made_bytes;
        shared = newest->bytes > made ? newest->bytes - made : 0;
    }
    const uint64_t own = version->bytes > shared ? version->bytes - shared : 0;
    const unsigned references = atomic_load_explicit(&version->references, memory_order_relaxed);
    return (own + version->charged_bytes) / (references > 0 ? references : 1);
}

/* --- Access --- */

size_t gjkd_versions_lower_bound(struct gjkd_version *const *versions, size_t count,
                                 const char *name) {
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(versions[middle]->name, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool find_stored(const void *user, const char *id, proto_stored *out) {
    const struct gjkd_version *version = user;
    const gjk_body *body = gjk_set_find(version->set, id);
    if (body != NULL) {
        *out = gjkd_stored_view(body);
    }
    return body != NULL;
}

proto_base gjkd_version_base(const struct gjkd_version *version) {
    return (proto_base){
        .dimension = version->dimension,
        .shape_count = gjk_set_count(version->set),
        .has_history = version->has_history,
        .history_ticks = version->history_ticks,
        .meta = version->meta,
        .user = version,
        .find = find_stored,
    };
}

/* Returns true if a tick is missing among those that are kept; one before the oldest is no gap. */
static bool has_gap(const struct gjkd_version *version) {
    const uint32_t gaps = version->tick_totals.gaps;
    const gjk_tick oldest = gjk_history_tick(version->history, 0);
    return gaps > 1 || (gaps == 1 && (oldest.is_missing || !oldest.after_gap));
}

proto_ticks gjkd_version_ticks(const struct gjkd_version *version) {
    const struct gjk_history *history = version->history;
    if (history == NULL || gjk_history_count(history) == 0) {
        return (proto_ticks){0};
    }
    return (proto_ticks){gjk_history_oldest(history), gjk_history_newest(history),
                         gjk_history_count(history), has_gap(version)};
}

proto_summary gjkd_version_summary(const struct gjkd_version *version) {
    return (proto_summary){
        .name = version->name,
        .dimension = version->dimension,
        .revision = version->revision,
        .shapes = gjk_set_count(version->set),
        .bytes = version->bytes,
        .ticks = gjkd_version_ticks(version),
    };
}

void gjkd_version_etag(const struct gjkd_version *version, char etag[GJKD_ETAG_MAX]) {
    const struct gjk_history *history = version->history;
    gjkd_etag_format(etag, version->incarnation, version->mark, version->revision);
    if (version->is_shared && history != NULL && gjk_history_count(history) > 0) {
        gjkd_etag_add(etag, gjk_history_newest(history));
    }
}

uint64_t gjkd_version_ticks_end(const struct gjkd_version *version) {
    const struct gjk_history *history = version->history;
    return history != NULL && gjk_history_count(history) > 0 ? gjk_history_newest(history) + 1 : 0;
}
