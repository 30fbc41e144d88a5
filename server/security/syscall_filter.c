/*
 * A seccomp filter in classic BPF: a list of comparisons of the call's number, which the kernel
 * evaluates once for each number and keeps as a bitmap (since 5.11), so that allowed calls cost
 * nothing. Only the few calls of which some arguments are allowed run it each time. clone3 is not
 * allowed, because its arguments are in memory, where a filter cannot look; glibc then uses clone.
 */

#include "security/syscall_filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#define NUMBER_MAX 0x3fffffffU /* above are those of x32 */
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#define NUMBER_MAX 0x7fffffffU
#endif

/* Names that only some architectures have stand in an #ifdef. */
static const int allowed[] = {
    /* Files: those that Landlock leaves. */
    SYS_read,
    SYS_pread64,
    SYS_readv,
    SYS_write,
    SYS_writev,
    SYS_close,
    SYS_lseek,
    SYS_openat,
    SYS_fstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_faccessat,
    SYS_readlinkat,
    SYS_getdents64,
    SYS_fcntl,
    SYS_ioctl,
    SYS_dup,
    SYS_dup3,
    SYS_getcwd,
#ifdef SYS_open
    SYS_open,
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_dup2,
#endif
    /* Events. */
    SYS_epoll_create1,
    SYS_epoll_ctl,
    SYS_epoll_pwait,
    SYS_eventfd2,
    SYS_pipe2,
    SYS_ppoll,
    SYS_pselect6,
#ifdef SYS_poll
    SYS_poll,
    SYS_epoll_wait,
    SYS_select,
    SYS_pause,
#endif
    /* Sockets, without connect. */
    SYS_bind,
    SYS_listen,
    SYS_accept4,
    SYS_getsockname,
    SYS_getpeername,
    SYS_setsockopt,
    SYS_getsockopt,
    SYS_shutdown,
    SYS_sendto,
    SYS_sendmsg,
    SYS_sendmmsg,
    SYS_sendfile,
    SYS_recvfrom,
    SYS_recvmsg,
    /* Memory. */
    SYS_brk,
    SYS_munmap,
    SYS_mremap,
    SYS_madvise,
    /* Threads and signals. */
    SYS_futex,
    SYS_set_robust_list,
    SYS_rseq,
    SYS_exit,
    SYS_exit_group,
    SYS_gettid,
    SYS_getpid,
    SYS_tgkill,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_rt_sigtimedwait,
    SYS_sigaltstack,
    SYS_restart_syscall,
    SYS_membarrier,
    /* Scheduling, time and limits. */
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_sched_getscheduler,
    SYS_sched_getparam,
    SYS_sched_setattr,
    SYS_getpriority,
    SYS_getcpu,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_gettimeofday,
    SYS_getrusage,
    SYS_prlimit64,
    SYS_sysinfo,
    SYS_times,
#ifdef SYS_time
    SYS_time,
    SYS_getrlimit,
#endif
    /* Ids of the user and the process. */
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_uname,
    SYS_getrandom,
};

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

/* Calls of which one argument decides: (argument & mask) must be `value`. */
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

static void add(struct program *program, uint16_t code, uint32_t operand, uint8_t if_true,
                uint8_t if_false) {
    program->code[program->length++] = (struct sock_filter){code, if_true, if_false, operand};
}

static void load(struct program *program, size_t offset) {
    add(program, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void finish(struct program *program, uint32_t action) {
    add(program, BPF_RET | BPF_K, action, 0, 0);
}

/* Other architectures' numbers mean other calls. */
static void begin(struct program *program) {
    load(program, offsetof(struct seccomp_data, arch));
    add(program, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    finish(program, SECCOMP_RET_ERRNO | ENOSYS);
    load(program, offsetof(struct seccomp_data, nr));
    add(program, BPF_JMP | BPF_JGT | BPF_K, NUMBER_MAX, 0, 1);
    finish(program, SECCOMP_RET_ERRNO | ENOSYS);
}

static void allow(struct program *program, int number) {
    add(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1);
    finish(program, SECCOMP_RET_ALLOW);
}

/* Loads the argument's lower half, which holds all of these flags, and afterwards the number. */
static void allow_some(struct program *program, const struct rule *rule) {
    size_t argument = offsetof(struct seccomp_data, args) + 8 * (size_t)rule->argument;
    add(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)rule->number, 0, 5);
    load(program, argument);
    add(program, BPF_ALU | BPF_AND | BPF_K, rule->mask, 0, 0);
    add(program, BPF_JMP | BPF_JEQ | BPF_K, rule->value, 0, 1);
    finish(program, SECCOMP_RET_ALLOW);
    load(program, offsetof(struct seccomp_data, nr));
}

bool gjkd_syscall_filter_install(bool stores, bool connects) {
    struct program program = {0};
    begin(&program);
    for (int i = 0; i < ALLOWED_COUNT; i++) {
        allow(&program, allowed[i]);
    }
    for (int i = 0; i < STORING_COUNT && stores; i++) {
        allow(&program, storing[i]);
    }
    for (int i = 0; i < CONNECTING_COUNT && connects; i++) {
        allow(&program, connecting[i]);
    }
    for (int i = 0; i < RULE_COUNT; i++) {
        allow_some(&program, &rules[i]);
    }
    finish(&program, SECCOMP_RET_ERRNO | ENOSYS);
    const struct sock_fprog filter = {program.length, program.code};
    /* The filter does not protect code from other code of the process, so that older kernels need
     * not slow memory down for it. */
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &filter) ==
           0;
}

#else

bool gjkd_syscall_filter_install(bool stores, bool connects) {
    (void)stores;
    (void)connects;
    errno = ENOSYS; /* the list is for the architectures above */
    return false;
}

#endif
