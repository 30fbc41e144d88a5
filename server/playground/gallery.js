// Pieces worth a look: each is a link to a state of the other two views. A set that a piece needs is
// stored when it is first opened.
import { Drawing } from "./drawing.js";
import { torus } from "./kinds.js";
import { poseOf, quaternion } from "./vectors.js";

/** @typedef {import("./vectors.js").Vector} Vector */

const box = (position, half_extents, more = {}) => ({ type: "box", half_extents, position, ...more });

function bullet() {
  return { dimension: 2, meta: { about: "A bullet that flies 18 m in one step and a wall of 2 mm." }, shapes: {
    bullet: { type: "capsule", a: [-0.25, 0], b: [0.25, 0], radius: 0.12, position: [-8, 0], group: "gun" },
    "thin-wall": box([0, 0], [0.001, 3], { rounding: 0.001 }),
    target: { type: "circle", radius: 1, position: [6, 0.3] },
    floor: box([0, -3.5], [10, 0.2]),
  } };
}

const DUEL_TICKS = 60;
const runner = (t) => [9, -4 + (8 * t) / DUEL_TICKS + 0.5 * Math.sin(t / 5), 0];
const body = (name, at) => ({
  [`${name}/head`]: { type: "sphere", radius: 0.16, position: [at[0], at[1], 1.66], group: name },
  [`${name}/torso`]: { type: "capsule", a: [0, 0, 0.85], b: [0, 0, 1.3], radius: 0.24, position: at, group: name },
  [`${name}/legs`]: { type: "capsule", a: [0, 0, 0.2], b: [0, 0, 0.7], radius: 0.18, position: at, group: name },
});
function duel() {
  const shapes = { ...body("red", [0, 0, 0]), ...body("blue", runner(0)), ground: box([5, 0, -0.25], [9, 6, 0.25]), "cover-1": box([6, 1.6, 0.6], [0.2, 1, 0.6], { group: "cover" }), "cover-2": box([7, -2.6, 0.9], [0.2, 0.7, 0.9], { group: "cover" }) };
  const ticks = Array.from({ length: DUEL_TICKS }, (_, i) => {
    const [x, y] = runner(i + 1).map((value) => Math.round(1e4 * value) / 1e4);
    return { "blue/head": { position: [x, y, 1.66] }, "blue/torso": { position: [x, y, 0] }, "blue/legs": { position: [x, y, 0] } };
  });
  return { dimension: 3, history: { ticks: 128 }, meta: { about: "Blue runs; red's shot is judged as of the tick that red saw." }, shapes, ticks };
}

function room() {
  const shapes = {
    walls: { type: "region", polygons: [[[[-5.2, -4.2], [5.2, -4.2], [5.2, 4.2], [-5.2, 4.2]], [[-5, -4], [-5, 4], [5, 4], [5, 1], [2, 1], [2, 0.8], [5, 0.8], [5, -4], [0.7, -4], [-0.7, -4]]]] },
    table: { type: "box", half_extents: [1.1, 0.65], rounding: 0.1, position: [-2.2, 0.6], group: "furniture" },
    sofa: { type: "compound", parts: [{ type: "box", half_extents: [1.3, 0.35] }, { type: "box", half_extents: [0.15, 0.5], position: [-1.2, 0.35] }, { type: "box", half_extents: [0.15, 0.5], position: [1.2, 0.35] }], position: [-2.4, -3.4], group: "furniture" },
    lamp: { type: "circle", radius: 0.3, position: [-4.5, 3.5], group: "furniture" },
    desk: { type: "box", half_extents: [0.9, 0.4], position: [3.9, -2.2], angle: Math.PI / 2, group: "furniture" },
    plant: { type: "ellipse", radii: [0.4, 0.3], position: [4.4, 3.4], group: "furniture" },
    piano: { type: "half_ellipse", width: 1.9, height: 1.2, position: [3, 1.6], group: "furniture" },
    person: { type: "capsule", a: [-0.2, 0], b: [0.2, 0], radius: 0.22, position: [0, -3], group: "person" },
  };
  [[-3.1, 1.75, 0], [-1.3, 1.75, 0.1], [-3.1, -0.55, 3.1], [-1.25, -0.5, 3.2], [2.8, -2.2, 1.6]].forEach(([x, y, angle], i) => {
    shapes[`chair-${i + 1}`] = { type: "box", half_extents: [0.26, 0.26], rounding: 0.06, position: [x, y], angle, group: "furniture" };
  });
  return { dimension: 2, meta: { about: "A room from above, in metres." }, shapes };
}

function stairs() {
  const parts = Array.from({ length: 8 }, (_, i) => ({ type: "box", half_extents: [1.2, 0.2, 0.1 * (i + 1)], position: [0, 0.4 * i, 0.1 * (i + 1)] }));
  return { dimension: 3, meta: { about: "A level to walk through, in metres." }, shapes: {
    player: { type: "capsule", a: [0, 0, 0.3], b: [0, 0, 1.5], radius: 0.3, position: [0, -2, 0.001], group: "player" },
    floor: box([0, 1, -0.1], [7, 6, 0.1]),
    stairs: { type: "compound", parts, position: [0, 0, 0] },
    landing: box([0, 4.6, 0.8], [1.2, 1.6, 0.8]),
    ramp: { type: "hull", points: [[1.2, 3, 0], [1.2, 6.2, 0], [5.2, 3, 0], [5.2, 6.2, 0], [1.2, 3, 1.6], [1.2, 6.2, 1.6]], position: [0, 0, 0] },
    "wall-west": box([-3, 1, 1], [0.15, 5, 1]),
    "wall-slanted": box([3.4, -1.5, 0.6], [0.15, 2, 0.6], { orientation: quaternion([0, 0, 1], 0.6) }),
    crate: box([-1.8, -1.2, 0.4], [0.4, 0.4, 0.4], { orientation: quaternion([0, 0, 1], 0.4) }),
    "low-step": box([1.8, -3.6, 0.12], [0.8, 0.8, 0.12]),
    barrel: { type: "cylinder", a: [0, 0, 0], b: [0, 0, 0.9], radius: 0.35, position: [-2, 2.2, 0] },
  } };
}

function mesh() {
  const side = 40, heights = Array.from({ length: side * side }, (_, i) => {
    const x = (i % side) / 4, y = Math.floor(i / side) / 4;
    return Math.round(1e3 * (0.5 * Math.sin(x * 0.9) + 0.45 * Math.cos(y * 0.8) + 0.2 * Math.sin(x * 2.1 + y * 1.7))) / 1e3;
  });
  return { dimension: 3, meta: { about: "A landscape, a torus of 5,000 triangles and what flies through it." }, shapes: {
    hills: { type: "heightfield", columns: side, rows: side, spacing: [0.25, 0.25], heights, position: [-5, -5, -1.2] },
    torus: { ...torus(100, 25, 1.6, 0.5), position: [0, 0, 2], orientation: quaternion([1, 0, 0], 1.2), group: "ring" },
    ball: { type: "sphere", radius: 0.6, position: [0.2, -2.6, 2.4], group: "ball" },
    rocket: { type: "cone", a: [0, 0, -0.6], b: [0, 0, 0.9], radius: 0.4, position: [2.6, 1.4, 2.2], orientation: quaternion([0, 1, 0], 0.9), group: "rocket" },
  } };
}

/** Sets of the gallery by name. @type {Record<string, () => any>} */
export const SETS = { "gallery-bullet": bullet, "gallery-duel": duel, "gallery-room": room, "gallery-stairs": stairs, "gallery-mesh": mesh };

const TRIANGLE = { type: "polygon", vertices: [[4, 11], [4, 5], [9, 9]] };
const QUADRILATERAL = { type: "polygon", vertices: [[5, 7], [12, 7], [10, 2], [7, 3]] };
const upright = { orientation: [0, 0, 0, 1] };

/** @type {{name: string, about: string, pair?: any, set?: any}[]} */
const PIECES = [
  { name: "Worked example", about: "The triangle and the quadrilateral of the textbooks, step by step: GJK finds the overlap, EPA its depth.",
    pair: { dimension: "2", a: TRIANGLE, b: QUADRILATERAL, step: "1" } },
  { name: "Touching", about: "A disc that just touches a box: neither apart nor overlapping.",
    pair: { dimension: "2", a: { type: "box", half_extents: [1, 1], position: [-1, 0] }, b: { type: "circle", radius: 1, position: [1, 0.25] } } },
  { name: "Containment", about: "A small box deep inside a large hexagon: the shortest way out.",
    pair: { dimension: "2", a: { type: "polygon", vertices: [[3, 0], [1.5, 2.6], [-1.5, 2.6], [-3, 0], [-1.5, -2.6], [1.5, -2.6]] }, b: { type: "box", half_extents: [0.6, 0.4], position: [0.7, 0.5], angle: 0.4 } } },
  { name: "Coincident centres", about: "Two ellipses on one spot: no direction is given, one must be found.",
    pair: { dimension: "2", a: { type: "ellipse", radii: [2, 1], position: [0, 0] }, b: { type: "ellipse", radii: [1.5, 0.8], position: [0, 0], angle: 1.2 } } },
  { name: "EPA in space", about: "A box in a rock: watch the polytope grow until its nearest face lies on the surface.",
    pair: { dimension: "3", a: { type: "box", half_extents: [1, 0.7, 0.6], position: [-0.5, 0, 0.8], orientation: quaternion([0.6, 0, 0.8], 0.7) },
      b: { type: "hull", points: [[-0.9, -0.5, -0.4], [0.8, -0.7, -0.5], [1, 0.5, -0.3], [-0.6, 0.9, -0.5], [-0.4, -0.3, 0.8], [0.5, 0.2, 0.9], [0.1, 0.7, 0.5]], position: [0.6, 0.2, 0.9], ...upright }, step: "5" } },
  { name: "A bullet and a thin wall", about: "Eighteen metres in one step, a wall of two millimetres: a sweep never tunnels.",
    set: { set: "gallery-bullet", tool: "sweep", shape: "bullet", from: "-8,0", to: "10,0.2" } },
  { name: "A rewound duel", about: "Red shot where blue stood when red saw it. The hit is judged at that tick.",
    set: { set: "gallery-duel", tool: "hit", shape: "blue/torso", tick: "24.5", from: "0.4,0,1.3", to: "11,-1.6,1.1", hit: { shooter: "red", claim: "blue", radius: 0, near: 1, rewind: 60 } } },
  { name: "A room and furniture", about: "Drag a chair: what it would hit is red. Open it twice: it is the same room.",
    set: { set: "gallery-room", tool: "move", shape: "chair-5" } },
  { name: "A player on stairs", about: "Walk the capsule with the arrow keys: up the stairs, down the ramp, along the walls.",
    set: { set: "gallery-stairs", tool: "walk", shape: "player" } },
  { name: "A mesh", about: "A torus of 5,000 triangles over hills: distances to all of them, live.",
    set: { set: "gallery-mesh", tool: "nearest", shape: "ball" } },
];

/** @param {{pair?: any, set?: any}} piece */
function hrefOf({ pair, set }) {
  const words = new URLSearchParams({ view: pair ? "two" : "set" });
  for (const [name, value] of Object.entries(pair || set)) words.set(name, typeof value === "string" ? value : JSON.stringify(value));
  return `#${words}`;
}

/** @param {{pair?: any, set?: any}} piece @returns {{dimension: number, shapes: Record<string, any>}} */
function contents({ pair, set }) {
  return pair ? { dimension: Number(pair.dimension), shapes: { a: pair.a, b: pair.b } } : SETS[set.set]();
}

let isLaid = false;
/** Lays the pieces when the gallery is first opened. @param {HTMLElement} list */
export function openGallery(list) {
  if (isLaid) return;
  isLaid = true;
  for (const piece of PIECES) {
    const entry = document.createElement("li"), picture = document.createElement("div"), link = document.createElement("a"), about = document.createElement("p");
    link.textContent = piece.name;
    link.href = hrefOf(piece);
    about.textContent = piece.about;
    entry.append(picture, link, about);
    list.append(entry);
    const drawing = new Drawing(picture, `Picture of: ${piece.name}`), { dimension, shapes } = contents(piece);
    drawing.setDimension(dimension);
    const colours = { a: "a", b: "b", [piece.set?.shape]: "a" };
    drawing.items = Object.entries(shapes).map(([id, shape]) => ({ id, shape, pose: poseOf(shape, dimension), colour: colours[id] || (shape.group ? "shape" : "static") }));
    drawing.fit();
  }
}
