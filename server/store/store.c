/*
 * Group commit. The thread takes all waiting changes, writes for each set the difference between
 * its stored and its newest version, and commits once. Then readers see the new versions, and
 * writers get their answers.
 *
 * If a group cannot be stored, each of its sets is tried alone, so that a write that is too large
 * for the disk fails alone. A set that cannot be stored is reset, under its writer lock, to the
 * version that readers see, and all its waiting changes fail: they were built upon a version that
 * is not stored.
 */

#include "store/store.h"

#include "sets/feed.h"
#include "sets/version.h"
#include "sets/version_edit.h"
#include "util/log.h"
#include "work/memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <uv.h>

/* Maximum number of changes in a transaction. */
#define GROUP_MAX 1024

/* Number of sets that one step of a checkpoint examines. */
#define CHECKPOINT_SETS 256

/* Minimum time between two log lines about failures. */
#define FAILURE_PAUSE_NS UINT64_C(1000000000)

/* Minimum time between two log lines about a disk that hangs. */
#define HANG_PAUSE_NS UINT64_C(60000000000)

/* Time between two checks that the file is still there. */
#define LOOK_PAUSE_NS UINT64_C(1000000000)

/* Time between two checks that the disk still answers, while the thread is to stop. */
#define STOP_LOOK_NS UINT64_C(1000000000)

/* Part of a group, sorted by name; changes of the same name are in order of submission. */
struct group {
    struct gjkd_change *changes[GROUP_MAX];
    unsigned count;
};

struct gjkd_disk_store {
    struct gjkd_storage base;     /* first: a pointer to it is cast to the store */
    struct gjkd_registry *stored; /* versions in the file */
    struct gjkd_database *database;
    struct gjkd_account account;
    struct gjk_arena arena;
    uint64_t checkpoint_ms, checkpoint_ns, failure_logged_ns;
    bool has_logged_failure; /* a failure was logged, and nothing has been stored since */
    struct group groups[2];  /* work space of the thread */
    uint64_t hang_logged_ns; /* last log line about a hang; 0 if the disk has answered */

    pthread_t thread;
    bool is_started;
    pthread_mutex_t lock; /* guards the fields up to begun_ns */
    uv_cond_t wakeup, stopped;
    struct gjkd_change *first, **end; /* queue of waiting changes, oldest first */
    bool stops, is_working;
    uint64_t begun_ns; /* time since which the work given to the disk has waited; 0 if none */

    _Atomic uint64_t waiting, transactions, failures;
    atomic_bool has_moved; /* result of the last check for the file */
};

/* --- The queue --- */

static struct gjkd_disk_store *disk_of(struct gjkd_storage *storage) {
    return (struct gjkd_disk_store *)(void *)storage;
}

static void submit(struct gjkd_storage *storage, struct gjkd_change *change) {
    struct gjkd_disk_store *disk = disk_of(storage);
    atomic_fetch_add(&disk->waiting, 1);
    pthread_mutex_lock(&disk->lock);
    change->next = NULL;
    change->submitted_ns = uv_hrtime();
    *disk->end = change;
    disk->end = &change->next;
    uv_cond_signal(&disk->wakeup);
    pthread_mutex_unlock(&disk->lock);
}

static bool has_room(struct gjkd_storage *storage, bool is_tick, struct proto_problem *problem) {
    (void)is_tick;
    return atomic_load(&disk_of(storage)->waiting) < GJKD_CHANGES_MAX ||
           proto_problem_set(problem, PROTO_OVERLOADED,
                             "too many writes wait for the disk already");
}

static gjkd_verdict commit(struct gjkd_storage *storage, const gjkd_proposal *proposal,
                           gjk_budget *budget, struct proto_problem *problem) {
    (void)budget;
    return gjkd_storage_queue(storage, proposal, submit, problem);
}

/* Takes waiting changes from the queue; with a name, only changes of that set. The lock is held. */
static void take(struct gjkd_disk_store *disk, const char *name, struct group *out) {
    struct gjkd_change **at = &disk->first;
    out->count = 0;
    while (*at != NULL && out->count < GROUP_MAX) {
        struct gjkd_change *change = *at;
        if (name != NULL && strcmp(change->name, name) != 0) {
            at = &change->next;
            continue;
        }
        *at = change->next;
        change->order = out->count;
        out->changes[out->count++] = change;
    }
    while (*at != NULL) {
        at = &(*at)->next;
    }
    disk->end = at;
}

static void settle(struct gjkd_disk_store *disk, struct gjkd_change *change,
                   gjkd_durability durability) {
    gjkd_version_release(change->from);
    gjkd_version_release(change->to);
    atomic_fetch_sub(&disk->waiting, 1);
    gjkd_change_settle(change, durability);
}

/* Returns the age of the oldest work that waits for the disk. The lock is held. */
static uint64_t waited_ns(const struct gjkd_disk_store *disk) {
    const uint64_t queued_ns = disk->first != NULL ? disk->first->submitted_ns : 0;
    const uint64_t since_ns = disk->begun_ns != 0 ? disk->begun_ns : queued_ns;
    const uint64_t now_ns = uv_hrtime();
    return since_ns != 0 && now_ns > since_ns ? now_ns - since_ns : 0;
}

/* --- Transactions --- */

static bool is_last_of_name(const struct group *group, unsigned i) {
    return i + 1 == group->count ||
           strcmp(group->changes[i]->name, group->changes[i + 1]->name) != 0;
}

static bool write_set(struct gjkd_disk_store *disk, const char *name,
                      const struct gjkd_version *to) {
    struct gjkd_version *from = gjkd_registry_get(disk->stored, name);
    const bool fine = from == to || gjkd_database_write(disk->database, from, to, &disk->arena);
    gjkd_version_release(from);
    return fine;
}

static bool store(struct gjkd_disk_store *disk, const struct group *group) {
    bool fine = gjkd_database_begin(disk->database);
    for (unsigned i = 0; i < group->count && fine; i++) {
        const struct gjkd_change *change = group->changes[i];
        fine = !is_last_of_name(group, i) || write_set(disk, change->name, change->to);
    }
    fine = fine && gjkd_database_commit(disk->database);
    gjk_arena_fini(&disk->arena);
    atomic_fetch_add(&disk->transactions, fine);
    if (fine && disk->has_logged_failure) {
        disk->has_logged_failure = false;
        gjkd_log(GJKD_LOG_INFO, "sets are stored again");
    }
    return fine;
}

static void log_failure(struct gjkd_disk_store *disk, const char *what) {
    const uint64_t now_ns = uv_hrtime();
    if (now_ns - disk->failure_logged_ns > FAILURE_PAUSE_NS) {
        disk->failure_logged_ns = now_ns;
        disk->has_logged_failure = true;
        gjkd_log(GJKD_LOG_ERROR, "%s: %s", what, gjkd_database_error(disk->database));
    }
}

/* Rolls back and overwrites the transaction's remains in the log, so that no start finds them. */
static void undo(struct gjkd_disk_store *disk) {
    log_failure(disk, "sets cannot be stored, writes are refused");
    gjkd_database_undo(disk->database);
    if (!gjkd_database_begin(disk->database) || !gjkd_database_touch(disk->database) ||
        !gjkd_database_commit(disk->database)) {
        gjkd_database_undo(disk->database);
    }
    gjkd_database_reuse_log(disk->database); /* on a full disk this is the only space */
}

/* --- Results of a group --- */

static void show(struct gjkd_disk_store *disk, const struct group *group) {
    for (unsigned i = 0; i < group->count; i++) {
        struct gjkd_change *change = group->changes[i];
        if (is_last_of_name(group, i)) {
            gjkd_registry_set(disk->stored, change->name, change->to);
            gjkd_registry_set(disk->base.shown, change->name, change->to);
        }
    }
    for (unsigned i = 0; i < group->count; i++) {
        struct gjkd_change *change = group->changes[i];
        if (change->from != change->to) { /* equal for a repeated tick */
            gjkd_delta_publish(change->from, change->to);
        }
        settle(disk, change, GJKD_ON_DISK);
    }
}

static void give_up_changes(struct gjkd_disk_store *disk, const struct group *group) {
    atomic_fetch_add(&disk->failures, group->count);
    for (unsigned i = 0; i < group->count; i++) {
        settle(disk, group->changes[i], GJKD_NOT_STORED);
    }
}

/* Fails the changes of a group, which are all of one set and could not be stored, and all waiting
 * changes of the set, which build upon them. The newest version is then the one readers see. */
static void give_up(struct gjkd_disk_store *disk, struct group *group) {
    char name[PROTO_SET_NAME_BYTES_MAX + 1];
    snprintf(name, sizeof name, "%s", group->changes[0]->name);
    gjkd_registry_lock_writer(disk->base.newest, name);
    struct gjkd_version *shown = gjkd_registry_get(disk->base.shown, name);
    gjkd_registry_set(disk->base.newest, name, shown);
    give_up_changes(disk, group);
    do {
        pthread_mutex_lock(&disk->lock);
        take(disk, name, group);
        pthread_mutex_unlock(&disk->lock);
        give_up_changes(disk, group);
    } while (group->count > 0);
    gjkd_registry_unlock_writer(disk->base.newest, name);
    gjkd_version_release(shown);
}

static int compare(const void *a, const void *b) {
    const struct gjkd_change *p = *(struct gjkd_change *const *)a;
    const struct gjkd_change *q = *(struct gjkd_change *const *)b;
    const int order = strcmp(p->name, q->name);
    return order != 0 ? order : p->order < q->order ? -1 : p->order > q->order;
}

/* Stores each set of a group alone, after the whole group could not be stored. */
static void store_singly(struct gjkd_disk_store *disk, const struct group *group,
                         struct group *one) {
    one->count = 0;
    for (unsigned i = 0; i < group->count; i++) {
        one->changes[one->count++] = group->changes[i];
        if (!is_last_of_name(group, i)) {
            continue;
        }
        const bool is_alone = one->count == group->count; /* already tried */
        if (!is_alone && store(disk, one)) {
            show(disk, one);
        } else {
            if (!is_alone) {
                undo(disk);
            }
            give_up(disk, one);
        }
        one->count = 0;
    }
}

/* --- Checkpoints --- */

/* Stores, of the next sets after the name `after`, those whose newest ticks are not in the file.
 * last: name to continue after. Returns 0 when no set is left. */
static size_t checkpoint_some(struct gjkd_disk_store *disk, const char *after, char *last,
                              bool *fine) {
    struct gjkd_version *versions[CHECKPOINT_SETS], *changed[CHECKPOINT_SETS];
    bool more = false;
    unsigned changed_count = 0;
    size_t count =
        gjkd_registry_list(disk->base.shown, "", NULL, after, CHECKPOINT_SETS, versions, &more);
    for (size_t i = 0; i < count; i++) {
        struct gjkd_version *stored = gjkd_registry_get(disk->stored, versions[i]->name);
        if (stored != versions[i]) {
            changed[changed_count++] = versions[i];
        }
        gjkd_version_release(stored);
    }
    *fine = changed_count == 0 || gjkd_database_begin(disk->database);
    for (unsigned i = 0; i < changed_count && *fine; i++) {
        *fine = write_set(disk, changed[i]->name, changed[i]);
    }
    *fine = *fine && (changed_count == 0 || gjkd_database_commit(disk->database));
    for (unsigned i = 0; i < changed_count && *fine; i++) {
        gjkd_registry_set(disk->stored, changed[i]->name, changed[i]);
    }
    if (count > 0) {
        snprintf(last, PROTO_SET_NAME_BYTES_MAX + 1, "%s", versions[count - 1]->name);
    }
    for (size_t i = 0; i < count; i++) {
        gjkd_version_release(versions[i]);
    }
    return more ? count : 0;
}

static void note_begin(struct gjkd_disk_store *disk, uint64_t since_ns) {
    pthread_mutex_lock(&disk->lock);
    disk->begun_ns = since_ns;
    pthread_mutex_unlock(&disk->lock);
}

static void checkpoint(struct gjkd_disk_store *disk) {
    char last[PROTO_SET_NAME_BYTES_MAX + 1] = "";
    bool fine = true;
    note_begin(disk, uv_hrtime());
    while (checkpoint_some(disk, last[0] != '\0' ? last : NULL, last, &fine) > 0 && fine) {
        note_begin(disk, uv_hrtime());
    }
    if (!fine) {
        undo(disk);
    }
    note_begin(disk, 0);
    disk->checkpoint_ns = uv_hrtime() + disk->checkpoint_ms * 1000000;
}

/* --- The thread --- */

/* Waits for changes until the next checkpoint or check of the file. Returns false when the store
 * stops and no change waits. */
static bool wait_for_changes(struct gjkd_disk_store *disk, struct group *group) {
    const uint64_t look_ns = uv_hrtime() + LOOK_PAUSE_NS;
    const uint64_t wake_ns = look_ns < disk->checkpoint_ns ? look_ns : disk->checkpoint_ns;
    pthread_mutex_lock(&disk->lock);
    while (disk->first == NULL && !disk->stops) {
        const uint64_t now_ns = uv_hrtime();
        if (now_ns >= wake_ns) {
            break;
        }
        (void)uv_cond_timedwait(&disk->wakeup, &disk->lock, wake_ns - now_ns);
    }
    const bool goes_on = disk->first != NULL || !disk->stops;
    take(disk, NULL, group);
    disk->begun_ns = group->count > 0 ? group->changes[0]->submitted_ns : 0;
    pthread_mutex_unlock(&disk->lock);
    return goes_on;
}

static void *work(void *closure) {
    struct gjkd_disk_store *disk = closure;
    struct group *groups = disk->groups;
    while (wait_for_changes(disk, &groups[0])) {
        struct group *group = &groups[0];
        if (group->count > 0) {
            qsort(group->changes, group->count, sizeof(struct gjkd_change *), compare);
            if (store(disk, group)) {
                show(disk, group);
            } else {
                undo(disk);
                store_singly(disk, group, &groups[1]);
            }
        }
        note_begin(disk, uv_hrtime()); /* a disk may also hang when no change waits */
        atomic_store(&disk->has_moved, gjkd_database_has_moved(disk->database));
        note_begin(disk, 0);
        if (uv_hrtime() >= disk->checkpoint_ns) {
            checkpoint(disk);
        }
    }
    checkpoint(disk);
    pthread_mutex_lock(&disk->lock);
    disk->is_working = false;
    uv_cond_signal(&disk->stopped);
    pthread_mutex_unlock(&disk->lock);
    return NULL;
}

/* --- Life --- */

static void take_set(void *user, struct gjkd_version *version) {
    struct gjkd_disk_store *disk = user;
    gjkd_registry_set(disk->stored, version->name, version);
    gjkd_version_release(version);
}

/* Gives a set that has lost ticks a new incarnation, in memory and file, before readers see it. */
static bool renew(struct gjkd_disk_store *disk, struct gjkd_version *version) {
    const bool has_lost_ticks = version->revision_bound > 0;
    if (has_lost_ticks) {
        const uint64_t revision = version->revision_bound;
        version->revision_bound = 0;
        if (!gjkd_version_renew_incarnation(version, revision) ||
            !gjkd_database_put_set(disk->database, version)) {
            return false;
        }
        gjkd_log(GJKD_LOG_INFO,
                 "the set %s has lost its ticks: it goes on as another incarnation, at revision "
                 "%llu",
                 version->name, (unsigned long long)revision);
    }
    gjkd_registry_set(disk->base.newest, version->name, version);
    gjkd_registry_set(disk->base.shown, version->name, version);
    return true;
}

static bool renew_all(struct gjkd_disk_store *disk) {
    const uint64_t most = gjkd_registry_measure(disk->stored).sets;
    struct gjkd_version **versions = calloc(most + 1, sizeof(struct gjkd_version *));
    bool more = false;
    bool fine = versions != NULL && gjkd_database_begin(disk->database);
    size_t count =
        fine ? gjkd_registry_list(disk->stored, "", NULL, NULL, most, versions, &more) : 0;
    for (size_t i = 0; i < count; i++) {
        fine = fine && renew(disk, versions[i]);
        gjkd_version_release(versions[i]);
    }
    free(versions);
    return fine && gjkd_database_commit(disk->database);
}

static bool load(struct gjkd_disk_store *disk, const gjkd_store_setup *setup,
                 gjkd_load_progress *progress, char *error) {
    const gjkd_load_setup loading = {setup->limits, setup->threads, progress, take_set, disk};
    disk->database = gjkd_database_open(setup->directory, error);
    if (disk->database == NULL ||
        !gjkd_database_check_owner(disk->database, setup->directory, error) ||
        !gjkd_load(disk->database, &loading, error)) {
        return false;
    }
    if (!renew_all(disk)) {
        return gjkd_refuse(error, "--data-dir %.300s cannot be written to: %.150s",
                           setup->directory, gjkd_database_error(disk->database));
    }
    return true;
}

struct gjkd_disk_store *gjkd_disk_store_open(const gjkd_store_setup *setup,
                                             gjkd_load_progress *progress,
                                             char error[GJKD_ERROR_MAX]) {
    struct gjkd_disk_store *disk = calloc(1, sizeof *disk);
    if (disk == NULL) {
        snprintf(error, GJKD_ERROR_MAX, "out of memory");
        return NULL;
    }
    disk->base = (struct gjkd_storage){.newest = setup->newest,
                                       .shown = setup->shown,
                                       .has_room = has_room,
                                       .commit = commit};
    disk->stored = gjkd_registry_new(setup->limits->sets_max);
    disk->checkpoint_ms = setup->checkpoint_ms;
    disk->end = &disk->first;
    pthread_mutex_init(&disk->lock, NULL);
    (void)uv_cond_init(&disk->wakeup);
    (void)uv_cond_init(&disk->stopped);
    gjkd_account_init(&disk->account);
    gjk_arena_init(&disk->arena, 0);
    gjk_arena_charge(&disk->arena, &disk->account.account);
    if (disk->stored == NULL || !load(disk, setup, progress, error)) {
        gjkd_disk_store_close(disk);
        return NULL;
    }
    return disk;
}

bool gjkd_disk_store_make_directory(const char *directory, char error[GJKD_ERROR_MAX]) {
    if (mkdir(directory, 0700) == 0 || errno == EEXIST) {
        return true;
    }
    return gjkd_refuse(error, "--data-dir %.300s: %s%s", directory, strerror(errno),
                       errno == ENOENT ? "; gjkd makes the directory, but not the one that it is in"
                                       : "");
}

struct gjkd_storage *gjkd_disk_store_storage(struct gjkd_disk_store *disk) {
    return &disk->base;
}

bool gjkd_disk_store_start(struct gjkd_disk_store *disk) {
    disk->checkpoint_ns = uv_hrtime() + disk->checkpoint_ms * 1000000;
    disk->is_working = true;
    disk->is_started = pthread_create(&disk->thread, NULL, work, disk) == 0;
    return disk->is_started;
}

bool gjkd_disk_store_stop(struct gjkd_disk_store *disk, uint64_t wait_max_ns) {
    bool hangs = false;
    if (disk == NULL || !disk->is_started) {
        return true;
    }
    pthread_mutex_lock(&disk->lock);
    disk->stops = true;
    uv_cond_signal(&disk->wakeup);
    while (disk->is_working && !hangs) {
        (void)uv_cond_timedwait(&disk->stopped, &disk->lock, STOP_LOOK_NS);
        hangs = waited_ns(disk) > wait_max_ns;
    }
    pthread_mutex_unlock(&disk->lock);
    if (!hangs) {
        pthread_join(disk->thread, NULL);
        disk->is_started = false;
    }
    return !hangs;
}

void gjkd_disk_store_close(struct gjkd_disk_store *disk) {
    if (disk == NULL) {
        return;
    }
    (void)gjkd_disk_store_stop(disk, UINT64_MAX);
    gjkd_database_close(disk->database);
    gjkd_registry_free(disk->stored);
    gjk_arena_fini(&disk->arena);
    pthread_mutex_destroy(&disk->lock);
    uv_cond_destroy(&disk->wakeup);
    uv_cond_destroy(&disk->stopped);
    free(disk);
}

/* --- Metrics --- */

static uint64_t oldest_wait_ns(struct gjkd_disk_store *disk) {
    pthread_mutex_lock(&disk->lock);
    const uint64_t wait_ns = waited_ns(disk);
    pthread_mutex_unlock(&disk->lock);
    return wait_ns;
}

gjkd_store_measure gjkd_disk_store_measure(struct gjkd_disk_store *disk) {
    const uint64_t wait_ns = oldest_wait_ns(disk);
    return (gjkd_store_measure){
        .waiting = atomic_load(&disk->waiting),
        .transactions = atomic_load(&disk->transactions),
        .failures = atomic_load(&disk->failures),
        .oldest_wait_ns = wait_ns,
        .is_hanging = wait_ns >= GJKD_DISK_HANGS_NS,
        .has_moved = atomic_load(&disk->has_moved),
    };
}

void gjkd_disk_store_log_hang(struct gjkd_disk_store *disk) {
    const uint64_t now_ns = uv_hrtime(), wait_ns = oldest_wait_ns(disk);
    if (wait_ns < GJKD_DISK_HANGS_NS) {
        if (disk->hang_logged_ns != 0) {
            gjkd_log(GJKD_LOG_INFO, "the disk answers again");
        }
        disk->hang_logged_ns = 0;
    } else if (disk->hang_logged_ns == 0 || now_ns - disk->hang_logged_ns > HANG_PAUSE_NS) {
        disk->hang_logged_ns = now_ns;
        gjkd_log(GJKD_LOG_ERROR,
                 "the disk of --data-dir has not answered for %llu s: writes are not answered "
                 "before their deadline (504), and may be stored yet; reads go on. Is its file "
                 "system frozen, its device gone, or overloaded?",
                 (unsigned long long)(wait_ns / 1000000000));
    }
}
