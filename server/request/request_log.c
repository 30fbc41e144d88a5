/* The access log: who asked for what, and what came of it. */

#include "request/request_log.h"

#include "request/request.h"
#include "util/log.h"

void gjkd_request_log(const struct gjkd_request *request, const gjkd_address *peer,
                      uint64_t duration_ns) {
    struct gjkd_log_record line;
    char address[GJKD_ADDRESS_TEXT_MAX];
    char client[GJKD_IP_TEXT_MAX];
    gjkd_address_format(peer, address);
    gjkd_ip_format(&request->client, client);
    gjkd_log_begin(&line, GJKD_LOG_INFO);
    gjkd_log_record_add_text(&line, "id", request->request_id, GJKD_REQUEST_ID_BYTES_MAX);
    gjkd_log_record_add_text(&line, "peer", address, sizeof address);
    gjkd_log_record_add_text(&line, "client", client, sizeof client);
    if (request->holder[0] != '\0') {
        gjkd_log_record_add_text(&line, "token", request->holder, sizeof request->holder);
    }
    gjkd_log_record_add_text(&line, "method", gjkd_method_text(request->head.method), 16);
    gjkd_log_record_add_text(&line, "route", gjkd_route_label(request->match.route), 128);
    gjkd_log_record_add_count(&line, "status", (uint64_t)request->reply.status);
    gjkd_log_record_add_seconds(&line, "duration", duration_ns);
    gjkd_log_record_add_count(&line, "queries", request->queries);
    gjkd_log_record_add_count(&line, "bytes_in", request->body_bytes + request->discarded_bytes);
    gjkd_log_record_add_count(&line, "bytes_out", request->reply.length);
    gjkd_log_record_add_text(&line, "path", request->logged_path, GJKD_LOGGED_PATH_BYTES_MAX);
    gjkd_log_write(&line);
}
