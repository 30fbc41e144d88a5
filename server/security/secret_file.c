/* Checks the permission bits of the open file, so that the file read is the file checked. */

#include "security/secret_file.h"

#include "util/log.h"

#include <sys/stat.h>

FILE *gjkd_secret_file_open(const char *name) {
    FILE *file = fopen(name, "re");
    struct stat status;
    if (file != NULL && fstat(fileno(file), &status) == 0 &&
        (status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        gjkd_log(GJKD_LOG_WARNING,
                 "%.200s has mode %04o: others than its owner have access; chmod 600 removes it",
                 name, (unsigned)(status.st_mode & 07777));
    }
    return file;
}
