#ifndef GJKD_HTTP_EXCHANGE_H
#define GJKD_HTTP_EXCHANGE_H

/*
 * The life of an exchange: made, answered, handed to the workers, reused.
 *
 * While a request is at a worker its connection is suspended, so libmicrohttpd touches neither.
 * When its deadline passes there, another exchange with the answer 504 replaces it on the
 * connection, and it is reused once the worker is done with it.
 */

#include "http/state.h"
#include "util/network.h"

/* An exchange for a request that begins, without a connection yet. NULL: out of memory. */
struct gjkd_exchange *gjkd_exchange_take(struct gjkd_http *http);

/* Charges that client with the request, the exchange and more_bytes that live beside it, until the
 * exchange is given back. For exchanges that no connection bounds. Returns false if the client's
 * share or memory is exhausted; the exchange is uncharged. */
bool gjkd_exchange_charge(struct gjkd_exchange *exchange, uint64_t client_hash,
                          size_t more_bytes) GJK_MUST_USE;

/* Ends an exchange; its memory is kept for another one, or freed. */
void gjkd_exchange_give_back(struct gjkd_exchange *exchange);

/* Frees the exchanges that are kept for reuse. */
void gjkd_exchanges_free(struct gjkd_http *http);

/* Counts a request that is over, and logs it if there is an access log. */
void gjkd_exchange_note_end(const struct gjkd_exchange *exchange, const gjkd_address *peer,
                            uint64_t now_ns);

void gjkd_exchange_set_progress(const struct gjkd_exchange *exchange, gjkd_progress progress);

/* Sends the request's reply. */
enum MHD_Result gjkd_exchange_queue_reply(struct gjkd_exchange *exchange);

/* The reply is about to be sent: what it keeps of old versions is looked at until the exchange is
 * given back. Part of queue_reply. */
void gjkd_exchange_note_reading(struct gjkd_exchange *exchange);

/* Returns when the request began, if that was in this round of the loop, else the time: reading the
 * clock more often would cost a small request a tenth of its time. */
uint64_t gjkd_exchange_recent_ns(const struct gjkd_exchange *exchange);

/* Answers a complete request on the loop, if that takes not long and this round of the loop has not
 * lasted too long. Returns false if it is to be handed to the workers. */
bool gjkd_exchange_try(struct gjkd_exchange *exchange);

/* Hands the request to the workers and suspends its connection. False: the queue is full, and the
 * refusal is ready. */
bool gjkd_exchange_hand_off(struct gjkd_exchange *exchange);

/* Charges clients with the old versions that their answers are read from. Returns true if it has
 * made connections overdue, or ended streams: those of clients with more than their share, the
 * newest first, and those that read nothing. */
bool gjkd_exchanges_sweep_reading(struct gjkd_http *http);

/* Answers 504 for requests at workers whose deadline has passed, and cancels those whose client has
 * disconnected. Returns in how many milliseconds, at the latest, it is to be called again. */
uint64_t gjkd_exchanges_sweep(struct gjkd_http *http);

/*
 * Requests whose body is not complete by their deadline are answered 504. libmicrohttpd accepts no
 * reply before it has the body; therefore the answer is written directly to the socket, and what
 * still comes of the body is discarded.
 */

/* Sends the reply, which is a refusal, and shuts the sending side, or, if it could not be sent, that
 * side otherwise. What comes then is discarded. */
void gjkd_exchange_cut_off(struct gjkd_exchange *exchange, int otherwise);

/* A window of the body's rate begins. */
void gjkd_late_body_begin(struct gjkd_exchange *exchange);

/* Refuses the request and returns true if less of a large body came in a window than
 * --min-body-rate asks for. */
bool gjkd_late_body_is_slow(struct gjkd_exchange *exchange, uint64_t now_ns);

/* The head is complete and a body follows, which is due by the request's deadline. */
void gjkd_late_body_await(struct gjkd_exchange *exchange);

/* The body is complete, or never will be. Does nothing unless it is awaited. */
void gjkd_late_body_forget(struct gjkd_exchange *exchange);

/* Answers the requests whose body is overdue. Returns in how many milliseconds, at the latest, it
 * is to be called again. */
uint64_t gjkd_late_bodies_sweep(struct gjkd_http *http);

#endif
