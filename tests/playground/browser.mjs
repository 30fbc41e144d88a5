// A daemon of the test's own, pages of it in Chromium, and what every page must keep to: nothing
// wrong in its console and no request elsewhere.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

export const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] });

/** Starts a daemon. @returns {Promise<{url: string, ask: Function, stop: Function}>} */
export async function start(...flags) {
  const daemon = spawn(process.env.GJKD_BINARY, ["--listen", "127.0.0.1:0", "--log-level", "error", ...flags], { stdio: ["ignore", "pipe", "inherit"] });
  process.on("exit", () => daemon.kill());
  const lines = createInterface(daemon.stdout);
  const [line] = await new Promise((resolve) => lines.once("line", (text) => resolve([text])));
  const url = line.split(" ").at(-1).replace(/\/$/, "");
  const ask = async (method, path, body, headers = {}) => {
    const reply = await fetch(url + path, { method, headers: { "Content-Type": "application/json", ...headers }, body: body && JSON.stringify(body) });
    const text = await reply.text();
    assert(reply.ok, `${method} ${path}: ${text}`);
    return text ? JSON.parse(text) : null;
  };
  return { url, ask, stop: () => daemon.kill() };
}

const wrong = [];
/** What went wrong on all pages since the last call. */
export const complaints = () => wrong.splice(0);

export async function open(url, fragment = "", { width = 1440, height = 900, colorScheme = "light" } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  const page = await context.newPage();
  page.on("console", (message) => { if (message.type() === "error" || message.type() === "warning") wrong.push(`console: ${message.text()}`); });
  page.on("pageerror", (error) => wrong.push(`error: ${error.stack}`));
  page.on("dialog", (dialog) => { wrong.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => { if (!request.url().startsWith(`${url}/`) && !request.url().startsWith("data:")) wrong.push(`request: ${request.url()}`); });
  page.on("websocket", (socket) => { if (new URL(socket.url()).host !== new URL(url).host) wrong.push(`socket: ${socket.url()}`); });
  await page.goto(`${url}/${fragment}`);
  return page;
}

export const status = (page) => page.getByRole("status").textContent();

/** Waits until the status is so, and returns it. @param {RegExp} wanted */
export async function says(page, wanted) {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const text = await status(page);
    if (wanted.test(text)) return text;
    assert(Date.now() < deadline, `the status is never ${wanted}, but: ${text}`);
    await page.waitForTimeout(40);
  }
}

/** State in the address, once it has come to rest. */
export async function state(page) {
  for (;;) {
    const last = page.url();
    await page.waitForTimeout(300);
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300))); // the page has had time, too
    if (page.url() === last) return Object.fromEntries(new URLSearchParams(new URL(last).hash.slice(1)));
  }
}

/** Button of a shape in the drawing that is shown. */
export const shape = (page, id) => page.locator(".shapes:visible").getByRole("button", { name: id, exact: true });

export async function centre(locator) {
  const box = await locator.boundingBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
}

/** What axe-core finds serious or critical, a line each. */
export async function violations(page) {
  await page.evaluate(readFileSync("node_modules/axe-core/axe.min.js", "utf8"));
  const { violations } = await page.evaluate(() => window.axe.run());
  return violations.filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).slice(0, 3).join(" ")}`);
}

export async function until(check, what) {
  const deadline = Date.now() + 20_000;
  while (!await check()) {
    assert(Date.now() < deadline, `never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export const six = (value) => String(Number(value.toPrecision(6)));
