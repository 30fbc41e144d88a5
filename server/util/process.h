#ifndef GJKD_UTIL_PROCESS_H
#define GJKD_UTIL_PROCESS_H

/* What the system says of this process: the metrics that every Prometheus client has. */

#include <stdio.h>

/* process_*, in the text format of Prometheus; what the system does not tell is left out. */
void gjkd_process_print(FILE *out);

#endif
