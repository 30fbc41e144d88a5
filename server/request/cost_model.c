/*
 * How long will this request take? A linear model with figures measured on a 2-core x86-64
 * machine: 17 ns a byte to decode JSON, the rest below. Only the order of magnitude counts.
 */

#include "request/cost_model.h"

#include <string.h>

#define WORKER_FROM_NS 50000
#define DECODE_BYTE_NS 20
#define PAIR_NS 3000        /* one pair or one ray at one shape, printed */
#define POINT_NS 150        /* one point of a large shape, scanned as often as it takes */
#define COLUMNS_ROW_NS 1000 /* one pair or one ray of a column message */
#define READ_SHAPE_NS 200   /* one shape of a set, printed */
#define LIST_ITEM_NS 400    /* one summary, printed */
/*
 * One thing that a question to a set looks at, be it skipped by its box, asked or printed. Most
 * are skipped: tests/bench/run.sh sets measures 10 to 60 ns each for rays and nearest in open
 * scenes of 100 to 100,000 shapes; where all coincide each is asked and, if it is told, printed.
 */
#define MET_NS 200
#define CAST_MET_NS 600
#define PAIRS_SHAPE_NS 200 /* all pairs: one shape, besides what it meets */
#define ITEMS_MAX 10000000 /* keeps products within 64 bits */

static uint64_t pair_ns(const gjkd_work *work) {
    return PAIR_NS + work->points * POINT_NS;
}

static bool has_member(const gjkd_work *work, const char *name) {
    return work->body != NULL && gjkd_cost_model_has_member(work->body, work->body_bytes, name);
}

static uint64_t detect_ns(const gjkd_work *work) {
    if (work->items == 0 || has_member(work, "b")) {
        return pair_ns(work);
    }
    if (has_member(work, "a")) {
        return pair_ns(work) + work->met * MET_NS;
    }
    /* All pairs, or against another set, whose size is taken to be alike. */
    return pair_ns(work) + work->items * (PAIRS_SHAPE_NS + work->met * MET_NS);
}

static uint64_t distance_ns(const gjkd_work *work) {
    bool pair = work->items == 0 || has_member(work, "b");
    return pair_ns(work) + (pair ? 0 : work->met * MET_NS);
}

static uint64_t raycast_ns(const gjkd_work *work) {
    bool single = work->items == 0 || has_member(work, "target") || has_member(work, "shape");
    return pair_ns(work) + (single ? 0 : work->met * MET_NS);
}

static uint64_t cast_ns(const gjkd_work *work) {
    bool single = work->items == 0 || has_member(work, "target");
    return pair_ns(work) + (single ? 0 : work->met * CAST_MET_NS);
}

/* Decoding is next to nothing; a pair's or a ray's share of a set is what the core asks. */
static uint64_t columns_ns(const gjkd_work *work) {
    uint64_t row = COLUMNS_ROW_NS + work->points * POINT_NS;
    return work->rows * (work->cost == GJKD_COST_RAYCAST ? row + work->met * MET_NS : row);
}

uint64_t gjkd_cost_model_ns(const gjkd_work *work) {
    if (work->rows > 0) {
        return columns_ns(work);
    }
    gjkd_work bounded = *work;
    bounded.items = work->items < ITEMS_MAX ? work->items : ITEMS_MAX;
    bounded.met = work->met < ITEMS_MAX ? work->met : ITEMS_MAX;
    uint64_t decode = (uint64_t)work->body_bytes * DECODE_BYTE_NS;
    if (decode > WORKER_FROM_NS) {
        return decode; /* settled: do not search a long body for names */
    }
    switch (work->cost) {
    case GJKD_COST_NONE:
        return 0;
    case GJKD_COST_WRITE:
        return WORKER_FROM_NS + 1 + decode;
    case GJKD_COST_READ:
        return bounded.items * READ_SHAPE_NS;
    case GJKD_COST_LIST:
        return bounded.items * LIST_ITEM_NS;
    case GJKD_COST_DETECT:
        return decode + detect_ns(&bounded);
    case GJKD_COST_DISTANCE:
        return decode + distance_ns(&bounded);
    case GJKD_COST_RAYCAST:
        return decode + raycast_ns(&bounded);
    case GJKD_COST_CAST:
        return decode + cast_ns(&bounded);
    case GJKD_COST_HIT:
        return decode + 2 * raycast_ns(&bounded);
    case GJKD_COST_BATCH:
        return WORKER_FROM_NS + 1 + decode;
    }
    return 0;
}

/* A body that is not read counts as the dearest form of the question: most are cheap even so. */
bool gjkd_cost_model_wants_worker(const gjkd_work *work) {
    gjkd_work unread = *work;
    unread.body = NULL;
    return work->cost != GJKD_COST_NONE && gjkd_cost_model_ns(&unread) > WORKER_FROM_NS &&
           gjkd_cost_model_ns(work) > WORKER_FROM_NS;
}

static const char *skip_blanks(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) {
        at++;
    }
    return at;
}

/* at stands behind an opening quote. The closing quote, or end. */
static const char *find_quote(const char *at, const char *end) {
    while (at < end && *at != '"') {
        at += *at == '\\' ? 2 : 1;
    }
    return at < end ? at : end;
}

bool gjkd_cost_model_has_member(const char *body, size_t length, const char *name) {
    if (length == 0) {
        return false; /* and there may be no body */
    }
    const char *end = body + length;
    size_t name_length = strlen(name);
    int depth = 0;
    for (const char *at = body; at < end; at++) {
        if (*at == '{' || *at == '[') {
            depth++;
        } else if (*at == '}' || *at == ']') {
            depth--;
        } else if (*at == '"') {
            const char *start = at + 1;
            at = find_quote(start, end);
            if (depth != 1 || (size_t)(at - start) != name_length ||
                memcmp(start, name, name_length) != 0) {
                continue;
            }
            const char *colon = skip_blanks(at + 1 < end ? at + 1 : end, end);
            if (colon < end && *colon == ':') {
                const char *value = skip_blanks(colon + 1, end);
                return value < end && *value != 'n';
            }
        }
    }
    return false;
}
