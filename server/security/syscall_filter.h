#ifndef GJKD_SECURITY_SYSCALL_FILTER_H
#define GJKD_SECURITY_SYSCALL_FILTER_H

/*
 * From now on the calling thread, and threads that it starts, can make only the system calls that a
 * running daemon needs; any other one fails with ENOSYS, as on an older kernel, for which libraries
 * have a substitute. No program can be executed, no process started, no memory made executable, and
 * no connection opened; `stores`: but files can be written to and removed; `connects`: but connections
 * can be opened. False: the kernel has no seccomp, and errno says why; nothing has changed.
 */

#include <stdbool.h>

bool gjkd_syscall_filter_install(bool stores, bool connects);

#endif
