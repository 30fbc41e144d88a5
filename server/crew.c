/*
 * Who works on a job, and for how long at a stretch? The first runner runs the handler. If that
 * leaves more than one part, the loop sends out as many runners as there are workers and parts;
 * a runner comes back when no part is left to take, or earlier when somebody else waits for a
 * worker, and then goes to the end of the queue.
 */

#include "crew.h"

#include "crash.h"

static void on_work(struct gjkd_task *task) {
    struct gjkd_crew *crew = ((struct gjkd_runner *)(void *)task)->crew;
    struct gjkd_job *job = crew->job;
    if (!crew->is_begun) {
        crew->is_begun = true; /* there is no other runner yet */
        gjkd_job_start(job);
        if (gjkd_parts_waiting(job) > 1 && task->pool->workers > 1) {
            return; /* for help */
        }
    }
    if (gjkd_parts_waiting(job) == 0) {
        return;
    }
    struct gjk_arena memory;
    const char *before = gjkd_crash_note_route(job->match.operation->path);
    gjk_arena_init(&memory, GJKD_JOB_BYTES_MAX);
    while (gjkd_parts_step(job, &memory) && !gjkd_pool_is_wanted(task->pool)) {
    }
    gjk_arena_fini(&memory);
    gjkd_crash_note_route(before);
}

static void send_out(struct gjkd_crew *crew) {
    struct gjkd_pool *pool = &crew->job->context->pool;
    unsigned wanted = gjkd_parts_waiting(crew->job);
    wanted = wanted < pool->workers ? wanted : pool->workers;
    for (unsigned i = 0; i < GJKD_CREW_MAX && crew->out < wanted; i++) {
        struct gjkd_runner *runner = &crew->runners[i];
        if (!runner->is_out) {
            runner->is_out = true;
            crew->out++;
            gjkd_pool_resume(pool, crew->uv, &runner->task);
        }
    }
}

static void on_done(struct gjkd_task *task) {
    struct gjkd_runner *runner = (struct gjkd_runner *)(void *)task;
    struct gjkd_crew *crew = runner->crew;
    runner->is_out = false;
    crew->out--;
    send_out(crew);
    if (crew->out == 0) {
        gjkd_job_end(crew->job);
        crew->done(crew);
    }
}

bool gjkd_crew_start(struct gjkd_crew *crew) {
    crew->is_begun = false;
    for (unsigned i = 0; i < GJKD_CREW_MAX; i++) {
        crew->runners[i] = (struct gjkd_runner){.crew = crew};
        crew->runners[i].task.run = on_work;
        crew->runners[i].task.done = on_done;
    }
    if (!gjkd_pool_submit(&crew->job->context->pool, crew->uv, &crew->runners[0].task)) {
        return false;
    }
    crew->runners[0].is_out = true;
    crew->out = 1;
    return true;
}
