// Two shapes: what the page says is what the API says.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, afterEach, test } from "node:test";
import { browser, centre, complaints, open, says, shape, six, start, state, status } from "./browser.mjs";

const daemon = await start();
after(async () => { daemon.stop(); await browser.close(); });
afterEach(() => assert.deepEqual(complaints(), []));

/** What the API says of the shapes in the address. */
async function truth(page) {
  const { a, b } = await state(page), body = { a: JSON.parse(a), b: JSON.parse(b) };
  const apart = await daemon.ask("POST", "/v1/distance", body);
  if (apart.state === "separated") return `separated, distance ${six(apart.distance)}`;
  const { state: word, depth } = await daemon.ask("POST", "/v1/detect", body);
  return `${word}, depth ${six(depth)}`;
}

for (const dimension of ["2D", "3D"]) {
  test(`dragged until they overlap in ${dimension}`, async () => {
    const page = await open(daemon.url);
    await page.getByRole("radio", { name: dimension }).check();
    await says(page, /^separated, distance /);
    assert.equal(await status(page), await truth(page));
    const [x, y] = await centre(shape(page, "b")), [goal] = await centre(shape(page, "a"));
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (let n = 1; n <= 10; n++) await page.mouse.move(x + ((goal - x) * n) / 14, y);
    await page.mouse.up();
    assert.match(await says(page, /^overlapping, depth \d/), /^overlapping, depth [\d.e-]+$/);
    assert.equal(await status(page), await truth(page));
    await page.context().close();
  });

  test(`every kind has an answer in ${dimension}`, async () => {
    const page = await open(daemon.url);
    await page.getByRole("radio", { name: dimension }).check();
    const kinds = await page.getByLabel("Shape A").locator("option").evaluateAll((options) => options.map((option) => option.value));
    assert(kinds.length >= 12);
    for (const kind of kinds) {
      await page.getByLabel("Shape A").selectOption(kind);
      await page.getByLabel("Shape B").selectOption(kinds[(kinds.indexOf(kind) + 3) % kinds.length]);
      const expected = await truth(page);
      await says(page, new RegExp(`^${expected.replaceAll(".", "\\.")}$`));
    }
    await page.context().close();
  });

  test(`keys move and turn in ${dimension}`, async () => {
    const page = await open(daemon.url);
    await page.getByRole("radio", { name: dimension }).check();
    await says(page, /^separated/);
    const before = await state(page);
    await shape(page, "a").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowUp");
    const moved = JSON.parse((await state(page)).a).position, old = JSON.parse(before.a).position;
    assert(moved.filter((value, i) => value !== old[i]).length === 2, `${old} to ${moved}`);
    await page.keyboard.press("q");
    const turned = await state(page), pose = (text) => JSON.stringify(JSON.parse(text)[dimension === "2D" ? "angle" : "orientation"]);
    assert.notEqual(pose(turned.a), pose(before.a));
    await page.keyboard.press("e");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "b");
    assert.equal(turned.b, before.b);
    await page.context().close();
  });
}

test("answers of the core in this page are the daemon's, bit by bit", async (t) => {
  if (!(await fetch(`${daemon.url}/playground/core.wasm`)).ok) { t.skip("the build has no compiler for WebAssembly"); return; }
  const page = await open(daemon.url), compared = (wanted) => page.getByText(wanted).waitFor();
  for (const [dimension, kind] of [["2D", "ellipse"], ["2D", "region"], ["3D", "cone"], ["3D", "mesh"]]) {
    await page.getByRole("radio", { name: dimension }).check();
    await page.getByLabel("Shape A").selectOption(kind);
    await shape(page, "a").focus();
    for (let n = 0; n < 5; n++) await page.keyboard.press("ArrowRight");
    assert.equal(await status(page), await truth(page));
    await compared(/^Answered in this page by WebAssembly in .* ms\. The server's answer is the same, bit by bit/);
  }
  await page.evaluate(() => { // the daemon answers about another place
    const send = WebSocket.prototype.send;
    WebSocket.prototype.send = function (text) { send.call(this, text.replace(/"position":\[[^,]*/, '"position":[9')); };
  });
  await page.keyboard.press("ArrowUp");
  await compared(/The server's answer differs: .*distance/);
  await page.context().close();
});

test("the worked example of the literature", async () => {
  const page = await open(daemon.url);
  await page.getByRole("tab", { name: "Gallery" }).click();
  const first = page.getByRole("tabpanel").getByRole("link").first();
  assert.equal(await first.textContent(), "Worked example");
  await first.click();
  await says(page, /^overlapping, depth 0\.937043$/);
  const slider = page.getByRole("slider", { name: "Step" }), sums = [[4, 11], [4, 5], [9, 9]].flatMap(([x, y]) => [[5, 7], [12, 7], [10, 2], [7, 3]].map(([u, v]) => `(${x - u}, ${y - v})`));
  assert.equal(await slider.inputValue(), "1");
  const seen = [];
  const count = Number(await slider.getAttribute("max"));
  for (let n = 1; n <= count; n++) {
    const simplex = await page.locator("#pair-step dt", { hasText: "Simplex" }).locator("+ dd").textContent(), corners = simplex.match(/\([^)]*\)/g);
    assert(corners.every((corner) => sums.includes(corner)), `${simplex} is made of differences of corners`);
    seen.push(corners.length);
    assert.match(await page.getByRole("img", { name: /Minkowski difference/ }).getAttribute("aria-label"), new RegExp(`${n} of ${count}`));
    await slider.press("ArrowRight");
  }
  assert.deepEqual(seen, [1, 2, 3, 2, 2], "a corner, an edge, a triangle around the origin; then the nearest edges of EPA");
  const last = await page.locator("#pair-step dd").allTextContents();
  assert(last.includes("(-1, -2) (4, 2)") && last.includes("-0.937043 to -0.937043"), last.join("; "));
  await page.context().close();
});

test("EPA grows in space", async () => {
  const page = await open(daemon.url, "#view=gallery");
  await page.getByRole("link", { name: "EPA in space" }).click();
  await says(page, /^overlapping/);
  const colours = await page.locator("#pair-difference canvas").evaluate(async (canvas) => {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height), found = new Set();
    for (let i = 0; i < data.length; i += 4) found.add(`${data[i] >> 3} ${data[i + 1] >> 3} ${data[i + 2] >> 3}`);
    return found.size;
  });
  assert(colours > 60, `a shaded picture, not ${colours} colours`);
  const phases = await page.locator("#pair-steps tbody td:nth-child(2)").allTextContents();
  assert(phases.filter((phase) => phase === "epa").length >= 3);
  await page.context().close();
});

test("a shared link reopens the same state", async () => {
  const page = await open(daemon.url);
  await page.getByRole("radio", { name: "3D" }).check();
  await page.getByLabel("Shape A").selectOption("cone");
  await page.getByLabel("Shape B").selectOption("mesh");
  await shape(page, "a").focus();
  for (let n = 0; n < 5; n++) await page.keyboard.press("ArrowRight");
  await page.getByRole("slider", { name: "Step" }).press("Home");
  await page.locator("#pair-shapes").hover({ position: { x: 15, y: 15 } });
  await page.mouse.down();
  await page.mouse.move(400, 500, { steps: 4 });
  await page.mouse.up();
  const shared = await state(page), other = await open(daemon.url, new URL(page.url()).hash);
  await says(other, /^(separated|overlapping|touching)/);
  assert.equal(await status(other), await status(page));
  assert.deepEqual(await state(other), shared);
  assert.equal(await other.getByLabel("Shape B").inputValue(), "mesh");
  assert.equal(await other.getByRole("slider", { name: "Step" }).inputValue(), "1");
  assert(await other.getByRole("radio", { name: "3D" }).isChecked());
  await page.context().close();
  await other.context().close();
});

test("a damaged link opens something all the same", async () => {
  for (const fragment of ["#view=two&a={", "#view=nowhere&dimension=7", "#view=two&a={\"type\":\"constructor\"}&step=-4&camera=[0,0]", "#%", `#view=two&a=${encodeURIComponent('{"type":"polygon","vertices":7}')}`]) {
    const page = await open(daemon.url, fragment);
    await says(page, /^(separated|wrong|refused)/);
    await page.context().close();
  }
});

test("questions to copy", async () => {
  const page = await open(daemon.url);
  const told = await says(page, /^separated/), code = page.getByRole("region", { name: "The question as code" });
  await page.getByRole("button", { name: "Copy as curl" }).click();
  const curl = spawnSync("bash", ["-c", await code.textContent()]);
  assert.equal(`separated, distance ${six(JSON.parse(curl.stdout).distance)}`, told);
  await page.getByRole("button", { name: "Copy as TypeScript" }).click();
  assert.match(await code.textContent(), /new Client\("http:.*await k\.distance\(\{\n/s);
  await page.getByRole("button", { name: "Copy as Python" }).click();
  const python = await code.textContent();
  assert.match(python, /gjkd\.Client\("http:.*k\.distance\(/s);
  assert.equal(spawnSync("python3", ["-c", "import ast, sys; ast.parse(sys.stdin.read())"], { input: python }).status, 0);
  await page.context().close();
});
