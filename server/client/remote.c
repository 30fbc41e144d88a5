/*
 * HTTP/1.0, one connection a request, whose answer ends with it: a page of the list of sets, then
 * each of its sets, copied piece by piece.
 */

#define _GNU_SOURCE /* strcasestr */
#include "client/remote.h"

#include "client/channel.h"

#include <netdb.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUT_S 60
#define NAME_BYTES_MAX 128
#define HEAD_BYTES_MAX 16384
#define TOKEN_BYTES_MAX 1024

struct remote {
    char host[256], port[8];
    bool tls;
    gjkd_address address;
    const char *token;
    const char *url;
    char *error;
};

static bool refuse(const struct remote *remote, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool refuse(const struct remote *remote, const char *format, ...) {
    char reason[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    snprintf(remote->error, GJKD_REMOTE_ERROR_MAX, "--from %.100s: %s", remote->url, reason);
    return false;
}

/* --- The address --- */

static bool copy_part(char *to, size_t size, const char *from, size_t length) {
    if (length == 0 || length >= size) {
        return false;
    }
    memcpy(to, from, length);
    to[length] = '\0';
    return true;
}

/* http://HOST[:PORT][/], the host in brackets where it has colons. */
static bool take_apart(struct remote *remote) {
    const char *at = remote->url;
    remote->tls = strncmp(at, "https://", 8) == 0;
    if (!remote->tls && strncmp(at, "http://", 7) != 0) {
        return false;
    }
    at += remote->tls ? 8 : 7;
    const bool in_brackets = *at == '[';
    at += in_brackets;
    size_t length = strcspn(at, in_brackets ? "]" : ":/");
    if (!copy_part(remote->host, sizeof remote->host, at, length)) {
        return false;
    }
    at += length + (in_brackets && at[length] == ']');
    snprintf(remote->port, sizeof remote->port, "%s", remote->tls ? "443" : "80");
    if (*at == ':') {
        length = strspn(++at, "0123456789");
        if (!copy_part(remote->port, sizeof remote->port, at, length)) {
            return false;
        }
        at += length;
    }
    return *at == '\0' || strcmp(at, "/") == 0;
}

static bool find(struct remote *remote) {
    const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    if (!take_apart(remote)) {
        return refuse(remote, "not of the form http://HOST:PORT or https://HOST:PORT");
    }
    if (remote->token != NULL && (strlen(remote->token) > TOKEN_BYTES_MAX ||
                                  remote->token[strcspn(remote->token, "\r\n")] != '\0')) {
        return refuse(remote, "GJKD_TOKEN is not a token");
    }
    const int status = getaddrinfo(remote->host, remote->port, &wanted, &found);
    if (status != 0) {
        return refuse(remote, "%s", gai_strerror(status));
    }
    memcpy(&remote->address.storage, found->ai_addr, found->ai_addrlen);
    remote->address.length = found->ai_addrlen;
    freeaddrinfo(found);
    return true;
}

/* --- One request --- */

/* Behind the head's empty line, or NULL. */
static char *end_of_head(char *head) {
    char *end = strstr(head, "\r\n\r\n");
    return end != NULL ? end + 4 : NULL;
}

/* The length that the head announces, or -1. */
static long long announced_length(const char *head) {
    const char *at = strcasestr(head, "\r\nContent-Length:");
    return at != NULL ? strtoll(at + strlen("\r\nContent-Length:"), NULL, 10) : -1;
}

/* Copies the body to `out`, of which `first` has come with the head. */
static bool copy_body(const struct remote *remote, struct gjkd_channel *channel, const char *head,
                      const char *first, size_t first_length, FILE *out) {
    const long long announced = announced_length(head);
    long long copied = (long long)first_length;
    char piece[65536];
    ssize_t got;
    (void)fwrite(first, 1, first_length, out);
    while ((got = gjkd_channel_receive(channel, piece, sizeof piece)) > 0) {
        (void)fwrite(piece, 1, (size_t)got, out);
        copied += got;
    }
    return (announced >= 0 ? copied == announced : got == 0) ||
           refuse(remote, "the answer was cut short");
}

/* Sends the request and reads the answer's head. Status and body, the latter to `out` if it is 200. */
static bool exchange(const struct remote *remote, struct gjkd_channel *channel, const char *path,
                     int *status, FILE *out) {
    char text[2048], head[HEAD_BYTES_MAX + 1];
    size_t length = 0;
    const int written =
        snprintf(text, sizeof text, "GET %s HTTP/1.0\r\nHost: %s%s%s:%s\r\n%s%s%s\r\n", path,
                 strchr(remote->host, ':') != NULL ? "[" : "", remote->host,
                 strchr(remote->host, ':') != NULL ? "]" : "", remote->port,
                 remote->token != NULL ? "Authorization: Bearer " : "",
                 remote->token != NULL ? remote->token : "", remote->token != NULL ? "\r\n" : "");
    if (!gjkd_channel_send(channel, text, (size_t)written)) {
        return refuse(remote, "the request could not be sent");
    }
    char *body = NULL;
    while (body == NULL && length < HEAD_BYTES_MAX) {
        const ssize_t got = gjkd_channel_receive(channel, head + length, HEAD_BYTES_MAX - length);
        if (got <= 0) {
            return refuse(remote, "there is no answer");
        }
        length += (size_t)got;
        head[length] = '\0';
        body = end_of_head(head);
    }
    if (body == NULL || sscanf(head, "HTTP/1.%*c %d", status) != 1) {
        return refuse(remote, "the answer is not HTTP");
    }
    const size_t first_length = length - (size_t)(body - head);
    body[-1] = '\0'; /* searched as a text from now on */
    return *status != 200 || copy_body(remote, channel, head, body, first_length, out);
}

static bool get(const struct remote *remote, const char *path, int *status, FILE *out) {
    const gjkd_channel_trust trust = {remote->tls, remote->host};
    struct gjkd_channel channel;
    const char *reason = NULL;
    const bool fine = (gjkd_channel_open(&channel, &remote->address, &trust, TIMEOUT_S, &reason) ||
                       refuse(remote, "%s", reason)) &&
                      exchange(remote, &channel, path, status, out);
    gjkd_channel_fini(&channel);
    return fine;
}

/* --- The sets --- */

/* The text at `key`, which stands in the list as the daemon prints it. Behind it, or NULL. */
static const char *read_name(const char *at, const char *key, char name[NAME_BYTES_MAX + 1]) {
    at = at != NULL ? strstr(at, key) : NULL;
    if (at == NULL) {
        return NULL;
    }
    at += strlen(key);
    return copy_part(name, NAME_BYTES_MAX + 1, at, strcspn(at, "\"")) ? at : NULL;
}

static bool copy_set(const struct remote *remote, const char *name, FILE *out) {
    char path[NAME_BYTES_MAX + 16];
    int status = 0;
    snprintf(path, sizeof path, "/v1/sets/%s", name);
    if (!get(remote, path, &status, out)) {
        return false;
    }
    if (status == 200) {
        (void)fputc('\n', out);
    }
    return status == 200 || status == 404 ||
           refuse(remote, "the set %s is answered with status %d", name, status);
}

/* A page of the list, to be freed, and its sets. */
static bool copy_page(const struct remote *remote, const char *path, char **list, FILE *out) {
    char name[NAME_BYTES_MAX + 1];
    size_t length = 0;
    int status = 0;
    FILE *text = open_memstream(list, &length);
    if (text == NULL) {
        return refuse(remote, "out of memory");
    }
    const bool has_come = get(remote, path, &status, text);
    if (fclose(text) != 0 || !has_come) {
        return has_come && refuse(remote, "out of memory");
    }
    if (status != 200) {
        return refuse(remote, "the list of sets is answered with status %d%s", status,
                      status == 401 ? "; give a token in GJKD_TOKEN" : "");
    }
    const char *at = *list;
    while ((at = read_name(at, "{\"name\":\"", name)) != NULL) {
        if (!copy_set(remote, name, out)) {
            return false;
        }
    }
    return true;
}

bool gjkd_remote_export(const char *url, const char *token, FILE *out,
                        char error[GJKD_REMOTE_ERROR_MAX]) {
    struct remote remote = {.url = url, .token = token, .error = error};
    char path[NAME_BYTES_MAX + 64] = "/v1/sets?limit=1000", cursor[NAME_BYTES_MAX + 1];
    bool fine = find(&remote), more = true;
    while (fine && more) {
        char *list = NULL;
        fine = copy_page(&remote, path, &list, out);
        more = fine && read_name(list, "\"next\":\"", cursor) != NULL;
        if (more) {
            snprintf(path, sizeof path, "/v1/sets?limit=1000&cursor=%s", cursor);
        }
        free(list);
    }
    return fine && (fflush(out) == 0 || refuse(&remote, "the sets cannot be written"));
}
