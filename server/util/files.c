/* Linear search: there are fewer than ten files. */

#include "util/files.h"

#include <string.h>

const struct gjkd_file *gjkd_file_find(const char *name) {
    for (size_t i = 0; i < gjkd_file_count; i++) {
        if (strcmp(gjkd_files[i].name, name) == 0) {
            return &gjkd_files[i];
        }
    }
    return NULL;
}
