/* What do flags and environment say, which one wins, and how are mistakes told? */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/config.h"
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
    char texts[3][128];
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
static char error[GJKD_ERROR_MAX];

TEST(defaults) {
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

TEST(flags_in_both_forms) {
    set_environment(NULL, NULL);
    ck_assert(parse(&config, error, "--io-threads", "3", "--demo"));
    ck_assert_uint_eq(config.io_threads, 3);
    ck_assert(config.demo);
    ck_assert(parse(&config, error, "--io-threads=2", "--demo=false", "--max-body=1000"));
    ck_assert_uint_eq(config.io_threads, 2);
    ck_assert(!config.demo);
    ck_assert_uint_eq(config.max_body_bytes, 1000);
}

TEST(flag_beats_environment) {
    set_environment("GJKD_WORKERS=7", "GJKD_MAX_BODY=5");
    ck_assert(parse(&config, error, "--workers", "3", NULL));
    ck_assert_uint_eq(config.workers, 3);
    ck_assert_uint_eq(config.max_body_bytes, 5);
    /* An environment that a flag overrides is not even judged; an empty one counts as unset. */
    set_environment("GJKD_WORKERS=many", "GJKD_MAX_BODY=");
    ck_assert(parse(&config, error, "--workers", "3", NULL));
    ck_assert_uint_eq(config.max_body_bytes, 16777216);
}

TEST(times) {
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

TEST(mistakes_are_named) {
    static const struct {
        const char *a, *b, *chunk;
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
        {"--max-bdy", "5", "did you mean \"--max-body\"?"},
        {"--max-body", "2G", "--max-body: \"2G\" is not a number of bytes from 1 to 1073741824"},
        {"--max-body", "16MiB", "--max-body:"},
        {"--max-body", "17592186044416T", "--max-body:"},
        {"--nats", "nats://me:secret@x", "--cluster is missing"},
        {"--cluster", "a", "--nats is missing"},
        {"--cluster", "", "--cluster: a name has 1 to"},
        {"--node", "", "--node: a name has 1 to"},
        {"--nats", "", "--nats: no server is named; give one URL, such as nats://"},
        {"--nats", " ,", "--nats: no server is named"},
        {"--node", "a",
         "--node has no effect without --nats and --cluster: add what is missing, "
         "or leave --node (GJKD_NODE) out"},
        {"--replicas", "3", "--replicas has no effect without --nats and --cluster"},
        {"--nats-creds", "x", "leave --nats-creds (GJKD_NATS_CREDS) out"},
        {"--nats-ca", "x", "--nats-ca has no effect without --nats and --cluster"},
        {"--replicas", "6", "--replicas: \"6\" is not a whole number from 0 to 5"},
        {"--log-level", "loud", "--log-level: \"loud\" is not error|warning|info|debug"},
        {"--log-level", "inf", "--log-level:"},
        {"--log-format", "xml", "--log-format: \"xml\" is not text|json"},
        {"--cors-origin", "https://A.example", "--cors-origin: \"https://A.example\" is not"},
        {"--trusted-proxy", "10.0.0.1/8", "no bits set behind its prefix"},
        {"--token-file", "", "--token-file:"},
        {"--tls-cert", "x", "--tls-key is missing"},
        {"--tls-key", "x", "--tls-cert is missing"},
        {"--rate-limit-per-token", "5", "needs --token-file"},
        {"--config", "/nonexistent/gjkd.conf", "cannot read the configuration /nonexistent"},
    };

    set_environment(NULL, NULL);
    for (int i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_msg(!parse(&config, error, rows[i].a, rows[i].b, NULL), "%s", rows[i].a);
        ck_assert_msg(strstr(error, rows[i].chunk) != NULL, "\"%s\" lacks \"%s\"", error,
                      rows[i].chunk);
    }
    set_environment("GJKD_IO_THREADS=x", NULL);
    ck_assert(!parse(&config, error, NULL, NULL, NULL));
    ck_assert_ptr_nonnull(strstr(error, "GJKD_IO_THREADS: \"x\""));
    set_environment("GJKD_NODE=a", NULL);
    ck_assert(!parse(&config, error, "--check-config", NULL, NULL));
    ck_assert_ptr_nonnull(strstr(error, "--node has no effect"));
    ck_assert(parse(&config, error, "--health-check", NULL, NULL));
    set_environment(NULL, NULL);
    ck_assert(parse(&config, error, "--replicas", "0", NULL));
    ck_assert(parse(&config, error, "--nats=nats://x", "--cluster=a", "--node=b"));
}

TEST(exposure_needs_a_decision) {
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

TEST(hosts_add_up) {
    set_environment(NULL, NULL);
    ck_assert(parse(&config, error, "--allowed-host=a.example,B", "--allowed-host", "c"));
    ck_assert_uint_eq(config.allowed_hosts.count, 3);
    ck_assert_str_eq(config.allowed_hosts.names[1], "B");
    ck_assert(gjkd_host_allowed("A.Example:8080", &config.allowed_hosts));
}

TEST(actions_and_help) {
    set_environment("GJKD_IO_THREADS=x", NULL);
    ck_assert(parse(&config, error, "--version", NULL, NULL));
    ck_assert_int_eq(config.action, GJKD_SHOW_VERSION);
    ck_assert(parse(&config, error, "--help", NULL, NULL));
    ck_assert_int_eq(config.action, GJKD_SHOW_HELP);
    char *help = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&help, &size);
    gjkd_config_help(out);
    fclose(out);
    ck_assert_ptr_nonnull(strstr(help, "--drain-timeout TIME"));
    ck_assert_ptr_nonnull(strstr(help, "how long SIGTERM waits for answers (10s)"));
    free(help);
}

TEST(numbers_within_their_limits) {
    set_environment(NULL, NULL);
    for (unsigned i = 0; i < GJKD_SETTING_COUNT; i++) {
        const struct gjkd_setting *setting = &gjkd_settings[i];
        const uint64_t *field =
            (const uint64_t *)(const void *)((const char *)&config + setting->offset);
        const uint64_t values[] = {setting->min - 1, setting->min, setting->min + 1,
                                   setting->max - 1, setting->max, setting->max + 1};
        bool time = setting->kind == &gjkd_kind_time;
        if (!time && setting->kind != &gjkd_kind_count && setting->kind != &gjkd_kind_bytes)
            continue;
        for (int j = 0; j < COUNT_OF(values); j++) {
            char text[64];
            bool fits = values[j] >= setting->min && values[j] <= setting->max;
            snprintf(text, sizeof text, "%llu%s", (unsigned long long)values[j], time ? "ms" : "");
            memset(&config, 0, sizeof config);
            ck_assert_msg(gjkd_setting_parse(setting, &config, "x", text, error) == fits, "%s %s",
                          setting->name, text);
            ck_assert_msg(!fits || *field == values[j], "%s %s", setting->name, text);
        }
    }
}

TEST(units) {
    static const struct {
        const char *text;
        uint64_t bytes;
    } rows[] = {{"1", 1}, {"1K", 1024}, {"16M", 16777216}, {"1G", 1073741824}};

    set_environment(NULL, NULL);
    for (int i = 0; i < COUNT_OF(rows); i++) {
        ck_assert(parse(&config, error, "--max-body", rows[i].text, NULL));
        ck_assert_uint_eq(config.max_body_bytes, rows[i].bytes);
    }
    ck_assert(parse(&config, error, "--log-level", "warn", NULL));
    ck_assert_uint_eq(config.log_level, GJKD_LOG_WARNING);
    ck_assert(parse(&config, error, "--log-format=json", "--log-level=debug", NULL));
    ck_assert_uint_eq(config.log_level, GJKD_LOG_DEBUG);
    ck_assert_uint_eq(config.log_format, GJKD_LOG_JSON);
}

/* Writes a file of that text and parses `--config FILE a b`. */
static bool parse_file(const char *text, const char *a) {
    char name[] = "/tmp/gjkd-test-XXXXXX";
    int fd = mkstemp(name);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    bool fine = parse(&config, error, "--config", name, a);
    unlink(name);
    return fine;
}

TEST(a_file_is_beaten_by_all) {
    static const char text[] = "# a comment\n\nmax-body = 11\nworkers=12 ; another\n"
                               "allowed-host = a.example\nallowed-host = b.example, c\n"
                               "max-jobs = 13\naccess-log = yes\n";

    set_environment("GJKD_MAX_JOBS=23", NULL);
    ck_assert_msg(!parse_file(text, NULL), "a blank is no part of a host name");
    ck_assert_ptr_nonnull(strstr(error, "line 6: allowed-host: \" c\""));
    ck_assert_msg(parse_file("max-body = 11\nworkers=12 ; another\nmax-jobs = 13\n"
                             "allowed-host = a\nallowed-host = b,c\naccess-log=yes",
                             "--workers=22"),
                  "%s", error);
    ck_assert_uint_eq(config.max_body_bytes, 11);
    ck_assert_uint_eq(config.workers, 22);
    ck_assert_uint_eq(config.max_jobs, 23);
    ck_assert_uint_eq(config.allowed_hosts.count, 3);
    ck_assert(config.access_log);
    /* A list of a flag takes the place of the file's. */
    ck_assert(parse_file("allowed-host = a\nallowed-host = b\n", "--allowed-host=c"));
    ck_assert_uint_eq(config.allowed_hosts.count, 1);
    ck_assert_str_eq(config.allowed_hosts.names[0], "c");
}

TEST(comments_end_a_line) {
    static const struct {
        const char *text, *value;
    } rows[] = {
        {"token-file = /a/b # the tokens\n", "/a/b"},
        {"token-file = /a/b\t#the tokens", "/a/b"},
        {"token-file = /a/b ; the tokens # of all\n", "/a/b"},
        {"token-file = /a/b # the tokens ; of all\n", "/a/b"},
        {"token-file = /a#b;c\n", "/a#b;c"},
        {"token-file = /a b\n", "/a b"},
        {"#token-file = /a\n  # token-file = /a\n;token-file = /a\ntoken-file=/b", "/b"},
    };

    set_environment(NULL, NULL);
    for (int i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_msg(parse_file(rows[i].text, NULL), "row %d: %s", i, error);
        ck_assert_str_eq(config.token_file, rows[i].value);
    }
}

TEST(mistakes_of_a_file_are_placed) {
    static char long_line[5000];
    static const struct {
        const char *text, *chunk;
    } rows[] = {
        {"max-body = 1\n\nmax-bdy = 2\n",
         ", line 3: there is no setting \"max-bdy\"; did you mean \"max-body\"?"},
        {"frobnicate = 2\n", ", line 1: there is no setting \"frobnicate\""},
        {"max-body = 0\n", ", line 1: max-body: \"0\" is not"},
        {"max-body =\n", ", line 1: max-body: \"\" is not"},
        {"max-body\n", ", line 1: this is not `name = value`"},
        {"max-body = 1\nmax-body = 1\n", ", line 2: \"max-body\" stands twice"},
        {"max-body = 1\n[limits]\nworkers = 1\n", ", line 2: there are no sections"},
        {"[limits]\n", ", line 1: there are no sections"},
        {"max-body = 1\n \t[]\nworkers = 1\n", ", line 2: there are no sections"},
        {"[limits\n", ", line 1: there are no sections"},
        {"max-body = 1 [limits]\n", ", line 1: max-body: \"1 [limits]\" is not"},
        {"max-body # = 1\n", ", line 1: this is not `name = value`"},
        {"max-body = 1#M\n", ", line 1: max-body: \"1#M\" is not"},
        {"token-file = a#b #c ;d\nmax-body = x", ", line 2: max-body: \"x\""},
        {"config = other\n", ", line 1: \"config\" has no place in a file"},
        {"help = yes\n", ", line 1: \"help\" has no place in a file"},
        {"replicas = 6\n", ", line 1: replicas: \"6\" is not"},
        {long_line, ", line 1: the line is too long"},
    };

    memset(long_line, ' ', sizeof long_line - 1);
    set_environment(NULL, NULL);
    for (int i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_msg(!parse_file(rows[i].text, NULL), "row %d", i);
        ck_assert_msg(strstr(error, rows[i].chunk) != NULL, "row %d: \"%s\" lacks \"%s\"", i, error,
                      rows[i].chunk);
    }
}

static char *printed(void) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    gjkd_config_print(&config, out);
    fclose(out);
    return text;
}

TEST(what_is_printed_can_be_read) {
    set_environment("GJKD_TRUSTED_PROXY=10.0.0.0/8,fd00::/8,192.0.2.1",
                    "GJKD_ALLOWED_HOST=a.example,b");
    ck_assert_msg(parse_file("request-timeout = 1500ms\nmax-memory = 3G\n", "--io-threads=3"), "%s",
                  error);
    char *text = printed();
    ck_assert_ptr_nonnull(strstr(text, "io-threads = 3  ; flag\n"));
    ck_assert_ptr_nonnull(strstr(text, "request-timeout = 1500ms  ; file /tmp/gjkd-test-"));
    ck_assert_ptr_nonnull(strstr(text, "max-memory = 3221225472  ; file /tmp/gjkd-test-"));
    ck_assert_ptr_nonnull(strstr(text, "trusted-proxy = 10.0.0.0/8,fd00::/8,192.0.2.1  ; "
                                       "environment GJKD_TRUSTED_PROXY\n"));
    ck_assert_ptr_nonnull(strstr(text, "max-body = 16777216  ; default\n"));
    ck_assert_ptr_nonnull(strstr(text, "; token-file =   ; default\n"));
    set_environment(NULL, NULL);
    ck_assert_msg(parse_file(text, NULL), "%s", error);
    char *again = printed();
    /* The same values, whatever their source. */
    for (char *a = text, *b = again; *a != '\0'; a = strchr(a, '\n') + 1, b = strchr(b, '\n') + 1) {
        size_t length = (size_t)(strstr(a, "  ; ") - a);
        ck_assert_msg(strncmp(a, b, length + 4) == 0, "%.80s != %.80s", a, b);
    }
    free(text);
    free(again);
}

TEST(every_name_can_be_suggested) {
    for (unsigned i = 0; i < GJKD_SETTING_COUNT; i++)
        ck_assert_uint_lt(strlen(gjkd_settings[i].name), 32); /* or it is never suggested */
}
