/*
 * Who works on a job, and for how long at a stretch? The first runner runs the handler, then the
 * parts that this leaves. Before each part it looks around: is a worker idle, it sends for help;
 * does somebody wait for one, it goes to the end of the queue; a loop that waits for the processor
 * goes first. Helpers do the same. Nobody is sent for who would have to be waited for. A runner
 * ends when no part is left to take, and the last one to end ends the job.
 */

#include "crew.h"

#include "crash.h"

#include <sched.h>

static void send_for_help(struct gjkd_crew *crew) {
    unsigned next = atomic_load(&crew->sent);
    while (next < GJKD_CREW_MAX && !atomic_compare_exchange_weak(&crew->sent, &next, next + 1)) {
    }
    if (next < GJKD_CREW_MAX) {
        atomic_fetch_add(&crew->out, 1);
        gjkd_pool_resume(&crew->job->context->pool, &crew->runners[next].task);
    }
}

/* False: there are parts left for later. */
static bool do_parts(struct gjkd_crew *crew) {
    struct gjkd_job *job = crew->job;
    struct gjkd_pool *pool = &job->context->pool;
    struct gjk_arena memory;
    gjk_arena_init(&memory, GJKD_JOB_BYTES_MAX);
    while (gjkd_parts_waiting(job) > 0) {
        if (gjkd_parts_waiting(job) > 1 && gjkd_pool_has_hands(pool)) {
            send_for_help(crew);
        }
        (void)gjkd_parts_step(job, &memory);
        if (gjkd_pool_is_wanted(pool) || gjkd_parts_waiting(job) == 0) {
            break;
        }
        sched_yield(); /* a loop may have been woken that was not to interrupt just then */
    }
    gjk_arena_fini(&memory);
    return gjkd_parts_waiting(job) == 0;
}

static gjkd_turn on_work(struct gjkd_task *task) {
    struct gjkd_crew *crew = ((struct gjkd_runner *)(void *)task)->crew;
    struct gjkd_job *job = crew->job;
    const char *before = gjkd_crash_note_route(job->match.operation->path);
    if (!crew->is_begun) {
        crew->is_begun = true; /* there is no other runner yet */
        gjkd_job_start(job);
    }
    gjkd_turn turn = GJKD_TURN_AGAIN;
    if (do_parts(crew)) {
        turn = GJKD_TURN_OVER;
        if (atomic_fetch_sub(&crew->out, 1) == 1) {
            turn = GJKD_TURN_DONE;
            gjkd_job_end(job);
        }
    }
    gjkd_crash_note_route(before);
    return turn;
}

static void on_done(struct gjkd_task *task) {
    struct gjkd_crew *crew = ((struct gjkd_runner *)(void *)task)->crew;
    crew->done(crew);
}

bool gjkd_crew_start(struct gjkd_crew *crew) {
    crew->is_begun = false;
    atomic_init(&crew->sent, 1);
    atomic_init(&crew->out, 1);
    for (unsigned i = 0; i < GJKD_CREW_MAX; i++) {
        crew->runners[i] = (struct gjkd_runner){.crew = crew};
        crew->runners[i].task.returns = crew->returns;
        crew->runners[i].task.run = on_work;
        crew->runners[i].task.done = on_done;
    }
    return gjkd_pool_submit(&crew->job->context->pool, &crew->runners[0].task);
}
