// The page's state in the fragment of its address: NAME=VALUE&…, values as JSON or plain words.

let written = "", timer = 0, last = 0;
const REST_MS = 250; // browsers refuse to write an address too often

/** @returns {Record<string, string>} */
export const read = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));

/** @param {Record<string, string | undefined | null>} state */
export function write(state) {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(state)) if (value !== undefined && value !== null && value !== "") words.set(name, value);
  written = `#${words}`;
  clearTimeout(timer);
  const put = () => { last = performance.now(); if (location.hash !== written) history.replaceState(null, "", written); };
  timer = setTimeout(put, Math.max(20, last + REST_MS - performance.now()));
}

/** @param {() => void} changed is called when somebody else changed the address */
export function onChange(changed) {
  addEventListener("hashchange", () => { if (location.hash !== written) { clearTimeout(timer); changed(); } });
}

/** @param {string | undefined} text @returns {any} undefined where it is no JSON */
export function parse(text) {
  try { return text === undefined ? undefined : JSON.parse(text); } catch { return undefined; }
}

/** Six significant digits, as the status tells numbers. @param {number} value */
export const six = (value) => String(Number(value.toPrecision(6)));
/** @param {any} value numbers and vectors */
export const show = (value) => (value === null || value === undefined ? "none" : Array.isArray(value) ? `(${value.map(show).join(", ")})` : typeof value === "number" ? six(value) : String(value));
/** Rounded for addresses and forms. @param {number} value */
export const round = (value) => Math.round(value * 1e6) / 1e6;

/** Rows of a description list. @param {Element} list @param {[string, any][]} rows */
export function fillList(list, rows) {
  list.replaceChildren(...rows.flatMap(([name, value]) => {
    const term = document.createElement("dt"), text = document.createElement("dd");
    term.textContent = name;
    text.textContent = show(value);
    return [term, text];
  }));
}
