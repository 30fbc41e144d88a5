/* How many changes may wait for the disk, and what becomes of the one beyond. Which directories a
 * store refuses. */

#include "sets/commit.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>

#include "test_server.h"

/* A store whose thread has not begun yet, so that all that is written waits. */
static char directory[] = "/tmp/gjkd-waiting-XXXXXX";
static proto_limits limits;
static struct gjkd_registry *shown, *newest;
static struct gjkd_disk_store *disk;
static struct gjkd_change *changes;
static struct proto_problem problem;

static char error[GJKD_ERROR_MAX];

static void open_store(void) {
    static gjkd_load_progress progress;
    const gjkd_store_setup setup = {directory, 3600000, &limits, 1, shown, newest};
    disk = gjkd_disk_store_open(&setup, &progress, error);
}

static void setup(void) {
    memcpy(strrchr(directory, '-'), "-XXXXXX", 7); /* tests may share a process */
    ck_assert_ptr_nonnull(mkdtemp(directory));
    limits = proto_limits_default();
    shown = gjkd_registry_new(10);
    newest = gjkd_registry_new(10);
    changes = calloc(GJKD_CHANGES_MAX + 2, sizeof *changes);
    open_store();
    ck_assert_msg(disk != NULL, "%s", error);
}

static void teardown(void) {
    gjkd_disk_store_close(disk);
    gjkd_registry_free(shown);
    gjkd_registry_free(newest);
    free(changes);
    test_remove_store(directory);
}

TEST_FIXTURE(setup, teardown)

static bool has_room(void) {
    struct gjkd_storage *storage = gjkd_disk_store_storage(disk);
    return storage->has_room(storage, false, &problem);
}

static bool put(unsigned change) {
    const proto_set body = {.dimension = 2};
    const gjkd_write write = {.storage = gjkd_disk_store_storage(disk),
                              .name = "a",
                              .problem = &problem,
                              .change = &changes[change]};
    struct gjkd_version *version = NULL;
    const bool fine = gjkd_commit_put(&write, &body, &version) != GJKD_REFUSED;
    gjkd_version_release(version);
    return fine;
}

static uint64_t revision(struct gjkd_registry *registry) {
    struct gjkd_version *version = gjkd_registry_get(registry, "a");
    const uint64_t found = version != NULL ? version->revision : 0;
    gjkd_version_release(version);
    return found;
}

TEST(so_many_may_wait_and_no_more) {
    const unsigned most = GJKD_CHANGES_MAX;
    for (unsigned i = 0; i + 1 < most; i++)
        ck_assert(put(i));
    ck_assert_uint_eq(gjkd_disk_store_measure(disk).waiting, most - 1);
    ck_assert(has_room());
    ck_assert(put(most - 1));
    ck_assert(!has_room());
    ck_assert(!put(most));
    ck_assert_int_eq(problem.code, PROTO_OVERLOADED);
    ck_assert(!changes[most].is_submitted);
    ck_assert_uint_eq(revision(newest), most);
    ck_assert_uint_eq(revision(shown), 0);
    ck_assert_uint_eq(gjkd_disk_store_measure(disk).waiting, most);

    ck_assert(gjkd_disk_store_start(disk));
    for (unsigned i = 0; i < most; i++)
        ck_assert_int_eq(gjkd_change_wait(&changes[i]), GJKD_ON_DISK);
    ck_assert_uint_eq(revision(shown), most);
    ck_assert_uint_eq(gjkd_disk_store_measure(disk).waiting, 0);
    ck_assert(put(most + 1));
    ck_assert_int_eq(gjkd_change_wait(&changes[most + 1]), GJKD_ON_DISK);
    ck_assert_uint_eq(revision(shown), most + 1);
}

static void change_file(const char *sql) {
    struct gjkd_database *database = gjkd_database_open(directory, error);
    ck_assert_msg(database != NULL, "%s", error);
    ck_assert_int_eq(sqlite3_exec(database->sqlite, sql, NULL, NULL, NULL), SQLITE_OK);
    gjkd_database_close(database);
}

TEST(the_directory_of_a_cluster_s_node_is_refused) {
    gjkd_disk_store_close(disk);
    change_file("INSERT INTO copy VALUES (1, 'a', 1, 2, 3, 4, 5)");
    open_store();
    ck_assert_ptr_null(disk);
    ck_assert_msg(strstr(error, "a node of the cluster a,") != NULL, "%s", error);
    change_file("DELETE FROM copy");
    open_store();
    ck_assert_msg(disk != NULL, "%s", error);
}
