// Counts the frames a second that a person sees who drags a shape in a set of 2,000 with live queries, and who turns a
// mesh of 100,000 triangles. Figures of a machine that does nothing else; Chromium draws without a graphics card there.
//   tests/playground/run.sh GJKD --test-name-pattern=NONE; GJKD_BINARY=GJKD node build/playground/frames.mjs [SECONDS]
import { browser, centre, open, says, shape, start } from "./browser.mjs";

const SECONDS = Number(process.argv[2] || 10);
const daemon = await start();
const shapes = {};
for (let i = 0; i < 2000; i++) {
  const position = [2 * (i % 50), 2 * Math.floor(i / 50)];
  shapes[`s${i}`] = i % 2 ? { type: "circle", radius: 0.4, position } : { type: "box", half_extents: [0.4, 0.4], position };
}
await daemon.ask("PUT", "/v1/sets/many", { dimension: 2, shapes });
const side = 224, vertices = [], triangles = [];
for (let y = 0; y <= side; y++) for (let x = 0; x <= side; x++) vertices.push([x, y, 6 * Math.sin(x / 9) * Math.cos(y / 11)]);
for (let y = 0; y < side; y++) for (let x = 0; x < side; x++) {
  const i = y * (side + 1) + x;
  triangles.push([i, i + 1, i + side + 2], [i, i + side + 2, i + side + 1]);
}
await daemon.ask("PUT", "/v1/sets/hills", { dimension: 3, shapes: { hills: { type: "mesh", vertices, triangles } } });

/** Moves the pressed mouse in circles about a place, and counts the frames meanwhile. */
async function count(page, [x, y], radius) {
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.evaluate(() => { window.frames_ = 0; const next = () => { window.frames_++; requestAnimationFrame(next); }; requestAnimationFrame(next); });
  const begin = Date.now(), first = await page.evaluate(() => window.frames_);
  for (let n = 0; Date.now() < begin + 1000 * SECONDS; n++) {
    await page.mouse.move(x + radius * Math.sin(n / 9), y + radius * (1 - Math.cos(n / 9)));
    await page.waitForTimeout(8);
  }
  const frames = await page.evaluate(() => window.frames_) - first, seconds = (Date.now() - begin) / 1000;
  await page.mouse.up();
  return (frames / seconds).toFixed(1);
}

let page = await open(daemon.url, "#view=set&set=many&shape=s1025");
await says(page, /^separated/);
console.log(`drag in 2,000 shapes: ${await count(page, await centre(shape(page, "s1025")), 60)} frames a second`);
await page.context().close();
page = await open(daemon.url, "#view=set&set=hills");
await says(page, /./);
await page.waitForTimeout(3000);
const box = await page.locator("#set-picture").boundingBox();
console.log(`orbit of 100,352 triangles: ${await count(page, [box.x + 12, box.y + 12], 120)} frames a second`);
daemon.stop();
await browser.close();
