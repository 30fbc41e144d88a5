/*
 * What is queued for a peer is charged to its client, byte by byte of the buffers it is in, and
 * leaves in the order in which it came. A model is told the same as outputs of several threads
 * whose clients share memory.
 */

#include "http/output.h"

#include <pthread.h>
#include <string.h>

#include "test_server.h"

#define CLIENT 24

static uint64_t before; /* what earlier tests left charged */

static void begin(uint64_t bytes) {
    before = gjkd_memory_used();
    gjkd_memory_set_limit(before + bytes);
}

static void finish(void) {
    ck_assert_uint_eq(gjkd_memory_used(), before);
    gjkd_memory_set_limit(0);
}

static const char zeros[GJKD_OUTPUT_BYTES + 1];

TEST(room_is_exact) {
    struct gjkd_output output;
    begin(1 << 20);
    gjkd_output_init(&output, CLIENT);
    ck_assert_uint_eq(gjkd_output_room(&output), 0);
    ck_assert(!gjkd_output_put(&output, zeros, 1));
    ck_assert(gjkd_output_reserve(&output) && gjkd_output_reserve(&output));
    ck_assert_uint_eq(gjkd_memory_used() - before, GJKD_OUTPUT_BYTES);
    ck_assert(!gjkd_output_put(&output, zeros, GJKD_OUTPUT_BYTES + 1));
    ck_assert(gjkd_output_put(&output, zeros, GJKD_OUTPUT_BYTES - 1));
    ck_assert(!gjkd_output_put(&output, zeros, 2));
    ck_assert(gjkd_output_put(&output, zeros, 1));
    ck_assert(gjkd_output_put(&output, zeros, 0));
    ck_assert(!gjkd_output_put(&output, zeros, 1));
    gjkd_output_note_sent(&output, GJKD_OUTPUT_BYTES - 1);
    ck_assert(!gjkd_output_is_empty(&output));
    gjkd_output_free_idle(&output);
    ck_assert_uint_eq(gjkd_memory_used() - before, GJKD_OUTPUT_BYTES);
    gjkd_output_note_sent(&output, 1);
    ck_assert(gjkd_output_is_empty(&output));
    ck_assert_uint_eq(gjkd_output_room(&output), GJKD_OUTPUT_BYTES);
    ck_assert_uint_eq(output.sent_bytes, GJKD_OUTPUT_BYTES);
    gjkd_output_free_idle(&output);
    ck_assert_uint_eq(gjkd_memory_used(), before);
    gjkd_output_fini(&output);
    finish();
}

/* One byte less than both buffers of a client may take, as much, and one more: a client has
 * half. */
TEST_EACH(a_share_is_exact, 0, 3) {
    static const uint64_t half = GJKD_OUTPUT_BYTES + GJKD_INPUT_BYTES;
    struct gjkd_output output;
    begin(0);
    gjkd_memory_set_limit(2 * (half + (uint64_t)_i) - 2 + gjkd_memory_sets());
    const bool fits = _i > 0;
    before = gjkd_memory_used();
    gjkd_output_init(&output, CLIENT);
    ck_assert(gjkd_output_reserve(&output));
    ck_assert_int_eq(gjkd_output_reserve_input(&output), fits);
    ck_assert_uint_eq(gjkd_memory_used() - before, fits ? half : GJKD_OUTPUT_BYTES);
    gjkd_output_fini(&output);
    finish();
}

TEST(a_control_frame_needs_no_memory) {
    struct gjkd_output output;
    begin(GJKD_OUTPUT_BYTES - 1);
    gjkd_output_init(&output, CLIENT);
    ck_assert(!gjkd_output_reserve(&output));
    ck_assert(!gjkd_output_put(&output, zeros, 1));
    ck_assert(!gjkd_output_put_control(&output, zeros, GJKD_CONTROL_BYTES_MAX + 2));
    ck_assert(!output.has_control);
    ck_assert(gjkd_output_put_control(&output, zeros, GJKD_CONTROL_BYTES_MAX));
    ck_assert(!gjkd_output_put_control(&output, zeros, 2));
    ck_assert(output.has_control && !gjkd_output_is_empty(&output));
    gjkd_memory_set_limit(before + (1 << 20));
    ck_assert(!gjkd_output_reserve(&output)); /* the frame goes first */
    gjkd_output_note_sent(&output, GJKD_CONTROL_BYTES_MAX);
    ck_assert(!output.has_control);
    gjkd_output_free_idle(&output);
    ck_assert(gjkd_output_reserve(&output));
    gjkd_output_fini(&output);
    finish();
}

TEST(input_is_kept_until_it_is_looked_at) {
    struct gjkd_output output;
    begin(1 << 20);
    gjkd_output_init(&output, CLIENT);
    ck_assert(gjkd_output_reserve_input(&output));
    output.input_end = 2;
    output.input_at = 1;
    gjkd_output_free_input(&output);
    ck_assert_uint_eq(gjkd_memory_used() - before, GJKD_INPUT_BYTES);
    output.input_at = 2;
    gjkd_output_free_input(&output);
    ck_assert_uint_eq(gjkd_memory_used(), before);
    ck_assert_uint_eq(output.input_end, 0);
    gjkd_output_fini(&output);
    finish();
}

/* --- The model --- */

enum { THREADS = 4, OUTPUTS = 5, CLIENTS = 3, STEPS = 20000, PUT_MAX = 20000 };

/* Reference of one output: which bytes have been queued, counted modulo 251. */
struct model_output {
    struct gjkd_output output;
    uint64_t queued, sent;
    bool has_buffer, has_input, has_last;
};

struct model_thread {
    pthread_t id;
    uint64_t random, refusals;
    struct model_output outputs[OUTPUTS];
};

static uint64_t next_random(uint64_t *state, uint64_t below) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*state >> 33) % below;
}

static void check_output(const struct model_output *model) {
    const struct gjkd_output *output = &model->output;
    const uint64_t held =
        (model->has_buffer ? GJKD_OUTPUT_BYTES : 0) + (model->has_input ? GJKD_INPUT_BYTES : 0);
    ck_assert_uint_eq(atomic_load(&output->account.held_bytes), held);
    ck_assert_uint_eq(output->end - output->at, model->queued - model->sent);
    ck_assert_uint_eq(output->sent_bytes, model->sent);
    ck_assert(output->bytes != NULL || output->end == 0);
    if (!gjkd_output_is_empty(output)) {
        ck_assert_int_eq((unsigned char)output->bytes[output->at], (int)(model->sent % 251));
        ck_assert_int_eq((unsigned char)output->bytes[output->end - 1],
                         (int)((model->queued - 1) % 251));
    }
}

static void put_some(struct model_thread *thread, struct model_output *model) {
    static _Thread_local char data[PUT_MAX];
    const bool is_control = next_random(&thread->random, 4) == 0;
    const size_t length =
        next_random(&thread->random, is_control ? GJKD_CONTROL_BYTES_MAX + 1 : PUT_MAX);
    const size_t room = gjkd_output_room(&model->output);
    for (size_t i = 0; i < length; i++) {
        data[i] = (char)((model->queued + i) % 251);
    }
    const bool is_put = is_control ? gjkd_output_put_control(&model->output, data, length)
                                   : gjkd_output_put(&model->output, data, length);
    if (is_control && !model->has_buffer && !model->has_last) {
        ck_assert(is_put);
        model->has_last = model->output.bytes == model->output.last;
        model->has_buffer = !model->has_last;
    } else {
        ck_assert_int_eq(is_put, length <= room);
    }
    model->queued += is_put ? length : 0;
}

static void step_randomly(struct model_thread *thread) {
    struct model_output *model = &thread->outputs[next_random(&thread->random, OUTPUTS)];
    struct gjkd_output *output = &model->output;
    const size_t pending = output->end - output->at;
    switch (next_random(&thread->random, 7)) {
    case 0:
        if (!model->has_last) {
            model->has_buffer = gjkd_output_reserve(output);
            thread->refusals += model->has_buffer ? 0 : 1;
        }
        break;
    case 1:
        if (!model->has_input) {
            model->has_input = gjkd_output_reserve_input(output);
            output->input_end = model->has_input ? 1 + next_random(&thread->random, 9) : 0;
            thread->refusals += model->has_input ? 0 : 1;
        }
        break;
    case 2:
        output->input_at += output->input_at < output->input_end ? 1 : 0;
        model->has_input = model->has_input && output->input_at < output->input_end;
        gjkd_output_free_input(output);
        break;
    case 3:
        gjkd_output_note_sent(output, next_random(&thread->random, pending + 1));
        model->sent = output->sent_bytes;
        break;
    case 4:
        gjkd_output_note_sent(output, pending);
        model->sent += pending;
        gjkd_output_free_idle(output);
        model->has_buffer = model->has_last = false;
        break;
    case 5:
        gjkd_account_assign(&output->account, next_random(&thread->random, CLIENTS));
        break;
    default:
        put_some(thread, model);
        break;
    }
    check_output(model);
}

static void *use_outputs(void *of) {
    struct model_thread *thread = of;
    for (size_t i = 0; i < OUTPUTS; i++) {
        gjkd_output_init(&thread->outputs[i].output, i % CLIENTS);
    }
    for (int i = 0; i < STEPS; i++) {
        step_randomly(thread);
    }
    for (size_t i = 0; i < OUTPUTS; i++) {
        gjkd_output_fini(&thread->outputs[i].output);
    }
    return NULL;
}

TEST(outputs_agree_with_a_model) {
    static struct model_thread threads[THREADS];
    uint64_t refusals = 0;
    begin((uint64_t)THREADS * OUTPUTS * GJKD_OUTPUT_BYTES);
    for (unsigned i = 0; i < THREADS; i++) {
        threads[i] = (struct model_thread){.random = i};
        ck_assert_int_eq(pthread_create(&threads[i].id, NULL, use_outputs, &threads[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i].id, NULL);
        refusals += threads[i].refusals;
    }
    ck_assert_uint_gt(refusals, 0);
    struct gjkd_account account;
    for (uint64_t client = 0; client < CLIENTS; client++) {
        gjkd_account_init_queue(&account, client);
        ck_assert_int_eq(atomic_load(&account.share->small_bytes), 0);
        ck_assert_int_eq(atomic_load(&account.share->large_bytes), 0);
        gjkd_account_fini(&account);
    }
    finish();
}
