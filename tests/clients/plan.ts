// Two browsers have the plan of one set open: what is dragged in one moves in the other, and both mark
// what overlaps. Chromium is driven by its own protocol; where there is none, this says so.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { WebSocket } from "ws";

const url = process.argv[2];
assert(url, "the daemon's address is missing");
if (spawnSync("chromium", ["--version"]).status !== 0) {
  console.log("skipped: there is no chromium");
  process.exit();
}

const folder = mkdtempSync(join(tmpdir(), "gjkd-plan-"));
const browser = spawn("chromium", ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
  "--remote-debugging-port=0", `--user-data-dir=${folder}`, "about:blank"], { stdio: ["ignore", "ignore", "pipe"] });
process.on("exit", () => { browser.kill("SIGKILL"); });

async function devtools(): Promise<WebSocket> {
  for await (const line of createInterface(browser.stderr)) {
    const found = /DevTools listening on (ws:\S+)/.exec(line);
    if (!found) continue;
    const socket = new WebSocket(found[1]!, { perMessageDeflate: false });
    await new Promise(resolve => socket.on("open", resolve));
    return socket;
  }
  throw new Error("chromium does not start");
}
const socket = await devtools();
const waiting = new Map<number, (result: any) => void>();
socket.on("message", data => {
  const told = JSON.parse(data.toString());
  if (told.id) waiting.get(told.id)?.(told.result ?? told);
});
let asked = 0;
function ask(method: string, params: object = {}, sessionId?: string): Promise<any> {
  const id = ++asked;
  socket.send(JSON.stringify({ id, method, params, sessionId }));
  return new Promise(resolve => waiting.set(id, resolve));
}

async function openPage(): Promise<(expression: string) => Promise<any>> {
  const { targetId } = await ask("Target.createTarget", { url: `${url}/playground/plan.html#plan` });
  const { sessionId } = await ask("Target.attachToTarget", { targetId, flatten: true });
  return async expression =>
    (await ask("Runtime.evaluate", { expression, returnByValue: true }, sessionId)).result.value;
}
async function until(page: (expression: string) => Promise<any>, expression: string): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!await page(expression)) {
    assert(Date.now() < deadline, `never: ${expression}`);
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}

async function send(method: string, path: string, body: object): Promise<void> {
  const reply = await fetch(url + path, { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  assert(reply.ok, `${reply.status}`);
}
await send("PUT", "/v1/sets/plan", { dimension: 2, shapes: {
  chair: { type: "circle", radius: 0.5, position: [-5, 0] },
  table: { type: "box", half_extents: [1, 1], position: [3, 0] },
  rug: { type: "polygon", vertices: [[-1, -1], [1, -1], [0, 1]], position: [0, -6] },
} });

const pages = [await openPage(), await openPage()];
for (const page of pages) {
  await until(page, `typeof plan === "object" && plan.children.length === 3 && plan.querySelectorAll(".hit").length === 0`);
}
// Dragged in the first, by the events that a hand would cause.
await pages[0]!(`{
  const point = (x, y) => { const p = new DOMPoint(x, y).matrixTransform(plan.getScreenCTM()); return { clientX: p.x, clientY: p.y, bubbles: true }; };
  document.getElementById("chair").dispatchEvent(new PointerEvent("pointerdown", point(-5, 0)));
  for (let x = -4; x <= 2; x++) window.dispatchEvent(new PointerEvent("pointermove", point(x, 0)));
  window.dispatchEvent(new PointerEvent("pointerup", point(2, 0)));
}`);
for (const page of pages) {
  await until(page, `[...plan.querySelectorAll(".hit")].map(e => e.id).sort().join() === "chair,table"`);
  await until(page, `Math.abs(parseFloat(document.getElementById("chair").getAttribute("transform").slice(10)) - 2) < 0.01`);
}
// Changed by somebody else: both see it, and what is gone.
await send("PATCH", "/v1/sets/plan", { shapes: { table: { position: [8, 0] }, rug: null, lamp: { type: "circle", radius: 1 } } });
for (const page of pages) {
  await until(page, `plan.children.length === 3 && plan.querySelectorAll(".hit").length === 0 && !document.getElementById("rug")`);
}
browser.kill("SIGKILL");
await new Promise(resolve => browser.on("exit", resolve));
rmSync(folder, { recursive: true, force: true });
console.log("two browsers saw the same plan");
process.exit();
