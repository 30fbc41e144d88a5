// The TypeScript client against the daemon, over HTTP and over a stream: the main job, ticks, events with a restart in
// between, a mesh, a move, columns, errors, deadlines.
//   node typescript.js GJKD
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { tmpdir } from "node:os";
import { WebSocket } from "ws";
import { Client, Problem, Unreachable } from "@gjkd/client";

const gjkd = process.argv[2];
assert(gjkd, "the daemon's path is missing");
const folder = mkdtempSync(`${tmpdir()}/gjkd-typescript-`);

async function start(listen: string, ...flags: string[]): Promise<[ChildProcess, string]> {
  const daemon = spawn(gjkd!, ["--listen", listen, ...flags], { stdio: ["ignore", "pipe", "ignore"] });
  const [line] = await once(createInterface(daemon.stdout!), "line") as [string];
  return [daemon, line.split(" ").pop()!];
}
async function stop(daemon: ChildProcess): Promise<void> {
  daemon.kill();
  await once(daemon, "exit");
}
async function refused(asked: Promise<unknown>): Promise<Problem> {
  const problem = await asked.then(() => assert.fail("it was answered"), error => error);
  assert(problem instanceof Problem, problem);
  return problem;
}

async function mainJob(k: Client): Promise<void> {
  const made = await k.putSet("room", { dimension: 2, history: { ticks: 8 }, shapes: {
    ada: { type: "circle", radius: 0.5, group: "ada" },
    wall: { type: "box", half_extents: [1, 1], position: [4, 0] },
  } }, { query: { fields: "handles" } });
  assert.equal(typeof made.handles?.ada, "number");
  assert(made.etag);
  const pair = await k.distance("room", { a: "ada", b: "wall" });
  assert.deepEqual([pair.distance, pair.normal?.[0], pair.etag], [2.5, 1, made.etag]);
  const hit = (await k.raycast("room", { origin: [-5, 0], direction: [1, 0] })).hits[0];
  assert.deepEqual([hit?.id, hit?.point[0]], ["ada", -0.5]);
  assert.equal((await k.raycast("room", { origin: [0, 5], direction: [1, 0], mode: "any" })).hit, false);
  assert.equal((await k.cast("room", { shape: "ada", translation: [5, 0] })).hits[0]?.fraction, 0.5);
  assert.equal((await k.detect({ a: { type: "circle", radius: 1 }, b: { type: "circle", radius: 1, position: [1, 0] } })).depth, 1);
  const batch = await k.batch("room", { queries: [{ op: "detect", a: "ada", b: "wall" }, { op: "distance", a: "ada", b: "wall" }] });
  assert.equal(batch.results.length, 2);

  assert.equal(await k.getSet("room", { ifNoneMatch: made.etag }), null);
  const moved = await k.patchSet("room", { shapes: { wall: { position: [6, 0] } } }, { ifMatch: made.etag });
  const stale = await refused(k.deleteSet("room", { ifMatch: made.etag }));
  assert.deepEqual([stale.status, stale.code], [412, "revision-mismatch"]);
  const stored = await k.getSet("room");
  assert.deepEqual([stored.etag, stored.shapes.wall?.position], [moved.etag, [6, 0]]);
  assert.equal((await k.getSet("room", { query: { fields: "summary" } })).shapes, 2);
  const rock = await k.putShape("room", "rocks/1", { type: "point", position: [0, 9] });
  assert.equal((await k.getShape("room", "rocks/1")).handle, rock.handle);
  assert.equal(await k.deleteShape("room", "rocks/1"), null);
  assert.match(await k.metrics(), /gjkd_sets/);

  const problem = await refused(k.raycast("room", { origin: [0, 0], direction: [0, 0] }));
  assert.deepEqual([problem.status, problem.code, problem.pointer], [422, "zero-direction", "/direction"]);
  assert.deepEqual(await (k as any).detect("room"), await k.detect("room", {}));
  const wrong = await refused(k.detect("room", { a: { type: "circle", radios: 1 } } as any));
  assert.match(wrong.hint, /radius/);
}

async function tickLoop(k: Client): Promise<void> {
  for (let tick = 1; tick <= 20; tick++) {
    const told = await k.tick("room", tick, {
      shapes: { ada: { position: [tick / 10, 0] } },
      queries: [{ op: "distance", a: "ada", b: "wall" }], overlaps: {},
    });
    const [gap] = told.results;
    assert(gap && "distance" in gap && gap.distance !== null && Math.abs(gap.distance - (4.5 - tick / 10)) < 1e-12);
  }
  const quiet = await k.tick("room", 21, { shapes: { ada: { position: [2, 0] } } }); // nothing is asked
  assert.deepEqual([quiet.tick, "results" in quiet], [21, false]);
  const shot = await k.hit("room", { at: { tick: 18.5 }, ray: { origin: [1.85, 5], direction: [0, -1] }, claim: { id: "ada" } });
  assert.deepEqual([shot.verdict, shot.rewind?.alpha], ["confirmed", 0.5]);
  const walk = await k.move("room", { shape: "ada", translation: [9, 0] });
  assert(walk.contacts[0]?.id === "wall" && walk.moved[0] < 2.5);
}

async function columns(k: Client): Promise<void> {
  const { handles } = await k.putSet("site", { dimension: 3, history: { ticks: 2 }, shapes: { ball: { type: "sphere", radius: 1, position: [0, 0, 5] } } }, { query: { fields: "handles" } });
  const body = await k.putShapeColumns("site", "ground", {
    dimension: 3, type: "mesh", vertices_float: Float32Array.of(-9, -9, 0, 9, -9, 0, 0, 9, 0), triangles: Uint32Array.of(0, 1, 2), materials: [7],
  });
  assert.equal(body.pieces, 1);
  const rays = 1000, origin = new Float64Array(3 * rays), direction = new Float64Array(3 * rays);
  for (let i = 0; i < rays; i++) {
    origin.set([i / 500, 0, 9], 3 * i);
    direction[3 * i + 2] = -1;
  }
  const told = await k.raycastColumns("site", { dimension: 3, origin, direction });
  assert.deepEqual([told.handle.length, told.distance.length, told.etag !== null], [rays, rays, true]);
  assert.deepEqual([told.handle[0], told.distance[0], told.handle[rays - 1], told.distance[rays - 1]], [handles?.ball, 3, body.handle, 9]);
  const one = (await k.raycast("site", { origin: [origin[3 * 499]!, 0, 9], direction: [0, 0, -1] })).hits[0];
  assert.deepEqual([told.distance[499], ...told.point.subarray(3 * 499, 3 * 500)], [one?.distance, ...one!.point]);
  assert.equal(told.material[rays - 1], 7);
  const near = await k.nearestColumns("site", { dimension: 3, shape: [handles!.ball!] });
  assert.deepEqual([...near.handle, ...near.value], [body.handle, 4]);
  assert.equal((await k.putTickColumns("site", 1, { dimension: 3, handle: [handles!.ball!], position: [0, 0, 6] })).tick, 1);
  const tick = await k.tickColumns("site", 2, {
    poses: { dimension: 3, handle: [handles!.ball!], position: [0, 0, 0.5] }, overlaps: true,
    block: [{ raycast: { dimension: 3, origin, direction } }, { distance: { dimension: 3, a: [handles!.ball!], b: [body.handle], signed: true } }],
  });
  assert.deepEqual([tick.block[0]?.raycast?.distance[0], tick.block[1]?.distance?.value[0]], [7.5, -0.5]);
  assert.deepEqual([...tick.begin], [handles!.ball!, body.handle]);
  const problem = await refused(k.raycastColumns("site", { dimension: 3, origin: [1], direction }));
  assert.equal(problem.pointer.split("/")[1], "origin");
  await assert.rejects(k.raycastColumns("site", { dimension: 3, orgin: origin } as any), TypeError);
}

async function deadlines(k: Client): Promise<void> {
  const shapes = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`s${i}`, { type: "ellipse" as const, radii: [3, 2], position: [i % 50, i / 50] as [number, number] }]));
  await k.putSet("crowd", { dimension: 2, shapes });
  const late = await refused(k.detect("crowd", {}, { timeoutMs: 20 }));
  assert.deepEqual([late.status, late.code], [504, "deadline-exceeded"]);
  const gone = new AbortController();
  const asked = k.detect("crowd", {}, { signal: gone.signal });
  setTimeout(() => gone.abort(), 10);
  await assert.rejects(asked, { name: "AbortError" });
  await k.deleteSet("crowd");
}

// What is refused for now is asked again; what changes something is not, where nobody answers.
async function retries(): Promise<void> {
  let asked = 0;
  const server = createServer((request, reply) => {
    asked++;
    if (request.url?.endsWith("busy")) return void reply.writeHead(503, { "Retry-After": "3600" }).end();
    if (request.url?.endsWith("moved")) return void reply.writeHead(302, { Location: "/v1/sets/elsewhere" }).end();
    assert(!request.url?.endsWith("elsewhere"), "a redirect is followed");
    if (request.method === "PUT") return void request.socket.destroy();
    if (asked === 1) return void request.socket.destroy();
    if (asked === 2) return void reply.writeHead(503, { "Retry-After": "0", "Content-Type": "application/problem+json" }).end('{"code":"overloaded"}');
    reply.writeHead(200, { "Content-Type": "application/json" }).end('{"hits":[]}');
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const k = new Client(`http://127.0.0.1:${(server.address() as { port: number }).port}`);
  assert.deepEqual((await k.raycast("a", { origin: [0, 0], direction: [1, 0] })).hits, []);
  assert.equal(asked, 3);
  await assert.rejects(k.putSet("a", { dimension: 2 }), Unreachable);
  assert.equal(asked, 4);
  await assert.rejects(k.putTick("a", 4, { shapes: {} }, { ifMatch: '"x"' }), Unreachable);
  assert.equal(asked, 5);
  assert.equal((await refused(k.getSet("busy"))).status, 503);
  assert.equal(asked, 6, "a long Retry-After is left to the caller");
  await assert.rejects(k.getSet("moved"), Unreachable);
  for (const name of ["", ".", ".."]) await assert.rejects(k.deleteShape("a", name), TypeError);
  server.closeAllConnections();
  server.close();
  await assert.rejects(k.getSet("a"), /^Unreachable: http:\/\/127\.0\.0\.1:\d+ gives no answer: ECONNREFUSED$/);
}

async function tokens(): Promise<void> {
  const file = `${folder}/tokens`;
  writeFileSync(file, `reader ${createHash("sha256").update("secret").digest("hex")} read\n`);
  const [daemon, url] = await start("127.0.0.1:0", "--token-file", file);
  try {
    for (const stream of [false, true]) {
      const k = new Client(url, { token: "secret", stream, WebSocket });
      assert.deepEqual((await k.listSets()).sets, []);
      assert.equal((await refused(k.putSet("mine", { dimension: 2 }))).code, "forbidden");
      k.close();
      const other = new Client(url, { token: "guess", stream, WebSocket });
      assert.deepEqual([(await refused(other.listSets())).status, (await refused(other.about())).code], [401, "unauthenticated"]);
      other.close();
    }
  } finally {
    await stop(daemon);
  }
}

let [daemon, url] = await start("127.0.0.1:0", "--data-dir", folder);
try {
  await retries();
  await tokens();
  for (const stream of [false, true]) {
    const k = new Client(url, { stream, WebSocket });
    await mainJob(k);
    await tickLoop(k);
    await columns(k);
    await deadlines(k);

    const end = new AbortController(), radii: number[] = [];
    const before = await k.putSet("watched", { dimension: 2, shapes: {} });
    let restarted = Promise.resolve();
    setTimeout(() => void k.putShape("watched", "ball", { type: "circle", radius: 1 }), 200);
    for await (const event of k.watch("watched", { since: before.etag!, signal: end.signal })) {
      if (event.kind !== "change") continue;
      const shape = event.shapes.ball;
      if (shape?.type === "circle") radii.push(shape.radius);
      if (radii.length === 1) restarted = (async () => {
        await stop(daemon);
        [daemon] = await start(new URL(url).host, "--data-dir", folder);
        await new Client(url).putShape("watched", "ball", { type: "circle", radius: 2 });
      })();
      if (radii.at(-1) === 2) break;
    }
    await restarted;
    assert.deepEqual(radii, [1, 2]);
    await k.deleteSet("watched");
    k.close();
  }

  // What happens while nobody listens reaches a watch, too, that has told nothing yet.
  const k = new Client(url);
  const away = async (change: (k: Client) => Promise<unknown>) => {
    await stop(daemon);
    const [other, there] = await start("127.0.0.1:0", "--data-dir", folder, "--drain-delay", "0");
    await change(new Client(there));
    await stop(other);
    [daemon] = await start(new URL(url).host, "--data-dir", folder, "--drain-delay", "0");
  };
  await k.putSet("watched", { dimension: 2, shapes: {} });
  const events = k.watch("watched"), first = events.next();
  while (!/^gjkd_watches 1$/m.test(await k.metrics()));
  await away(other => other.putShape("watched", "ball", { type: "circle", radius: 1 }));
  assert.match((await first).value!.kind, /^(change|reset)$/);
  await away(other => other.deleteSet("watched"));
  assert((await events.next()).done, "the set went meanwhile");
  assert.equal((await refused(k.watch("watched", { since: 1 }).next())).code, "set-not-found");
} finally {
  daemon.kill();
  rmSync(folder, { recursive: true, force: true });
}
console.log("the TypeScript client did all over HTTP and over a stream");
