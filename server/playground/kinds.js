// The kinds of shapes: what each looks like when it is new, its support function, its pieces, its
// outline in the plane and its surface in space.
import { add, compose, dot, length, place, poseOf, scale, sub, turn, unit, unturn, zero } from "./vectors.js";

/** @typedef {import("./vectors.js").Vector} Vector */
/** @typedef {{points: Vector[], normals: Vector[] | null, triangles: number[][]}} Surface */

const ROCK = [[-0.9, -0.5, -0.4], [0.8, -0.7, -0.5], [1, 0.5, -0.3], [-0.6, 0.9, -0.5], [-0.4, -0.3, 0.8], [0.5, 0.2, 0.9], [0.1, 0.7, 0.5]];
const COLUMNS = 9, ROWS = 7;
const HILLS = Array.from({ length: COLUMNS * ROWS }, (_, i) => Math.round(50 * (Math.sin((i % COLUMNS) * 0.9) + Math.cos(Math.floor(i / COLUMNS) * 0.8))) / 100);

/** A torus of triangles. @param {number} around @param {number} along */
export function torus(around, along, far = 1, thick = 0.4) {
  const vertices = [], triangles = [], round = (n) => Math.round(1e4 * n) / 1e4;
  for (let i = 0; i < around; i++) {
    for (let j = 0; j < along; j++) {
      const u = (2 * Math.PI * i) / around, v = (2 * Math.PI * j) / along, reach = far + thick * Math.cos(v);
      vertices.push([reach * Math.cos(u), reach * Math.sin(u), thick * Math.sin(v)].map(round));
      const next = ((i + 1) % around) * along, here = i * along, up = (j + 1) % along;
      triangles.push([here + j, next + j, next + up], [here + j, next + up, here + up]);
    }
  }
  return { type: "mesh", vertices, triangles, closed: true };
}

/** A new shape of each kind, by dimension: geometry only. @type {Record<number, Record<string, any>>} */
export const KINDS = {
  2: {
    circle: { radius: 1 },
    box: { half_extents: [1, 0.7] },
    polygon: { vertices: [[1.2, 0], [0.6, 1], [-0.6, 1], [-1.2, 0], [-0.6, -1], [0.6, -1]] },
    capsule: { a: [-0.8, 0], b: [0.8, 0], radius: 0.5 },
    segment: { a: [-1, -0.4], b: [1, 0.4] },
    point: {},
    hull: { points: [[-1, -0.6], [1, -0.8], [1.2, 0.5], [0, 1.1], [-0.9, 0.6], [0.1, 0]] },
    ellipse: { radii: [1.3, 0.7] },
    half_ellipse: { width: 2.2, height: 1.1 },
    slice: { radius: 1.3, theta: 1.8 },
    compound: { parts: [{ type: "box", half_extents: [1.2, 0.25] }, { type: "box", half_extents: [0.25, 0.9], position: [-0.95, 0.7] }, { type: "circle", radius: 0.45, position: [1, 0.5] }] },
    points: { points: [[-1.1, -0.5], [-0.4, 0.3], [0.1, -0.6], [0.6, 0.5], [1.1, -0.2], [-0.9, 0.7]], radius: 0.22 },
    chain: { vertices: [[-1.5, -0.5], [-0.5, 0.4], [0.4, -0.3], [1.5, 0.6]] },
    region: { polygons: [[[[-1.3, -1], [1.3, -1], [1.3, 1], [0.3, 1], [0.3, 0.1], [-0.3, 0.1], [-0.3, 1], [-1.3, 1]], [[0.6, -0.7], [0.6, -0.3], [1, -0.3], [1, -0.7]]]] },
  },
  3: {
    sphere: { radius: 1 },
    box: { half_extents: [1, 0.7, 0.6] },
    capsule: { a: [0, 0, -0.7], b: [0, 0, 0.7], radius: 0.5 },
    cylinder: { a: [0, 0, -0.8], b: [0, 0, 0.8], radius: 0.7 },
    cone: { a: [0, 0, -0.7], b: [0, 0, 1.1], radius: 0.8 },
    ellipsoid: { radii: [1.2, 0.8, 0.6] },
    hull: { points: ROCK },
    triangle: { a: [-1, -0.8, 0], b: [1, -0.6, 0.2], c: [0, 1, 0.5] },
    segment: { a: [-1, 0, -0.4], b: [1, 0, 0.4] },
    point: {},
    compound: { parts: [{ type: "box", half_extents: [1.1, 0.6, 0.15] }, { type: "cylinder", a: [-0.7, 0, 0], b: [-0.7, 0, 1.2], radius: 0.25 }, { type: "sphere", radius: 0.5, position: [0.6, 0, 0.6] }] },
    points: { points: ROCK, radius: 0.25 },
    mesh: torus(18, 10),
    heightfield: { columns: COLUMNS, rows: ROWS, spacing: [0.4, 0.4], heights: HILLS },
  },
};

/** @param {string} type @param {number} dimension @returns {any} */
export const newShape = (type, dimension) => ({ type, ...structuredClone(KINDS[dimension][type]) });

// --- Support functions, in the shape's own frame and without its rounding ---

/** @param {Vector} d @param {Vector[]} points @returns {Vector} */
function farthest(d, points) {
  let best = points[0], most = -Infinity;
  for (const p of points) {
    const reach = dot(d, p);
    if (reach > most) [best, most] = [p, reach];
  }
  return best;
}

const disc = (d, axis, radius) => scale(unit(sub(d, scale(axis, dot(d, axis)))), radius);
const curved = (d, radii) => {
  const stretched = d.map((value, i) => value * radii[i]);
  return length(stretched) > 0 ? unit(stretched).map((value, i) => value * radii[i]) : zero(d.length);
};

/** @type {Record<string, (shape: any, d: Vector) => Vector>} */
const SUPPORTS = {
  point: (_, d) => zero(d.length),
  circle: (s, d) => scale(d, s.radius),
  sphere: (s, d) => scale(d, s.radius),
  segment: (s, d) => farthest(d, [s.a, s.b]),
  capsule: (s, d) => add(farthest(d, [s.a, s.b]), scale(d, s.radius)),
  box: (s, d) => s.half_extents.map((half, i) => (d[i] < 0 ? -half : half)),
  polygon: (s, d) => farthest(d, s.vertices),
  hull: (s, d) => farthest(d, s.points),
  triangle: (s, d) => farthest(d, [s.a, s.b, s.c]),
  ellipse: (s, d) => curved(d, s.radii),
  ellipsoid: (s, d) => curved(d, s.radii),
  half_ellipse: (s, d) => (d[1] > 0 ? curved(d, [s.width / 2, s.height]) : [(d[0] < 0 ? -1 : 1) * s.width / 2, 0]),
  slice: (s, d) => (Math.abs(Math.atan2(d[1], d[0])) <= s.theta / 2 ? scale(d, s.radius)
    : farthest(d, [[0, 0], ...[-1, 1].map((side) => [s.radius * Math.cos(s.theta / 2), side * s.radius * Math.sin(s.theta / 2)])])),
  cylinder: (s, d) => add(farthest(d, [s.a, s.b]), disc(d, unit(sub(s.b, s.a)), s.radius)),
  difference: (s, d) => sub(support(s.a, d), support(s.b, scale(d, -1))),
  cone: (s, d) => farthest(d, [s.b, add(s.a, disc(d, unit(sub(s.b, s.a)), s.radius))]),
};

export const isConvex = (shape) => shape.type in SUPPORTS;

/** Point of a convex shape farthest along the unit vector d, where the shape is. @param {any} shape @param {Vector} d */
export function support(shape, d) {
  const own = unturn(shape, d), core = SUPPORTS[shape.type](shape, own);
  return place(shape, shape.rounding ? add(core, scale(own, shape.rounding)) : core);
}

/** Convex shapes at their places whose union is the shape, or for a solid its boundary; at most `most` of them.
 * @param {any} shape @param {number} dimension @returns {any[]} */
export function pieces(shape, dimension, most = Infinity) {
  if (isConvex(shape)) return [shape];
  if (shape.type === "differences") return shape.list;
  const pose = poseOf(shape, dimension), rounding = shape.rounding || 0, found = [];
  const take = (part) => { if (found.length < most) found.push({ ...part, ...compose(pose, part), rounding: rounding + (part.rounding || 0) }); };
  const line = (ring, closed) => ring.forEach((a, i) => { if (i || closed) take({ type: "segment", a: ring.at(i - 1), b: a }); });
  if (shape.parts) shape.parts.forEach(take);
  else if (shape.type === "chain") line(shape.vertices, shape.closed);
  else if (shape.type === "region") (shape.polygons || [shape.rings]).flat().forEach((ring) => line(ring, true));
  else if (shape.type === "points") shape.points.forEach((position, i) => take({ type: dimension === 2 ? "circle" : "sphere", radius: shape.radii?.[i] ?? shape.radius ?? 0, position }));
  else {
    const { points, triangles } = surfaceOf(shape);
    for (const [i, j, k] of triangles) take({ type: "triangle", a: points[i], b: points[j], c: points[k] });
  }
  return found;
}

/** Is the shape well made, as far as drawing it needs? The daemon judges the rest. @param {any} shape @param {number} dimension */
export function isDrawable(shape, dimension) {
  if (!shape || typeof shape !== "object" || !Object.hasOwn(KINDS[dimension], shape.type)) return false;
  try {
    const [part] = pieces({ ...shape, ...poseOf(shape, dimension) }, dimension, 1), axis = zero(dimension).map((_, i) => (i ? 0 : 1));
    const point = support(part, axis);
    return point.length === dimension && point.every(Number.isFinite);
  } catch {
    return false;
  }
}

// --- Outlines in the plane ---

const CIRCLE = Array.from({ length: 240 }, (_, i) => [Math.cos((Math.PI * (i + 0.5)) / 120), Math.sin((Math.PI * (i + 0.5)) / 120)]);

/** Boundary of what has this support function, counterclockwise. @param {(d: Vector) => Vector} reach @returns {Vector[]} */
export function trace2(reach) {
  const found = CIRCLE.map(reach);
  return found.filter((p, i) => { const last = found.at(i - 1); return p[0] !== last[0] || p[1] !== last[1]; });
}

const area = (ring) => ring.reduce((sum, [x, y], i) => sum + ring.at(i - 1)[0] * y - x * ring.at(i - 1)[1], 0);
const ringsOf = (region) => (region.polygons || [region.rings]).flatMap((polygon) => polygon.map((ring, i) => (area(ring) > 0 === !i ? ring : [...ring].reverse())));

/** All that a - b can be, as a shape: where it holds the origin, the two overlap. @param {any} a @param {any} b @param {number} dimension */
export function difference(a, b, dimension) {
  if (isConvex(a) && isConvex(b)) return { type: "difference", a, b };
  const most = dimension === 2 ? 64 : 24, list = [], rings = [];
  const parts = [pieces(a, dimension, most), pieces(b, dimension, most)];
  for (const p of parts[0]) for (const q of parts[1]) list.push({ type: "difference", a: p, b: q });
  const right = (dimension === 2 ? [1, 0] : [1, 0, 0]);
  if (a.type === "region") rings.push(...ringsOf(a).map((ring) => ring.map((p) => sub(place(a, p), support(parts[1][0], right)))));
  if (b.type === "region") rings.push(...ringsOf(b).map((ring) => ring.map((p) => sub(support(parts[0][0], right), place(b, p)))));
  return { type: "differences", list, rings };
}

/** Path of a shape in its own frame; what it lacks in thickness all around is `stroke`. @param {any} shape
 * @returns {{path: Path2D, stroke: number, filled: boolean, corners: Vector[], dot: boolean}} */
export function outline(shape) {
  const path = new Path2D(), rounding = shape.rounding || 0, corners = [];
  const line = (points, closed) => {
    points.forEach(([x, y], i) => (i ? path.lineTo(x, y) : path.moveTo(x, y)));
    if (closed) path.closePath();
    corners.push(...points);
  };
  if (isConvex(shape)) {
    const found = trace2((d) => support({ ...shape, position: null, angle: 0 }, d));
    line(found.length ? found : [[0, 0]], true);
    return { path, stroke: 0, filled: true, corners, dot: !found.length };
  }
  if (shape.type === "chain") line(shape.vertices, shape.closed);
  else if (shape.type === "region") (shape.polygons || [shape.rings]).flat().forEach((ring) => line(ring, true));
  else if (shape.type === "points") {
    shape.points.forEach(([x, y], i) => {
      const radius = shape.radii?.[i] ?? shape.radius ?? 0;
      path.moveTo(x + radius, y);
      path.arc(x, y, radius, 0, 7);
      corners.push([x - radius, y - radius], [x + radius, y + radius]);
    });
  } else for (const part of pieces({ ...shape, position: null, angle: 0, rounding: 0 }, 2)) line(trace2((d) => support(part, d)), true);
  for (const ring of shape.rings && shape.type === "differences" ? shape.rings : []) line(ring, true);
  return { path, stroke: 2 * rounding, filled: shape.type !== "chain", corners, dot: false };
}

// --- Surfaces in space ---

/** Unit vectors spread over the sphere and the triangles between them: an icosahedron whose edges are halved. */
function icosphere(halvings) {
  const g = (1 + Math.sqrt(5)) / 2;
  const points = [[-1, g, 0], [1, g, 0], [-1, -g, 0], [1, -g, 0], [0, -1, g], [0, 1, g], [0, -1, -g], [0, 1, -g], [g, 0, -1], [g, 0, 1], [-g, 0, -1], [-g, 0, 1]].map(unit);
  let triangles = [[0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11], [1, 5, 9], [5, 11, 4], [11, 10, 2], [10, 7, 6], [7, 1, 8],
    [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9], [4, 9, 5], [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1]];
  for (let n = 0; n < halvings; n++) {
    const middles = new Map();
    const middle = (i, j) => {
      const key = i < j ? `${i} ${j}` : `${j} ${i}`;
      if (!middles.has(key)) middles.set(key, points.push(unit(add(points[i], points[j]))) - 1);
      return middles.get(key);
    };
    triangles = triangles.flatMap(([i, j, k]) => {
      const a = middle(i, j), b = middle(j, k), c = middle(k, i);
      return [[i, a, c], [a, j, b], [c, b, k], [a, b, c]];
    });
  }
  // Turned a little, so that no direction is the normal of an upright box.
  const tilt = { orientation: unit([0.11, 0.07, 0.05, 1]) };
  return { directions: points.map((p) => turn(tilt, p)), triangles };
}
const OCTAHEDRON = { directions: [[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]],
  triangles: [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4], [1, 0, 5], [2, 1, 5], [3, 2, 5], [0, 3, 5]] };
const SPHERES = [0, 1, 2, 3].map((_, n) => { let made; return () => (made ??= icosphere(n + 1)); });

/** Surface of what has this support function. @param {(d: Vector) => Vector} reach @param {number} fineness 0 to 3, or -1 for one of very many @returns {Surface} */
export function trace3(reach, fineness = 2) {
  const { directions, triangles } = fineness < 0 ? OCTAHEDRON : SPHERES[fineness]();
  const points = directions.map(reach), same = new Map();
  const number = points.map((p) => { const key = p.map((x) => x.toPrecision(10)).join(); if (!same.has(key)) same.set(key, same.size); return same.get(key); });
  return { points, normals: directions, triangles: triangles.filter(([i, j, k]) => number[i] !== number[j] && number[j] !== number[k] && number[k] !== number[i]) };
}

/** @param {Surface[]} list @returns {Surface} */
export function join(list) {
  const joined = { points: [], normals: [], triangles: [] };
  for (const { points, normals, triangles } of list) {
    const first = joined.points.length;
    for (const p of points) joined.points.push(p);
    for (const n of normals || points.map(() => null)) joined.normals.push(n);
    for (const [i, j, k] of triangles) joined.triangles.push([i + first, j + first, k + first]);
  }
  return joined;
}

/** Surface of a shape in its own frame. @param {any} shape @param {number} fineness @returns {Surface} */
export function surfaceOf(shape, fineness = 2) {
  const bare = { ...shape, position: null, orientation: null };
  if (isConvex(shape)) return trace3((d) => support(bare, d), fineness);
  if (shape.type === "mesh") return { points: shape.vertices, normals: null, triangles: shape.triangles };
  if (shape.type === "heightfield") {
    const { columns, rows, spacing, heights } = shape, triangles = [];
    const points = heights.map((height, i) => [(i % columns) * spacing[0], Math.floor(i / columns) * spacing[1], height ?? 0]);
    for (let row = 0; row + 1 < rows; row++) {
      for (let column = 0; column + 1 < columns; column++) {
        const i = row * columns + column, corners = [i, i + 1, i + columns, i + columns + 1];
        if (corners.some((n) => heights[n] === null)) continue;
        triangles.push([i, i + 1, i + columns + 1], [i, i + columns + 1, i + columns]);
      }
    }
    return { points, normals: null, triangles };
  }
  const parts = pieces({ ...bare, position: [0, 0, 0] }, 3), fine = Math.min(fineness, parts.length > 1500 ? -1 : parts.length > 60 ? 0 : parts.length > 8 ? 1 : 2);
  return join(parts.map((part) => trace3((d) => support(part, d), fine)));
}
