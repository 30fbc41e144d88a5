// A drawing of shapes that hands, keys and screen readers can reach: a canvas, and over it a button
// for each shape, in the order of ids, with the id as its name.
import { newScene, cornersOf } from "./scenes.js";
import { place } from "./vectors.js";

/** @typedef {import("./vectors.js").Vector} Vector */
/** @typedef {import("./scenes.js").Item} Item */
/** @typedef {{line?: Vector[], dot?: Vector, area?: Vector[], areas?: Vector[][], text?: string, at?: Vector, colour: string, dashed?: boolean, arrow?: boolean, width?: number, size?: number, alpha?: number}} Mark */

const NAMES = ["ground", "line", "axis", "ink", "quiet", "edge", "shape", "a", "b", "chosen", "hit", "warm", "mark", "sum", "core", "way", "static"];
const BUTTONS_MAX = 5000;
const byBytes = (a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** @type {any} those of the page's light or dark scheme, once they are read */
let known = null;

function readColours() {
  if (known) return known;
  const style = getComputedStyle(document.documentElement), colours = { rgb: {} };
  for (const name of NAMES) {
    colours[name] = style.getPropertyValue(`--${name}`).trim();
    const full = colours[name].length === 4 ? colours[name].replace(/[0-9a-f]/gi, "$&$&") : colours[name];
    colours.rgb[name] = [1, 3, 5].map((i) => parseInt(full.slice(i, i + 2), 16));
  }
  return (known = colours);
}

export class Drawing {
  /**
   * @param {HTMLElement} root @param {string} name what a screen reader says before anything is drawn
   * @param {{grab?: (id: string) => void, drag?: (id: string, position: Vector) => void, drop?: (id: string) => void, step?: (id: string, by: Vector) => void,
   *   turn?: (id: string, angle: number) => void, remove?: (id: string) => void, stroke?: (from: Vector, to: Vector, done: boolean) => void, moved?: () => void, tilt?: (id: string, angle: number) => void}} hands
   */
  constructor(root, name, hands = {}) {
    this.root = root;
    this.hands = hands;
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", name);
    this.layer = document.createElement("div");
    this.layer.className = "shapes";
    root.classList.add("drawing");
    root.append(this.canvas, this.layer);
    /** @type {any} a Flat or a Deep */
    this.scene = newScene(2);
    /** @type {Item[]} */
    this.items = [];
    /** @type {Map<string, any>} shapes that are drawn elsewhere than they stand: pose and colour */
    this.changed = new Map();
    /** @type {Map<string, string>} shapes in another colour */
    this.painted = new Map();
    /** @type {Map<string, string>} colours of what is drawn as standing */
    this.stood = new Map();
    /** @type {Mark[]} */
    this.marks = [];
    /** @type {Item[]} drawn besides */
    this.ghosts = [];
    /** @type {string | null} */
    this.chosen = null;
    this.tool = "move";
    this.buttons = new Map();
    this.pointers = new Map();
    this.isStale = true;
    new ResizeObserver(() => this.refresh()).observe(root);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { known = null; this.refresh(); });
    this.listen();
  }

  describe(text) { this.canvas.setAttribute("aria-label", text); }

  /** Says why there is nothing to draw, in its place. @param {string} why */
  showNothing(why) {
    this.describe("Nothing is shown."); // the status says why
    this.root.dataset.nothing = why[0].toUpperCase() + why.slice(1);
  }

  /** @param {number} dimension */
  setDimension(dimension) {
    if (this.scene.dimension !== dimension) this.scene = newScene(dimension);
  }

  /** @param {Item[]} items what stands; the order is that of drawing */
  setItems(items) {
    this.items = items;
    this.refresh();
  }

  /** Draws everything again. */
  refresh() {
    this.isStale = true;
    this.redraw();
  }

  /** Draws what moves again, at the next frame. */
  redraw() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => { this.frame = 0; this.draw(); });
  }

  fit(also = []) {
    this.measure();
    this.scene.fit(this.items, also);
    this.refresh();
  }

  measure() {
    this.scene.width = this.root.clientWidth || 300;
    this.scene.height = this.root.clientHeight || 200;
  }

  draw() {
    if (!this.root.clientWidth || !this.scene.camera) return;
    if (this.items.length) delete this.root.dataset.nothing;
    const ratio = Math.min(2, devicePixelRatio || 1), width = this.root.clientWidth, height = this.root.clientHeight, scene = this.scene;
    this.measure();
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
      this.isStale = true;
    }
    const colours = readColours(), context = this.canvas.getContext("2d");
    const apart = new Set(this.changed.keys());
    if (scene.dimension === 3 && this.chosen !== null) apart.add(this.chosen); // a large mesh is drawn once
    const lifted = [...apart].sort().join("\n"), colourOf = (item) => this.painted.get(item.id) || item.colour;
    if (this.isStale || lifted !== this.lifted || (this.isBusy && scene.dimension === 3)) {
      scene.fine = !this.isBusy;
      this.stood = new Map(this.items.filter((item) => !apart.has(item.id)).map((item) => [item.id, colourOf(item)]));
      scene.drawStill(this.items.filter((item) => this.stood.has(item.id)).map((item) => ({ ...item, colour: this.stood.get(item.id) })), ratio, colours);
      this.lifted = lifted;
      if (this.isStale) this.layButtons();
      this.isStale = false;
    }
    const moving = [];
    for (const item of this.items) {
      const colour = colourOf(item);
      if (this.stood.get(item.id) !== colour || item.id === this.chosen) moving.push({ ...item, colour, ...this.changed.get(item.id) });
    }
    moving.push(...this.ghosts);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    scene.drawMoving(context, ratio, moving, colours, this.chosen);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    for (const mark of this.marks) this.drawMark(context, mark, colours);
    for (const item of moving) if (this.changed.has(item.id)) this.layButton(item);
  }

  /** @param {CanvasRenderingContext2D} context @param {Mark} mark */
  drawMark(context, mark, colours) {
    const at = (p) => this.scene.project(p), ink = colours[mark.colour];
    context.strokeStyle = context.fillStyle = ink;
    context.globalAlpha = mark.alpha ?? 1;
    context.lineJoin = context.lineCap = "round";
    if (mark.areas || mark.area) {
      context.beginPath();
      for (const area of mark.areas || [mark.area]) {
        const corners = area.map(at);
        if (corners.some((p) => !p)) continue;
        corners.forEach((p, i) => (i ? context.lineTo(p[0], p[1]) : context.moveTo(p[0], p[1])));
        context.closePath();
      }
      context.fill();
    }
    if (mark.line) {
      const [from, to] = mark.line.map(at);
      if (from && to) {
        context.lineWidth = mark.width || 2;
        context.setLineDash(mark.dashed ? [6, 5] : []);
        context.beginPath();
        context.moveTo(from[0], from[1]);
        context.lineTo(to[0], to[1]);
        context.stroke();
        context.setLineDash([]);
        const far = Math.hypot(to[0] - from[0], to[1] - from[1]);
        if (mark.arrow && far > 1) {
          const u = [(to[0] - from[0]) / far, (to[1] - from[1]) / far], size = Math.min(10, far);
          context.beginPath();
          context.moveTo(to[0], to[1]);
          context.lineTo(to[0] - size * u[0] - 0.45 * size * u[1], to[1] - size * u[1] + 0.45 * size * u[0]);
          context.lineTo(to[0] - size * u[0] + 0.45 * size * u[1], to[1] - size * u[1] - 0.45 * size * u[0]);
          context.fill();
        }
      }
    }
    const spot = mark.dot && at(mark.dot);
    if (spot) {
      context.beginPath();
      context.arc(spot[0], spot[1], mark.size || 4.5, 0, 7);
      context.fill();
      context.lineWidth = 1.5;
      context.strokeStyle = colours.ground;
      context.stroke();
    }
    const corner = mark.text !== undefined && at(mark.at);
    if (corner) {
      context.font = "600 13px system-ui, sans-serif";
      context.lineWidth = 4;
      context.strokeStyle = colours.ground;
      const width = context.measureText(mark.text).width, isWide = corner[0] + 12 + width > this.scene.width;
      const x = corner[0] + (isWide ? -8 - width : 8), y = Math.max(16, corner[1] - 8);
      context.strokeText(mark.text, x, y);
      context.fillStyle = ink;
      context.fillText(mark.text, x, y);
    }
    context.globalAlpha = 1;
  }

  // --- The buttons over the picture ---

  layButtons() {
    clearTimeout(this.laying);
    if (!this.hands.grab) return;
    const lay = () => {
      const sorted = [...this.items].sort(byBytes).slice(0, BUTTONS_MAX), ids = sorted.map((item) => item.id).join("\n");
      if (ids !== this.laid) {
        this.laid = ids;
        const old = this.buttons;
        this.buttons = new Map(sorted.map(({ id }) => {
          const button = old.get(id) || document.createElement("button");
          button.type = "button";
          button.setAttribute("aria-label", id);
          button.dataset.id = id;
          return [id, button];
        }));
        const focused = this.layer.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement) : null;
        this.layer.replaceChildren(...this.buttons.values());
        if (focused && focused.isConnected) focused.focus({ preventScroll: true });
      }
      for (const item of sorted) this.layButton({ ...item, ...this.changed.get(item.id) });
    };
    if (this.items.length < 300 || !this.laid) lay();
    else this.laying = setTimeout(lay, 150);
  }

  /** @param {Item} item */
  layButton(item) {
    const button = this.buttons.get(item.id);
    if (!button) return;
    const corners = cornersOf(item.shape, this.scene.dimension).map((corner) => this.scene.project(place(item.pose, corner))).filter(Boolean);
    button.hidden = false;
    if (!corners.length) corners.push([-100, -100]);
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (const [x, y] of corners) [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
    const width = Math.max(24, right - left), height = Math.max(24, bottom - top), style = button.style;
    style.left = `${((left + right - width) / 2).toFixed(1)}px`;
    style.top = `${((top + bottom - height) / 2).toFixed(1)}px`;
    style.width = `${width.toFixed(1)}px`;
    style.height = `${height.toFixed(1)}px`;
    style.zIndex = String(Math.max(1, 100000 - Math.round(Math.sqrt(width * height) * 10)));
  }

  focus(id) { this.buttons.get(id)?.focus({ preventScroll: true }); }

  // --- Hands ---

  placeOf(event) {
    const box = this.root.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** @returns {string | undefined} */
  pick(event) {
    const [x, y] = this.placeOf(event), shown = this.items.map((item) => ({ ...item, ...this.changed.get(item.id) }));
    const found = this.scene.pick(x, y, shown);
    const target = /** @type {HTMLElement} */ (event.target);
    if (target.dataset.id === undefined || found === target.dataset.id) return found;
    const box = target.getBoundingClientRect();
    const isCentre = Math.hypot(event.clientX - (box.left + box.right) / 2, event.clientY - (box.top + box.bottom) / 2) < 14;
    return found === undefined || isCentre ? (isCentre ? target.dataset.id : undefined) : found;
  }

  poseOf(id) { return this.changed.get(id)?.pose || this.items.find((item) => item.id === id)?.pose; }

  listen() {
    const { root, hands } = this;
    root.addEventListener("pointerdown", (event) => this.down(event));
    root.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) root.addEventListener(end, (event) => this.up(event));
    root.addEventListener("contextmenu", (event) => event.preventDefault());
    root.addEventListener("wheel", (event) => {
      if (!this.scene.camera) return;
      event.preventDefault();
      this.scene.zoom(Math.exp(-event.deltaY * 0.0015), ...this.placeOf(event));
      this.seen();
    }, { passive: false });
    root.addEventListener("focusin", (event) => {
      const id = /** @type {HTMLElement} */ (event.target).dataset.id;
      if (id !== undefined && id !== this.chosen) hands.grab?.(id);
    });
    root.addEventListener("keydown", (event) => this.key(event));
  }

  /** The camera has moved. */
  seen() {
    this.isBusy = true;
    clearTimeout(this.calming);
    this.calming = setTimeout(() => { this.isBusy = false; if (this.scene.dimension === 3) this.refresh(); }, 160);
    this.refresh();
    this.hands.moved?.();
  }

  down(event) {
    if (!this.scene.camera) return;
    const [x, y] = this.placeOf(event), id = event.button === 0 ? this.pick(event) : undefined;
    try { this.root.setPointerCapture(event.pointerId); } catch { /* an event that a script made has no pointer */ }
    this.pointers.set(event.pointerId, [x, y]);
    event.preventDefault();
    if (this.pointers.size > 1) { this.hold = { pinch: true }; return; }
    if (this.tool === "stroke" && event.button === 0 && !event.shiftKey) {
      const from = this.scene.dimension === 2 ? this.scene.unproject(x, y) : this.scene.touch(x, y);
      this.hold = { from };
    } else if (id !== undefined && this.hands.grab) {
      this.hands.grab(id);
      this.focus(id);
      const pose = this.poseOf(id);
      this.hold = { id, turn: event.shiftKey && event.ctrlKey, upright: event.shiftKey || event.altKey };
      const under = this.scene.unproject(x, y, pose.position, this.hold.upright);
      this.hold.offset = pose.position.map((value, i) => value - under[i]);
      this.hold.through = pose.position;
    } else {
      this.hold = { camera: true, pan: event.button !== 0 || event.shiftKey };
    }
  }

  move(event) {
    const old = this.pointers.get(event.pointerId);
    if (!old || !this.hold) return;
    const [x, y] = this.placeOf(event), { hold, hands, scene } = this;
    if (hold.pinch && this.pointers.size === 2) {
      const spread = () => { const [p, q] = [...this.pointers.values()]; return Math.hypot(p[0] - q[0], p[1] - q[1]) || 1; };
      const before = spread();
      this.pointers.set(event.pointerId, [x, y]);
      scene.zoom(spread() / before, x, y);
      scene.pan((x - old[0]) / 2, (y - old[1]) / 2);
      this.seen();
      return;
    }
    this.pointers.set(event.pointerId, [x, y]);
    if (hold.from) {
      hands.stroke?.(hold.from, scene.unproject(x, y, hold.from), false);
    } else if (hold.id !== undefined) {
      const under = scene.unproject(x, y, hold.through, hold.upright);
      hands.drag?.(hold.id, under.map((value, i) => value + hold.offset[i]));
    } else if (hold.camera) {
      if (hold.pan) scene.pan(x - old[0], y - old[1]);
      else scene.orbit(x - old[0], y - old[1]);
      this.seen();
    }
  }

  up(event) {
    const { hold } = this, at = this.pointers.get(event.pointerId);
    this.pointers.delete(event.pointerId);
    if (!hold || this.pointers.size) return;
    this.hold = null;
    if (hold.from && at) this.hands.stroke?.(hold.from, this.scene.unproject(at[0], at[1], hold.from), true);
    if (hold.id !== undefined) this.hands.drop?.(hold.id);
  }

  key(event) {
    const id = /** @type {HTMLElement} */ (event.target).dataset.id, { scene, hands } = this;
    if (id === undefined || event.ctrlKey || event.metaKey || event.altKey || !scene.camera) return;
    const size = event.shiftKey && scene.dimension === 2 ? scene.stepSize / 10 : scene.stepSize, key = event.key.toLowerCase();
    const way = { arrowleft: [-1, 0, 0], arrowright: [1, 0, 0], arrowup: [0, 1, 0], arrowdown: [0, -1, 0], pageup: [0, 0, 1], pagedown: [0, 0, -1] }[key];
    const angle = { q: 1, e: -1 }[key], tilt = { r: 1, f: -1 }[key];
    if (way && !(way[2] && scene.dimension === 2)) hands.step?.(id, scene.step(way[0], way[1], size, way[2]));
    else if (angle) hands.turn?.(id, angle * Math.PI / 36);
    else if (tilt && scene.dimension === 3) hands.tilt?.(id, tilt * Math.PI / 36);
    else if (key === "delete" || key === "backspace") hands.remove?.(id);
    else if (key === "+" || key === "-") { scene.zoom(key === "+" ? 1.25 : 0.8); this.seen(); }
    else return;
    event.preventDefault();
  }
}
