// A stored set, live: what others change is seen at once, and what is moved here is stored. Questions
// about it are asked with the tools.
import { fillList, parse, round, show, six } from "./address.js";
import { wireCopies } from "./code.js";
import { Problem, call, watch } from "./daemon.js";
import { Drawing } from "./drawing.js";
import { SETS } from "./gallery.js";
import { KINDS, newShape } from "./kinds.js";
import { boundsOf, cornersOf } from "./scenes.js";
import { add, length, poseOf, scale, sub, unit } from "./vectors.js";

/** @typedef {import("./vectors.js").Vector} Vector */

const $ = (id) => /** @type {any} */ (document.getElementById(id));
const HINTS = {
  move: "Drag a shape, or move the focused one with the arrow keys and turn it with Q and E: what it overlaps is shown at once.",
  nearest: "Drag a shape: the five nearest are shown.",
  ray: "Drag a line: every shape on it is hit, in order.",
  sweep: "Choose a shape with the Move tool, then drag a line: the shape is swept along it.",
  walk: "Walk the focused shape with the arrow keys: it slides along walls and climbs steps.",
  hit: "Choose a tick, drag a shot, and have it judged as of that tick.",
};
const OVERLAPS_MAX = 20000; // shapes of a set whose overlaps are followed
const PLAY_TICKS_PER_S = 20;

const vector = (text, dimension) => {
  const numbers = text.split(/[\s,;]+/).filter(Boolean).map(Number);
  return numbers.length === dimension && numbers.every(Number.isFinite) ? numbers : null;
};
const words = (text) => text.split(/[\s,]+/).filter(Boolean);

export class SetView {
  /** @param {{say: (text: string) => void, save: () => void}} page */
  constructor(page) {
    this.page = page;
    this.isOpen = false;
    this.name = null;
    this.dimension = 2;
    this.shapes = new Map();
    this.pairs = new Map();
    this.tick = null;
    this.ticks = null;
    this.chosen = null;
    this.tool = "move";
    this.line = null;
    this.undos = [];
    /** @type {Map<string, any>} shapes as they were before what is on its way to the daemon */
    this.before = new Map();
    this.asked = null;
    this.answer = null;
    /** @type {string | null} why the last write was refused */
    this.refused = null;
    /** @type {any[] | null} marks of the last walk */
    this.walked = null;
    this.drawing = new Drawing($("set-picture"), "A set", {
      grab: (id) => this.choose(id),
      drag: (id, position) => this.place(id, { ...this.poseOf(id), position }),
      drop: (id) => this.store(id),
      step: (id, by) => this.arrow(id, by),
      turn: (id, angle) => this.turn(id, angle),
      tilt: (id, angle) => this.turn(id, angle, this.drawing.scene.frame.right),
      remove: (id) => this.remove(id),
      stroke: (from, to, isDone) => this.stroke(from, to, isDone),
      moved: () => page.save(),
    });
    this.copies = wireCopies($("set"), () => this.asked);
    this.wire();
  }

  wire() {
    $("set-name").addEventListener("change", () => this.open({ set: $("set-name").value, tool: this.tool }));
    for (const radio of document.querySelectorAll("input[name=tool]")) radio.addEventListener("change", () => this.setTool(/** @type {HTMLInputElement} */ (radio).value));
    $("set-left").addEventListener("click", () => this.chosen && this.turn(this.chosen, Math.PI / 36));
    $("set-right").addEventListener("click", () => this.chosen && this.turn(this.chosen, -Math.PI / 36));
    $("set-delete").addEventListener("click", () => this.chosen && this.remove(this.chosen));
    $("set-undo").addEventListener("click", () => this.undo());
    $("set-in").addEventListener("click", () => { this.drawing.scene.zoom(1.3); this.drawing.seen(); });
    $("set-out").addEventListener("click", () => { this.drawing.scene.zoom(1 / 1.3); this.drawing.seen(); });
    $("set-fit").addEventListener("click", () => { this.drawing.fit(); this.page.save(); });
    $("set-add").addEventListener("click", () => this.add($("set-kind").value));
    $("set").addEventListener("keydown", (event) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && event.target.tagName !== "INPUT") { event.preventDefault(); this.undo(); }
    });
    $("tick").addEventListener("input", () => this.setTick(Number($("tick").value)));
    $("tick-live").addEventListener("click", () => this.setTick(null));
    $("tick-play").addEventListener("click", () => this.play());
    const takeLine = (from, to) => {
      const line = [vector($(from).value, this.dimension), vector($(to).value, this.dimension)];
      if (line.every(Boolean)) { this.line = line; this.ask(); this.page.save(); } else this.page.say(`wrong: From and To need ${this.dimension} numbers each`);
    };
    $("line-form").addEventListener("submit", (event) => { event.preventDefault(); takeLine("line-from", "line-to"); });
    $("hit-form").addEventListener("submit", (event) => { event.preventDefault(); takeLine("hit-from", "hit-to"); });
    $("hit-form").addEventListener("change", () => { if (this.line) this.ask(); this.page.save(); });
    $("filter-form").addEventListener("submit", (event) => event.preventDefault());
    $("filter-form").addEventListener("input", () => { this.lay(); this.ask(); this.page.save(); });
  }

  // --- The address ---

  state() {
    const filter = this.filter(), camera = this.drawing.scene.camera;
    return { set: this.name, tool: this.tool, shape: this.chosen, tick: this.tick === null ? undefined : String(this.tick),
      from: this.line ? this.line[0].map(round).join() : undefined, to: this.line ? this.line[1].map(round).join() : undefined,
      filter: filter && JSON.stringify(filter), hit: this.tool === "hit" ? JSON.stringify(this.hitFields()) : undefined, camera: camera && this.name ? JSON.stringify(camera.map(round)) : undefined };
  }

  hitFields() {
    return { shooter: $("hit-shooter").value, claim: $("hit-claim").value, radius: $("hit-radius").valueAsNumber || 0, near: $("hit-near").valueAsNumber || 0, rewind: $("hit-rewind").valueAsNumber || 0 };
  }

  /** @param {Record<string, string>} [state] */
  async open(state) {
    this.isOpen = true;
    if (!state && this.name) { this.drawing.refresh(); this.ask(); this.follow(); return; }
    state ??= {};
    this.forget();
    this.wanted = state;
    this.name = state.set || null;
    try {
      await this.listSets(state.set);
      if (this.wanted !== state) return;
      const name = state.set || $("set-name").value;
      if (!name) throw new Problem("unknown", { detail: "there is no set. Open a piece of the Gallery, or PUT one to /v1/sets/{set}." });
      this.name = name;
      $("set-name").value = name;
      this.page.say(`loading ${name}`);
      await this.load(state);
    } catch (problem) {
      this.tell(problem);
    }
  }

  close() {
    this.isOpen = false;
    this.isPlaying = false;
    this.stop?.();
    this.stop = null;
  }

  forget() {
    this.stop?.();
    this.stop = null;
    this.isPlaying = false;
    Object.assign(this, { name: null, chosen: null, tick: null, ticks: null, line: null, answer: null, walked: null, refused: null, asked: null, undos: [], isGone: false });
    this.shapes.clear();
    this.pairs.clear();
    this.drawing.items = [];
    this.drawing.marks = [];
    this.drawing.changed.clear();
    this.drawing.painted.clear();
    fillList($("set-answer"), []);
    fillList($("set-shape"), []);
    this.layTicks();
    this.enable(false);
    this.drawing.refresh();
  }

  /** Switches what works on a set. @param {boolean} isThere */
  enable(isThere) {
    for (const name of ["left", "right", "delete", "undo", "in", "out", "fit", "kind", "add"]) $(`set-${name}`).disabled = !isThere;
  }

  /** @param {any} problem */
  tell(problem) {
    if (this.isOpen) this.page.say(`${problem instanceof Problem ? problem.word : "wrong"}: ${problem.message}`);
    if (!this.drawing.items.length) this.drawing.showNothing(problem.message);
    if (!(problem instanceof Problem)) throw problem;
  }

  async listSets(also) {
    let list = [], cursor = null;
    try {
      do {
        const answer = await call("GET", `/v1/sets?limit=1000${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`);
        list.push(...answer.sets.map((set) => set.name));
        cursor = answer.next;
      } while (cursor && list.length < 5000);
    } finally {
      if (also && !list.includes(also)) list.push(also);
      $("set-name").replaceChildren(...list.map((name) => new Option(name)));
      if (also) $("set-name").value = also;
    }
  }

  // --- The set ---

  get path() { return `/v1/sets/${encodeURIComponent(this.name)}`; }

  async fetchSet() {
    try {
      return await call("GET", this.path);
    } catch (problem) {
      if (problem.status !== 404 || !SETS[this.name]) throw problem;
      const { ticks, ...set } = SETS[this.name]();
      await call("PUT", this.path, set);
      for (const [i, shapes] of (ticks || []).entries()) await call("PUT", `${this.path}/ticks/${i + 1}`, { shapes });
      return call("GET", this.path);
    }
  }

  /** @param {Record<string, string>} state */
  async load(state) {
    const name = this.name, set = await this.fetchSet();
    if (this.name !== name) return;
    this.dimension = set.dimension;
    this.enable(true);
    this.drawing.setDimension(set.dimension);
    this.drawing.scene.camera = null;
    this.take(set);
    $("set-kind").replaceChildren(...Object.keys(KINDS[set.dimension]).map((type) => new Option(type.replace("_", " "), type)));
    this.fillForms(state, set);
    const ids = [...this.shapes.keys()];
    this.chosen = this.shapes.has(state.shape) ? state.shape : ids.find((id) => this.shapes.get(id).group) || ids[0] || null;
    this.drawing.chosen = this.chosen;
    this.setTool(state.tool in HINTS ? state.tool : "move", true);
    const camera = parse(state.camera);
    this.drawing.measure();
    if (Array.isArray(camera) && camera.length === (this.dimension === 2 ? 3 : 6) && camera.every(Number.isFinite)) this.drawing.scene.camera = camera;
    else this.fit();
    const tick = state.tick === undefined ? null : Number(state.tick);
    if (tick !== null && Number.isFinite(tick) && this.ticks) await this.setTick(tick);
    else this.lay();
    this.describeChosen();
    this.ask();
    this.follow();
    this.page.save();
  }

  /** Shows all, but for what is so large that the rest would be small. */
  fit() {
    const items = this.makeItems();
    if (this.dimension === 3) {
      const sizes = items.map((item) => { const [low, high] = boundsOf([item], 3); return length(sub(high, low)); }), middle = [...sizes].sort((a, b) => a - b)[Math.floor(sizes.length / 2)];
      const most = items.filter((_, i) => sizes[i] <= 12 * middle);
      this.drawing.items = most.length ? most : items;
    } else this.drawing.items = items;
    this.drawing.fit();
    this.drawing.items = items;
  }

  fillForms(state, set) {
    const groups = [...new Set(Object.values(set.shapes).map((shape) => shape.group).filter(Boolean))].sort();
    $("hit-shooter").replaceChildren(...groups.map((group) => new Option(group)));
    $("hit-claim").replaceChildren(new Option("none", ""), ...groups.map((group) => new Option(group)));
    if (groups.length > 1) $("hit-claim").value = groups[1];
    const hit = parse(state.hit);
    if (hit) for (const name of ["shooter", "claim", "radius", "near", "rewind"]) if (hit[name] !== undefined) $(`hit-${name}`).value = String(hit[name]);
    const filter = parse(state.filter) || {}, list = (value) => (Array.isArray(value) ? value.join(" ") : "");
    $("filter-category").value = filter.category ?? "";
    $("filter-mask").value = filter.mask ?? "";
    $("filter-ignore").value = list(filter.ignore_groups);
    $("filter-only").value = list(filter.only_groups);
    const line = [vector(state.from || "", this.dimension), vector(state.to || "", this.dimension)];
    this.line = line.every(Boolean) ? line : null;
    this.showLine();
  }

  take(set) {
    this.shapes = new Map(Object.entries(set.shapes || {}));
    this.revision = set.revision;
    this.ticks = set.ticks || null;
    this.layTicks();
  }

  async follow() {
    if (this.stop || !this.name || !this.isOpen || this.isGone) return;
    const name = this.name, kinds = this.shapes.size <= OVERLAPS_MAX ? "change,overlap" : "change";
    try {
      const stop = await watch(`${this.path}/events?kinds=${kinds}&since=${this.revision}`, (event) => { if (this.name === name) this.hear(event); }, (isFinal) => {
        this.stop = null;
        if (!isFinal && this.isOpen && this.name === name) setTimeout(() => this.reload(), 1000);
      });
      if (this.name !== name || !this.isOpen) stop();
      else this.stop = stop;
    } catch (problem) {
      if (this.name === name) this.tell(problem);
    }
  }

  async reload() {
    const name = this.name;
    if (!name || !this.isOpen) return;
    try {
      const set = await call("GET", this.path);
      if (this.name !== name) return;
      this.take(set);
      this.lay();
      this.ask();
      this.follow();
    } catch (problem) {
      this.tell(problem);
      if (problem.word === "unreachable") setTimeout(() => this.reload(), 2000);
    }
  }

  hear(event) {
    if (event.kind === "deleted") {
      const { name } = this;
      this.forget();
      this.name = name;
      this.isGone = true;
      this.tell(new Problem("deleted", { detail: `the set ${name} was deleted` }));
    } else if (event.kind === "reset") {
      this.reload();
    } else if (event.kind === "overlap") {
      if (event.all) this.pairs.clear();
      for (const pair of event.begin || []) this.pairs.set(pair.join(" "), pair);
      for (const pair of event.end || []) this.pairs.delete(pair.join(" "));
      this.paint();
    } else this.hearChange(event);
  }

  hearChange(event) {
    this.revision = event.revision;
    const own = Object.keys(event.shapes || {});
    for (const id of own) {
      if (event.shapes[id] === null) this.shapes.delete(id);
      else this.shapes.set(id, event.shapes[id]);
    }
    if (event.tick !== null && event.tick !== undefined) this.refreshTicks();
    if (this.chosen !== null && !this.shapes.has(this.chosen)) this.choose([...this.shapes.keys()][0] ?? null);
    if (this.tick !== null) return;
    if (own.length === 1 && this.drawing.changed.has(own[0]) && event.shapes[own[0]]) return; // the hand is ahead of it
    this.lay();
    this.describeChosen();
    this.ask();
  }

  // --- Ticks ---

  async refreshTicks() {
    if (this.isRefreshing) return;
    this.isRefreshing = true;
    try {
      const { ticks } = await call("GET", `${this.path}?fields=summary`);
      this.ticks = ticks;
      this.layTicks();
    } catch { /* the event that says why is on its way */ }
    this.isRefreshing = false;
  }

  layTicks() {
    const slider = $("tick"), { ticks } = this;
    slider.disabled = $("tick-play").disabled = $("tick-live").disabled = !ticks;
    slider.min = String(ticks ? ticks.oldest : 0);
    slider.max = String(ticks ? ticks.newest : 0);
    slider.value = String(this.tick ?? (ticks ? ticks.newest : 0));
    const note = !ticks ? "This set keeps no ticks." : this.tick === null ? `Live; ticks ${ticks.oldest} to ${ticks.newest} are kept.` : `Tick ${this.tick} of ${ticks.oldest} to ${ticks.newest}.`;
    $("tick-note").textContent = note;
    slider.setAttribute("aria-valuetext", note);
    $("tick-live").setAttribute("aria-pressed", String(this.tick === null));
  }

  /** @param {number | null} tick null: now */
  async setTick(tick) {
    this.tick = tick;
    this.layTicks();
    this.page.save();
    if (this.isTurning) { this.turnAgain = true; return; }
    this.isTurning = true;
    do {
      this.turnAgain = false;
      try {
        this.poses = this.tick === null ? null : (await call("GET", `${this.path}/ticks/${this.tick}`)).shapes;
        this.drawing.changed.clear();
        this.lay();
      } catch (problem) {
        this.tell(problem);
      }
    } while (this.turnAgain);
    this.isTurning = false;
    this.ask();
  }

  play() {
    this.isPlaying = !this.isPlaying && Boolean(this.ticks);
    $("tick-play").textContent = this.isPlaying ? "Pause" : "Play";
    if (!this.isPlaying) return;
    if (this.tick === null || this.tick >= this.ticks.newest) this.tick = this.ticks.oldest;
    let last = performance.now();
    const turn = async (now) => {
      if (!this.isPlaying || !this.ticks) { $("tick-play").textContent = "Play"; return; }
      const tick = Math.min(this.ticks.newest, this.tick + ((now - last) * PLAY_TICKS_PER_S) / 1000);
      last = now;
      this.isPlaying = tick < this.ticks.newest;
      await this.setTick(Math.round(tick * 4) / 4 > this.tick ? Math.round(tick * 1000) / 1000 : tick);
      requestAnimationFrame(turn);
    };
    requestAnimationFrame(turn);
  }

  // --- What is shown ---

  passes(shape) {
    const filter = this.filter();
    if (!filter) return true;
    const category = filter.category ?? 4294967295, mask = filter.mask ?? 4294967295;
    return ((shape.category ?? 1) & mask) !== 0 && (category & (shape.mask ?? 4294967295)) !== 0 && !(filter.ignore_groups || []).includes(shape.group) &&
      (!filter.only_groups || filter.only_groups.includes(shape.group));
  }

  makeItems() {
    const items = [], past = this.tick === null ? null : this.poses || {};
    for (const [id, shape] of this.shapes) {
      if (past && !past[id]) continue;
      const owner = shape.group === undefined ? "static" : "shape";
      items.push({ id, shape, pose: poseOf(past ? past[id] : shape, this.dimension), colour: owner, faint: !this.passes(shape) });
    }
    if (this.dimension === 2) {
      const size = (item) => { const corners = cornersOf(item.shape, 2); return (corners[3][0] - corners[0][0]) * (corners[3][1] - corners[0][1]); };
      const sizes = new Map(items.map((item) => [item, size(item)]));
      items.sort((a, b) => sizes.get(b) - sizes.get(a));
    }
    return items;
  }

  lay() {
    const items = this.makeItems();
    if (this.dimension === 3 && items.length) this.drawing.scene.ground = Math.max(boundsOf(items, 3)[0][2], 0) === 0 ? 0 : boundsOf(items, 3)[0][2];
    this.drawing.setItems(items);
    if (!items.length) this.drawing.showNothing("there are no shapes yet: add one.");
    this.paint();
  }

  poseOf(id) { return this.drawing.poseOf(id) || poseOf(this.shapes.get(id), this.dimension); }

  /** @param {string | null} id */
  choose(id) {
    if (id !== this.chosen) this.walked = this.refused = null;
    this.chosen = this.drawing.chosen = id;
    this.describeChosen();
    this.ask();
    this.page.save();
    this.drawing.redraw();
  }

  describeChosen() {
    const shape = this.chosen === null ? null : this.shapes.get(this.chosen);
    if (!shape) { fillList($("set-shape"), []); return; }
    const rows = /** @type {[string, any][]} */ ([["Id", this.chosen], ["Type", shape.type], ["Group", shape.group], ["Position", shape.position || poseOf(shape, this.dimension).position]]);
    if (shape.angle !== undefined) rows.push(["Angle", shape.angle]);
    if (shape.orientation) rows.push(["Orientation", shape.orientation]);
    for (const name of ["radius", "rounding", "half_extents", "radii", "category", "mask"]) if (shape[name] !== undefined) rows.push([name[0].toUpperCase() + name.slice(1).replace("_", " "), shape[name]]);
    if (shape.meta !== undefined) rows.push(["Meta", JSON.stringify(shape.meta)]);
    fillList($("set-shape"), rows);
  }

  // --- Changes ---

  /** @param {string} id @param {any} pose */
  place(id, pose) {
    const rounded = { ...pose, position: pose.position.map(round) };
    this.refused = null;
    this.drawing.changed.set(id, { pose: rounded });
    this.drawing.redraw();
    this.ask();
    if (this.tick === null) this.send(id);
  }

  turn(id, angle, axis) {
    this.place(id, this.drawing.scene.turned(this.poseOf(id), angle, axis));
    this.store(id);
  }

  arrow(id, by) {
    if (this.tool === "walk") { this.walk(id, by); return; }
    this.place(id, { ...this.poseOf(id), position: add(this.poseOf(id).position, by) });
    this.store(id);
  }

  poseMembers(pose) { return this.dimension === 2 ? { position: pose.position, angle: pose.angle } : { position: pose.position, orientation: unit(pose.orientation) }; }

  /** Stores the pose; one write is under way at a time, and the last pose follows it. */
  async send(id, isLast = false) {
    const change = this.drawing.changed.get(id);
    if (!change) return;
    if (!this.before.has(id)) this.before.set(id, this.shapes.get(id));
    if (isLast) change.isLast = true;
    if (this.isSending) { this.sendAgain = id; return; }
    this.isSending = true;
    try {
      await call("PATCH", `${this.path}/shapes/${encodeURIComponent(id)}`, this.poseMembers(change.pose));
      if (this.drawing.changed.get(id) === change && change.isLast) this.landed(id, change.pose);
    } catch (problem) {
      this.before.delete(id);
      this.drawing.changed.delete(id);
      this.drawing.refresh();
      this.refuse(problem);
    }
    this.isSending = false;
    if (this.sendAgain !== undefined) {
      const next = this.sendAgain;
      this.sendAgain = undefined;
      this.send(next, this.drawing.changed.get(next)?.isLast);
    }
  }

  landed(id, pose) {
    const old = this.before.get(id);
    this.before.delete(id);
    if (old) this.undos.push({ [id]: { position: old.position ?? null, [this.dimension === 2 ? "angle" : "orientation"]: old[this.dimension === 2 ? "angle" : "orientation"] ?? null } });
    this.shapes.set(id, { ...this.shapes.get(id), ...this.poseMembers(pose) });
    this.drawing.changed.delete(id);
    this.lay();
    this.describeChosen();
    this.ask();
  }

  store(id) {
    const change = this.drawing.changed.get(id);
    if (change && this.tick === null) {
      change.isLast = true;
      this.send(id, true);
    }
    this.page.save();
  }

  async change(shapes, inverse) {
    try {
      await call("PATCH", this.path, { shapes });
      if (inverse) this.undos.push(inverse);
    } catch (problem) {
      this.refuse(problem);
    }
  }

  /** Tells of a refused write until something else is done. @param {any} problem */
  refuse(problem) {
    this.refused = problem instanceof Problem ? `${problem.word}: ${problem.message}` : null;
    this.tell(problem);
    this.ask();
  }

  undo() {
    const inverse = this.undos.pop();
    if (inverse) this.change(inverse, null);
    else this.page.say("nothing to undo");
  }

  remove(id) {
    const { handle, ...old } = this.shapes.get(id) || {};
    if (old.type) this.change({ [id]: null }, { [id]: old });
  }

  async add(type) {
    let number = 1;
    while (this.shapes.has(`${type}-${number}`)) number++;
    const id = `${type}-${number}`, { camera } = this.drawing.scene;
    if (!this.name || !camera) return;
    const size = this.dimension === 2 ? camera[2] / 20 : camera[3] / 25, shape = newShape(type, this.dimension);
    const grow = (value) => (typeof value === "number" ? round(value * size) : Array.isArray(value) ? value.map(grow) : value);
    for (const name of ["radius", "half_extents", "vertices", "points", "a", "b", "c", "radii", "width", "height", "polygons", "spacing", "heights"]) if (shape[name] !== undefined) shape[name] = grow(shape[name]);
    shape.position = camera.slice(0, this.dimension).map(round);
    await this.change({ [id]: shape }, { [id]: null });
    this.shapes.set(id, shape);
    this.lay();
    this.choose(id);
    setTimeout(() => this.drawing.focus(id), 200);
  }

  // --- Questions ---

  filter() {
    const filter = {}, category = $("filter-category").value, mask = $("filter-mask").value, ignore = words($("filter-ignore").value), only = words($("filter-only").value);
    if (category !== "") filter.category = Number(category);
    if (mask !== "") filter.mask = Number(mask);
    if (ignore.length) filter.ignore_groups = ignore;
    if (only.length) filter.only_groups = only;
    return Object.keys(filter).length ? filter : undefined;
  }

  /** @param {string} tool */
  setTool(tool, isQuiet = false) {
    this.tool = tool;
    this.walked = this.refused = null;
    for (const radio of document.querySelectorAll("input[name=tool]")) /** @type {HTMLInputElement} */ (radio).checked = /** @type {HTMLInputElement} */ (radio).value === tool;
    $("set-hint").textContent = HINTS[tool];
    $("line-form").hidden = tool !== "ray" && tool !== "sweep";
    $("hit-form").hidden = tool !== "hit";
    this.drawing.tool = tool === "ray" || tool === "sweep" || tool === "hit" ? "stroke" : "move";
    this.answer = null;
    if (isQuiet) return;
    this.ask();
    this.page.save();
  }

  stroke(from, to, isDone) {
    const lift = this.dimension === 3 ? [0, 0, this.drawing.scene.camera[3] * 0.03] : [0, 0];
    const start = this.tool === "sweep" && this.chosen !== null ? this.poseOf(this.chosen).position : add(from, lift);
    const end = this.tool === "sweep" && this.chosen !== null ? add(start, sub(to, from)) : add(to, lift);
    this.line = [start.map(round), end.map(round)];
    this.showLine();
    this.ask();
    if (isDone) this.page.save();
  }

  showLine() {
    for (const form of ["line", "hit"]) {
      $(`${form}-from`).value = this.line ? this.line[0].join(", ") : "";
      $(`${form}-to`).value = this.line ? this.line[1].join(", ") : "";
    }
  }

  operand() {
    const change = this.drawing.changed.get(this.chosen);
    return change ? { id: this.chosen, ...this.poseMembers(change.pose) } : this.chosen;
  }

  /** The question of the tool, or null. @returns {{op: string, set: string, body: any} | null} */
  question() {
    const { tool, line } = this, filter = this.filter(), at = this.tick === null ? undefined : { tick: this.tick };
    const common = { ...(filter && { filter }), ...(at && { at }) }, way = line && sub(line[1], line[0]), far = way ? length(way) : 0;
    const make = (op, body) => ({ op, set: this.name, body: { ...body, ...common } });
    if (!this.name || this.isGone) return null;
    if ((tool === "move" || tool === "walk") && this.chosen !== null) return make("detect", { a: this.operand() });
    if (tool === "nearest" && this.chosen !== null) return make("distance", { a: this.operand(), limit: 5, signed: true });
    if (tool === "ray" && far > 0) return make("raycast", { origin: line[0], direction: way, max_distance: far, mode: "all" });
    if (tool === "sweep" && far > 0 && this.chosen !== null) return make("cast", { shape: this.chosen, translation: way, mode: "all" });
    if (tool === "hit" && far > 0) {
      const { shooter, claim, radius, near, rewind } = this.hitFields();
      const body = { shooter, ray: { origin: line[0], direction: way, max_distance: far }, ...(radius > 0 && { radius }), ...(claim && { claim: { group: claim } }),
        policy: { max_rewind_ticks: rewind, ...(near > 0 && { near_miss: near }) } };
      return { op: "hit", set: this.name, body: { ...body, ...(at && { at }) } };
    }
    return null;
  }

  async ask() {
    if (this.asking) { this.again = true; return; }
    this.asking = true;
    this.again = false;
    const question = this.tool === "walk" && this.walked ? null : this.question();
    try {
      if (!question) this.answer = this.asked = this.tool === "walk" ? this.asked : null;
      else {
        this.asked = question;
        this.answer = await call("POST", `${this.path}/${question.op}`, question.body);
        if (question.op === "detect" && !this.answer.hits.length) {
          const { a, ...common } = question.body;
          this.asked = { op: "distance", set: this.name, body: { a, limit: 1, ...common } };
          this.answer = await call("POST", `${this.path}/distance`, this.asked.body);
        }
      }
      if (!this.again) this.showAnswer();
    } catch (problem) {
      this.answer = null;
      if (!this.isGone && this.name) this.tell(problem);
      this.paint();
    }
    this.asking = false;
    this.copies();
    if (this.again) this.ask();
  }

  showAnswer() {
    const { answer, asked } = this;
    if (this.tool === "walk" && this.walked) { this.paint(); return; } // what the walk came to is said
    const said = !asked ? { say: this.drawing.tool === "stroke" ? "nothing asked: drag a line over the picture" : this.shapes.size ? "nothing asked: choose a shape" : "nothing here: add a shape", rows: [] } : this.sentence(asked.op, answer);
    if (this.isOpen) this.page.say(this.refused || said.say);
    fillList($("set-answer"), said.rows);
    const when = this.tick === null ? "now" : `as of ${this.tick}`;
    this.drawing.describe(`${this.name} in ${this.dimension}D, ${this.drawing.items.length} shapes, ${when}. ${this.chosen === null ? "" : `Chosen: ${this.chosen}. `}${said.say}`);
    this.paint();
  }

  /** @returns {{say: string, rows: [string, any][]}} */
  sentence(op, answer) {
    if (op === "hit") return this.verdict(answer);
    const list = answer.hits || answer.nearest || [], first = list[0];
    if (op === "detect") {
      const worst = [...list].sort((a, b) => b.depth - a.depth || (a.state < b.state ? -1 : 1))[0];
      return { say: `${worst.state}, depth ${six(worst.depth)} with ${worst.id}`, rows: list.map((hit) => [hit.id, `${hit.state}, depth ${six(hit.depth)}`]) };
    }
    if (op === "distance") {
      if (!first) return { say: "separated, nothing near", rows: [] };
      const number = first.state === "separated" ? `distance ${six(first.distance)} to` : `depth ${six(Math.max(0, -(first.signed_distance ?? 0)))} with`;
      return { say: `${first.state}, ${number} ${first.id}`, rows: list.map((near) => [near.id, near.state === "separated" ? `distance ${six(near.distance)}` : near.state]) };
    }
    if (!first) return { say: "no hit", rows: [] };
    return { say: `hit, distance ${six(first.distance)} to ${first.id}`, rows: list.map((hit) => [hit.id, `distance ${six(hit.distance)}${hit.fraction === undefined ? "" : `, fraction ${six(hit.fraction)}`}${hit.inside ? ", inside" : ""}`]) };
  }

  /** @returns {{say: string, rows: [string, any][]}} */
  verdict(answer) {
    const { hit, obstacle, rewind } = answer, rows = /** @type {[string, any][]} */ ([["Verdict", answer.verdict], ["Reason", answer.reason]]);
    if (hit) rows.push(["Hit", hit.id], ["Group", hit.group], ["Distance", hit.distance], ["Point", hit.point], ["Normal", hit.normal]);
    if (obstacle) rows.push(["Obstacle", obstacle.id], ["Its distance", obstacle.distance]);
    for (const near of answer.near_misses || []) rows.push(["Near miss", `${near.id}, ${six(near.distance)}`]);
    if (rewind) rows.push(["Requested tick", rewind.requested], ["Between", `${rewind.from} and ${rewind.to}, ${six(rewind.alpha ?? 0)}`], ["Age in ticks", rewind.age_ticks]);
    return { say: `${answer.verdict}${answer.reason ? `, ${answer.reason}` : ""}${hit ? `, distance ${six(hit.distance)} to ${hit.id}` : ""}`, rows };
  }

  /** Walks the shape as a body: it slides, climbs and is put down. */
  async walk(id, by) {
    if (this.isWalking) return;
    this.isWalking = true;
    const corners = cornersOf(this.shapes.get(id), this.dimension), height = corners.at(-1).at(-1) - corners[0].at(-1), pose = this.poseOf(id), filter = this.filter();
    const body = (at, translation) => ({ shape: { id, ...this.poseMembers(at) }, translation, ...(this.dimension === 3 && { up: [0, 0, 1], step: round(0.25 * height), snap: round(0.25 * height) }), ...(filter && { filter }) });
    try {
      this.asked = { op: "move", set: this.name, body: body(pose, scale(unit(by), round(0.25 * height))) };
      let answer = await call("POST", `${this.path}/move`, this.asked.body);
      const marks = this.walkMarks(pose.position, answer), moved = length(answer.moved);
      if (this.dimension === 3 && !answer.grounded) {
        const fall = await call("POST", `${this.path}/move`, body({ ...pose, position: answer.position }, [0, 0, -8 * height]));
        if (fall.grounded) { marks.push(...this.walkMarks(answer.position, fall)); answer = fall; }
      }
      this.walked = marks;
      this.place(id, { ...pose, position: answer.position });
      this.store(id);
      const ground = answer.grounded ? "grounded" : this.dimension === 3 ? "in the air" : "walked";
      this.page.say(`${ground}, moved ${six(moved)}${answer.contacts.length ? `, along ${[...new Set(answer.contacts.map((contact) => contact.id))].join(", ")}` : ""}`);
      fillList($("set-answer"), [["Grounded", answer.grounded], ["Moved", answer.moved], ["Blocked", answer.blocked], ["Pushed", answer.pushed], ["Legs", answer.legs.length],
        ...answer.contacts.map((contact) => /** @type {[string, any]} */ ([contact.id, `${contact.step ? "step, " : ""}normal ${show(contact.normal)}`]))]);
      this.copies();
    } catch (problem) {
      this.tell(problem);
    }
    this.isWalking = false;
  }

  walkMarks(start, answer) {
    const marks = [];
    let at = add(start, answer.pushed);
    for (const leg of answer.legs) {
      marks.push({ line: [at, add(at, leg)], colour: "way", arrow: true, width: 2.5 });
      at = add(at, leg);
    }
    for (const contact of answer.contacts) if (contact.point) marks.push({ line: [contact.point, add(contact.point, scale(contact.normal, this.drawing.scene.stepSize * 4))], colour: "mark", arrow: true }, { dot: contact.point, colour: "mark" });
    return marks;
  }

  // --- Marks ---

  paint() {
    const { answer, asked, drawing, line } = this, painted = drawing.painted, marks = [];
    painted.clear();
    drawing.ghosts = [];
    if (this.tick === null && this.tool !== "ray" && this.tool !== "hit") for (const pair of this.pairs.values()) for (const id of pair) if (this.shapes.get(id)?.group !== undefined) painted.set(id, "warm");
    if (answer && asked) {
      const lines = answer.hits || answer.nearest || (answer.verdict ? [answer.hit, answer.obstacle].filter(Boolean) : []);
      const size = drawing.scene.camera ? drawing.scene.stepSize * 4 : 1;
      const arrow = (at, normal) => { if (normal) marks.push({ line: [at, add(at, scale(normal, size))], colour: "mark", arrow: true }); };
      if (line && (this.tool === "ray" || this.tool === "hit")) marks.push({ line, colour: "way", dashed: true, arrow: true });
      if (line && this.tool === "sweep") this.markSweep(marks, lines);
      for (const near of answer.near_misses || []) painted.set(near.id, "b");
      for (const one of lines) {
        const isGround = one.state === "touching" && this.shapes.get(one.id)?.group === undefined;
        if (this.tool !== "nearest" && one.state !== "separated" && !isGround) painted.set(one.id, one.state === "touching" ? "warm" : "hit");
        if (one.point) { arrow(one.point, one.normal); marks.push({ dot: one.point, colour: "mark" }); }
        if (one.point_a) marks.push({ line: [one.point_a, one.point_b], colour: "mark" }, { dot: one.point_a, colour: "mark" }, { dot: one.point_b, colour: "mark" });
      }
      if (answer.verdict && answer.hit?.point) marks.push({ line: [line[0], answer.hit.point], colour: "way", width: 3 }, { text: answer.verdict, at: answer.hit.point, colour: "ink" });
    } else if (line && this.drawing.tool === "stroke") marks.push({ line, colour: "way", dashed: true, arrow: true });
    if (this.tool === "walk" && this.walked) marks.push(...this.walked);
    if (this.chosen !== null && this.shapes.has(this.chosen)) {
      painted.set(this.chosen, "a");
      const at = drawing.poseOf(this.chosen)?.position;
      if (at) marks.push({ text: this.chosen, at, colour: "ink" });
    }
    drawing.marks = marks;
    drawing.redraw();
  }

  /** The swept shape where it begins to touch. */
  markSweep(marks, hits) {
    const { line } = this;
    marks.push({ line, colour: "way", dashed: true, arrow: true });
    const first = hits[0];
    if (!first) return;
    const reached = add(line[0], scale(sub(line[1], line[0]), first.fraction));
    marks.push({ line: [line[0], reached], colour: "way", width: 3 }, { dot: reached, colour: "way" });
    const item = this.drawing.items.find((one) => one.id === this.chosen);
    if (item) this.drawing.ghosts = [{ ...item, id: "", colour: "way", faint: true, pose: { ...item.pose, position: reached } }];
  }
}
