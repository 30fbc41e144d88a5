/* Does the copy of a cluster's sets say whose and of which place it is, and is damage noticed? */

#include "store/copy.h"
#include "store/tables.h"

#include <stdlib.h>
#include <string.h>

#include "test_server.h"

#define PART ((size_t)1 << 20)

static char directory[64];
static char error[GJKD_STORE_ERROR_MAX];
static struct gjkd_database *database;
static struct gjkd_registry *registry;
static struct gjkd_version *version;
static struct gjk_arena arena;

static const gjkd_copy some = {"a", UINT64_MAX, 17, 0x8000000000000001, 16};

static void setup(void) {
    strcpy(directory, "/tmp/gjkd-copy-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    gjk_arena_init(&arena, 0);
    registry = gjkd_registry_new(10);
    version = test_put(registry, "s", "{'dimension':2,'shapes':{'p':{'type':'point'}}}", NULL);
    ck_assert_ptr_nonnull(version);
    database = gjkd_database_open(directory, error);
    ck_assert_msg(database != NULL, "%s", error);
}

static void teardown(void) {
    gjkd_database_close(database);
    gjkd_version_release(version);
    gjkd_registry_free(registry);
    gjk_arena_fini(&arena);
    test_remove_store(directory);
}

TEST_FIXTURE(setup, teardown)

static void reopen(void) {
    gjkd_database_close(database);
    database = gjkd_database_open(directory, error);
    ck_assert_msg(database != NULL, "%s", error);
}

static void run(const char *sql) {
    ck_assert_int_eq(sqlite3_exec(database->sqlite, sql, NULL, NULL, NULL), SQLITE_OK);
}

static bool is_taken_by(const char *cluster) {
    gjkd_copy copy;
    return gjkd_copy_check(database, directory, cluster, &copy, error);
}

TEST(a_fresh_file_belongs_to_nobody) {
    gjkd_copy copy;
    ck_assert(gjkd_database_get_copy(database, &copy));
    ck_assert_str_eq(copy.cluster, "");
    ck_assert(is_taken_by("") && is_taken_by("a"));
}

TEST(what_was_put_is_there) {
    gjkd_copy copy, other = some;
    ck_assert(gjkd_database_put_copy(database, &some));
    reopen();
    ck_assert(gjkd_database_get_copy(database, &copy));
    ck_assert_str_eq(copy.cluster, some.cluster);
    ck_assert(copy.epoch == some.epoch && copy.place == some.place);
    ck_assert(copy.message == some.message && copy.message_place == some.message_place);
    other.place = 18;
    ck_assert(gjkd_database_put_copy(database, &other));
    ck_assert(gjkd_database_get_copy(database, &copy));
    ck_assert_uint_eq(copy.place, 18);
    ck_assert(is_taken_by("a"));
    ck_assert(!is_taken_by("") && strstr(error, "give --nats and --cluster a"));
    ck_assert(!is_taken_by("b") && strstr(error, "not of b: name another directory"));
}

TEST(a_file_with_sets_is_no_node_s) {
    ck_assert(gjkd_database_write(database, NULL, version, &arena));
    ck_assert(!is_taken_by("a") && strstr(error, "a daemon without a cluster"));
    ck_assert(is_taken_by(""));
}

TEST(damage_is_noticed) {
    static const char *const columns[] = {"epoch", "place", "message", "message_place", "sum"};
    gjkd_copy copy;
    char sql[100];
    for (int i = 0; i < COUNT_OF(columns); i++) {
        ck_assert(gjkd_database_put_copy(database, &some));
        snprintf(sql, sizeof sql, "UPDATE copy SET %s = %s - 1", columns[i], columns[i]);
        run(sql);
        ck_assert(!gjkd_database_get_copy(database, &copy));
    }
    ck_assert(gjkd_database_put_copy(database, &some));
    run("UPDATE copy SET cluster = 'b'");
    ck_assert(!is_taken_by("b") && strstr(error, "damaged"));
}

static void check_ticks(const char *text, size_t length) {
    char *found = NULL;
    size_t found_length = 1;
    ck_assert(gjkd_database_get_ticks(database, "s", &found, &found_length));
    ck_assert_uint_eq(found_length, length);
    ck_assert(length > 0 ? memcmp(found, text, length) == 0 : found == NULL);
    free(found);
}

TEST(texts_of_ticks_come_back) {
    static const size_t lengths[] = {0, 1, PART - 1, PART, PART + 1, 2 * PART, 3 * PART + 7, 5};
    char *text = malloc(4 * PART);
    for (size_t i = 0; i < 4 * PART; i++)
        text[i] = (char)(i * 7 + i / 251);
    ck_assert(!gjkd_database_put_ticks(database, "s", text, 1)); /* there is no such set */
    ck_assert(gjkd_database_write(database, NULL, version, &arena));
    for (int i = 0; i < COUNT_OF(lengths); i++) {
        ck_assert(gjkd_database_put_ticks(database, "s", text + i, lengths[i]));
        check_ticks(text + i, lengths[i]);
    }
    free(text);
    ck_assert(gjkd_database_write(database, version, NULL, &arena));
    ck_assert(gjkd_database_write(database, NULL, version, &arena));
    check_ticks(NULL, 0); /* they went with the set */
}

TEST(damaged_texts_are_noticed) {
    static const char *const changes[] = {
        "UPDATE ticks SET sum = sum + 1 WHERE key & 1 = 0",
        "UPDATE ticks SET text = x'00' WHERE key & 1 = 1",
        "DELETE FROM ticks WHERE key & 1 = 0",
        "UPDATE ticks SET key = key + 1 WHERE key & 1 = 1",
    };
    char *text = calloc(2, PART), *found = text;
    size_t length;
    gjkd_copy copy;
    ck_assert(gjkd_database_write(database, NULL, version, &arena));
    for (int i = 0; i < COUNT_OF(changes); i++) {
        ck_assert(gjkd_database_put_ticks(database, "s", text, 2 * PART));
        run(changes[i]);
        ck_assert(!gjkd_database_get_ticks(database, "s", &found, &length));
        ck_assert_ptr_null(found);
    }
    ck_assert(gjkd_database_put_ticks(database, "s", text, 2 * PART));
    ck_assert(gjkd_database_put_copy(database, &some));
    ck_assert(gjkd_database_get_copy(database, &copy));
    run("DELETE FROM ticks WHERE key & 1 = 1"); /* the last part */
    ck_assert(!gjkd_database_get_copy(database, &copy));
    free(text);
}
