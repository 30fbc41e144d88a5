/** Sends calls over HTTP, or as binary frames of one WebSocket. */
import { decode, encode } from "./columns.js";
import { Problem, Unreachable } from "./problem.js";

export interface Call { method: string; path: string; headers: Record<string, string>; body?: Uint8Array<ArrayBuffer> }
export interface Reply { status: number; header(name: string): string | null; body: Uint8Array }
/** An event; `data` is absent if the block had only an id. */
export interface Told { id?: string; data?: string }
export interface Transport {
  send(call: Call, signal: AbortSignal | undefined): Promise<Reply>;
  /** Yields events; a refusal is yielded as a reply. */
  events(call: Call, signal: AbortSignal): AsyncIterable<Told | Reply>;
  close(): void;
}

const SILENCE_MS = 45_000; // after which a watch reconnects; the daemon sends something every 15 s
const NO_TOKEN = 1008; // a close code
const WAITING_MAX = 1024; // maximum number of unread events; beyond it the watch restarts behind the last one read
const utf8 = new TextDecoder();

function unreachable(url: string, error: unknown, signal?: AbortSignal): never {
  if (signal?.aborted) throw signal.reason;
  const { cause, message } = error as Error & { cause?: Error & { code?: string } };
  throw new Unreachable(`${url} gives no answer: ${cause?.code ?? message}`, { cause: error });
}

export class Http implements Transport {
  private readonly url: string;
  constructor(url: string, private readonly token: string | undefined) { this.url = url.replace(/\/+$/, ""); }

  private fetch(call: Call, signal?: AbortSignal): Promise<Response> {
    const headers = this.token ? { ...call.headers, Authorization: `Bearer ${this.token}` } : call.headers;
    return fetch(this.url + call.path, { method: call.method, headers, body: call.body, signal, cache: "no-store", redirect: "error" });
  }

  async send(call: Call, signal?: AbortSignal): Promise<Reply> {
    try {
      const reply = await this.fetch(call, signal);
      const body = new Uint8Array(await reply.arrayBuffer());
      return { status: reply.status, header: name => reply.headers.get(name), body };
    } catch (error) { unreachable(this.url, error, signal); }
  }

  async *events(call: Call, signal: AbortSignal): AsyncIterable<Told | Reply> {
    const silence = new AbortController();
    const end = () => silence.abort();
    signal.addEventListener("abort", end);
    let timer = setTimeout(end, SILENCE_MS);
    try {
      const reply = await this.fetch({ ...call, headers: { ...call.headers, Accept: "text/event-stream" } }, silence.signal);
      if (reply.status !== 200 || !reply.body) {
        yield { status: reply.status, header: name => reply.headers.get(name), body: new Uint8Array(await reply.arrayBuffer()) };
        return;
      }
      const reader = reply.body.getReader(), decoder = new TextDecoder();
      let text = "";
      for (let piece; !(piece = await reader.read()).done;) {
        clearTimeout(timer);
        timer = setTimeout(end, SILENCE_MS);
        const blocks = (text + decoder.decode(piece.value, { stream: true })).split("\n\n");
        text = blocks.pop()!;
        for (const block of blocks) {
          const told: Record<string, string> = {};
          for (const line of block.split("\n")) {
            const colon = line.indexOf(": ");
            if (colon > 0) told[line.slice(0, colon)] = line.slice(colon + 2);
          }
          if (told.id !== undefined || told.data !== undefined) yield { id: told.id, data: told.data };
        }
      }
    } catch (error) {
      unreachable(this.url, error, signal);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      end();
    }
  }

  close(): void {}
}

type Answer = { id: number; status: number; content_type: string; body: Uint8Array; header: string[] };
interface Waiting { told(answer: Answer): void; lost(error: Error): void }

export class Stream implements Transport {
  private socket: Promise<WebSocket> | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private last = 0;

  constructor(private readonly url: string, private readonly token: string | undefined, private readonly kind: typeof WebSocket) {}

  private open(): Promise<WebSocket> {
    return this.socket ??= new Promise((resolve, reject) => {
      const socket = new this.kind(`${this.url.replace(/^http/, "ws").replace(/\/+$/, "")}/v1/stream`, "gjkd.v1");
      socket.binaryType = "arraybuffer";
      socket.onopen = () => this.token ? socket.send(JSON.stringify({ authorization: `Bearer ${this.token}` })) : resolve(socket);
      socket.onmessage = ({ data }) => {
        if (typeof data === "string") return resolve(socket); // the answer to the token
        const answer = decode("Answer", new Uint8Array(data)) as Answer;
        this.waiting.get(answer.id)?.told(answer);
      };
      socket.onerror = () => {}; // a close follows
      socket.onclose = ({ code }) => {
        this.socket = undefined;
        const error = code === NO_TOKEN
          ? new Problem(401, { code: "unauthenticated", detail: "the stream's token is none, or no longer" })
          : new Unreachable(`the stream is closed (${code})`);
        reject(error);
        const lost = [...this.waiting.values()];
        this.waiting.clear();
        for (const one of lost) one.lost(error);
      };
    });
  }

  private frame(id: number, call: Call): Uint8Array<ArrayBuffer> {
    const { "Content-Type": content_type, ...headers } = call.headers;
    const header = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    return encode("Call", { id, method: call.method, path: call.path, content_type, body: call.body, header });
  }

  /** Waits for the open socket. A deadline ends the wait, not the opening. */
  private opened(signal?: AbortSignal): Promise<WebSocket> {
    const opening = this.open();
    if (!signal) return opening;
    return new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      opening.then(resolve, reject);
    });
  }

  async send(call: Call, signal?: AbortSignal): Promise<Reply> {
    const socket = await this.opened(signal);
    signal?.throwIfAborted();
    const id = ++this.last;
    const answer = await new Promise<Answer>((told, lost) => {
      this.waiting.set(id, { told, lost });
      signal?.addEventListener("abort", () => lost(signal.reason), { once: true });
      socket.send(this.frame(id, call));
    }).finally(() => this.waiting.delete(id));
    return replyOf(answer);
  }

  async *events(call: Call, signal: AbortSignal): AsyncIterable<Told | Reply> {
    const socket = await this.opened(signal);
    signal.throwIfAborted();
    const id = ++this.last;
    const come: (Answer | Error)[] = [];
    let wake = () => {};
    const tell = (one: Answer | Error) => {
      if (come.length === WAITING_MAX) one = new Unreachable("events are taken too slowly");
      if (come.length <= WAITING_MAX) come.push(one);
      wake();
    };
    const abort = () => tell(signal.reason);
    signal.addEventListener("abort", abort);
    this.waiting.set(id, { told: tell, lost: tell });
    try {
      socket.send(this.frame(id, { ...call, method: "WATCH" }));
      for (;;) {
        while (come.length === 0) await new Promise<void>(resolve => wake = resolve);
        const one = come.shift()!;
        if (!("status" in one)) throw one;
        if (one.status !== 200) return yield replyOf(one);
        yield one.content_type.startsWith("text/event-stream") && one.body.length > 0 ? { data: utf8.decode(one.body) } : {};
      }
    } finally {
      signal.removeEventListener("abort", abort);
      this.waiting.delete(id);
      if (socket.readyState === 1) socket.send(this.frame(id, { method: "UNWATCH", path: "", headers: {} }));
    }
  }

  close(): void { void this.socket?.then(socket => socket.close(), () => {}); }
}

function replyOf(answer: Answer): Reply {
  const headers = new Map(answer.header.map(line => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 2)]));
  headers.set("content-type", answer.content_type);
  return { status: answer.status, header: name => headers.get(name.toLowerCase()) ?? null, body: answer.body };
}
