// Two shapes: the answer about them, their Minkowski difference, and each step of GJK and EPA.
import { fillList, parse, round, show, six } from "./address.js";
import { wireCopies } from "./code.js";
import { call } from "./daemon.js";
import { Drawing } from "./drawing.js";
import { KINDS, difference, isDrawable, newShape, pieces, support } from "./kinds.js";
import { answerHere, differences, loadCore } from "./local.js";
import { add, cross, dot, hull2, hull3, length, poseOf, quaternion, scale, sub, unit, zero } from "./vectors.js";

/** @typedef {import("./vectors.js").Vector} Vector */

const $ = (id) => document.getElementById(id);
const STARTS = {
  2: { a: { ...newShape("polygon", 2), position: [-1.4, 0.3], angle: 0.2 }, b: { ...newShape("box", 2), position: [1.5, -0.2], angle: 0.5 } },
  3: { a: { ...newShape("box", 3), position: [-1.3, 0, 0.7], orientation: quaternion([0, 0, 1], 0.3) }, b: { ...newShape("hull", 3), position: [1.4, 0.3, 0.8], orientation: [0, 0, 0, 1] } },
};
const GEOMETRY_NUMBERS_MAX = 40;
const names = (shape) => shape.type.replace("_", " ");

export class PairView {
  /** @param {{say: (text: string) => void, save: () => void}} page */
  constructor(page) {
    this.page = page;
    this.isOpen = false;
    this.dimension = 2;
    this.shapes = structuredClone(STARTS[2]);
    this.step = Infinity;
    this.answer = null;
    this.trace = null;
    this.chosen = "a";
    /** @type {Record<string, {key: string, shape: any}>} */
    this.kept = {};
    this.drawing = new Drawing($("pair-shapes"), "Two shapes", {
      grab: (id) => { this.chosen = this.drawing.chosen = id; this.paint(); },
      drag: (id, position) => this.move(id, position),
      step: (id, by) => this.move(id, add(this.poses(id).position, by)),
      turn: (id, angle) => this.turn(id, angle),
      tilt: (id, angle) => this.turn(id, angle, this.drawing.scene.frame.right),
      moved: () => page.save(),
    });
    this.sum = new Drawing($("pair-difference"), "The Minkowski difference", { moved: () => page.save() });
    this.copies = wireCopies($("two"), () => this.question());
    /** @type {{answer: any, ms: number} | null} what the core in this page answers about the shapes */
    this.here = null;
    this.same = 0; // answers of the daemon in a row that had the same bits
    this.wire();
    loadCore().then((isThere) => { if (isThere) this.answerAgain(); }, () => { /* the daemon answers all the same */ });
  }

  wire() {
    for (const id of ["a", "b"]) {
      $(`kind-${id}`).addEventListener("change", (event) => {
        const type = /** @type {HTMLSelectElement} */ (event.target).value, { position, angle, orientation } = this.shapes[id];
        this.shapes[id] = { ...newShape(type, this.dimension), position, ...(this.dimension === 2 ? { angle } : { orientation }) };
        this.step = Infinity;
        this.layReshape();
        this.changed();
      });
    }
    for (const radio of document.querySelectorAll("input[name=dimension]")) {
      radio.addEventListener("change", () => {
        this.start(Number(/** @type {HTMLInputElement} */ (radio).value));
      });
    }
    const slider = /** @type {HTMLInputElement} */ ($("step"));
    slider.addEventListener("input", () => this.setStep(Number(slider.value)));
    $("step-back").addEventListener("click", () => this.setStep(Number(slider.value) - 1));
    $("step-on").addEventListener("click", () => this.setStep(Number(slider.value) + 1));
    $("pair-left").addEventListener("click", () => this.turn(this.chosen, Math.PI / 36));
    $("pair-right").addEventListener("click", () => this.turn(this.chosen, -Math.PI / 36));
    $("pair-fit").addEventListener("click", () => this.fit());
    $("pair-reset").addEventListener("click", () => this.start(this.dimension));
  }

  start(dimension) {
    this.dimension = dimension;
    this.shapes = structuredClone(STARTS[dimension]);
    this.step = Infinity;
    this.lay();
  }

  poses(id) { return poseOf(this.shapes[id], this.dimension); }

  // --- The address ---

  state() {
    const cameras = [this.drawing.scene.camera, this.sum.scene.camera].map((camera) => camera && JSON.stringify(camera.map(round)));
    return { dimension: String(this.dimension), a: JSON.stringify(this.shapes.a), b: JSON.stringify(this.shapes.b),
      step: Number.isFinite(this.step) ? String(this.step) : undefined, camera: cameras[0], sum: cameras[1] };
  }

  /** @param {Record<string, string>} [state] */
  open(state) {
    this.isOpen = true;
    let cameras = [];
    if (state) {
      this.dimension = state.dimension === "3" ? 3 : 2;
      const start = structuredClone(STARTS[this.dimension]);
      for (const id of ["a", "b"]) {
        const given = parse(state[id]);
        this.shapes[id] = isDrawable(given, this.dimension) ? given : start[id];
      }
      this.step = state.step ? Number(state.step) || Infinity : Infinity;
      cameras = [parse(state.camera), parse(state.sum)];
    }
    this.lay(cameras);
  }

  close() { this.isOpen = false; }

  // --- What is shown ---

  lay(cameras = []) {
    for (const radio of document.querySelectorAll("input[name=dimension]")) /** @type {HTMLInputElement} */ (radio).checked = Number(/** @type {HTMLInputElement} */ (radio).value) === this.dimension;
    for (const id of ["a", "b"]) {
      const select = /** @type {HTMLSelectElement} */ ($(`kind-${id}`));
      select.replaceChildren(...Object.keys(KINDS[this.dimension]).map((type) => new Option(type.replace("_", " "), type)));
      select.value = this.shapes[id].type;
    }
    this.drawing.setDimension(this.dimension);
    this.sum.setDimension(this.dimension);
    this.sum.scene.alpha = 0.55;
    this.drawing.scene.camera = this.sum.scene.camera = null;
    this.drawing.chosen = this.chosen;
    this.layReshape();
    this.changed();
    this.fit(cameras);
  }

  fit(cameras = []) {
    const isCamera = (camera) => Array.isArray(camera) && camera.length === (this.dimension === 2 ? 3 : 6) && camera.every(Number.isFinite);
    for (const [i, drawing] of [this.drawing, this.sum].entries()) {
      if (isCamera(cameras[i])) {
        drawing.measure();
        drawing.scene.camera = cameras[i];
        drawing.refresh();
      } else drawing.fit(i ? [zero(this.dimension)] : []);
    }
    this.page.save();
  }

  move(id, position) {
    this.shapes[id] = { ...this.shapes[id], position: position.map(round) };
    this.changed();
  }

  turn(id, angle, axis) {
    const pose = this.drawing.scene.turned(this.poses(id), angle, axis);
    this.shapes[id] = { ...this.shapes[id], ...(this.dimension === 2 ? { angle: round(pose.angle) } : { orientation: unit(pose.orientation) }) };
    this.changed();
  }

  changed() {
    this.items();
    this.answerAgain();
    this.page.save();
  }

  answerAgain() {
    this.answerHere();
    this.ask();
  }

  /** What is drawn. A shape that was only moved keeps the outline or surface that was made of it. */
  items() {
    const kept = (name, key, make) => (this.kept[name]?.key === key ? this.kept[name] : (this.kept[name] = { key, shape: make() })).shape;
    const origin = zero(this.dimension), [a, b] = ["a", "b"].map((id) => ({ ...this.shapes[id], position: origin }));
    this.drawing.items = ["a", "b"].map((id) => {
      const { position, angle, orientation, ...geometry } = this.shapes[id];
      return { id, shape: kept(id, JSON.stringify(geometry), () => geometry), pose: this.poses(id), colour: id };
    });
    this.drawing.refresh();
    const pose = { ...poseOf({}, this.dimension), position: sub(this.poses("a").position, this.poses("b").position) };
    this.sum.items = [{ id: "a − b", shape: kept("sum", JSON.stringify([a, b]), () => difference(a, b, this.dimension)), pose, colour: "sum" }];
    this.sum.refresh();
  }

  /** Number inputs for the geometry and the rounding of both shapes. */
  layReshape() {
    $("pair-reshape").replaceChildren(...["a", "b"].map((id) => {
      const group = document.createElement("fieldset"), legend = document.createElement("legend"), slots = [];
      const walk = (value, path) => {
        if (typeof value === "number") slots.push(path);
        else if (value && typeof value === "object") for (const [name, member] of Object.entries(value)) walk(member, [...path, name]);
      };
      const { position, angle, orientation, type, ...geometry } = this.shapes[id];
      walk({ ...geometry, rounding: geometry.rounding || 0 }, []);
      if (slots.length > GEOMETRY_NUMBERS_MAX) slots.splice(0, slots.length, ["rounding"]);
      group.className = `in-${this.dimension}d`;
      legend.textContent = `${id}, a ${names(this.shapes[id])}`;
      group.append(legend, ...slots.map((path) => this.numberInput(id, path)));
      return group;
    }));
  }

  /** Input of the number at that path of a shape. */
  numberInput(id, path) {
    const label = document.createElement("label"), input = document.createElement("input");
    input.type = "number";
    input.step = "0.1";
    input.value = String(path.reduce((value, name) => value?.[name], this.shapes[id]) ?? 0);
    input.addEventListener("input", () => {
      if (!Number.isFinite(input.valueAsNumber)) return;
      const copy = structuredClone(this.shapes[id]), owner = path.slice(0, -1).reduce((value, name) => value[name], copy);
      owner[path.at(-1)] = input.valueAsNumber;
      this.shapes[id] = copy;
      this.changed();
    });
    // The last of several places is a coordinate; others are counted from 1.
    const isVector = path.length > 1 && /^[012]$/.test(path.at(-1)) && !/^(heights|radii|spacing)$/.test(path.at(-2));
    label.append(path.map((name, i) => (isVector && i === path.length - 1 ? "xyz"[Number(name)] : /^\d+$/.test(name) ? Number(name) + 1 : name.replace("_", " "))).join(" "), input);
    return label;
  }

  // --- Answers ---

  question(op = this.answer && this.answer.state !== "separated" ? "detect" : "distance") {
    return { op, set: null, body: { a: this.shapes.a, b: this.shapes.b, trace: true } };
  }

  /** Answers in this page, without a way to the daemon and back. */
  answerHere() {
    const start = performance.now(), answer = answerHere(this.question().body);
    this.here = answer && { answer, ms: performance.now() - start };
    if (answer) this.take(answer);
    else $("pair-compared").textContent = $("pair-compared").className = "";
  }

  /** Tells whether the daemon's answer is the one that was given here. @param {any} here @param {any} answer */
  compare(here, answer) {
    const names = differences(here.answer, answer);
    this.same = names.length ? 0 : this.same + 1;
    $("pair-compared").className = names.length ? "differs" : "same";
    $("pair-compared").textContent = `Answered in this page by WebAssembly in ${here.ms < 0.1 ? "less than 0.1" : here.ms.toFixed(1)} ms. ` +
      (names.length ? `The server's answer differs: ${names.join(", ")}.` : `The server's answer is the same, bit by bit${this.same > 1 ? `, ${this.same} times in a row` : ""}.`);
  }

  async ask() {
    if (this.asking) { this.again = true; return; }
    this.asking = true;
    this.again = false;
    const { here } = this;
    try {
      const { body } = this.question();
      let answer = await call("POST", "/v1/distance", body);
      if (answer.state !== "separated") answer = await call("POST", "/v1/detect", body);
      if (here) this.compare(here, answer);
      if (!this.again || !here) this.take(answer);
    } catch (problem) {
      this.answer = this.trace = null;
      fillList($("pair-answer"), []);
      $("pair-steps").querySelector("tbody").replaceChildren();
      this.sum.items = [];
      this.sum.refresh();
      if (this.isOpen) this.page.say(`${problem.word || "wrong"}: ${problem.message}`);
      this.paint();
      this.copies();
    }
    this.asking = false;
    if (this.again) this.ask();
  }

  take(answer) {
    this.answer = answer;
    this.trace = answer.trace || null;
    const number = answer.state === "separated" ? `distance ${six(answer.distance)}` : `depth ${six(answer.depth)}`;
    const said = `${answer.state}, ${number}`;
    if (this.isOpen) this.page.say(said);
    this.drawing.describe(`a is a ${names(this.shapes.a)}, b is a ${names(this.shapes.b)}; ${said}`);
    const rows = /** @type {[string, any][]} */ ([["State", answer.state]]);
    if (answer.state === "separated") rows.push(["Distance", answer.distance], ["Lower bound", answer.lower_bound]);
    else rows.push(["Depth", answer.depth], ["Lower bound", answer.depth_lower_bound]);
    rows.push(["Normal", answer.normal], ["Point of a", answer.point_a], ["Point of b", answer.point_b]);
    for (const id of ["a", "b"]) if (answer[`piece_${id}`] !== undefined) rows.push([`Piece of ${id}`, answer[`piece_${id}`]]);
    rows.push(["Status", answer.status.replace("_", " ")], ["Iterations", answer.iterations]);
    fillList($("pair-answer"), rows);
    const body = $("pair-steps").querySelector("tbody");
    body.replaceChildren(...(this.trace?.steps || []).map((step, i) => {
      const row = document.createElement("tr");
      for (const text of [String(i + 1), step.phase, show(step.lower_bound), show(step.upper_bound), step.note]) row.insertCell().textContent = text;
      return row;
    }));
    this.paint();
    this.copies();
  }

  setStep(step) {
    const count = this.trace?.steps.length || 1;
    this.step = Math.max(1, Math.min(count, step));
    this.paint();
    this.page.save();
  }

  // --- Marks ---

  paint() {
    const steps = this.trace?.steps || [], count = steps.length, at = Math.min(this.step, count), step = steps[at - 1];
    const slider = /** @type {HTMLInputElement} */ ($("step"));
    slider.max = String(Math.max(1, count));
    slider.value = String(Math.max(1, at));
    slider.disabled = /** @type {HTMLButtonElement} */ ($("step-back")).disabled = /** @type {HTMLButtonElement} */ ($("step-on")).disabled = !count;
    const note = step ? `${at} of ${count}, ${step.phase.toUpperCase()}: ${step.note}` : "There is no trace of this pair.";
    $("step-note").textContent = note;
    slider.setAttribute("aria-valuetext", note);
    fillList($("pair-step"), step ? [["Phase", step.phase.toUpperCase()], ["Direction", step.direction], ["Support of a", step.support.a], ["Support of b", step.support.b],
      ["a − b", step.support.w], ["Simplex", step.simplex.map(show).join(" ")], ["Closest", step.closest], ["Bounds", `${show(step.lower_bound)} to ${show(step.upper_bound)}`], ["Note", step.note]] : []);
    [...$("pair-steps").querySelectorAll("tbody tr")].forEach((row, i) => { if (i === at - 1) row.setAttribute("aria-current", "step"); else row.removeAttribute("aria-current"); });
    this.markShapes(step);
    this.markSum(steps, at);
    this.sum.describe(`The Minkowski difference of a and b; the origin lies ${this.answer && this.answer.state === "separated" ? "outside" : this.answer?.state === "touching" ? "on its boundary" : "inside"}. ${step ? `${note}; simplex ${step.simplex.map(show).join(" ")}` : ""}`);
  }

  markShapes(step) {
    const marks = [], answer = this.answer, reach = this.reach();
    for (const id of ["a", "b"]) marks.push({ text: id, at: this.poses(id).position, colour: "ink" });
    if (answer?.point_a && answer.point_b) {
      marks.push({ line: [answer.point_a, answer.point_b], colour: "mark", width: 3 });
      if (answer.normal) marks.push({ line: [answer.point_b, add(answer.point_b, scale(answer.normal, 0.5 * reach))], colour: "mark", arrow: true });
      marks.push({ dot: answer.point_a, colour: "mark" }, { dot: answer.point_b, colour: "mark" });
    }
    if (step) {
      for (const [p, sign] of [[step.support.a, 1], [step.support.b, -1]]) {
        marks.push({ line: [p, add(p, scale(step.direction, sign * 0.4 * reach))], colour: "way", arrow: true, dashed: true }, { dot: p, colour: "way" });
      }
    }
    this.drawing.marks = marks;
    this.drawing.redraw();
  }

  /** Length that is a good part of the shapes. */
  reach() {
    const axis = zero(this.dimension).map((_, i) => (i ? 0 : 1));
    const [part] = pieces(this.shapes.b, this.dimension, 1);
    return Math.max(0.3, length(sub(support(part, axis), support(part, scale(axis, -1)))) / 2);
  }

  markSum(steps, at) {
    const marks = [], origin = zero(this.dimension), step = steps[at - 1];
    if (this.trace?.minkowski && this.dimension === 2) marks.push({ area: hull2(this.trace.minkowski), colour: "core", alpha: 0.7 });
    if (step) {
      const size = 0.5 * this.reach(), found = steps.slice(0, at).map((one) => one.support.w);
      if (step.phase === "epa") this.markPolytope(marks, steps, at);
      else this.markSimplex(marks, step.simplex, "way", 0.35);
      for (const w of found) marks.push({ dot: w, colour: "quiet", size: 3 });
      const { w } = step.support, { direction } = step;
      if (this.dimension === 2) { // the support line: nothing of a - b lies beyond it
        const along = [-direction[1], direction[0]];
        marks.push({ line: [sub(w, scale(along, 3 * size)), add(w, scale(along, 3 * size))], colour: "quiet", dashed: true, width: 1.5 });
      }
      marks.push({ line: [w, add(w, scale(direction, size))], colour: "way", arrow: true });
      if (step.closest) marks.push({ line: [origin, step.closest], colour: "mark", width: 2 }, { dot: step.closest, colour: "mark" });
      for (const p of step.simplex) marks.push({ dot: p, colour: "way" });
      marks.push({ dot: w, colour: "chosen", size: 6 });
    }
    marks.push({ dot: origin, colour: "hit", size: 5 }, { text: "origin", at: origin, colour: "ink" });
    this.sum.marks = marks;
    this.sum.redraw();
  }

  markSimplex(marks, simplex, colour, alpha) {
    const corners = simplex;
    if (corners.length === 3) marks.push({ area: corners, colour, alpha });
    if (corners.length === 4) for (const [i, j, k] of [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]) marks.push({ area: [corners[i], corners[j], corners[k]], colour, alpha: alpha / 2 });
    for (let i = 0; i < corners.length; i++) for (let j = i + 1; j < corners.length; j++) marks.push({ line: [corners[i], corners[j]], colour, width: 2.5 });
  }

  /** EPA's polytope: the last simplex of GJK and all support points since. */
  markPolytope(marks, steps, at) {
    const first = steps.findIndex((step) => step.phase === "epa");
    const cloud = [...(steps[first - 1]?.simplex || []), ...steps.slice(first, at).flatMap((step) => [step.support.w, ...step.simplex])];
    const own = cloud.filter((p, i) => cloud.findIndex((q) => q.every((value, n) => value === p[n])) === i);
    if (this.dimension === 2) {
      const ring = hull2(own);
      marks.push({ area: ring, colour: "way", alpha: 0.22 });
      ring.forEach((p, i) => marks.push({ line: [ring.at(i - 1), p], colour: "way", width: 1.5 }));
    } else {
      for (const [p, q, r] of own.length <= 40 ? hull3(own) : []) {
        const isFront = dot(cross(sub(q, p), sub(r, p)), this.sum.scene.camera ? this.sum.scene.frame.back : [0, 0, 1]) > 0;
        if (isFront) marks.push({ area: [p, q, r], colour: "way", alpha: 0.14 });
        for (const [from, to] of [[p, q], [q, r], [r, p]]) marks.push({ line: [from, to], colour: "way", width: 1, alpha: isFront ? 0.8 : 0.25 });
      }
    }
    const edge = steps[at - 1].simplex;
    this.markSimplex(marks, edge, "way", 0.4);
  }
}
