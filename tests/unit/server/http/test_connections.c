/* Which connections does a sweep end, at which moment, and which sides of them? */

#include <sys/socket.h>
#include <unistd.h>

#include "http/connections.h"
#include "test_server.h"

static struct gjkd_connections connections;
static struct gjkd_connection *entry;
static int ends[2]; /* ours and the client's */

static void start(gjkd_progress progress) {
    connections = (struct gjkd_connections){0};
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    entry = gjkd_connections_add(&connections, ends[0]);
    ck_assert_ptr_nonnull(entry);
    entry->overdue_ns = 1000;
    gjkd_connections_set_progress(&connections, entry, progress);
}

static void finish(void) {
    gjkd_connections_remove(&connections, entry);
    ck_assert_uint_eq(connections.count, 0);
    ck_assert_uint_eq(connections.fresh, 0);
    ck_assert(LIST_EMPTY(&connections.list));
    close(ends[0]);
    close(ends[1]);
}

static bool reads_end(int fd) {
    char byte;
    return recv(fd, &byte, 1, 0) == 0;
}

static bool can_write(int fd) {
    return send(fd, "x", 1, MSG_NOSIGNAL) == 1;
}

TEST(what_is_overdue_ends) {
    static const struct {
        gjkd_progress progress;
        bool ends, writes; /* when overdue: is it ended, and may the answer still be written? */
    } rows[] = {
        {GJKD_IDLE, true, true},       {GJKD_HEAD_DUE, true, true}, {GJKD_BODY_DUE, false, true},
        {GJKD_ANSWERING, false, true}, {GJKD_SENDING, true, false}, {GJKD_LINGERING, true, true},
    };
    for (int i = 0; i < COUNT_OF(rows); i++) {
        start(rows[i].progress);
        for (uint64_t now = 999; now <= 1000; now++) {
            gjkd_connections_sweep(&connections, now);
            ck_assert_msg(!reads_end(ends[0]), "row %d ended at %d", i, (int)now);
        }
        gjkd_connections_sweep(&connections, 1001);
        ck_assert_msg(reads_end(ends[0]) == rows[i].ends, "row %d", i);
        ck_assert_msg(can_write(ends[0]) == rows[i].writes, "row %d", i);
        finish();
    }
}

TEST(whose_client_is_gone_ends) {
    static const gjkd_progress due[] = {GJKD_IDLE, GJKD_HEAD_DUE, GJKD_BODY_DUE, GJKD_LINGERING};
    for (int i = 0; i < COUNT_OF(due); i++) {
        start(due[i]);
        ck_assert(can_write(ends[1]));
        shutdown(ends[1], SHUT_WR);
        gjkd_connections_sweep(&connections, 1);
        ck_assert(!reads_end(ends[0])); /* first what it sent */
        gjkd_connections_sweep(&connections, 1);
        ck_assert(reads_end(ends[0]));
        finish();
    }
}

TEST(while_closing_idle_ones_end) {
    start(GJKD_BODY_DUE);
    connections.closing = true;
    gjkd_connections_sweep(&connections, 1);
    ck_assert(!reads_end(ends[0]));
    gjkd_connections_set_progress(&connections, entry, GJKD_IDLE);
    ck_assert(reads_end(ends[0]));
    finish();
    start(GJKD_IDLE);
    ck_assert_uint_eq(connections.fresh, 1);
    connections.closing = true;
    gjkd_connections_sweep(&connections, 1);
    ck_assert(reads_end(ends[0]));
    finish();
}

TEST(only_the_one_that_is_meant) {
    start(GJKD_HEAD_DUE);
    int others[2];
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, others), 0);
    struct gjkd_connection *other = gjkd_connections_add(&connections, others[0]);
    other->overdue_ns = 5000;
    ck_assert_uint_eq(connections.count, 2);
    gjkd_connections_sweep(&connections, 2000);
    ck_assert(reads_end(ends[0]) && !reads_end(others[0]));
    gjkd_connections_remove(&connections, other);
    close(others[0]);
    close(others[1]);
    finish();
}
