/** A real Chromium, driven through playwright-core. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { chromium } from "playwright-core";
import { page as folder } from "../../scripts/page.mjs";
import { serve } from "../../scripts/serve.mjs";

/**
 * Features that are off. The first three would render two pages of suggestions behind the address field of every new
 * context: 0.7 s of CPU each time. The others are those that Playwright turns off for pages like ours: Chromium reads
 * only the last list.
 */
const FEATURES_OFF = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxFullPopup",
  "WebUIOmniboxAimPopup",
  "AimEnabled",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "ThirdPartyStoragePartitioning",
];

export function launch() {
  const executablePath = process.env.CHROMIUM ?? execFileSync("which", ["chromium"], { encoding: "utf8" }).trim();
  const args = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    `--disable-features=${FEATURES_OFF}`,
  ];
  if (process.getuid?.() === 0) args.push("--no-sandbox");
  return chromium.launch({ executablePath, args });
}

/** Serves the playground and starts a browser before the cases of a file: `{ url, browser }`, set by then. */
export function hosted() {
  const host = {};
  let server;
  before(async () => {
    server = await serve(folder);
    host.url = server.url;
    host.browser = await launch();
  });
  after(async () => {
    await host.browser?.close();
    server?.close();
  });
  return host;
}

/**
 * Returns a new context. Unless `isKept`, its pages have no service worker: in every case that would fetch and cache
 * the whole playground once more, beside the work that the case waits for.
 */
export async function contextOf(browser, { isKept = false, ...options } = {}) {
  const context = await browser.newContext(options);
  if (!isKept)
    await context.addInitScript(() =>
      Object.defineProperty(Navigator.prototype, "serviceWorker", { value: undefined }),
    );
  return context;
}

/**
 * Leaves a page of the playground and clears what it stored. The next case finds a page as in a new context, without
 * the start of a renderer (a third of the CPU time of opening the small example).
 */
export async function forgotten(page, { url }) {
  await page.goto("about:blank");
  const session = await page.context().newCDPSession(page);
  await session.send("Storage.clearDataForOrigin", { origin: new URL(url).origin, storageTypes: "all" });
  await session.detach();
}

/** Runs `act` at every width, in every theme, without loading the page again. */
export async function inAllSizes(page, act) {
  for (const colorScheme of ["light", "dark"])
    for (const width of [1280, 400]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await act(`${width} pixels, ${colorScheme}`);
    }
  await page.emulateMedia({ colorScheme: null });
  await page.setViewportSize({ width: 1280, height: 900 });
}

/** Returns the title that a page sets; an error that it throws fails the test. Without a browser, starts one for it. */
export async function titleAt(url, running) {
  const browser = running ?? (await launch());
  const page = await browser.newPage();
  try {
    const errors = [];
    page.on("pageerror", (error) => errors.push(error.message));
    await page.goto(url);
    await page.waitForFunction(() => document.title !== "", undefined, { timeout: 60_000 }).catch(() => undefined);
    assert.deepEqual(errors, []);
    return await page.title();
  } finally {
    await (running ? page : browser).close();
  }
}

/**
 * Serves and opens a page of the playground, and waits for a result. `complaints` collects errors, warnings and
 * requests to other hosts. `options` are those of {@link contextOf}; `before` may prepare the page.
 */
export async function opened(name, { ready = "#result:not([hidden])", before, ...options } = {}) {
  const server = await serve(folder);
  const browser = await launch();
  const context = await contextOf(browser, options);
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on(
    "request",
    (request) =>
      !request.url().startsWith(server.url) && !/^(data|blob):/.test(request.url()) && complaints.push(request.url()),
  );
  const close = async () => {
    await browser.close();
    server.close();
  };
  try {
    await before?.(page);
    await page.goto(`${server.url}${name}`);
    await page.waitForSelector(ready);
  } catch (error) {
    // Nobody else could end them, and the test's process would wait for both.
    await close();
    throw error;
  }
  return { page, complaints, server, close };
}

/** Waits until a page has its service worker, and these files are cached for times without a server. */
export async function kept(page, ...files) {
  // A service worker that could not be installed is never ready: only a wait with a limit ends.
  await until(
    page,
    async (files) => {
      const registration = await navigator.serviceWorker.getRegistration();
      return (
        registration?.active?.state === "activated" &&
        (await Promise.all(files.map((file) => caches.match(file)))).every(Boolean)
      );
    },
    files,
  );
}

/** Waits for a page's function that returns a promise: Playwright's `waitForFunction` takes each promise for true. */
export async function until(page, isTrue, argument, limit = 60_000) {
  for (const end = Date.now() + limit; !(await page.evaluate(isTrue, argument)); ) {
    if (Date.now() > end) throw new Error(`after ${limit} ms this is not true: ${isTrue}`);
    await page.waitForTimeout(50);
  }
}

/** Reads until what is read is what is wanted: a list is drawn again between two answers of a worker. */
export async function eventually(read, wanted, limit = 5_000) {
  let seen = await read();
  for (const end = Date.now() + limit; !isDeepStrictEqual(seen, wanted) && Date.now() < end; seen = await read())
    await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(seen, wanted);
}
