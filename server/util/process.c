/* Metrics from /proc/self; proc(5). */

#include "util/process.h"

#include "util/log.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/sched.h>
#include <linux/sched/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static void print(FILE *out, const char *name, const char *type, const char *help, double value) {
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n%s %.17g\n", name, help, name, type, name, value);
}

/* Reads the first line of a file. Returns false if there is none. */
static bool read_line(const char *path, char *line, int size) {
    FILE *file = fopen(path, "re");
    bool fine = file != NULL && fgets(line, size, file) != NULL;
    if (file != NULL) {
        fclose(file);
    }
    return fine;
}

/* Reads the pages of address space and of resident memory; 0 if they are not known. */
static void read_pages(uint64_t *size, uint64_t *resident) {
    char line[256];
    if (!read_line("/proc/self/statm", line, sizeof line) ||
        sscanf(line, "%" SCNu64 " %" SCNu64, size, resident) != 2) {
        *size = *resident = 0;
    }
}

uint64_t gjkd_process_resident_bytes(void) {
    uint64_t size, resident;
    read_pages(&size, &resident);
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void print_memory(FILE *out) {
    uint64_t size, resident;
    const double page = (double)sysconf(_SC_PAGESIZE);
    read_pages(&size, &resident);
    if (size > 0) {
        print(out, "process_virtual_memory_bytes", "gauge", "Address space.", (double)size * page);
        print(out, "process_resident_memory_bytes", "gauge", "Memory in use.",
              (double)resident * page);
    }
}

static void print_files(FILE *out) {
    struct rlimit limit;
    DIR *folder = opendir("/proc/self/fd");
    if (folder != NULL) {
        int count = -1; /* less the descriptor of this directory */
        for (const struct dirent *at; (at = readdir(folder)) != NULL;) {
            count += at->d_name[0] != '.';
        }
        closedir(folder);
        print(out, "process_open_fds", "gauge", "Open files and connections.", count);
    }
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        print(out, "process_max_fds", "gauge", "How many there may be.", (double)limit.rlim_cur);
    }
}

/* Prints field 22 of stat, in ticks since boot. Field 2 may contain blanks and parentheses. */
static void print_start(FILE *out) {
    char line[1024];
    uint64_t ticks = 0;
    const char *at = read_line("/proc/self/stat", line, sizeof line) ? strrchr(line, ')') : NULL;
    for (int field = 2; at != NULL && field < 22; field++) {
        at = strchr(at + 1, ' ');
    }
    struct timespec now;
    struct timespec up;
    if (at != NULL && sscanf(at, "%" SCNu64, &ticks) == 1 &&
        clock_gettime(CLOCK_REALTIME, &now) == 0 && clock_gettime(CLOCK_BOOTTIME, &up) == 0) {
        print(out, "process_start_time_seconds", "gauge", "When it began, in Unix time.",
              (double)(now.tv_sec - up.tv_sec) + (double)(now.tv_nsec - up.tv_nsec) * 1e-9 +
                  (double)ticks / (double)sysconf(_SC_CLK_TCK));
    }
}

void gjkd_process_print(FILE *out) {
    print_memory(out);
    print_files(out);
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        double seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
        print(out, "process_cpu_seconds_total", "counter", "Processor time used.", seconds);
    }
    print_start(out);
}

/*
 * The memory limit: from /proc/meminfo, and from the control groups that /proc/self/cgroup names,
 * cgroups(7). The limit of a group is the least of its own and its parents'. Inside a container its
 * own group is mounted as the root of the tree, and the path in /proc may not exist there;
 * therefore the root is always read as well.
 */

#define PATH_BYTES 4096

/* One tree of control groups. */
struct tree {
    const char *root;   /* prefix of all paths */
    const char *folder; /* mount point of the tree */
    const char *file;   /* name of the file with a group's limit */
};

static const char folder2[] = "/sys/fs/cgroup", file2[] = "memory.max";
static const char folder1[] = "/sys/fs/cgroup/memory", file1[] = "memory.limit_in_bytes";

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* Reads the limit of one group; UINT64_MAX if the file does not exist or says "max". */
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

/* Returns the least limit of the group and of all that contain it. Overwrites the path. */
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

/* Returns the limit of a line HIERARCHY:CONTROLLERS:PATH; version 2 has no controllers. */
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

/*
 * The protocol of sd_notify(3): one datagram to the socket that the service manager names. A name
 * that begins with @ is abstract: its first byte becomes 0, and its length counts.
 */

static const char *write_notice(gjkd_notice notice, char text[128]) {
    struct timespec now;
    switch (notice) {
    case GJKD_NOTICE_READY:
        return "READY=1\nSTATUS=serving";
    case GJKD_NOTICE_STOPPING:
        return "STOPPING=1\nSTATUS=draining";
    case GJKD_NOTICE_RELOADING:
        break;
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(text, 128, "RELOADING=1\nMONOTONIC_USEC=%lld\nSTATUS=reloading",
             (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000);
    return text;
}

static bool send_to(const char *path, const char *text) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    if ((path[0] != '/' && path[0] != '@') || length >= sizeof name.sun_path) {
        errno = EINVAL;
        return false;
    }
    memcpy(name.sun_path, path, length);
    if (path[0] == '@') {
        name.sun_path[0] = '\0';
    }
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return false;
    }
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    bool sent = sendto(fd, text, strlen(text), MSG_NOSIGNAL,
                       (const struct sockaddr *)(const void *)&name, size) >= 0;
    close(fd);
    return sent;
}

void gjkd_notify(gjkd_notice notice) {
    char text[128];
    const char *path = getenv("NOTIFY_SOCKET");
    if (path != NULL && path[0] != '\0' && !send_to(path, write_notice(notice, text))) {
        gjkd_log(GJKD_LOG_WARNING, "the service manager at %.108s cannot be told: %s", path,
                 strerror(errno));
    }
}

/*
 * Nice values, and the length of the scheduler's slices that threads request. Since Linux 6.12 a
 * thread that wakes up at once preempts a thread with longer slices, unless it has lately used more
 * than its share; otherwise it waits for the end of the other thread's slice, regardless of nice
 * values. A thread that yields falls back by one slice: therefore workers also request slices
 * shorter than the default, and yield between chunks (chunks.c). Older kernels ignore requested
 * slices. Measured with 2 processors: tests/bench/run.sh wire.
 */

/* Nice value of workers above that of loops. */
#define WORKER_NICE 10

/* The shortest slice that the kernel accepts, about one turn of a loop; and a longer one. */
#define LOOP_SLICE_NS 100000
#define WORKER_SLICE_NS 150000

/* Sets policy, nice value and slice of the calling thread, unless the operator has chosen a
 * scheduling policy for the process. */
static void set_policy(unsigned policy, int nice, unsigned long long slice_ns) {
    if (syscall(SYS_sched_getscheduler, 0) != SCHED_NORMAL) {
        return;
    }
    struct sched_attr attributes = {
        .size = sizeof attributes,
        .sched_policy = policy,
        .sched_nice = nice,
        .sched_runtime = slice_ns,
    };
    (void)syscall(SYS_sched_setattr, 0, &attributes, 0);
}

void gjkd_thread_priority_set_loop(void) {
    set_policy(SCHED_NORMAL, getpriority(PRIO_PROCESS, 0), LOOP_SLICE_NS);
}

void gjkd_thread_priority_set_writer(void) {
    set_policy(SCHED_BATCH, getpriority(PRIO_PROCESS, 0), LOOP_SLICE_NS);
}

void gjkd_thread_priority_set_worker(void) {
    set_policy(SCHED_BATCH, getpriority(PRIO_PROCESS, 0) + WORKER_NICE, WORKER_SLICE_NS);
}
