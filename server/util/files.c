/* Linear search: there are about twenty files. */

#include "util/files.h"

#include "util/log.h"

#include <string.h>
#include <sys/stat.h>

const struct gjkd_file *gjkd_file_find(const char *name) {
    for (size_t i = 0; i < gjkd_file_count; i++) {
        if (strcmp(gjkd_files[i].name, name) == 0) {
            return &gjkd_files[i];
        }
    }
    return NULL;
}

/* Checks the permission bits of the open file, so that the file read is the file checked. */

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
