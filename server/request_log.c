/* Who asked for what, and what came of it? */

#include "request_log.h"

void gjkd_request_log(const struct gjkd_job *job, const gjkd_address *peer, uint64_t duration_ns) {
    struct gjkd_line line;
    char address[GJKD_ADDRESS_TEXT_MAX];
    char client[GJKD_IP_TEXT_MAX];
    gjkd_address_format(peer, address);
    gjkd_ip_format(&job->client, client);
    gjkd_log_begin(&line, GJKD_LOG_INFO);
    gjkd_line_add_text(&line, "id", job->request_id, GJKD_REQUEST_ID_BYTES_MAX);
    gjkd_line_add_text(&line, "peer", address, sizeof address);
    gjkd_line_add_text(&line, "client", client, sizeof client);
    if (job->holder[0] != '\0') {
        gjkd_line_add_text(&line, "token", job->holder, sizeof job->holder);
    }
    gjkd_line_add_text(&line, "method", gjkd_method_text(job->head.method), 16);
    gjkd_line_add_text(&line, "route", gjkd_route_label(job->match.route), 128);
    gjkd_line_add_count(&line, "status", (uint64_t)job->reply.status);
    gjkd_line_add_seconds(&line, "duration", duration_ns);
    gjkd_line_add_count(&line, "queries", job->queries);
    gjkd_line_add_count(&line, "bytes_in", job->body_bytes + job->discarded_bytes);
    gjkd_line_add_count(&line, "bytes_out", job->reply.length);
    gjkd_line_add_text(&line, "path", job->logged_path, GJKD_LOGGED_PATH_BYTES_MAX);
    gjkd_log_write(&line);
}
