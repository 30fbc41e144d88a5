// A 2D set to play with: drag a shape and ask what if. Nothing here is ever written to the daemon.
"use strict";

const $ = (id) => document.getElementById(id);
const canvas = $("scene"), context = canvas.getContext("2d");
const state = { set: null, shapes: {}, chosen: null, pose: null, ray: null, answer: null, view: null, drag: null };
const HINTS = {
  detect: "Drag a shape: what would it collide with there?",
  distance: "Drag a shape: which three are nearest to it there?",
  raycast: "Drag on the ground: what does a ray hit, in order?",
  cast: "Choose a shape, then drag on the ground: what does it touch first on that way?",
};
const mode = () => document.querySelector("input[name=mode]:checked").value;
const theme = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// --- The daemon ---

async function call(method, path, body) {
  const headers = { Accept: "application/json" };
  if (body) headers["Content-Type"] = "application/json";
  if ($("token").value) headers.Authorization = `Bearer ${$("token").value}`;
  const reply = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  const value = await reply.json();
  if (reply.status === 401) $("token-label").hidden = false;
  if (!reply.ok) throw new Error(`${value.title} ${value.detail}`);
  return value;
}

async function loadSets() {
  const { sets } = await call("GET", "/v1/sets");
  const flat = sets.filter((set) => set.dimension === 2).map((set) => set.name);
  $("set").replaceChildren(...flat.map((name) => new Option(name)));
  if (!flat.length) return say("There is no 2D set. Start gjkd with --demo, or PUT one to /v1/sets/{set}.");
  await loadSet(flat[0]);
}

async function loadSet(name) {
  const set = await call("GET", `/v1/sets/${encodeURIComponent(name)}`);
  Object.assign(state, { set: name, shapes: set.shapes || {}, chosen: null, ray: null, answer: null });
  choose(Object.keys(state.shapes).find((id) => state.shapes[id].group) || Object.keys(state.shapes)[0]);
  fit();
  ask();
}

// One question at a time; while one is under way only the last that came is kept.
let asking = false, again = false;
async function ask() {
  if (asking) { again = true; return; }
  const question = makeQuestion();
  if (!question) return draw();
  asking = true;
  const path = `/v1/sets/${encodeURIComponent(state.set)}/${mode()}`, start = performance.now();
  $("request").textContent = `POST ${path}\n${pretty(question)}`;
  try {
    state.answer = await call("POST", path, question);
    $("took").textContent = `${(performance.now() - start).toFixed(1)} ms there and back`;
    $("answer").textContent = pretty(state.answer);
    say(sentence(state.answer));
  } catch (error) {
    state.answer = null;
    $("answer").textContent = "";
    say(error.message);
  }
  asking = false;
  draw();
  if (again) { again = false; ask(); }
}

function makeQuestion() {
  const moved = state.chosen && { id: state.chosen, position: state.pose.position, angle: state.pose.angle };
  if (mode() === "detect") return moved && { a: moved };
  if (mode() === "distance") return moved && { a: moved, limit: 3 };
  if (!state.ray) return null;
  const way = [state.ray.to[0] - state.ray.from[0], state.ray.to[1] - state.ray.from[1]];
  if (mode() === "cast") return moved && { shape: moved, translation: way };
  const length = Math.hypot(...way);
  return length > 0 ? { origin: state.ray.from, direction: way, max_distance: length, mode: "all" } : null;
}

function sentence(answer) {
  const names = (list) => list.map((item) => item.id).join(", ");
  if (answer.nearest) return `Nearest: ${answer.nearest.map((n) => `${n.id} (${n.distance.toFixed(3)})`).join(", ")}`;
  if (!answer.hits.length) return "Nothing.";
  const first = answer.hits[0];
  if (mode() === "detect") return `Collides with ${names(answer.hits)}.`;
  if (mode() === "cast") return `Touches ${first.id} after ${(100 * first.fraction).toFixed(1)} % of the way.`;
  return `Hits ${names(answer.hits)}.`;
}

const say = (text) => { $("says").textContent = text; };
const pretty = (value) => JSON.stringify(value, null, 1).replace(/\[\s+([^[\]{}]*?)\s+\]/g, (_, inner) => `[${inner.replace(/\s+/g, " ")}]`);

// --- Drawing: world to screen by one transform; a rounding is a wide stroke with round joints ---

function fit() {
  canvas.width = canvas.clientWidth * devicePixelRatio;
  canvas.height = canvas.clientHeight * devicePixelRatio;
  let box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const shape of Object.values(state.shapes)) {
    const [px, py] = shape.position || [0, 0], c = Math.cos(shape.angle || 0), s = Math.sin(shape.angle || 0), r = reach(shape);
    for (const [x, y] of points(shape)) {
      const at = [px + c * x - s * y, py + s * x + c * y];
      box = [Math.min(box[0], at[0] - r), Math.min(box[1], at[1] - r), Math.max(box[2], at[0] + r), Math.max(box[3], at[1] + r)];
    }
  }
  if (!(box[0] < box[2])) box = [-10, -10, 10, 10];
  const scale = 0.94 * Math.min(canvas.width / (box[2] - box[0]), canvas.height / (box[3] - box[1]));
  state.view = { scale, x: canvas.width / 2 - scale * (box[0] + box[2]) / 2, y: canvas.height / 2 + scale * (box[1] + box[3]) / 2 };
  draw();
}

const placed = (part) => {
  const [px, py] = part.position || [0, 0], c = Math.cos(part.angle || 0), s = Math.sin(part.angle || 0), r = reach(part);
  return points(part).flatMap(([x, y]) => [-r, r].map((d) => [px + c * x - s * y + d, py + s * x + c * y + d]));
};

const points = (shape) => shape.vertices || shape.points || (shape.polygons ? shape.polygons.flat(2)
  : shape.parts ? shape.parts.flatMap(placed) : shape.type === "box"
  ? [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([x, y]) => [x * shape.half_extents[0], y * shape.half_extents[1]])
  : shape.a ? [shape.a, shape.b] : [[0, 0]]);

// How far a shape goes beyond those points.
const reach = (shape) => (shape.radius || 0) + (shape.rounding || 0) + Math.max(0, ...(shape.radii || [shape.width / 2 || 0, shape.height || 0]));

function convexHull(cloud) {
  const sorted = [...cloud].sort((p, q) => p[0] - q[0] || p[1] - q[1]);
  const turn = (o, p, q) => (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0]);
  const half = (list) => list.reduce((kept, p) => {
    while (kept.length > 1 && turn(kept.at(-2), kept.at(-1), p) <= 0) kept.pop();
    return [...kept, p];
  }, []);
  return sorted.length < 3 ? sorted : [...half(sorted).slice(0, -1), ...half(sorted.reverse()).slice(0, -1)];
}

const isBall = (shape) => shape.type === "circle" || shape.type === "point";
// The radius that a wide stroke adds to the outline.
const rounding = (shape) => isBall(shape) ? 0 : (shape.type === "capsule" ? shape.radius : 0) + (shape.rounding || 0);

function outline(shape) {
  const path = new Path2D();
  if (isBall(shape)) path.arc(0, 0, (shape.radius || 0) + (shape.rounding || 0), 0, 7);
  else if (shape.type === "ellipse") path.ellipse(0, 0, shape.radii[0], shape.radii[1], 0, 0, 7);
  else if (shape.type === "half_ellipse") path.ellipse(0, 0, shape.width / 2, shape.height, 0, 0, Math.PI);
  else if (shape.type === "slice") { path.moveTo(0, 0); path.arc(0, 0, shape.radius, -shape.theta / 2, shape.theta / 2); }
  else if (shape.polygons) for (const ring of shape.polygons.flat()) { ring.forEach(([x, y], i) => i ? path.lineTo(x, y) : path.moveTo(x, y)); path.closePath(); }
  else for (const p of shape.type === "hull" ? convexHull(shape.points) : points(shape)) path.lineTo(p[0], p[1]);
  if (shape.type !== "chain" || shape.closed) path.closePath();
  return path;
}

const poseOf = (id) => id === state.chosen ? state.pose : { position: state.shapes[id].position || [0, 0], angle: state.shapes[id].angle || 0 };


function place(pose) {
  const { scale, x, y } = state.view;
  context.setTransform(scale, 0, 0, -scale, x, y);
  if (pose) { context.translate(...pose.position); context.rotate(pose.angle); }
}

// A chain is its line alone; the holes of a region stay empty.
function drawOutline(shape, colour, round) {
  const pixel = 1.5 * devicePixelRatio / state.view.scale, path = outline(shape);
  for (const [ink, width] of [[theme("edge"), 2 * round + 2 * pixel], [colour, 2 * round]]) {
    context.strokeStyle = context.fillStyle = ink;
    context.lineWidth = Math.max(width, pixel / 4);
    context.stroke(path);
    if (shape.type !== "chain") context.fill(path, "evenodd");
  }
}

function drawShape(id, colour, ghost) {
  const shape = state.shapes[id];
  place(ghost ? { position: shape.position || [0, 0], angle: shape.angle || 0 } : poseOf(id));
  context.lineJoin = context.lineCap = "round";
  context.globalAlpha = ghost ? 0.25 : 1;
  for (const part of shape.parts || [shape]) {
    context.save();
    if (shape.parts) { context.translate(...(part.position || [0, 0])); context.rotate(part.angle || 0); }
    drawOutline(part, colour, rounding(part) + (shape.parts ? shape.rounding || 0 : 0));
    context.restore();
  }
  if (shape.type === "point" && !shape.rounding) dot(poseOf(id).position, theme("edge"), 3);
  context.globalAlpha = 1;
}

function dot(at, colour, size = 4) {
  place();
  context.fillStyle = colour;
  context.beginPath();
  context.arc(at[0], at[1], size * devicePixelRatio / state.view.scale, 0, 7);
  context.fill();
}

function line(from, to, colour, dashed) {
  place();
  const pixel = devicePixelRatio / state.view.scale;
  context.strokeStyle = colour;
  context.lineWidth = 2 * pixel;
  context.setLineDash(dashed ? [6 * pixel, 5 * pixel] : []);
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
  context.setLineDash([]);
}

function draw() {
  if (!state.view) return;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  const answer = state.answer || {}, hits = new Set((answer.hits || []).map((hit) => hit.id));
  if (state.chosen && poseMoved()) drawShape(state.chosen, theme("shape"), true);
  for (const id of Object.keys(state.shapes)) {
    drawShape(id, id === state.chosen ? theme("chosen") : hits.has(id) ? theme("hit") : theme("shape"));
  }
  if (state.ray && ["raycast", "cast"].includes(mode())) line(state.ray.from, state.ray.to, theme("quiet"), true);
  const arrow = (at, normal) => normal && line(at, [at[0] + normal[0], at[1] + normal[1]], theme("mark"));
  for (const hit of answer.hits || []) {
    if (hit.point) { arrow(hit.point, hit.normal); dot(hit.point, theme("mark")); }
    if (hit.point_a) { line(hit.point_a, hit.point_b, theme("mark")); dot(hit.point_a, theme("mark")); dot(hit.point_b, theme("mark")); }
  }
  for (const near of answer.nearest || []) {
    if (near.point_a) { line(near.point_a, near.point_b, theme("mark")); dot(near.point_a, theme("mark")); dot(near.point_b, theme("mark")); }
  }
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = theme("ink");
  context.font = `${13 * devicePixelRatio}px system-ui, sans-serif`;
  if (state.chosen) context.fillText(state.chosen, 12 * devicePixelRatio, 22 * devicePixelRatio);
}

// --- Hands ---

function choose(id) {
  state.chosen = id || null;
  if (id) state.pose = { position: [...(state.shapes[id].position || [0, 0])], angle: state.shapes[id].angle || 0 };
}

function poseMoved() {
  const shape = state.shapes[state.chosen], home = shape.position || [0, 0];
  return state.pose.position.some((v, i) => v !== home[i]) || state.pose.angle !== (shape.angle || 0);
}

function under(event) {
  const x = event.offsetX * devicePixelRatio, y = event.offsetY * devicePixelRatio;
  const found = Object.keys(state.shapes).reverse().find((id) => {
    const shape = state.shapes[id], path = outline(shape);
    place(poseOf(id));
    context.lineWidth = Math.max(2 * rounding(shape), 12 * devicePixelRatio / state.view.scale);
    return context.isPointInPath(path, x, y) || context.isPointInStroke(path, x, y);
  });
  return { id: found, at: [(x - state.view.x) / state.view.scale, (state.view.y - y) / state.view.scale] };
}

canvas.addEventListener("pointerdown", (event) => {
  if (!state.view) return;
  canvas.setPointerCapture(event.pointerId);
  const { id, at } = under(event);
  if (id && mode() !== "raycast") {
    if (id !== state.chosen) choose(id);
    state.drag = { offset: [state.pose.position[0] - at[0], state.pose.position[1] - at[1]] };
  } else if (["raycast", "cast"].includes(mode())) {
    state.ray = { from: mode() === "cast" && state.chosen ? [...state.pose.position] : at, to: at };
    state.drag = { ray: true };
  }
  ask();
});
canvas.addEventListener("pointermove", (event) => {
  if (!state.drag) return;
  const { at } = under(event);
  if (state.drag.ray) state.ray.to = at;
  else state.pose.position = [at[0] + state.drag.offset[0], at[1] + state.drag.offset[1]];
  draw();
  ask();
});
canvas.addEventListener("pointerup", () => { state.drag = null; });
canvas.addEventListener("wheel", (event) => {
  if (!state.chosen) return;
  event.preventDefault();
  state.pose.angle += Math.sign(event.deltaY) * Math.PI / 36;
  ask();
}, { passive: false });
canvas.addEventListener("keydown", (event) => {
  const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
  const turn = { q: 1, e: -1 }[event.key.toLowerCase()], ids = Object.keys(state.shapes);
  if (event.key.toLowerCase() === "n") choose(ids[(ids.indexOf(state.chosen) + 1) % ids.length]);
  else if (step && state.chosen) state.pose.position = state.pose.position.map((v, i) => v + step[i] * 10 / state.view.scale * devicePixelRatio);
  else if (turn && state.chosen) state.pose.angle += turn * Math.PI / 36;
  else return;
  event.preventDefault();
  ask();
});

$("set").addEventListener("change", () => loadSet($("set").value).catch((error) => say(error.message)));
$("modes").addEventListener("change", () => {
  state.answer = null;
  $("hint").textContent = HINTS[mode()];
  ask();
});
$("token").addEventListener("change", () => loadSets().catch((error) => say(error.message)));
addEventListener("resize", () => state.set && fit());
$("hint").textContent = HINTS[mode()];
loadSets().catch((error) => say(error.message));
