#ifndef TESTS_DETERMINISM_WASI_PTHREAD_H
#define TESTS_DETERMINISM_WASI_PTHREAD_H

/* Stands in for POSIX threads where there are none: what a thread would do is done at once. */

typedef int pthread_t;

static inline int pthread_create(pthread_t *thread, const void *attributes, void *(*run)(void *),
                                 void *argument) {
    (void)thread;
    (void)attributes;
    (void)run(argument);
    return 0;
}

static inline int pthread_join(pthread_t thread, void **result) {
    (void)thread;
    (void)result;
    return 0;
}

#endif
