/*
 * Frames are printed as offsets in the program's file, with its build id; they are not resolved to
 * names here. The handler makes only calls that are safe in a signal handler: write, and backtrace,
 * whose library is loaded beforehand because its first call allocates. Every thread that works on
 * requests has an alternate stack, so that stack overflows are reported, too. If two threads crash
 * at once, only the first one reports.
 */

#define _GNU_SOURCE /* dl_iterate_phdr */
#include "util/crash.h"

#include <elf.h>
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define FRAMES_MAX 64

/* The handler's stack: backtrace needs about 10 KiB, the saved registers up to 11. */
#define STACK_BYTES 65536

static const struct {
    int number;
    const char *name;
} signals[] = {
    {SIGSEGV, "SIGSEGV (invalid address)"},   {SIGBUS, "SIGBUS (memory without backing)"},
    {SIGABRT, "SIGABRT (failed assertion)"},  {SIGFPE, "SIGFPE (integer division by 0)"},
    {SIGILL, "SIGILL (invalid instruction)"},
};
enum { SIGNAL_COUNT = sizeof signals / sizeof signals[0] };

static _Thread_local const char *volatile current_route;
static _Thread_local char handler_stack[STACK_BYTES];
static _Thread_local bool has_stack;

static char build_id[65] = "unknown";

static void put_stderr(const char *text) {
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written; /* there is no other place to report to */
}

static size_t padded(size_t bytes) {
    return (bytes + 3) / 4 * 4;
}

/* Stores the build id in hexadecimal if it is among the notes from `at` to `end`: elf(5). */
static void keep_build_id(const char *at, const char *end) {
    while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        memcpy(&note, at, sizeof note);
        const char *name = at + sizeof note, *bytes = name + padded(note.n_namesz);
        if ((size_t)(end - name) < padded(note.n_namesz) + padded(note.n_descsz)) {
            return;
        }
        at = bytes + padded(note.n_descsz);
        if (note.n_type != NT_GNU_BUILD_ID || note.n_descsz >= sizeof build_id / 2 ||
            note.n_namesz != 4 || memcmp(name, "GNU", 4) != 0) {
            continue;
        }
        for (size_t i = 0; i < note.n_descsz; i++) {
            build_id[2 * i] = "0123456789abcdef"[(unsigned char)bytes[i] >> 4];
            build_id[2 * i + 1] = "0123456789abcdef"[(unsigned char)bytes[i] & 15];
        }
    }
}

/* Looks for the build id of the program, which is the first object, and ends the iteration. */
static int find_build_id(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size, (void)unused;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        const char *at = (const char *)(object->dlpi_addr + part->p_vaddr); /* NOLINT */
        if (part->p_type == PT_NOTE) {
            keep_build_id(at, at + part->p_memsz);
        }
    }
    return 1;
}

static void on_crash(int number) {
    static atomic_flag reported = ATOMIC_FLAG_INIT;
    void *frames[FRAMES_MAX];
    if (atomic_flag_test_and_set(&reported)) {
        pause(); /* until the first one ends the process */
    }
    const char *name = "a signal";
    for (int i = 0; i < SIGNAL_COUNT; i++) {
        name = signals[i].number == number ? signals[i].name : name;
    }
    put_stderr("gjkd " GJKD_VERSION_TEXT " crashed: ");
    put_stderr(name);
    put_stderr(", at work on ");
    put_stderr(current_route != NULL ? current_route : "no request");
    put_stderr("\n");
    put_stderr("build id ");
    put_stderr(build_id);
    put_stderr("; addr2line or a debugger names these places, with the binary of that build:\n");
    backtrace_symbols_fd(frames, backtrace(frames, FRAMES_MAX), STDERR_FILENO);
    raise(number); /* the default action, restored by SA_RESETHAND */
}

void gjkd_crash_install(void) {
    void *frame[1];
    backtrace(frame, 1);
    dl_iterate_phdr(find_build_id, NULL);
    for (int i = 0; i < SIGNAL_COUNT; i++) {
        struct sigaction old;
        struct sigaction action = {.sa_handler = on_crash};
        action.sa_flags = (int)(SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
        sigemptyset(&action.sa_mask);
        if (sigaction(signals[i].number, NULL, &old) == 0 && old.sa_handler == SIG_DFL) {
            sigaction(signals[i].number, &action, NULL);
        }
    }
}

const char *gjkd_crash_note_route(const char *route) {
    const char *before = current_route;
    if (!has_stack) {
        /* Keeps an existing stack: the address sanitizer sets one, and frees the one it finds. */
        stack_t old;
        stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
        if (sigaltstack(NULL, &old) == 0 && (old.ss_flags & SS_DISABLE)) {
            sigaltstack(&stack, NULL);
        }
        has_stack = true;
    }
    current_route = route;
    return before;
}
