/* One account for each block: of several blocks of a client no one may take all that others leave. */

#include "watch/payment.h"

bool gjkd_payment_take(struct gjkd_payment *payment, uint64_t client, uint64_t bytes) {
    gjkd_account_init_queue(&payment->account, client);
    const bool is_taken = gjkd_account_take(&payment->account, bytes);
    payment->bytes = is_taken ? bytes : 0;
    return is_taken;
}

void gjkd_payment_give(struct gjkd_payment *payment) {
    gjkd_account_give(&payment->account, payment->bytes);
    gjkd_account_fini(&payment->account);
    payment->bytes = 0;
}
