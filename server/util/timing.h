#ifndef GJKD_UTIL_TIMING_H
#define GJKD_UTIL_TIMING_H

/* The Server-Timing header: how long each part of a request took. */

#include <stdint.h>

/* Times of a request, by uv_hrtime; 0: not reached. */
typedef struct gjkd_timing {
    uint64_t started_ns;  /* the request line was complete */
    uint64_t complete_ns; /* the body was complete */
    uint64_t begun_ns;    /* a loop or a worker began the request */
    uint64_t decoded_ns;  /* the query was decoded */
    uint64_t ended_ns;    /* the answer was complete */
} gjkd_timing;

/* Returns the processor time used by the calling thread, in ns. The call takes about 0.3 us. */
int64_t gjkd_timing_thread_ns(void);

/* Size of a text of four entries, each a name and a number of up to 20 digits with a point. */
#define GJKD_TIMING_TEXT_MAX 160

/*
 * Formats "queue;dur=0.004, decode;dur=0.012, run;dur=0.002, total;dur=0.021", in milliseconds:
 * waiting for a worker, decoding, computing and encoding, and the total since the request line.
 * Entries that do not apply are left out. ended_ns is set.
 */
void gjkd_timing_format(const gjkd_timing *timing, char text[GJKD_TIMING_TEXT_MAX]);

#endif
