/* Does a log's line stay one line, with the fields it was given and no others? */

#include <string.h>

#include "test_server.h"
#include "util/log.h"

static struct gjkd_log_record line;

static const char *end(void) {
    static char text[GJKD_LOG_RECORD_BYTES_MAX + 1];
    gjkd_log_record_end(&line);
    ck_assert_uint_le(line.length, GJKD_LOG_RECORD_BYTES_MAX);
    memcpy(text, line.text, line.length);
    text[line.length] = '\0';
    return text;
}

TEST(two_forms) {
    for (int json = 0; json < 2; json++) {
        gjkd_log_record_begin(&line, json);
        gjkd_log_record_add_text(&line, "route", "/v1/sets/{set}", 100);
        gjkd_log_record_add_text(&line, "message", "two words", 100);
        gjkd_log_record_add_count(&line, "status", 200);
        gjkd_log_record_add_seconds(&line, "duration", 1234567899);
        ck_assert_str_eq(
            end(), json ? "{\"route\":\"/v1/sets/{set}\",\"message\":\"two words\",\"status\":200,"
                          "\"duration\":1.234567}\n"
                        : "route=/v1/sets/{set} message=\"two words\" status=200 "
                          "duration=1.234567\n");
    }
}

TEST(nothing_is_forged) {
    for (int json = 0; json < 2; json++) {
        gjkd_log_record_begin(&line, json);
        gjkd_log_record_add_text(&line, "id", "a\" x=1\n\r\x1b[2J\\\x7f\xc3\xa9", 100);
        ck_assert_str_eq(end(), json ? "{\"id\":\"a\\\" x=1\\u000a\\u000d\\u001b[2J\\\\\\u007f"
                                       "\\u00c3\\u00a9\"}\n"
                                     : "id=\"a\\\" x=1\\u000a\\u000d\\u001b[2J\\\\\\u007f"
                                       "\\u00c3\\u00a9\"\n");
    }
    gjkd_log_record_begin(&line, false);
    gjkd_log_record_add_text(&line, "a", "b=c", 100);
    gjkd_log_record_add_text(&line, "d", "", 100);
    gjkd_log_record_add_text(&line, "e", "longer", 4);
    ck_assert_str_eq(end(), "a=\"b=c\" d=\"\" e=long\n");
}

/* A field that does not fit is left out whole: at the last byte, and one beyond. */
TEST(lines_end) {
    char value[GJKD_LOG_RECORD_BYTES_MAX];
    memset(value, 'x', sizeof value);
    for (size_t over = 0; over < 2; over++) {
        size_t most = GJKD_LOG_RECORD_BYTES_MAX - 2 - strlen("a=1 b=");
        gjkd_log_record_begin(&line, false);
        gjkd_log_record_add_count(&line, "a", 1);
        gjkd_log_record_add_text(&line, "b", value, most + over);
        gjkd_log_record_add_count(&line, "c", 1);
        const char *text = end();
        ck_assert_uint_eq(strlen(text), over ? strlen("a=1\n") : GJKD_LOG_RECORD_BYTES_MAX - 1);
        ck_assert(text[strlen(text) - 1] == '\n');
    }
    gjkd_log_record_begin(&line, true);
    memset(value, '\n', sizeof value);
    gjkd_log_record_add_count(&line, "a", 1);
    gjkd_log_record_add_text(&line, "b", value, sizeof value);
    ck_assert_str_eq(end(), "{\"a\":1}\n");
}
