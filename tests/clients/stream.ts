// Does a WebSocket of somebody else's making get on with the daemon's streams? The ws library sends
// what it can send, right and wrong: fragments, pings, closes, bytes that are no UTF-8, messages as
// long as may be and one byte longer; calls as JSON and, by the generated messages, as columns.
import assert from "node:assert/strict";
import { WebSocket } from "ws";
import { gjkd } from "./gjkd.js";

const url = process.argv[2];
const bodyMax = Number(process.argv[3]);
assert(url && bodyMax > 0, "the daemon's address and its --max-body are missing");
const { Call, Answer, RaycastColumns, RaycastAnswers } = gjkd.v1;

type Told = { id: number; status: number; headers?: Record<string, string>; body?: any; event?: any };

// A stream, its messages in the order in which they come.
class Stream {
  readonly socket = new WebSocket(url!.replace("http", "ws") + "/v1/stream", "gjkd.v1");
  private readonly come: (string | Buffer)[] = [];
  private readonly waiting: ((message: string | Buffer) => void)[] = [];
  readonly closed = new Promise<number>(resolve => this.socket.on("close", resolve));

  static async open(): Promise<Stream> {
    const stream = new Stream();
    await new Promise((resolve, reject) => stream.socket.on("open", resolve).on("error", reject));
    stream.socket.on("error", () => {}); // it tells what a test provokes
    assert.equal(stream.socket.protocol, "gjkd.v1");
    assert.equal(stream.socket.extensions, "", "no compression is agreed on");
    stream.socket.on("message", (data, isBinary) => {
      const message = isBinary ? data as Buffer : data.toString();
      const waits = stream.waiting.shift();
      if (waits) waits(message);
      else stream.come.push(message);
    });
    return stream;
  }

  next(): Promise<string | Buffer> {
    const message = this.come.shift();
    return message !== undefined ? Promise.resolve(message)
      : new Promise(resolve => this.waiting.push(resolve));
  }

  async told(): Promise<Told> {
    const message = await this.next();
    assert(typeof message === "string");
    return JSON.parse(message);
  }

  async ask(id: number, method: string, path: string, body?: unknown): Promise<Told> {
    this.socket.send(JSON.stringify({ id, method, path, body }));
    const answer = await this.told();
    assert.equal(answer.id, id);
    return answer;
  }

  async askBinary(call: gjkd.v1.ICall): Promise<gjkd.v1.Answer> {
    this.socket.send(Call.encode(call).finish());
    const message = await this.next();
    assert(typeof message !== "string");
    const answer = Answer.decode(message);
    assert.equal(Number(answer.id), call.id);
    return answer;
  }
}

const livez = JSON.stringify({ id: 7, method: "GET", path: "/livez" });

// --- Frames ---

const stream = await Stream.open();
for (const count of [1, 2, livez.length]) {
  const size = Math.ceil(livez.length / count);
  for (let i = 0; i < count; i++) {
    stream.socket.send(livez.slice(i * size, (i + 1) * size), { fin: i === count - 1 });
    if (i === 0) stream.socket.ping("between");
  }
  const answer = await stream.told();
  assert.deepEqual([answer.id, answer.status, answer.body], [7, 200, { status: "ok" }]);
}
for (const size of [0, 1, 125]) {
  const pong = new Promise<Buffer>(resolve => stream.socket.once("pong", resolve));
  stream.socket.ping(Buffer.alloc(size, "p"));
  assert.equal((await pong).length, size);
}
const text = "grüße 🎲 \u{10FFFF} \u0000 \ud7ff";
await stream.ask(1, "PUT", "/v1/sets/ws", { dimension: 2, meta: { text }, shapes: {} });
assert.equal((await stream.ask(2, "GET", "/v1/sets/ws")).body.meta.text, text);

// --- Closes ---

for (const [code, provoke] of [
  [1000, (s: WebSocket) => s.close(1000, "bye")],
  [3000, (s: WebSocket) => s.close(3000)],
  [1007, (s: WebSocket) => s.send(Buffer.from([0x7b, 0xff]), { binary: false })],
  [1007, (s: WebSocket) => s.send("[]")],
  [1007, (s: WebSocket) => s.send(Buffer.from([0x0a]), { binary: true })],
  [1002, (s: WebSocket) => s.send("x", { mask: false })],
] as [number, (socket: WebSocket) => void][]) {
  const other = await Stream.open();
  provoke(other.socket);
  assert.equal(await other.closed, code);
}

// --- Limits ---

for (const size of [125, 126, 65535, 65536, bodyMax - 1, bodyMax, bodyMax + 1]) {
  const other = await Stream.open();
  other.socket.send(livez.slice(0, -1) + " ".repeat(size - livez.length) + "}");
  if (size <= bodyMax) {
    assert.equal((await other.told()).status, 200);
    other.socket.close();
  } else {
    assert.equal(await other.closed, 1009);
  }
}

// --- Calls: many at once, a write and what follows it, columns, events ---

const count = 1500; // more than may be under way
for (let id = 0; id < count; id++) {
  stream.socket.send(JSON.stringify({ id, method: "GET", path: "/v1/sets/ws?fields=summary" }));
}
const ids = new Set<number>();
for (let i = 0; i < count; i++) ids.add((await stream.told()).id);
assert.equal(ids.size, count);

stream.socket.send(JSON.stringify({ id: 1, method: "WATCH", path: "/v1/sets/ws/events" }));
assert.equal((await stream.told()).status, 200);
stream.socket.send(JSON.stringify({
  id: 2, method: "PATCH", path: "/v1/sets/ws", body: { shapes: { a: { type: "circle", radius: 1, position: [5, 0] } } },
}));
stream.socket.send(JSON.stringify({ id: 3, method: "GET", path: "/v1/sets/ws/shapes/a" }));
const seen: Record<number, Told> = {};
for (let i = 0; i < 3; i++) {
  const told = await stream.told();
  seen[told.event ? 0 : told.id] = told;
}
assert.deepEqual(seen[0]!.event.shapes.a.position, [5, 0]);
assert.deepEqual([seen[2]!.status, seen[3]!.body.position], [200, [5, 0]]);
stream.socket.send(JSON.stringify({ id: 1, method: "UNWATCH" }));
assert.equal((await stream.told()).status, 204);

const rays = RaycastColumns.encode({ dimension: 2, origin: [0, 0, 0, 3], direction: [1, 0, 1, 0] }).finish();
const answer = await stream.askBinary({
  id: 9, method: "POST", path: "/v1/sets/ws/raycast", contentType: "application/x-protobuf", body: rays,
});
assert.deepEqual([answer.status, answer.contentType], [200, "application/x-protobuf"]);
const hits = RaycastAnswers.decode(answer.body);
assert.deepEqual([hits.handle, hits.distance], [[1, 4294967295], [4, 0]]);
assert.equal((await stream.askBinary({ id: 10, method: "GET", path: "/nowhere" })).status, 404);
stream.socket.close();
await stream.closed;
