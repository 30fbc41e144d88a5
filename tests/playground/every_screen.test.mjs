// Each view on phones, tablets and desks, light and dark: nothing too wide, nothing that a screen
// reader or a keyboard cannot reach.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { browser, complaints, open, says, start, violations } from "./browser.mjs";

const daemon = await start("--demo");
after(async () => { daemon.stop(); await browser.close(); });
const VIEWS = { "Two shapes": "#view=two", "A set": "#view=set&set=arena2d", "A set in space": "#view=set&set=range3d&tool=hit", Gallery: "#view=gallery" };

for (const width of [375, 768, 1440]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`${width} pixels, ${colorScheme}`, async () => {
      for (const [name, fragment] of Object.entries(VIEWS)) {
        const page = await open(daemon.url, fragment, { width, height: width < 700 ? 740 : 900, colorScheme });
        await says(page, /^(separated|overlapping|touching|Gallery|nothing)/);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert(wide <= 0, `${name} is ${wide} pixels too wide`);
        for (const drawing of await page.getByRole("img").all()) assert((await drawing.getAttribute("aria-label")).length > 10);
        assert.deepEqual(await violations(page), [], name);
        await page.context().close();
      }
      assert.deepEqual(complaints(), []);
    });
  }
}

test("tabs by keys", async () => {
  const page = await open(daemon.url);
  await page.getByRole("tab", { name: "Two shapes" }).focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.getByRole("tab", { selected: true }).textContent(), "A set");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.getByRole("tab", { selected: true }).textContent(), "Gallery");
  assert((await page.getByRole("tabpanel").getByRole("link").count()) >= 9);
  await page.context().close();
});
