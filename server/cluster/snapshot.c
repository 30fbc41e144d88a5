/*
 * A snapshot is all sets as they are at a place of the log, so that a node can begin there, and what
 * stands before an older one can go. The node that finds first that it is time makes it; that two
 * do costs work and nothing else.
 *
 * What goes is what stands up to the snapshot before: a node that has just begun there still finds
 * what follows. Of pieces, those that were there at a moment when the log had not come to that
 * snapshot's place: a message's pieces are published after the message before it is in the log.
 */

#include "cluster/pieces.h"
#include "cluster/state.h"

#include "util/log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* Bytes of the log between two snapshots: at least so many, and so many times those of the older
 * one, so that snapshots cost less than the log does. */
#define BYTES_APART (UINT64_C(1) << 20)
#define TIMES_APART 2

#define STEP_MS 500
#define WAIT_MS 2000

/* Nodes that find that it is time wait for up to so many steps, so that one of them is first. */
#define STEPS_APART 4

struct keeper {
    struct gjkd_cluster *cluster;
    bool is_marked;
    uint64_t mark_place, mark_piece; /* the log's end, and that of pieces just before */
    uint64_t place, piece, bytes;    /* of the newest snapshot, and its mark */
    unsigned wait;                   /* steps */
};

/* --- The note --- */

/* Returns true if the message is a note; counts one that is none once. */
static bool is_note(void *user, const gjkd_engine_message *message) {
    struct gjkd_cluster *cluster = user;
    gjkd_message note;
    const bool is_ours = gjkd_message_read((proto_text){message->data, message->length}, &note) &&
                         note.changes.length == sizeof(uint64_t);
    if (!is_ours && message->place > atomic_load(&cluster->stray_note)) {
        atomic_store(&cluster->stray_note, message->place);
        gjkd_cluster_note_stray(cluster);
    }
    return is_ours;
}

/* The newest snapshot; out->place 0: there is none. False: it cannot be read. */
static bool read_note(struct gjkd_cluster *cluster, gjkd_engine_message *came,
                      gjkd_message *message, uint64_t *piece) {
    *piece = 0;
    *message = (gjkd_message){.piece_count = 0};
    if (!gjkd_engine_get_note(cluster->engine, is_note, cluster, came)) {
        return false;
    }
    if (came->handle == NULL) {
        return true;
    }
    if (!gjkd_message_read((proto_text){came->data, came->length}, message) ||
        message->changes.length != sizeof *piece) {
        gjkd_engine_release(came);
        return false;
    }
    memcpy(piece, message->changes.data, sizeof *piece);
    return true;
}

static bool look_at_note(struct keeper *keeper) {
    gjkd_engine_message came;
    gjkd_message message;
    if (!read_note(keeper->cluster, &came, &message, &keeper->piece)) {
        return false;
    }
    const bool is_ours = came.handle != NULL && message.head.epoch == keeper->cluster->epoch;
    keeper->place = is_ours ? message.head.previous : 0;
    keeper->piece = is_ours ? keeper->piece : 0;
    keeper->bytes = is_ours ? message.bytes : 0;
    gjkd_engine_release(&came);
    return true;
}

/* --- Making one --- */

bool gjkd_cut_make(struct gjkd_cluster *cluster, struct gjkd_cut *out) {
    bool more = false;
    *out = (struct gjkd_cut){.count = 0};
    pthread_mutex_lock(&cluster->lock);
    if (atomic_load(&cluster->is_anew)) {
        pthread_mutex_unlock(&cluster->lock);
        return false;
    }
    const uint64_t most = gjkd_registry_measure(cluster->setup.registry).sets;
    out->versions = calloc(most + 1, sizeof(struct gjkd_version *));
    out->count = out->versions == NULL ? 0
                                       : gjkd_registry_list(cluster->setup.registry, "", NULL, most,
                                                            out->versions, &more);
    out->head = (gjkd_message_head){cluster->message_id, cluster->position, cluster->epoch};
    out->message_place = cluster->message_place;
    out->world = cluster->world;
    pthread_mutex_unlock(&cluster->lock);
    return out->versions != NULL && !more;
}

void gjkd_cut_fini(struct gjkd_cut *cut) {
    for (size_t i = 0; i < cut->count; i++) {
        gjkd_version_release(cut->versions[i]);
    }
    free(cut->versions);
}

static void add_set(gjkd_cutter *cutter, const struct gjkd_version *version) {
    struct gjk_arena arena;
    struct proto_buffer text;
    gjk_arena_init(&arena, 0);
    proto_buffer_init(&text, &arena);
    gjkd_record_put_set(&text, version);
    cutter->failed = cutter->failed || text.failed;
    gjkd_cutter_add(cutter, text.data, text.length);
    gjk_arena_fini(&arena);
}

static bool put_note(struct keeper *keeper, const struct gjkd_cut *cut, const gjkd_cutter *cutter) {
    struct gjk_arena arena;
    struct proto_buffer text;
    gjk_arena_init(&arena, 0);
    proto_buffer_init(&text, &arena);
    gjkd_record_put_head(&text, &cut->head, cutter->names, cutter->count, cutter->bytes);
    proto_put_bytes(&text, (const char *)&keeper->mark_piece, sizeof keeper->mark_piece);
    const bool fine = !text.failed && gjkd_engine_put_note(keeper->cluster->engine, text.data,
                                                           text.length, WAIT_MS);
    gjk_arena_fini(&arena);
    return fine;
}

/* Publishes the cut, and lets go what the snapshot before it made superfluous. */
static bool publish(struct keeper *keeper, const struct gjkd_cut *cut, gjkd_cutter *cutter) {
    struct gjkd_cluster *cluster = keeper->cluster;
    const uint64_t before = keeper->place;
    for (size_t i = 0; i < cut->count && !cutter->failed && !atomic_load(&cluster->stops); i++) {
        add_set(cutter, cut->versions[i]);
    }
    if (!gjkd_cutter_end(cutter) || atomic_load(&cluster->stops) || !look_at_note(keeper) ||
        keeper->place != before || !put_note(keeper, cut, cutter)) {
        return false;
    }
    return gjkd_engine_trim(cluster->engine, keeper->place + 1, keeper->piece + 1);
}

static void make_snapshot(struct keeper *keeper) {
    struct gjkd_cluster *cluster = keeper->cluster;
    struct gjkd_cut made = {.count = 0};
    gjkd_cutter cutter;
    gjkd_cutter_init(&cutter, cluster->engine);
    /* Behind a valid message, so that who begins there can find it in the log. */
    const bool fine = gjkd_cut_make(cluster, &made) && made.message_place == made.head.previous &&
                      publish(keeper, &made, &cutter);
    gjkd_log(GJKD_LOG_DEBUG, "cluster %s: snapshot at %" PRIu64 ", %" PRIu64 " bytes: %s",
             cluster->setup.config->cluster, made.head.previous, cutter.bytes,
             fine ? "made" : "given up");
    atomic_fetch_add(&cluster->snapshots, fine);
    gjkd_cutter_fini(&cutter);
    gjkd_cut_fini(&made);
}

/* --- When --- */

static bool is_due(const struct keeper *keeper) {
    struct gjkd_cluster *cluster = keeper->cluster;
    const uint64_t enough = TIMES_APART * keeper->bytes;
    return atomic_load(&cluster->shown) > keeper->place &&
           atomic_load(&cluster->log_bytes) >= (enough > BYTES_APART ? enough : BYTES_APART);
}

static unsigned draw_wait(void) {
    unsigned char random = 0;
    return getrandom(&random, 1, 0) == 1 ? random % STEPS_APART : 0;
}

/* Notes where the log and the pieces end, before it is cut behind that; unless another node has made
 * a snapshot meanwhile. */
static void mark(struct keeper *keeper) {
    struct gjkd_cluster *cluster = keeper->cluster;
    const uint64_t known = keeper->place;
    gjkd_engine_state state;
    if (!look_at_note(keeper)) {
        return;
    }
    if (keeper->place != known) {
        atomic_store(&cluster->log_bytes, 0);
    } else if (gjkd_engine_look_at_pieces(cluster->engine, &keeper->mark_piece) &&
               gjkd_engine_look(cluster->engine, WAIT_MS, &state)) {
        keeper->mark_place = state.last;
        keeper->is_marked = true;
    }
}

static void step(struct keeper *keeper) {
    struct gjkd_cluster *cluster = keeper->cluster;
    if (gjkd_cluster_is_away(cluster) || !atomic_load(&cluster->has_started) || !is_due(keeper)) {
        keeper->is_marked = false;
        keeper->wait = draw_wait();
    } else if (keeper->wait > 0) {
        keeper->wait--;
    } else if (!keeper->is_marked) {
        mark(keeper);
    } else if (atomic_load(&cluster->shown) > keeper->mark_place) {
        make_snapshot(keeper);
        (void)look_at_note(keeper);
        atomic_store(&cluster->log_bytes, 0);
        keeper->is_marked = false;
    }
}

void *gjkd_cluster_keep(void *closure) {
    struct gjkd_cluster *cluster = closure;
    struct keeper keeper = {.cluster = cluster};
    gjkd_engine_mend(cluster->engine);
    pthread_mutex_lock(&cluster->lock);
    while (!atomic_load(&cluster->stops)) {
        gjkd_cluster_wait(cluster, &cluster->rest, STEP_MS);
        pthread_mutex_unlock(&cluster->lock);
        gjkd_engine_mend(cluster->engine);
        gjkd_cluster_checkpoint(cluster);
        step(&keeper);
        pthread_mutex_lock(&cluster->lock);
    }
    pthread_mutex_unlock(&cluster->lock);
    return NULL;
}

/* --- Beginning with one --- */

bool gjkd_cluster_make_sets(struct gjkd_cluster *cluster, proto_text text,
                            struct gjkd_registry *out, struct proto_problem *problem) {
    struct gjkd_version *before = NULL;
    while (text.length > 0) {
        gjkd_applied applied;
        if (!gjkd_record_apply(&text, before, gjkd_world_sets(cluster), cluster->setup.limits,
                               &applied, problem)) {
            gjkd_version_release(before);
            return false;
        }
        gjkd_version_release(applied.from);
        gjkd_version_release(before);
        before = applied.to;
        gjkd_registry_set(out, applied.name, applied.to);
    }
    gjkd_version_release(before);
    return true;
}

static bool is_same(const struct gjkd_version *a, const struct gjkd_version *b) {
    return a != NULL && a->incarnation == b->incarnation && a->order == b->order &&
           a->mark == b->mark;
}

/* Shows, of the sets of one registry, what another has of them. */
static void show_all(struct gjkd_registry *shown, struct gjkd_registry *names,
                     struct gjkd_registry *sets) {
    const uint64_t most = gjkd_registry_measure(names).sets;
    struct gjkd_version **versions = calloc(most + 1, sizeof(struct gjkd_version *));
    bool more = false;
    const size_t count =
        versions != NULL ? gjkd_registry_list(names, "", NULL, most, versions, &more) : 0;
    for (size_t i = 0; i < count; i++) {
        const char *name = versions[i]->name;
        struct gjkd_version *from = gjkd_registry_get(shown, name);
        struct gjkd_version *to = gjkd_registry_get(sets, name);
        if (to == NULL || !is_same(from, to)) {
            gjkd_cluster_show(shown, name, from, to);
        }
        gjkd_version_release(from);
        gjkd_version_release(to);
        gjkd_version_release(versions[i]);
    }
    free(versions);
}

/* What was proposed before and is not settled may be in what is skipped. */
static void jump(struct gjkd_cluster *cluster, const gjkd_message_head *head,
                 struct gjkd_registry *sets) {
    struct gjkd_registry *shown = gjkd_world_sets(cluster);
    pthread_mutex_lock(&cluster->lock);
    show_all(shown, shown, sets);
    show_all(shown, sets, sets);
    cluster->skipped_to = head->previous;
    gjkd_cluster_move(cluster, head->previous, head->id, head->id);
    pthread_mutex_unlock(&cluster->lock);
}

static bool take(struct gjkd_cluster *cluster, const gjkd_message *message,
                 struct proto_problem *problem) {
    struct gjkd_registry *sets = gjkd_registry_new(cluster->setup.limits->sets_max);
    char *text = gjkd_pieces_get(cluster->engine, message);
    const bool fine =
        sets != NULL && text != NULL &&
        gjkd_cluster_make_sets(cluster, (proto_text){text, message->bytes}, sets, problem);
    if (fine) {
        jump(cluster, &message->head, sets);
    }
    free(text);
    gjkd_registry_free(sets);
    return fine;
}

bool gjkd_cluster_take_snapshot(struct gjkd_cluster *cluster, char error[GJKD_ENGINE_ERROR_MAX]) {
    gjkd_engine_message came;
    gjkd_message message;
    uint64_t piece;
    struct proto_problem problem = {.detail = "its pieces cannot be read"};
    snprintf(error, GJKD_ENGINE_ERROR_MAX,
             "the log has no beginning, and no snapshot in its place");
    if (!read_note(cluster, &came, &message, &piece)) {
        return false;
    }
    bool fine = came.handle != NULL && message.head.epoch == cluster->epoch &&
                message.head.previous > atomic_load(&cluster->shown);
    if (fine) {
        fine = take(cluster, &message, &problem);
        if (!fine && problem.code == PROTO_OUT_OF_MEMORY) {
            gjkd_world_make_room(cluster);
        }
        snprintf(error, GJKD_ENGINE_ERROR_MAX,
                 "the snapshot at %" PRIu64 " cannot be taken: %.120s", message.head.previous,
                 problem.detail);
    }
    gjkd_engine_release(&came);
    return fine;
}
