/** Views one after the other: each looks as if it were the first. */

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { contextOf, hosted, until } from "./browser.mjs";

const VIEWS = {
  conversation: "#example=marshmallow",
  run: "#view=run&example=marshmallow",
  prompt: "#view=prompt&example=build",
  source: "#view=source&example=cache",
  search: "#view=search&example=espalier",
  inline: "#view=inline&example=cache",
  tokens: "#view=tokens&example=cache",
};
/** Milliseconds after which a view that does not change is complete. */
const STILL = 700;

const host = hosted();

test("hatches of mixed colours name their colour space: Firefox draws them in fragments else", () => {
  const root = new URL("../../www/", import.meta.url);
  const sheets = readdirSync(root, { recursive: true }).filter((name) => name.endsWith(".css"));
  assert.ok(sheets.length > 9);
  for (const name of sheets)
    for (const [gradient] of readFileSync(new URL(name, root), "utf8").matchAll(/gradient\([^,]*, color-mix/g))
      assert.match(gradient, / in srgb, /, name);
});

const newPage = async () => (await contextOf(host.browser, { viewport: { width: 1280, height: 1400 } })).newPage();

/** Opens a view in a page that may show another one; returns the styles of its elements, by their place. */
async function stylesIn(page, view) {
  await page.goto(`${host.url}${VIEWS[view]}`);
  await page.waitForFunction((name) => document.querySelector(`#view-${name}[aria-current=page]`), view);
  let [before, since] = ["", Date.now()];
  while (Date.now() - since < STILL) {
    const now = await page.evaluate(() => (document.querySelector("main .waiting") ? "" : document.body.innerText));
    if (now !== before || now === "") [before, since] = [now, Date.now()];
    await page.waitForTimeout(100);
  }
  return page.evaluate(() => {
    const NAMES = [
      "display",
      "position",
      "padding",
      "margin",
      "border",
      "backgroundColor",
      "color",
      "fontSize",
      "flex",
    ];
    const found = {};
    // Elements with a style of their own show figures.
    for (const element of document.querySelectorAll("main :not([style])")) {
      const names = [];
      for (let at = element; at.id !== "main"; at = at.parentElement)
        names.unshift(at.tagName + [...at.classList].map((name) => `.${name}`).join(""));
      const style = getComputedStyle(element);
      (found[names.join(" ")] ??= new Set()).add(NAMES.map((name) => `${name} ${style[name]}`).join(", "));
    }
    return Object.fromEntries(Object.entries(found).map(([place, styles]) => [place, [...styles].sort()]));
  });
}

test("no view is styled by one that was shown before", async () => {
  const used = await newPage();
  const names = Object.keys(VIEWS);
  for (const view of names) await stylesIn(used, view);
  for (const view of names.reverse()) {
    const page = await newPage();
    const fresh = await stylesIn(page, view);
    await page.context().close();
    const after = await stylesIn(used, view);
    const places = Object.keys(fresh).filter((place) => place in after);
    assert.ok(places.length > 10, `${view}: ${places.length} places`);
    for (const place of places) assert.deepEqual(after[place], fresh[place], `${view}: ${place}`);
  }
});

test("an address that only names a view shows that view, with its example", async () => {
  const page = await newPage();
  for (const [view, example] of Object.entries({ prompt: "build", search: "espalier", tokens: "text", run: "pi" })) {
    await page.goto(`${host.url}#view=${view}`);
    await page.waitForSelector(`#view-${view}[aria-current=page]`);
    await until(page, (name) => document.querySelector("#example").value === name, example);
  }
  await page.context().close();
});

test("in a low window the messages keep room, and the page scrolls", async () => {
  const page = await newPage();
  await page.goto(`${host.url}${VIEWS.conversation}`);
  await page.waitForSelector("#conversation:not([data-estimate]) [role=option]");
  for (const [width, height] of [
    [720, 450],
    [844, 390],
    [320, 256],
  ]) {
    await page.setViewportSize({ width, height });
    const room = await page.locator("#messages").evaluate((list) => list.clientHeight);
    assert.ok(room >= 150, `${width} × ${height}: ${room}`);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  }
});

test("beside the code every element shows its tokens", async () => {
  const page = await newPage();
  await page.goto(`${host.url}${VIEWS.prompt}`);
  await page.waitForSelector("#outline [role=treeitem]");
  for (const width of [1000, 1024, 1180]) {
    await page.setViewportSize({ width, height: 768 });
    const cut = await page.locator("#outline").evaluate((outline) => {
      const end = outline.getBoundingClientRect().right + 1;
      return [...outline.querySelectorAll(".count")].filter((one) => one.getBoundingClientRect().right > end).length;
    });
    assert.equal(cut, 0, `${width} pixels`);
  }
});
