/*
 * Bottom-up merge sort (Knuth, The Art of Computer Programming 3, section 5.2.4): short runs by
 * insertion, then neighbouring runs are merged, with the left run moved to a buffer. Runs that are
 * already in order cost one comparison.
 */

#include "gjk/sort.h"

#include "gjk/budget.h"

#include <string.h>

#define RUN_LENGTH 16

typedef struct sorter {
    char *items, *aside;
    size_t count, size;
    gjk_sort_order order;
    gjk_budget *budget;
} sorter;

static char *at(const sorter *s, size_t i) {
    return s->items + i * s->size;
}

/* Sorts [begin, end), at most RUN_LENGTH items, by insertion of pointers; then each item moves
 * once. */
static void sort_run(sorter *s, size_t begin, size_t end) {
    const char *sorted[RUN_LENGTH];
    bool moves = false;
    for (size_t i = begin; i < end; i++) {
        size_t place = i - begin;
        for (; place > 0 && s->order(sorted[place - 1], at(s, i)) > 0; place--) {
            sorted[place] = sorted[place - 1];
            moves = true;
        }
        sorted[place] = at(s, i);
    }
    for (size_t i = 0; moves && i < end - begin; i++) {
        memcpy(s->aside + i * s->size, sorted[i], s->size);
    }
    if (moves) {
        memcpy(at(s, begin), s->aside, (end - begin) * s->size);
    }
}

/* Merges [begin, middle) and [middle, end). If the budget is spent, moves the buffered items
 * back. */
static void merge(sorter *s, size_t begin, size_t middle, size_t end) {
    if (s->order(at(s, middle - 1), at(s, middle)) <= 0) {
        return;
    }
    const char *left = s->aside, *left_end = left + (middle - begin) * s->size;
    const char *right = at(s, middle), *right_end = at(s, end);
    char *out = at(s, begin);
    memcpy(s->aside, out, (middle - begin) * s->size);
    while (left < left_end && right < right_end && !gjk_budget_spend(s->budget, 2)) {
        const bool takes_right = s->order(left, right) > 0;
        memcpy(out, takes_right ? right : left, s->size);
        right += takes_right ? s->size : 0;
        left += takes_right ? 0 : s->size;
        out += s->size;
    }
    memcpy(out, left, (size_t)(left_end - left));
}

gjk_status gjk_sort(struct gjk_arena *arena, void *items, size_t count, size_t item_size,
                    gjk_sort_order order) {
    if (count < 2) {
        return GJK_OK;
    }
    const gjk_arena_mark mark = gjk_arena_here(arena);
    sorter s = {.items = items,
                .count = count,
                .size = item_size,
                .order = order,
                .budget = arena->budget};
    size_t longest = RUN_LENGTH; /* the longest run that is buffered */
    while (2 * longest < count) {
        longest *= 2;
    }
    s.aside = gjk_arena_alloc_array(arena, longest < count ? longest : count, item_size);
    if (s.aside == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < count && !gjk_budget_spend(s.budget, 3 * RUN_LENGTH); i += RUN_LENGTH) {
        sort_run(&s, i, count - i < RUN_LENGTH ? count : i + RUN_LENGTH);
    }
    for (size_t run = RUN_LENGTH; run < count && !gjk_budget_is_spent(s.budget); run *= 2) {
        for (size_t i = 0; i + run < count && !gjk_budget_is_spent(s.budget); i += 2 * run) {
            merge(&s, i, i + run, count - i < 2 * run ? count : i + 2 * run);
        }
    }
    gjk_arena_rewind(arena, mark);
    return gjk_budget_is_spent(s.budget) ? GJK_GIVEN_UP : GJK_OK;
}
