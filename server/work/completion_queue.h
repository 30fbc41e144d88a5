#ifndef GJKD_WORK_COMPLETION_QUEUE_H
#define GJKD_WORK_COMPLETION_QUEUE_H

/* Tasks that workers are done with, on their way back to the loop that handed them off. */

#include "work/mpsc_queue.h"

#include <uv.h>

struct gjkd_completion_queue {
    struct gjkd_mpsc_queue inbox;
    uv_poll_t poll;
    int fd; /* readable when tasks have come */
};

/* On the loop's thread, or before it runs. False: the system has no descriptor to give. */
bool gjkd_completion_queue_init(struct gjkd_completion_queue *returns, uv_loop_t *uv);

/* From any thread: the loop calls task->done. Nobody touches the task after this but the loop. */
void gjkd_completion_queue_put(struct gjkd_completion_queue *returns, struct gjkd_task *task);

/* On the loop's thread, when nothing is handed off any more: so that the loop can end. */
void gjkd_completion_queue_close(struct gjkd_completion_queue *returns);

/* After that, when the workers have ended, who may be in the middle of telling. */
void gjkd_completion_queue_fini(struct gjkd_completion_queue *returns);

#endif
