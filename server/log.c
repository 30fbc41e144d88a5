/* Where does the daemon speak to its operator? Standard output belongs to the ready line. */

#include "log.h"

#include <stdarg.h>
#include <stdio.h>

void gjkd_log(const char *format, ...) {
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    fprintf(stderr, "gjkd: %s\n", line); /* one call, so that lines of threads do not mix */
}
