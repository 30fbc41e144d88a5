/*
 * Can any header value that names an address or an origin do harm? Nobody but a trusted peer
 * speaks for others, whoever is found behind trusted ones is not trusted or stands at the end
 * of what can be believed; and what is taken for a network or an origin is written so.
 */

#include "fuzz.h"

#include <string.h>

#include "util/host.h"
#include "util/network.h"

static gjkd_ip ip_of(const char *text) {
    gjkd_ip ip;
    require(gjkd_ip_parse(text, strlen(text), &ip));
    return ip;
}

static void check_forwarded(const char *text) {
    struct gjkd_networks trusted = {.count = 2};
    gjkd_ip proxy = ip_of("10.0.0.1"), stranger = ip_of("192.0.2.1");

    require(gjkd_network_parse("10.0.0.0/8", 10, &trusted.items[0]));
    require(gjkd_network_parse("fd00::/8", 8, &trusted.items[1]));
    gjkd_ip client = gjkd_forwarded_client(&stranger, text, &trusted);
    require(memcmp(&client, &stranger, sizeof client) == 0);
    client = gjkd_forwarded_client(&proxy, text, &trusted);
    if (!gjkd_networks_contain(&trusted, &client)) {
        /* Then it stands in the text, and what comes before it does not matter. */
        const char *last = strrchr(text, ',');
        for (const char *at = last; at != NULL && at >= text; at--) {
            gjkd_ip same = *at == ',' ? gjkd_forwarded_client(&proxy, at + 1, &trusted) : proxy;
            require(memcmp(&same, &client, sizeof same) == 0 ||
                    gjkd_networks_contain(&trusted, &same));
        }
    }
}

static void check_network(const char *text, size_t length) {
    char written[GJKD_NETWORK_TEXT_MAX];
    gjkd_network network, again;

    if (gjkd_network_parse(text, length, &network)) {
        gjkd_network_format(&network, written);
        require(gjkd_network_parse(written, strlen(written), &again));
        require(again.bits == network.bits && memcmp(&again.ip, &network.ip, sizeof again.ip) == 0);
    }
}

static void check_origin(const char *text, size_t length) {
    if (gjkd_is_origin(text, length) && length > 1) {
        require(length <= GJKD_NAME_BYTES_MAX && memchr(text, '\0', length) == NULL);
        require(strstr(text, "://") != NULL);
        require(strpbrk(text, " \t\r\n\"\\/@?#,*") == strstr(text, "//"));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const struct gjkd_names hosts = {.count = 1, .names = {"gjkd.example"}};
    char *text = malloc(size + 1);

    require(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    check_forwarded(text);
    check_network(text, size);
    check_origin(text, size);
    if (gjkd_host_allowed(text, &hosts))
        require(strpbrk(text, " \t\r\n\"/@?#,") == NULL);
    free(text);
    return 0;
}
