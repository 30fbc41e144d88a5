// A set: live in every browser that has it open, and asked by each tool.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, test } from "node:test";
import { browser, centre, complaints, open, says, shape, six, start, state, status, until } from "./browser.mjs";

const daemon = await start("--demo");
after(async () => { daemon.stop(); await browser.close(); });
afterEach(() => assert.deepEqual(complaints(), []));

const get = (id, set) => daemon.ask("GET", `/v1/sets/${set}/shapes/${id}`);
const plan = () => daemon.ask("PUT", "/v1/sets/plan", { dimension: 2, shapes: {
  chair: { type: "circle", radius: 0.5, position: [-5, 0], group: "a" },
  table: { type: "box", half_extents: [1, 1], position: [3, 0], group: "b" },
  rug: { type: "polygon", vertices: [[-1, -1], [1, -1], [0, 1]], position: [0, -4] } } });

test("two browsers see each other's edits", async () => {
  await plan();
  const pages = [await open(daemon.url, "#view=set&set=plan&shape=chair"), await open(daemon.url, "#view=set&set=plan&shape=table")];
  for (const page of pages) await says(page, /^separated, distance /);
  const [x, y] = await centre(shape(pages[0], "chair")), [goal] = await centre(shape(pages[0], "table"));
  await pages[0].mouse.move(x, y);
  await pages[0].mouse.down();
  await pages[0].mouse.move(goal - 20, y, { steps: 12 });
  await pages[0].mouse.up();
  await until(async () => { // both tell of the last place, not of one on the way there
    const { depth } = await daemon.ask("POST", "/v1/sets/plan/detect", { a: "chair", b: "table" });
    const told = [await status(pages[0]), await status(pages[1])];
    return told[0] === `overlapping, depth ${six(depth)} with table` && told[1] === `overlapping, depth ${six(depth)} with chair`;
  }, "the depth that the daemon tells, in both browsers");
  await pages[0].getByRole("button", { name: "Undo" }).click();
  for (const page of pages) await says(page, /^separated/);
  assert.deepEqual((await get("chair", "plan")).position, [-5, 0]);
  await pages[1].getByRole("button", { name: "Add" }).click();
  await until(() => shape(pages[0], "circle-1").isVisible(), "the new circle in the other browser");
  await shape(pages[0], "rug").focus();
  await pages[0].keyboard.press("Delete");
  await until(async () => await shape(pages[1], "rug").count() === 0, "the rug gone in the other browser");
  await pages[0].getByRole("button", { name: "Undo" }).click();
  await until(() => shape(pages[1], "rug").isVisible(), "the rug back");
  for (const page of pages) await page.context().close();
});

test("shapes are in the order of ids", async () => {
  const page = await open(daemon.url, "#view=set&set=range3d");
  await says(page, /^(touching|separated|overlapping)/);
  const names = await page.locator("#set-picture .shapes button").evaluateAll((buttons) => buttons.map((button) => button.getAttribute("aria-label")));
  const ids = Object.keys((await daemon.ask("GET", "/v1/sets/range3d")).shapes);
  assert.deepEqual(names, ids.sort());
  await shape(page, names[0]).focus();
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), names[1]);
  await page.context().close();
});

test("keys move and turn a stored shape", async () => {
  await plan();
  const page = await open(daemon.url, "#view=set&set=plan&shape=table");
  await says(page, /^separated/);
  await shape(page, "table").focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("q");
  await until(async () => { const { position, angle } = await get("table", "plan"); return position[0] < 3 && position[1] === 0 && angle > 0; }, "the table is stored elsewhere");
  await page.context().close();
});

test("rays, sweeps, nearest, filters", async () => {
  await plan();
  const page = await open(daemon.url, "#view=set&set=plan&tool=ray&from=-8,0&to=8,0");
  await says(page, /^hit, distance 2\.5 to chair$/);
  await page.getByLabel("Ignored groups").fill("a");
  await says(page, /^hit, distance 10 to table$/);
  await page.getByLabel("Ignored groups").fill("");
  await page.getByRole("radio", { name: "Nearest" }).check();
  await says(page, /^separated, distance 5\.33095 to rug$/);
  await page.getByRole("radio", { name: "Sweep" }).check();
  await page.getByRole("textbox", { name: "From" }).fill("-5, 0");
  await page.getByRole("textbox", { name: "To", exact: true }).fill("5, 0");
  await page.getByRole("button", { name: "Ask" }).click();
  await says(page, /^hit, distance 6\.5 to table$/);
  const other = await open(daemon.url, new URL((await state(page), page.url())).hash);
  await says(other, /^hit, distance 6\.5 to table$/);
  assert.deepEqual(await state(other), await state(page));
  for (const one of [page, other]) await one.context().close();
});

test("walking up the stairs", async () => {
  const page = await open(daemon.url, "#view=gallery");
  await page.getByRole("link", { name: "A player on stairs" }).click();
  await says(page, /^separated/);
  await shape(page, "player").focus();
  for (let n = 0; n < 14; n++) {
    const before = (await get("player", "gallery-stairs")).position;
    await page.keyboard.press("ArrowUp");
    await until(async () => { const { position } = await get("player", "gallery-stairs"); return position.some((value, i) => value !== before[i]); }, `step ${n}`);
    await says(page, /^grounded, moved/);
  }
  const { position } = await get("player", "gallery-stairs");
  assert(position[2] > 1.5 && position[1] > 3, `on the landing, not at ${position}`);
  await page.context().close();
});

test("a duel, rewound", async () => {
  const page = await open(daemon.url, "#view=gallery");
  await page.getByRole("link", { name: "A rewound duel" }).click();
  await says(page, /^confirmed, distance [\d.]+ to blue\/torso$/);
  const slider = page.getByRole("slider", { name: "Tick" });
  assert.equal(await slider.inputValue(), "24.5");
  await slider.fill("50");
  await says(page, /^denied, miss/);
  await slider.fill("24.5");
  await says(page, /^confirmed/);
  await page.getByLabel("Rewind at most").fill("3");
  await page.getByRole("button", { name: "Judge" }).click();
  await says(page, /^unverifiable, rewind-limit/);
  await page.getByRole("button", { name: "Live" }).click();
  await says(page, /^denied, miss/);
  await page.context().close();
});

test("3D is drawn, and orbits", async () => {
  const page = await open(daemon.url, "#view=set&set=range3d");
  await says(page, /^(touching|separated|overlapping)/);
  const picture = () => page.locator("#set-picture canvas").evaluate((canvas) => canvas.toDataURL());
  await page.waitForTimeout(500);
  const before = await picture();
  await page.mouse.move(200, 260);
  await page.mouse.down();
  await page.mouse.move(320, 300, { steps: 5 });
  await page.mouse.up();
  await page.waitForTimeout(500);
  assert.notEqual(await picture(), before);
  await page.context().close();
});

test("unknown, deleted, forbidden", async () => {
  const page = await open(daemon.url, "#view=set&set=nowhere");
  await says(page, /^unknown: there is no set "nowhere"/);
  await plan();
  await page.getByLabel("Set", { exact: true }).evaluate((select) => select.add(new Option("plan")));
  await page.getByLabel("Set", { exact: true }).selectOption("plan");
  await says(page, /^separated/);
  await daemon.ask("DELETE", "/v1/sets/plan");
  await says(page, /^deleted: /);
  await page.context().close();

  const folder = mkdtempSync(join(tmpdir(), "gjkd-")), hash = (token) => createHash("sha256").update(token).digest("hex");
  writeFileSync(join(folder, "tokens"), `ada ${hash("secret")} write arena\nbob ${hash("only-reads")} read\n`, { mode: 0o600 });
  const closed = await start("--demo", "--token-file", join(folder, "tokens")), guest = await open(closed.url, "#view=set&set=range3d");
  await says(guest, /^unauthenticated/);
  const token = guest.getByLabel("Token");
  await token.fill("secret");
  await token.press("Enter");
  await says(guest, /^forbidden/);
  await guest.getByLabel("Set", { exact: true }).selectOption("arena2d");
  await says(guest, /^(overlapping|touching|separated)/);
  await token.fill("wrong");
  await token.press("Enter");
  await says(guest, /^unauthenticated/);
  await token.fill("only-reads");
  await token.press("Enter");
  await says(guest, /^(overlapping|touching|separated)/);
  await shape(guest, "rock-1").focus();
  await guest.keyboard.press("ArrowUp");
  await says(guest, /^forbidden/);
  await guest.context().close();
  closed.stop();
});

test("hostile strings stay text", async () => {
  const evil = `<img src=x onerror="alert(1)"><script>alert(2)</script>`;
  await daemon.ask("PUT", "/v1/sets/evil", { dimension: 2, meta: { evil }, shapes: { "a:b@c/d~e": { type: "point", position: [0, 0], meta: { [evil]: evil } }, z: { type: "circle", radius: 1, position: [3, 0] } } });
  const page = await open(daemon.url, "#view=set&set=evil");
  await says(page, /^separated, distance 2 to z$/);
  assert((await page.locator("#set-shape").textContent()).includes("<img src=x"));
  assert.equal(await page.locator("img, main script").count(), 0);
  await page.getByLabel("Ignored groups").fill(evil);
  await page.waitForTimeout(300);
  const other = await open(daemon.url, `#view=set&set=${encodeURIComponent(evil)}&shape=${encodeURIComponent(evil)}`);
  await says(other, /^(unknown|refused)/);
  for (const one of [page, other]) await one.context().close();
});
