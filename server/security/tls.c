/*
 * GnuTLS asks for the certificate in every handshake and gets a fresh import of the current pair,
 * so that the pair can be replaced at any time. An import takes a small fraction of the time of the
 * handshake's signature.
 */

#include "security/tls.h"

#include "util/files.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of certificates in a chain. */
#define CHAIN_MAX 16

/* Certificate and key as PEM texts, allocated by malloc. */
struct pair {
    gnutls_datum_t cert, key;
};

struct gjkd_tls {
    const char *cert_file, *key_file;
    pthread_mutex_t lock;
    struct pair pair;
};

/* The instance that handshakes use. */
static struct gjkd_tls *current;

static bool refuse_file(char *error, const char *file, const char *reason) {
    return gjkd_refuse(error, "cannot use %.200s for TLS: %.120s", file, reason);
}

/* Reads and closes a file. NULL: opening `name` has failed, with errno set. */
static bool read_pem_file(FILE *file, const char *name, gnutls_datum_t *out, char *error) {
    unsigned char *data = malloc(GJKD_PEM_BYTES_MAX);
    if (file == NULL || data == NULL) {
        refuse_file(error, name, data == NULL ? "out of memory" : strerror(errno));
    } else {
        size_t size = fread(data, 1, GJKD_PEM_BYTES_MAX, file);
        if (ferror(file) || size == GJKD_PEM_BYTES_MAX) {
            refuse_file(error, name, ferror(file) ? strerror(errno) : "it is too large");
        } else {
            *out = (gnutls_datum_t){data, (unsigned)size};
            data = NULL;
        }
    }
    bool fine = file != NULL && out->data != NULL;
    if (file != NULL) {
        fclose(file);
    }
    free(data);
    return fine;
}

/* Frees the pair, after overwriting the key. */
static void fini_pair(struct pair *pair) {
    if (pair->key.data != NULL) {
        gnutls_memset(pair->key.data, 0, pair->key.size);
    }
    free(pair->cert.data);
    free(pair->key.data);
    *pair = (struct pair){{NULL, 0}, {NULL, 0}};
}

/* Checks that certificate and key belong together. */
static int check_pair(const struct pair *pair) {
    gnutls_certificate_credentials_t scratch = NULL;
    int status = gnutls_certificate_allocate_credentials(&scratch);
    if (status == GNUTLS_E_SUCCESS) {
        status = gnutls_certificate_set_x509_key_mem(scratch, &pair->cert, &pair->key,
                                                     GNUTLS_X509_FMT_PEM);
        gnutls_certificate_free_credentials(scratch);
    }
    return status;
}

static bool read_pair(const struct gjkd_tls *tls, struct pair *out, char *error) {
    *out = (struct pair){{NULL, 0}, {NULL, 0}};
    bool fine =
        read_pem_file(fopen(tls->cert_file, "re"), tls->cert_file, &out->cert, error) &&
        read_pem_file(gjkd_secret_file_open(tls->key_file), tls->key_file, &out->key, error);
    if (fine) {
        int status = check_pair(out);
        fine = status >= 0 || refuse_file(error, tls->cert_file, gnutls_strerror(status));
    }
    if (!fine) {
        fini_pair(out);
    }
    return fine;
}

struct gjkd_tls *gjkd_tls_new(const char *cert_file, const char *key_file,
                              char error[GJKD_ERROR_MAX]) {
    struct gjkd_tls *tls = calloc(1, sizeof *tls);
    if (tls == NULL) {
        refuse_file(error, cert_file, "out of memory");
        return NULL;
    }
    pthread_mutex_init(&tls->lock, NULL);
    tls->cert_file = cert_file;
    tls->key_file = key_file;
    current = tls;
    if (!read_pair(tls, &tls->pair, error)) {
        gjkd_tls_free(tls);
        return NULL;
    }
    return tls;
}

void gjkd_tls_free(struct gjkd_tls *tls) {
    if (tls != NULL) {
        current = NULL;
        fini_pair(&tls->pair);
        pthread_mutex_destroy(&tls->lock);
        free(tls);
    }
}

bool gjkd_tls_reload(struct gjkd_tls *tls, char error[GJKD_ERROR_MAX]) {
    struct pair fresh;
    if (!read_pair(tls, &fresh, error)) {
        return false;
    }
    pthread_mutex_lock(&tls->lock);
    struct pair old = tls->pair;
    tls->pair = fresh;
    pthread_mutex_unlock(&tls->lock);
    fini_pair(&old);
    return true;
}

/* Parses the pair; the caller frees chain and key. On failure *count is 0. */
static int import(const struct pair *pair, gnutls_pcert_st *chain, unsigned *count,
                  gnutls_privkey_t *key) {
    *count = CHAIN_MAX;
    int status = gnutls_pcert_list_import_x509_raw(chain, count, &pair->cert, GNUTLS_X509_FMT_PEM,
                                                   GNUTLS_X509_CRT_LIST_IMPORT_FAIL_IF_EXCEED);
    if (status < 0) {
        *count = 0;
        return status;
    }
    status = gnutls_privkey_init(key);
    if (status >= 0) {
        status = gnutls_privkey_import_x509_raw(*key, &pair->key, GNUTLS_X509_FMT_PEM, NULL, 0);
        if (status >= 0) {
            return status;
        }
        gnutls_privkey_deinit(*key);
    }
    while (*count > 0) {
        gnutls_pcert_deinit(&chain[--*count]);
    }
    return status;
}

/* NOLINTNEXTLINE(readability-function-size): the parameters are GnuTLS's choice */
int gjkd_tls_on_handshake(gnutls_session_t session, const struct gnutls_cert_retr_st *info,
                          gnutls_pcert_st **chain, unsigned *count, gnutls_ocsp_data_st **ocsp,
                          unsigned *ocsp_count, gnutls_privkey_t *key, unsigned *flags) {
    (void)session, (void)info;
    *chain = gnutls_malloc(CHAIN_MAX * sizeof **chain);
    *ocsp = NULL;
    *ocsp_count = 0;
    *flags = GNUTLS_CERT_RETR_DEINIT_ALL;
    if (*chain == NULL) {
        return -1;
    }
    pthread_mutex_lock(&current->lock);
    int status = import(&current->pair, *chain, count, key);
    pthread_mutex_unlock(&current->lock);
    if (status < 0) {
        gnutls_free(*chain);
        *chain = NULL;
        return -1;
    }
    return 0;
}

bool gjkd_tls_send_last(gnutls_session_t session, const char *data, size_t length) {
    ssize_t sent = gnutls_record_send(session, data, length);
    return sent >= 0 && (size_t)sent == length && gnutls_bye(session, GNUTLS_SHUT_WR) >= 0;
}
