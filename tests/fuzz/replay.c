/*
 * Does the committed corpus still run clean without libFuzzer? Runs every file
 * given, and every file of every folder given, once through the fuzz target's
 * entry; after --every-byte also every beginning of it, and it with every byte
 * changed in three ways. Fails when a file cannot be read or when there was none.
 */

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define REPLAY_PATH_MAX 4096
#define REPLAY_INPUT_BYTES_MAX (1 << 24)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool every_byte;

/* Runs an exact copy, so that a read past the end is seen. */
static bool replay(const uint8_t *data, size_t size) {
    uint8_t *exact = malloc(size ? size : 1);
    for (size_t i = 0; exact && i < size; i++)
        exact[i] = data[i];
    if (exact)
        (void)LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return exact != NULL;
}

static bool replay_mutations(uint8_t *data, size_t size) {
    static const uint8_t flips[] = {0x01, 0x80, 0xff};
    bool ok = true;
    for (size_t i = 0; ok && i < size; i++) {
        ok = replay(data, i);
        for (size_t k = 0; ok && k < sizeof flips; k++) {
            data[i] ^= flips[k];
            ok = replay(data, size);
            data[i] ^= flips[k];
        }
    }
    return ok;
}

static bool replay_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return false;
    }
    uint8_t *data = malloc(REPLAY_INPUT_BYTES_MAX);
    size_t size = data ? fread(data, 1, REPLAY_INPUT_BYTES_MAX, file) : 0;
    bool ok = data && !ferror(file);
    (void)fclose(file);
    ok = ok && replay(data, size) && (!every_byte || replay_mutations(data, size));
    if (!ok)
        (void)fprintf(stderr, "%s: cannot be read\n", path);
    free(data);
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
        if (strcmp(argv[i], "--every-byte") == 0) {
            every_byte = true;
            continue;
        }
        bool folder = stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode);
        long ran = folder ? replay_folder(argv[i]) : replay_file(argv[i]) ? 1 : -1;
        if (ran < 0)
            return EXIT_FAILURE;
        files += ran;
    }
    printf("%ld files\n", files);
    return files > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
