/** A real Chromium, driven through playwright-core. */

import { execFileSync } from "node:child_process";
import { chromium } from "playwright-core";
import { page as folder } from "../../scripts/page.mjs";
import { serve } from "../../scripts/serve.mjs";

export function launch() {
  const executablePath = process.env.CHROMIUM ?? execFileSync("which", ["chromium"], { encoding: "utf8" }).trim();
  const args = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  if (process.getuid?.() === 0) args.push("--no-sandbox");
  return chromium.launch({ executablePath, args });
}

/**
 * A page of the playground, served and opened. `complaints` collects what should not be: errors, warnings, requests to elsewhere.
 */
export async function opened(name) {
  const server = await serve(folder);
  const browser = await launch();
  const page = await browser.newPage();
  const complaints = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => !request.url().startsWith(server.url) && !/^(data|blob):/.test(request.url()) && complaints.push(request.url()));
  await page.goto(`${server.url}${name}`);
  await page.waitForSelector("#result:not([hidden])");
  const close = async () => {
    await browser.close();
    server.close();
  };
  return { page, complaints, close };
}
