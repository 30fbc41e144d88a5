/*
 * Does the committed corpus still run clean without libFuzzer? Runs every file
 * given, and every file of every folder given, once through the fuzz target's
 * entry. Fails when a file cannot be read or when there was none.
 */

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define REPLAY_PATH_MAX 4096
#define REPLAY_INPUT_BYTES_MAX (1 << 24)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool replay_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return false;
    }
    uint8_t *data = malloc(REPLAY_INPUT_BYTES_MAX);
    size_t size = data ? fread(data, 1, REPLAY_INPUT_BYTES_MAX, file) : 0;
    /* An exact copy, so that a read past the end is seen. */
    uint8_t *exact = malloc(size ? size : 1);
    bool ok = data && exact && !ferror(file);
    for (size_t i = 0; ok && i < size; i++)
        exact[i] = data[i];
    free(data);
    (void)fclose(file);
    if (ok)
        (void)LLVMFuzzerTestOneInput(exact, size);
    else
        (void)fprintf(stderr, "%s: cannot be read\n", path);
    free(exact);
    return ok;
}

static int replay_visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

/* Number of files run, or -1. */
static long replay_folder(const char *path) {
    struct dirent **entries;
    int count = scandir(path, &entries, replay_visible, alphasort);
    long files = count;
    for (int i = 0; i < count; i++) {
        char file[REPLAY_PATH_MAX];
        int length = snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name);
        if (length < 0 || (size_t)length >= sizeof file || !replay_file(file))
            files = -1;
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return files;
}

int main(int argc, char **argv) {
    long files = 0;
    for (int i = 1; i < argc; i++) {
        struct stat status;
        bool folder = stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode);
        long ran = folder ? replay_folder(argv[i]) : replay_file(argv[i]) ? 1 : -1;
        if (ran < 0)
            return EXIT_FAILURE;
        files += ran;
    }
    printf("%ld files\n", files);
    return files > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
