/*
 * A worker that has made a tick shows it and leaves its message to a thread, which publishes what
 * waits in its order. The same thread takes what others have told: a tick whose place the log has not
 * come to here waits for it; one that is not upon what is shown, or older than that, is dropped. Gaps
 * are found in poses.c, where a tick names the one before it.
 */

#include "cluster/ticks.h"

#include "cluster/poses.h"
#include "sets/version.h"
#include "sets/version_edit.h"
#include "util/log.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define NS_PER_MS UINT64_C(1000000)
#define REST_MS 1000

/* A message that waits, on its way out or in. */
struct gjkd_letter {
    struct gjkd_letter *next;
    struct gjk_arena arena;   /* of a message that is made here */
    gjkd_engine_message came; /* handle NULL: it is made here */
    proto_text text;
    gjkd_tick_message message; /* of what came, a view of text */
    bool is_read;
};

/* --- Letters --- */

static void free_letter(struct gjkd_letter *letter) {
    if (letter->came.handle != NULL) {
        gjkd_engine_release(&letter->came);
    }
    gjk_arena_fini(&letter->arena);
    free(letter);
}

static bool has_room(const gjkd_letters *letters, size_t length) {
    return letters->count < GJKD_TICKS_WAITING_MAX &&
           letters->bytes + length <= GJKD_TICKS_WAITING_BYTES_MAX;
}

static void push(gjkd_letters *letters, struct gjkd_letter *letter) {
    if (letters->first == NULL) {
        letters->end = &letters->first;
    }
    *letters->end = letter;
    letters->end = &letter->next;
    letters->count++;
    letters->bytes += letter->text.length;
}

/* Takes out the letter that *at points to. */
static struct gjkd_letter *pull(gjkd_letters *letters, struct gjkd_letter **at) {
    struct gjkd_letter *letter = *at;
    *at = letter->next;
    if (letters->end == &letter->next) {
        letters->end = at;
    }
    letter->next = NULL;
    letters->count--;
    letters->bytes -= letter->text.length;
    return letter;
}

static void drop_all(gjkd_letters *letters) {
    while (letters->first != NULL) {
        free_letter(pull(letters, &letters->first));
    }
}

void gjkd_ticker_drop(gjkd_ticker *ticker) {
    drop_all(&ticker->out);
    drop_all(&ticker->in);
}

/* --- Telling --- */

/* Is it time for the log to have what is shown? */
static bool is_due(const struct gjkd_cluster *cluster, const gjkd_unlogged *unlogged) {
    return uv_hrtime() - unlogged->since_ns >=
           cluster->setup.config->pose_checkpoint_ms * NS_PER_MS;
}

static struct gjkd_letter *write_letter(uint64_t epoch, const gjkd_proposal *proposal) {
    struct gjkd_letter *letter = calloc(1, sizeof *letter);
    struct proto_buffer text;
    if (letter == NULL) {
        return NULL;
    }
    gjk_arena_init(&letter->arena, 0);
    proto_buffer_init(&text, &letter->arena);
    gjkd_tick_message_put(&text, epoch, proposal->from, proposal->to);
    letter->text = (proto_text){text.data, text.length};
    if (text.failed || text.length > GJKD_POSES_BYTES_MAX) {
        free_letter(letter);
        return NULL;
    }
    return letter;
}

/* Shows the tick and has it told, if it still follows what is shown. The lock is held. */
static bool show_and_tell(struct gjkd_cluster *cluster, const gjkd_proposal *proposal,
                          struct gjkd_letter *letter, uint64_t epoch, gjkd_log_verdict *verdict) {
    if (gjkd_cluster_is_away(cluster)) {
        *verdict = GJKD_AWAY;
    } else if (epoch != cluster->epoch ||
               !gjkd_cluster_shows(cluster->setup.registry, proposal->name, proposal->from)) {
        *verdict = GJKD_OUTRUN;
    } else if (!gjkd_cluster_is_sure(cluster) || gjkd_cluster_awaits(cluster, proposal->name) ||
               !has_room(&cluster->ticker.out, letter->text.length)) {
        return false;
    } else {
        gjkd_cluster_show(cluster->setup.registry, proposal->name, proposal->from, proposal->to);
        push(&cluster->ticker.out, letter);
        pthread_cond_signal(&cluster->ticker.wakeup);
        atomic_store(&cluster->has_unlogged, true);
        *verdict = GJKD_TOLD;
    }
    return true;
}

bool gjkd_cluster_tell(struct gjkd_cluster *cluster, const gjkd_proposal *proposal,
                       gjkd_log_verdict *verdict) {
    const gjkd_unlogged *unlogged = &proposal->from->unlogged;
    if (!unlogged->leads || unlogged->doubts || unlogged->ticks == GJKD_UNLOGGED_MAX ||
        is_due(cluster, unlogged) ||
        gjkd_engine_told_bytes_max(cluster->engine) < GJKD_POSES_BYTES_MAX) {
        return false;
    }
    pthread_mutex_lock(&cluster->lock);
    const uint64_t epoch = cluster->epoch;
    pthread_mutex_unlock(&cluster->lock);
    gjkd_version_number_tick(proposal->to, proposal->from);
    struct gjkd_letter *letter = write_letter(epoch, proposal);
    if (letter == NULL) {
        return false;
    }
    *verdict = GJKD_LATE;
    pthread_mutex_lock(&cluster->lock);
    const bool is_judged = show_and_tell(cluster, proposal, letter, epoch, verdict);
    pthread_mutex_unlock(&cluster->lock);
    if (*verdict != GJKD_TOLD) {
        free_letter(letter);
    }
    return is_judged;
}

/* --- Taking --- */

void gjkd_cluster_hear(void *closure, gjkd_engine_message *message) {
    struct gjkd_cluster *cluster = closure;
    struct gjkd_letter *letter = calloc(1, sizeof *letter);
    if (letter == NULL) {
        gjkd_engine_release(message);
        return;
    }
    gjk_arena_init(&letter->arena, 0);
    letter->came = *message;
    letter->text = (proto_text){message->data, message->length};
    pthread_mutex_lock(&cluster->lock);
    gjkd_letters *in = &cluster->ticker.in;
    while (in->count > 0 && !has_room(in, letter->text.length)) {
        free_letter(pull(in, &in->first)); /* a later one makes up for it, but for its tick */
        atomic_fetch_add(&cluster->ticker.late, 1);
    }
    push(in, letter);
    cluster->ticker.is_news = true;
    pthread_cond_signal(&cluster->ticker.wakeup);
    pthread_mutex_unlock(&cluster->lock);
}

typedef enum fate { IS_LATE, IS_EARLY, IS_GOOD } fate;

/* What the tick is to what is shown; *version, retained: what it follows. The lock is held. */
static fate judge(struct gjkd_cluster *cluster, struct gjkd_letter *letter,
                  struct gjkd_version **version) {
    const gjkd_tick_message *message = &letter->message;
    const gjkd_poses *poses = &message->poses;
    *version = NULL;
    if (!letter->is_read && !gjkd_tick_message_read(letter->text, &letter->message)) {
        gjkd_cluster_note_stray(cluster);
        return IS_LATE;
    }
    letter->is_read = true;
    if (cluster->epoch == 0 || poses->place > cluster->position || atomic_load(&cluster->is_anew)) {
        return cluster->epoch == 0 || message->epoch == cluster->epoch ? IS_EARLY : IS_LATE;
    }
    if (!gjkd_cluster_is_sure(cluster) || gjkd_cluster_awaits(cluster, message->name)) {
        return IS_EARLY;
    }
    *version = gjkd_registry_get(cluster->setup.registry, message->name);
    const bool is_good = message->epoch == cluster->epoch && *version != NULL &&
                         (*version)->incarnation == poses->incarnation &&
                         (*version)->order == poses->place &&
                         (*version)->unlogged.ticks < poses->ticks;
    if (!is_good) {
        gjkd_version_release(*version);
        *version = NULL;
    }
    return is_good ? IS_GOOD : IS_LATE;
}

/* The first letter that does not wait for the log, taken out; NULL: there is none. The lock is held. */
static struct gjkd_letter *next_letter(struct gjkd_cluster *cluster,
                                       struct gjkd_version **version) {
    gjkd_letters *in = &cluster->ticker.in;
    struct gjkd_letter **at = &in->first;
    while (cluster->ticker.is_news && *at != NULL) {
        switch (judge(cluster, *at, version)) {
        case IS_GOOD:
            return pull(in, at);
        case IS_LATE:
            atomic_fetch_add(&cluster->ticker.late, 1);
            free_letter(pull(in, at));
            break;
        case IS_EARLY:
            at = &(*at)->next;
            break;
        }
    }
    cluster->ticker.is_news = false;
    return NULL;
}

/* Shows what comes of it; once more, where something else was shown meanwhile. The lock is held. */
static void take(struct gjkd_cluster *cluster, struct gjkd_letter *letter,
                 struct gjkd_version *version) {
    struct gjkd_registry *sets = cluster->setup.registry;
    const char *name = letter->message.name;
    struct gjkd_version *next = NULL;
    struct proto_problem problem = {.code = PROTO_OK};
    pthread_mutex_unlock(&cluster->lock);
    const bool is_made = gjkd_poses_apply(&letter->message.poses, version, &next, &problem);
    pthread_mutex_lock(&cluster->lock);
    if (!is_made) {
        gjkd_log(GJKD_LOG_DEBUG, "cluster %s: a tick cannot be taken: %.150s",
                 cluster->setup.config->cluster, problem.detail);
        atomic_fetch_add(&cluster->ticker.late, 1);
        free_letter(letter);
    } else if (gjkd_cluster_shows(sets, name, version) && !gjkd_cluster_awaits(cluster, name)) {
        gjkd_cluster_show(sets, name, version, next);
        pthread_cond_broadcast(&cluster->moved);
        atomic_fetch_add(&cluster->ticker.taken, 1);
        gjkd_cluster_count_gap(cluster, version, next);
        free_letter(letter);
    } else {
        letter->next = cluster->ticker.in.first; /* in its old place */
        cluster->ticker.in.end =
            cluster->ticker.in.first == NULL ? &letter->next : cluster->ticker.in.end;
        cluster->ticker.in.first = letter;
        cluster->ticker.in.count++;
        cluster->ticker.in.bytes += letter->text.length;
    }
    gjkd_version_release(next);
    gjkd_version_release(version);
}

/* --- The thread --- */

/* Publishes what waits. The lock is held, but not meanwhile. */
static void publish(struct gjkd_cluster *cluster) {
    gjkd_letters *out = &cluster->ticker.out;
    while (out->first != NULL && !atomic_load(&cluster->stops)) {
        struct gjkd_letter *letter = pull(out, &out->first);
        pthread_mutex_unlock(&cluster->lock);
        if (gjkd_engine_tell(cluster->engine, letter->text.data, letter->text.length)) {
            atomic_fetch_add(&cluster->ticker.told, 1);
        }
        free_letter(letter);
        pthread_mutex_lock(&cluster->lock);
    }
}

void *gjkd_cluster_tick(void *closure) {
    struct gjkd_cluster *cluster = closure;
    pthread_mutex_lock(&cluster->lock);
    while (!atomic_load(&cluster->stops)) {
        struct gjkd_version *version = NULL;
        publish(cluster);
        struct gjkd_letter *letter = next_letter(cluster, &version);
        if (letter != NULL) {
            take(cluster, letter, version);
        } else if (cluster->ticker.out.first == NULL && !atomic_load(&cluster->stops)) {
            gjkd_cluster_wait(cluster, &cluster->ticker.wakeup, REST_MS);
        }
    }
    pthread_mutex_unlock(&cluster->lock);
    return NULL;
}
