/*
 * A log of another epoch, or one that does not follow what is shown, is another world, which is read
 * from its beginning. It is read beside the sets that are shown, into a registry of its own, and takes
 * their place at one moment, when its end has been reached: until then what was shown is answered on,
 * as by any node that cannot write the log, and no answer mixes the two.
 *
 * Both are charged to --max-memory. Where it does not allow that, the sets that are shown go first, and
 * others are missing until the log has told them.
 */

#include "cluster/state.h"
#include "cluster/ticks.h"

#include "sets/feed.h"
#include "sets/version.h"
#include "util/log.h"
#include "work/memory.h"

#include <inttypes.h>
#include <malloc.h>

/* Sets at a time. */
#define STEP_SETS 256

static const char *name_of(const struct gjkd_cluster *cluster) {
    return cluster->setup.config->cluster;
}

struct gjkd_registry *gjkd_world_sets(struct gjkd_cluster *cluster) {
    return cluster->next != NULL ? cluster->next : cluster->setup.registry;
}

/* Tells those who watch the sets that these are gone: sets of another world are others, also those of
 * the same name. */
static void end_feeds(struct gjkd_registry *sets) {
    struct gjkd_version *versions[STEP_SETS];
    char after[PROTO_SET_NAME_BYTES_MAX + 1] = "";
    bool more = true;
    while (more) {
        const size_t count = gjkd_registry_list(sets, "", after[0] != '\0' ? after : NULL,
                                                STEP_SETS, versions, &more);
        for (size_t i = 0; i < count; i++) {
            gjkd_delta_tell(versions[i], NULL);
            snprintf(after, sizeof after, "%s", versions[i]->name);
            gjkd_version_release(versions[i]);
        }
    }
}

/* Whoever waits for a place of the log before has waited in vain. The lock is held. */
static void go_to_beginning(struct gjkd_cluster *cluster, uint64_t epoch) {
    cluster->epoch = epoch;
    cluster->position = cluster->place_id = cluster->message_id = cluster->message_place = 0;
    atomic_store(&cluster->shown, 0);
    atomic_store(&cluster->known_end, 0);
    pthread_cond_broadcast(&cluster->moved);
}

bool gjkd_world_begin(struct gjkd_cluster *cluster, uint64_t epoch, const char *why) {
    struct gjkd_registry *const before = cluster->next;
    const bool has_sets = gjkd_registry_measure(cluster->setup.registry).sets > 0;
    struct gjkd_registry *const next =
        has_sets ? gjkd_registry_new(cluster->setup.limits->sets_max) : NULL;
    if (has_sets && next == NULL) {
        return false;
    }
    if (cluster->epoch != 0) {
        gjkd_log(
            GJKD_LOG_ERROR,
            "cluster %s: %s: every set that is shown is of another world, and is answered until "
            "the log has been read anew",
            name_of(cluster), why);
    }
    pthread_mutex_lock(&cluster->lock);
    if (cluster->epoch != 0) {
        cluster->world++;
        gjkd_ticker_drop(&cluster->ticker);
    }
    cluster->next = next;
    atomic_store(&cluster->is_anew, next != NULL);
    go_to_beginning(cluster, epoch);
    pthread_mutex_unlock(&cluster->lock);
    gjkd_registry_free(before);
    return true;
}

/* Shows what has been read of the world beside, whole or not. */
static void change_over(struct gjkd_cluster *cluster) {
    struct gjkd_registry *sets = cluster->next;
    pthread_mutex_lock(&cluster->lock);
    gjkd_registry_exchange(cluster->setup.registry, sets);
    cluster->next = NULL;
    atomic_store(&cluster->is_anew, false);
    atomic_store(&cluster->has_unlogged, true); /* perhaps: the keeper looks */
    gjkd_cluster_wake_ticker(cluster);
    pthread_cond_broadcast(&cluster->moved);
    pthread_mutex_unlock(&cluster->lock);
    end_feeds(sets);
    gjkd_registry_free(sets);
    malloc_trim(0);
}

void gjkd_world_finish(struct gjkd_cluster *cluster) {
    if (cluster->next != NULL) {
        change_over(cluster);
        gjkd_log(GJKD_LOG_WARNING,
                 "cluster %s: the log has been read anew, up to place %" PRIu64
                 ": its sets, %" PRIu64 ", are shown now",
                 name_of(cluster), atomic_load(&cluster->shown),
                 gjkd_registry_measure(cluster->setup.registry).sets);
    }
}

bool gjkd_world_has_room(void) {
    return gjkd_memory_used() <= gjkd_memory_ceiling(GJKD_CHARGE_LARGE);
}

void gjkd_world_make_room(struct gjkd_cluster *cluster) {
    if (cluster->next != NULL) {
        gjkd_log(
            GJKD_LOG_ERROR,
            "cluster %s: --max-memory has no room for the sets of both worlds: those of the one "
            "before are let go, and sets are missing until the log has been read",
            name_of(cluster));
        change_over(cluster);
    }
}
