// Takes the pictures of the documents, from the playground of a daemon:
//   tests/playground/run.sh GJKD --test-name-pattern=NONE; node build/playground/pictures.mjs FOLDER
import { browser, open, start } from "./browser.mjs";

const pictures = { epa: "EPA in space", stairs: "A player on stairs", duel: "A rewound duel" };
const daemon = await start("--demo");
for (const [name, piece] of Object.entries(pictures)) {
  const page = await open(daemon.url, "#view=gallery", { width: 1200, height: 760 });
  await page.getByText(piece, { exact: true }).first().click();
  await page.waitForTimeout(3000);
  if (name === "epa") await page.getByRole("slider", { name: "Step" }).press("End");
  await page.waitForTimeout(1500);
  await page.evaluate(() => scrollTo(0, 0));
  await page.screenshot({ path: `${process.argv[2]}/${name}.png` });
}
daemon.stop();
await browser.close();
