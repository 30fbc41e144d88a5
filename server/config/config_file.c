/*
 * `name = value` lines and comments, parsed by inih with a line reader of our own. That reader
 * counts lines, refuses what inih would accept silently (lines that are too long, sections), and
 * lets `#` after a blank begin a comment behind a value, as `;` does.
 */

#include "config/settings.h"

#include <ini.h>
#include <string.h>

#define LINE_BYTES_MAX 4096

struct reading {
    FILE *file;
    unsigned line;
    const char *fault; /* of the file itself, or NULL */
    gjkd_take_setting take;
    void *closure;
    char *reason; /* why take refused */
};

static void cut_comment(char *text) {
    for (char *at = strchr(text, '#'); at != NULL; at = strchr(at + 1, '#')) {
        if (at > text && (at[-1] == ' ' || at[-1] == '\t')) {
            *at = '\0';
            return;
        }
    }
}

static char *read_line(char *text, int size, void *closure) {
    struct reading *reading = closure;
    if (reading->fault != NULL || fgets(text, size, reading->file) == NULL) {
        return NULL;
    }
    reading->line++;
    size_t length = strlen(text);
    bool whole = length > 0 && (text[length - 1] == '\n' || feof(reading->file));
    if (!whole) {
        reading->fault = "the line is too long, or holds a NUL";
        return NULL;
    }
    if (text[strspn(text, " \t")] == '[') {
        reading->fault = "there are no sections";
        return NULL;
    }
    cut_comment(text);
    return text;
}

static int take_pair(void *closure, const char *section, const char *name, const char *value) {
    struct reading *reading = closure;
    (void)section; /* there are none */
    return reading->take(reading->closure, name, value, reading->reason) ? 1 : 0;
}

bool gjkd_config_file_read(FILE *file, const char *shown_name, gjkd_take_setting take,
                           void *closure, char error[GJKD_CONFIG_ERROR_MAX]) {
    char reason[GJKD_CONFIG_ERROR_MAX] = "";
    struct reading reading = {.file = file, .take = take, .closure = closure, .reason = reason};
    ini_allow_multiline = false;
    ini_stop_on_first_error = true;
    ini_use_stack = false;
    ini_max_line = LINE_BYTES_MAX;
    ini_initial_alloc = LINE_BYTES_MAX;
    int status = ini_parse_stream(read_line, &reading, take_pair, &reading);
    if (status == 0 && reading.fault == NULL) {
        return true;
    }
    const char *message = reading.fault != NULL ? reading.fault
                          : reason[0] != '\0'   ? reason
                          : status < 0          ? "out of memory"
                                                : "this is not `name = value`";
    return gjkd_value_refuse(error, "%.100s, line %u: %.380s", shown_name, reading.line, message);
}
