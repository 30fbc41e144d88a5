#include "util/random.h"

#include <stddef.h>
#include <sys/random.h>

uint64_t gjkd_random(void) {
    static _Thread_local uint64_t drawn[32];
    static _Thread_local size_t left;
    uint64_t number = 0;
    while (number == 0) {
        if (left == 0 && getrandom(drawn, sizeof drawn, 0) != sizeof drawn) {
            return 0;
        }
        left = (left == 0 ? sizeof drawn / sizeof drawn[0] : left) - 1;
        number = drawn[left];
    }
    return number;
}
