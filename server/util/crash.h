#ifndef GJKD_UTIL_CRASH_H
#define GJKD_UTIL_CRASH_H

/*
 * Crash reports on standard error: the signal, the route of the request that the thread was working
 * on, and a backtrace; then the process dies of the signal as it would have without the handler.
 * The content of requests is never reported.
 */

/* Installs the handlers, except for signals that have one. Call it before threads start. */
void gjkd_crash_install(void);

/* Sets the route of the calling thread (a static text; NULL: none). Returns the previous one. */
const char *gjkd_crash_note_route(const char *route);

#endif
