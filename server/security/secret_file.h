#ifndef GJKD_SECURITY_SECRET_FILE_H
#define GJKD_SECURITY_SECRET_FILE_H

/* Files that only the daemon's user should be able to read. */

#include <stdio.h>

/* Opens the file for reading and logs a warning if its group or others may read, write or execute
 * it. NULL: errno says why. */
FILE *gjkd_secret_file_open(const char *name);

#endif
