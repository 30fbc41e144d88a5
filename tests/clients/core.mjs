// The core in WebAssembly against the daemon: random shapes of every kind, every question that both have; answers are
// equal to the bit, refusals have one code.
//   node core.mjs GJKD FOLDER_OF_THE_MODULE [CASES]
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const [, , gjkd, folder, cases = "1500"] = process.argv;
let memory; // of the module, which shows it to nobody
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (...given) => {
  const made = await instantiate(...given);
  memory = made.instance.exports.memory;
  return made;
};
const { load, Refused } = await import(pathToFileURL(`${resolve(folder)}/core.js`));
const core = await load();
WebAssembly.instantiate = instantiate;
const daemon = spawn(gjkd, ["--listen", "127.0.0.1:0", "--drain-delay", "0"], { stdio: ["ignore", "pipe", "ignore"] });
const [line] = await once(createInterface(daemon.stdout), "line");
const url = line.split(" ").pop();
const asked = async (path, body, method = "POST") => (await fetch(url + path.slice(1), {
  method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) })).json();

let state = 20261128;
function random() { // mulberry32
  state = state + 0x6d2b79f5 | 0;
  let t = Math.imul(state ^ state >>> 15, 1 | state);
  t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
  return ((t ^ t >>> 14) >>> 0) / 4294967296;
}
const within = (a, b) => a + (b - a) * random();
const whole = n => Math.floor(n * random());
const one = list => list[whole(list.length)];
const place = (d, r = 1) => Array.from({ length: d }, () => random() < 0.3 ? Math.round(within(-r, r)) : within(-r, r));
const places = (d, n, r) => Array.from({ length: n }, () => place(d, r));
const lengths = d => place(d).map(x => Math.abs(x) + 0.1);
const size = () => within(0.1, 1.5);
const turn = d => {
  if (d === 2) return { angle: one([0, Math.PI / 2, within(-4, 4)]) };
  const q = [0, 0, 0, 0].map(() => within(-1, 1)), length = Math.hypot(...q);
  return { orientation: one([[0, 0, 0, 1], q.map(x => x / length)]) };
};
const ring = (n, r) => Array.from({ length: n }, (_, i) => [r * Math.cos(2 * Math.PI * i / n), r * Math.sin(2 * Math.PI * i / n)]);
const tetrahedron = { vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], triangles: [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] };

const convex = {
  2: { point: () => ({}), circle: () => ({ radius: size() }), segment: () => ({ a: place(2), b: place(2) }),
    capsule: () => ({ a: place(2), b: place(2), radius: size() }), box: () => ({ half_extents: lengths(2) }),
    polygon: () => ({ vertices: ring(3 + whole(6), size()) }), hull: () => ({ points: places(2, 1 + whole(8)) }),
    ellipse: () => ({ radii: lengths(2) }), half_ellipse: () => ({ width: size(), height: size() }),
    slice: () => ({ radius: size(), theta: within(0.2, Math.PI) }) },
  3: { point: () => ({}), sphere: () => ({ radius: size() }), segment: () => ({ a: place(3), b: place(3) }),
    capsule: () => ({ a: place(3), b: place(3), radius: size() }), box: () => ({ half_extents: lengths(3) }),
    triangle: () => ({ a: place(3), b: place(3), c: place(3) }), hull: () => ({ points: places(3, 1 + whole(16)) }),
    ellipsoid: () => ({ radii: lengths(3) }), cylinder: () => ({ a: place(3), b: place(3), radius: size() }),
    cone: () => ({ a: place(3), b: place(3), radius: size() }) },
};
const pieces = {
  2: { compound: () => ({ parts: [shape(2, convex), shape(2, convex)] }), chain: () => ({ vertices: places(2, 2 + whole(5)), closed: random() < 0.5 }),
    region: () => one([{ polygons: [[ring(5, 1.5), ring(4, 0.5)]] }, { rings: [ring(6, 1), ring(3, 0.3)], fill: "evenodd" }]),
    points: () => ({ points: places(2, 1 + whole(5)), radius: size() }) },
  3: { compound: () => ({ parts: [shape(3, convex), shape(3, convex)] }),
    mesh: () => one([{ ...tetrahedron, closed: true }, { vertices: places(3, 4), triangles: [[0, 1, 2], [1, 2, 3]], materials: [7, 8], one_sided: true },
      { ...tetrahedron, closed: true, weld: true, fill: "evenodd" }]),
    heightfield: () => ({ columns: 3, rows: 2, spacing: lengths(2), heights: [0, within(0, 1), 0.5, within(0, 1), null, 0] }),
    points: () => ({ points: places(3, 3), radii: lengths(3) }) },
};
function shape(d, kinds = one([convex, pieces])) {
  const type = one(Object.keys(kinds[d]));
  return { type, ...kinds[d][type](), ...random() < 0.3 && { rounding: within(0, 0.4) }, ...random() < 0.9 && { position: place(d, 2) }, ...turn(d) };
}
const wrong = [{ type: "circle", radius: -1 }, { type: "polygon", vertices: [[0, 0], [2, 0], [1, 0.2], [0, 2]] }, { type: "box" }, { type: "circel" },
  { type: "circle", radius: 1, colour: 2 }, { type: "slice", radius: 1, theta: 4 }, { type: "region", polygons: [[[[0, 0], [1, 1], [1, 0], [0, 1]]]] }];
const filter = () => one([undefined, { ignore: ["c", "a"] }, { mask: 2 }, { only_groups: ["red"] }, { ignore_groups: ["red"], category: 3 }]);
const options = () => one([undefined, undefined, { tolerance: 1e-3 }, { max_iterations: 7 }]);

function alone(d) {
  const op = one(["detect", "distance", "raycast", "cast"]);
  const any = random() < 0.03 && d === 2 ? one(wrong) : shape(d);
  const target = random() < 0.5 ? null : { x: shape(d), "x/y": { ...shape(d), category: 2, group: "red" }, z: shape(d) };
  return { op, options: options(), dimension: d, ...{
    detect: () => ({ a: any, b: shape(d), ...one([{}, { penetration: false }, { penetration: "pieces" }, { contacts: 5 }]) }),
    distance: () => ({ a: any, b: shape(d), ...random() < 0.4 && { signed: true } }),
    raycast: () => ({ origin: place(d, 4), direction: random() < 0.02 ? place(d, 0) : place(d), mode: one(["closest", "any", "all"]), solid: random() < 0.7,
      exits: random() < 0.3, ...random() < 0.3 && { max_distance: within(0, 5) }, filter: filter(), ...target ? { shapes: target } : { shape: any } }),
    cast: () => ({ shape: any, mode: one(["closest", "any", "all"]), at_start: one(["report", "ignore", "resolve", "leaving"]), filter: filter(),
      ...random() < 0.3 ? { to: { position: place(d, 5), ...turn(d) } } : { translation: place(d, 6) }, ...target ? { shapes: target } : { against: shape(d) } }),
  }[op]() };
}
function ofSet(d, ids) {
  const op = one(["detect", "distance", "raycast", "cast", "move"]);
  const operand = () => one([one(ids), { id: one(ids), position: place(d, 3) }, { id: one(ids), ...turn(d) }, shape(d, convex), "nobody"]);
  return { op, options: options(), filter: filter(), ...{
    detect: () => one([{}, { a: operand() }, { a: operand(), b: operand() }, { a: { type: "box", half_extents: Array(d).fill(4) }, relation: "within" }, { limit: 2 },
      { against: "t" }, { against: "t", a: operand() }]),
    distance: () => one([{ a: operand(), b: operand(), signed: true }, { a: operand(), limit: 3, signed: random() < 0.5 }, { a: operand(), max_distance: 2 }, { max_distance: 1 },
      { against: "t", signed: random() < 0.5 }, { against: "t", max_distance: 1 }, { against: "t", limit: 3 }, { against: "t", b: operand() }]),
    raycast: () => ({ origin: place(d, 5), direction: place(d), mode: one(["closest", "any", "all"]), exits: random() < 0.3, ...one([{}, { target: one(ids) }, { shape: operand() }, { limit: 2 }]) }),
    cast: () => ({ shape: operand(), translation: place(d, 6), mode: one(["closest", "any", "all"]), at_start: one(["report", "ignore", "resolve", "leaving"]),
      ...random() < 0.2 && { target: one(ids) } }),
    move: () => ({ shape: operand(), translation: place(d, 4), ...random() < 0.6 && { up: [0, 0, 1].slice(3 - d), step: within(0, 0.5), snap: within(0, 0.5), max_slope: within(0, 1.5) },
      ...random() < 0.2 && { skin: 0, depenetrate: within(0, 1), slides: 1 + whole(9) } }),
  }[op]() };
}

const seen = {};
/** Compares what both say; undefined members are left out on the way to either. */
function compare(given, told, ask) {
  const question = JSON.parse(JSON.stringify(given)), { op, ...query } = question;
  let mine;
  try { mine = ask(op, query); } catch (error) {
    if (!(error instanceof Refused)) throw error;
    mine = { error: error.code };
  }
  const wanted = told.error ? { error: told.error.code } : told;
  assert.deepStrictEqual(mine, wanted, JSON.stringify(question));
  const what = `${op} ${told.error ? told.error.code : ""}`;
  seen[what] = (seen[what] ?? 0) + 1;
}

/** Pairs with their steps, which a batch does not take. */
async function traced(count, path, ask, ofPair) {
  for (let i = 0; i < count; i++) {
    const question = { ...ofPair(), options: options(), trace: one([true, true, false]) };
    const { op, ...query } = question, told = await asked(`${path}/${op}`, query);
    compare({ op: `${op} traced`, ...query }, told.code ? { error: told } : told, () => ask(op, query));
    assert(!told.state || !question.trace || told.trace.steps);
  }
}

for (const d of [2, 3]) {
  const questions = Array.from({ length: Number(cases) }, () => alone(d));
  const plain = questions.map(({ dimension, ...question }) => question);
  const { results } = await asked("/v1/batch", { dimension: d, queries: plain });
  questions.forEach((question, i) => compare(question, results[i], (op, query) => core[op](query)));
  await traced(100, "/v1", (op, query) => core[op](query), () => ({ op: one(["detect", "distance"]), dimension: d, a: shape(d), b: shape(d) }));
  for (let round = 0; round < Number(cases) / 100; round++) {
    const shapes = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [String.fromCharCode(97 + i),
      { ...shape(d), position: place(d, 5), category: 1 + whole(3), ...random() < 0.3 && { group: one(["red", "a/b"]) } }]));
    await asked("/v1/sets/s", undefined, "DELETE").catch(() => {});
    await asked("/v1/sets/s", { dimension: d, shapes }, "PUT");
    const set = core.set({ dimension: d, shapes }), others = Object.fromEntries(Object.entries(shapes).map(([id, one]) => [`${id}2`, { ...one, position: place(d, 5) }]));
    await asked("/v1/sets/t", undefined, "DELETE").catch(() => {});
    await asked("/v1/sets/t", { dimension: d, shapes: others }, "PUT");
    const other = core.set({ dimension: d, shapes: others });
    for (let revision = 1; revision < 4; revision++) {
      const questions = Array.from({ length: 50 }, () => ofSet(d, Object.keys(shapes)));
      const { results } = await asked("/v1/sets/s/batch", { queries: questions });
      questions.forEach((question, i) => compare(question, results[i], (op, query) => {
        const { revision: mine, ...rest } = set[op](query.against ? { ...query, against: other } : query);
        assert.equal(mine, revision);
        return rest;
      }));
      const patch = { a: { position: place(d, 5) }, b: revision === 2 ? null : turn(d), c: { rounding: null, group: null, category: 1, ...shape(d), position: place(d, 5) } };
      await traced(6, "/v1/sets/s", (op, query) => set[op](query),
        () => ({ op: one(["detect", "distance"]), a: one(Object.keys(shapes)), ...random() < 0.9 && { b: shape(d) } }));
      if (revision === 2) delete shapes.b;
      if (revision === 3) delete patch.b;
      await asked("/v1/sets/s", { shapes: patch }, "PATCH");
      set.patch(patch);
    }
  }
}
daemon.kill();
await once(daemon, "exit");

const flat = core.set({ dimension: 2 }), solid = core.set({ dimension: 3 });
assert.throws(() => flat.detect({ against: solid }), { code: "dimension-mismatch" });
assert.throws(() => flat.detect({ against: "solid" }), { code: "wrong-type" });
assert.throws(() => core.raycast({ dimension: 4, origin: [0, 0, 0, 0], direction: [1, 0, 0, 0], shapes: {} }), { code: "out-of-range" });

// A function of a set keeps it alive when the rest of it is collected.
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
const a = { type: "circle", radius: 1 };
const distance = (() => core.set({ dimension: 2, shapes: { a } }).distance)();
for (let i = 0; i < 20; i++) {
  collect();
  await new Promise((resolve) => setTimeout(resolve, 5));
  core.set({ dimension: 2, shapes: { b: a, c: { ...a, position: [9, 9] } } });
}
assert.equal(distance({ a: { type: "point", position: [3, 0] } }).nearest[0]?.id, "a");

// What a set no longer needs is used again.
const crowd = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`c${i}`, { ...a, position: [i, 0] }]));
const lasting = core.set({ dimension: 2, shapes: { a } });
let held;
for (let round = 0; round < 60; round++) {
  lasting.patch({ ...crowd, chain: { type: "chain", vertices: ring(50 * (1 + round % 3), 9) } });
  lasting.detect();
  lasting.patch(Object.fromEntries([...Object.keys(crowd), "chain"].map(id => [id, null])));
  if (round === 5) held = memory.buffer.byteLength;
}
assert.equal(memory.buffer.byteLength, held);

for (const [what, count] of Object.entries(seen).sort()) console.log(`${String(count).padStart(6)} ${what}`);
for (const op of ["detect ", "distance ", "raycast ", "cast ", "move "]) assert(seen[op] > Number(cases) / 10, op);
