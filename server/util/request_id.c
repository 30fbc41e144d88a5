/* Generated ids count up from a random 64-bit number for each thread: no lock, and the order of a
 * thread's requests is visible. */

#include "util/request_id.h"

#include <stdint.h>
#include <string.h>
#include <sys/random.h>

bool gjkd_is_request_id(const char *text) {
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                  "._~:@/+=-";
    size_t length = strspn(text, allowed);
    return length > 0 && length <= GJKD_REQUEST_ID_BYTES_MAX && text[length] == '\0';
}

void gjkd_request_id_make(char id[GJKD_REQUEST_ID_FRESH_MAX]) {
    static _Thread_local uint64_t next;
    static _Thread_local bool started;
    if (!started) {
        /* Without random bytes of the kernel ids are not unique; nothing else depends on them. */
        started = getrandom(&next, sizeof next, 0) == (ssize_t)sizeof next;
    }
    uint64_t number = next++;
    for (int i = GJKD_REQUEST_ID_FRESH_MAX - 2; i >= 0; i--, number >>= 4) {
        id[i] = "0123456789abcdef"[number & 15];
    }
    id[GJKD_REQUEST_ID_FRESH_MAX - 1] = '\0';
}
