/*
 * The handler makes only calls that are safe in a signal handler: write, and backtrace, whose
 * library is loaded beforehand because its first call allocates. Every thread that works on
 * requests has an alternate stack, so that stack overflows are reported, too. If two threads crash
 * at once, only the first one reports.
 */

#include "util/crash.h"

#include "util/symbols.h"

#include <execinfo.h>
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

static void put(const char *text) {
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written; /* there is no other place to report to */
}

static void put_number(uintptr_t number) {
    char text[2 * sizeof number + 3];
    char *at = text + sizeof text - 1;
    *at = '\0';
    do {
        *--at = "0123456789abcdef"[number % 16];
        number /= 16;
    } while (number > 0);
    *--at = 'x';
    *--at = '0';
    put(at);
}

/* One line each, in the form of backtrace_symbols, which does not know hidden functions. */
static void put_frames(void *const *frames, int count) {
    for (int i = 0; i < count; i++) {
        uintptr_t offset = 0;
        const char *name = gjkd_symbols_find(frames[i], &offset);
        if (name == NULL) {
            backtrace_symbols_fd(&frames[i], 1, STDERR_FILENO);
            continue;
        }
        put("gjkd(");
        put(name);
        put("+");
        put_number(offset);
        put(")[");
        put_number((uintptr_t)frames[i]);
        put("]\n");
    }
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
    put("gjkd " GJKD_VERSION_TEXT " crashed: ");
    put(name);
    put(", at work on ");
    put(current_route != NULL ? current_route : "no request");
    put("\n");
    put_frames(frames, backtrace(frames, FRAMES_MAX));
    raise(number); /* the default action, restored by SA_RESETHAND */
}

void gjkd_crash_install(void) {
    void *frame[1];
    backtrace(frame, 1);
    gjkd_symbols_load();
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

/* Keeps a stack that is there already: the address sanitizer sets one, and frees what it finds. */
static void set_stack(void) {
    stack_t old;
    stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
    if (sigaltstack(NULL, &old) == 0 && (old.ss_flags & SS_DISABLE)) {
        sigaltstack(&stack, NULL);
    }
}

const char *gjkd_crash_note_route(const char *route) {
    const char *before = current_route;
    if (!has_stack) {
        set_stack();
        has_stack = true;
    }
    current_route = route;
    return before;
}
