/*
 * One buffer for each direction, charged, allocated and freed as a whole. The space of sent bytes
 * is not reused until the buffer is empty.
 */

#include "http/output.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(GJKD_OUTPUT_BYTES + GJKD_INPUT_BYTES <= GJKD_SMALL_BYTES,
               "an output is a small account");

void gjkd_output_init(struct gjkd_output *output, uint64_t client_hash) {
    memset(output, 0, sizeof *output);
    gjkd_account_init_queue(&output->account, client_hash);
}

static char *take(struct gjkd_output *output, size_t bytes) {
    if (!gjkd_account_take(&output->account, bytes)) {
        return NULL;
    }
    char *taken = malloc(bytes);
    if (taken == NULL) {
        gjkd_account_give(&output->account, bytes);
    }
    return taken;
}

static void drop(struct gjkd_output *output, char **buffer, size_t bytes) {
    if (*buffer != NULL) {
        free(*buffer);
        *buffer = NULL;
        gjkd_account_give(&output->account, bytes);
    }
}

static bool is_last(const struct gjkd_output *output) {
    return output->bytes == output->last;
}

static void drop_bytes(struct gjkd_output *output) {
    if (is_last(output)) {
        output->bytes = NULL;
    }
    drop(output, &output->bytes, GJKD_OUTPUT_BYTES);
    output->at = output->end = 0;
}

void gjkd_output_fini(struct gjkd_output *output) {
    drop_bytes(output);
    drop(output, &output->input, GJKD_INPUT_BYTES);
    output->input_at = output->input_end = 0;
    gjkd_account_fini(&output->account);
}

bool gjkd_output_reserve(struct gjkd_output *output) {
    if (output->bytes == NULL) {
        output->bytes = take(output, GJKD_OUTPUT_BYTES);
    }
    return output->bytes != NULL && !is_last(output);
}

bool gjkd_output_reserve_input(struct gjkd_output *output) {
    GJK_ASSERT(output->input_at == output->input_end);
    if (output->input == NULL) {
        output->input = take(output, GJKD_INPUT_BYTES);
    }
    return output->input != NULL;
}

size_t gjkd_output_room(const struct gjkd_output *output) {
    if (output->bytes == NULL) {
        return 0;
    }
    return (is_last(output) ? sizeof output->last : GJKD_OUTPUT_BYTES) - output->end;
}

bool gjkd_output_put(struct gjkd_output *output, const char *data, size_t length) {
    if (length > gjkd_output_room(output)) {
        return false;
    }
    if (length > 0) { /* memcpy forbids NULL, and either may be NULL for an empty frame */
        memcpy(output->bytes + output->end, data, length);
    }
    output->end += length;
    return true;
}

bool gjkd_output_put_control(struct gjkd_output *output, const char *frame, size_t length) {
    if (!gjkd_output_reserve(output) && output->bytes == NULL) {
        output->bytes = output->last;
    }
    if (!gjkd_output_put(output, frame, length)) {
        return false;
    }
    output->has_control = true;
    return true;
}

void gjkd_output_note_sent(struct gjkd_output *output, size_t count) {
    GJK_ASSERT(count <= output->end - output->at);
    output->at += count;
    output->sent_bytes += count;
    if (output->at == output->end) {
        output->at = output->end = 0;
        output->has_control = false;
    }
}

bool gjkd_output_is_empty(const struct gjkd_output *output) {
    return output->at == output->end;
}

void gjkd_output_free_idle(struct gjkd_output *output) {
    if (gjkd_output_is_empty(output)) {
        drop_bytes(output);
    }
}

void gjkd_output_free_input(struct gjkd_output *output) {
    if (output->input_at == output->input_end) {
        drop(output, &output->input, GJKD_INPUT_BYTES);
        output->input_at = output->input_end = 0;
    }
}
