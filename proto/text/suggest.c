/*
 * Suggests the known name that was probably meant: the nearest by optimal string alignment distance
 * (Damerau 1964: insertions, deletions, substitutions and transpositions of neighbours), at most 2
 * and less than half the letters, so that short names are not taken for each other.
 */

#include "text/text.h"

#include <stdio.h>
#include <string.h>

#define NAME_BYTES_MAX 32
#define DISTANCE_MAX 2

static size_t min2(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Both shorter than NAME_BYTES_MAX. rows: the distances of prefixes, for the last two letters
 * of a and the present one. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    size_t rows[3][NAME_BYTES_MAX];
    size_t *before_last = rows[0], *last = rows[1], *row = rows[2];

    for (size_t j = 0; j <= b_length; j++) {
        last[j] = j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t replaced = last[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = min2(replaced, min2(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = min2(row[j], before_last[j - 2] + 1);
            }
        }
        size_t *free_row = before_last;
        before_last = last;
        last = row;
        row = free_row;
    }
    return last[b_length];
}

/* Lowers *best and sets *nearest where a name of the list is nearer than the best so far. */
static void look_through(const char *name, const char *const *list, size_t *best,
                         const char **nearest) {
    size_t length = strlen(name);

    if (list == NULL || length >= NAME_BYTES_MAX) {
        return;
    }
    for (; *list != NULL; list++) {
        size_t known_length = strlen(*list);
        size_t longer = length > known_length ? length : known_length;
        size_t distance = edit_distance(name, length, *list, known_length);
        if (distance < *best && 2 * distance < longer) {
            *best = distance;
            *nearest = *list;
        }
    }
}

const char *proto_nearest_name(const char *name, const char *const *known) {
    size_t best = DISTANCE_MAX + 1;
    const char *nearest = NULL;

    look_through(name, known, &best, &nearest);
    return nearest;
}

static void append(char *text, size_t size, const char *const *list) {
    if (list == NULL) {
        return;
    }
    for (; *list != NULL; list++) {
        size_t length = strlen(text);
        snprintf(text + length, size - length, "%s%s", length > 0 ? ", " : "", *list);
    }
}

void proto_suggest(struct proto_problem *problem, const char *what, const char *name,
                   const char *const *known, const char *const *more) {
    size_t best = DISTANCE_MAX + 1;
    const char *nearest = NULL;
    char all[PROTO_HINT_MAX] = "";

    if (problem->is_settled) {
        return; /* the hint would be dropped */
    }
    look_through(name, known, &best, &nearest);
    look_through(name, more, &best, &nearest);
    if (nearest != NULL) {
        proto_problem_hint(problem, "did you mean \"%s\"?", nearest);
        return;
    }
    append(all, sizeof all, known);
    append(all, sizeof all, more);
    proto_problem_hint(problem, "known %s: %s", what, all);
}
