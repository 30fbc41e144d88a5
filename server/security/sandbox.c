/*
 * Landlock for files, seccomp for system calls, and two flags of the process. For files that are
 * read again at SIGHUP, their folder is allowed, because a renewal replaces the file. For symbolic
 * links (Kubernetes, certbot), the folder of the target is allowed as well.
 */

#define _GNU_SOURCE /* O_PATH */
#include "security/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- Landlock: landlock(7), by system calls, since libc has no functions for it --- */

/* Number of rights on files that each version of Landlock knows, from version 1 on; the rights are
 * the lowest bits. */
static const unsigned right_counts[] = {13, 14, 15, 15, 16};
#define VERSION_COUNT (sizeof right_counts / sizeof right_counts[0])

/* Rights on a folder in which a store keeps its files: no making of folders or devices. */
#define STORE_RIGHTS                                                                              \
    (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_WRITE_FILE | \
     LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG)

/* Right to change the length of files, since version 3; older headers do not declare it. */
#define RIGHT_TO_TRUNCATE (UINT64_C(1) << 14)

/* Allows `rights` below a folder, or reading of a single file. */
static void allow_path(int ruleset, const char *path, uint64_t rights) {
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

/*
 * Restricts the calling thread, and threads that it starts, to reading below `paths`, and to
 * making, writing and removing files below `store` ("": none). Open files stay open; paths that do
 * not exist are skipped. The process must have no_new_privs. Returns false, with errno set, if the
 * kernel has no Landlock; nothing has changed.
 */
static bool restrict_files(const char *const *paths, unsigned count, const char *store) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1) {
        return false;
    }
    const size_t row = (size_t)version < VERSION_COUNT ? (size_t)version - 1 : VERSION_COUNT - 1;
    const struct landlock_ruleset_attr handled = {.handled_access_fs =
                                                      (UINT64_C(1) << right_counts[row]) - 1};
    int ruleset =
        (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled.handled_access_fs, 0);
    if (ruleset < 0) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        allow_path(ruleset, paths[i], LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR);
    }
    if (store[0] != '\0') {
        allow_path(ruleset, store, STORE_RIGHTS | (RIGHT_TO_TRUNCATE & handled.handled_access_fs));
    }
    bool fine = syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
    close(ruleset);
    return fine;
}

/* --- Seccomp --- */

/*
 * A seccomp filter in classic BPF: a list of comparisons of the call's number. The kernel evaluates
 * it once for each number and keeps the results as a bitmap (since 5.11), so that allowed calls
 * cost nothing. Only the few calls that are allowed depending on an argument run it each time.
 * clone3 is not allowed, because its arguments are in memory, which a filter cannot read; glibc
 * then uses clone.
 */

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#define NUMBER_MAX 0x3fffffffU /* greater numbers are those of x32 */
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#define NUMBER_MAX 0x7fffffffU
#endif

/* Calls that every daemon needs. Names that only some architectures have are in an #ifdef. */
static const int allowed[] = {
    /* Files, as far as Landlock allows. */
    SYS_read, SYS_pread64, SYS_readv, SYS_write, SYS_writev, SYS_close, SYS_lseek, SYS_openat,
    SYS_fstat, SYS_newfstatat, SYS_statx, SYS_faccessat, SYS_readlinkat, SYS_getdents64, SYS_fcntl,
    SYS_ioctl, SYS_dup, SYS_dup3, SYS_getcwd,
#ifdef SYS_open
    SYS_open, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_dup2,
#endif
    /* Events. */
    SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_eventfd2, SYS_pipe2, SYS_ppoll,
    SYS_pselect6,
#ifdef SYS_poll
    SYS_poll, SYS_epoll_wait, SYS_select, SYS_pause,
#endif
    /* Sockets, without connect. */
    SYS_bind, SYS_listen, SYS_accept4, SYS_getsockname, SYS_getpeername, SYS_setsockopt,
    SYS_getsockopt, SYS_shutdown, SYS_sendto, SYS_sendmsg, SYS_sendmmsg, SYS_sendfile, SYS_recvfrom,
    SYS_recvmsg,
    /* Memory. */
    SYS_brk, SYS_munmap, SYS_mremap, SYS_madvise,
    /* Threads and signals. */
    SYS_futex, SYS_set_robust_list, SYS_rseq, SYS_exit, SYS_exit_group, SYS_gettid, SYS_getpid,
    SYS_tgkill, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigtimedwait,
    SYS_sigaltstack, SYS_restart_syscall, SYS_membarrier,
    /* Scheduling, time and limits. */
    SYS_sched_yield, SYS_sched_getaffinity, SYS_sched_getscheduler, SYS_sched_getparam,
    SYS_sched_setattr, SYS_getpriority, SYS_getcpu, SYS_clock_gettime, SYS_clock_getres,
    SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday, SYS_getrusage, SYS_prlimit64, SYS_sysinfo,
    SYS_times,
#ifdef SYS_time
    SYS_time, SYS_getrlimit,
#endif
    /* Ids of the user and the process. */
    SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_uname, SYS_getrandom};

/* System calls of a store on disk. */
static const int storing[] = {
    SYS_pwrite64, SYS_fsync,    SYS_fdatasync, SYS_ftruncate, SYS_unlinkat,
    SYS_flock,    SYS_renameat, SYS_renameat2, SYS_fchmod,
#ifdef SYS_unlink
    SYS_unlink,   SYS_rename,
#endif
};

/* System calls of a node of a cluster. */
static const int connecting[] = {SYS_connect, SYS_recvmmsg};

/* Calls that are allowed if (argument & mask) equals `value`. */
static const struct rule {
    int number, argument;
    uint32_t mask, value;
} rules[] = {
    {SYS_clone, 0, CLONE_THREAD, CLONE_THREAD},
    {SYS_mmap, 2, PROT_EXEC, 0},
    {SYS_mprotect, 2, PROT_EXEC, 0},
    {SYS_prctl, 0, UINT32_MAX, PR_SET_NAME},
    {SYS_socket, 0, UINT32_MAX, AF_UNIX},
    {SYS_socket, 0, UINT32_MAX, AF_INET},
    {SYS_socket, 0, UINT32_MAX, AF_INET6},
};

enum {
    ALLOWED_COUNT = sizeof allowed / sizeof allowed[0],
    STORING_COUNT = sizeof storing / sizeof storing[0],
    CONNECTING_COUNT = sizeof connecting / sizeof connecting[0],
    RULE_COUNT = sizeof rules / sizeof rules[0],
    LENGTH = 6 + 2 * (ALLOWED_COUNT + STORING_COUNT + CONNECTING_COUNT) + 6 * RULE_COUNT + 1,
};

#ifdef ARCHITECTURE

struct program {
    unsigned short length;
    struct sock_filter code[LENGTH];
};

static void add_instruction(struct program *program, uint16_t code, uint32_t operand,
                            uint8_t if_true, uint8_t if_false) {
    program->code[program->length++] = (struct sock_filter){code, if_true, if_false, operand};
}

static void load_word(struct program *program, size_t offset) {
    add_instruction(program, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void return_action(struct program *program, uint32_t action) {
    add_instruction(program, BPF_RET | BPF_K, action, 0, 0);
}

static void allow_call(struct program *program, int number) {
    add_instruction(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1);
    return_action(program, SECCOMP_RET_ALLOW);
}

/* Allows a call depending on an argument. Loads the argument's lower half, which holds all of these
 * flags, and afterwards the number again. */
static void allow_some(struct program *program, const struct rule *rule) {
    size_t argument = offsetof(struct seccomp_data, args) + 8 * (size_t)rule->argument;
    add_instruction(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)rule->number, 0, 5);
    load_word(program, argument);
    add_instruction(program, BPF_ALU | BPF_AND | BPF_K, rule->mask, 0, 0);
    add_instruction(program, BPF_JMP | BPF_JEQ | BPF_K, rule->value, 0, 1);
    return_action(program, SECCOMP_RET_ALLOW);
    load_word(program, offsetof(struct seccomp_data, nr));
}

/*
 * Restricts the calling thread, and threads that it starts, to the system calls that a running
 * daemon needs. Other calls fail with ENOSYS, as on an older kernel, so that libraries use their
 * fallback. No program can be executed, no process started and no memory made executable. Files can
 * be written and removed only if `stores`, connections opened only if `connects`. Returns false,
 * with errno set, if the kernel has no seccomp; nothing has changed.
 */
static bool restrict_calls(bool stores, bool connects) {
    struct program program = {0};
    /* The same numbers mean other calls on other architectures. */
    load_word(&program, offsetof(struct seccomp_data, arch));
    add_instruction(&program, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    return_action(&program, SECCOMP_RET_ERRNO | ENOSYS);
    load_word(&program, offsetof(struct seccomp_data, nr));
    add_instruction(&program, BPF_JMP | BPF_JGT | BPF_K, NUMBER_MAX, 0, 1);
    return_action(&program, SECCOMP_RET_ERRNO | ENOSYS);
    for (int i = 0; i < ALLOWED_COUNT; i++) {
        allow_call(&program, allowed[i]);
    }
    for (int i = 0; i < STORING_COUNT && stores; i++) {
        allow_call(&program, storing[i]);
    }
    for (int i = 0; i < CONNECTING_COUNT && connects; i++) {
        allow_call(&program, connecting[i]);
    }
    for (int i = 0; i < RULE_COUNT; i++) {
        allow_some(&program, &rules[i]);
    }
    return_action(&program, SECCOMP_RET_ERRNO | ENOSYS);
    const struct sock_fprog filter = {program.length, program.code};
    /* The filter does not protect parts of the process from each other, so that older kernels need
     * not enable speculation mitigations, which slow memory access. */
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &filter) ==
           0;
}

#else

static bool restrict_calls(bool stores, bool connects) {
    (void)stores;
    (void)connects;
    errno = ENOSYS; /* the lists are for the architectures above */
    return false;
}

#endif

/* --- Both --- */

/* Files of the system that libc, libuv and /metrics read. */
static const char *const system_paths[] = {"/proc/self", "/sys/fs/cgroup",
                                           "/sys/devices/system/cpu", "/dev/urandom",
                                           "/etc/gnutls"};

/* Files that the resolver of host names reads, and OpenSSL, with which cnats is built. */
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

/* Adds the folder of a file; a file in the root folder and a folder are added themselves. */
static void add_folder_of(struct readable *readable, const char *file) {
    if (strlen(file) >= PATH_MAX) {
        return;
    }
    char *folder = readable->folders[readable->folder_count++];
    memcpy(folder, file, strlen(file) + 1);
    struct stat status;
    if (stat(file, &status) == 0 && S_ISDIR(status.st_mode)) {
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

static void warn(const char *what) {
    gjkd_log(GJKD_LOG_WARNING, "sandbox: without %s: %s", what, strerror(errno));
}

static void enter_sandbox(const struct gjkd_config *config) {
    static struct readable readable; /* large */
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) {
        warn("no_new_privs");
        return;
    }
    find_readable(&readable, config);
    /* Landlock identifies /proc/self by its inode, which is stable while the folder is open. */
    (void)open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (!restrict_files(readable.paths, readable.count, config->data_dir)) {
        warn("Landlock, all files that the user may open are open to it");
    }
    if (!restrict_calls(config->data_dir[0] != '\0', config->cluster[0] != '\0')) {
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
    (void)enter_sandbox;
#else
    enter_sandbox(config);
#endif
}
