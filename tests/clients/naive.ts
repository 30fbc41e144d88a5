// What somebody writes who has read nothing: only the members that are needed, hardly a type named, no casts of what
// travels. The types are those of openapi-typescript, without a library over them.
import type { components, operations } from "./openapi.js";

type Body<O> = O extends { requestBody: { content: { "application/json": infer B } } } ? B : never;
type Answer<O> = O extends { responses: { 200: { content: { "application/json": infer A } } } } ? A : void;

const ball: components["schemas"]["Circle"] = { type: "circle", radius: 1 };
const box: components["schemas"]["Box"] = { type: "box", half_extents: [1, 1] };
const set = "/v1/sets/naive";

class Refused extends Error {
  constructor(readonly problem: components["schemas"]["Problem"]) { super(problem.detail); }
}

let calls = 0;
async function call<K extends keyof operations>(id: K, method: string, path: string, body?: Body<operations[K]>): Promise<Answer<operations[K]>> {
  calls++;
  const reply = await fetch(process.argv[2] + path, { method, ...body && { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } } });
  const text = await reply.text();
  if (!reply.ok) throw new Refused(JSON.parse(text));
  return JSON.parse(text || "null");
}
const refused = (asked: Promise<unknown>) => asked.then(() => undefined, error => error instanceof Refused ? error.problem : undefined);
function same(told: unknown, wanted: unknown): void {
  if (JSON.stringify(told) !== JSON.stringify(wanted))
    throw new Error(`${JSON.stringify(told)} in the place of ${JSON.stringify(wanted)}`);
}

// Sets, shapes, ticks.
const made = await call("putSet", "PUT", set, { dimension: 2, history: { ticks: 4 }, shapes: { a: ball, b: ball } });
same([made.shapes, made.ticks], [2, null]);
const patched = await call("patchSet", "PATCH", set, { shapes: { b: { position: [4, 0] } } });
const [oldest, newest] = [patched.ticks?.oldest, patched.tick];
same([oldest, newest], [null, null]);
const stored = await call("getSet", "GET", set);
if ("dimension" in stored && typeof stored.shapes === "object") {
  const position = stored.shapes.b?.position;
  if (position) same(position[0] + position[1], 4);
}
const page = await call("listSets", "GET", "/v1/sets?limit=10");
same(page.sets.some(one => one.name === "naive"), true);
const crate = await call("putShape", "PUT", `${set}/shapes/crate`, { ...box, position: [0, 8], group: "crates" });
if ("type" in crate && crate.type === "box") same(crate.half_extents[0], 1);
await call("patchShape", "PATCH", `${set}/shapes/crate`, { angle: 1 });
const read = await call("getShape", "GET", `${set}/shapes/crate`);
if ("type" in read && read.type === "box") same(read.angle, 1);
await call("putShape", "PUT", `${set}/shapes/table`, {
  type: "compound", position: [0, -8], parts: [{ type: "box", half_extents: [2, 0.1] }, { type: "circle", radius: 0.5, position: [0, -1] }],
});
await call("putShape", "PUT", `${set}/shapes/land`, { type: "region", rings: [[[20, 0], [30, 0], [25, 5]]] });
await call("putShape", "PUT", `${set}/shapes/wall`, { type: "chain", vertices: [[40, 0], [45, 0], [45, 5]] });
const pieces = await call("getShape", "GET", `${set}/shapes/land?fields=pieces`);
if ("pieces" in pieces) same(pieces.pieces.length, 1);
await call("deleteShape", "DELETE", `${set}/shapes/wall`);
const first = await call("putTick", "PUT", `${set}/ticks/1`, { shapes: { b: { position: [5, 0] } } });
same(first.tick, 1);
const told = await call("postTick", "POST", `${set}/ticks/2`, {
  shapes: { b: { position: [6, 0], teleport: true } },
  queries: [{ op: "distance", a: "a", b: "b" }, { op: "raycast", origin: [-9, 0], direction: [1, 0] }],
  overlaps: {},
});
const gap = "results" in told ? told.results[0] : undefined;
if (gap && "distance" in gap) same(gap.distance, 4);
if ("overlaps" in told && told.overlaps && "begin" in told.overlaps) for (const [a, b] of told.overlaps.begin) same(a < b, true);
same((await call("getTicks", "GET", `${set}/ticks`)).newest, 2);
const then = await call("getTick", "GET", `${set}/ticks/1`);
const [x, y] = then.shapes.b?.position ?? [0, 0];
same(x + y, 5);

// Questions to the set.
const pair = await call("detectInSet", "POST", `${set}/detect`, { a: "a", b: { id: "b", position: [1, 0] } });
if ("depth" in pair && pair.normal) same([pair.depth, pair.normal[0]], [1, 1]);
const all = await call("detectInSet", "POST", `${set}/detect`, { a: { ...ball, position: [0.5, 0] } });
if ("hits" in all) same(all.hits.map(hit => [hit.id, hit.depth]), [["a", 1.5]]);
const pairs = await call("detectInSet", "POST", `${set}/detect`, {});
if ("pairs" in pairs) same(pairs.pairs.map(one => [one.a, one.b]), []);
const apart = await call("distanceInSet", "POST", `${set}/distance`, { a: "a", b: "b", signed: true });
if ("distance" in apart && apart.point_a && apart.point_b) same(apart.point_b[0] - apart.point_a[0], 4);
const near = await call("distanceInSet", "POST", `${set}/distance`, { a: "a", limit: 2 });
if ("nearest" in near) same(near.nearest[0]?.id, "b");
const within = await call("distanceInSet", "POST", `${set}/distance`, { max_distance: 4 });
if ("pairs" in within) same(within.pairs.length, 1);
const ray = await call("raycastInSet", "POST", `${set}/raycast`, { origin: [-9, 0], direction: [1, 0] });
const hit = "hits" in ray ? ray.hits[0] : undefined;
same([hit?.distance, hit?.point[0], hit?.normal?.[0]], [8, -1, -1]);
const seen = await call("raycastInSet", "POST", `${set}/raycast`, { origin: [-9, 0], direction: [1, 0], mode: "any" });
if ("hit" in seen) same(seen.hit, true);
const swept = await call("castInSet", "POST", `${set}/cast`, { shape: "a", translation: [8, 0] });
if ("hits" in swept) same([swept.hits[0]?.id, swept.hits[0]?.fraction], ["b", 0.5]);
const turned = await call("castInSet", "POST", `${set}/cast`, { shape: box, to: { position: [0, 3], angle: 1 }, at_start: "ignore" });
if ("hits" in turned) same(turned.hits.length, 0);
const moved = await call("moveInSet", "POST", `${set}/move`, { shape: "a", translation: [8, 0], up: [0, 1] });
if ("legs" in moved) same([moved.contacts[0]?.id, moved.moved[0] < 4], ["b", true]);
const shot = await call("hitInSet", "POST", `${set}/hit`, {
  at: { tick: 1.5 }, ray: { origin: [0, 9.5], direction: [0, -1] }, claim: { id: "crate" },
});
if ("hit" in shot && shot.hit) same([shot.verdict, shot.rewind?.alpha, shot.hit.id], ["confirmed", 0.5, "crate"]);
const batch = await call("batchInSet", "POST", `${set}/batch`, { queries: [
  { op: "detect", a: "a", b: "b" }, { op: "cast", shape: "a", translation: [1, 0] }, { op: "move", shape: "a", translation: [0, 1] },
  { op: "hit", ray: { origin: [0, 0], direction: [1, 0] } }, { op: "distance", a: "a", b: "nobody" },
] });
const failed = "results" in batch ? batch.results[4] : undefined;
if (failed && "error" in failed) same([failed.error.code, failed.error.errors?.[0]?.pointer], ["shape-not-found", "/queries/4/b"]);
const rows = await call("configurationsInSet", "POST", `${set}/configurations`, {
  shapes: ["a"], poses: [[{ position: [0, 0] }], [{ position: [6, 0.5] }]], allowed: [["a", "table"]],
});
const [one, other] = rows.results[1]?.pair ?? ["", ""];
same([rows.results[0]?.colliding, one, other], [false, "a", "b"]);

// Questions without a set.
const inline = await call("detect", "POST", "/v1/detect", { a: ball, b: { ...ball, position: [1, 0] } });
same(inline.depth, 1);
same((await call("distance", "POST", "/v1/distance", { a: ball, b: { ...box, position: [3, 0] } })).distance, 1);
const thin = await call("raycast", "POST", "/v1/raycast", { origin: [0, 0, -5], direction: [0, 0, 1], shape: { type: "sphere", radius: 1 } });
if ("hits" in thin) same(thin.hits[0]?.distance, 4);
const path = await call("cast", "POST", "/v1/cast", { shape: ball, translation: [4, 0], shapes: { wall: { ...box, position: [6, 0] } } });
if ("hits" in path) same(path.hits[0]?.fraction, 1);
const several = await call("batch", "POST", "/v1/batch", { queries: [{ op: "detect", a: ball, b: box }] });
same(several.results.length, 1);

// The daemon; a refusal; the end.
same((await call("about", "GET", "/v1")).limits.answers_max, 1000000);
same((await call("ready", "GET", "/readyz")).status, "ok");
same((await call("explainProblem", "GET", "/problems/zero-direction")).status, 422);
const problem = await refused(call("raycastInSet", "POST", `${set}/raycast`, { origin: [0, 0], direction: [0, 0] }));
same([problem?.code, problem?.errors?.[0]?.pointer], ["zero-direction", "/direction"]);
await call("deleteSet", "DELETE", set);
if (calls < 40) throw new Error(`only ${calls} calls`);
