/*
 * By nice values, and by the length of the slices that threads ask for. Since Linux 6.12 a thread
 * that wakes up interrupts at once whoever asked for longer slices, as long as it has not had more
 * than its share lately; otherwise it waits until that one's slice is over, whatever their nice
 * values. And who yields goes back by a slice: so workers ask for shorter ones than usual, too,
 * and yield between two parts (crew.c). Older systems take no notice of slices. Measured with 2
 * processors: tests/bench/run.sh wire.
 */

#include "work/thread_priority.h"

#include <linux/sched.h>
#include <linux/sched/types.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What workers wait for the loops by. */
#define WORKER_NICE 10

/* The shortest that may be asked for, about what a loop does at one time; and a bit more. */
#define LOOP_SLICE_NS 100000
#define WORKER_SLICE_NS 150000

/* Whoever has given the process another policy than the ordinary one knows better. */
static void set(unsigned policy, int nice, unsigned long long slice_ns) {
    if (syscall(SYS_sched_getscheduler, 0) != SCHED_NORMAL) {
        return;
    }
    struct sched_attr wanted = {
        .size = sizeof wanted,
        .sched_policy = policy,
        .sched_nice = nice,
        .sched_runtime = slice_ns,
    };
    (void)syscall(SYS_sched_setattr, 0, &wanted, 0);
}

void gjkd_thread_priority_of_loop(void) {
    set(SCHED_NORMAL, getpriority(PRIO_PROCESS, 0), LOOP_SLICE_NS);
}

void gjkd_thread_priority_of_worker(void) {
    set(SCHED_BATCH, getpriority(PRIO_PROCESS, 0) + WORKER_NICE, WORKER_SLICE_NS);
}
