/* Routing, by a linear search of the table of operations: paths are few and differ early. */

#include "request/operations.h"

#include <stdio.h>
#include <string.h>

/* Returns true if path matches the pattern. *variable is the first segment that braces matched. */
static bool has_form(const gjkd_path *path, const char *pattern, gjkd_segment *variable) {
    *variable = (gjkd_segment){NULL, 0};
    for (unsigned i = 0; i < path->count; i++) {
        const gjkd_segment *segment = &path->segments[i];
        if (*pattern != '/') {
            return false;
        }
        pattern++;
        size_t length = 0;
        if (pattern[0] == '{') {
            length = strcspn(pattern, "/");
            if (segment->length == 0) {
                return false;
            }
            if (variable->text == NULL) {
                *variable = *segment;
            }
        } else {
            while (length < segment->length && pattern[length] == segment->text[length] &&
                   pattern[length] != '/') {
                length++;
            }
            if (length < segment->length) {
                return false;
            }
        }
        pattern += length;
    }
    return *pattern == '\0';
}

void gjkd_route_find(gjkd_method method, const gjkd_path *path, gjkd_match *out) {
    gjkd_method wanted = method == GJKD_HEAD ? GJKD_GET : method;
    gjkd_segment variable;
    out->operation = NULL;
    out->route = GJKD_ROUTE_NONE;
    out->variable = (gjkd_segment){NULL, 0};
    out->allow[0] = '\0';
    for (unsigned i = 0; i < gjkd_operation_count; i++) {
        if (!has_form(path, gjkd_operations[i].path, &variable)) {
            continue;
        }
        if (out->route == GJKD_ROUTE_NONE) {
            out->route = i; /* a path's number is its first row */
            out->variable = variable;
        }
        if (gjkd_operations[i].method == wanted) {
            out->operation = &gjkd_operations[i];
            out->allow[0] = '\0';
            return;
        }
        size_t used = strlen(out->allow);
        snprintf(out->allow + used, GJKD_ALLOW_MAX - used, "%s%s%s", used > 0 ? ", " : "",
                 gjkd_method_text(gjkd_operations[i].method),
                 gjkd_operations[i].method == GJKD_GET ? ", HEAD" : "");
    }
}

const char *gjkd_route_label(unsigned route) {
    return route < gjkd_operation_count ? gjkd_operations[route].path : "none";
}
