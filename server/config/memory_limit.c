/*
 * Reads /proc/meminfo, and the control groups of the process from /proc/self/cgroup, cgroups(7).
 * The limit of a group is that of the tightest of itself and its parents. Inside a container its
 * own group is mounted as the root of the tree, and the path that /proc shows may not exist there:
 * therefore the root is read in any case.
 */

#include "config/memory_limit.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define PATH_BYTES 4096

/* One tree of groups. */
struct tree {
    const char *root;   /* of all paths */
    const char *folder; /* where it is mounted */
    const char *file;   /* of a group, with its limit */
};

static const char folder2[] = "/sys/fs/cgroup", file2[] = "memory.max";
static const char folder1[] = "/sys/fs/cgroup/memory", file1[] = "memory.limit_in_bytes";

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* UINT64_MAX: the file is not there, or it says "max". */
static uint64_t read_limit(const struct tree *tree, const char *group) {
    char path[PATH_BYTES];
    uint64_t bytes = UINT64_MAX;
    int length =
        snprintf(path, sizeof path, "%s%s%s/%s", tree->root, tree->folder, group, tree->file);
    FILE *file = length > 0 && (size_t)length < sizeof path ? fopen(path, "re") : NULL;
    if (file == NULL) {
        return UINT64_MAX;
    }
    if (fscanf(file, "%" SCNu64, &bytes) != 1) {
        bytes = UINT64_MAX;
    }
    fclose(file);
    return bytes;
}

/* The tightest limit of the group, whose path is taken apart, and of all that contain it. */
static uint64_t read_limits(const struct tree *tree, char *group) {
    uint64_t bytes = UINT64_MAX;
    char *end = group + strlen(group);
    while (end > group) {
        *end = '\0';
        if (end[-1] != '/') {
            bytes = smaller(bytes, read_limit(tree, group));
        }
        do {
            end--;
        } while (end > group && *end != '/');
    }
    return smaller(bytes, read_limit(tree, ""));
}

/* Returns true if "memory" is among the controllers, which are separated by commas. */
static bool controls_memory(const char *controllers) {
    static const char memory[] = "memory";
    for (const char *at = controllers; *at != '\0'; at += *at == ',') {
        size_t length = strcspn(at, ",");
        if (length == sizeof memory - 1 && memcmp(at, memory, length) == 0) {
            return true;
        }
        at += length;
    }
    return false;
}

/* A line has the form HIERARCHY:CONTROLLERS:PATH; without controllers it is that of version 2. */
static uint64_t limit_of_line(const char *root, char *line) {
    char *controllers = strchr(line, ':');
    char *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
    if (group == NULL) {
        return UINT64_MAX;
    }
    *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    controllers++;
    if (*controllers == '\0') {
        return read_limits(&(struct tree){root, folder2, file2}, group);
    }
    return controls_memory(controllers) ? read_limits(&(struct tree){root, folder1, file1}, group)
                                        : UINT64_MAX;
}

static uint64_t limit_of_groups(const char *root) {
    char line[PATH_BYTES];
    uint64_t bytes = UINT64_MAX;
    snprintf(line, sizeof line, "%s/proc/self/cgroup", root);
    FILE *file = fopen(line, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        bytes = smaller(bytes, limit_of_line(root, line));
    }
    if (file != NULL) {
        fclose(file);
    }
    return bytes;
}

static uint64_t total_memory(const char *root) {
    char line[PATH_BYTES];
    uint64_t kib = 0;
    snprintf(line, sizeof line, "%s/proc/meminfo", root);
    FILE *file = fopen(line, "re");
    if (file == NULL || fgets(line, sizeof line, file) == NULL ||
        sscanf(line, "MemTotal: %" SCNu64, &kib) != 1) {
        kib = UINT64_MAX / 1024;
    }
    if (file != NULL) {
        fclose(file);
    }
    return kib * 1024;
}

uint64_t gjkd_memory_limit(const char *root) {
    return smaller(total_memory(root), limit_of_groups(root));
}
