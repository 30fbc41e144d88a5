/* What do flags and environment say, which one wins, and how are mistakes told? */

#include <stdlib.h>
#include <string.h>

#include "test_server.h"

/* The environment of a test: NAME=value lines. */
static const char *environment[8];

static const char *lookup(const char *name) {
    for (int i = 0; environment[i] != NULL; i++) {
        size_t length = strlen(name);
        if (strncmp(environment[i], name, length) == 0 && environment[i][length] == '=')
            return environment[i] + length + 1;
    }
    return NULL;
}

static void set_environment(const char *first, const char *second) {
    memset(environment, 0, sizeof environment);
    environment[0] = first;
    environment[1] = second;
}

/* Parses "gjkd" and up to three arguments. */
static bool parse(struct gjkd_config *config, char *error, const char *a, const char *b,
                  const char *c) {
    char program[] = "gjkd";
    char texts[3][64];
    const char *given[] = {a, b, c};
    char *argv[4] = {program};
    int argc = 1;

    for (int i = 0; i < 3 && given[i] != NULL; i++) {
        strncpy(texts[i], given[i], sizeof texts[i] - 1);
        texts[i][sizeof texts[i] - 1] = '\0';
        argv[argc++] = texts[i];
    }
    return gjkd_config_parse(config, argc, argv, lookup, error);
}

static struct gjkd_config config;
static char error[GJKD_CONFIG_ERROR_MAX];

START_TEST(defaults) {
    char address[GJKD_ADDRESS_TEXT_MAX];

    set_environment(NULL, NULL);
    ck_assert(parse(&config, error, NULL, NULL, NULL));
    gjkd_address_format(&config.listen, address);
    ck_assert_str_eq(address, "127.0.0.1:8080");
    ck_assert_int_eq(config.action, GJKD_SERVE);
    ck_assert_uint_ge(config.io_threads, 1);
    ck_assert_uint_le(config.io_threads, 4);
    ck_assert_uint_ge(config.workers, 1);
    ck_assert_uint_eq(config.max_body_bytes, 16777216);
    ck_assert_uint_eq(config.drain_timeout_ms, 10000);
    ck_assert(!config.demo && !config.insecure);
    ck_assert_uint_eq(config.allowed_hosts.count, 0);
}
END_TEST

START_TEST(flags_in_both_forms) {
    set_environment(NULL, NULL);
    ck_assert(parse(&config, error, "--io-threads", "3", "--demo"));
    ck_assert_uint_eq(config.io_threads, 3);
    ck_assert(config.demo);
    ck_assert(parse(&config, error, "--io-threads=2", "--demo=false", "--max-body=1000"));
    ck_assert_uint_eq(config.io_threads, 2);
    ck_assert(!config.demo);
    ck_assert_uint_eq(config.max_body_bytes, 1000);
}
END_TEST

START_TEST(flag_beats_environment) {
    set_environment("GJKD_WORKERS=7", "GJKD_MAX_BODY=5");
    ck_assert(parse(&config, error, "--workers", "3", NULL));
    ck_assert_uint_eq(config.workers, 3);
    ck_assert_uint_eq(config.max_body_bytes, 5);
    /* An environment that a flag overrides is not even judged; an empty one counts as unset. */
    set_environment("GJKD_WORKERS=many", "GJKD_MAX_BODY=");
    ck_assert(parse(&config, error, "--workers", "3", NULL));
    ck_assert_uint_eq(config.max_body_bytes, 16777216);
}
END_TEST

START_TEST(times) {
    static const struct {
        const char *text;
        uint64_t ms;
    } good[] = {{"10", 10000},  {"10s", 10000}, {"500ms", 500},
                {"2m", 120000}, {"1.5", 1500},  {"0", 0}};
    static const char *const bad[] = {"-1", "10h", "s", "1e9", "nan", " 1"};

    set_environment(NULL, NULL);
    for (int i = 0; i < COUNT_OF(good); i++) {
        ck_assert_msg(parse(&config, error, "--drain-timeout", good[i].text, NULL), "%s",
                      good[i].text);
        ck_assert_uint_eq(config.drain_timeout_ms, good[i].ms);
    }
    for (int i = 0; i < COUNT_OF(bad); i++)
        ck_assert_msg(!parse(&config, error, "--drain-timeout", bad[i], NULL), "%s", bad[i]);
}
END_TEST

START_TEST(mistakes_are_named) {
    static const struct {
        const char *a, *b, *part;
    } rows[] = {
        {"--foo", NULL, "--foo"},
        {"serve", NULL, "\"serve\""},
        {"--listen", NULL, "--listen: a value is missing"},
        {"--listen", "8080", "--listen: \"8080\""},
        {"--listen", "example.com:80", "--listen: \"example.com:80\""},
        {"--io-threads", "0", "--io-threads: \"0\" is not a whole number from 1 to 64"},
        {"--io-threads", "1.5", "--io-threads: \"1.5\""},
        {"--workers", "1025", "--workers: \"1025\""},
        {"--max-body", "18446744073709551617", "--max-body:"},
        {"--demo=maybe", NULL, "--demo: \"maybe\""},
        {"--allowed-host", "a b", "--allowed-host: \"a b\""},
        {"--allowed-host", "example.com:80", "--allowed-host:"},
        {"--allowed-host", "", "--allowed-host:"},
        {"--token-file", "x", "--token-file: tokens are not available"},
    };

    set_environment(NULL, NULL);
    for (int i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_msg(!parse(&config, error, rows[i].a, rows[i].b, NULL), "%s", rows[i].a);
        ck_assert_msg(strstr(error, rows[i].part) != NULL, "\"%s\" lacks \"%s\"", error,
                      rows[i].part);
    }
    set_environment("GJKD_IO_THREADS=x", NULL);
    ck_assert(!parse(&config, error, NULL, NULL, NULL));
    ck_assert_ptr_nonnull(strstr(error, "GJKD_IO_THREADS: \"x\""));
}
END_TEST

START_TEST(exposure_needs_a_decision) {
    static const char *const open[] = {"0.0.0.0:80", "[::]:80", "192.168.1.2:80", "[fe80::1]:80"};
    static const char *const closed[] = {"127.0.0.1:80", "127.9.9.9:80", "[::1]:80", "localhost:80",
                                         "[::ffff:127.0.0.1]:80"};

    for (int i = 0; i < COUNT_OF(open); i++) {
        set_environment(NULL, NULL);
        ck_assert_msg(!parse(&config, error, "--listen", open[i], NULL), "%s", open[i]);
        ck_assert_ptr_nonnull(strstr(error, "--insecure"));
        ck_assert_ptr_nonnull(strstr(error, "--token-file"));
        ck_assert(parse(&config, error, "--listen", open[i], "--insecure"));
        ck_assert(parse(&config, error, "--listen", open[i], "--health-check"));
        set_environment("GJKD_INSECURE=1", NULL);
        ck_assert(parse(&config, error, "--listen", open[i], NULL));
    }
    set_environment(NULL, NULL);
    for (int i = 0; i < COUNT_OF(closed); i++)
        ck_assert_msg(parse(&config, error, "--listen", closed[i], NULL), "%s", closed[i]);
}
END_TEST

START_TEST(hosts_add_up) {
    set_environment(NULL, NULL);
    ck_assert(parse(&config, error, "--allowed-host=a.example,B", "--allowed-host", "c"));
    ck_assert_uint_eq(config.allowed_hosts.count, 3);
    ck_assert_str_eq(config.allowed_hosts.names[1], "B");
    ck_assert(gjkd_host_allowed("A.Example:8080", &config.allowed_hosts));
}
END_TEST

START_TEST(actions_and_help) {
    set_environment("GJKD_IO_THREADS=x", NULL);
    ck_assert(parse(&config, error, "--version", NULL, NULL));
    ck_assert_int_eq(config.action, GJKD_SHOW_VERSION);
    ck_assert(parse(&config, error, "--help", NULL, NULL));
    ck_assert_int_eq(config.action, GJKD_SHOW_HELP);
    char *help = gjkd_config_help();
    ck_assert_ptr_nonnull(help);
    ck_assert_ptr_nonnull(strstr(help, "--drain-timeout TIME"));
    ck_assert_ptr_nonnull(strstr(help, "GJKD_DRAIN_TIMEOUT"));
    free(help);
}
END_TEST

Suite *server_config_suite(void) {
    const TTest *const tests[] = {defaults,     flags_in_both_forms, flag_beats_environment,
                                  times,        mistakes_are_named,  exposure_needs_a_decision,
                                  hosts_add_up, actions_and_help};
    return test_suite("config", tests, COUNT_OF(tests));
}
