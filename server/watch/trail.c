/* The ring grows as needed; a grown ring is freed when the trail is empty. */

#include "watch/trail.h"

#include "sets/version.h"

#include <stdlib.h>

#define CAPACITY_START 16

static gjkd_trail_step *step_of(const gjkd_trail *trail, uint64_t number) {
    return &trail->ring[number & (trail->capacity - 1)];
}

static void drop_oldest(gjkd_trail *trail) {
    const gjkd_trail_step *step = step_of(trail, trail->begin++);
    if (step->followers > 0) {
        trail->bytes -= step->version->charged_bytes;
        gjkd_version_release(step->version);
    }
}

/* Makes room for one more step. Returns false if memory is exhausted. */
static bool grow(gjkd_trail *trail) {
    const uint32_t capacity = trail->capacity > 0 ? trail->capacity * 2 : CAPACITY_START;
    gjkd_trail grown = {.ring = NULL, .capacity = capacity};
    if (trail->end - trail->begin < trail->capacity) {
        return true;
    }
    grown.ring = malloc(capacity * sizeof *grown.ring);
    if (grown.ring == NULL) {
        return false;
    }
    for (uint64_t number = trail->begin; number < trail->end; number++) {
        *step_of(&grown, number) = *step_of(trail, number);
    }
    free(trail->ring);
    trail->ring = grown.ring;
    trail->capacity = capacity;
    return true;
}

static void drop_taken(gjkd_trail *trail) {
    while (trail->begin < trail->end && step_of(trail, trail->begin)->followers == 0) {
        drop_oldest(trail);
    }
    if (trail->begin == trail->end && trail->capacity > CAPACITY_START) {
        free(trail->ring);
        trail->ring = NULL;
        trail->capacity = 0;
    }
}

uint64_t gjkd_trail_join(gjkd_trail *trail) {
    trail->followers++;
    return trail->end;
}

void gjkd_trail_leave(gjkd_trail *trail, uint64_t next) {
    gjkd_trail_step step;
    bool has_lost;
    while (gjkd_trail_take(trail, &next, &step, &has_lost)) {
        gjkd_version_release(step.version);
    }
    trail->followers--;
}

/* Returns true if the trail cannot take `newest` without exceeding its limits. */
static bool is_full(const gjkd_trail *trail, const struct gjkd_version *newest) {
    const gjkd_trail_step *oldest = step_of(trail, trail->begin);
    const uint64_t made = newest->made_bytes - oldest->version->made_bytes;
    return trail->end - trail->begin >= GJKD_TRAIL_VERSIONS_MAX ||
           trail->bytes + newest->charged_bytes > GJKD_TRAIL_BYTES_MAX ||
           made > GJKD_TRAIL_BYTES_MAX;
}

void gjkd_trail_add(gjkd_trail *trail, uint64_t from, struct gjkd_version *version) {
    if (trail->followers == 0) {
        return;
    }
    while (trail->begin < trail->end && is_full(trail, version)) {
        drop_oldest(trail);
    }
    if (!grow(trail)) {
        while (trail->begin < trail->end) {
            drop_oldest(trail);
        }
        trail->begin = ++trail->end;
        return;
    }
    *step_of(trail, trail->end++) =
        (gjkd_trail_step){from, gjkd_version_retain(version), trail->followers};
    trail->bytes += version->charged_bytes;
}

bool gjkd_trail_take(gjkd_trail *trail, uint64_t *next, gjkd_trail_step *out, bool *has_lost) {
    *has_lost = *next < trail->begin;
    *next = *has_lost ? trail->begin : *next;
    if (*next == trail->end) {
        return false;
    }
    gjkd_trail_step *step = step_of(trail, (*next)++);
    *out = *step;
    if (--step->followers > 0) {
        gjkd_version_retain(step->version);
    } else { /* the caller gets the trail's reference */
        trail->bytes -= step->version->charged_bytes;
    }
    drop_taken(trail);
    return true;
}

void gjkd_trail_fini(gjkd_trail *trail) {
    free(trail->ring);
}
