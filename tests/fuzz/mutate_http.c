/*
 * How do mutated bodies stay bodies? Most changes of a request leave its Content-Length wrong, and
 * then nothing of the body is looked at. So mostly the length of the last request is put right
 * after libFuzzer has had its way.
 */

#define _GNU_SOURCE /* memmem */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PREFIX_BYTES 4 /* fuzz_http.c */

/* libFuzzer declares neither. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t size_max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t size_max, unsigned seed);

static uint8_t *find_last(uint8_t *data, size_t size, const char *text) {
    uint8_t *last = NULL;
    uint8_t *at = data;
    while ((at = memmem(at, size - (size_t)(at - data), text, strlen(text))) != NULL)
        last = at++;
    return last;
}

/* In as many digits as stand there. */
static void put_length_right(uint8_t *data, size_t size) {
    static const char name[] = "Content-Length: ";
    uint8_t *digits = find_last(data, size, name);
    if (digits == NULL)
        return;
    const uint8_t *end = memmem(digits, size - (size_t)(digits - data), "\r\n\r\n", 4);
    if (end == NULL)
        return;
    size_t length = size - (size_t)(end + 4 - data);
    digits += sizeof name - 1;
    size_t count = 0;
    while (digits + count < end && digits[count] >= '0' && digits[count] <= '9')
        count++;
    for (; count > 0; count--) {
        digits[count - 1] = (uint8_t)('0' + length % 10);
        length /= 10;
    }
}

/* Appends copies of the first record (http_streams.h), up to a thousand. */
static size_t repeat_record(uint8_t *data, size_t size, size_t size_max) {
    const size_t first = PREFIX_BYTES;
    const size_t length = size >= first + 2 ? 2 + (size_t)data[first + 1] : 0;
    if (length == 0 || first + length > size)
        return size;
    for (int i = 0; i < 1000 && size + length <= size_max; i++) {
        memcpy(data + size, data + first, length);
        size += length;
    }
    return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t size_max, unsigned seed) {
    size = LLVMFuzzerMutate(data, size, size_max);
    const bool is_stream =
        size > 0 && (data[0] & 8) != 0; /* its frames have lengths of their own */
    if (seed % 8 != 0 && !is_stream)
        put_length_right(data, size);
    if (seed % 16 == 1 && is_stream)
        size = repeat_record(data, size, size_max);
    return size;
}
