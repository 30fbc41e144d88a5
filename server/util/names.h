#ifndef GJKD_UTIL_NAMES_H
#define GJKD_UTIL_NAMES_H

/* A short list of names, of hosts or of web origins, as a setting gives it. */

#define GJKD_NAMES_MAX 64
#define GJKD_NAME_BYTES_MAX 255

struct gjkd_names {
    unsigned count;
    char names[GJKD_NAMES_MAX][GJKD_NAME_BYTES_MAX + 1];
};

#endif
