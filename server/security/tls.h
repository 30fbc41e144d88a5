#ifndef GJKD_SECURITY_TLS_H
#define GJKD_SECURITY_TLS_H

/*
 * The certificate and key that https is served with: TLS 1.2 or later. They may be read again
 * while connections come in; a handshake uses the old pair or the new one. Thread-safe.
 */

#include <stdbool.h>
#include <stddef.h>

#define GJKD_TLS_ERROR_MAX 384
#define GJKD_PEM_BYTES_MAX 1048576

struct MHD_OptionItem;

/* One a process: libmicrohttpd asks for a certificate without saying on whose behalf. */
struct gjkd_tls;

/* Reads both files and checks that they belong together. NULL: error says what is wrong. */
struct gjkd_tls *gjkd_tls_new(const char *cert_file, const char *key_file,
                              char error[GJKD_TLS_ERROR_MAX]);
void gjkd_tls_free(struct gjkd_tls *tls); /* NULL is allowed; when no daemon uses it any more */

/* Reads both again. False: error says what is wrong, and the pair is the one from before. */
bool gjkd_tls_reload(struct gjkd_tls *tls, char error[GJKD_TLS_ERROR_MAX]);

/* What a daemon that serves https is started with: three items, the last of them the end. */
void gjkd_tls_options(struct MHD_OptionItem *options);

/* Sends data on a daemon's session (a gnutls_session_t), and that nothing follows. False: the
 * socket did not take all of it at once. */
bool gjkd_tls_say(void *session, const char *data, size_t length);

#endif
