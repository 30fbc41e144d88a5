#ifndef GJKD_STORE_STORE_H
#define GJKD_STORE_STORE_H

/*
 * Storage for --data-dir: sets on disk. One thread writes all changes that were committed while it
 * synced the previous ones, in one transaction. So neither loops nor workers wait for a disk.
 *
 * Ticks are not written one by one. Their result is written with the next write to the set, or at
 * the next checkpoint: every checkpoint_ms, and at the end.
 */

#include "sets/storage.h"
#include "store/load.h"

struct gjkd_disk_store;

/* Time without an answer after which the disk is said to hang. */
#define GJKD_DISK_HANGS_NS UINT64_C(5000000000)

/* Maximum number of changes that wait for the disk. */
#define GJKD_CHANGES_MAX 8192

typedef struct gjkd_store_setup {
    const char *directory;
    uint64_t checkpoint_ms;
    const proto_limits *limits;
    unsigned threads;                     /* number of threads for loading */
    struct gjkd_registry *shown, *newest; /* both empty; for readers, for writers to build upon */
} gjkd_store_setup;

/*
 * Opens the directory and loads all sets into both registries. A set that has lost ticks gets a new
 * incarnation and a revision above all that were given. Returns NULL on failure, and the directory
 * is unchanged: error gives the reason and the remedy.
 */
struct gjkd_disk_store *gjkd_disk_store_open(const gjkd_store_setup *setup,
                                             gjkd_load_progress *progress,
                                             char error[GJKD_ERROR_MAX]);

/* Creates the directory if it does not exist, which a process in its sandbox cannot do. Returns
 * false on failure: error says why. */
bool gjkd_disk_store_make_directory(const char *directory, char error[GJKD_ERROR_MAX]) GJK_MUST_USE;

/* Returns the storage that commits go to. */
struct gjkd_storage *gjkd_disk_store_storage(struct gjkd_disk_store *disk);

/* Starts the thread. Returns false if that fails. */
bool gjkd_disk_store_start(struct gjkd_disk_store *disk) GJK_MUST_USE;

/* Writes all waiting changes and a last checkpoint, and stops the thread. Returns false if the disk
 * has not answered for wait_max_ns; the thread still waits for it. NULL is allowed. */
bool gjkd_disk_store_stop(struct gjkd_disk_store *disk, uint64_t wait_max_ns);

/* Does the same without a limit on time, and closes the file. NULL is allowed. */
void gjkd_disk_store_close(struct gjkd_disk_store *disk);

/* Measures for probes and metrics. */
typedef struct gjkd_store_measure {
    uint64_t waiting;           /* number of changes that wait */
    uint64_t transactions;      /* number of committed transactions */
    uint64_t failures;          /* number of changes that could not be stored */
    uint64_t oldest_wait_ns;    /* age of the oldest work that waits for the disk; 0 if none */
    bool is_hanging, has_moved; /* the disk does not answer; the file was deleted or moved */
} gjkd_store_measure;
gjkd_store_measure gjkd_disk_store_measure(struct gjkd_disk_store *disk);

/* Logs once a minute that the disk does not answer, and once that it answers again. To be called by
 * one thread, about once a second. */
void gjkd_disk_store_log_hang(struct gjkd_disk_store *disk);

#endif
