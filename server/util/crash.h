#ifndef GJKD_UTIL_CRASH_H
#define GJKD_UTIL_CRASH_H

/*
 * When the process crashes: one message with the signal, the route of the request that the
 * thread was working on, and a backtrace, on standard error; then it dies of the signal as it
 * would have. What the request held is never in it.
 */

/* Before the first thread starts. A handler that somebody else has put is left in place. */
void gjkd_crash_install(void);

/* This thread works on a request of that route (a text that stays), or on none: NULL. Returns
 * what it was before. */
const char *gjkd_crash_note_route(const char *route);

#endif
