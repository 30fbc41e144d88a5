/*
 * Ticks that are told beside the log end there with the next write or, every --pose-checkpoint, with a
 * tick that goes through it. Where no more ticks come, the state that they have led to is proposed as
 * a change of nothing: so a node that starts later, or has lost the last tick, has it too.
 */

#include "cluster/state.h"
#include "sets/version_edit.h"

#include <stdio.h>
#include <uv.h>

#define NS_PER_MS UINT64_C(1000000)

#define SETS_AT_ONCE 64

/* So long after the time a tick would have come. */
#define STOPPED_NS UINT64_C(250000000)
#define CHECKPOINT_NS UINT64_C(1000000000)

static bool is_past(void *user) {
    return uv_hrtime() > *(const uint64_t *)user;
}

static bool is_to_log(const struct gjkd_cluster *cluster, const struct gjkd_version *version) {
    const uint64_t age_ns = uv_hrtime() - version->unlogged.since_ns;
    return version->unlogged.owes &&
           age_ns >= cluster->setup.config->pose_checkpoint_ms * NS_PER_MS + STOPPED_NS;
}

/* The set as it is shown, at a new place of the log. */
static void put_into_log(struct gjkd_cluster *cluster, const char *name) {
    struct gjkd_registry *registry = cluster->setup.registry;
    uint64_t until_ns = uv_hrtime() + CHECKPOINT_NS;
    gjk_budget budget = gjk_budget_make(is_past, &until_ns);
    gjkd_registry_lock_writer(registry, name);
    struct gjkd_version *from = gjkd_registry_get(registry, name), *to = NULL;
    const proto_edits none = {.count = 0};
    if (from != NULL && is_to_log(cluster, from) &&
        gjkd_version_edit(from, &none, NULL, NULL, &to) == GJK_OK) {
        const gjkd_proposal proposal = {name, from, to, .is_checkpoint = true};
        (void)gjkd_cluster_propose(cluster, &proposal, &budget);
    }
    gjkd_registry_unlock_writer(registry, name);
    gjkd_version_release(to);
    gjkd_version_release(from);
}

void gjkd_cluster_checkpoint(struct gjkd_cluster *cluster) {
    struct gjkd_version *versions[SETS_AT_ONCE];
    char after[PROTO_SET_NAME_BYTES_MAX + 1] = "";
    bool more = atomic_exchange(&cluster->has_unlogged, false), owes = false;
    while (more && !atomic_load(&cluster->stops)) {
        const size_t count =
            gjkd_registry_list(cluster->setup.registry, "", after[0] != '\0' ? after : NULL,
                               SETS_AT_ONCE, versions, &more);
        for (size_t i = 0; i < count; i++) {
            owes = owes || versions[i]->unlogged.owes;
            if (is_to_log(cluster, versions[i]) && !gjkd_cluster_is_away(cluster)) {
                put_into_log(cluster, versions[i]->name);
            }
            snprintf(after, sizeof after, "%s", versions[i]->name);
            gjkd_version_release(versions[i]);
        }
        more = more && count > 0;
    }
    if (owes) {
        atomic_store(&cluster->has_unlogged, true);
    }
}
