/*
 * What was the process doing when it crashed? The handler calls only what may be called in
 * one: write, and backtrace, whose library is loaded beforehand (its first call allocates).
 * Every thread that works on requests has a stack of its own for the handler, so that an
 * overflow of the other one is told too. If two threads crash at once, the first one speaks.
 */

#include "util/crash.h"

#include <execinfo.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define FRAMES_MAX 64

/* Of the handler: backtrace takes some 10 KiB, the processor's registers up to 11. */
#define STACK_BYTES 65536

static const struct {
    int number;
    const char *name;
} signals[] = {
    {SIGSEGV, "SIGSEGV (a bad address)"},    {SIGBUS, "SIGBUS (memory that is not there)"},
    {SIGABRT, "SIGABRT (a broken promise)"}, {SIGFPE, "SIGFPE (a whole number divided by 0)"},
    {SIGILL, "SIGILL (a bad instruction)"},
};
enum { SIGNAL_COUNT = sizeof signals / sizeof signals[0] };

static _Thread_local const char *volatile current_route;
static _Thread_local char handler_stack[STACK_BYTES];
static _Thread_local bool has_stack;

static void put(const char *text) {
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written; /* there is nobody left to tell */
}

static void on_crash(int number) {
    static atomic_flag spoken = ATOMIC_FLAG_INIT;
    void *frames[FRAMES_MAX];
    if (atomic_flag_test_and_set(&spoken)) {
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
    backtrace_symbols_fd(frames, backtrace(frames, FRAMES_MAX), STDERR_FILENO);
    raise(number); /* its own handler is back, by SA_RESETHAND */
}

void gjkd_crash_install(void) {
    void *frame[1];
    backtrace(frame, 1);
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

/* Unless somebody else has: the address sanitizer does, and frees what it finds. */
static void give_stack(void) {
    stack_t old;
    stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
    if (sigaltstack(NULL, &old) == 0 && (old.ss_flags & SS_DISABLE)) {
        sigaltstack(&stack, NULL);
    }
}

const char *gjkd_crash_note_route(const char *route) {
    const char *before = current_route;
    if (!has_stack) {
        give_stack();
        has_stack = true;
    }
    current_route = route;
    return before;
}
