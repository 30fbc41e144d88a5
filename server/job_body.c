/*
 * How does a body come in? Piece by piece into the arena of its job, counted against what one
 * body and what all of them together may have. What nobody will read is thrown away, up to a
 * limit, so that a client that goes on sending gets to its answer.
 */

#include "job.h"

#include <string.h>

/* First size of the buffer of a body whose length nobody announced. */
#define BODY_START_BYTES 4096

void gjkd_job_refuse_length(struct gjkd_job *job) {
    uint64_t max = job->context->limits.body_bytes_max;
    proto_problem_set(&job->problem, PROTO_BODY_TOO_LARGE, "a body may have %llu bytes",
                      (unsigned long long)max);
    job->problem.has_limit = true;
    job->problem.limit = max;
    gjkd_job_refuse(job);
    job->reply.close = true;
}

bool gjkd_job_is_too_long(const struct gjkd_job *job) {
    return job->head.has_length && job->head.body_bytes > job->context->limits.body_bytes_max;
}

/* Room for length bytes more. A length that was announced is allocated once. */
static bool reserve_body(struct gjkd_job *job, size_t length) {
    if (job->body_capacity - job->body_bytes >= length) {
        return true;
    }
    size_t capacity = job->head.has_length ? (size_t)job->head.body_bytes : BODY_START_BYTES;
    while (capacity < job->body_bytes + length) {
        capacity *= 2;
    }
    char *grown = gjk_arena_alloc(&job->arena, capacity);
    if (grown == NULL) {
        return false;
    }
    if (job->body_bytes > 0) {
        memcpy(grown, job->body, job->body_bytes);
    }
    job->body = grown;
    job->body_capacity = capacity;
    return true;
}

bool gjkd_job_take_body(struct gjkd_job *job, const char *data, size_t length) {
    bool wanted = job->reply.status == 0 && (job->match.operation->flags & GJKD_TAKES_BODY);
    if (wanted && job->body_bytes + length > job->context->limits.body_bytes_max) {
        gjkd_job_refuse_length(job);
        wanted = false;
    } else if (wanted && !gjkd_budget_take(&job->context->bodies, length, &job->held_bytes)) {
        gjkd_count_rejected(job->counters, GJKD_REJECTED_BODIES);
        gjkd_job_fail(job, PROTO_OVERLOADED, "bodies of %llu bytes are held already",
                      (unsigned long long)gjkd_budget_used(&job->context->bodies));
        wanted = false;
    } else if (wanted && !reserve_body(job, length)) {
        gjkd_job_fail(job, PROTO_OUT_OF_MEMORY, "no memory for the body");
        wanted = false;
    }
    if (!wanted) {
        job->discarded_bytes += length;
        return job->discarded_bytes <= GJKD_DISCARD_BYTES_MAX;
    }
    memcpy(job->body + job->body_bytes, data, length);
    job->body_bytes += length;
    return true;
}
