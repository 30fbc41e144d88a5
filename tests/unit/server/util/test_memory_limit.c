/* Which of the machine's and the control groups' limits is found? The files are a test's own. */

#include "util/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "test_server.h"

#define KIB_OF_MACHINE 4096
#define BYTES_OF_MACHINE ((uint64_t)KIB_OF_MACHINE * 1024)

static char root[64];

/* Writes a file with its folders below the root. */
static void write_file(const char *name, const char *text) {
    char path[512];
    snprintf(path, sizeof path, "%s%s", root, name);
    for (char *at = path + strlen(root) + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = '\0';
        (void)mkdir(path, 0700);
        *at = '/';
    }
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static void begin(const char *groups) {
    strcpy(root, "/tmp/gjkd-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(root));
    write_file("/proc/meminfo", "MemTotal:        4096 kB\nMemFree: 1 kB\n");
    if (groups != NULL) {
        write_file("/proc/self/cgroup", groups);
    }
}

static void finish(uint64_t expected) {
    char command[96];
    ck_assert_uint_eq(gjkd_memory_limit(root), expected);
    snprintf(command, sizeof command, "rm -r %s", root);
    ck_assert_int_eq(system(command), 0); /* NOLINT(cert-env33-c): a path of our own */
}

TEST(the_machine) {
    begin(NULL);
    finish(BYTES_OF_MACHINE);
    begin("0::/a/b\n");
    write_file("/sys/fs/cgroup/a/b/memory.max", "max\n");
    write_file("/sys/fs/cgroup/a/memory.max", "9000000\n"); /* more than there is */
    finish(BYTES_OF_MACHINE);
}

TEST_EACH(version_2, 0, 5) {
    static const struct {
        const char *own, *parent, *top;
        uint64_t expected;
    } rows[] = {
        {"1000000", "2000000", "3000000", 1000000},
        {"2000000", "1000000", "max", 1000000},
        {"max", "max", "1000000", 1000000},
        {"max", "max", "max", BYTES_OF_MACHINE},
        {"0", "max", "max", 0},
    };
    begin("0::/a.slice/b\n");
    write_file("/sys/fs/cgroup/a.slice/b/memory.max", rows[_i].own);
    write_file("/sys/fs/cgroup/a.slice/memory.max", rows[_i].parent);
    write_file("/sys/fs/cgroup/memory.max", rows[_i].top);
    finish(rows[_i].expected);
}

/* Of version 1 only the tree of memory counts; a container sees its own group as the root. */
TEST(version_1) {
    begin("5:cpu,cpuacct:/a\n4:memory:/a/b\n1:name=systemd:/x\n");
    write_file("/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
    write_file("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "3000000\n");
    write_file("/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "1\n");
    finish(3000000);
    begin("4:hugetlb,memory:/docker/0123\n0::/\n");
    write_file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "2000000\n");
    finish(2000000);
}

TEST(nonsense) {
    begin("\n::\nmemory\n0::\n7:memory\n");
    write_file("/sys/fs/cgroup/memory.max", "much\n");
    finish(BYTES_OF_MACHINE);
}
