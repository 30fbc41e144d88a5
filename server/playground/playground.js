// The page: tabs, the status, the token, and the state in the address.
import * as address from "./address.js";
import { onTokenNeeded, setToken } from "./daemon.js";
import { openGallery } from "./gallery.js";
import { PairView } from "./pair.js";
import { SetView } from "./set.js";

const $ = (id) => document.getElementById(id);
const VIEWS = ["two", "set", "gallery"];

let current = "two", told = "";
const page = {
  /** Says what is so, once. @param {string} text */
  say(text) {
    if (text === told) return;
    told = text;
    $("status").textContent = text;
  },
  /** Puts the state of the view that is shown into the address. */
  save() {
    if (current === "gallery") address.write({ view: "gallery" });
    else address.write({ view: current, ...views[current].state() });
  },
};
const views = { two: new PairView(page), set: new SetView(page), gallery: { open: () => { openGallery($("pieces")); page.say("Gallery: choose a piece."); }, close: () => {} } };

/** @param {string} view @param {Record<string, string>} [state] the address's, or undefined: go on as it was left */
function show(view, state) {
  if (view !== current) views[current].close();
  current = view;
  for (const name of VIEWS) {
    const isShown = name === view;
    $(name).hidden = !isShown;
    $(`tab-${name}`).setAttribute("aria-selected", String(isShown));
    $(`tab-${name}`).tabIndex = isShown ? 0 : -1;
  }
  views[view].open(state);
  page.save();
}

for (const [i, name] of VIEWS.entries()) {
  $(`tab-${name}`).addEventListener("click", () => show(name));
  $(`tab-${name}`).addEventListener("keydown", (event) => {
    const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!way) return;
    const next = VIEWS[(i + way + VIEWS.length) % VIEWS.length];
    show(next);
    $(`tab-${next}`).focus();
  });
}

onTokenNeeded(() => { $("token-label").hidden = false; });
$("token").addEventListener("change", () => {
  setToken(/** @type {HTMLInputElement} */ ($("token")).value.trim());
  show(current, current === "gallery" ? undefined : JSON.parse(JSON.stringify(views[current].state())));
});

function restore() {
  const state = address.read();
  show(VIEWS.includes(state.view) ? state.view : "two", state);
}
address.onChange(restore);
restore();
