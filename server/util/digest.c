/* SHA-256 by GnuTLS, which libmicrohttpd needs anyway. */

#include "util/digest.h"

#include <gnutls/crypto.h>

bool gjkd_digest_make(const char *data, size_t length, gjkd_digest *out) {
    return gnutls_hash_fast(GNUTLS_DIG_SHA256, data, length, out->bytes) == 0;
}
