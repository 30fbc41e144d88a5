/* Formats without printf, because every request needs it: four doubles would cost more than the
 * geometry of a small query. */

#include "util/timing.h"

#include <string.h>
#include <time.h>

int64_t gjkd_timing_thread_ns(void) {
    struct timespec time;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static char *put_count(char *at, uint64_t count) {
    at = count >= 10 ? put_count(at, count / 10) : at;
    *at++ = (char)('0' + count % 10);
    return at;
}

/* Writes microseconds as milliseconds with three decimals. Returns the end. */
static char *put_ms(char *at, uint64_t us) {
    at = put_count(at, us / 1000);
    *at++ = '.';
    *at++ = (char)('0' + us / 100 % 10);
    *at++ = (char)('0' + us / 10 % 10);
    *at++ = (char)('0' + us % 10);
    return at;
}

static char *put_entry(char *at, const char *name, uint64_t from_ns, uint64_t to_ns) {
    if (from_ns == 0 || to_ns < from_ns) {
        return at;
    }
    size_t length = strlen(name);
    memcpy(at, name, length);
    return put_ms(at + length, (to_ns - from_ns) / 1000);
}

void gjkd_timing_format(const gjkd_timing *timing, char text[GJKD_TIMING_TEXT_MAX]) {
    char *at = text;
    uint64_t running_ns = timing->decoded_ns != 0 ? timing->decoded_ns : timing->begun_ns;
    at = put_entry(at, ", queue;dur=", timing->complete_ns, timing->begun_ns);
    at = put_entry(at, ", decode;dur=", timing->begun_ns, timing->decoded_ns);
    at = put_entry(at, ", run;dur=", running_ns, timing->ended_ns);
    at = put_entry(at, ", total;dur=", timing->started_ns, timing->ended_ns);
    *at = '\0';
    if (at > text) {
        memmove(text, text + 2, (size_t)(at - text) - 1);
    }
}
