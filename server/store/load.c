/*
 * One thread reads rows and packs them into batches. Decoding threads make bodies of them, each at
 * the index of its row in the set, so the result does not depend on their order. Then one tree is
 * built for each set. The number of batches is fixed, so memory stays bounded for sets of any size.
 */

#include "store/load.h"

#include "sets/version_edit.h"
#include "util/log.h"
#include "work/memory.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of shapes between two log lines. */
#define PROGRESS_SHAPES 1000000

#define BATCH_ROWS 1024
#define DECODERS_MAX 16

/* Size of a batch's texts from which on the batch is full. */
#define BATCH_BYTES 1048576

/* Approximate size of a batch's bodies; less than the size from which malloc maps memory. */
#define HEAP_STEP_BYTES 983040

/* Rows with copies of their texts, and the array for their bodies. */
struct batch {
    struct batch *next;
    gjkd_row rows[BATCH_ROWS];
    unsigned count;
    gjk_edit *edits;
    struct gjk_arena texts;
};

struct loader {
    struct gjkd_database *database;
    const gjkd_load_setup *setup;
    char *error;
    struct gjkd_account account;

    pthread_t decoders[DECODERS_MAX];
    unsigned decoder_count;
    struct batch *batches; /* two for each decoder */
    pthread_mutex_t lock;  /* guards the following fields */
    pthread_cond_t filled, emptied;
    struct batch *empty, *full;
    unsigned under_way; /* batches in the queue of, or with, a decoder */
    bool is_over;
    bool failed; /* problem says why */
    struct proto_problem problem;
};

static bool refuse_set(const struct loader *loader, const char *set, const char *what) {
    return gjkd_refuse(
        loader->error,
        "%.150s: the stored set \"%.128s\" cannot be loaded: %.120s; restore a backup, or move "
        "the file away to begin without its sets",
        gjkd_database_path(loader->database), set, what);
}

static bool refuse_read(const struct loader *loader, const char *set, const char *damage) {
    const char *what = gjkd_database_error(loader->database);
    return refuse_set(loader, set, strcmp(what, "not an error") == 0 ? damage : what);
}

/* --- Decoders --- */

static bool decode_batch(struct loader *loader, const struct batch *batch, struct gjk_arena *arena,
                         struct proto_problem *problem) {
    /* Grows this thread's heap in one step. malloc alone grows the heap of any thread but the first
     * page by page, which took a tenth of the time. Volatile, so that the compiler keeps it. */
    void *volatile block = malloc(HEAP_STEP_BYTES);
    free(block);
    for (unsigned i = 0; i < batch->count; i++) {
        const gjk_body *body = NULL;
        const bool fine =
            gjkd_row_decode(&batch->rows[i], loader->setup->limits, arena, &body, problem);
        gjk_arena_reset(arena);
        if (!fine) {
            return false;
        }
        batch->edits[i] = (gjk_edit){body->id, body};
    }
    atomic_fetch_add_explicit(&loader->setup->progress->shapes, batch->count, memory_order_relaxed);
    return true;
}

static struct batch *next_full(struct loader *loader) {
    while (loader->full == NULL && !loader->is_over) {
        pthread_cond_wait(&loader->filled, &loader->lock);
    }
    struct batch *batch = loader->full;
    if (batch != NULL) {
        loader->full = batch->next;
    }
    return batch;
}

static void *run_decoder(void *closure) {
    struct loader *loader = closure;
    struct gjk_arena arena;
    struct batch *batch;
    gjk_arena_init(&arena, 0);
    gjk_arena_charge(&arena, &loader->account.account);
    pthread_mutex_lock(&loader->lock);
    while ((batch = next_full(loader)) != NULL) {
        struct proto_problem problem;
        const bool skips = loader->failed;
        pthread_mutex_unlock(&loader->lock);
        const bool fine = skips || decode_batch(loader, batch, &arena, &problem);
        pthread_mutex_lock(&loader->lock);
        if (!fine && !loader->failed) {
            loader->failed = true;
            loader->problem = problem;
        }
        batch->next = loader->empty;
        loader->empty = batch;
        loader->under_way--;
        pthread_cond_signal(&loader->emptied);
    }
    pthread_mutex_unlock(&loader->lock);
    gjk_arena_fini(&arena);
    return NULL;
}

/* --- The reader --- */

static struct batch *take_empty(struct loader *loader) {
    pthread_mutex_lock(&loader->lock);
    while (loader->empty == NULL) {
        pthread_cond_wait(&loader->emptied, &loader->lock);
    }
    struct batch *batch = loader->empty;
    loader->empty = batch->next;
    pthread_mutex_unlock(&loader->lock);
    gjk_arena_reset(&batch->texts);
    batch->count = 0;
    return batch;
}

static void hand_over(struct loader *loader, struct batch *batch) {
    pthread_mutex_lock(&loader->lock);
    batch->next = loader->full;
    loader->full = batch;
    loader->under_way++;
    pthread_cond_signal(&loader->filled);
    pthread_mutex_unlock(&loader->lock);
}

/* Waits until the decoders are idle. Returns false if one has failed. */
static bool wait_for_decoders(struct loader *loader) {
    pthread_mutex_lock(&loader->lock);
    while (loader->under_way > 0) {
        pthread_cond_wait(&loader->emptied, &loader->lock);
    }
    const bool fine = !loader->failed;
    pthread_mutex_unlock(&loader->lock);
    return fine;
}

/* Copies the row and its texts into the batch. Returns false if memory is exhausted. */
static bool add_row(struct batch *batch, const gjkd_row *row) {
    gjkd_row *copy = &batch->rows[batch->count];
    *copy = *row;
    copy->id = gjk_arena_copy_text(&batch->texts, row->id, strlen(row->id));
    copy->place.data = gjk_arena_copy_text(&batch->texts, row->place.data, row->place.length);
    copy->shape.data = gjk_arena_copy_text(&batch->texts, row->shape.data, row->shape.length);
    batch->count += copy->id != NULL && copy->place.data != NULL && copy->shape.data != NULL;
    return batch->count > 0 && &batch->rows[batch->count - 1] == copy;
}

/* Reads a set's rows and passes them to the decoders. Returns their number; *next: last result. */
static uint32_t read_rows(struct loader *loader, const gjkd_stored_set *set, gjk_edit *edits,
                          gjkd_next *next) {
    struct batch *batch = NULL;
    gjkd_row row;
    uint32_t count = 0;
    bool fine = true;
    while (fine &&
           (*next = gjkd_database_next_shape(loader->database, set->number, &row)) ==
               GJKD_NEXT_OK &&
           count < set->shapes) {
        if (batch == NULL) {
            batch = take_empty(loader);
            batch->edits = edits + count;
        }
        row.dimension = set->head.dimension;
        fine = add_row(batch, &row);
        count += fine;
        if (count % PROGRESS_SHAPES == 0) {
            gjkd_log(GJKD_LOG_INFO, "loading the set %s: %u of %u shapes", set->head.name, count,
                     set->shapes);
        }
        if (batch->count == BATCH_ROWS || batch->texts.used_bytes > BATCH_BYTES) {
            hand_over(loader, batch);
            batch = NULL;
        }
    }
    if (batch != NULL) {
        hand_over(loader, batch);
    }
    if (!fine) {
        pthread_mutex_lock(&loader->lock);
        loader->failed = true;
        proto_problem_set(&loader->problem, PROTO_OUT_OF_MEMORY, "no memory for its rows");
        pthread_mutex_unlock(&loader->lock);
    }
    return count;
}

/* --- Sets --- */

static int compare_edits(const void *a, const void *b) {
    return strcmp(((const gjk_edit *)a)->id, ((const gjk_edit *)b)->id);
}

/* Loads the bodies of a set into edits, NULL for missing ones. Returns false on failure. */
static bool load_bodies(struct loader *loader, const gjkd_stored_set *set, gjk_edit *edits) {
    gjkd_next next = GJKD_NEXT_FAILED;
    const uint32_t count = read_rows(loader, set, edits, &next);
    if (!wait_for_decoders(loader)) {
        return refuse_set(loader, set->head.name, loader->problem.detail);
    }
    if (next != GJKD_NEXT_END || count != set->shapes) {
        return refuse_read(loader, set->head.name, "the number of its shapes is another");
    }
    bool is_sorted = true; /* in order of ids; handles are mostly given in that order */
    for (uint32_t i = 1; i < count && is_sorted; i++) {
        is_sorted = compare_edits(&edits[i - 1], &edits[i]) < 0;
    }
    if (!is_sorted) {
        qsort(edits, count, sizeof *edits, compare_edits);
    }
    return true;
}

static bool load_set(struct loader *loader, const gjkd_stored_set *set) {
    gjkd_restored restored = set->head;
    restored.count = set->shapes;
    restored.edits = calloc(set->shapes + (size_t)1, sizeof *restored.edits);
    struct gjkd_version *version = NULL;
    if (restored.edits == NULL) {
        return refuse_set(loader, set->head.name, "there is no memory for it");
    }
    if (!load_bodies(loader, set, restored.edits)) {
        gjkd_edits_free(restored.edits, restored.count);
        return false;
    }
    if (gjkd_version_restore(&restored, &version) != GJK_OK) {
        return refuse_set(loader, set->head.name, "there is no memory for it: see --max-memory");
    }
    version->revision_bound = set->revision_bound;
    loader->setup->take(loader->setup->user, version);
    atomic_fetch_add_explicit(&loader->setup->progress->sets, 1, memory_order_relaxed);
    return true;
}

/* --- Life --- */

/* Starts the decoders. Returns false if memory or threads are exhausted. */
static bool start_decoders(struct loader *loader) {
    const unsigned wanted =
        loader->setup->threads < DECODERS_MAX ? loader->setup->threads : DECODERS_MAX;
    loader->batches = calloc(2 * (size_t)wanted, sizeof *loader->batches);
    for (unsigned i = 0; i < 2 * wanted && loader->batches != NULL; i++) {
        struct batch *batch = &loader->batches[i];
        gjk_arena_init(&batch->texts, 0);
        gjk_arena_charge(&batch->texts, &loader->account.account);
        batch->next = loader->empty;
        loader->empty = batch;
    }
    while (loader->batches != NULL && loader->decoder_count < wanted &&
           pthread_create(&loader->decoders[loader->decoder_count], NULL, run_decoder, loader) ==
               0) {
        loader->decoder_count++;
    }
    return loader->decoder_count > 0 || refuse_set(loader, "", "there is no thread for it");
}

static void stop_decoders(struct loader *loader) {
    pthread_mutex_lock(&loader->lock);
    loader->is_over = true;
    pthread_cond_broadcast(&loader->filled);
    pthread_mutex_unlock(&loader->lock);
    for (unsigned i = 0; i < loader->decoder_count; i++) {
        pthread_join(loader->decoders[i], NULL);
    }
    for (struct batch *batch = loader->empty; batch != NULL; batch = batch->next) {
        gjk_arena_fini(&batch->texts);
    }
    free(loader->batches);
}

bool gjkd_load(struct gjkd_database *database, const gjkd_load_setup *setup,
               char error[GJKD_ERROR_MAX]) {
    struct loader loader = {.database = database,
                            .setup = setup,
                            .error = error,
                            .lock = PTHREAD_MUTEX_INITIALIZER,
                            .filled = PTHREAD_COND_INITIALIZER,
                            .emptied = PTHREAD_COND_INITIALIZER};
    gjkd_stored_set set;
    gjkd_next next = GJKD_NEXT_OK;
    gjkd_account_init(&loader.account);
    bool fine = start_decoders(&loader);
    while (fine && (next = gjkd_database_next_set(database, &set)) == GJKD_NEXT_OK) {
        fine = load_set(&loader, &set);
    }
    stop_decoders(&loader);
    return fine && (next == GJKD_NEXT_END ||
                    refuse_read(&loader, "(the list of sets)", "a row of it is damaged"));
}
