/*
 * UTF-8, comparison of texts, rules for names, and suggestions for misspelled names. Ids are parts
 * of URLs, so no segment between slashes may be empty, "." or "..", which URL software rewrites.
 */

#include "json/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "proto/limits.h"

int proto_compare_texts(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* --- UTF-8: the grammar of RFC 3629, section 4 --- */

static bool is_between(unsigned char byte, unsigned low, unsigned high) {
    return byte >= low && byte <= high;
}

/* Returns the length of the sequence that begins with byte `first`, or 0 if none does. Sets the
 * range of its second byte. */
static size_t promised_length(unsigned char first, unsigned *low, unsigned *high) {
    *low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    *high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (first < 0x80) {
        return 1;
    }
    if (is_between(first, 0xC2, 0xDF)) {
        return 2;
    }
    if (is_between(first, 0xE0, 0xEF)) {
        return 3;
    }
    return is_between(first, 0xF0, 0xF4) ? 4 : 0;
}

size_t proto_utf8_sequence(const char *text, size_t length) {
    unsigned low, high;
    size_t promised = promised_length((unsigned char)text[0], &low, &high);

    if (promised > length) {
        return 0;
    }
    for (size_t i = 1; i < promised; i++) {
        if (!is_between((unsigned char)text[i], low, high)) {
            return 0;
        }
        low = 0x80;
        high = 0xBF;
    }
    return promised;
}

/* --- Rules for names --- */

/* isalnum would depend on the locale. */
static bool is_alphanumeric(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool is_one_of(char c, const char *set) {
    return c != '\0' && strchr(set, c) != NULL;
}

bool proto_is_set_name(const char *text, size_t length) {
    if (length < 1 || length > PROTO_SET_NAME_BYTES_MAX || !is_alphanumeric(text[0])) {
        return false;
    }
    for (size_t i = 1; i < length; i++) {
        if (!is_alphanumeric(text[i]) && !is_one_of(text[i], "._~-")) {
            return false;
        }
    }
    return true;
}

static bool is_id_segment(const char *text, size_t length) {
    if (length == 0 || (length == 1 && text[0] == '.') ||
        (length == 2 && text[0] == '.' && text[1] == '.')) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (!is_alphanumeric(text[i]) && !is_one_of(text[i], "._~:@-")) {
            return false;
        }
    }
    return true;
}

bool proto_is_id(const char *text, size_t length, uint64_t id_bytes_max) {
    size_t start = 0;

    if (length > id_bytes_max) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (text[i] != '/') {
            continue;
        }
        if (!is_id_segment(text + start, i - start)) {
            return false;
        }
        start = i + 1;
    }
    return is_id_segment(text + start, length - start);
}

/*
 * --- Suggestions ---
 *
 * Suggests the known name with the least optimal string alignment distance (Damerau 1964:
 * insertions, deletions, substitutions, transpositions of neighbours). The distance must be at most
 * 2 and less than half the longer name, so that short names are not confused.
 */

#define NAME_BYTES_MAX 32
#define DISTANCE_MAX 2

static size_t min2(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Returns the distance of two names, both shorter than NAME_BYTES_MAX, by dynamic programming over
 * prefixes; three rows of the table suffice. */
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

const char *proto_nearest_name(const char *name, const char *const *known) {
    const size_t length = strlen(name);
    size_t best = DISTANCE_MAX + 1;
    const char *nearest = NULL;

    for (; length < NAME_BYTES_MAX && *known != NULL; known++) {
        const size_t known_length = strlen(*known);
        const size_t longer = length > known_length ? length : known_length;
        const size_t distance = edit_distance(name, length, *known, known_length);
        if (distance < best && 2 * distance < longer) {
            best = distance;
            nearest = *known;
        }
    }
    return nearest;
}

void proto_suggest(struct proto_problem *problem, const char *what, const char *name,
                   const char *const *known) {
    const char *nearest = proto_nearest_name(name, known);
    char all[PROTO_HINT_MAX] = "";

    if (nearest != NULL) {
        proto_problem_hint(problem, "did you mean \"%s\"?", nearest);
        return;
    }
    for (; *known != NULL; known++) {
        const size_t length = strlen(all);
        snprintf(all + length, sizeof all - length, "%s%s", length > 0 ? ", " : "", *known);
    }
    proto_problem_hint(problem, "known %s: %s", what, all);
}
