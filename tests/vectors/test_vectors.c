/* Are the answers to cases with known answers right? See README.md. */

#include "support/test.h"
#include "verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES_MAX (1 << 17)
#define SHOWN_MAX 5

/* The brute force takes the fourth power of this. */
#define TRUTH_POINTS_MAX 12

typedef struct vector_file {
    const char *name;
    unsigned lines; /* so that a file that lost some cannot pass */
} vector_file;

static const vector_file files[] = {
    {"ref2d", 1182}, {"ref3d", 766}, {"dyn4j", 473}, {"peers2d", 5}, {"peers3d", 104},
};
enum { FILE_COUNT = sizeof files / sizeof files[0] };

static void find_truth(test_case_run *run) {
    const test_body *a = &run->vector->a, *b = &run->vector->b;
    bool pair = strcmp(run->vector->op, "raycast") != 0;
    const char *algorithm = json_string_value(json_object_get(run->vector->root, "algorithm"));
    run->is_sat = algorithm != NULL && strcmp(algorithm, "sat") == 0;
    run->reach = fmax(test_body_reach(a), pair ? test_body_reach(b) : 0.0);
    run->has_truth = pair && (a->dimension == 2 ||
                              (a->count <= TRUTH_POINTS_MAX && b->count <= TRUTH_POINTS_MAX));
    if (run->has_truth) {
        run->truth = test_reference(a, b);
    }
}

static void run_case(test_case_run *run) {
    const char *op = run->vector->op;
    find_truth(run);
    if (strcmp(op, "signed") == 0) {
        test_run_signed(run);
    } else if (strcmp(op, "detect") == 0) {
        test_run_detect(run);
    } else if (strcmp(op, "distance") == 0) {
        test_run_distance(run);
    } else {
        ck_assert_str_eq(op, "raycast");
        test_run_raycast(run);
    }
}

static FILE *open_vectors(const char *name) {
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s.jsonl", GJKD_VECTORS_FOLDER, name);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s", path);
    return file;
}

TEST_EACH(every_line, 0, FILE_COUNT) {
    static char line[LINE_BYTES_MAX];
    static test_vector vector;
    const vector_file *expected = &files[_i];
    FILE *file = open_vectors(expected->name);
    struct gjk_arena arena;
    unsigned lines = 0, wrong = 0;
    gjk_arena_init(&arena, 0);
    while (fgets(line, sizeof line, file) != NULL) {
        ck_assert_ptr_nonnull(strchr(line, '\n'));
        test_vector_init(&vector, line, &arena);
        test_case_run run = {.vector = &vector, .arena = &arena};
        run_case(&run);
        lines++;
        if (run.complaint[0] != '\0' && wrong++ < SHOWN_MAX) {
            fprintf(stderr, "%s line %u (%s): %s\n", expected->name, lines, vector.source,
                    run.complaint);
        }
        test_vector_fini(&vector);
        gjk_arena_reset(&arena);
    }
    (void)fclose(file);
    gjk_arena_fini(&arena);
    ck_assert_uint_eq(lines, expected->lines);
    ck_assert_msg(wrong == 0, "%s: %u of %u lines wrong", expected->name, wrong, lines);
}
