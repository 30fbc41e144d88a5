#ifndef HTTP_ANSWERS_H
#define HTTP_ANSWERS_H

/* Is what came back on a connection HTTP, and such as gjkd may answer? */

#include <stdbool.h>
#include <stddef.h>

/*
 * data: all that was received, from the first byte to the end of the connection. has_head: one of
 * the requests may have been HEAD, whose answer tells of a body that does not come. NULL when it
 * is a sequence of whole answers, or nothing; else what is wrong with it. No worker is at it.
 */
const char *http_answers_fault(const char *data, size_t size, bool has_head);

#endif
