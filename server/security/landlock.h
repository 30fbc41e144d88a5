#ifndef GJKD_SECURITY_LANDLOCK_H
#define GJKD_SECURITY_LANDLOCK_H

/*
 * From now on the calling thread, and threads that it starts, can open nothing of the file system
 * but what is below `paths`, and that for reading only, and below `store` ("": none), where files may
 * be made, written and removed; files that are open stay so. Paths that do not exist are skipped.
 * The process must have no_new_privs. False: the kernel has no Landlock, and errno says why;
 * nothing has changed.
 */

#include <stdbool.h>

bool gjkd_landlock_restrict(const char *const *paths, unsigned count, const char *store);

#endif
