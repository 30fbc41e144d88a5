/* Frames both ways (RFC 6455, section 5.2). */

#define _GNU_SOURCE /* memmem */
#include "http_streams.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char handshake[] = "GET /v1/stream HTTP/1.1\r\nHost: localhost\r\n"
                                "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                                "Sec-WebSocket-Version: 13\r\n"
                                "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";

/* The first byte of a record, beside the opcode. */
enum { IS_PART = 0x10, IS_BARE = 0x20, IS_RESERVED = 0x40, IS_RAW = 0x80 };
enum { FRAME_HEAD_BYTES = 6, ONE_BYTE_LENGTH_MAX = 125 };

/* A record; the frame it makes is at most FRAME_HEAD_BYTES + 2 longer. */
static char *speak_record(char *out, unsigned how, const uint8_t *payload, size_t length) {
    if (how & IS_RAW) {
        memcpy(out, payload, length);
        return out + length;
    }
    const unsigned mask = how & IS_BARE ? 0 : 0x80;
    *out++ = (char)((how & 0x0f) | (how & IS_PART ? 0 : 0x80) | (how & IS_RESERVED ? 0x40 : 0));
    if (length <= ONE_BYTE_LENGTH_MAX) {
        *out++ = (char)(mask | length);
    } else {
        *out++ = (char)(mask | (ONE_BYTE_LENGTH_MAX + 1));
        *out++ = (char)(length >> 8);
        *out++ = (char)length;
    }
    if (mask != 0) {
        memset(out, 0, 4); /* a key that changes nothing */
        out += 4;
    }
    memcpy(out, payload, length);
    return out + length;
}

char *http_streams_speak(const uint8_t *data, size_t size, size_t *length) {
    char *text = malloc(sizeof handshake + size * (FRAME_HEAD_BYTES + 3));
    if (text == NULL)
        return NULL;
    memcpy(text, handshake, sizeof handshake - 1);
    char *out = text + sizeof handshake - 1;
    while (size >= 2) {
        const unsigned how = data[0];
        /* 255 stands for all the rest, so that long messages are found. */
        const size_t left = size - 2;
        const size_t count = data[1] == 255 || data[1] > left ? left : data[1];
        const size_t kept = count < 65536 ? count : 65535;
        out = speak_record(out, how, data + 2, kept);
        data += 2 + count;
        size -= 2 + count;
    }
    *length = (size_t)(out - text);
    return text;
}

/* --- What comes back --- */

static bool is_json(const char *data, size_t length) {
    json_t *json =
        json_loadb(data, length, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL,
                   NULL);
    const bool is_object = json_is_object(json);
    json_decref(json);
    return is_object;
}

/* The length of the frame that data begins with; 0: it is none of a server's. */
static size_t frame_length(const unsigned char *data, size_t size, size_t *payload) {
    if (size < 2 || (data[0] & 0xf0) != 0x80 || (data[1] & 0x80) != 0)
        return 0;
    size_t head = 2;
    uint64_t length = data[1];
    const size_t bytes = length == 126 ? 2 : length == 127 ? 8 : 0;
    if (bytes > 0) {
        if (size < 2 + bytes)
            return 0;
        length = 0;
        for (size_t i = 0; i < bytes; i++)
            length = length << 8 | data[2 + i];
        head += bytes;
        if (length < 126 || (bytes == 8 && length <= UINT16_MAX))
            return 0; /* it fits a shorter form */
    }
    *payload = head;
    return length <= size - head ? head + (size_t)length : 0;
}

const char *http_streams_fault(const char *data, size_t size) {
    static const char begin[] = "HTTP/1.1 101 ";
    const char *end = memmem(data, size, "\r\n\r\n", 4);
    if (size == 0)
        return NULL; /* broken off */
    if (strncmp(data, begin, sizeof begin - 1) != 0 || end == NULL)
        return "the handshake is not answered by 101";
    const unsigned char *at = (const unsigned char *)end + 4;
    size_t left = size - (size_t)((const char *)at - data);
    bool is_closed = false;
    while (left > 0) {
        size_t payload = 0;
        const size_t length = frame_length(at, left, &payload);
        const unsigned opcode = at[0] & 0x0f;
        if (length == 0)
            return "a frame is malformed";
        if (is_closed)
            return "something comes behind the close frame";
        if (opcode == 1 && !is_json((const char *)at + payload, length - payload))
            return "a text is no JSON object";
        if (opcode != 1 && opcode != 2 && opcode != 8 && opcode != 10)
            return "a frame of this kind is not sent";
        is_closed = opcode == 8;
        at += length;
        left -= length;
    }
    return NULL;
}
