/*
 * Nice values, and the length of the time slices that threads request. Since Linux 6.12 a thread
 * that wakes up preempts at once a thread with longer slices, as long as it has not had more than
 * its share lately; otherwise it waits until the other one's slice is over, whatever the nice
 * values are. A thread that yields falls back by one slice: therefore workers request slices
 * shorter than the default, too, and yield between two chunks (task_group.c). Older kernels ignore
 * requested slices. Measured with 2 processors: tests/bench/run.sh wire.
 */

#include "work/thread_priority.h"

#include <linux/sched.h>
#include <linux/sched/types.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* By how much workers are nicer than loops. */
#define WORKER_NICE 10

/* The shortest slice that may be requested, about as long as one turn of a loop; and a bit more. */
#define LOOP_SLICE_NS 100000
#define WORKER_SLICE_NS 150000

/* Leaves a process alone whose scheduling policy was chosen by the operator. */
static void set(unsigned policy, int nice, unsigned long long slice_ns) {
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
    set(SCHED_NORMAL, getpriority(PRIO_PROCESS, 0), LOOP_SLICE_NS);
}

void gjkd_thread_priority_set_worker(void) {
    set(SCHED_BATCH, getpriority(PRIO_PROCESS, 0) + WORKER_NICE, WORKER_SLICE_NS);
}
