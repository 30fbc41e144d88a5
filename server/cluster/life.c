/* Start and end, and what is shown of the log's state. */

#include "cluster/file.h"
#include "cluster/state.h"
#include "cluster/ticks.h"

#include "sets/feed.h"
#include "sets/version.h"
#include "util/log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

/* Between two records of the log about messages of others. */
#define STRAY_PAUSE_NS UINT64_C(60000000000)

/* --- Waiting --- */

void gjkd_cluster_wait(struct gjkd_cluster *cluster, pthread_cond_t *condition, uint64_t wait_ms) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const uint64_t ns = (uint64_t)until.tv_nsec + wait_ms * 1000000;
    until.tv_sec += (time_t)(ns / 1000000000);
    until.tv_nsec = (long)(ns % 1000000000);
    pthread_cond_timedwait(condition, &cluster->lock, &until);
}

bool gjkd_cluster_is_away(struct gjkd_cluster *cluster) {
    return !gjkd_engine_is_connected(cluster->engine) || !atomic_load(&cluster->is_open) ||
           atomic_load(&cluster->is_stuck) || atomic_load(&cluster->is_anew) ||
           atomic_load(&cluster->blocked) != NULL || atomic_load(&cluster->shown) == 0;
}

void gjkd_cluster_note_stray(struct gjkd_cluster *cluster) {
    const uint64_t now_ns = uv_hrtime(), count = atomic_fetch_add(&cluster->strays, 1) + 1;
    uint64_t logged_ns = atomic_load(&cluster->stray_logged_ns);
    if ((logged_ns == 0 || now_ns - logged_ns > STRAY_PAUSE_NS) &&
        atomic_compare_exchange_strong(&cluster->stray_logged_ns, &logged_ns, now_ns)) {
        const char *name = cluster->setup.config->cluster;
        gjkd_log(GJKD_LOG_WARNING,
                 "cluster %s: a message that is none of gjkd's was passed over, %" PRIu64
                 " so far: somebody else publishes to gjkd.%s.>, which NATS can forbid",
                 name, count, name);
    }
}

/* On a thread of the engine. */
static void on_change(void *user) {
    struct gjkd_cluster *cluster = user;
    gjkd_cluster_doubt(cluster);
    atomic_store(&cluster->is_to_look, true);
}

void gjkd_cluster_doubt(struct gjkd_cluster *cluster) {
    atomic_fetch_add(&cluster->doubts, 1);
}

bool gjkd_cluster_is_sure(const struct gjkd_cluster *cluster) {
    return atomic_load(&cluster->doubts) == atomic_load(&cluster->settled_doubts);
}

/* --- What is shown --- */

bool gjkd_cluster_shows(struct gjkd_registry *sets, const char *name,
                        const struct gjkd_version *version) {
    struct gjkd_version *shown = gjkd_registry_get(sets, name);
    gjkd_version_release(shown);
    return shown == version;
}

void gjkd_cluster_wake_ticker(struct gjkd_cluster *cluster) {
    cluster->ticker.is_news = true;
    pthread_cond_signal(&cluster->ticker.wakeup);
}

void gjkd_cluster_show(struct gjkd_registry *sets, const char *name, struct gjkd_version *from,
                       struct gjkd_version *to) {
    const bool is_same_life = from != NULL && to != NULL && from->incarnation == to->incarnation;
    gjkd_registry_set(sets, name, to);
    if (from != NULL && to != NULL && !is_same_life) {
        gjkd_delta_tell(from, NULL);
    } else {
        gjkd_delta_tell(from, to);
    }
}

void gjkd_cluster_count_gap(struct gjkd_cluster *cluster, const struct gjkd_version *from,
                            const struct gjkd_version *to) {
    const uint64_t end = gjkd_version_ticks_end(to);
    gjk_tick newest;
    if (from != NULL && end > gjkd_version_ticks_end(from) &&
        gjk_history_find(to->history, end - 1, &newest) && newest.after_gap) {
        atomic_fetch_add(&cluster->ticker.gaps, 1);
    }
}

void gjkd_cluster_move(struct gjkd_cluster *cluster, uint64_t place, uint64_t place_id,
                       uint64_t message_id) {
    cluster->position = place;
    cluster->place_id = place_id;
    cluster->message_id = message_id;
    if (place_id == message_id) {
        cluster->message_place = place;
    }
    gjkd_cluster_wake_ticker(cluster);
    atomic_store(&cluster->shown, place);
    if (atomic_load(&cluster->known_end) < place) {
        atomic_store(&cluster->known_end, place);
    }
    pthread_cond_broadcast(&cluster->moved);
}

/* --- Life --- */

static void name_node(struct gjkd_cluster *cluster) {
    const struct gjkd_config *config = cluster->setup.config;
    char host[GJKD_NODE_NAME_BYTES_MAX - 8] = "gjkd", address[GJKD_ADDRESS_TEXT_MAX];
    if (config->node[0] != '\0') {
        snprintf(cluster->node, sizeof cluster->node, "%.*s", GJKD_NODE_NAME_BYTES_MAX,
                 config->node);
        return;
    }
    (void)gethostname(host, sizeof host - 1);
    gjkd_address_format(&config->listen, address);
    const char *port = strrchr(address, ':');
    snprintf(cluster->node, sizeof cluster->node, "%s%.7s", host, port != NULL ? port : "");
}

static bool start(struct gjkd_cluster *cluster) {
    cluster->has_reader = pthread_create(&cluster->reader, NULL, gjkd_cluster_read, cluster) == 0;
    cluster->has_publisher =
        pthread_create(&cluster->publisher, NULL, gjkd_cluster_publish, cluster) == 0;
    cluster->has_keeper = pthread_create(&cluster->keeper, NULL, gjkd_cluster_keep, cluster) == 0;
    cluster->ticker.has_thread =
        pthread_create(&cluster->ticker.thread, NULL, gjkd_cluster_tick, cluster) == 0;
    return cluster->has_reader && cluster->has_publisher && cluster->has_keeper &&
           cluster->ticker.has_thread &&
           (cluster->file == NULL || gjkd_node_file_start(cluster->file));
}

static void make_locks(struct gjkd_cluster *cluster) {
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&cluster->lock, NULL);
    pthread_cond_init(&cluster->moved, &monotonic);
    pthread_cond_init(&cluster->wakeup, &monotonic);
    pthread_cond_init(&cluster->rest, &monotonic);
    pthread_cond_init(&cluster->ticker.wakeup, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

struct gjkd_cluster *gjkd_cluster_open(const gjkd_cluster_setup *setup,
                                       char error[GJKD_CLUSTER_ERROR_MAX]) {
    const struct gjkd_config *config = setup->config;
    struct gjkd_cluster *cluster = calloc(1, sizeof *cluster);
    if (cluster == NULL) {
        snprintf(error, GJKD_CLUSTER_ERROR_MAX, "out of memory");
        return NULL;
    }
    cluster->setup = *setup;
    cluster->base = (struct gjkd_storage){.newest = setup->registry,
                                          .shown = setup->registry,
                                          .is_remote = true,
                                          .has_room = gjkd_cluster_has_room,
                                          .commit = gjkd_cluster_commit,
                                          .confirm = gjkd_cluster_confirm};
    cluster->end = &cluster->first;
    make_locks(cluster);
    name_node(cluster);
    if (config->data_dir[0] != '\0') {
        cluster->file = gjkd_node_file_open(cluster, error);
        if (cluster->file == NULL) {
            gjkd_cluster_close(cluster);
            return NULL;
        }
    }
    const gjkd_engine_setup engine = {config->nats,       config->cluster,   cluster->node,
                                      config->nats_creds, config->nats_ca,   config->replicas,
                                      on_change,          gjkd_cluster_hear, cluster};
    char reason[GJKD_ENGINE_ERROR_MAX];
    cluster->engine = gjkd_engine_new(&engine, reason);
    if (cluster->engine == NULL || !start(cluster)) {
        snprintf(error, GJKD_CLUSTER_ERROR_MAX, "%.250s",
                 cluster->engine == NULL ? reason : "--cluster: there are no threads");
        gjkd_cluster_close(cluster);
        return NULL;
    }
    return cluster;
}

void gjkd_cluster_close(struct gjkd_cluster *cluster) {
    if (cluster == NULL) {
        return;
    }
    atomic_store(&cluster->stops, true);
    if (cluster->engine != NULL) {
        gjkd_engine_close(cluster->engine);
    }
    pthread_mutex_lock(&cluster->lock);
    pthread_cond_broadcast(&cluster->wakeup);
    pthread_cond_broadcast(&cluster->rest);
    pthread_cond_broadcast(&cluster->ticker.wakeup);
    pthread_cond_broadcast(&cluster->moved);
    pthread_mutex_unlock(&cluster->lock);
    if (cluster->has_reader) {
        pthread_join(cluster->reader, NULL);
    }
    if (cluster->has_publisher) {
        pthread_join(cluster->publisher, NULL);
    }
    if (cluster->has_keeper) {
        pthread_join(cluster->keeper, NULL);
    }
    gjkd_node_file_close(cluster->file);
    if (cluster->ticker.has_thread) {
        pthread_join(cluster->ticker.thread, NULL);
    }
    gjkd_engine_free(cluster->engine);
    gjkd_registry_free(cluster->next);
    gjkd_ticker_drop(&cluster->ticker);
    pthread_cond_destroy(&cluster->ticker.wakeup);
    pthread_mutex_destroy(&cluster->lock);
    pthread_cond_destroy(&cluster->moved);
    pthread_cond_destroy(&cluster->wakeup);
    pthread_cond_destroy(&cluster->rest);
    free(cluster);
}

struct gjkd_storage *gjkd_cluster_storage(struct gjkd_cluster *cluster) {
    return &cluster->base;
}

bool gjkd_cluster_wait_for_start(struct gjkd_cluster *cluster, uint64_t wait_ms) {
    pthread_mutex_lock(&cluster->lock);
    if (!atomic_load(&cluster->has_started)) {
        gjkd_cluster_wait(cluster, &cluster->moved, wait_ms);
    }
    pthread_mutex_unlock(&cluster->lock);
    return atomic_load(&cluster->has_started);
}

/* --- Measures --- */

const char *gjkd_cluster_state_name(gjkd_cluster_state state) {
    switch (state) {
    case GJKD_CLUSTER_READY:
        return "ready";
    case GJKD_CLUSTER_CATCHING_UP:
        return "catching-up";
    case GJKD_CLUSTER_DEGRADED:
        break;
    }
    return "degraded";
}

/* So many places that are not shown yet are the ordinary course of things. */
#define LAG_OF_READY 64

gjkd_cluster_measure gjkd_cluster_measure_now(struct gjkd_cluster *cluster) {
    const uint64_t shown = atomic_load(&cluster->shown), end = atomic_load(&cluster->known_end);
    const uint64_t lag = end > shown ? end - shown : 0;
    const gjkd_node_file_measure file = gjkd_node_file_measure_now(cluster->file);
    pthread_mutex_lock(&cluster->lock);
    const uint64_t epoch = cluster->epoch, world = cluster->world;
    pthread_mutex_unlock(&cluster->lock);
    return (gjkd_cluster_measure){
        .name = cluster->setup.config->cluster,
        .node = cluster->node,
        .state = gjkd_cluster_is_away(cluster) ? GJKD_CLUSTER_DEGRADED
                 : lag > LAG_OF_READY          ? GJKD_CLUSTER_CATCHING_UP
                                               : GJKD_CLUSTER_READY,
        .lag = lag,
        .position = shown,
        .epoch = epoch,
        .published = atomic_load(&cluster->published),
        .applied = atomic_load(&cluster->applied),
        .conflicts = atomic_load(&cluster->conflicts),
        .strays = atomic_load(&cluster->strays),
        .snapshots = atomic_load(&cluster->snapshots),
        .ticks_told = atomic_load(&cluster->ticker.told),
        .ticks_taken = atomic_load(&cluster->ticker.taken),
        .ticks_late = atomic_load(&cluster->ticker.late),
        .tick_gaps = atomic_load(&cluster->ticker.gaps),
        .worlds = world,
        .has_file = file.is_there,
        .file_fails = file.is_failing,
        .file_position = file.place,
        .file_saves = file.saves,
        .file_failures = file.failures,
    };
}
