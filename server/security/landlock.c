/* landlock(7), by system calls: libc has no functions for it. */

#define _GNU_SOURCE /* O_PATH */
#include "security/landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The number of rights on files that each version of Landlock knows, from version 1 on; they are
 * the lowest bits. */
static const unsigned right_counts[] = {13, 14, 15, 15, 16};
#define VERSION_COUNT (sizeof right_counts / sizeof right_counts[0])

static uint64_t all_rights(long version) {
    size_t row = (size_t)version < VERSION_COUNT ? (size_t)version - 1 : VERSION_COUNT - 1;
    return (UINT64_C(1) << right_counts[row]) - 1;
}

/* Of a folder in which a store keeps its files: all but making folders, devices and the like. */
#define STORE_RIGHTS                                                                              \
    (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_WRITE_FILE | \
     LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG)

/* To change the length of files, since version 3; older headers do not name it. */
#define RIGHT_TO_TRUNCATE (UINT64_C(1) << 14)

/* Allows `rights` below a folder, or reading of a file. */
static void allow(int ruleset, const char *path, uint64_t rights) {
    struct stat status;
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) != 0) {
        if (fd >= 0) {
            close(fd);
        }
        return;
    }
    struct landlock_path_beneath_attr rule = {
        .allowed_access = S_ISDIR(status.st_mode) ? rights : LANDLOCK_ACCESS_FS_READ_FILE,
        .parent_fd = fd,
    };
    (void)syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(fd);
}

bool gjkd_landlock_restrict(const char *const *paths, unsigned count, const char *store) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1) {
        return false;
    }
    const struct landlock_ruleset_attr handled = {.handled_access_fs = all_rights(version)};
    int ruleset =
        (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled.handled_access_fs, 0);
    if (ruleset < 0) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        allow(ruleset, paths[i], LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR);
    }
    if (store[0] != '\0') {
        allow(ruleset, store, STORE_RIGHTS | (RIGHT_TO_TRUNCATE & handled.handled_access_fs));
    }
    bool fine = syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
    close(ruleset);
    return fine;
}
