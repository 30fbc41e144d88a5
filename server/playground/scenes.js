// Two ways to look at shapes: Flat, the plane from above, and Deep, space through a camera. Both
// have the same methods, so that a view need not know which one it has.
import { outline, support, surfaceOf, isConvex } from "./kinds.js";
import { Raster, meshOf } from "./raster.js";
import { add, cross, dot, place, scale, sub, turn, unturn, zero } from "./vectors.js";

/** @typedef {import("./vectors.js").Vector} Vector */
/** @typedef {{id: string, shape: any, pose: any, colour: string, faint?: boolean}} Item */

const known = new WeakMap();

/** What is made once of a shape. @template T @param {any} shape @param {string} name @param {() => T} make @returns {T} */
function once(shape, name, make) {
  if (!known.has(shape)) known.set(shape, {});
  return (known.get(shape)[name] ??= make());
}

/** Corners of the box around a shape in its own frame. @param {any} shape @param {number} dimension @returns {Vector[]} */
export function cornersOf(shape, dimension) {
  return once(shape, "box", () => {
    let low, high;
    if (isConvex(shape)) {
      const bare = { ...shape, position: null, angle: 0, orientation: null };
      const axes = zero(dimension).map((_, i) => zero(dimension).map((_, j) => (i === j ? 1 : 0)));
      high = axes.map((axis, i) => support(bare, axis)[i]);
      low = axes.map((axis, i) => support(bare, scale(axis, -1))[i]);
    } else {
      const points = dimension === 2 ? outline(shape).corners : once(shape, "surface", () => surfaceOf(shape)).points;
      const grown = (shape.rounding || 0) * (shape.parts ? 0 : 1);
      low = Array(dimension).fill(Infinity);
      high = Array(dimension).fill(-Infinity);
      for (const p of points) for (let i = 0; i < dimension; i++) { low[i] = Math.min(low[i], p[i] - grown); high[i] = Math.max(high[i], p[i] + grown); }
    }
    return Array.from({ length: 2 ** dimension }, (_, n) => low.map((value, i) => (n >> i & 1 ? high[i] : value)));
  });
}

/** Box around everything. @param {Item[]} items @param {number} dimension @returns {[Vector, Vector]} */
export function boundsOf(items, dimension) {
  const low = Array(dimension).fill(Infinity), high = Array(dimension).fill(-Infinity);
  for (const { shape, pose } of items) {
    for (const corner of cornersOf(shape, dimension)) {
      place(pose, corner).forEach((value, i) => { low[i] = Math.min(low[i], value); high[i] = Math.max(high[i], value); });
    }
  }
  return low.every(Number.isFinite) && high.every(Number.isFinite) ? [low, high] : [Array(dimension).fill(-5), Array(dimension).fill(5)];
}

const niceStep = (wanted) => { const ten = 10 ** Math.floor(Math.log10(wanted)); return wanted / ten >= 5 ? 5 * ten : wanted / ten >= 2 ? 2 * ten : ten; };

export class Flat {
  constructor() {
    this.dimension = 2;
    /** @type {number[]} centre and visible extent of the smaller side */
    this.camera = null;
    this.width = this.height = 1;
    this.still = document.createElement("canvas");
  }

  /** @param {Item[]} items @param {Vector[]} also */
  fit(items, also = []) {
    let [low, high] = boundsOf(items, 2);
    for (const p of also) { low = low.map((v, i) => Math.min(v, p[i])); high = high.map((v, i) => Math.max(v, p[i])); }
    const side = Math.min(this.width, this.height);
    const extent = 1.18 * Math.max((high[0] - low[0]) * side / this.width, (high[1] - low[1]) * side / this.height, 1e-9);
    this.camera = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, extent];
  }

  get scale() { return Math.min(this.width, this.height) / this.camera[2]; }
  /** @param {Vector} p @returns {number[]} */
  project(p) { return [this.width / 2 + (p[0] - this.camera[0]) * this.scale, this.height / 2 - (p[1] - this.camera[1]) * this.scale]; }
  /** @param {number} x @param {number} y @returns {Vector} */
  unproject(x, y) { return [this.camera[0] + (x - this.width / 2) / this.scale, this.camera[1] - (y - this.height / 2) / this.scale]; }
  pan(dx, dy) { this.camera = [this.camera[0] - dx / this.scale, this.camera[1] + dy / this.scale, this.camera[2]]; }
  orbit(dx, dy) { this.pan(dx, dy); }
  zoom(factor, x = this.width / 2, y = this.height / 2) {
    const at = this.unproject(x, y);
    this.camera = [at[0] + (this.camera[0] - at[0]) / factor, at[1] + (this.camera[1] - at[1]) / factor, this.camera[2] / factor];
  }
  /** World vector of one step of an arrow key. @param {number} x @param {number} y @param {number} size */
  step(x, y, size) { return [x * size, y * size]; }
  get stepSize() { return niceStep(this.camera[2] / 60); }
  turned(pose, angle) { return { ...pose, angle: pose.angle + angle }; }

  place(context, ratio, pose) {
    context.setTransform(ratio * this.scale, 0, 0, -ratio * this.scale, ratio * (this.width / 2 - this.camera[0] * this.scale), ratio * (this.height / 2 + this.camera[1] * this.scale));
    if (pose) { context.translate(pose.position[0], pose.position[1]); context.rotate(pose.angle); }
  }

  /** @param {CanvasRenderingContext2D} context @param {number} ratio @param {Item} item @param {string} colour @param {string} edge */
  drawItem(context, ratio, { shape, pose, faint }, colour, edge) {
    const { path, stroke, filled, dot } = once(shape, "outline", () => outline(shape)), pixel = 1 / this.scale;
    this.place(context, ratio, pose);
    context.lineJoin = context.lineCap = "round";
    context.globalAlpha = faint ? 0.3 : 1;
    if (dot) {
      context.fillStyle = edge;
      context.beginPath();
      context.arc(0, 0, 4 * pixel, 0, 7);
      context.fill();
    } else {
      context.strokeStyle = edge;
      context.lineWidth = stroke + 3 * pixel;
      context.stroke(path);
      context.strokeStyle = context.fillStyle = colour;
      if (stroke > 0) { context.lineWidth = stroke; context.stroke(path); }
      if (filled) context.fill(path, shape.type === "region" ? "evenodd" : "nonzero");
    }
    context.globalAlpha = 1;
  }

  grid(context, ratio, colours) {
    const step = niceStep(90 / this.scale), [left, bottom] = this.unproject(0, this.height), [right, top] = this.unproject(this.width, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.lineWidth = 1;
    context.font = "11px system-ui, sans-serif";
    const digits = Math.max(0, -Math.floor(Math.log10(step)));
    for (let i = Math.ceil(left / step); i * step <= right; i++) {
      const x = this.project([i * step, 0])[0];
      this.hair(context, [x, 0], [x, this.height], i ? colours.line : colours.axis);
      context.fillStyle = colours.quiet;
      const label = (i * step).toFixed(digits);
      if (x > 30 && x + 3 + context.measureText(label).width < this.width - 4) context.fillText(label, x + 3, this.height - 5);
    }
    for (let i = Math.ceil(bottom / step); i * step <= top; i++) {
      const y = this.project([0, i * step])[1];
      this.hair(context, [0, y], [this.width, y], i ? colours.line : colours.axis);
      if (i && y > 18 && y < this.height - 18) context.fillText((i * step).toFixed(digits), 4, y - 4);
    }
  }

  hair(context, from, to, colour) {
    context.strokeStyle = colour;
    context.beginPath();
    context.moveTo(from[0], from[1]);
    context.lineTo(to[0], to[1]);
    context.stroke();
  }

  /** Draws what stands into a layer of its own. @param {Item[]} items */
  drawStill(items, ratio, colours) {
    this.still.width = this.width * ratio;
    this.still.height = this.height * ratio;
    const context = this.still.getContext("2d");
    this.grid(context, ratio, colours);
    for (const item of items) this.drawItem(context, ratio, item, colours[item.colour], colours.edge);
  }

  /** Draws the layer and what moves over it. @param {CanvasRenderingContext2D} context @param {Item[]} moving */
  drawMoving(context, ratio, moving, colours, chosen) {
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.still, 0, 0);
    for (const item of moving) this.drawItem(context, ratio, item, colours[item.colour], item.id === chosen ? colours.chosen : colours.edge);
  }

  /** Id of the shape at a place of the picture, the topmost first. @param {Item[]} items @returns {string | undefined} */
  pick(x, y, items) {
    const context = this.still.getContext("2d");
    let found;
    for (let i = items.length - 1; i >= 0 && !found; i--) {
      const { path, stroke, filled } = once(items[i].shape, "outline", () => outline(items[i].shape));
      this.place(context, 1, items[i].pose);
      context.lineWidth = stroke + 10 / this.scale;
      if ((filled && context.isPointInPath(path, x, y, items[i].shape.type === "region" ? "evenodd" : "nonzero")) || context.isPointInStroke(path, x, y)) found = items[i].id;
    }
    context.setTransform(1, 0, 0, 1, 0, 0);
    return found;
  }
}

const FIELD = Math.tan(0.38); // half of the field of view

export class Deep {
  constructor() {
    this.dimension = 3;
    /** @type {number[]} target, distance, yaw, pitch */
    this.camera = null;
    this.width = this.height = 1;
    this.raster = new Raster();
    this.back = document.createElement("canvas");
    this.fineness = 2;
    this.ground = 0; // height of the grid
    this.fine = true; // false: fewer pixels, while the camera moves
    this.alpha = 1;
    this.detail = 1; // pixels of the raster a pixel of the page
  }

  /** @param {Item[]} items @param {Vector[]} also */
  fit(items, also = []) {
    let [low, high] = boundsOf(items, 3);
    for (const p of also) { low = low.map((v, i) => Math.min(v, p[i])); high = high.map((v, i) => Math.max(v, p[i])); }
    const reach = Math.max(1e-9, Math.hypot(...sub(high, low)) / 2), [yaw, pitch] = this.camera ? this.camera.slice(4) : [-1.1, 0.5];
    const corners = [...also, ...items.flatMap((item) => cornersOf(item.shape, 3).map((corner) => place(item.pose, corner)))];
    const isSeen = (p) => { const at = this.project(p); return at && Math.abs(at[0] / this.width - 0.5) < 0.46 && Math.abs(at[1] / this.height - 0.5) < 0.46; };
    this.camera = [...scale(add(low, high), 0.5), reach * 0.2, yaw, pitch];
    for (let n = 0; n < 60 && !corners.every(isSeen); n++) this.camera[3] *= 1.08;
  }

  get frame() {
    const [x, y, z, distance, yaw, pitch] = this.camera;
    const back = [Math.cos(pitch) * Math.cos(yaw), Math.cos(pitch) * Math.sin(yaw), Math.sin(pitch)];
    const right = [-Math.sin(yaw), Math.cos(yaw), 0], up = cross(back, right);
    return { right, up, back, eye: add([x, y, z], scale(back, distance)) };
  }
  get focal() { return this.height / (2 * FIELD); }
  get near() { return this.camera[3] * 0.02; }

  /** @param {Vector} p @returns {number[] | null} null behind the camera */
  project(p) {
    const { right, up, back, eye } = this.frame, from = sub(p, eye), z = -dot(from, back);
    if (z < this.near) return null;
    return [this.width / 2 + (this.focal * dot(from, right)) / z, this.height / 2 - (this.focal * dot(from, up)) / z];
  }
  /** Direction of sight through a place of the picture. */
  sight(x, y) {
    const { right, up, back } = this.frame;
    return sub(add(scale(right, (x - this.width / 2) / this.focal), scale(up, (this.height / 2 - y) / this.focal)), back);
  }
  /** Point of the picture in the level plane through `through`, or in the upright one that faces the camera. */
  unproject(x, y, through = this.camera.slice(0, 3), upright = false) {
    const { eye, back } = this.frame, way = this.sight(x, y), normal = upright || Math.abs(this.camera[5]) < 0.12 ? [back[0], back[1], 0] : [0, 0, 1];
    const steep = dot(way, normal), part = dot(sub(through, eye), normal) / steep;
    if (!(part > 0) || part > 50 * this.camera[3]) return add(eye, scale(way, this.camera[3]));
    const found = add(eye, scale(way, part));
    return upright ? [through[0], through[1], found[2]] : found;
  }
  pan(dx, dy) {
    const { right, up } = this.frame, unit = this.camera[3] / this.focal;
    const target = add(this.camera.slice(0, 3), add(scale(right, -dx * unit), scale(up, dy * unit)));
    this.camera = [...target, ...this.camera.slice(3)];
  }
  orbit(dx, dy) {
    const [x, y, z, distance, yaw, pitch] = this.camera;
    this.camera = [x, y, z, distance, yaw - dx * 0.008, Math.max(-1.5, Math.min(1.5, pitch + dy * 0.008))];
  }
  zoom(factor) { this.camera = this.camera.map((value, i) => (i === 3 ? value / factor : value)); }
  /** Along the axes nearest to the picture's right and away. */
  step(x, y, size, z = 0) {
    if (z) return [0, 0, z * size];
    const quarter = Math.PI / 2, yaw = Math.round((this.camera[4] + quarter) / quarter) * quarter;
    const right = [Math.round(Math.cos(yaw)), Math.round(Math.sin(yaw)), 0], away = [-right[1], right[0], 0];
    return add(scale(right, x * size), scale(away, y * size));
  }
  get stepSize() { return niceStep((this.camera[3] * FIELD) / 30); }
  turned(pose, angle, axis = [0, 0, 1]) {
    const [x, y, z] = scale(axis, Math.sin(angle / 2)), w = Math.cos(angle / 2), [a, b, c, d] = pose.orientation;
    return { ...pose, orientation: [w * a + x * d + y * c - z * b, w * b - x * c + y * d + z * a, w * c + x * b - y * a + z * d, w * d - x * a - y * b - z * c] };
  }

  drawItem(item, number, colours, ratio, side = 0, raster = this.raster) {
    const { right, up, back, eye } = this.frame, { shape, pose } = item;
    const mesh = once(shape, `mesh${this.fineness}`, () => meshOf(surfaceOf(shape, this.fineness)));
    const axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((axis) => turn(pose, axis)), from = sub(pose.position, eye), ahead = scale(back, -1);
    const matrix = [right, up, ahead].flatMap((row) => [...axes.map((axis) => dot(axis, row)), dot(from, row)]);
    const light = unturn(pose, scale(add(add(scale(back, 0.55), scale(up, 0.65)), scale(right, -0.5)), 1 / Math.hypot(0.55, 0.65, 0.5)));
    raster.draw(mesh, matrix, light, { focal: this.focal * ratio, near: this.near }, colours.rgb[item.colour], number, side);
  }

  /** Lines on the ground, and under all. */
  grid(context, ratio, colours) {
    const step = niceStep(this.camera[3] * FIELD / 3), [cx, cy] = this.camera.slice(0, 2).map((v) => Math.round(v / step)), reach = 14;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.lineWidth = 1;
    const line = (from, to, colour) => {
      const parts = 28;
      for (let n = 0; n < parts; n++) {
        const p = this.project(add(from, scale(sub(to, from), n / parts))), q = this.project(add(from, scale(sub(to, from), (n + 1) / parts)));
        if (!p || !q) continue;
        context.strokeStyle = colour;
        context.beginPath();
        context.moveTo(p[0], p[1]);
        context.lineTo(q[0], q[1]);
        context.stroke();
      }
    };
    for (let i = -reach; i <= reach; i++) {
      line([(cx + i) * step, (cy - reach) * step, this.ground], [(cx + i) * step, (cy + reach) * step, this.ground], cx + i ? colours.line : colours.axis);
      line([(cx - reach) * step, (cy + i) * step, this.ground], [(cx + reach) * step, (cy + i) * step, this.ground], cy + i ? colours.line : colours.axis);
    }
  }

  /** @param {Item[]} items */
  drawStill(items, ratio, colours) {
    this.back.width = this.width * ratio;
    this.back.height = this.height * ratio;
    this.grid(this.back.getContext("2d"), ratio, colours);
    this.detail = this.fine ? Math.min(2, Math.sqrt(3e6 / (this.width * this.height))) : Math.min(1, Math.sqrt(1e6 / (this.width * this.height)));
    this.raster.resize(Math.round(this.width * this.detail), Math.round(this.height * this.detail));
    this.raster.clear();
    this.fineness = items.length > 600 ? 0 : items.length > 60 ? 1 : 2;
    this.ids = items.map((item) => item.id);
    items.forEach((item, i) => this.drawItem(item, i + 1, colours, this.detail));
    if (this.fine) this.raster.keep(); // else all is drawn again for the next frame
  }

  /** @param {CanvasRenderingContext2D} context @param {Item[]} moving */
  drawMoving(context, ratio, moving, colours, chosen) {
    if (this.fine) this.raster.back();
    const first = this.ids.length;
    this.movingIds = moving.map((item) => item.id);
    moving.forEach((item, i) => this.drawItem(item, first + i + 1, colours, this.detail));
    const strong = moving.findIndex((item) => item.id === chosen);
    this.raster.finish(strong < 0 ? 0 : first + strong + 1, colours.rgb.chosen);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.back, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.imageSmoothingQuality = "high";
    context.globalAlpha = this.alpha;
    context.drawImage(this.raster.canvas, 0, 0, this.width, this.height);
    context.globalAlpha = 1;
  }

  pick(x, y) {
    const number = this.at(x, y, this.raster.owner);
    return number ? [...this.ids, ...this.movingIds][number - 1] : undefined;
  }
  at(x, y, buffer) {
    const column = Math.floor(x * this.detail), row = Math.floor(y * this.detail);
    return column >= 0 && row >= 0 && column < this.raster.width && row < this.raster.height ? buffer[row * this.raster.width + column] : 0;
  }
  /** Point of the surface that is seen there, or of the level plane through the target. */
  touch(x, y) {
    const near = this.at(x, y, this.raster.depth), { eye } = this.frame;
    return near > 0 ? add(eye, scale(this.sight(x, y), 1 / near)) : this.unproject(x, y);
  }
}

/** @param {number} dimension */
export const newScene = (dimension) => (dimension === 2 ? new Flat() : new Deep());

