/** gjkd's core in WebAssembly: answers the daemon's queries in this process, bit for bit as the daemon does. */

const OPS = { detect: 0, distance: 1, raycast: 2, cast: 3, move: 5 };
const MODES = ["closest", "any", "all"], STARTS = ["report", "ignore", "resolve", "leaving"];
// Forms of a member of a shape's geometry, as gjk/kinds.h numbers them.
const [NUMBER, VECTOR, POINTS, FLAG, COUNT, STEPS, CHOICE, PARTS, VERTICES, TRIANGLES, RINGS, FLAT_RINGS] = Array(12).keys();
const CODES = ["", "out-of-memory", "not-finite", "out-of-range", "out-of-range", "too-many", "not-convex", "bad-orientation",
  "zero-direction", "out-of-range", "not-closed", "not-simple", "bad-name", "deadline-exceeded"];
const ALL = 4294967295, NONE = -1;
const FILTER = ["category", "mask", "ignore", "ignore_groups", "only_groups"], POSE = ["position", "angle", "orientation"];
const COMMON = [...POSE, "type", "rounding", "category", "mask", "group", "meta"];
const ID = /^(?!.*(?:^|\/)(?:\.{0,2})(?:\/|$))[A-Za-z0-9._~:@\/-]{1,128}$/;
const utf8 = new TextDecoder(), ascii = new TextEncoder();

/** A refusal with the daemon's `code`. A refused call has changed nothing. */
export class Refused extends Error {
  constructor(code, detail) {
    super(`${code}: ${detail}`);
    this.name = "Refused";
    this.code = code;
  }
}

function refuse(code, detail) { throw new Refused(code, detail); }

function check(object, known) {
  if (object === null || typeof object !== "object" || Array.isArray(object)) refuse("wrong-type", "an object is missing");
  for (const name in object) if (!known.includes(name)) refuse("unknown-member", `"${name}"; known: ${known.join(", ")}`);
}

function number(x, name) { return typeof x === "number" ? x : refuse("wrong-type", `${name} is no number`); }

function chosen(x, names, name) {
  const i = names.indexOf(x ?? names[0]);
  return i >= 0 ? i : refuse("out-of-range", `${name} is one of ${names.join(", ")}`);
}

function id(x) { return typeof x === "string" && ID.test(x) ? x : refuse("bad-name", `${x}`); }

/** Arguments of a call: numbers, followed by texts. */
class Tape {
  numbers = [];
  bytes = "";

  put(...numbers) { for (const x of numbers) this.numbers.push(x); }
  text(text) {
    this.put(text == null ? NONE : this.bytes.length);
    if (text != null) this.bytes += id(text) + "\0";
  }
  texts(list = []) {
    this.put(list.length);
    for (const text of [...list].sort()) this.text(text);
  }
  vector(v, dimension, name) {
    if (!Array.isArray(v) && !ArrayBuffer.isView(v)) refuse("wrong-type", `${name} is no array`);
    if (v.length !== dimension) refuse("dimension-mismatch", `${name} has ${v.length} numbers, not ${dimension}`);
    for (const x of v) this.put(number(x, name));
  }
  /** Writes optional numbers. */
  choices(query, names) {
    for (const name of names) query[name] == null ? this.put(0) : this.put(1, number(query[name], name));
  }
  pose(place, dimension, whole) {
    const { position, angle, orientation } = place, turn = dimension === 2 ? angle : orientation;
    if ((dimension === 2 ? orientation : angle) != null) refuse("dimension-mismatch", dimension === 2 ? "orientation in 2D" : "angle in 3D");
    this.put(position != null ? 1 : 0);
    if (position != null) this.vector(position, dimension, "position");
    this.put(turn != null || whole ? 1 : 0);
    if (dimension === 2) turn != null || whole ? this.put(number(turn ?? 0, "angle")) : 0;
    else if (turn != null || whole) this.vector(turn ?? [0, 0, 0, 1], 4, "orientation");
  }
}

function dimensionOf(value, kinds) {
  if (value === null || typeof value !== "object") return 0;
  const only = kinds.filter(kind => kind.names.includes(value.type) && typeof value.type === "string");
  if (only.length === 1 && only[0].names.includes(null)) return only[0].names[0] === null ? 3 : 2;
  for (let i = 0; i < 2; i++) if (only.length && only.every(kind => kind.names[i] !== value.type)) return 3 - i;
  for (const name of ["position", "origin", "direction", "translation", "a", "half_extents", "radii", "points", "vertices"]) {
    let at = value[name];
    while (Array.isArray(at) && Array.isArray(at[0])) at = at[0];
    if ((Array.isArray(at) || ArrayBuffer.isView(at)) && !(name === "radii" && value.type === "points") && (at.length === 2 || at.length === 3)) return at.length;
  }
  for (const name of ["a", "b", "shape", "against", "shapes", "parts"]) {
    const inner = value[name];
    for (const one of name === "shapes" ? Object.values(inner ?? {}) : name === "parts" ? inner ?? [] : [inner]) {
      const found = dimensionOf(one, kinds);
      if (found) return found;
    }
  }
  return 0;
}

class Core {
  #wasm;
  #kinds = [];
  #byName = new Map();
  #scenes = new WeakMap(); // by the objects that set() returns
  #disposed = new FinalizationRegistry(scene => this.#wasm.set_free(scene));

  constructor(wasm) {
    this.#wasm = wasm;
    for (let i = 0; wasm.kind(i, 0, 0) || wasm.kind(i, 0, 1); i++) {
      const kind = { index: i, names: [0, 1].map(d => this.#read(wasm.kind(i, 0, d))), members: [] };
      for (let m = 0; wasm.kind(i, m, 2); m++) {
        const [name, form, optional, replaces] = [2, 3, 4, 5].map(what => wasm.kind(i, m, what));
        const choices = [null];
        for (let c = 6; form === CHOICE && c < 8 && wasm.kind(i, m, c); c++) choices.push(this.#read(wasm.kind(i, m, c)));
        kind.members.push({ name: this.#read(name), form, optional, replaces, choices });
      }
      this.#kinds.push(kind);
      kind.names.forEach((name, d) => name && this.#byName.set(name + (d + 2), kind));
    }
  }

  #read(at) {
    if (!at) return null;
    const bytes = new Uint8Array(this.#wasm.memory.buffer);
    return utf8.decode(bytes.slice(at, bytes.indexOf(0, at)));
  }

  /** Copies a tape into the module and calls. */
  #send(tape, call) {
    const at = this.#wasm.begin(tape.numbers.length, tape.bytes.length);
    if (!at) refuse("out-of-memory", "the call is too large");
    const { buffer } = this.#wasm.memory;
    new Float64Array(buffer, at, tape.numbers.length).set(tape.numbers);
    ascii.encodeInto(tape.bytes, new Uint8Array(buffer, at + 8 * tape.numbers.length, tape.bytes.length));
    const status = call();
    if (status) refuse(CODES[status], this.#read(this.#wasm.status_text(status)));
  }

  #member(tape, value, { name, form, choices }, dimension) {
    const list = () => Array.isArray(value) || ArrayBuffer.isView(value) ? value : refuse("wrong-type", `${name} is no array`);
    tape.put(1);
    if (form === NUMBER || form === COUNT) tape.put(number(value, name));
    else if (form === VECTOR) tape.vector(value, dimension, name);
    else if (form === STEPS) tape.vector(value, 2, name);
    else if (form === FLAG) tape.put(typeof value === "boolean" ? Number(value) : refuse("wrong-type", `${name} is true or false`));
    else if (form === CHOICE) tape.put(chosen(value, choices, name));
    else if (form === PARTS) {
      tape.put(list().length);
      for (const part of value) {
        this.#shape(tape, part, dimension, [...POSE, "type", "rounding"]);
        tape.pose(part, dimension, true);
      }
    } else if (form === POINTS || form === VERTICES || form === TRIANGLES) {
      tape.put(list().length);
      for (const one of value) tape.vector(one, form === TRIANGLES ? 3 : dimension, name);
    } else if (form === RINGS || form === FLAT_RINGS) {
      const polygons = form === RINGS ? list() : [list()], rings = polygons.flat();
      const vertices = rings.flat();
      tape.put(polygons.length, rings.length, vertices.length, ...polygons.map(one => one.length), ...rings.map(one => one.length));
      for (const vertex of vertices) tape.vector(vertex, 2, name);
    } else { // heights, with holes; radii, materials
      tape.put(list().length);
      for (const x of value) tape.put(x === null ? NaN : number(x, name));
    }
  }

  #shape(tape, shape, dimension, common = COMMON) {
    if (shape === null || typeof shape !== "object") refuse("wrong-type", "a shape is an object");
    const kind = this.#byName.get(shape.type + dimension) ?? refuse("unknown-type", `${shape.type} in ${dimension}D`);
    check(shape, [...common, ...kind.members.map(member => member.name)]);
    tape.put(kind.index, number(shape.rounding ?? 0, "rounding"));
    kind.members.forEach((member, i) => {
      const value = shape[member.name], other = member.replaces ? kind.members[i - 1] : kind.members[i + 1]?.replaces ? kind.members[i + 1] : null;
      if (value != null) return this.#member(tape, value, member, dimension);
      if (!(member.optional || member.form === FLAG || member.form === CHOICE || other && (other.optional || shape[other.name] != null)))
        refuse("missing-member", `${shape.type} has ${member.name}`);
      tape.put(0);
    });
  }

  #body(tape, shape, dimension) {
    tape.text(shape.group);
    tape.put(number(shape.category ?? 1, "category"), number(shape.mask ?? ALL, "mask"));
    this.#shape(tape, shape, dimension);
    tape.pose(shape, dimension, true);
  }

  #operand(tape, operand, dimension, scene) {
    const stored = typeof operand === "string" ? { id: operand } : operand ?? refuse("missing-member", "an operand");
    if (stored.id !== undefined) {
      if (!scene?.has(stored.id)) refuse("shape-not-found", stored.id);
      check(stored, ["id", ...POSE]);
      tape.text(stored.id);
      return tape.pose(stored, dimension, false);
    }
    tape.put(NONE);
    tape.text(stored.group);
    this.#shape(tape, stored, dimension);
    tape.pose(stored, dimension, true);
  }

  /** Writes the targets: the whole set, a single shape, or the inline shapes of the query. */
  #form(query, one) { return one != null ? 1 : query.shapes != null ? 2 : 0; }
  #targets(tape, query, one, dimension, scene) {
    if (one != null) return this.#operand(tape, one, dimension, scene);
    if (query.shapes == null) return;
    const ids = Object.keys(query.shapes).sort();
    tape.put(ids.length);
    for (const name of ids) {
      tape.text(name);
      this.#body(tape, query.shapes[name], dimension);
    }
  }

  /** Writes the flag of the trace and the form of the query: whole set, one shape, a pair, or another set. */
  #pair(tape, { a, b, against, trace = false }, dimension, scene) {
    if (!scene && (a == null || b == null)) refuse("missing-member", "a and b");
    if (typeof trace !== "boolean") refuse("wrong-type", "trace is true or false");
    if (trace && b == null) refuse("unknown-member", "trace has no meaning without a single pair");
    if (against != null) {
      const other = this.#scenes.get(against) ?? refuse("wrong-type", "against is a set of this core");
      if (a != null || b != null) refuse("unknown-member", "a and b have no meaning beside against");
      if (other.dimension !== dimension) refuse("dimension-mismatch", `against has dimension ${other.dimension}`);
      return tape.put(0, 3, other.handle);
    }
    tape.put(trace ? 1 : 0, b != null ? 2 : a != null ? 1 : 0);
    if (a != null) this.#operand(tape, a, dimension, scene);
    if (b != null) this.#operand(tape, b, dimension, scene);
  }

  #detect(tape, query, dimension, scene) {
    const penetration = query.penetration ?? true;
    tape.put(penetration ? 1 : 0, penetration === "pieces" ? 1 : 0, number(query.contacts ?? 0, "contacts"),
      chosen(query.relation, ["intersects", "within"], "relation"));
    this.#pair(tape, query, dimension, scene);
  }
  #distance(tape, query, dimension, scene) {
    tape.put(query.signed ? 1 : 0, number(query.max_distance ?? Infinity, "max_distance"));
    this.#pair(tape, query, dimension, scene);
  }
  #raycast(tape, query, dimension, scene) {
    const one = query.shape ?? query.target;
    tape.put(query.solid ?? true ? 1 : 0, query.exits ? 1 : 0, chosen(query.mode, MODES, "mode"), this.#form(query, one));
    tape.vector(query.origin, dimension, "origin");
    tape.vector(query.direction, dimension, "direction");
    if (query.direction.every(x => x === 0)) refuse("zero-direction", "direction has no length");
    tape.put(number(query.max_distance ?? Infinity, "max_distance"));
    this.#targets(tape, query, one, dimension, scene);
  }
  #cast(tape, query, dimension, scene) {
    const one = query.against ?? query.target;
    tape.put(chosen(query.at_start, STARTS, "at_start"), chosen(query.mode, MODES, "mode"), this.#form(query, one));
    this.#operand(tape, query.shape, dimension, scene);
    tape.put(query.to != null ? 1 : 0);
    if (query.to != null) check(query.to, POSE), tape.pose(query.to, dimension, false);
    else tape.vector(query.translation, dimension, "translation");
    this.#targets(tape, query, one, dimension, scene);
  }
  #move(tape, query, dimension, scene) {
    this.#operand(tape, query.shape, dimension, scene);
    tape.vector(query.translation, dimension, "translation");
    tape.put(query.up != null ? 1 : 0);
    if (query.up != null) tape.vector(query.up, dimension, "up");
    tape.choices(query, ["max_slope", "step", "snap", "skin", "depenetrate"]);
    tape.put(number(query.slides ?? 8, "slides"));
  }

  #ask(op, query, names, scene) {
    check(query, ["filter", "options", "limit", ...names, ...scene ? [] : ["dimension"]]);
    const { filter = {}, options = {} } = query, tape = new Tape();
    const dimension = scene?.dimension ?? query.dimension ?? (dimensionOf(query, this.#kinds) || 2);
    if (dimension !== 2 && dimension !== 3) refuse("out-of-range", "dimension is 2 or 3");
    check(filter, FILTER);
    check(options, ["tolerance", "max_iterations"]);
    const nearest = op === "distance" && (query.against != null ? query.max_distance == null : query.a != null && query.b == null);
    tape.put(scene ? scene.handle : 0, dimension, number(options.tolerance ?? 1e-10, "tolerance"), number(options.max_iterations ?? 100, "max_iterations"),
      number(query.limit ?? (nearest ? 1 : ALL), "limit"), number(filter.category ?? ALL, "category"), number(filter.mask ?? ALL, "mask"));
    tape.texts(filter.ignore);
    tape.texts(filter.ignore_groups);
    tape.put(filter.only_groups != null ? 1 : 0);
    tape.texts(filter.only_groups);
    ({ detect: () => this.#detect(tape, query, dimension, scene), distance: () => this.#distance(tape, query, dimension, scene),
      raycast: () => this.#raycast(tape, query, dimension, scene), cast: () => this.#cast(tape, query, dimension, scene),
      move: () => this.#move(tape, query, dimension, scene) })[op]();
    this.#send(tape, () => this.#wasm.ask(OPS[op]));
    const bytes = new Uint8Array(this.#wasm.memory.buffer, this.#wasm.text(), this.#wasm.length());
    return JSON.parse(utf8.decode(bytes));
  }

  /** Queries about inline shapes. */
  detect(query) { return this.#ask("detect", query, ["a", "b", "penetration", "contacts", "trace"]); }
  distance(query) { return this.#ask("distance", query, ["a", "b", "signed", "trace"]); }
  raycast(query) {
    if ((query.shape == null) === (query.shapes == null)) refuse("missing-member", "shape, or shapes");
    return this.#ask("raycast", query, ["origin", "direction", "max_distance", "mode", "solid", "exits", "shape", "shapes"]);
  }
  cast(query) {
    if ((query.against == null) === (query.shapes == null)) refuse("missing-member", "against, or shapes");
    return this.#ask("cast", query, ["shape", "translation", "to", "mode", "at_start", "against", "shapes"]);
  }

  /** Makes a set, in the form of PUT /v1/sets/{set}. */
  set({ dimension, shapes = {} }) {
    if (dimension !== 2 && dimension !== 3) refuse("out-of-range", "dimension is 2 or 3");
    const handle = this.#wasm.set_new(dimension), ids = new Set();
    const scene = { dimension, handle, has: one => ids.has(one) };
    const patch = patched => {
      const tape = new Tape(), names = Object.keys(patched).sort();
      tape.put(names.length);
      for (const name of names) {
        const shape = patched[name];
        tape.text(name);
        tape.put(shape === null ? 0 : shape.type !== undefined ? 1 : 2);
        if (shape === null) continue;
        if (shape.type !== undefined) {
          this.#body(tape, shape, dimension);
          continue;
        }
        if (!ids.has(name)) refuse("missing-member", `${name} is new and has no type`);
        check(shape, POSE);
        tape.pose(shape, dimension, false);
      }
      this.#send(tape, () => this.#wasm.patch(handle));
      for (const name of names) patched[name] === null ? ids.delete(name) : ids.add(name);
    };
    const questions = {
      detect: ["a", "b", "penetration", "contacts", "relation", "trace", "against"], distance: ["a", "b", "signed", "max_distance", "trace", "against"],
      raycast: ["origin", "direction", "max_distance", "mode", "solid", "exits", "shape", "target"],
      cast: ["shape", "translation", "to", "mode", "at_start", "target"],
      move: ["shape", "translation", "up", "max_slope", "step", "snap", "skin", "depenetrate", "slides"],
    };
    const made = { dimension, patch };
    for (const op in questions) made[op] = (query = {}) => this.#ask(op, query, questions[op], scene);
    this.#disposed.register(scene, handle); // all functions of the set hold `scene`
    this.#scenes.set(made, scene);
    patch(shapes);
    return made;
  }
}

async function bytesOf(source) {
  if (source instanceof URL && source.protocol === "file:") return (await import("node:fs/promises")).readFile(source);
  return source instanceof URL ? (await fetch(source)).arrayBuffer() : source;
}

/** Loads the core. `source`: a URL, bytes or a module; by default core.wasm beside this file. */
export async function load(source = new URL("core.wasm", import.meta.url)) {
  let exports;
  const number = (x, at) => {
    const text = Object.is(x, -0) ? "-0" : String(x);
    return ascii.encodeInto(text, new Uint8Array(exports.memory.buffer, at, 32)).written;
  };
  const made = await WebAssembly.instantiate(await bytesOf(source), { env: { number } });
  exports = (made.instance ?? made).exports;
  exports._initialize();
  return new Core(exports);
}
