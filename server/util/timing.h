#ifndef GJKD_UTIL_TIMING_H
#define GJKD_UTIL_TIMING_H

/* Where a request's time went, as the Server-Timing header tells it to the client. */

#include <stdint.h>

/* By uv_hrtime; 0: it did not come to that. */
typedef struct gjkd_timing {
    uint64_t started_ns;  /* the request line was there */
    uint64_t complete_ns; /* the body was there */
    uint64_t begun_ns;    /* a loop or a worker took it up */
    uint64_t decoded_ns;  /* the question was understood */
    uint64_t ended_ns;    /* the answer was there */
} gjkd_timing;

/* Four entries, each with a number of up to 20 digits, a point and its name. */
#define GJKD_TIMING_TEXT_MAX 160

/*
 * "queue;dur=0.004, decode;dur=0.012, run;dur=0.002, total;dur=0.021", in milliseconds:
 * waiting for a worker, decoding, computing and encoding, and all since the request line.
 * Entries that do not apply are left out. ended_ns is set.
 */
void gjkd_timing_format(const gjkd_timing *timing, char text[GJKD_TIMING_TEXT_MAX]);

#endif
