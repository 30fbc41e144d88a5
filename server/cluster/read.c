/*
 * Takes the log in order and shows it. Whatever goes wrong (a consumer that is gone, a gap, a
 * message that cannot be read) ends in looking at the log anew and following it from the place that
 * is shown. After servers were out of sight, one of them may have messages that most of the others
 * never got: the first ones are therefore taken as the log's leader has them, whoever has delivered
 * them. A log of another epoch, one that has become shorter, or one that has another message at
 * the place that is shown, is another world (world.c): it is taken from its beginning.
 */

#include "cluster/pieces.h"
#include "cluster/state.h"
#include "cluster/ticks.h"

#include "store/checksum.h"
#include "util/log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define IDLE_MS 100
#define AGAIN_MS 100
#define FOLLOW_PAUSE_MS 20
#define LOOK_MS 1000

/* How often the log's end is asked for where nothing comes. */
#define LOOK_PAUSE_NS UINT64_C(1000000000)
#define COMPLAINT_PAUSE_NS UINT64_C(10000000000)
#define OTHER_COMPLAINT_PAUSE_NS UINT64_C(1000000000)

/* About what a message takes besides its bytes. */
#define OVERHEAD_BYTES 128

/* A message that cannot be taken so many times in a row keeps the node from going on. */
#define BLOCKED_TIMES 3
#define BLOCKED "a message of the log cannot be taken: the node's own log says why"
#define LATER "the log has a message of a later version of gjkd: update this node"

#define LOST "the log has lost its end, and goes on otherwise"
#define OTHER_FILE "the log is another one than the node's file is of"

/* So long a log may be shorter than what is shown: servers that start again tell its end before
 * they have read all of it. */
#define SHORT_NS UINT64_C(60000000000)

/* So long a change waits for ticks that were told before it, unless it did so in vain of late. */
#define TICKS_LATE_NS UINT64_C(100000000)
#define VAIN_PAUSE_NS UINT64_C(2000000000)
#define TICK_STEP_MS 10

/* A node that starts with a file waits so long for the log before it answers from that alone. */
#define ALONE_NS UINT64_C(3000000000)

/* So many messages behind the log's end, as it was when the log was opened, are compared with what its
 * leader has, and those up to that end if they are no more than that. */
#define NEAR_PLACES 64
#define ASK_TIMES 5

struct reader {
    struct gjkd_cluster *cluster;
    uint64_t trusted_to,
        compared_to; /* messages between these places are compared with the leader's */
    bool is_misled;  /* a server has delivered what the leader has not: all of them are compared */
    uint64_t looked_ns, complained_ns;
    char complaint[GJKD_ENGINE_ERROR_MAX]; /* the last one */
    uint64_t vain_ns;   /* when ticks were waited for in vain the last time; 0: never */
    uint64_t short_ns;  /* since when the log is too short; 0: it is not */
    uint64_t closed_ns; /* since when the log cannot be opened; 0: it is open */
    unsigned failures;  /* to take the next message, in a row */
    bool is_hidden;     /* the next message has not been delivered, but later ones have */
    bool has_followed;  /* so that what is shown is no longer only of the node's file */
};

static const char *name_of(const struct gjkd_cluster *cluster) {
    return cluster->setup.config->cluster;
}

static void pause_reading(struct gjkd_cluster *cluster, uint64_t wait_ms) {
    pthread_mutex_lock(&cluster->lock);
    if (!atomic_load(&cluster->stops)) {
        gjkd_cluster_wait(cluster, &cluster->moved, wait_ms);
    }
    pthread_mutex_unlock(&cluster->lock);
}

static void complain(struct reader *reader, const char *what) {
    const uint64_t now_ns = uv_hrtime();
    const uint64_t pause_ns = strncmp(what, reader->complaint, sizeof reader->complaint - 1) == 0
                                  ? COMPLAINT_PAUSE_NS
                                  : OTHER_COMPLAINT_PAUSE_NS;
    if (!atomic_load(&reader->cluster->stops) &&
        (reader->complained_ns == 0 || now_ns - reader->complained_ns > pause_ns)) {
        reader->complained_ns = now_ns;
        snprintf(reader->complaint, sizeof reader->complaint, "%s", what);
        gjkd_log(GJKD_LOG_WARNING, "cluster %s: %s", name_of(reader->cluster), what);
    }
}

/* --- Beginning --- */

static bool has_sets(const struct gjkd_cluster *cluster) {
    return gjkd_registry_measure(cluster->setup.registry).sets > 0;
}

/* The first message of a log, so that every other one has one before it. */
static void begin_log(struct reader *reader, uint64_t epoch) {
    struct gjkd_cluster *cluster = reader->cluster;
    struct gjk_arena arena;
    struct proto_buffer message;
    const gjkd_message_head head = {.id = epoch, .epoch = epoch};
    uint64_t place;
    gjk_arena_init(&arena, 0);
    proto_buffer_init(&message, &arena);
    gjkd_record_put_head(&message, &head, NULL, 0, 0);
    gjkd_record_begin(&message, 0);
    if (!message.failed && gjkd_engine_publish(cluster->engine, head.id, 0, message.data,
                                               message.length, LOOK_MS, &place) != GJKD_PUBLISHED) {
        complain(reader, "the log is not there yet: another node is beginning it, or its servers "
                         "have no majority; trying again");
    }
    gjk_arena_fini(&arena);
}

/* What is shown: the place, and which message is there. */
struct shown {
    uint64_t place, id;
};

static struct shown what_is_shown(struct gjkd_cluster *cluster) {
    pthread_mutex_lock(&cluster->lock);
    const struct shown shown = {cluster->position, cluster->place_id};
    pthread_mutex_unlock(&cluster->lock);
    return shown;
}

/* Reads a message, its own or none of gjkd's: of that the id is a checksum, and the epoch none. */
static bool read_message(const gjkd_engine_message *came, gjkd_message *out) {
    if (gjkd_message_read((proto_text){came->data, came->length}, out)) {
        return true;
    }
    *out = (gjkd_message){.head.id = gjkd_checksum(came->data, came->length, 0) | 1};
    return false;
}

typedef enum fit { FITS, FITS_NOT, IS_UNCLEAR } fit;

/*
 * Whether the log still has the message that is shown last, or that the node's file has: each message
 * names the valid one before it, so that all before it are the same, too. One that was let go for a
 * snapshot cannot be asked for.
 */
static fit compare(struct gjkd_cluster *cluster, struct shown shown) {
    gjkd_engine_message found;
    gjkd_message message;
    if (shown.place == 0 || shown.id == 0) {
        return FITS;
    }
    if (!gjkd_engine_get(cluster->engine, shown.place, &found)) {
        return IS_UNCLEAR;
    }
    (void)read_message(&found, &message);
    const bool fits = found.handle == NULL || message.head.id == shown.id;
    gjkd_engine_release(&found);
    return fits ? FITS : FITS_NOT;
}

static bool begin_world(struct reader *reader, uint64_t epoch, const char *why) {
    const bool is_begun = gjkd_world_begin(reader->cluster, epoch, why);
    if (!is_begun) {
        complain(reader, "there is no memory to begin anew with");
    }
    return is_begun;
}

/* Compares what the log's leader says with what was shown before it was asked. False: it does not fit
 * yet. */
static bool judge(struct reader *reader, const gjkd_engine_state *state, struct shown shown) {
    struct gjkd_cluster *cluster = reader->cluster;
    const uint64_t now_ns = uv_hrtime();
    const bool is_short = cluster->epoch == state->epoch && state->last < shown.place;
    reader->short_ns = !is_short ? 0 : reader->short_ns == 0 ? now_ns : reader->short_ns;
    if (is_short && now_ns - reader->short_ns < SHORT_NS) {
        complain(reader, "the log is shorter than what is shown: waiting for its servers");
        return false;
    }
    reader->short_ns = 0;
    const char *why_other = is_short                         ? LOST
                            : cluster->epoch != state->epoch ? "the log was made anew"
                                                             : NULL;
    if (why_other == NULL) {
        const fit found = compare(cluster, shown);
        if (found == IS_UNCLEAR) {
            return false;
        }
        why_other = found == FITS ? NULL : reader->has_followed ? LOST : OTHER_FILE;
    }
    if (why_other != NULL && !begin_world(reader, state->epoch, why_other)) {
        return false;
    }
    if (atomic_load(&cluster->known_end) < state->last) {
        atomic_store(&cluster->known_end, state->last);
    }
    return true;
}

/* What was in doubt up to that count is certain: who waits for that goes on. */
static void settle_doubts(struct gjkd_cluster *cluster, uint64_t doubts) {
    pthread_mutex_lock(&cluster->lock);
    atomic_store(&cluster->settled_doubts, doubts);
    gjkd_cluster_wake_ticker(cluster);
    pthread_cond_broadcast(&cluster->moved);
    pthread_mutex_unlock(&cluster->lock);
}

static void note_obstacle(struct gjkd_cluster *cluster, const char *what) {
    atomic_store(cluster->setup.obstacle, what);
}

static bool open_log(struct reader *reader) {
    struct gjkd_cluster *cluster = reader->cluster;
    gjkd_engine_state state;
    char error[GJKD_ENGINE_ERROR_MAX];
    const uint64_t doubts = atomic_load(&cluster->doubts);
    const struct shown shown = what_is_shown(cluster);
    if (!gjkd_engine_is_connected(cluster->engine)) {
        const char *trouble = gjkd_engine_trouble(cluster->engine, error);
        if (trouble != NULL) {
            note_obstacle(cluster, trouble);
            complain(reader, error);
        }
        return false;
    }
    if (!gjkd_engine_open(cluster->engine, !has_sets(cluster), &state, error)) {
        note_obstacle(cluster, "the streams of its cluster cannot be opened: its log says why");
        complain(reader, error);
        return false;
    }
    note_obstacle(cluster, atomic_load(&cluster->blocked));
    if (!judge(reader, &state, shown)) {
        return false;
    }
    if (state.last == 0) {
        begin_log(reader, state.epoch);
        return false;
    }
    if (state.first > atomic_load(&cluster->shown) + 1 &&
        !gjkd_cluster_take_snapshot(cluster, error)) {
        complain(reader, error);
        return false;
    }
    const bool is_near = state.last <= atomic_load(&cluster->shown) + NEAR_PLACES;
    reader->trusted_to = is_near || reader->is_misled ? 0 : state.last - 1;
    reader->compared_to = state.last + NEAR_PLACES;
    reader->looked_ns = uv_hrtime();
    if (!gjkd_engine_follow(cluster->engine, atomic_load(&cluster->shown) + 1)) {
        return false;
    }
    settle_doubts(cluster, doubts);
    reader->has_followed = true;
    return true;
}

/* --- Messages --- */

/* What a message comes to. */
struct made {
    gjkd_applied applied[GJKD_RECORD_CHANGES_MAX];
    uint32_t count;
};

static bool make_changes(struct gjkd_cluster *cluster, proto_text changes, struct made *made,
                         struct proto_problem *problem) {
    uint32_t count = 0;
    made->count = 0;
    bool fine = gjkd_record_count(&changes, &count) ||
                proto_problem_set(problem, PROTO_INTERNAL, "it has no changes");
    while (fine && made->count < count) {
        fine = gjkd_record_apply(&changes, NULL, gjkd_world_sets(cluster), cluster->setup.limits,
                                 &made->applied[made->count], problem);
        made->count += fine;
    }
    return fine;
}

/* Shows all of it at once. False: ticks have moved a set meanwhile. The lock is held. */
static bool show_changes(struct gjkd_cluster *cluster, const struct made *made) {
    struct gjkd_registry *sets = gjkd_world_sets(cluster);
    for (uint32_t i = 0; i < made->count; i++) {
        if (!gjkd_cluster_shows(sets, made->applied[i].name, made->applied[i].from)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < made->count; i++) {
        const gjkd_applied *applied = &made->applied[i];
        gjkd_cluster_show(sets, applied->name, applied->from, applied->to);
        if (applied->to != NULL) {
            gjkd_cluster_count_gap(cluster, applied->from, applied->to);
        }
        if (applied->to != NULL && applied->to->unlogged.owes) {
            atomic_store(&cluster->has_unlogged, true);
        }
    }
    return true;
}

static void release_changes(struct made *made) {
    for (uint32_t i = 0; i < made->count; i++) {
        gjkd_version_release(made->applied[i].from);
        gjkd_version_release(made->applied[i].to);
    }
}

static bool lacks_ticks(const struct made *made) {
    bool lacks = false;
    for (uint32_t i = 0; i < made->count; i++) {
        lacks = lacks || made->applied[i].lacks_ticks;
    }
    return lacks;
}

/*
 * Ticks and the log come on two connections: what was told before a change may come a moment after it.
 * The change waits that long, but not again and again where ticks are really lost.
 */
static bool is_worth_waiting(struct reader *reader, uint64_t begun_ns) {
    const uint64_t now_ns = uv_hrtime();
    const bool is_in_vain = now_ns - begun_ns >= TICKS_LATE_NS;
    reader->vain_ns = is_in_vain ? now_ns : reader->vain_ns;
    return !is_in_vain && (reader->vain_ns == 0 || now_ns - reader->vain_ns > VAIN_PAUSE_NS);
}

static bool apply_changes(struct reader *reader, proto_text changes, uint64_t place, uint64_t id,
                          struct proto_problem *problem) {
    struct gjkd_cluster *cluster = reader->cluster;
    const uint64_t begun_ns = uv_hrtime();
    bool fine = true, is_shown = false;
    while (fine && !is_shown) {
        struct made made;
        fine = make_changes(cluster, changes, &made, problem);
        pthread_mutex_lock(&cluster->lock);
        if (fine && lacks_ticks(&made) && !atomic_load(&cluster->is_anew) &&
            is_worth_waiting(reader, begun_ns)) {
            gjkd_cluster_wait(cluster, &cluster->moved, TICK_STEP_MS);
        } else if (fine) {
            is_shown = show_changes(cluster, &made);
        }
        if (is_shown) {
            gjkd_cluster_move(cluster, place, id, id);
        }
        pthread_mutex_unlock(&cluster->lock);
        release_changes(&made);
    }
    return fine;
}

/* Of a message that another node has written. */
static bool apply_other(struct reader *reader, const gjkd_message *message, uint64_t place,
                        struct proto_problem *problem) {
    struct gjkd_cluster *cluster = reader->cluster;
    if (message->piece_count == 0) {
        return apply_changes(reader, message->changes, place, message->head.id, problem);
    }
    char *changes = gjkd_pieces_get(cluster->engine, message);
    const bool fine = (changes != NULL ||
                       proto_problem_set(problem, PROTO_INTERNAL, "its pieces cannot be read")) &&
                      apply_changes(reader, (proto_text){changes, message->bytes}, place,
                                    message->head.id, problem);
    free(changes);
    return fine;
}

typedef enum sort { IS_KNOWN, IS_NEW, IS_TOO_FAR, IS_STRAY } sort;

static bool is_own(const struct gjkd_cluster *cluster, const gjkd_message *message) {
    const struct gjkd_group *group = cluster->group;
    return group != NULL && !group->is_applied && group->world == cluster->world &&
           group->head.id == message->head.id;
}

/* What the message is to what is shown. What this node has published itself is shown now, if the
 * publisher has not done so. */
static sort sort_out(struct gjkd_cluster *cluster, uint64_t place, const gjkd_message *message) {
    sort result = IS_NEW;
    pthread_mutex_lock(&cluster->lock);
    if (place <= cluster->position) {
        result = IS_KNOWN;
    } else if (place > cluster->position + 1) {
        result = IS_TOO_FAR;
    } else if (message->head.epoch != cluster->epoch ||
               (cluster->message_id != 0 && message->head.previous != cluster->message_id)) {
        result = IS_STRAY;
    } else if (is_own(cluster, message)) {
        gjkd_group_apply(cluster, cluster->group, place);
        result = IS_KNOWN;
    }
    pthread_mutex_unlock(&cluster->lock);
    return result;
}

/* A message that does not follow the last valid one is void if what it stands behind is what is shown.
 * False: the log is to be followed anew. */
static bool skip(struct reader *reader, uint64_t place, const gjkd_message *message) {
    struct gjkd_cluster *cluster = reader->cluster;
    const struct shown shown = what_is_shown(cluster);
    const fit found = shown.place + 1 == place ? compare(cluster, shown) : IS_UNCLEAR;
    if (found == FITS_NOT) {
        reader->is_misled = true;
        (void)begin_world(reader, cluster->epoch, LOST);
        return false;
    }
    pthread_mutex_lock(&cluster->lock);
    const bool is_void = found == FITS && cluster->position == shown.place;
    if (is_void) {
        gjkd_cluster_move(cluster, place, message->head.id, cluster->message_id);
    }
    pthread_mutex_unlock(&cluster->lock);
    if (is_void && message->head.epoch != cluster->epoch) {
        gjkd_cluster_note_stray(cluster);
    }
    return is_void;
}

/* The next message cannot be taken. Readers are told where that goes on. */
static void fail(struct reader *reader, const char *reason, const char *what) {
    struct gjkd_cluster *cluster = reader->cluster;
    reader->failures++;
    if (reader->failures >= BLOCKED_TIMES) {
        atomic_store(&cluster->blocked, reason);
        note_obstacle(cluster, reason);
    }
    complain(reader, what);
    pause_reading(cluster, AGAIN_MS);
}

static void note_success(struct reader *reader) {
    reader->failures = 0;
    if (atomic_exchange(&reader->cluster->blocked, NULL) != NULL) {
        note_obstacle(reader->cluster, NULL);
    }
}

static bool apply(struct reader *reader, uint64_t place, const gjkd_message *message) {
    struct gjkd_cluster *cluster = reader->cluster;
    struct proto_problem problem = {0};
    if (!apply_other(reader, message, place, &problem)) {
        if (problem.code == PROTO_OUT_OF_MEMORY) {
            gjkd_world_make_room(cluster);
        }
        char what[GJKD_ENGINE_ERROR_MAX];
        snprintf(what, sizeof what, "message %" PRIu64 " of the log cannot be taken: %.150s", place,
                 problem.detail);
        fail(reader, BLOCKED, what);
        return false;
    }
    atomic_fetch_add(&cluster->applied, 1);
    return true;
}

/*
 * Takes the log's message at that place from its leader, in the place of the one that another server has
 * delivered: NATS 2.9 may show on one server, after a crash of most of them, what the others never had.
 * False: the leader has none yet, or does not answer.
 */
static bool ask_leader(struct reader *reader, gjkd_engine_message *message) {
    struct gjkd_cluster *cluster = reader->cluster;
    gjkd_engine_message found = {.handle = NULL};
    for (int i = 0; i < ASK_TIMES && found.handle == NULL; i++) {
        if (i > 0) { /* another server may be some moments ahead of it */
            pause_reading(cluster, FOLLOW_PAUSE_MS);
        }
        if (!gjkd_engine_get(cluster->engine, message->place, &found)) {
            return false;
        }
    }
    if (found.handle == NULL) {
        return false;
    }
    if (found.length != message->length ||
        (found.length > 0 && memcmp(found.data, message->data, found.length) != 0)) {
        complain(reader, "a server delivers what the log's leader has not: the leader is believed");
        reader->is_misled = true;
    }
    gjkd_engine_release(message);
    *message = found;
    return true;
}

static bool is_to_compare(const struct reader *reader, uint64_t place) {
    return place > atomic_load(&reader->cluster->shown) && place > reader->trusted_to &&
           place <= reader->compared_to;
}

/* Returns true if the message is of a later version of gjkd and follows what is shown: it has to be taken. */
static bool is_of_later(struct gjkd_cluster *cluster, const gjkd_engine_message *came) {
    gjkd_message_head head;
    pthread_mutex_lock(&cluster->lock);
    const bool is_next = came->place == cluster->position + 1 &&
                         gjkd_message_is_of_later((proto_text){came->data, came->length}, &head) &&
                         head.epoch == cluster->epoch &&
                         (cluster->message_id == 0 || head.previous == cluster->message_id);
    pthread_mutex_unlock(&cluster->lock);
    return is_next;
}

/* False: the log is to be followed anew. */
static bool take(struct reader *reader, gjkd_engine_message *came) {
    struct gjkd_cluster *cluster = reader->cluster;
    if (is_to_compare(reader, came->place) && !ask_leader(reader, came)) {
        pause_reading(cluster, AGAIN_MS);
        return false;
    }
    gjkd_message message;
    if (!read_message(came, &message) && is_of_later(cluster, came)) {
        fail(reader, LATER, LATER);
        return false;
    }
    atomic_fetch_add(&cluster->log_bytes, came->length + message.bytes + OVERHEAD_BYTES);
    bool is_taken = false;
    switch (sort_out(cluster, came->place, &message)) {
    case IS_KNOWN:
        return true;
    case IS_NEW:
        is_taken = apply(reader, came->place, &message);
        break;
    case IS_STRAY:
        is_taken = skip(reader, came->place, &message);
        break;
    case IS_TOO_FAR:
        reader->is_hidden = true;
        break;
    }
    if (is_taken) {
        note_success(reader);
    }
    return is_taken;
}

/* Takes the next message from the log itself: one whose head says that it is the servers' own is never
 * delivered. False: the log is to be followed anew. */
static bool take_hidden(struct reader *reader) {
    struct gjkd_cluster *cluster = reader->cluster;
    gjkd_engine_message found;
    reader->is_hidden = false;
    if (!gjkd_engine_get(cluster->engine, what_is_shown(cluster).place + 1, &found) ||
        found.handle == NULL) {
        return false;
    }
    const bool is_taken = take(reader, &found);
    gjkd_engine_release(&found);
    reader->is_hidden = false;
    return is_taken;
}

/* --- The thread --- */

static void note_progress(struct reader *reader) {
    struct gjkd_cluster *cluster = reader->cluster;
    const uint64_t shown = atomic_load(&cluster->shown);
    const bool is_at_end = shown > 0 && shown >= atomic_load(&cluster->known_end);
    if (is_at_end) {
        reader->is_misled = false;
        gjkd_world_finish(cluster);
    } else if (!gjkd_world_has_room()) {
        gjkd_world_make_room(cluster);
    }
    if (is_at_end && !atomic_exchange(&cluster->has_started, true)) {
        pthread_mutex_lock(&cluster->lock);
        pthread_cond_broadcast(&cluster->moved);
        pthread_mutex_unlock(&cluster->lock);
    }
}

/* Asks for the log's end where nothing comes. False: it is to be opened anew. */
static bool look(struct reader *reader) {
    struct gjkd_cluster *cluster = reader->cluster;
    const uint64_t now_ns = uv_hrtime();
    gjkd_engine_state state;
    const bool is_asked = atomic_exchange(&cluster->is_to_look, false);
    if (!is_asked && now_ns - reader->looked_ns < LOOK_PAUSE_NS) {
        return true;
    }
    struct shown shown = what_is_shown(cluster);
    shown.id = 0; /* where there is a doubt, the log is opened anew */
    if (!gjkd_engine_look(cluster->engine, LOOK_MS, &state)) {
        gjkd_cluster_doubt(cluster);
        return false;
    }
    reader->looked_ns = now_ns;
    atomic_store(&cluster->is_stuck, false);
    if (!judge(reader, &state, shown)) {
        return false;
    }
    reader->is_hidden = state.last > shown.place;
    return !reader->is_hidden;
}

/* Follows the log until something is wrong. */
static void follow(struct reader *reader) {
    struct gjkd_cluster *cluster = reader->cluster;
    bool goes_on = true;
    while (goes_on && !atomic_load(&cluster->stops) && gjkd_cluster_is_sure(cluster)) {
        gjkd_engine_message came;
        const uint64_t world = cluster->world;
        switch (gjkd_engine_next_message(cluster->engine, IDLE_MS, &came)) {
        case GJKD_ENGINE_NEXT:
            goes_on = take(reader, &came);
            gjkd_engine_release(&came);
            break;
        case GJKD_ENGINE_IDLE:
            goes_on = look(reader);
            break;
        case GJKD_ENGINE_BROKEN:
            gjkd_cluster_doubt(cluster);
            goes_on = false;
            break;
        }
        if (reader->is_hidden) {
            (void)take_hidden(reader); /* and what comes after it is delivered anew */
        }
        note_progress(reader);
        goes_on = goes_on && world == cluster->world;
    }
}

/* Whether the node's file has all that a start is to wait for: --load and --demo are put into the log. */
static bool has_enough(const struct gjkd_cluster *cluster) {
    const struct gjkd_config *config = cluster->setup.config;
    return cluster->file != NULL && atomic_load(&cluster->shown) > 0 && config->load[0] == '\0' &&
           !config->demo;
}

/* The log cannot be opened: reads are answered without it, as they would be had the node not ended. */
static void start_without_log(struct reader *reader) {
    struct gjkd_cluster *cluster = reader->cluster;
    const uint64_t now_ns = uv_hrtime();
    reader->closed_ns = reader->closed_ns == 0 ? now_ns : reader->closed_ns;
    if (now_ns - reader->closed_ns < ALONE_NS || !has_enough(cluster) ||
        atomic_exchange(&cluster->has_started, true)) {
        return;
    }
    gjkd_log(GJKD_LOG_WARNING,
             "cluster %s: the log cannot be read: reads are answered from --data-dir, as of place "
             "%" PRIu64 ", and writes refused",
             name_of(cluster), atomic_load(&cluster->shown));
    pthread_mutex_lock(&cluster->lock);
    pthread_cond_broadcast(&cluster->moved);
    pthread_mutex_unlock(&cluster->lock);
}

void *gjkd_cluster_read(void *closure) {
    struct reader reader = {.cluster = closure};
    struct gjkd_cluster *cluster = closure;
    while (!atomic_load(&cluster->stops)) {
        if (open_log(&reader)) {
            atomic_store(&cluster->is_open, true);
            atomic_store(&cluster->is_stuck, false);
            reader.complained_ns = reader.closed_ns = 0;
            note_progress(&reader);
            follow(&reader);
            gjkd_engine_unfollow(cluster->engine);
            pause_reading(cluster, FOLLOW_PAUSE_MS);
        } else {
            atomic_store(&cluster->is_open, false);
            start_without_log(&reader);
            pause_reading(cluster, AGAIN_MS);
        }
    }
    return NULL;
}
