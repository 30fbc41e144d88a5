/*
 * Reads the log in order and shows it. After any failure (no connection, a lost consumer, a missing
 * delivery) the log is opened again.
 *
 * A message of a set names the message that its write was made from, by position and random id.
 * NATS has already compared the position. Comparing both here protects against servers that accept
 * two messages upon the same state, or that lose acknowledged messages:
 *
 *   it names the set's newest message              valid: it is shown
 *   it names another one, and the log's leader     void: another write came first; it is skipped
 *   has the newest message known to this node
 *   else                                           the log does not continue the sets shown: resync
 *
 * A server that was killed may deliver, for a while after its restart, messages that most of the
 * others never had. So messages up to the goal are compared with the leader's before they are
 * shown: each one, unless the set's next message names it, since no node writes upon a message that
 * the leader lacks. A resync compares the newest message of each set, at its end.
 */

#define _GNU_SOURCE /* for tdestroy */
#include "cluster/state.h"

#include "sets/feed.h"
#include "sets/version.h"
#include "sets/version_edit.h"
#include "util/log.h"
#include "util/process.h"

#include <inttypes.h>
#include <malloc.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define IDLE_MS 100
#define AGAIN_MS 100

/* Maximum time without a delivery while the log is known to have more messages. */
#define SILENT_NS UINT64_C(2000000000)

/* A server that delivers is heard within this many waits of IDLE_MS. Waits are counted rather than
 * time, because time also passes while this process is stopped. */
#define SILENT_WAITS 10
#define COMPLAINT_PAUSE_NS UINT64_C(10000000000)

/* Number of sets listed at a time. */
#define STEP_SETS 256

/* Approximate size of a message besides its text. */
#define OVERHEAD_BYTES 128

/* Maximum time that a change waits for ticks that were sent before it. */
#define TICKS_LATE_NS UINT64_C(100000000)
#define TICK_STEP_MS 10

/* A set is rolled up once its messages exceed twice its size by this much. */
#define HEAVY_BYTES (UINT64_C(64) << 10)

/* Maximum number of undelivered messages that are fetched one by one. */
#define HIDDEN_MAX 1024

/* Maximum number and size of messages that are compared with the leader's at a time. */
#define HELD_MAX 256
#define HELD_BYTES_MAX ((size_t)16 << 20)

/* Maximum number of sets that are compared at a time; fewer if their messages are long. */
#define PROBES_MAX 512

/* Maximum number of parts of a message. */
#define PARTS_MAX 16384

struct reader {
    struct gjkd_cluster *cluster;
    bool is_open;
    uint64_t delivery;     /* number of the last delivery; 0 if none since the log was opened */
    uint64_t moved_ns;     /* last time that a message arrived, or that none was missing */
    unsigned silent_waits; /* consecutive waits without any message */
    uint64_t complained_ns;
    char complaint[GJKD_ENGINE_ERROR_MAX];
    gjkd_engine_message held[HELD_MAX]; /* messages up to the goal, to be compared */
    unsigned held_count;
    size_t held_bytes;
};

static const char *cluster_name(const struct gjkd_cluster *cluster) {
    return cluster->setup.config->cluster;
}

static void complain(struct reader *reader, const char *what) {
    const uint64_t now_ns = uv_hrtime();
    if (!atomic_load(&reader->cluster->stops) &&
        (strncmp(what, reader->complaint, sizeof reader->complaint - 1) != 0 ||
         now_ns - reader->complained_ns > COMPLAINT_PAUSE_NS)) {
        reader->complained_ns = now_ns;
        snprintf(reader->complaint, sizeof reader->complaint, "%s", what);
        gjkd_log(GJKD_LOG_WARNING, "cluster %s: %s", cluster_name(reader->cluster), what);
    }
}

static void note_obstacle(struct gjkd_cluster *cluster, const char *what) {
    atomic_store(cluster->setup.obstacle, what);
}

/* Releases the lock, which the reader holds, then wakes the writer of the message that it handled:
 * one at most. */
static void unlock(struct gjkd_cluster *cluster) {
    struct gjkd_pending *woken = cluster->woken;
    cluster->woken = NULL;
    pthread_mutex_unlock(&cluster->lock);
    if (woken != NULL) {
        sem_post(&woken->moved);
    }
}

/* --- Copies --- */

static int compare_places(const void *a, const void *b) {
    return strcmp(((const gjkd_place *)a)->name, ((const gjkd_place *)b)->name);
}

gjkd_place *gjkd_copy_find(gjkd_copy *copy, const char *name, bool may_make) {
    gjkd_place key;
    snprintf(key.name, sizeof key.name, "%s", name);
    gjkd_place *const *found = tfind(&key, &copy->places, compare_places);
    if (found != NULL || !may_make) {
        return found != NULL ? *found : NULL;
    }
    gjkd_place *made = calloc(1, sizeof *made);
    if (made != NULL) {
        memcpy(made->name, key.name, sizeof made->name);
        if (tsearch(made, &copy->places, compare_places) == NULL) {
            free(made);
            made = NULL;
        }
    }
    return made;
}

void gjkd_copy_clear(gjkd_copy *copy, bool frees_sets) {
    tdestroy(copy->places, free);
    if (frees_sets) {
        gjkd_registry_free(copy->sets);
    }
    *copy = (gjkd_copy){.sets = frees_sets ? NULL : copy->sets};
}

/* --- The sets shown --- */

bool gjkd_cluster_shows(struct gjkd_registry *sets, const char *name,
                        const struct gjkd_version *version) {
    struct gjkd_version *shown = gjkd_registry_get(sets, name);
    gjkd_version_release(shown);
    return shown == version;
}

void gjkd_cluster_show(struct gjkd_registry *sets, const char *name, struct gjkd_version *from,
                       struct gjkd_version *to) {
    const bool is_same_life = from != NULL && to != NULL && from->incarnation == to->incarnation;
    gjkd_registry_set(sets, name, to);
    if (from != NULL && to != NULL && !is_same_life) {
        gjkd_delta_publish(from, NULL);
    } else {
        gjkd_delta_publish(from, to);
    }
}

struct gjkd_pending *gjkd_cluster_find_pending(struct gjkd_cluster *cluster, const char *name) {
    struct gjkd_pending *pending = cluster->pending;
    while (pending != NULL && strcmp(pending->name, name) != 0) {
        pending = pending->next;
    }
    return pending;
}

/* Returns the sets that messages are applied to: those of the resync if there is one. */
static gjkd_copy *copy_of(struct gjkd_cluster *cluster) {
    return cluster->next.sets != NULL ? &cluster->next : &cluster->shown;
}

/* --- States --- */

static void enter_state(struct gjkd_cluster *cluster, gjkd_node_state state) {
    pthread_mutex_lock(&cluster->lock);
    atomic_store(&cluster->state, state);
    pthread_cond_broadcast(&cluster->moved);
    unlock(cluster);
}

/* Begins to read the log anew, into sets beside those shown. why: text for the log; NULL: the
 * resync is neither logged nor counted. Returns false if memory is exhausted. */
static bool begin_resync(struct gjkd_cluster *cluster, const char *why) {
    struct gjkd_registry *sets = gjkd_registry_new(cluster->setup.limits->sets_max);
    if (sets == NULL) {
        return false;
    }
    if (why != NULL) {
        gjkd_log(GJKD_LOG_ERROR,
                 "cluster %s: %s: what is shown is dropped once the log has been read anew",
                 cluster_name(cluster), why);
    }
    pthread_mutex_lock(&cluster->lock);
    gjkd_copy_clear(&cluster->next, true);
    cluster->next.sets = sets;
    cluster->resyncs += why != NULL;
    gjkd_cluster_drop_early_ticks(cluster);
    unlock(cluster);
    return true;
}

/* Ends the feeds of these sets: the log has other sets, some with the same names. */
static void end_feeds(struct gjkd_registry *sets) {
    struct gjkd_version *versions[STEP_SETS];
    char after[PROTO_SET_NAME_BYTES_MAX + 1] = "";
    bool more = true;
    while (more) {
        const size_t count = gjkd_registry_list(sets, "", NULL, after[0] != '\0' ? after : NULL,
                                                STEP_SETS, versions, &more);
        for (size_t i = 0; i < count; i++) {
            gjkd_delta_publish(versions[i], NULL);
            snprintf(after, sizeof after, "%s", versions[i]->name);
            gjkd_version_release(versions[i]);
        }
    }
}

/* Updates the flag that makes requests look for blocked sets. The lock is held. */
static void note_blocked(struct gjkd_cluster *cluster) {
    const bool is_blocked = cluster->shown.blocked > 0;
    if (atomic_exchange(&cluster->is_blocked, is_blocked) && !is_blocked) {
        note_obstacle(cluster, NULL);
    }
}

/* Replaces the sets shown by those of the resync. */
static void finish_resync(struct gjkd_cluster *cluster) {
    pthread_mutex_lock(&cluster->lock);
    gjkd_copy before = cluster->shown, next = cluster->next;
    gjkd_registry_exchange(before.sets, next.sets);
    struct gjkd_registry *const readers = before.sets;
    before.sets = next.sets;
    next.sets = readers;
    cluster->shown = next;
    cluster->next = (gjkd_copy){.sets = NULL};
    note_blocked(cluster);
    atomic_store(&cluster->place, cluster->shown.seq);
    gjkd_cluster_take_early_ticks(cluster);
    pthread_cond_broadcast(&cluster->moved);
    unlock(cluster);
    end_feeds(before.sets);
    gjkd_copy_clear(&before, true);
    malloc_trim(0);
}

/* Comparison of each set's newest message as read with the one that the log's leader has. */
struct comparison {
    struct gjkd_cluster *cluster;
    const gjkd_place *places[PROBES_MAX];
    gjkd_probe probes[PROBES_MAX];
    unsigned count;
    uint64_t bytes;
    bool fits;
};

static void probe_and_compare(struct comparison *comparison) {
    const uint64_t goal = comparison->cluster->goal.seq;
    comparison->fits =
        comparison->fits && !atomic_load(&comparison->cluster->stops) &&
        gjkd_engine_probe(comparison->cluster->engine, comparison->probes, comparison->count);
    for (unsigned i = 0; i < comparison->count && comparison->fits; i++) {
        const gjkd_place *place = comparison->places[i];
        const gjkd_probe *last = &comparison->probes[i];
        comparison->fits = (last->place == place->subject_seq || last->place > goal) &&
                           (last->place != place->seq || last->id == 0 || last->id == place->id);
    }
    comparison->count = 0;
    comparison->bytes = 0;
}

static void note_probe(const void *node, VISIT visit, void *closure) {
    struct comparison *comparison = closure;
    const gjkd_place *place = *(const gjkd_place *const *)node;
    if ((visit != postorder && visit != leaf) || !comparison->fits ||
        place->subject_seq > comparison->cluster->goal.seq) {
        return;
    }
    comparison->places[comparison->count] = place;
    comparison->probes[comparison->count++] = (gjkd_probe){.name = place->name};
    comparison->bytes += place->bytes < GJKD_INLINE_BYTES ? place->bytes : GJKD_INLINE_BYTES;
    if (comparison->count == PROBES_MAX || comparison->bytes > HELD_BYTES_MAX) {
        probe_and_compare(comparison);
    }
}

/* Returns true if the leader has the newest message of each set. If most servers were restored from
 * a backup, another one may still deliver messages that they have lost. */
static bool compare_all(struct gjkd_cluster *cluster) {
    struct comparison comparison = {.cluster = cluster, .fits = true};
    twalk_r(cluster->next.places, note_probe, &comparison);
    probe_and_compare(&comparison);
    return comparison.fits;
}

/* Enters READY at the goal. Returns false if the messages read differ from the leader's. */
static bool enter_ready(struct gjkd_cluster *cluster) {
    pthread_mutex_lock(&cluster->lock);
    const bool has_come = gjkd_cluster_has_come(cluster, cluster->goal);
    unlock(cluster);
    if (!has_come) {
        return false;
    }
    if (cluster->next.sets != NULL) {
        if (!compare_all(cluster)) {
            (void)begin_resync(cluster, NULL);
            return false;
        }
        finish_resync(cluster);
    }
    atomic_store(&cluster->fresh_ns, cluster->goal_ns);
    enter_state(cluster, GJKD_NODE_READY);
    if (!atomic_exchange(&cluster->has_started, true)) {
        gjkd_log(GJKD_LOG_INFO, "cluster %s: the log is read, up to %" PRIu64,
                 cluster_name(cluster), cluster->shown.seq);
    }
    return true;
}

/* --- Opening --- */

typedef enum fit { FITS, FITS_NOT, IS_UNCLEAR } fit;

/* Compares the id of a set's message with the leader's message at that position. */
static fit compare_at(struct gjkd_cluster *cluster, uint64_t seq, uint64_t id) {
    gjkd_probe probe = {.place = seq};
    return !gjkd_engine_probe(cluster->engine, &probe, 1) ? IS_UNCLEAR
           : probe.id == id                               ? FITS
                                                          : FITS_NOT;
}

/* Compares the last message of any set with the leader's. Each message names one before it, so the
 * earlier ones are then equal, too. A message that was rolled up since cannot be compared. */
static fit compare_last(struct gjkd_cluster *cluster, const gjkd_copy *copy) {
    return copy->set_seq == 0 ? FITS : compare_at(cluster, copy->set_seq, copy->set_id);
}

/* Checks whether the log continues the sets shown, and begins a resync if it does not. The barrier
 * proves that the leader has a majority. Returns false if that cannot be decided now. */
static bool check_continuation(struct reader *reader, const gjkd_engine_state *log,
                               uint64_t barrier) {
    struct gjkd_cluster *cluster = reader->cluster;
    if (cluster->epoch == 0) {
        cluster->epoch = log->epoch;
        return cluster->next.sets != NULL || begin_resync(cluster, NULL);
    }
    if (cluster->next.sets != NULL) {
        return begin_resync(cluster, NULL); /* the last resync was interrupted */
    }
    if (barrier <= cluster->shown.seq) {
        return begin_resync(cluster, "the log has lost its end");
    }
    const fit found = compare_last(cluster, &cluster->shown);
    return found == FITS ||
           (found == FITS_NOT &&
            begin_resync(cluster, "the log goes on otherwise, or has rolled up what "
                                  "this node knows of it"));
}

static bool fail_open(struct reader *reader, const char *obstacle, const char *why) {
    note_obstacle(reader->cluster, obstacle);
    complain(reader, why);
    return false;
}

/* Asks for the state of the log. Returns false if it is unavailable: the obstacle says why. */
static bool look_at_log(struct reader *reader, gjkd_engine_state *log) {
    struct gjkd_cluster *cluster = reader->cluster;
    char error[GJKD_ENGINE_ERROR_MAX] = "";
    if (!gjkd_engine_is_connected(cluster->engine)) {
        const char *trouble = gjkd_engine_trouble(cluster->engine, error);
        return trouble != NULL && fail_open(reader, trouble, error);
    }
    const bool may_make = cluster->setup.config->cluster_init && cluster->epoch == 0;
    switch (gjkd_engine_open(cluster->engine, may_make, log, error)) {
    case GJKD_OPENED:
        break;
    case GJKD_OPENED_NONE:
        return fail_open(reader,
                         "NATS has no log of this cluster: one node with --cluster-init makes it",
                         error);
    case GJKD_OPENED_OLD:
        atomic_store(&cluster->has_old_engine, true);
        return fail_open(reader, "NATS is older than 2.10: update its servers", error);
    case GJKD_OPENED_NOT:
        return fail_open(reader, "the stream of its cluster cannot be opened: its log says why",
                         error);
    }
    if (cluster->epoch != 0 && log->epoch != cluster->epoch) {
        return fail_open(reader,
                         "NATS has another log than the one that this node shows: start the node "
                         "again to take it",
                         "the log was made anew: the sets that are shown stay, and writes are "
                         "refused until this node is started again");
    }
    return true;
}

static bool open_log(struct reader *reader) {
    struct gjkd_cluster *cluster = reader->cluster;
    gjkd_engine_state log;
    gjkd_barrier barrier = {.seq = 0};
    const uint64_t sent_ns = uv_hrtime();
    if (!look_at_log(reader, &log)) {
        return false;
    }
    if (!gjkd_cluster_put_barrier(cluster, &barrier)) {
        return fail_open(reader,
                         "the log takes no writes: have its servers "
                         "a majority, and room on their disks?",
                         "the log takes no writes");
    }
    if (!check_continuation(reader, &log, barrier.seq)) {
        return false;
    }
    pthread_mutex_lock(&cluster->lock);
    cluster->goal = barrier;
    cluster->goal_ns = sent_ns;
    unlock(cluster);
    note_obstacle(cluster, NULL);
    reader->delivery = 0;
    if (!gjkd_engine_follow(cluster->engine, copy_of(cluster)->seq + 1)) {
        complain(reader, "the log cannot be followed yet");
        return false;
    }
    reader->moved_ns = uv_hrtime();
    reader->silent_waits = 0;
    enter_state(cluster, GJKD_NODE_READING);
    return true;
}

/* --- Messages --- */

static void note_place(struct gjkd_cluster *cluster, gjkd_copy *copy, uint64_t seq) {
    copy->seq = seq;
    if (copy == &cluster->shown) {
        atomic_store(&cluster->place, seq);
        gjkd_cluster_take_early_ticks(cluster);
    }
    if (atomic_load(&cluster->known_end) < seq) {
        atomic_store(&cluster->known_end, seq);
    }
    pthread_cond_broadcast(&cluster->moved);
}

/* Settles a write of this node, whose version gets the message's position. The lock is held. */
static void settle(struct gjkd_cluster *cluster, struct gjkd_pending *pending, uint64_t seq) {
    const gjkd_proposal *proposal = pending->proposal;
    struct gjkd_version *from = proposal->from, *to = proposal->to;
    if (to != NULL) {
        gjkd_version_number(to, from, to->incarnation, pending->is_quiet, seq, to->nonce);
        to->unlogged.leads = pending->is_quiet;
        to->unlogged.doubts = proposal->stamp == NULL && !proposal->is_whole && from != NULL &&
                              gjkd_version_may_lack_ticks(from);
        to->unlogged.since_ns = uv_hrtime();
    }
    pending->is_settled = true;
    pending->seq = seq;
    atomic_fetch_add(&cluster->published, 1);
}

bool gjkd_place_is_heavy(const gjkd_place *place, uint32_t shapes) {
    uint64_t whole = place->whole_bytes;
    if (shapes < place->whole_shapes) {
        whole = (uint64_t)((double)whole * shapes / place->whole_shapes);
    }
    return place->bytes > HEAVY_BYTES + 2 * whole;
}

/* Adds a message to the size of its set, which starts anew if the earlier messages are gone. to:
 * the set afterwards; NULL if it was deleted or is unknown. The lock is held. */
static void add_size(gjkd_place *place, const gjkd_engine_message *message, uint64_t length,
                     const struct gjkd_version *to) {
    const unsigned flags = message->head.flags;
    const bool is_whole = (flags & GJKD_IS_WHOLE) != 0;
    const bool is_first =
        place->seq == 0 || (flags & GJKD_IS_SAME) != 0 || (is_whole && to == NULL);
    place->bytes = (is_first ? 0 : place->bytes) + length + OVERHEAD_BYTES;
    if (is_whole) {
        place->whole_bytes = length + OVERHEAD_BYTES;
        place->whole_shapes = to != NULL ? gjk_set_count(to->set) : 0;
    }
}

/* Makes a valid message the newest one of its set. The lock is held. */
static void note_valid(struct gjkd_cluster *cluster, gjkd_copy *copy, gjkd_place *place,
                       const gjkd_engine_message *message, uint64_t length,
                       const struct gjkd_version *to) {
    const bool is_own = strcmp(message->node, cluster->node) == 0;
    struct gjkd_pending *pending = gjkd_cluster_find_pending(cluster, place->name);
    const bool may_leave_parts = to == NULL && place->bytes > GJKD_INLINE_BYTES;
    add_size(place, message, length, to);
    place->seq = place->subject_seq = message->place;
    place->id = message->head.id;
    copy->blocked -= place->is_blocked;
    place->is_blocked = false;
    note_blocked(cluster);
    copy->set_seq = message->place;
    copy->set_id = message->head.id;
    if (is_own && copy == &cluster->shown && cluster->heavy[0] == '\0' &&
        (may_leave_parts || (to != NULL && gjkd_place_is_heavy(place, gjk_set_count(to->set))))) {
        snprintf(cluster->heavy, sizeof cluster->heavy, "%s", place->name);
    }
    note_place(cluster, copy, message->place);
    atomic_fetch_add(&cluster->applied, 1);
    if (pending != NULL && !(pending->is_settled && pending->sending == GJKD_AWAITED)) {
        GJK_ASSERT(cluster->woken == NULL);
        pending->posts++;
        cluster->woken = pending;
    }
}

/* Makes the writing node the lease holder of the set if the message is a tick. The lock is held. */
static void note_holder(gjkd_place *place, const struct gjkd_version *to,
                        const gjkd_engine_message *message) {
    if (to != NULL && to->order == message->place && to->order != to->revision) {
        place->holder_ns = uv_hrtime();
        snprintf(place->holder, sizeof place->holder, "%s", message->node);
    }
}

void gjkd_cluster_count_gap(struct gjkd_cluster *cluster, const struct gjkd_version *from,
                            const struct gjkd_version *to) {
    const uint64_t end = gjkd_version_ticks_end(to);
    gjk_tick newest;
    if (from != NULL && end > gjkd_version_ticks_end(from) &&
        gjk_history_find(to->history, end - 1, &newest) && newest.after_gap) {
        atomic_fetch_add(&cluster->tick_gaps, 1);
    }
}

/* Shows a write of this node, whose version exists already. Returns false if the message has to be
 * decoded. The lock is held. */
static bool show_own(struct gjkd_cluster *cluster, gjkd_copy *copy, gjkd_place *place,
                     const gjkd_engine_message *message) {
    struct gjkd_pending *pending = gjkd_cluster_find_pending(cluster, message->name);
    if (pending == NULL || pending->id != message->head.id || copy != &cluster->shown ||
        !gjkd_cluster_shows(copy->sets, message->name, pending->proposal->from)) {
        return false;
    }
    struct gjkd_version *from = pending->proposal->from, *to = pending->proposal->to;
    settle(cluster, pending, message->place);
    gjkd_cluster_show(copy->sets, message->name, from, to);
    note_holder(place, to, message);
    note_valid(cluster, copy, place, message, pending->bytes, to);
    return true;
}

/* Fetches the parts of a message and joins them. The caller frees the text. Returns NULL if a part
 * is unavailable or memory is exhausted; *is_void is true if a part is not in the log, or if the
 * number of parts is one that no node writes. */
static char *read_parts(struct gjkd_cluster *cluster, const gjkd_engine_message *message,
                        size_t *length, bool *is_void) {
    const size_t count = message->length / sizeof(uint64_t);
    char *text = NULL;
    *length = 0;
    *is_void = count == 0 || count > PARTS_MAX;
    for (size_t i = 0; i < count && !*is_void; i++) {
        uint64_t seq;
        gjkd_engine_message part;
        memcpy(&seq, message->data + i * sizeof seq, sizeof seq);
        if (!gjkd_engine_get(cluster->engine, seq, &part)) {
            free(text);
            return NULL;
        }
        char *larger = part.handle != NULL ? realloc(text, *length + part.length + 1) : NULL;
        if (larger != NULL) {
            text = larger;
            memcpy(text + *length, part.data, part.length);
            *length += part.length;
        }
        gjkd_engine_release(cluster->engine, &part);
        if (larger == NULL) {
            *is_void = part.handle == NULL;
            free(text);
            return NULL;
        }
    }
    return text;
}

typedef enum taking {
    IS_TAKEN,
    IS_LATER,   /* failed for now: the log is opened again */
    IS_ANOTHER, /* the log does not continue the sets shown */
} taking;

/* Blocks the set until a later message of it can be applied. The lock is held. */
static void block(struct gjkd_cluster *cluster, gjkd_copy *copy, gjkd_place *place,
                  const gjkd_engine_message *message, const char *why) {
    gjkd_log(GJKD_LOG_ERROR, "cluster %s: message %" PRIu64 " of the set %s cannot be taken: %s",
             cluster_name(cluster), message->place, message->name, why);
    note_valid(cluster, copy, place, message, message->length, NULL);
    place->is_blocked = true;
    copy->blocked++;
    note_blocked(cluster);
    note_obstacle(cluster, message->format > GJKD_LOG_FORMAT
                               ? "the log has a message of a later version of gjkd: update this "
                                 "node"
                               : "a message of the log cannot be taken: the node's own log says "
                                 "why");
}

/* Decodes the change and shows it. Starts again if ticks have changed the set meanwhile. */
static taking decode_and_show(struct gjkd_cluster *cluster, gjkd_copy *copy, gjkd_place *place,
                              const gjkd_engine_message *message, proto_text text) {
    const uint64_t begun_ns = uv_hrtime();
    taking taken = IS_LATER;
    bool is_over = false;
    while (!is_over) {
        gjkd_applied made;
        struct proto_problem problem = {.code = PROTO_OK};
        const bool is_made = message->format <= GJKD_LOG_FORMAT &&
                             gjkd_record_read(text, message->place, copy->sets,
                                              cluster->setup.limits, &made, &problem);
        pthread_mutex_lock(&cluster->lock);
        if (!is_made) {
            is_over = true;
            taken = problem.code == PROTO_OUT_OF_MEMORY ? IS_LATER : IS_TAKEN;
            if (taken == IS_TAKEN) {
                block(cluster, copy, place, message,
                      message->format > GJKD_LOG_FORMAT ? "it is of a later version of gjkd"
                                                        : problem.detail);
            }
            unlock(cluster);
            continue;
        }
        if (made.lacks_ticks && copy == &cluster->shown && uv_hrtime() - begun_ns < TICKS_LATE_NS) {
            gjkd_cluster_wait(cluster, TICK_STEP_MS);
        } else if (gjkd_cluster_shows(copy->sets, message->name, made.from)) {
            gjkd_cluster_show(copy->sets, message->name, made.from, made.to);
            if (made.to != NULL) {
                gjkd_cluster_count_gap(cluster, made.from, made.to);
                note_holder(place, made.to, message);
            }
            struct gjkd_pending *own = gjkd_cluster_find_pending(cluster, message->name);
            if (own != NULL && own->id == message->head.id) {
                settle(cluster, own, message->place);
            }
            note_valid(cluster, copy, place, message, text.length, made.to);
            is_over = true;
            taken = IS_TAKEN;
        }
        unlock(cluster);
        gjkd_version_release(made.from);
        gjkd_version_release(made.to);
    }
    return taken;
}

/* Handles a message that does not follow its set's newest one: skips it, or finds that the log is
 * another one. In a resync, a message whose predecessors are gone blocks its set. */
static taking handle_unexpected(struct gjkd_cluster *cluster, gjkd_place *place,
                                const gjkd_engine_message *message) {
    const bool is_newer = message->head.after_seq > place->seq;
    const bool is_resync = cluster->next.sets != NULL;
    if (is_newer && !is_resync) {
        return IS_ANOTHER;
    }
    const fit found = is_newer ? compare_at(cluster, message->place, message->head.id)
                               : compare_at(cluster, place->seq, place->id);
    if (found != FITS) {
        return found == FITS_NOT && !is_resync ? IS_ANOTHER : IS_LATER;
    }
    pthread_mutex_lock(&cluster->lock);
    if (is_newer) {
        block(cluster, copy_of(cluster), place, message, "what it stands upon is not in the log");
    } else { /* another write came first */
        atomic_fetch_add(&cluster->conflicts, 1);
        place->subject_seq = message->place;
        note_place(cluster, copy_of(cluster), message->place);
    }
    unlock(cluster);
    return IS_TAKEN;
}

static taking take_set(struct gjkd_cluster *cluster, const gjkd_engine_message *message) {
    const gjkd_log_head *head = &message->head;
    pthread_mutex_lock(&cluster->lock);
    gjkd_copy *copy = copy_of(cluster);
    gjkd_place *place = gjkd_copy_find(copy, message->name, true);
    if (place == NULL) {
        unlock(cluster);
        return IS_LATER;
    }
    /* The messages before a whole one may have been rolled up before their delivery. */
    const bool is_first =
        (head->flags & GJKD_IS_WHOLE) != 0 && (place->seq == 0 || head->after_seq > place->seq);
    const bool follows = head->after_seq == place->seq && head->after_id == place->id;
    if (!follows && !is_first) {
        unlock(cluster);
        return handle_unexpected(cluster, place,
                                 message); /* no lock: only this thread changes it */
    }
    if (follows && !is_first && !place->is_blocked && (head->flags & GJKD_IS_SAME) != 0) {
        struct gjkd_version *same = gjkd_registry_get(copy->sets, message->name);
        const bool has_parts = (head->flags & GJKD_HAS_PARTS) != 0;
        note_valid(cluster, copy, place, message,
                   has_parts ? message->length / sizeof(uint64_t) * GJKD_PART_BYTES
                             : message->length,
                   same);
        gjkd_version_release(same);
        unlock(cluster);
        return IS_TAKEN;
    }
    struct gjkd_pending *own = gjkd_cluster_find_pending(cluster, message->name);
    if (own != NULL && copy == &cluster->shown && !follows) {
        own->is_hidden = true;
    }
    const bool is_shown = show_own(cluster, copy, place, message);
    unlock(cluster);
    if (is_shown) {
        return IS_TAKEN;
    }
    proto_text text = {message->data, message->length};
    char *parts = NULL;
    if ((head->flags & GJKD_HAS_PARTS) != 0) {
        bool is_void;
        parts = read_parts(cluster, message, &text.length, &is_void);
        text.data = parts;
        if (parts == NULL) {
            /* A roll-up removes the message before its parts. */
            if (!is_void || compare_at(cluster, message->place, head->id) != FITS) {
                return IS_LATER;
            }
            pthread_mutex_lock(&cluster->lock);
            block(cluster, copy, place, message, "a part of it is not in the log");
            unlock(cluster);
            return IS_TAKEN;
        }
    }
    const taking taken = decode_and_show(cluster, copy, place, message, text);
    free(parts);
    return taken;
}

/* Handles a message. Skips those of sets that this node does not hold. */
static taking take_message(struct reader *reader, const gjkd_engine_message *message) {
    struct gjkd_cluster *cluster = reader->cluster;
    const bool is_held =
        message->kind == GJKD_LOG_SET && gjkd_cluster_holds(cluster, message->name);
    if (message->is_ours && is_held) {
        return take_set(cluster, message);
    }
    if (!message->is_ours) {
        gjkd_cluster_note_stray(cluster);
    }
    pthread_mutex_lock(&cluster->lock);
    gjkd_copy *copy = copy_of(cluster);
    gjkd_place *place = is_held ? gjkd_copy_find(copy, message->name, true) : NULL;
    if (place != NULL) {
        place->subject_seq = message->place;
    }
    if (message->is_ours && message->kind == GJKD_LOG_SYNC) {
        if (strcmp(message->node, cluster->node) == 0) {
            cluster->delivered = (gjkd_barrier){message->place, message->head.id};
        }
        gjkd_cluster_note_member(cluster, message);
    }
    note_place(cluster, copy, message->place);
    unlock(cluster);
    return IS_TAKEN;
}

/* Returns true if the set's next held message names this one as its predecessor. */
static bool is_named_by_next(const struct reader *reader, unsigned which) {
    const gjkd_engine_message *message = &reader->held[which];
    for (unsigned i = which + 1; i < reader->held_count; i++) {
        const gjkd_engine_message *next = &reader->held[i];
        if (next->is_ours && next->kind == GJKD_LOG_SET && strcmp(next->name, message->name) == 0) {
            return next->head.after_seq == message->place &&
                   next->head.after_id == message->head.id;
        }
    }
    return false;
}

static void drop_held(struct reader *reader) {
    while (reader->held_count > 0) {
        gjkd_engine_release(reader->cluster->engine, &reader->held[--reader->held_count]);
    }
    reader->held_bytes = 0;
}

/* Compares the held messages with the leader's and handles them if they are equal. */
static taking take_held(struct reader *reader) {
    struct gjkd_cluster *cluster = reader->cluster;
    gjkd_probe probes[HELD_MAX];
    uint64_t ids[HELD_MAX];
    unsigned count = 0;
    for (unsigned i = 0; i < reader->held_count; i++) {
        const gjkd_engine_message *message = &reader->held[i];
        if (message->is_ours && message->kind == GJKD_LOG_SET &&
            gjkd_cluster_holds(cluster, message->name) && !is_named_by_next(reader, i)) {
            ids[count] = message->head.id;
            probes[count++] = (gjkd_probe){.place = message->place};
        }
    }
    bool fits = count == 0 || gjkd_engine_probe(cluster->engine, probes, count);
    for (unsigned i = 0; i < count && fits; i++) {
        fits = probes[i].id == ids[i];
    }
    taking taken = fits && !atomic_load(&cluster->stops) ? IS_TAKEN : IS_LATER;
    for (unsigned i = 0; i < reader->held_count && taken == IS_TAKEN; i++) {
        taken = take_message(reader, &reader->held[i]);
    }
    drop_held(reader);
    return taken;
}

/* Handles a delivered message or, before the goal, holds it until it has been compared. */
static taking take_or_hold(struct reader *reader, gjkd_engine_message *message) {
    struct gjkd_cluster *cluster = reader->cluster;
    if (cluster->next.sets != NULL || gjkd_cluster_is_ready(cluster)) {
        return take_message(reader, message);
    }
    reader->held[reader->held_count++] = *message;
    reader->held_bytes += message->length;
    message->handle = NULL; /* released by drop_held */
    const bool is_full = reader->held_count == HELD_MAX || reader->held_bytes > HELD_BYTES_MAX;
    return is_full || reader->held[reader->held_count - 1].place >= cluster->goal.seq
               ? take_held(reader)
               : IS_TAKEN;
}

/* Fetches and handles the messages between the last one read and `below`. */
static taking take_undelivered(struct reader *reader, uint64_t below) {
    struct gjkd_cluster *cluster = reader->cluster;
    taking taken = IS_TAKEN;
    for (uint64_t seq = copy_of(cluster)->seq + 1; seq < below && taken == IS_TAKEN; seq++) {
        gjkd_engine_message hidden;
        if (!gjkd_engine_get(cluster->engine, seq, &hidden)) {
            taken = IS_LATER;
        } else if (hidden.handle != NULL) {
            taken = take_message(reader, &hidden);
            gjkd_engine_release(cluster->engine, &hidden);
        }
    }
    return taken;
}

/* Handles a delivered message, after fetching the undelivered ones before it if they are few. cnats
 * never delivers a message of another program with status 503 and no text, which it mistakes for a
 * message of the servers. */
static taking take_delivery(struct reader *reader, gjkd_engine_message *message) {
    const bool is_gap = message->delivery != reader->delivery + 1;
    taking taken = is_gap ? take_held(reader) : IS_TAKEN;
    if (is_gap && taken == IS_TAKEN) {
        taken = message->place - copy_of(reader->cluster)->seq > HIDDEN_MAX
                    ? IS_LATER
                    : take_undelivered(reader, message->place);
    }
    reader->delivery = message->delivery;
    return taken == IS_TAKEN ? take_or_hold(reader, message) : taken;
}

/* Returns true if the log has to be opened again, perhaps at another server: the delivering one has
 * lost its consumer or stopped, or is cut off from the others. */
static bool must_reopen(struct reader *reader) {
    const struct gjkd_cluster *cluster = reader->cluster;
    const uint64_t now_ns = uv_hrtime();
    if (gjkd_cluster_is_ready(cluster) && atomic_load(&cluster->known_end) <= cluster->shown.seq) {
        reader->moved_ns = now_ns;
    }
    return now_ns - reader->moved_ns > SILENT_NS || reader->silent_waits >= SILENT_WAITS;
}

static void step(struct reader *reader) {
    struct gjkd_cluster *cluster = reader->cluster;
    gjkd_engine_message message;
    taking taken = IS_TAKEN;
    const bool was_ready = gjkd_cluster_is_ready(cluster);
    const gjkd_engine_next came = gjkd_engine_next_message(cluster->engine, IDLE_MS, &message);
    reader->silent_waits = came == GJKD_ENGINE_IDLE ? reader->silent_waits + 1 : 0;
    switch (came) {
    case GJKD_ENGINE_IDLE:
    case GJKD_ENGINE_ALIVE:
        taken = take_held(reader);
        if (must_reopen(reader)) {
            complain(reader, "the log is not delivered to its end: asking another server for it");
            taken = IS_LATER;
        }
        break;
    case GJKD_ENGINE_BROKEN:
        reader->is_open = false;
        break;
    case GJKD_ENGINE_NEXT:
        reader->moved_ns = uv_hrtime();
        taken = take_delivery(reader, &message);
        gjkd_engine_release(cluster->engine, &message);
        break;
    }
    if (taken == IS_ANOTHER) {
        (void)begin_resync(cluster, "a message of the log does not follow what is shown");
    }
    reader->is_open =
        reader->is_open && taken == IS_TAKEN && !atomic_exchange(&cluster->is_doubtful, false);
    if (!reader->is_open) {
        drop_held(reader);
        enter_state(cluster, GJKD_NODE_OPENING);
        if (was_ready) {
            complain(reader, "the log is opened again: writes are refused until its end is read");
        }
    } else if (!gjkd_cluster_is_ready(cluster) && copy_of(cluster)->seq >= cluster->goal.seq) {
        reader->is_open = enter_ready(cluster);
        if (!reader->is_open) {
            complain(reader,
                     "what was delivered is not what the log's leader has: reading it anew");
        }
    }
}

void *gjkd_cluster_read(void *closure) {
    struct reader reader = {.cluster = closure}; /* about 100 KB */
    struct gjkd_cluster *cluster = closure;
    gjkd_thread_priority_set_loop();
    while (!atomic_load(&cluster->stops)) {
        if (!reader.is_open) {
            reader.is_open = open_log(&reader);
            atomic_store(&cluster->is_doubtful, false);
        }
        if (reader.is_open) {
            step(&reader);
        }
        if (!reader.is_open) {
            pthread_mutex_lock(&cluster->lock);
            gjkd_cluster_wait(cluster, AGAIN_MS);
            unlock(cluster);
        }
    }
    drop_held(&reader);
    gjkd_engine_unfollow(cluster->engine);
    return NULL;
}
