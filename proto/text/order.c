/* The order of texts in the lists of filters. */

#include <string.h>

#include "text/text.h"

int proto_compare_texts(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}
