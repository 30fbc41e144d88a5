#ifndef GJKD_STORE_STORE_H
#define GJKD_STORE_STORE_H

/*
 * Sets on disk: the storage that --data-dir asks for. One thread writes what the commits
 * hand over, as many changes in one transaction as have come while the last one was synced, so
 * that neither loops nor workers ever wait for a disk.
 *
 * Ticks are not written one by one. What they have changed goes with the next write to their set,
 * else at the next checkpoint, every checkpoint_ms and at the end.
 */

#include "sets/storage.h"
#include "store/load.h"

struct gjkd_disk_store;

/* A disk that has not answered for so long is said to hang. */
#define GJKD_DISK_HANGS_NS UINT64_C(5000000000)

/* Changes that may wait for the disk. */
#define GJKD_CHANGES_MAX 8192

typedef struct gjkd_store_setup {
    const char *directory;
    uint64_t checkpoint_ms;
    const proto_limits *limits;
    unsigned threads;                     /* for loading */
    struct gjkd_registry *shown, *newest; /* empty; what readers see and what writers build upon */
} gjkd_store_setup;

/*
 * Opens the directory and loads all sets into both registries. A set that has lost ticks gets
 * another incarnation and a revision above every one that was given. NULL: error says why not and
 * what to do; nothing in the directory has been changed.
 */
struct gjkd_disk_store *gjkd_disk_store_open(const gjkd_store_setup *setup,
                                             gjkd_load_progress *progress,
                                             char error[GJKD_ERROR_MAX]);

/* Makes the directory where it is missing, which a process in its sandbox cannot. False: error says
 * why not. */
bool gjkd_disk_store_make_directory(const char *directory, char error[GJKD_ERROR_MAX]) GJK_MUST_USE;

/* The storage to commit to. */
struct gjkd_storage *gjkd_disk_store_storage(struct gjkd_disk_store *disk);

/* Starts the thread. False: there is none. */
bool gjkd_disk_store_start(struct gjkd_disk_store *disk) GJK_MUST_USE;

/* Writes all that waits and a last checkpoint, and ends the thread. False: the disk has not
 * answered for longer than that, and the thread still waits for it. NULL is allowed. */
bool gjkd_disk_store_stop(struct gjkd_disk_store *disk, uint64_t patience_ns);

/* The same, however long it takes, and closes the file. NULL is allowed. */
void gjkd_disk_store_close(struct gjkd_disk_store *disk);

/* Figures for probes and metrics. */
typedef struct gjkd_store_measure {
    uint64_t waiting;           /* changes */
    uint64_t transactions;      /* so far */
    uint64_t failures;          /* changes that were not stored */
    uint64_t oldest_wait_ns;    /* of the changes and ticks that wait for the disk; 0: none does */
    bool is_hanging, has_moved; /* the disk does not answer; its file was deleted or moved */
} gjkd_store_measure;
gjkd_store_measure gjkd_disk_store_measure(struct gjkd_disk_store *disk);

/* Logs that the disk does not answer, once a minute, and that it answers again. To be called by one
 * thread, about once a second. */
void gjkd_disk_store_complain(struct gjkd_disk_store *disk);

#endif
