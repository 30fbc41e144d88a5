/*
 * The thread takes all sets at a moment, which costs a reference each, and writes those that are other
 * versions than the file has, shape by shape, as the store on disk does. The ticks of a set are
 * written as in a snapshot: whole, since of ticks there are mostly none left that were there before.
 *
 * It takes a tenth of the time at most, so that a disk that is slow is written more seldom.
 *
 * Of a world that was let go the file may be the last copy: it is set aside before the first
 * transaction of the next one.
 */

#include "cluster/file.h"

#include "cluster/state.h"
#include "sets/version.h"
#include "sets/version_edit.h"
#include "store/copy.h"
#include "store/load.h"
#include "util/log.h"
#include "work/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

/* Between two transactions, and so many times as long as the last one took. */
#define PAUSE_MS 500
#define TIMES_PAUSED 9

#define COMPLAINT_PAUSE_NS UINT64_C(10000000000)

#define ASIDE "sets.db.before"

struct gjkd_node_file {
    struct gjkd_cluster *cluster;
    struct gjkd_database *database; /* NULL: it could not be opened again */
    struct gjkd_registry *saved;    /* what the file has */
    gjkd_copy copy;                 /* as the file has it */
    uint64_t world;                 /* of the cluster, of which the file is */
    bool has_ticks;                 /* some were written the last time */
    uint64_t complained_ns;
    struct gjkd_account account;
    pthread_t thread;
    bool has_thread;
    _Atomic uint64_t place, saves, failures;
    atomic_bool is_failing;
};

static const char *directory_of(const struct gjkd_node_file *file) {
    return file->cluster->setup.config->data_dir;
}

static const char *cluster_of(const struct gjkd_node_file *file) {
    return file->cluster->setup.config->cluster;
}

/* --- What goes wrong --- */

static void fail(struct gjkd_node_file *file, const char *why) {
    const uint64_t now_ns = uv_hrtime();
    atomic_fetch_add(&file->failures, 1);
    if (!atomic_exchange(&file->is_failing, true) ||
        now_ns - file->complained_ns > COMPLAINT_PAUSE_NS) {
        file->complained_ns = now_ns;
        gjkd_log(GJKD_LOG_ERROR,
                 "cluster %s: the node's file stays at place %" PRIu64
                 " of the log, and all goes on without it: %s",
                 cluster_of(file), file->copy.place, why);
    }
}

static void succeed(struct gjkd_node_file *file, const gjkd_copy *copy) {
    file->copy = *copy;
    atomic_store(&file->place, copy->place);
    atomic_fetch_add(&file->saves, 1);
    if (atomic_exchange(&file->is_failing, false)) {
        file->complained_ns = 0;
        gjkd_log(GJKD_LOG_INFO, "cluster %s: the node's file is written again", cluster_of(file));
    }
}

/* --- Writing --- */

/* Whether there may be more to tell of a set than its rows do. */
static bool has_past(const struct gjkd_version *version) {
    return version != NULL && version->has_history;
}

static bool write_ticks(struct gjkd_node_file *file, const struct gjkd_version *version) {
    struct gjk_arena arena;
    struct proto_buffer text;
    gjk_arena_init(&arena, 0);
    gjk_arena_charge(&arena, &file->account.account);
    proto_buffer_init(&text, &arena);
    if (has_past(version)) {
        gjkd_record_put_set(&text, version);
        file->has_ticks = file->has_ticks || gjkd_version_ticks(version).count > 0;
    }
    const bool fine = !text.failed && gjkd_database_put_ticks(file->database, version->name,
                                                              text.data, text.length);
    gjk_arena_fini(&arena);
    return fine;
}

static bool write_set(struct gjkd_node_file *file, const struct gjkd_version *from,
                      const struct gjkd_version *to) {
    struct gjk_arena arena;
    gjk_arena_init(&arena, 0);
    gjk_arena_charge(&arena, &file->account.account);
    const bool fine = gjkd_database_write(file->database, from, to, &arena);
    gjk_arena_fini(&arena);
    return fine && (to == NULL || (!has_past(from) && !has_past(to)) || write_ticks(file, to));
}

/* All sets of a registry, retained. NULL: there is no memory. */
static struct gjkd_version **list(struct gjkd_registry *registry, size_t *count) {
    const uint64_t most = gjkd_registry_measure(registry).sets;
    struct gjkd_version **versions = calloc(most + 1, sizeof(struct gjkd_version *));
    bool more = false;
    *count = versions != NULL ? gjkd_registry_list(registry, "", NULL, most, versions, &more) : 0;
    return versions;
}

static void free_list(struct gjkd_version **versions, size_t count) {
    for (size_t i = 0; i < count; i++) {
        gjkd_version_release(versions[i]);
    }
    free(versions);
}

static bool is_in(const struct gjkd_cut *cut, const char *name) {
    const size_t at = gjkd_versions_lower_bound(cut->versions, cut->count, name);
    return at < cut->count && strcmp(cut->versions[at]->name, name) == 0;
}

/* Removes the sets that are gone: of the file, or of what is known of it. */
static bool drop_gone(struct gjkd_node_file *file, const struct gjkd_cut *cut, bool is_written) {
    size_t count = 0;
    struct gjkd_version **saved = list(file->saved, &count);
    bool fine = saved != NULL;
    for (size_t i = 0; i < count && fine; i++) {
        if (is_in(cut, saved[i]->name)) {
            continue;
        }
        if (is_written) {
            gjkd_registry_set(file->saved, saved[i]->name, NULL);
        } else {
            fine = write_set(file, saved[i], NULL);
        }
    }
    free_list(saved, count);
    return fine;
}

static bool write_sets(struct gjkd_node_file *file, const struct gjkd_cut *cut) {
    bool fine = drop_gone(file, cut, false);
    for (size_t i = 0; i < cut->count && fine; i++) {
        struct gjkd_version *to = cut->versions[i];
        struct gjkd_version *from = gjkd_registry_get(file->saved, to->name);
        fine = from == to || write_set(file, from, to);
        gjkd_version_release(from);
    }
    return fine;
}

/* All that differs and the place, or nothing. */
static bool write_cut(struct gjkd_node_file *file, const struct gjkd_cut *cut) {
    gjkd_copy copy = {.epoch = cut->head.epoch,
                      .place = cut->head.previous,
                      .message = cut->head.id,
                      .message_place = cut->message_place};
    snprintf(copy.cluster, sizeof copy.cluster, "%.*s", GJKD_COPY_NAME_BYTES_MAX, cluster_of(file));
    if (!gjkd_database_begin(file->database) || !write_sets(file, cut) ||
        !gjkd_database_put_copy(file->database, &copy) || !gjkd_database_commit(file->database)) {
        fail(file, gjkd_database_error(file->database));
        gjkd_database_undo(file->database);
        gjkd_database_reuse_log(
            file->database); /* where the disk is full, it is the room there is */
        return false;
    }
    for (size_t i = 0; i < cut->count; i++) {
        gjkd_registry_set(file->saved, cut->versions[i]->name, cut->versions[i]);
    }
    (void)drop_gone(file, cut, true);
    succeed(file, &copy);
    return true;
}

/* --- Another world --- */

static void name(const struct gjkd_node_file *file, const char *what, char path[PATH_MAX]) {
    snprintf(path, PATH_MAX, "%s/%s", directory_of(file), what);
}

static bool reopen(struct gjkd_node_file *file) {
    char error[GJKD_STORE_ERROR_MAX];
    if (file->database == NULL) {
        file->database = gjkd_database_open(directory_of(file), error);
    }
    if (file->database == NULL) {
        fail(file, error);
    }
    return file->database != NULL;
}

/* Makes sure that a power cut does not take the new name back. */
static void sync_directory(const struct gjkd_node_file *file) {
    const int directory = open(directory_of(file), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) {
        (void)fsync(directory);
        (void)close(directory);
    }
}

/* Renames the file, which is whole without its log once it is closed, and begins an empty one. */
static bool set_aside(struct gjkd_node_file *file) {
    char here[PATH_MAX], log[PATH_MAX], aside[PATH_MAX];
    struct gjkd_registry *none = gjkd_registry_new(file->cluster->setup.limits->sets_max);
    name(file, "sets.db", here);
    name(file, "sets.db-wal", log);
    name(file, ASIDE, aside);
    gjkd_database_close(file->database);
    file->database = NULL;
    if (none == NULL || access(log, F_OK) == 0 || rename(here, aside) != 0) {
        gjkd_registry_free(none);
        fail(file, "the file of the log before cannot be set aside as " ASIDE);
        return false;
    }
    sync_directory(file);
    gjkd_log(GJKD_LOG_WARNING,
             "cluster %s: %" PRIu64 " sets of the log before, as of place %" PRIu64
             ", are kept in %s",
             cluster_of(file), gjkd_registry_measure(file->saved).sets, file->copy.place, aside);
    gjkd_registry_free(file->saved);
    file->saved = none;
    return true;
}

/* Makes the file one of the cut's world. */
static bool follow_world(struct gjkd_node_file *file, const struct gjkd_cut *cut) {
    const bool is_other = file->world != cut->world;
    if (!reopen(file) ||
        (is_other && gjkd_registry_measure(file->saved).sets > 0 && !set_aside(file))) {
        return false;
    }
    file->world = cut->world;
    return reopen(file);
}

/* --- When --- */

static bool is_saved(const struct gjkd_node_file *file, const struct gjkd_cut *cut) {
    bool is_same = file->world == cut->world && file->copy.place == cut->head.previous &&
                   gjkd_registry_measure(file->saved).sets == cut->count;
    for (size_t i = 0; i < cut->count && is_same; i++) {
        struct gjkd_version *saved = gjkd_registry_get(file->saved, cut->versions[i]->name);
        is_same = saved == cut->versions[i];
        gjkd_version_release(saved);
    }
    return is_same;
}

/* Writes what is shown, if that is another place or other ticks than the file has. */
static void save(struct gjkd_node_file *file) {
    struct gjkd_cut cut = {.count = 0};
    file->has_ticks = false;
    if (gjkd_cut_make(file->cluster, &cut) && cut.head.previous > 0 && !is_saved(file, &cut) &&
        follow_world(file, &cut)) {
        (void)write_cut(file, &cut);
    }
    gjkd_cut_fini(&cut);
}

static uint64_t pause_after(const struct gjkd_node_file *file, uint64_t took_ns) {
    const uint64_t pause_ms = TIMES_PAUSED * took_ns / 1000000;
    const uint64_t least_ms =
        file->has_ticks ? file->cluster->setup.config->pose_checkpoint_ms : PAUSE_MS;
    return pause_ms > least_ms ? pause_ms : least_ms;
}

static void *run(void *closure) {
    struct gjkd_node_file *file = closure;
    struct gjkd_cluster *cluster = file->cluster;
    uint64_t pause_ms = PAUSE_MS;
    pthread_mutex_lock(&cluster->lock);
    while (!atomic_load(&cluster->stops)) {
        gjkd_cluster_wait(cluster, &cluster->rest, pause_ms);
        pthread_mutex_unlock(&cluster->lock);
        const uint64_t began_ns = uv_hrtime();
        save(file);
        pause_ms = pause_after(file, uv_hrtime() - began_ns);
        pthread_mutex_lock(&cluster->lock);
    }
    pthread_mutex_unlock(&cluster->lock);
    return NULL;
}

/* --- Loading --- */

static void take_set(void *user, struct gjkd_version *version) {
    struct gjkd_node_file *file = user;
    gjkd_version_number(version, false, 0, NULL, version->revision, version->mark);
    gjkd_registry_set(file->saved, version->name, version);
    gjkd_version_release(version);
}

/* The set with its ticks, if it has some, in the place of that without. */
static bool load_ticks(struct gjkd_node_file *file, const char *set, char *error) {
    char *text = NULL;
    size_t length = 0;
    struct proto_problem problem = {.detail = "they are damaged"};
    bool fine = gjkd_database_get_ticks(file->database, set, &text, &length);
    fine = fine && (length == 0 || gjkd_cluster_make_sets(file->cluster, (proto_text){text, length},
                                                          file->saved, &problem));
    free(text);
    if (!fine) {
        snprintf(
            error, GJKD_CLUSTER_ERROR_MAX,
            "--data-dir %.150s: the ticks of the set \"%.128s\" cannot be loaded: %.100s; move "
            "sets.db away: the node takes all sets from the cluster then",
            directory_of(file), set, problem.detail);
    }
    return fine;
}

/* Reads all sets, with their ticks, and shows them. */
static bool load_sets(struct gjkd_node_file *file, char *error) {
    const struct gjkd_cluster_setup *setup = &file->cluster->setup;
    gjkd_load_progress progress = {0};
    const gjkd_load_setup loading = {setup->limits, (unsigned)setup->config->workers, &progress,
                                     take_set, file};
    size_t count = 0;
    if (!gjkd_load(file->database, &loading, error)) {
        return false;
    }
    struct gjkd_version **versions = list(file->saved, &count);
    bool fine = versions != NULL;
    for (size_t i = 0; i < count && fine; i++) {
        fine = load_ticks(file, versions[i]->name, error);
        struct gjkd_version *version = gjkd_registry_get(file->saved, versions[i]->name);
        gjkd_registry_set(setup->registry, versions[i]->name, version);
        gjkd_version_release(version);
    }
    free_list(versions, count);
    return fine;
}

/* The log is to be followed from there: from the last valid message, so that the log can be asked
 * whether it is the same one; what is void behind it is passed again. */
static void take_place(const struct gjkd_node_file *file) {
    struct gjkd_cluster *cluster = file->cluster;
    const gjkd_copy *copy = &file->copy;
    cluster->epoch = copy->epoch;
    if (copy->message_place != 0) {
        gjkd_cluster_move(cluster, copy->message_place, copy->message, copy->message);
    } else {
        gjkd_cluster_move(cluster, copy->place, 0, copy->message);
    }
    gjkd_log(GJKD_LOG_INFO,
             "cluster %s: %" PRIu64 " sets from %s, as of place %" PRIu64 " of the log",
             cluster_of(file), gjkd_registry_measure(file->saved).sets, directory_of(file),
             copy->place);
}

static bool load(struct gjkd_node_file *file, char *error) {
    file->database = gjkd_database_open(directory_of(file), error);
    if (file->database == NULL ||
        !gjkd_copy_check(file->database, directory_of(file), cluster_of(file), &file->copy,
                         error) ||
        !load_sets(file, error)) {
        return false;
    }
    if (file->copy.place > 0) {
        take_place(file);
    }
    atomic_store(&file->place, file->copy.place);
    return true;
}

/* --- Life --- */

struct gjkd_node_file *gjkd_node_file_open(struct gjkd_cluster *cluster,
                                           char error[GJKD_CLUSTER_ERROR_MAX]) {
    struct gjkd_node_file *file = calloc(1, sizeof *file);
    if (file == NULL) {
        snprintf(error, GJKD_CLUSTER_ERROR_MAX, "out of memory");
        return NULL;
    }
    file->cluster = cluster;
    gjkd_account_init(&file->account);
    file->saved = gjkd_registry_new(cluster->setup.limits->sets_max);
    snprintf(error, GJKD_CLUSTER_ERROR_MAX, "out of memory");
    if (file->saved == NULL || !load(file, error)) {
        gjkd_database_close(file->database);
        gjkd_registry_free(file->saved);
        free(file);
        return NULL;
    }
    return file;
}

bool gjkd_node_file_start(struct gjkd_node_file *file) {
    file->has_thread = pthread_create(&file->thread, NULL, run, file) == 0;
    return file->has_thread;
}

void gjkd_node_file_close(struct gjkd_node_file *file) {
    if (file == NULL) {
        return;
    }
    if (file->has_thread) {
        pthread_join(file->thread, NULL);
        save(file);
    }
    gjkd_database_close(file->database);
    gjkd_registry_free(file->saved);
    free(file);
}

gjkd_node_file_measure gjkd_node_file_measure_now(struct gjkd_node_file *file) {
    if (file == NULL) {
        return (gjkd_node_file_measure){.is_there = false};
    }
    return (gjkd_node_file_measure){true, atomic_load(&file->is_failing), atomic_load(&file->place),
                                    atomic_load(&file->saves), atomic_load(&file->failures)};
}
