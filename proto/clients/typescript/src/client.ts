/** A client of gjkd, the collision-query daemon. */
import { decode, encode } from "./columns.js";
import { Problem, Unreachable } from "./problem.js";
import { OPERATIONS, Operations, type Id } from "./tables.js";
import { Http, Stream, type Call, type Reply, type Transport } from "./transport.js";
import type { Options, Schemas } from "./types.js";

export { Problem, Unreachable };
export type { Body, Columns, Options, Read, Schemas, Tagged, Told } from "./types.js";

export interface Settings {
  token?: string;
  /** Send all calls over one WebSocket (/v1/stream). */
  stream?: boolean;
  /** WebSocket class for streams on platforms without one (Node before 22): that of the package ws. */
  WebSocket?: unknown;
  /** Maximum number of retries after 429 or 503 and, for calls that change nothing, if no answer came. */
  retries?: number;
}

export interface Watching {
  kinds?: ("change" | "overlap")[];
  /** Start after this revision, event `id` or entity tag. */
  since?: string | number;
  /** Filter of the overlaps. */
  filter?: Schemas["Filter"];
  /** Wait for the set if it does not exist yet. */
  wait?: boolean;
  signal?: AbortSignal;
}

const PROTOBUF = "application/x-protobuf";
const GRACE_MS = 500; // wait after the deadline, in which the daemon's own refusal can arrive
const PAUSE_MS = 100, PAUSE_MAX_MS = 5_000;
const RETRY_AFTER_MAX_MS = 60_000; // a call with a longer one fails at once
const utf8 = new TextDecoder(), text = new TextEncoder();

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
  });
}

/** Shortens a pause at random, by at most half, so that clients do not all reconnect at once after an outage. */
function jittered(ms: number): number { return ms * (1 - Math.random() / 2); }

/** The entity tag of the set, also of a compressed answer. */
function etagOf(reply: Reply): string | null { return reply.header("ETag")?.replace(/-gzip"$/, '"') ?? null; }

function problemOf(reply: Reply): Problem {
  let told = {};
  try { told = JSON.parse(utf8.decode(reply.body)); } catch { /* a proxy's page */ }
  return new Problem(reply.status, told, etagOf(reply));
}

function queryOf(parameters: Record<string, unknown>): string {
  const known = Object.entries(parameters).filter(([, value]) => value !== undefined) as [string, string][];
  return known.length ? `?${new URLSearchParams(known)}` : "";
}

export class Client extends Operations {
  private readonly transport: Transport;
  private readonly retries: number;

  constructor(url: string, settings: Settings = {}) {
    super();
    const { token, stream, retries = 2, WebSocket = globalThis.WebSocket } = settings;
    if (stream && !WebSocket) throw new TypeError("there is no WebSocket here: give that of the package ws as { WebSocket }");
    this.transport = stream ? new Stream(url, token, WebSocket as typeof globalThis.WebSocket) : new Http(url, token);
    this.retries = retries;
  }

  /** Closes the stream, if any. */
  close(): void { this.transport.close(); }

  /** Follows a set until it is deleted, or `signal` ends it. After a lost connection it resumes behind the last event. */
  async *watch(set: string, watching: Watching = {}): AsyncGenerator<Schemas["Event"], void, undefined> {
    const signal = watching.signal ?? new AbortController().signal;
    let since = watching.since?.toString().replaceAll('"', "");
    for (let pause = PAUSE_MS, opened = false; !signal.aborted;) {
      const query = queryOf({ kinds: watching.kinds, since, filter: watching.filter && JSON.stringify(watching.filter), wait: watching.wait || undefined });
      try {
        for await (const told of this.transport.events({ method: "GET", path: pathOf("watchSet", [set]) + query, headers: {} }, signal)) {
          if ("status" in told) throw problemOf(told);
          opened = true;
          pause = PAUSE_MS;
          since = told.id ?? since;
          if (told.data === undefined) continue;
          const event: Schemas["Event"] = JSON.parse(told.data);
          since = told.id ?? event.id ?? String(event.revision);
          yield told.id ? { ...event, id: told.id } : event;
          if (event.kind === "deleted" && !watching.wait) return;
        }
      } catch (error) {
        if (signal.aborted) return;
        if (opened && error instanceof Problem && error.code === "set-not-found") return; // the set was deleted meanwhile
        const again = error instanceof Problem ? error.status === 429 || error.status === 503 : error instanceof Unreachable && opened;
        if (!again) throw error;
      }
      await sleep(jittered(pause), signal).catch(() => {});
      pause = Math.min(2 * pause, PAUSE_MAX_MS);
    }
  }

  /** Splits the arguments into path, body and options. If two operations share a name, the first has the longer path. */
  protected take(ids: Id[], given: unknown[], hasBody: boolean): Promise<unknown> {
    let id = ids.find(one => pathNames(one) === (ids.length === 1 ? pathNames(one) : typeof given[0] === "string" ? 1 : 0))!;
    const path = given.slice(0, pathNames(id)) as string[];
    const [body = hasBody ? {} : undefined, options] = hasBody ? given.slice(path.length) : [undefined, given[path.length]];
    const { queries, overlaps } = Object(body);
    if (id === "postTick" && queries == null && overlaps == null) id = "putTick"; // a tick without queries
    return this.call(id, path, body, options as Options);
  }

  protected async call(id: Id, path: (string | number)[], body: unknown, options: Options = {}): Promise<unknown> {
    const [method, , , kind, safe] = OPERATIONS[id];
    const headers: Record<string, string> = {};
    if (options.ifMatch) headers["If-Match"] = options.ifMatch;
    if (options.ifNoneMatch) headers["If-None-Match"] = options.ifNoneMatch;
    if (options.minRevision !== undefined) headers["Gjkd-Min-Revision"] = String(options.minRevision);
    if (options.linearizable) headers["Gjkd-Consistency"] = "linearizable";
    const call: Call = { method, path: pathOf(id, path) + queryOf(options.query ?? {}), headers };
    const { message, columns, named } = (body ?? {}) as { message?: string; columns?: {}; named?: boolean };
    if (message && columns) {
      headers["Content-Type"] = named ? `${PROTOBUF}; message=${message}` : PROTOBUF;
      call.body = encode(message, columns);
    } else if (kind) {
      headers["Content-Type"] = typeof body === "string" ? "application/x-ndjson" : kind;
      call.body = text.encode(typeof body === "string" ? body : JSON.stringify(body));
    }
    // A tick with a condition: if the first succeeded, the condition would refuse the second.
    const repeatable = safe && (method === "GET" || !id.endsWith("Tick") || !(options.ifMatch || options.ifNoneMatch));
    return answerOf(await this.send(call, repeatable, options), message);
  }

  private async send(call: Call, safe: boolean, { timeoutMs, signal }: Options): Promise<Reply> {
    const end = timeoutMs === undefined ? Infinity : Date.now() + timeoutMs;
    const deadline = new AbortController();
    const abort = () => deadline.abort(signal!.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort);
    const timer = timeoutMs === undefined ? undefined
      : setTimeout(() => deadline.abort(new DOMException("the deadline has passed", "TimeoutError")), timeoutMs + GRACE_MS);
    try {
      for (let attempt = 0; ; attempt++) {
        if (timeoutMs !== undefined) call.headers["Gjkd-Timeout-Ms"] = String(Math.max(1, Math.ceil(end - Date.now())));
        let wait = jittered(PAUSE_MS * 2 ** attempt), failure: unknown, again: boolean;
        try {
          const reply = await this.transport.send(call, deadline.signal);
          if (reply.status < 300 || reply.status === 304) return reply;
          failure = problemOf(reply);
          const after = 1000 * (Number(reply.header("Retry-After")) || 0); // a proxy may send a date
          again = (reply.status === 429 || reply.status === 503) && after <= RETRY_AFTER_MAX_MS;
          wait = Math.max(wait, after);
        } catch (error) {
          failure = error;
          again = safe && error instanceof Unreachable;
        }
        if (!again || attempt >= this.retries || Date.now() + wait >= end) throw failure;
        await sleep(wait, deadline.signal);
      }
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    }
  }
}

function pathNames(id: Id): number { return OPERATIONS[id][1].split("{").length - 1; }

/** Escapes a segment of a path. Refuses "", "." and "..", which URLs drop, so that the call would be another. */
function segment(name: string | number | undefined): string {
  if (name === undefined || /^\.{0,2}$/.test(String(name))) throw new TypeError(`${JSON.stringify(name)} is no name`);
  return encodeURIComponent(name);
}

function pathOf(id: Id, given: (string | number)[]): string {
  let i = 0;
  return OPERATIONS[id][1].replace(/\{\w+\}/g, () => segment(given[i++]));
}

/** Returns the answer's document or columns, with its entity tag; null if there is none or it has not changed. */
function answerOf(reply: Reply, message?: string): unknown {
  if (reply.status === 204 || reply.status === 304) return null;
  const kind = reply.header("Content-Type") ?? "";
  if (kind.startsWith(PROTOBUF)) return tagged(decode(message!.replace(/Columns$/, "Answers"), reply.body), reply);
  const told = utf8.decode(reply.body);
  return kind.includes("ndjson") || !kind.includes("json") ? told : tagged(JSON.parse(told), reply);
}

function tagged(answer: object, reply: Reply): object {
  return Object.defineProperty(answer, "etag", { value: etagOf(reply), enumerable: false });
}
