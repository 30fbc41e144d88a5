// Answers about two shapes from the core in this page, at once, where the daemon has one to give; and
// whether the daemon's own answers have the same bits.
import { load } from "./core.js";

/** @type {any} null: not loaded, or there is none */
let core = null;

/** Loads the core, which a page can do without. @returns {Promise<boolean>} is there one? */
export async function loadCore() {
  core ??= load && await load();
  return core !== null;
}

/** Asks for the distance, or where the shapes touch or overlap for the depth, as the page asks the daemon.
 * @param {any} body @returns {any} null where there is no core, or where it refuses: the daemon tells why */
export function answerHere(body) {
  if (!core) return null;
  try {
    const apart = core.distance(body);
    return apart.state === "separated" ? apart : core.detect(body);
  } catch (problem) {
    if (problem.name !== "Refused") core = null; // it has no memory left
    return null;
  }
}

/** @param {any} a @param {any} b @returns {boolean} are all numbers in them the same, to the bit? */
function isSame(a, b) {
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return Object.is(a, b);
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => isSame(a[name], b[name]));
}

/** Names of the members in which two answers differ. @param {any} mine @param {any} other @returns {string[]} */
export function differences(mine, other) {
  return [...new Set([...Object.keys(mine), ...Object.keys(other)])].filter((name) => !isSame(mine[name], other[name]));
}
