#ifndef GJKD_LOG_H
#define GJKD_LOG_H

/* One line for the operator, on standard error, with the daemon's name before it. */
void gjkd_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
