#ifndef GJKD_SECURITY_TLS_H
#define GJKD_SECURITY_TLS_H

/*
 * TLS 1.2 and 1.3: parameters of the protocol, and the pair of certificate and private key, which
 * can be reloaded at any time: a handshake uses the old pair or the new one. Thread-safe.
 */

#include "util/log.h"

#include <gnutls/abstract.h>
#include <stdbool.h>
#include <stddef.h>

#define GJKD_PEM_BYTES_MAX 1048576

/* At most one in the process, because the handshake callback has no closure. */
struct gjkd_tls;

/* Reads both files, checks that they belong together, and logs a warning if others than its owner
 * can read the key. Returns NULL, with the reason in error, on failure. */
struct gjkd_tls *gjkd_tls_new(const char *cert_file, const char *key_file,
                              char error[GJKD_ERROR_MAX]);
void gjkd_tls_free(struct gjkd_tls *tls); /* NULL is allowed */

/* Reads both files again. On failure sets error, keeps the old pair in use and returns false. */
bool gjkd_tls_reload(struct gjkd_tls *tls, char error[GJKD_ERROR_MAX]);

/* GnuTLS priorities: only AEAD ciphers, and only key exchanges with forward secrecy. */
#define GJKD_TLS_PRIORITIES                                        \
    "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA:-CIPHER-ALL:" \
    "+AES-256-GCM:+CHACHA20-POLY1305:+AES-128-GCM:+AES-256-CCM:+AES-128-CCM"

/* The gnutls_certificate_retrieve_function3 that passes the current pair to a handshake. */
int gjkd_tls_on_handshake(gnutls_session_t session, const struct gnutls_cert_retr_st *info,
                          gnutls_pcert_st **chain, unsigned *count, gnutls_ocsp_data_st **ocsp,
                          unsigned *ocsp_count, gnutls_privkey_t *key, unsigned *flags);

/* Sends data and close_notify. Returns false if the socket did not accept all of it at once. */
bool gjkd_tls_send_last(gnutls_session_t session, const char *data, size_t length);

#endif
