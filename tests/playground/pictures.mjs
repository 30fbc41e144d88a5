// Takes the pictures of the documents, from the playground of a daemon:
//   tests/playground/run.sh GJKD --test-name-pattern=NONE; node build/playground/pictures.mjs server/docs
//   /usr/bin/python3 -c 'import sys; from PIL import Image
//   for name in sys.argv[1:]: Image.open(name).convert("RGB").quantize(255, 1).save(name, optimize=True)' server/docs/*.png
import { browser, open, start } from "./browser.mjs";

const pictures = { epa: "EPA in space", stairs: "A player on stairs", duel: "A rewound duel" };
const daemon = await start("--demo");
for (const [name, piece] of Object.entries(pictures)) {
  const page = await open(daemon.url, "#view=gallery", { width: 1200, height: 760 });
  await page.getByText(piece, { exact: true }).first().click();
  await page.waitForTimeout(3000);
  if (name === "epa") await page.getByRole("slider", { name: "Step" }).press("End");
  if (name === "stairs") for (let n = 0; n < 10; n++) { await page.locator("[data-id=player]").press("ArrowUp"); await page.waitForTimeout(800); }
  await page.waitForTimeout(1500);
  await page.evaluate(() => { scrollTo(0, 0); document.activeElement.blur(); });
  await page.screenshot({ path: `${process.argv[2]}/${name}.png` });
}
daemon.stop();
await browser.close();
