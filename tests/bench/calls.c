/*
 * How many calls a second does one stream carry? A closed loop on one connection: as many calls are
 * kept under way as are asked for, each answer brings the next call.
 *   bench_calls PORT SECONDS UNDER_WAY OPCODE FILE
 * FILE holds the message of a call, OPCODE is 1 for a text and 2 for a binary one. Prints one JSON
 * object: {"answers", "seconds"}.
 */

#include <arpa/inet.h>
#include <err.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MESSAGE_MAX 65000
#define UNDER_WAY_MAX 1024
#define ROOM (1 << 20)

static char room[ROOM];
static size_t have;

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int connect_to(const char *port) {
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)strtoul(port, NULL, 10))};
    const int fd = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        err(1, "cannot connect");
    }
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return fd;
}

static void say(int fd, const char *data, size_t length) {
    while (length > 0) {
        const ssize_t sent = send(fd, data, length, MSG_NOSIGNAL);
        if (sent <= 0) {
            err(1, "cannot send");
        }
        data += sent;
        length -= (size_t)sent;
    }
}

static void receive(int fd) {
    const ssize_t got = recv(fd, room + have, sizeof room - have, 0);
    if (got <= 0) {
        err(1, "the stream has ended");
    }
    have += (size_t)got;
}

static void shake_hands(int fd) {
    static const char request[] = "GET /v1/stream HTTP/1.1\r\nHost: localhost\r\n"
                                  "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                                  "Sec-WebSocket-Version: 13\r\n"
                                  "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
    const char *end;
    say(fd, request, sizeof request - 1);
    do {
        receive(fd);
        room[have] = '\0';
        end = strstr(room, "\r\n\r\n");
    } while (end == NULL);
    if (strncmp(room, "HTTP/1.1 101", 12) != 0) {
        errx(1, "no stream: %.200s", room);
    }
    have = 0; /* nothing was asked yet */
}

/* The message as a frame, masked by a key that changes nothing. */
static size_t make_frame(const char *file, int opcode, char *frame) {
    static char message[MESSAGE_MAX + 1];
    FILE *in = fopen(file, "rb");
    const size_t length = in != NULL ? fread(message, 1, sizeof message, in) : 0;
    if (length == 0 || length > MESSAGE_MAX) {
        errx(1, "%s: no message of up to %d bytes", file, MESSAGE_MAX);
    }
    (void)fclose(in);
    size_t at = 0;
    frame[at++] = (char)(0x80 | opcode);
    if (length < 126) {
        frame[at++] = (char)(0x80 | length);
    } else {
        frame[at++] = (char)(0x80 | 126);
        frame[at++] = (char)(length >> 8);
        frame[at++] = (char)length;
    }
    memset(frame + at, 0, 4);
    memcpy(frame + at + 4, message, length);
    return at + 4 + length;
}

/* Takes whole frames from the room; how many. */
static unsigned take_frames(void) {
    size_t at = 0;
    unsigned count = 0;
    while (have - at >= 2) {
        const unsigned char *frame = (const unsigned char *)room + at;
        const size_t extended = frame[1] == 126 ? 2 : frame[1] == 127 ? 8 : 0;
        uint64_t length = extended == 0 ? frame[1] : 0;
        if (have - at < 2 + extended) {
            break;
        }
        for (size_t i = 0; i < extended; i++) {
            length = length << 8 | frame[2 + i];
        }
        if (have - at < 2 + extended + length) {
            break;
        }
        at += 2 + extended + (size_t)length;
        count++;
    }
    memmove(room, room + at, have - at);
    have -= at;
    return count;
}

int main(int count, char **arguments) {
    static char frames[UNDER_WAY_MAX * 256], frame[MESSAGE_MAX + 16];
    if (count != 6) {
        errx(2, "bench_calls PORT SECONDS UNDER_WAY OPCODE FILE");
    }
    const int fd = connect_to(arguments[1]);
    const double seconds = strtod(arguments[2], NULL);
    const unsigned under_way = (unsigned)strtoul(arguments[3], NULL, 10);
    const size_t length = make_frame(arguments[5], atoi(arguments[4]), frame);
    shake_hands(fd);
    for (unsigned i = 0; i < under_way; i++) {
        say(fd, frame, length);
    }
    const double began = now_s();
    unsigned long long answers = 0;
    while (now_s() - began < seconds) {
        receive(fd);
        const unsigned taken = take_frames();
        answers += taken;
        /* What belongs together goes together, as any client would send it. */
        for (unsigned i = 0, batch = 0; i < taken; i += batch) {
            size_t put = 0;
            for (batch = 0; i + batch < taken && put + length <= sizeof frames; batch++) {
                memcpy(frames + put, frame, length);
                put += length;
            }
            say(fd, put > 0 ? frames : frame, put > 0 ? put : length);
            batch = batch > 0 ? batch : 1;
        }
    }
    printf("{\"answers\": %llu, \"seconds\": %.6f}\n", answers, now_s() - began);
    return 0;
}
