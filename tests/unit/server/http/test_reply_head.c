/* Is a head that we write what RFC 9112 wants, and never more than there is room for? */

#include <microhttpd.h>
#include <stdio.h>
#include <string.h>

#include "http/response.h"
#include "test_server.h"

static char text[GJKD_REPLY_HEAD_MAX];

static struct MHD_Response *response(void) {
    return MHD_create_response_from_buffer(0, text, MHD_RESPMEM_PERSISTENT);
}

TEST(all_that_a_head_has) {
    struct MHD_Response *reply = response();
    char weekday[4], month[4];
    int day, year, hour, minute, second, end = 0;

    MHD_add_response_header(reply, "Connection", "close");
    MHD_add_response_header(reply, "X-Request-Id", "r-1");
    ck_assert_uint_eq(gjkd_reply_head(text, 504, reply, 17), strlen(text));
    ck_assert_int_eq(sscanf(text,
                            "HTTP/1.1 504 Gateway Timeout\r\nDate: %3s, %2d %3s %4d %2d:%2d:%2d "
                            "GMT%n",
                            weekday, &day, month, &year, &hour, &minute, &second, &end),
                     7);
    ck_assert_int_ge(year, 2024);
    ck_assert_str_eq(text + end, "\r\nConnection: close\r\nX-Request-Id: r-1\r\n"
                                 "Content-Length: 17\r\n\r\n");
    MHD_destroy_response(reply);
}

TEST(as_long_as_there_is_room) {
    struct MHD_Response *reply = response();
    size_t others = gjkd_reply_head(text, 404, reply, 0) + strlen("X: \r\n");
    char value[GJKD_REPLY_HEAD_MAX];

    MHD_destroy_response(reply);
    for (size_t over = 0; over < 3; over++) { /* the NUL is the last that has room */
        size_t length = GJKD_REPLY_HEAD_MAX - 2 - others + over;
        reply = response();
        memset(value, 'v', length);
        value[length] = '\0';
        MHD_add_response_header(reply, "X", value);
        ck_assert_uint_eq(gjkd_reply_head(text, 404, reply, 0), over < 2 ? others + length : 0);
        MHD_destroy_response(reply);
    }
}
