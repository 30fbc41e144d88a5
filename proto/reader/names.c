/*
 * Finds a name that stands twice in an object. Few names are compared with each other; more go into
 * a table with open addressing (Knuth, TAOCP 3, 6.4, algorithm L). Its hash is no secret, and
 * whoever wants to can make names collide: so a search ends after a few steps, and the object is
 * left to the judge, whose hash nobody can foresee.
 */

#include "gjk/base.h"
#include "reader/parse.h"

#define FEW 16       /* names */
#define STEPS_MAX 64 /* of a search */

static bool are_alike(const proto_value *a, const proto_value *b) {
    return a->count == b->count && memcmp(a->text, b->text, a->count) == 0;
}

static proto_parsed check_few(const proto_value *pairs, size_t count) {
    uint16_t seen = 0;

    for (size_t i = 0; i < count; i++) {
        const proto_value *name = &pairs[2 * i];
        const uint16_t initial = name->count > 0 ? proto_initial_of(name->text, name->count) : 1;
        for (size_t k = 0; (seen & initial) != 0 && k < i; k++) {
            if (are_alike(name, &pairs[2 * k])) {
                return PROTO_PARSE_REFUSED;
            }
        }
        seen |= initial;
    }
    return PROTO_PARSE_DONE;
}

__extension__ typedef unsigned __int128 uint128;

/*
 * Multiplies 8 bytes at a time and adds up the product's halves, each of which depends on some of
 * them only.
 */
static uint64_t hash(const proto_value *name) {
    uint64_t sum = name->count;
    size_t i = 0;

    for (uint64_t word; i < name->count; i += sizeof word) {
        const size_t left = name->count - i;
        word = 0;
        memcpy(&word, name->text + i, left < sizeof word ? left : sizeof word);
        const uint128 product = (uint128)(sum ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        sum = (uint64_t)(product >> 64) + (uint64_t)product;
    }
    return sum;
}

/* slots hold numbers of names, from 1 on; there are mask + 1 of them, more than names. */
static proto_parsed insert(uint32_t *slots, size_t mask, const proto_value *pairs, size_t i) {
    size_t at = (size_t)hash(&pairs[2 * i]) & mask;

    for (int steps = 0; steps < STEPS_MAX; steps++) {
        if (slots[at] == 0) {
            slots[at] = (uint32_t)i + 1;
            return PROTO_PARSE_DONE;
        }
        if (are_alike(&pairs[2 * i], &pairs[2 * (size_t)(slots[at] - 1)])) {
            return PROTO_PARSE_REFUSED;
        }
        at = (at + 1) & mask;
    }
    return PROTO_PARSE_REFUSED;
}

static proto_parsed check_many(const proto_value *pairs, size_t count, struct gjk_arena *arena) {
    const gjk_arena_mark mark = gjk_arena_here(arena);
    size_t size = (size_t)4 * FEW;
    proto_parsed parsed = PROTO_PARSE_DONE;

    while (size < 2 * count) {
        size *= 2;
    }
    uint32_t *slots = gjk_arena_alloc_array(arena, size, sizeof *slots);
    if (slots == NULL) {
        return PROTO_PARSE_NO_MEMORY;
    }
    memset(slots, 0, size * sizeof *slots);
    for (size_t i = 0; i < count && parsed == PROTO_PARSE_DONE; i++) {
        parsed = insert(slots, size - 1, pairs, i);
    }
    gjk_arena_rewind(arena, mark);
    return parsed;
}

proto_parsed proto_check_names(const proto_value *pairs, size_t count, struct gjk_arena *arena) {
    return count <= FEW ? check_few(pairs, count) : check_many(pairs, count, arena);
}
