#ifndef GJKD_RETURNS_H
#define GJKD_RETURNS_H

/* Tasks that workers are done with, on their way back to the loop that handed them off. */

#include "inbox.h"

#include <uv.h>

struct gjkd_returns {
    struct gjkd_inbox inbox;
    uv_poll_t poll;
    int fd; /* readable when tasks have come */
};

/* On the loop's thread, or before it runs. False: the system has no descriptor to give. */
bool gjkd_returns_init(struct gjkd_returns *returns, uv_loop_t *uv);

/* From any thread: the loop calls task->done. Nobody touches the task after this but the loop. */
void gjkd_returns_put(struct gjkd_returns *returns, struct gjkd_task *task);

/* On the loop's thread, when nothing is handed off any more: so that the loop can end. */
void gjkd_returns_close(struct gjkd_returns *returns);

/* After that, when the workers have ended, who may be in the middle of telling. */
void gjkd_returns_fini(struct gjkd_returns *returns);

#endif
