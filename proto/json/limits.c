/*
 * The default limits of the wire, and the rules for names. Names go into URLs and form paths with
 * slashes, so no segment may be empty or one of the two that URL software rewrites.
 */

#include "proto/limits.h"

#include <string.h>

#include "gjk/pieces.h"

proto_limits proto_limits_default(void) {
    return (proto_limits){
        .body_bytes_max = 16777216,
        .batch_queries_max = 65536,
        .sets_max = 10000,
        .shapes_per_set_max = 1000000,
        .points_per_hull_max = GJK_POINTS_MAX,
        .pieces_per_shape_max = GJK_PIECES_MAX,
        .history_ticks_max = 4096,
        .id_bytes_max = 128,
        .meta_bytes_max = 4096,
        .answers_max = 1000000,
        .watches_max = 4096,
    };
}

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
