/*
 * Landlock for files, seccomp for system calls, and two flags of the process. Files that are read
 * again at SIGHUP are allowed with their folder, because who renews them puts a new file in their
 * place; where they are symbolic links (Kubernetes, certbot), with the folder that these lead to,
 * too.
 */

#include "security/sandbox.h"

#include "security/landlock.h"
#include "security/syscall_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>

/* Files of the system that libc, libuv, jansson and /metrics read. */
static const char *const system_paths[] = {"/proc/self", "/sys/fs/cgroup",
                                           "/sys/devices/system/cpu", "/dev/urandom",
                                           "/etc/gnutls"};

/* Files that the look-up of host names reads, and OpenSSL, with which cnats is built. */
static const char *const network_paths[] = {"/etc/hosts",    "/etc/nsswitch.conf", "/etc/host.conf",
                                            "/etc/gai.conf", "/etc/services",      "/etc/ssl",
                                            "/usr/lib/ssl"};

enum {
    SYSTEM_PATH_COUNT = sizeof system_paths / sizeof system_paths[0],
    NETWORK_PATH_COUNT = sizeof network_paths / sizeof network_paths[0],
    GIVEN_FILE_COUNT = 7,
};

struct readable {
    unsigned count, folder_count;
    const char *paths[SYSTEM_PATH_COUNT + NETWORK_PATH_COUNT + 2 * GIVEN_FILE_COUNT];
    char folders[2 * GIVEN_FILE_COUNT][PATH_MAX];
};

static bool is_folder(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Adds the file's folder; of a file in the root folder, the file alone; a folder itself. */
static void add_folder_of(struct readable *readable, const char *file) {
    if (strlen(file) >= PATH_MAX) {
        return;
    }
    char *folder = readable->folders[readable->folder_count++];
    memcpy(folder, file, strlen(file) + 1);
    if (is_folder(file)) {
        readable->paths[readable->count++] = folder;
        return;
    }
    char *slash = strrchr(folder, '/');
    if (slash == NULL) {
        memcpy(folder, ".", 2);
    } else if (slash > folder) {
        *slash = '\0';
    }
    readable->paths[readable->count++] = folder;
}

static void find_readable(struct readable *readable, const struct gjkd_config *config) {
    const bool is_node = config->cluster[0] != '\0';
    const char *const given[GIVEN_FILE_COUNT] = {config->token_file,
                                                 config->tls_cert,
                                                 config->tls_key,
                                                 config->load,
                                                 config->nats_creds,
                                                 config->nats_ca,
                                                 is_node ? "/etc/resolv.conf" : ""};
    memcpy(readable->paths, system_paths, sizeof system_paths);
    readable->count = SYSTEM_PATH_COUNT;
    if (is_node) {
        memcpy(readable->paths + readable->count, network_paths, sizeof network_paths);
        readable->count += NETWORK_PATH_COUNT;
    }
    for (int i = 0; i < GIVEN_FILE_COUNT; i++) {
        char real[PATH_MAX];
        if (given[i][0] != '\0') {
            add_folder_of(readable, given[i]);
        }
        if (given[i][0] != '\0' && realpath(given[i], real) != NULL) {
            add_folder_of(readable, real);
        }
    }
}

/* Landlock knows /proc/self by its inode, which stays the same while somebody has it open. */
static void keep_proc_self(void) {
    (void)open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void warn(const char *what) {
    gjkd_log(GJKD_LOG_WARNING, "sandbox: without %s: %s", what, strerror(errno));
}

static void enter(const struct gjkd_config *config) {
    static struct readable readable; /* large */
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) {
        warn("no_new_privs");
        return;
    }
    find_readable(&readable, config);
    keep_proc_self();
    if (!gjkd_landlock_restrict(readable.paths, readable.count, config->data_dir)) {
        warn("Landlock, all files that the user may open are open to it");
    }
    if (!gjkd_syscall_filter_install(config->data_dir[0] != '\0', config->cluster[0] != '\0')) {
        warn("seccomp, all system calls are open to it");
    }
}

void gjkd_sandbox_enter(const struct gjkd_config *config) {
    if (!config->sandbox) {
        gjkd_log(GJKD_LOG_WARNING, "sandbox: left out, as --sandbox off says");
        return;
    }
#ifdef GJKD_INSTRUMENTED
    gjkd_log(GJKD_LOG_INFO,
             "sandbox: left out, the instruments of this build need ptrace or files");
    (void)enter;
#else
    enter(config);
#endif
}
