// Each page of /docs/ on phones, tablets and desks, light and dark: nothing too wide, nothing that a
// screen reader or a keyboard cannot reach, and a way from each page to all others.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { browser, complaints, open, start, violations } from "./browser.mjs";

const daemon = await start("--demo");
after(async () => { daemon.stop(); await browser.close(); });

const index = await open(daemon.url, "docs/");
const links = index.getByRole("navigation", { name: "Documents" }).getByRole("link");
const PAGES = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href").slice(1)));
await index.context().close();
assert(PAGES.length > 10);
const JUDGED = ["docs/hits", "docs/operations"]; // all that pages are made of; axe takes seconds for each

for (const width of [375, 768, 1440]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`${width} pixels, ${colorScheme}`, async () => {
      const page = await open(daemon.url, "docs/", { width, colorScheme });
      for (const name of PAGES) {
        await page.goto(`${daemon.url}/${name}`);
        assert.equal(await page.getByRole("heading", { level: 1 }).count(), 1, name);
        const { wide, lines } = await page.evaluate(() => ({
          wide: document.documentElement.scrollWidth - innerWidth,
          lines: Math.max(...[...document.querySelectorAll("main > p")].map((line) => line.clientWidth / parseFloat(getComputedStyle(line).fontSize))),
        }));
        assert(wide <= 0, `${name} is ${wide} pixels too wide`);
        assert(lines <= 50, `${name} has lines of ${lines} em`);
        if (!JUDGED.includes(name)) continue;
        assert.deepEqual(await violations(page), [], name);
      }
      await page.context().close();
      assert.deepEqual(complaints(), []);
    });
  }
}

test("the navigation is beside the text, or below it", async () => {
  for (const [width, beside] of [[375, false], [1440, true]]) {
    const page = await open(daemon.url, "docs/hits", { width });
    const [text, pages] = [await page.getByRole("main").boundingBox(), await page.getByRole("navigation").boundingBox()];
    assert.equal(pages.x + pages.width <= text.x, beside);
    assert.equal(pages.y >= text.y + text.height, !beside);
    await page.context().close();
  }
});
