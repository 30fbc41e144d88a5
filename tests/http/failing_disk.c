/*
 * A library to preload that makes a daemon's disk fail: what the first bytes of the file that
 * FAILING_DISK names say.
 *
 *   fsync   fsync and fdatasync fail with EIO
 *   write   writes to files fail with EIO
 *   full    they fail with ENOSPC
 *   hang    both wait until it says something else
 *   stat    a look at a database waits until then
 *
 * Sockets and pipes are left alone.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static const char *order = ""; /* until the library is begun */

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("FAILING_DISK");
    int fd = path != NULL ? open(path, O_RDONLY) : -1;
    void *page = fd >= 0 ? mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    order = page != MAP_FAILED ? page : "";
}

static int says(const char *what) {
    return strncmp(order, what, strlen(what)) == 0;
}

static int is_regular(int fd) {
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

static void hang(int fd) {
    while (says("hang") && is_regular(fd)) {
        usleep(10000);
    }
}

static int fail(int number) {
    errno = number;
    return -1;
}

int fsync(int fd) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    hang(fd);
    return says("fsync") ? fail(EIO) : real(fd);
}

int fdatasync(int fd) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    hang(fd);
    return says("fsync") ? fail(EIO) : real(fd);
}

static int refuses(int fd) {
    return (says("write") || says("full")) && is_regular(fd);
}

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t at) {
    ssize_t (*real)(int, const void *, size_t, off64_t) =
        (ssize_t(*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
    hang(fd);
    return refuses(fd) ? fail(says("full") ? ENOSPC : EIO) : real(fd, data, length, at);
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t at) {
    return pwrite64(fd, data, length, at);
}

ssize_t write(int fd, const void *data, size_t length) {
    ssize_t (*real)(int, const void *, size_t) =
        (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    return refuses(fd) && fd > 2 ? fail(says("full") ? ENOSPC : EIO) : real(fd, data, length);
}

int stat(const char *path, struct stat *status) {
    int (*real)(const char *, struct stat *) =
        (int (*)(const char *, struct stat *))dlsym(RTLD_NEXT, "stat");
    size_t length = strlen(path);
    while (says("stat") && length > 3 && strcmp(path + length - 3, ".db") == 0) {
        usleep(10000);
    }
    return real(path, status);
}
