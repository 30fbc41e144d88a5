/*
 * Introselect (Musser, Introspective sorting and selection algorithms, 1997): quickselect (Hoare 1961)
 * until the bodies that are left should have become one by halving with every other pivot; what is left
 * then is sorted by heapsort. So no order of the bodies takes quadratic time.
 */

#include "tree/halve.h"

/* By the center, then by handle. */
static inline bool comes_first(const gjk_branch *a, const gjk_branch *b, uint32_t axis) {
    double p = gjk_branch_middle(a, axis), q = gjk_branch_middle(b, axis);
    return p != q ? p < q : a->first < b->first;
}

/* Restores the heap below the hole at i, with the last of the order in front. */
static void sink(gjk_branch *heap, uint32_t count, uint32_t i, uint32_t axis) {
    const gjk_branch moved = heap[i];
    while (i < count / 2) {
        uint32_t below = 2 * i + 1;
        below += below + 1 < count && comes_first(&heap[below], &heap[below + 1], axis);
        if (!comes_first(&moved, &heap[below], axis)) {
            break;
        }
        heap[i] = heap[below];
        i = below;
    }
    heap[i] = moved;
}

/* Heapsort (Williams 1964). */
static void sort_bodies(gjk_branch *bodies, uint32_t count, uint32_t axis) {
    for (uint32_t i = count / 2; i-- > 0;) {
        sink(bodies, count, i, axis);
    }
    for (uint32_t end = count; end-- > 1;) {
        gjk_branch_swap(&bodies[0], &bodies[end]);
        sink(bodies, end, 0, axis);
    }
}

uint64_t gjk_branches_halve(gjk_branch *bodies, uint32_t count, uint32_t axis) {
    gjk_branch *at = bodies;
    uint32_t low = 0, high = count - 1, half = count / 2, pivots_left = 2;
    uint64_t looked_at = 0;
    for (uint32_t rest = count; rest > 0; rest >>= 1) {
        pivots_left += 2;
    }
    while (low < high) {
        looked_at += high - low + 1;
        if (pivots_left-- == 0) {
            sort_bodies(at + low, high - low + 1, axis);
            break;
        }
        gjk_branch pivot = at[low + (high - low) / 2];
        uint32_t i = low, k = high;
        while (true) {
            while (comes_first(&at[i], &pivot, axis)) {
                i++;
            }
            while (comes_first(&pivot, &at[k], axis)) {
                k--;
            }
            if (i >= k) {
                break;
            }
            gjk_branch_swap(&at[i++], &at[k--]);
        }
        if (half <= k) {
            high = k;
        } else {
            low = k + 1;
        }
    }
    return looked_at;
}
