/* Reads /proc/self; proc(5). */

#include "util/process.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static void print(FILE *out, const char *name, const char *type, const char *help, double value) {
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n%s %.17g\n", name, help, name, type, name, value);
}

/* Reads the first line of a file. False: there is none. */
static bool read_line(const char *path, char *line, int size) {
    FILE *file = fopen(path, "re");
    bool fine = file != NULL && fgets(line, size, file) != NULL;
    if (file != NULL) {
        fclose(file);
    }
    return fine;
}

/* Reads the pages of address space and those in memory; 0 if the system does not tell. */
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
        int count = -1; /* the directory's own descriptor */
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

static void print_cpu(FILE *out) {
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        double seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
        print(out, "process_cpu_seconds_total", "counter", "Processor time used.", seconds);
    }
}

/* Field 22 of stat, in ticks since boot. The second field may contain blanks and parentheses. */
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
    print_cpu(out);
    print_start(out);
}
