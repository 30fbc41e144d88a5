/* In a file of its own, since clang 14 crashes where __builtin_cpu_supports stands beside it. */

#include "gallery.h"

#ifdef __x86_64__
/* libgcc's record of the processor, which __builtin_cpu_supports reads; the last word holds the
 * instruction sets, by the numbers of gcc's enum processor_features. */
extern volatile unsigned processor[4] __asm__("__cpu_model");

void test_hide(unsigned sets) {
    processor[3] &= ~sets;
}
#endif
