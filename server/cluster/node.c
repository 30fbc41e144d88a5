/* Start and end of a cluster, its maintainer thread, and reports of nodes. */

#include "cluster/state.h"

#include "util/log.h"
#include "util/process.h"
#include "work/pool.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#define STEP_MS 100
#define NS_PER_MS UINT64_C(1000000)

/* Maximum time that GET /v1/cluster waits for the log's leader. */
#define LOOK_WAIT_MS 1000

/* Time without a report after which a node is "away". */
#define SILENT_NS UINT64_C(5000000000)

/* Time without an answer of the log after which another leader is requested. */
#define UNANSWERED_NS UINT64_C(5000000000)

/* Maximum number of tasks that wait outside their line of writers; each occupies a thread. */
#define LONG_WAITS_MAX 4

/* Minimum time between two log lines about messages that gjkd has not written. */
#define STRAY_PAUSE_NS UINT64_C(60000000000)

/* Maximum lag of a ready node, in messages. */
#define LAG_OF_READY 64

struct timespec gjkd_cluster_time_in(uint64_t wait_ms) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const uint64_t ns = (uint64_t)until.tv_nsec + wait_ms * 1000000;
    until.tv_sec += (time_t)(ns / 1000000000);
    until.tv_nsec = (long)(ns % 1000000000);
    return until;
}

void gjkd_cluster_wait_on(struct gjkd_cluster *cluster, pthread_cond_t *condition,
                          uint64_t wait_ms) {
    const struct timespec until = gjkd_cluster_time_in(wait_ms);
    pthread_cond_timedwait(condition, &cluster->lock, &until);
}

void gjkd_cluster_wait(struct gjkd_cluster *cluster, uint64_t wait_ms) {
    gjkd_cluster_wait_on(cluster, &cluster->moved, wait_ms);
}

void gjkd_cluster_wait_long(struct gjkd_cluster *cluster, uint64_t wait_ms, bool *has_left) {
    gjkd_cluster_wait(cluster, wait_ms);
    if (!*has_left && cluster->long_waits < LONG_WAITS_MAX) {
        *has_left = true;
        cluster->long_waits++;
        gjkd_pool_leave_line();
    }
}

bool gjkd_cluster_is_ready(const struct gjkd_cluster *cluster) {
    return atomic_load(&cluster->state) == GJKD_NODE_READY;
}

bool gjkd_cluster_refuses_writes(struct gjkd_cluster *cluster) {
    return !gjkd_engine_is_connected(cluster->engine) || !gjkd_cluster_is_ready(cluster) ||
           atomic_load(&cluster->is_stuck);
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

/* Makes the reader examine the log again after a change of the connection. Called on any thread. */
static void on_change(void *user) {
    struct gjkd_cluster *cluster = user;
    atomic_store(&cluster->is_doubtful, true);
}

/* --- The maintainer --- */

/* Asks for another leader if the log has not answered for UNANSWERED_NS; once per outage. */
static void replace_silent_leader(struct gjkd_cluster *cluster, uint64_t *pressed_ns) {
    const uint64_t since_ns = atomic_load(&cluster->unanswered_ns);
    if (since_ns == 0 || *pressed_ns == since_ns || uv_hrtime() - since_ns < UNANSWERED_NS) {
        return;
    }
    *pressed_ns = since_ns;
    const bool has_asked = gjkd_engine_change_leader(cluster->engine);
    gjkd_log(GJKD_LOG_ERROR,
             "cluster %s: the log has not taken a message for 5 s; NATS was asked for another "
             "leader of it, and %s. See that a majority of its servers runs, reaches the others "
             "and has room on its disk",
             cluster->setup.config->cluster, has_asked ? "makes one" : "did not answer");
}

void *gjkd_cluster_maintain(void *closure) {
    struct gjkd_cluster *cluster = closure;
    uint64_t pressed_ns = 0;
    gjkd_checkpoints checkpoints = {.not_before_ns = 0};
    char heavy[PROTO_SET_NAME_BYTES_MAX + 1];
    gjkd_thread_priority_set_loop(); /* inherited by the threads of cnats, which it starts */
    while (!atomic_load(&cluster->stops)) {
        gjkd_engine_mend(cluster->engine);
        gjkd_cluster_run_barrier(cluster);
        replace_silent_leader(cluster, &pressed_ns);
        gjkd_cluster_checkpoint(cluster, &checkpoints);
        pthread_mutex_lock(&cluster->lock);
        memcpy(heavy, cluster->heavy, sizeof heavy);
        pthread_mutex_unlock(&cluster->lock);
        if (heavy[0] != '\0' && !gjkd_cluster_refuses_writes(cluster)) {
            gjkd_cluster_roll_up(cluster, heavy);
        }
        pthread_mutex_lock(&cluster->lock);
        if (strcmp(heavy, cluster->heavy) == 0) {
            cluster->heavy[0] = '\0';
        }
        if (!atomic_load(&cluster->stops)) {
            gjkd_cluster_wait_on(cluster, &cluster->rest, STEP_MS);
        }
        pthread_mutex_unlock(&cluster->lock);
    }
    return NULL;
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

static bool start_threads(struct gjkd_cluster *cluster) {
    cluster->has_maintainer =
        pthread_create(&cluster->maintainer, NULL, gjkd_cluster_maintain, cluster) == 0;
    cluster->has_reader = pthread_create(&cluster->reader, NULL, gjkd_cluster_read, cluster) == 0;
    return cluster->has_maintainer && cluster->has_reader;
}

struct gjkd_cluster *gjkd_cluster_open(const gjkd_cluster_setup *setup,
                                       char error[GJKD_CLUSTER_ERROR_MAX]) {
    const struct gjkd_config *config = setup->config;
    struct gjkd_cluster *cluster = calloc(1, sizeof *cluster);
    char reason[GJKD_ENGINE_ERROR_MAX];
    if (cluster == NULL) {
        snprintf(error, GJKD_CLUSTER_ERROR_MAX, "out of memory");
        return NULL;
    }
    cluster->setup = *setup;
    cluster->shown.sets = setup->registry;
    cluster->base = (struct gjkd_storage){.newest = setup->registry,
                                          .shown = setup->registry,
                                          .is_remote = true,
                                          .has_room = gjkd_cluster_has_room,
                                          .commit = gjkd_cluster_commit,
                                          .confirm = gjkd_cluster_confirm};
    pthread_condattr_init(&cluster->monotonic);
    pthread_condattr_setclock(&cluster->monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&cluster->lock, NULL);
    pthread_cond_init(&cluster->moved, &cluster->monotonic);
    pthread_cond_init(&cluster->rest, &cluster->monotonic);
    name_node(cluster);
    const gjkd_engine_setup engine = {config->nats,
                                      config->cluster,
                                      cluster->node,
                                      config->nats_creds,
                                      config->nats_ca,
                                      config->replicas,
                                      on_change,
                                      gjkd_cluster_receive_tick,
                                      gjkd_cluster_take_answer,
                                      cluster};
    cluster->engine = gjkd_engine_new(&engine, reason);
    if (cluster->engine == NULL || !start_threads(cluster)) {
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
    pthread_cond_broadcast(&cluster->moved);
    pthread_cond_broadcast(&cluster->rest);
    pthread_mutex_unlock(&cluster->lock);
    if (cluster->has_reader) {
        pthread_join(cluster->reader, NULL);
    }
    if (cluster->has_maintainer) {
        pthread_join(cluster->maintainer, NULL);
    }
    pthread_mutex_lock(&cluster->lock);
    gjkd_cluster_drop_early_ticks(cluster); /* while cnats, which owns their messages, runs */
    pthread_mutex_unlock(&cluster->lock);
    gjkd_engine_free(cluster->engine);
    gjkd_copy_clear(&cluster->next, true);
    gjkd_copy_clear(&cluster->shown, false);
    pthread_mutex_destroy(&cluster->lock);
    pthread_cond_destroy(&cluster->rest);
    pthread_cond_destroy(&cluster->moved);
    pthread_condattr_destroy(&cluster->monotonic);
    free(cluster);
}

struct gjkd_storage *gjkd_cluster_storage(struct gjkd_cluster *cluster) {
    return &cluster->base;
}

bool gjkd_cluster_wait_for_start(struct gjkd_cluster *cluster, uint64_t wait_ms) {
    pthread_mutex_lock(&cluster->lock);
    if (!atomic_load(&cluster->has_started)) {
        gjkd_cluster_wait(cluster, wait_ms);
    }
    pthread_mutex_unlock(&cluster->lock);
    return atomic_load(&cluster->has_started);
}

bool gjkd_cluster_has_old_engine(const struct gjkd_cluster *cluster) {
    return atomic_load(&cluster->has_old_engine);
}

bool gjkd_cluster_wait_for_revision(struct gjkd_cluster *cluster, const char *set,
                                    uint64_t revision, gjk_budget *budget) {
    bool is_there = false, is_late = false, has_left = false;
    gjkd_pool_enter_blocking();
    pthread_mutex_lock(&cluster->lock);
    while (!is_there && !is_late) {
        struct gjkd_version *version = gjkd_registry_get(cluster->shown.sets, set);
        is_there = cluster->next.sets == NULL &&
                   (version != NULL ? version->revision : cluster->shown.seq) >= revision;
        gjkd_version_release(version);
        is_late = !is_there && (atomic_load(&cluster->stops) || gjk_budget_ask(budget));
        if (!is_there && !is_late) {
            gjkd_cluster_wait_long(cluster, STEP_MS / 2, &has_left);
        }
    }
    cluster->long_waits -= has_left;
    pthread_mutex_unlock(&cluster->lock);
    return is_there;
}

bool gjkd_cluster_wait_for_newest(struct gjkd_cluster *cluster, gjk_budget *budget) {
    gjkd_pool_enter_blocking();
    return gjkd_cluster_await_barrier(cluster, budget);
}

bool gjkd_cluster_is_blocked(struct gjkd_cluster *cluster, const char *set) {
    if (!atomic_load(&cluster->is_blocked)) {
        return false;
    }
    pthread_mutex_lock(&cluster->lock);
    const gjkd_place *place = gjkd_copy_find(&cluster->shown, set, false);
    const bool is_blocked = place != NULL && place->is_blocked;
    pthread_mutex_unlock(&cluster->lock);
    return is_blocked;
}

uint64_t gjkd_cluster_known_ns(const struct gjkd_cluster *cluster) {
    return atomic_load(&cluster->fresh_ns);
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

gjkd_cluster_measure gjkd_cluster_measure_now(struct gjkd_cluster *cluster) {
    const uint64_t place = atomic_load(&cluster->place), end = atomic_load(&cluster->known_end);
    const uint64_t lag = end > place ? end - place : 0;
    const uint64_t fresh_ns = atomic_load(&cluster->fresh_ns), now_ns = uv_hrtime();
    const uint64_t age_ns = now_ns > fresh_ns ? now_ns - fresh_ns : 0;
    const bool is_stale = age_ns > cluster->setup.config->stale_after_ms * NS_PER_MS;
    const bool is_degraded =
        gjkd_cluster_refuses_writes(cluster) || atomic_load(&cluster->is_blocked) || is_stale;
    return (gjkd_cluster_measure){
        .name = cluster->setup.config->cluster,
        .node = cluster->node,
        .state = is_degraded          ? GJKD_CLUSTER_DEGRADED
                 : lag > LAG_OF_READY ? GJKD_CLUSTER_CATCHING_UP
                                      : GJKD_CLUSTER_READY,
        .lag = lag,
        .position = place,
        .epoch = cluster->epoch,
        .age_ns = age_ns,
        .is_stale = is_stale,
        .published = atomic_load(&cluster->published),
        .applied = atomic_load(&cluster->applied),
        .conflicts = atomic_load(&cluster->conflicts),
        .strays = atomic_load(&cluster->strays),
        .rollups = atomic_load(&cluster->rollups),
        .ticks_sent = atomic_load(&cluster->ticks_sent),
        .ticks_taken = atomic_load(&cluster->ticks_taken),
        .ticks_late = atomic_load(&cluster->ticks_late),
        .tick_gaps = atomic_load(&cluster->tick_gaps),
        .resyncs = cluster->resyncs,
    };
}

/* --- Members --- */

void gjkd_cluster_describe_self(struct gjkd_cluster *cluster, char text[GJKD_SELF_TEXT_MAX]) {
    const gjkd_cluster_measure measure = gjkd_cluster_measure_now(cluster);
    snprintf(text, GJKD_SELF_TEXT_MAX, "%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %s %s",
             gjkd_cluster_state_name(measure.state), measure.age_ns / NS_PER_MS, measure.position,
             gjkd_registry_measure(cluster->setup.registry).sets, GJKD_VERSION_TEXT,
             cluster->setup.config->sets[0] != '\0' ? cluster->setup.config->sets : "*");
}

/* Returns true if one of the comma-separated patterns matches the set's name. */
static bool match_patterns(const char *patterns, const char *set) {
    char pattern[GJKD_PATTERNS_BYTES_MAX + 1];
    bool is_named = false;
    for (const char *at = patterns; !is_named && *at != '\0'; at += *at == ',') {
        const size_t length = strcspn(at, ",");
        snprintf(pattern, sizeof pattern, "%.*s", (int)length, at);
        is_named = fnmatch(pattern, set, 0) == 0;
        at += length;
    }
    return is_named;
}

bool gjkd_cluster_holds(const struct gjkd_cluster *cluster, const char *set) {
    const char *patterns = cluster->setup.config->sets;
    return patterns[0] == '\0' || match_patterns(patterns, set);
}

bool gjkd_cluster_check_held(struct gjkd_cluster *cluster, const char *set,
                             struct proto_problem *problem) {
    char nodes[PROTO_DETAIL_MAX] = "";
    if (gjkd_cluster_holds(cluster, set)) {
        return true;
    }
    pthread_mutex_lock(&cluster->lock);
    const gjkd_cluster_overview *seen = &cluster->overview;
    for (unsigned i = 0; i < seen->count; i++) {
        const gjkd_cluster_member *member = &seen->members[i];
        const size_t length = strlen(nodes);
        if (uv_hrtime() < member->heard_ns + SILENT_NS && match_patterns(member->patterns, set)) {
            snprintf(nodes + length, sizeof nodes - length, "%s%s", length > 0 ? ", " : "",
                     member->node);
        }
    }
    pthread_mutex_unlock(&cluster->lock);
    return proto_problem_set(problem, PROTO_NOT_HERE,
                             "this node does not hold the set \"%.128s\"; %s%s", set,
                             nodes[0] != '\0' ? "nodes that do: " : "no node is known that does",
                             nodes);
}

/* Returns the member of that name. If there is none, returns a new one or, if the list is full, the
 * one silent for longest. The lock is held. */
static gjkd_cluster_member *find_or_add_member(gjkd_cluster_overview *overview, const char *node) {
    gjkd_cluster_member *oldest = &overview->members[0];
    for (unsigned i = 0; i < overview->count; i++) {
        gjkd_cluster_member *member = &overview->members[i];
        if (strcmp(member->node, node) == 0) {
            return member;
        }
        oldest = member->heard_ns < oldest->heard_ns ? member : oldest;
    }
    return overview->count < GJKD_CLUSTER_MEMBERS_MAX ? &overview->members[overview->count++]
                                                      : oldest;
}

static int compare_members(const void *a, const void *b) {
    return strcmp(((const gjkd_cluster_member *)a)->node, ((const gjkd_cluster_member *)b)->node);
}

/* Converts a server's wall-clock time to uv_hrtime; never returns a time in the future. */
static uint64_t local_time(int64_t sent_ns) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const int64_t ago_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - sent_ns;
    const uint64_t now_ns = uv_hrtime();
    return ago_ns <= 0 ? now_ns : (uint64_t)ago_ns < now_ns ? now_ns - (uint64_t)ago_ns : 0;
}

void gjkd_cluster_note_member(struct gjkd_cluster *cluster, const gjkd_engine_message *message) {
    gjkd_cluster_overview *seen = &cluster->overview;
    gjkd_cluster_member said = {.heard_ns = local_time(message->sent_ns), .patterns = "*"};
    char text[GJKD_SELF_TEXT_MAX];
    snprintf(text, sizeof text, "%.*s", (int)message->length, message->data);
    if (strlen(message->name) > GJKD_NODE_NAME_BYTES_MAX ||
        sscanf(text, "%31s %" SCNu64 " %" SCNu64 " %" SCNu64 " %31s %255s", said.state,
               &said.age_ms, &said.last, &said.sets, said.version, said.patterns) < 5) {
        return;
    }
    snprintf(said.node, sizeof said.node, "%.*s", GJKD_NODE_NAME_BYTES_MAX, message->name);
    *find_or_add_member(seen, said.node) = said;
    qsort(seen->members, seen->count, sizeof seen->members[0], compare_members);
}

void gjkd_cluster_look_over(struct gjkd_cluster *cluster, gjkd_cluster_overview *out) {
    gjkd_engine_state log = {.leader = ""};
    gjkd_pool_enter_blocking();
    const bool is_seen = gjkd_engine_look(cluster->engine, LOOK_WAIT_MS, &log);
    const uint64_t now_ns = uv_hrtime();
    pthread_mutex_lock(&cluster->lock);
    *out = cluster->overview;
    pthread_mutex_unlock(&cluster->lock);
    out->is_seen = is_seen;
    out->servers = log.replicas;
    out->bytes = log.bytes;
    out->last = log.last;
    snprintf(out->leader, sizeof out->leader, "%.*s", GJKD_NODE_NAME_BYTES_MAX, log.leader);
    for (unsigned i = 0; i < out->count; i++) {
        gjkd_cluster_member *member = &out->members[i];
        const uint64_t silent_ns = now_ns > member->heard_ns ? now_ns - member->heard_ns : 0;
        member->age_ms += silent_ns / NS_PER_MS;
        if (silent_ns > SILENT_NS) {
            snprintf(member->state, sizeof member->state, "away");
        }
    }
}
