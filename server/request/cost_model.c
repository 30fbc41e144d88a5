/*
 * A linear model with figures measured on a 2-core x86-64 machine: 17 ns to decode a byte of JSON,
 * the rest below. Only the order of magnitude matters: a loop gives up work that takes longer than
 * estimated, and a worker starts it again.
 */

#include "request/cost_model.h"

#include <string.h>

#define WORKER_FROM_NS 50000
#define DECODE_BYTE_NS 20
#define PAIR_NS 3000        /* one pair or one ray at one shape, printed */
#define POINT_NS 150        /* one point of a large shape, scanned in all iterations */
#define COLUMNS_ROW_NS 1000 /* one pair or one ray of a column message */
#define READ_SHAPE_NS 200   /* one shape of a set, or one piece of a shape, printed */
#define READ_BYTES_A_NS 2   /* bytes of a definition that are copied in 1 ns */
#define READ_POINT_NS 20    /* one point of a shape's definition, copied */
#define LIST_ITEM_NS 400    /* one summary, printed */
#define PAIRS_SHAPE_NS 200  /* all pairs: one shape, besides the shapes that it visits */
#define ITEMS_MAX 10000000  /* keeps products within 64 bits */

static uint64_t at_most(uint64_t count) {
    return count < ITEMS_MAX ? count : ITEMS_MAX;
}

/* --- Search for members, without decoding --- */

static const char *skip_blanks(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) {
        at++;
    }
    return at;
}

/* Returns the value of the outermost member of that name, a pointer into the body. NULL if it is
 * absent or null. */
static const char *find_member(const char *body, size_t length, const char *name) {
    if (length == 0) {
        return NULL; /* body may be NULL */
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
            for (at = start; at < end && *at != '"';) {
                at += *at == '\\' ? 2 : 1;
            }
            at = at < end ? at : end;
            if (depth != 1 || (size_t)(at - start) != name_length ||
                memcmp(start, name, name_length) != 0) {
                continue;
            }
            const char *colon = skip_blanks(at + 1 < end ? at + 1 : end, end);
            if (colon < end && *colon == ':') {
                const char *value = skip_blanks(colon + 1, end);
                return value < end && *value != 'n' ? value : NULL;
            }
        }
    }
    return NULL;
}

bool gjkd_cost_model_has_member(const char *body, size_t length, const char *name) {
    return find_member(body, length, name) != NULL;
}

/* --- The model --- */

static bool has_member(const gjkd_work *work, const char *name) {
    return name != NULL && work->body != NULL &&
           gjkd_cost_model_has_member(work->body, work->body_bytes, name);
}

/* Returns the number of shapes that a query of the set visits: work->met, or the body's `limit` if
 * that is more. */
static uint64_t shapes_met(const gjkd_work *work) {
    if (work->body == NULL) {
        return at_most(work->items);
    }
    const char *end = work->body + work->body_bytes;
    const char *digit = find_member(work->body, work->body_bytes, "limit");
    uint64_t asked = 0;
    for (; digit != NULL && digit < end && *digit >= '0' && *digit <= '9'; digit++) {
        asked = asked < work->items ? asked * 10 + (uint64_t)(*digit - '0') : asked;
    }
    asked = asked < work->items ? asked : work->items;
    return at_most(asked > work->met ? asked : work->met);
}

static uint64_t query_ns(const gjkd_work *work) {
    const gjkd_cost *cost = work->cost;
    uint64_t met_ns = shapes_met(work) * cost->met_ns;
    uint64_t ns = PAIR_NS + work->points * POINT_NS;
    if (work->items == 0 || has_member(work, cost->pair_given[0]) ||
        has_member(work, cost->pair_given[1])) {
        return ns;
    }
    if (cost->all_unless == NULL || has_member(work, cost->all_unless)) {
        return (ns + met_ns) * (cost->rounds > 0 ? cost->rounds : 1);
    }
    /* All pairs, of the set or against another set, which is assumed to be of the same size. */
    return ns + at_most(work->items) * (PAIRS_SHAPE_NS + met_ns);
}

/* Returns the estimated time of the work in ns, rather too high than too low. */
static uint64_t cost_model_ns(const gjkd_work *work) {
    uint64_t decode = (uint64_t)work->body_bytes * DECODE_BYTE_NS;
    if (work->rows > 0) {
        /* The time of decoding is negligible. */
        const uint64_t row = COLUMNS_ROW_NS + work->points * POINT_NS;
        return work->rows * (work->rows_ask_set ? row + work->met * work->cost->met_ns : row);
    }
    if (decode > WORKER_FROM_NS) {
        return decode; /* enough: avoids a search of a long body for names */
    }
    switch (work->cost->kind) {
    case GJKD_COST_NONE:
        break;
    case GJKD_COST_WORKER:
        return WORKER_FROM_NS + 1 + decode;
    case GJKD_COST_SHAPE:
        return work->pieces * READ_SHAPE_NS + work->points * READ_POINT_NS;
    case GJKD_COST_SHAPES:
        return (at_most(work->items) + work->pieces) * READ_SHAPE_NS +
               work->stored_bytes / READ_BYTES_A_NS;
    case GJKD_COST_SETS:
        return at_most(work->items) * LIST_ITEM_NS;
    case GJKD_COST_QUERY:
        return decode + query_ns(work);
    }
    return 0;
}

/* First estimates the most expensive form of the query, without reading the body: most requests are
 * cheap even so. */
bool gjkd_cost_model_wants_worker(const gjkd_work *work) {
    gjkd_work unread = *work;
    unread.body = NULL;
    return work->cost->kind != GJKD_COST_NONE && cost_model_ns(&unread) > WORKER_FROM_NS &&
           cost_model_ns(work) > WORKER_FROM_NS;
}
