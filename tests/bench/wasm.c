/*
 * The native side of wasm.mjs: reads the calls that core.js made and asks them of the same sources,
 * compiled for this processor.
 *   bench_wasm FILE [answers]
 * Prints nanoseconds of processor time a question, of the fastest of three passes, or each answer on
 * a line.
 */

#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PATCH, ASK };

struct scene;
struct scene *set_new(uint32_t dimension);
double *begin(uint32_t count, uint32_t bytes);
uint32_t patch(struct scene *scene);
uint32_t ask(uint32_t op);
const char *text(void);
uint32_t length(void);

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        err(1, "%s", path);
    }
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size);
    if (bytes == NULL || fread(bytes, 1, *size, file) != *size) {
        err(1, "%s", path);
    }
    fclose(file);
    return bytes;
}

/* Makes the calls of that kind. Returns how many. */
static size_t make_calls(const char *bytes, size_t size, uint32_t kind, struct scene *scene,
                         bool prints) {
    size_t calls = 0;
    for (size_t at = 0; at < size;) {
        uint32_t head[4];
        memcpy(head, bytes + at, sizeof head);
        const size_t told = head[2] * sizeof(double) + head[3];
        at += sizeof head + told;
        if (head[0] != kind) {
            continue;
        }
        double *room = begin(head[2], head[3]);
        memcpy(room, bytes + at - told, told);
        if (kind == ASK && room[0] != 0) { /* the set's place in the module's memory */
            room[0] = (double)(uintptr_t)scene;
        }
        if ((kind == ASK ? ask(head[1]) : patch(scene)) != 0) {
            errx(1, "a call is refused");
        }
        if (prints) {
            printf("%.*s\n", (int)length(), text());
        }
        calls++;
    }
    return calls;
}

int main(int count, char **words) {
    if (count < 2) {
        errx(2, "usage: bench_wasm FILE [answers]");
    }
    size_t size;
    const char *bytes = read_file(words[1], &size);
    struct scene *scene = set_new(3);
    make_calls(bytes, size, PATCH, scene, false);
    if (count > 2) {
        make_calls(bytes, size, ASK, scene, true);
        return 0;
    }
    double best = 1e300;
    for (int pass = 0; pass < 3; pass++) {
        const double start = now_ns();
        const size_t calls = make_calls(bytes, size, ASK, scene, false);
        const double took = (now_ns() - start) / (double)calls;
        best = took < best ? took : best;
    }
    printf("%.1f\n", best);
    return 0;
}
