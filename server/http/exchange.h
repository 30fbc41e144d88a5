#ifndef GJKD_HTTP_EXCHANGE_H
#define GJKD_HTTP_EXCHANGE_H

/*
 * Life of an exchange: it is taken, answered on the loop or by a worker, and reused.
 *
 * While a request is at a worker its connection is suspended, so libmicrohttpd touches neither. If
 * the deadline passes meanwhile, a second exchange with the answer 504 replaces the first on the
 * connection; the first is reused once the worker has finished.
 */

#include "http/state.h"
#include "util/network.h"

/* Returns an exchange for a new request, without a connection. Returns NULL if memory is
 * exhausted. */
struct gjkd_exchange *gjkd_exchange_take(struct gjkd_http *http);

/* Charges the client for the request, the exchange and more_bytes of memory beside it, until the
 * exchange is given back. For calls of streams, whose number no limit of connections bounds.
 * Returns false if the client's share or memory is exhausted; the exchange is uncharged. */
bool gjkd_exchange_charge(struct gjkd_exchange *exchange, uint64_t client_hash,
                          size_t more_bytes) GJK_MUST_USE;

/* Ends an exchange. Its memory is kept for reuse, or freed. */
void gjkd_exchange_give_back(struct gjkd_exchange *exchange);

/* Frees the exchanges that are kept for reuse. */
void gjkd_exchanges_free(struct gjkd_http *http);

/* Counts a finished request, and logs it if there is an access log. */
void gjkd_exchange_note_end(const struct gjkd_exchange *exchange, const gjkd_address *peer,
                            uint64_t now_ns);

void gjkd_exchange_set_progress(const struct gjkd_exchange *exchange, gjkd_progress progress);

/* Sends the request's reply. */
enum MHD_Result gjkd_exchange_queue_reply(struct gjkd_exchange *exchange);

/* Adds the exchange to http->reading if its reply is read from a version of a set: the sweep
 * charges the client for that version until the exchange is given back. Part of queue_reply. */
void gjkd_exchange_note_reading(struct gjkd_exchange *exchange);

/* Returns the end or else the start of the request if that was in this round of the loop, else the
 * current time, in ns: reading the clock costs a small request a hundredth of its time. */
uint64_t gjkd_exchange_recent_ns(const struct gjkd_exchange *exchange);

/* Answers a complete request on the loop, if it is short and this round of the loop has not lasted
 * too long. Returns false if a worker must run it. */
bool gjkd_exchange_try(struct gjkd_exchange *exchange);

/* Hands the request to the workers and suspends its connection. Returns false if the queue is full;
 * the reply is the refusal. */
bool gjkd_exchange_hand_off(struct gjkd_exchange *exchange);

/* Charges clients for old versions that are kept only because their answers are read from them.
 * Ends answers that exceed the client's share, newest first, and answers that the client does not
 * read: their connections become overdue, their streams dead. Returns true if it ended any. */
bool gjkd_exchanges_sweep_reading(struct gjkd_http *http);

/* Answers 504 for requests at workers whose deadline has passed, and cancels requests whose client
 * has disconnected. Returns the time until the next call, in ms. */
uint64_t gjkd_exchanges_sweep(struct gjkd_http *http);

/*
 * Requests whose body is not complete by their deadline are answered 504. libmicrohttpd accepts no
 * reply before it has the whole body; therefore the answer is written directly to the socket, and
 * the rest of the body is discarded.
 */

/* Sends the reply, a refusal, past libmicrohttpd and shuts the sending side. If it cannot be sent,
 * shuts `otherwise` (SHUT_RD or SHUT_RDWR). Bytes that arrive later are discarded. */
void gjkd_exchange_cut_off(struct gjkd_exchange *exchange, int otherwise);

/* Begins another window in which the rate of the body is measured. */
void gjkd_late_body_restart(struct gjkd_exchange *exchange);

/* Refuses the request if a large body came slower than --min-body-rate in the window that ends now,
 * and begins the next window. Returns true if it is too slow. */
bool gjkd_late_body_refuse_slow(struct gjkd_exchange *exchange, uint64_t now_ns);

/* Begins to wait for the body, which is due by the request's deadline. Call it after the head. */
void gjkd_late_body_await(struct gjkd_exchange *exchange);

/* Stops waiting for the body. Does nothing unless it is awaited. */
void gjkd_late_body_forget(struct gjkd_exchange *exchange);

/* Answers requests whose body is overdue or too slow. Returns the time until the next call, in
 * ms. */
uint64_t gjkd_late_bodies_sweep(struct gjkd_http *http);

#endif
