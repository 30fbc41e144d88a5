/*
 * Which operation does a request ask for? A walk down the table; the paths are few and
 * differ early.
 */

#include "request/operations.h"

#include "handlers/handlers.h"

#include <stdio.h>
#include <string.h>

#define QUERY (GJKD_TAKES_BODY | GJKD_READS_SET)
#define HOT (QUERY | GJKD_TAKES_COLUMNS | GJKD_ANSWERS_COLUMNS)
#define PATCH (GJKD_TAKES_BODY | GJKD_TAKES_PATCH)
#define PAGE (GJKD_PARAM_PREFIX | GJKD_PARAM_LIMIT | GJKD_PARAM_CURSOR)

/* clang-format off */
static const struct gjkd_operation operations[] = {
    /* Queries: the hot ones first. */
    {GJKD_POST, "/v1/sets/{set}/detect", "detectInSet", "Do shapes collide, and how deep?",
     gjkd_handle_detect, HOT, 0, GJKD_COST_DETECT},
    {GJKD_POST, "/v1/sets/{set}/distance", "distanceInSet", "How far apart are shapes?",
     gjkd_handle_distance, HOT, 0, GJKD_COST_DISTANCE},
    {GJKD_POST, "/v1/sets/{set}/raycast", "raycastInSet", "What does a ray hit?",
     gjkd_handle_raycast, HOT, 0, GJKD_COST_RAYCAST},
    {GJKD_POST, "/v1/sets/{set}/cast", "castInSet", "What does a moving shape touch first?",
     gjkd_handle_cast, QUERY, 0, GJKD_COST_CAST},
    {GJKD_POST, "/v1/sets/{set}/batch", "batchInSet",
     "Many queries at once, answered by one version.",
     gjkd_handle_batch, QUERY, 0, GJKD_COST_BATCH},
    {GJKD_POST, "/v1/sets/{set}/hit", "hitInSet",
     "Did this shot hit what it claims, as the world stood then?",
     gjkd_handle_hit, QUERY, 0, GJKD_COST_HIT},
    {GJKD_POST, "/v1/detect", "detect", "Do two inline shapes collide, and how deep?",
     gjkd_handle_detect, GJKD_TAKES_BODY, 0, GJKD_COST_DETECT},
    {GJKD_POST, "/v1/distance", "distance", "How far apart are two inline shapes?",
     gjkd_handle_distance, GJKD_TAKES_BODY, 0, GJKD_COST_DISTANCE},
    {GJKD_POST, "/v1/raycast", "raycast", "Which inline shapes does a ray hit?",
     gjkd_handle_raycast, GJKD_TAKES_BODY, 0, GJKD_COST_RAYCAST},
    {GJKD_POST, "/v1/cast", "cast", "Which inline shape does a moving one touch first?",
     gjkd_handle_cast, GJKD_TAKES_BODY, 0, GJKD_COST_CAST},
    {GJKD_POST, "/v1/batch", "batch", "Many queries about inline shapes at once.",
     gjkd_handle_batch, GJKD_TAKES_BODY, 0, GJKD_COST_BATCH},

    /* Sets. */
    {GJKD_GET, "/v1/sets", "listSets", "The summaries of all sets, page by page.",
     gjkd_handle_list_sets, 0, PAGE, GJKD_COST_LIST},
    {GJKD_GET, "/v1/sets/{set}", "getSet", "A whole set, or its summary.",
     gjkd_handle_get_set, GJKD_READS_SET, GJKD_PARAM_FIELDS, GJKD_COST_READ},
    {GJKD_PUT, "/v1/sets/{set}", "putSet", "Create or replace a set.",
     gjkd_handle_put_set, GJKD_TAKES_BODY, 0, GJKD_COST_WRITE},
    {GJKD_PATCH, "/v1/sets/{set}", "patchSet", "Change a set by a merge patch.",
     gjkd_handle_patch_set, PATCH, 0, GJKD_COST_WRITE},
    {GJKD_DELETE, "/v1/sets/{set}", "deleteSet", "Delete a set.",
     gjkd_handle_delete_set, 0, 0, GJKD_COST_WRITE},
    {GJKD_GET, "/v1/sets/{set}/shapes/{id}", "getShape", 
     "One shape, its handle and the set's revision.",
     gjkd_handle_get_shape, GJKD_READS_SET, 0, GJKD_COST_NONE},
    {GJKD_PUT, "/v1/sets/{set}/shapes/{id}", "putShape", "Store or replace one shape.",
     gjkd_handle_put_shape, GJKD_TAKES_BODY, 0, GJKD_COST_WRITE},
    {GJKD_PATCH, "/v1/sets/{set}/shapes/{id}", "patchShape", "Change one shape by a merge patch.",
     gjkd_handle_patch_shape, PATCH, 0, GJKD_COST_WRITE},
    {GJKD_DELETE, "/v1/sets/{set}/shapes/{id}", "deleteShape", "Remove one shape.",
     gjkd_handle_delete_shape, 0, 0, GJKD_COST_WRITE},
    {GJKD_GET, "/v1/sets/{set}/ticks", "getTicks", "Which ticks does the set keep?",
     gjkd_handle_get_ticks, GJKD_READS_SET, 0, GJKD_COST_NONE},
    {GJKD_GET, "/v1/sets/{set}/ticks/{tick}", "getTick", "Where did everything stand at a tick?",
     gjkd_handle_get_tick, GJKD_READS_SET, 0, GJKD_COST_READ},
    {GJKD_PUT, "/v1/sets/{set}/ticks/{tick}", "putTick", "The state at a game tick.",
     gjkd_handle_put_tick, GJKD_TAKES_BODY | GJKD_TAKES_COLUMNS, 0, GJKD_COST_WRITE},

    /* The daemon itself. */
    {GJKD_GET, "/", "root", "The playground for a browser, links for another client.",
     gjkd_handle_root, GJKD_ANSWERS_ANY | GJKD_OPEN, 0, GJKD_COST_NONE},
    {GJKD_GET, "/playground/{file}", "playground", "A file of the playground.",
     gjkd_handle_playground, GJKD_ANSWERS_ANY | GJKD_OPEN, 0, GJKD_COST_NONE},
    {GJKD_GET, "/v1", "about", "Name, version, limits and links.",
     gjkd_handle_about, 0, 0, GJKD_COST_NONE},
    {GJKD_GET, "/openapi.json", "openapi", "This document.",
     gjkd_handle_openapi, GJKD_ANSWERS_ANY | GJKD_OPEN, 0, GJKD_COST_NONE},
    {GJKD_GET, "/livez", "live", "Is the process alive?",
     gjkd_handle_live, GJKD_ANSWERS_ANY | GJKD_OPEN, 0, GJKD_COST_NONE},
    {GJKD_GET, "/healthz", "health", "The same as /livez.",
     gjkd_handle_live, GJKD_ANSWERS_ANY | GJKD_OPEN, 0, GJKD_COST_NONE},
    {GJKD_GET, "/readyz", "ready", "Does it want new work?",
     gjkd_handle_ready, GJKD_ANSWERS_ANY | GJKD_OPEN, 0, GJKD_COST_NONE},
    {GJKD_GET, "/metrics", "metrics", "Counters in the text format of Prometheus.",
     gjkd_handle_metrics, GJKD_ANSWERS_ANY, 0, GJKD_COST_NONE},
    {GJKD_GET, "/problems/{code}", "explainProblem", "What a problem's code means.",
     gjkd_handle_problem, GJKD_ANSWERS_ANY | GJKD_OPEN, 0, GJKD_COST_NONE},
};
/* clang-format on */

_Static_assert(sizeof operations / sizeof operations[0] == GJKD_OPERATION_COUNT,
               "GJKD_OPERATION_COUNT is the number of rows");

/* Does path have the form of pattern? *variable is the first segment that braces matched. */
static bool has_form(const gjkd_path *path, const char *pattern, gjkd_segment *variable) {
    *variable = (gjkd_segment){NULL, 0};
    for (unsigned i = 0; i < path->count; i++) {
        const gjkd_segment *segment = &path->segments[i];
        if (*pattern != '/') {
            return false;
        }
        pattern++;
        size_t length = strcspn(pattern, "/");
        if (pattern[0] == '{') {
            if (segment->length == 0) {
                return false;
            }
            if (variable->text == NULL) {
                *variable = *segment;
            }
        } else if (segment->length != length || memcmp(segment->text, pattern, length) != 0) {
            return false;
        }
        pattern += length;
    }
    return *pattern == '\0';
}

static void add_method(char allow[GJKD_ALLOW_MAX], gjkd_method method) {
    size_t used = strlen(allow);
    snprintf(allow + used, GJKD_ALLOW_MAX - used, "%s%s%s", used > 0 ? ", " : "",
             gjkd_method_text(method), method == GJKD_GET ? ", HEAD" : "");
}

void gjkd_route_find(gjkd_method method, const gjkd_path *path, gjkd_match *out) {
    gjkd_method wanted = method == GJKD_HEAD ? GJKD_GET : method;
    gjkd_segment variable;
    out->operation = NULL;
    out->route = GJKD_ROUTE_NONE;
    out->variable = (gjkd_segment){NULL, 0};
    out->allow[0] = '\0';
    for (unsigned i = 0; i < GJKD_OPERATION_COUNT; i++) {
        if (!has_form(path, operations[i].path, &variable)) {
            continue;
        }
        if (out->route == GJKD_ROUTE_NONE) {
            out->route = i; /* a path's number is its first row */
            out->variable = variable;
        }
        if (operations[i].method == wanted) {
            out->operation = &operations[i];
            out->allow[0] = '\0';
            return;
        }
        add_method(out->allow, operations[i].method);
    }
}

const char *gjkd_route_label(unsigned route) {
    return route < GJKD_OPERATION_COUNT ? operations[route].path : "none";
}

const struct gjkd_operation *gjkd_operation_at(unsigned i) {
    return &operations[i];
}
