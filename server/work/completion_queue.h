#ifndef GJKD_WORK_COMPLETION_QUEUE_H
#define GJKD_WORK_COMPLETION_QUEUE_H

/* Completed tasks on their way from the workers to the loop that submitted them. */

#include "work/task.h"

#include <uv.h>

struct gjkd_completion_queue {
    struct gjkd_mpsc_queue tasks;
    uv_poll_t poll;
    int fd; /* readable when there are tasks */
};

/* On the loop's thread, or before the loop runs. False: there is no file descriptor left. */
bool gjkd_completion_queue_init(struct gjkd_completion_queue *completions, uv_loop_t *uv);

/* From any thread: the loop will call task->done. Only the loop may touch the task after this. */
void gjkd_completion_queue_put(struct gjkd_completion_queue *completions, struct gjkd_task *task);

/* On the loop's thread, when no submitted task is left: closes the handle, so that the loop can
 * end. */
void gjkd_completion_queue_close(struct gjkd_completion_queue *completions);

/* After close, and after the workers have ended: one of them may still be in put. */
void gjkd_completion_queue_fini(struct gjkd_completion_queue *completions);

#endif
