// How much longer does @gjkd/core take in Node.js than the core on the processor itself?
//   node wasm.mjs BENCH_WASM FOLDER_OF_THE_MODULE RESULTS
// The questions that core.js sends are written down and asked again of bench_wasm, the same reading, core and printing
// compiled for this processor. Both take turns; of either the pass with the least
// processor time counts.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [, , native, folder, results] = process.argv;
const QUESTIONS = 1024, ROUNDS = 15, SHAPES = 10000, SIDE = 2.5 * Math.cbrt(SHAPES);

let state = 20261128;
function random() { // mulberry32
  state = state + 0x6d2b79f5 | 0;
  let t = Math.imul(state ^ state >>> 15, 1 | state);
  t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
  return ((t ^ t >>> 14) >>> 0) / 4294967296;
}
const within = (a, b) => a + (b - a) * random();
const place = side => [within(0, side), within(0, side), within(0, side)];
const turn = () => {
  const q = [0, 0, 0, 0].map(() => within(-1, 1)), length = Math.hypot(...q);
  return q.map(x => x / length);
};
const box = side => ({ type: "box", half_extents: [within(0.2, 1), within(0.2, 1), within(0.2, 1)], position: place(side), orientation: turn() });
const hull = side => ({ type: "hull", points: Array.from({ length: 12 }, () => place(1)), position: place(side), orientation: turn() });
const capsule = side => ({ type: "capsule", a: [0, 0, -0.5], b: [0, 0, 0.5], radius: 0.3, position: place(side) });
const way = length => {
  const v = [0, 0, 0].map(() => within(-1, 1)), n = length / Math.hypot(...v);
  return v.map(x => n * x);
};

// What the module is told and answers, call by call.
let exports, tapes = null, room;
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (...given) => {
  const { instance } = await instantiate(...given);
  exports = instance.exports;
  const note = (kind, about) => tapes?.push({ kind, about, bytes: new Uint8Array(exports.memory.buffer).slice(room.at, room.at + 8 * room.count + room.texts), ...room });
  return { instance: { exports: { ...exports,
    begin: (count, bytes) => (room = { at: exports.begin(count, bytes), count, texts: bytes }).at,
    ask: op => (note(1, op), exports.ask(op)), patch: set => (note(0, set), exports.patch(set)) } } };
};
const { load } = await import(pathToFileURL(`${resolve(folder)}/core.js`));
const core = await load();

const shapes = Object.fromEntries(Array.from({ length: SHAPES }, (_, i) => [`box${i}`, box(SIDE)]));
tapes = [];
const set = core.set({ dimension: 3, shapes });
const [scene] = tapes;
tapes = null;
const many = make => Array.from({ length: QUESTIONS }, make);
const cases = [
  ["pair: detect, two boxes", core.detect, many(() => ({ a: box(2), b: box(2) }))],
  ["pair: distance, two hulls of 12", core.distance, many(() => ({ a: hull(3), b: hull(3) }))],
  ["set: ray, closest hit", set.raycast, many(() => ({ origin: place(SIDE), direction: way(1), max_distance: 20 }))],
  ["set: cast of a capsule, closest hit", set.cast, many(() => ({ shape: capsule(SIDE), translation: way(4), at_start: "ignore" }))],
  ["set: move of a capsule", set.move, many(() => ({ shape: capsule(SIDE), translation: way(1), up: [0, 0, 1], step: 0.3, snap: 0.3 }))],
];

/** Processor time, since the machine has other work. */
const now_ns = () => {
  const { user, system } = process.cpuUsage();
  return 1000 * (user + system);
};
function pass(question, queries) {
  const start = now_ns();
  for (const query of queries) question.call(core, query);
  return (now_ns() - start) / queries.length;
}
/** Asks the module what was written down, without core.js. */
function replay(asked) {
  const start = now_ns();
  for (const { about, bytes, count, texts } of asked) {
    const at = exports.begin(count, texts);
    new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
    if (exports.ask(about) !== 0) throw new Error("refused");
  }
  return (now_ns() - start) / asked.length;
}

/** Writes a file for bench_wasm: of each call its kind, what it is about, how many numbers and bytes, then these. */
function record(file, calls) {
  writeFileSync(file, Buffer.concat(calls.flatMap(({ kind, about, count, texts, bytes }) =>
    [Buffer.from(Uint32Array.of(kind, kind === 1 ? about : 3, count, texts).buffer), bytes])));
}

const work = mkdtempSync(`${tmpdir()}/gjkd-bench-`);
try {
  const rows = cases.map(([name, question, queries], i) => {
    tapes = [];
    const answers = queries.map(query => question.call(core, query)), asked = tapes, file = `${work}/${i}`;
    tapes = null;
    record(file, [scene, ...asked]);
    const told = execFileSync(native, [file, "answers"], { encoding: "utf8", maxBuffer: 1 << 28 });
    assert.deepEqual(told.trim().split("\n").map(line => JSON.parse(line)), answers);
    let [whole, module, peer] = [Infinity, Infinity, Infinity];
    for (let round = 0; round < ROUNDS; round++) {
      whole = Math.min(whole, pass(question, queries));
      module = Math.min(module, replay(asked));
      peer = Math.min(peer, Number(execFileSync(native, [file], { encoding: "utf8" })));
    }
    return { case: name, ours: module, peer, peer_name: "native core", unit: "ns", ratio: module / peer, with_core_js: whole };
  });
  writeFileSync(results, rows.map(row => `${JSON.stringify(row)}\n`).join(""));
} finally {
  rmSync(work, { recursive: true });
}
