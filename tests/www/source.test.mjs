/** The view of a source file, in a real Chromium. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { findingsOf, namelessControls, reachedByTab, smallTargets } from "./axe.mjs";
import { inAllSizes, opened as openPage } from "./browser.mjs";
import { drop, paste } from "./conversation.mjs";
import { busy } from "./tasks.mjs";

const READY = "#source-view[data-budget]";
const opened = (options) =>
  openPage("#view=source&example=log", { ready: READY, viewport: { width: 1400, height: 900 }, ...options });
const source = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const LOG = source("js/log/log.ts");

let page, complaints, close;

before(async () => {
  ({ page, complaints, close } = await opened());
});
after(() => close?.());

const folder = mkdtempSync(join(tmpdir(), "espalier-document-"));
after(() => rmSync(folder, { recursive: true }));

/** Returns the tokens of the whole text and of its summary. */
async function figures(from = page) {
  const [, whole, kept] = /^([\d,]+) tokens?; ([\d,]+) are kept\.$/.exec(await from.textContent("#headline"));
  return { whole: Number(whole.replaceAll(",", "")), kept: Number(kept.replaceAll(",", "")) };
}
const keptTokens = async (from) => (await figures(from)).kept;
const wholeTokens = async (from) => (await figures(from)).whole;
const summary = (from = page) => from.textContent("#summary");
const budgetShown = (budget, from = page) =>
  from.waitForFunction((text) => document.getElementById("source-view")?.dataset.budget === text, String(budget));

/** As a hand does it: a value, and the page hears of it. */
async function drag(budget, from = page) {
  await from.evaluate((value) => {
    const slider = document.getElementById("slider");
    slider.value = value;
    slider.dispatchEvent(new Event("input"));
  }, String(budget));
}

async function budget(tokens, from = page) {
  await drag(tokens, from);
  await budgetShown(tokens, from);
}

/** From the disk: bytes that a test hands over take the long way. */
async function upload(name, content) {
  writeFileSync(join(folder, name), content);
  await page.setInputFiles("#file", join(folder, name));
}

/** Waits for words in an element. */
const says = (id, words, from = page) =>
  from.waitForFunction(([id, words]) => document.getElementById(id).textContent.includes(words), [id, words]);

/** Waits until the source points at a line, which is in sight. */
const pointsAt = (line) =>
  page.waitForFunction((line) => {
    const pointer = document.querySelector(".shades .pointer");
    const numbers = document.querySelector(".numbers pre");
    const row =
      pointer &&
      Math.round((pointer.offsetTop - numbers.offsetTop) / Number.parseFloat(getComputedStyle(numbers).lineHeight));
    return pointer && Number(numbers.textContent.split("\n")[row]) === line;
  }, line);

async function cursorAt(needle, from = page) {
  await from.evaluate((needle) => {
    const area = document.getElementById("source");
    const at = area.value.indexOf(needle);
    if (at < 0) throw new Error(needle);
    area.focus();
    area.setSelectionRange(at, at);
  }, needle);
}

async function example(key, path) {
  await page.selectOption("#example", key);
  await page.waitForFunction((text) => document.getElementById("source").value === text, source(path));
  await page.waitForFunction(
    () => Number(document.getElementById("slider").max) > 100 && document.querySelector(".marker"),
  );
}

test("it opens with a source, cut to a quarter, and asks nobody else for anything", async () => {
  assert.equal(await page.inputValue("#source"), LOG);
  assert.ok((await keptTokens()) <= (await wholeTokens()) / 4 + 1);
  assert.match(
    await page.textContent("#basis"),
    /^Parsed by tree-sitter as typescript, grammar loaded in [\d.]+ ms \([\d,]+ kB\)\.$/,
  );
  assert.match(await page.textContent("#outcome"), /\d+ stretches are missing\. \d+ lines, summarised in [\d.]+ ms/);
  assert.ok((await page.locator(".marker").count()) > 3);
  assert.deepEqual(complaints, []);
});

test("dragging the budget is followed, the last place wins, and it is never over", async () => {
  const whole = await wholeTokens();
  for (const share of [0.9, 0.5, 0.2, 0.05]) {
    const tokens = Math.round(whole * share);
    await budget(tokens);
    assert.ok((await keptTokens()) <= tokens);
  }
  for (let tokens = 1_000; tokens <= 2_000; tokens += 20) await drag(tokens);
  await budgetShown(2_000);
  assert.ok((await keptTokens()) <= 2_000);
  await budget(whole);
  assert.equal(await summary(), LOG);
  assert.match(await page.textContent("#outcome"), /^The file is whole\./);
  await page.fill("#tokens", "1500");
  await page.press("#tokens", "Tab");
  await budgetShown(1_500);
  assert.equal(await page.inputValue("#slider"), "1500");
});

test("the cursor moves the summary, and its place is pointed at", async () => {
  await budget(700);
  const [one, other] = ["const number = this.nextCheckpoint();", "constructor(options: LogOptions) {"];
  for (const needle of [one, other]) {
    await cursorAt(needle);
    await page.waitForFunction(
      (text) => document.getElementById("summary").textContent.includes(text),
      needle.split("\n")[0],
    );
    assert.equal(await page.isVisible("#summary-box > .pointer"), true);
    assert.ok((await keptTokens()) <= 700);
  }
  assert.match(await page.textContent("#cursor"), /^cursor in line \d+$/);
  await page.uncheck("#follow");
  await page.waitForFunction((text) => !document.getElementById("summary").textContent.includes(text), other);
  await page.check("#follow");
});

test("a marker shows what is missing, and hides it again, by mouse and by keyboard", async () => {
  await budget(1_500);
  const marker = page.locator(".marker").nth(1);
  const [, first, last] = /(\d+)-(\d+) omitted/.exec(await marker.textContent());
  const missing = LOG.split("\n")
    .slice(first - 1, last)
    .join("\n");
  await marker.click();
  assert.equal((await page.textContent(".shown")).trim(), missing.trim());
  // Both ways: the lines are pointed at in the source.
  await pointsAt(Number(first));
  await page.keyboard.press("Enter");
  assert.equal(await page.locator(".shown").count(), 0, "Enter in the marker closes it");
  await page.keyboard.press("Enter");
  assert.equal(await page.locator(".shown").count(), 1);
  await page.keyboard.type("qqqq");
  assert.doesNotMatch(await summary(), /qqqq/, "a summary cannot be typed into");
  await marker.click();
});

test("the caret in the summary shows its place in the source", async () => {
  await budget(1_500);
  const line = "export class ConversationLog";
  await page.evaluate((line) => {
    const piece = [...document.querySelectorAll("#summary .kept")].find(({ textContent }) =>
      textContent.includes(line),
    );
    document.getElementById("summary").focus();
    document.getSelection().collapse(piece.firstChild, piece.textContent.indexOf(line));
  }, line);
  const row = LOG.slice(0, LOG.indexOf(line)).split("\n").length;
  await pointsAt(row);
});

test("modes, line numbers and words of markers", async () => {
  await budget(1_200);
  await page.check("#numbers");
  await page.waitForFunction(() => /^\d+: /m.test(document.getElementById("summary").textContent));
  assert.ok((await keptTokens()) <= 1_200);
  for (const marker of await page.locator(".marker").allTextContents())
    assert.match(marker, /^(\/\/|\/\*) … \d+(-\d+)? omitted( \*\/)?$/);
  await page.uncheck("#numbers");
  await page.fill("#marker", "cut {lines}");
  await page.waitForFunction(() => document.querySelector(".marker").textContent.includes("cut "));
  await page.check("input[value=copilot-chat]");
  await page.waitForFunction(() => document.querySelector(".marker[data-silent]"));
  await page.locator(".marker[data-silent]").first().click();
  assert.ok((await page.textContent(".shown")).length > 10, "what has no marker can be opened, too");
  // A gap stays open in other modes, and the next test opens its own.
  await page.locator(".marker[data-silent]").first().click();
  await page.check("input[value=espalier]");
  await page.fill("#marker", "… {lines} omitted");
  await page.waitForFunction(() => document.querySelector(".marker").textContent.includes("omitted"));
});

test("what is missing is listed, and the outline leads into the source", async () => {
  await budget(1_000);
  await page.click("#gaps-title");
  await page.waitForFunction(
    () => document.querySelectorAll("#gaps tbody tr").length === document.querySelectorAll(".marker").length,
  );
  assert.match(await page.textContent("#gaps tbody tr:first-child"), /^\d+.*js\/log\/log\.ts#L\d+/);
  await page.locator("#gaps button").first().click();
  assert.equal(await page.locator(".shown").count(), 1);
  await page.click("#gaps-title");
  await page.click("#outline-title");
  await page.waitForFunction(() => document.querySelectorAll("#outline li").length > 20);
  assert.match(await page.textContent("#outline-title"), /^Outline \(\d+ definitions, [\d,]+ tokens\)$/);
  const missing = page.locator("#outline li", { has: page.locator(".gone") }).last();
  const name = await missing.locator(".name").textContent();
  await missing.locator("button").click();
  await says("summary", name);
  const cursor = await page.evaluate(() => document.getElementById("source").selectionStart);
  assert.ok(LOG.slice(cursor).includes(name));
  await page.click("#outline-title");
});

test("a diff goes down the ladder as the budget does", async () => {
  await page.click("#change-title");
  await cursorAt("const since = this.length;");
  await page.click("#pretend");
  await says("diff-status", "js/log/log.ts: ");
  const rungs = await page.locator("#ladder button > :first-child").allTextContents();
  assert.deepEqual(rungs.slice(0, 2), ["whole", "definitions"]);
  assert.equal(rungs.at(-1), "changes");
  let last = Infinity;
  for (const rung of rungs) {
    const button = page.locator("#ladder button", { has: page.locator(`span:first-child:text-is("${rung}")`) });
    const tokens = Number((await button.locator("span").nth(1).textContent()).replace(/\D/g, ""));
    assert.ok(tokens < last, rung);
    last = tokens;
    await button.click();
    await budgetShown(tokens);
    await page.waitForFunction(
      (rung) => document.querySelector("#ladder [aria-current]")?.textContent.startsWith(rung),
      rung,
    );
    assert.match(await page.textContent("#reduced"), /const since = this\.length;/);
  }
  await drag(1);
  await says("diff-status", "alone take");
  assert.equal(await page.locator("#reduced").count(), 0);
  await page.fill("#diff", "@@ nonsense");
  await page.waitForFunction(
    () =>
      document.querySelectorAll("#ladder li").length === 0 &&
      document.getElementById("diff-status").textContent.length > 10,
  );
  await page.fill("#diff", "--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-a\n+what is not there\n");
  await page.waitForFunction(() => /line|file/.test(document.getElementById("diff-status").textContent));
  await page.fill("#diff", "");
  await page.click("#change-title");
  assert.deepEqual(complaints, []);
});

test("samples of other languages, parsed and folded; the language can be changed", async () => {
  await example("query", "core/src/document/query.rs");
  await says("basis", "Parsed by tree-sitter as rust");
  await example("css", "www/app/app.css");
  await says("basis", "Folded by indentation, since its language is unknown.");
  await page.selectOption("#language", "python");
  await says("basis", "Parsed by tree-sitter as python");
  await says("basis", "syntax errors");
  await page.check("input[value=copilot-chat]");
  await example("query", "core/src/document/query.rs");
  await says("basis", "the profile copilot-chat has no structure for this language");
  await page.check("input[value=espalier]");
});

test("a file of one's own is dropped, pasted or typed", async () => {
  await drop(page, "mine.py", "def one():\r\n    return 1\r\n\r\n\r\ndef two():\r\n    return 2\r\n");
  await says("basis", "as python");
  assert.equal(await page.inputValue("#source"), "def one():\n    return 1\n\n\ndef two():\n    return 2\n");
  await budget(await wholeTokens());
  assert.equal(
    await summary(),
    "def one():\r\n    return 1\r\n\r\n\r\ndef two():\r\n    return 2\r\n",
    "line ends are the file's own",
  );
  await cursorAt("return 2");
  await says("cursor", "cursor in line 6");
  const go = "package main\n\nfunc main() {\n\tx := 1\n\tprintln(x)\n}\n";
  await page.focus("#source");
  await page.keyboard.press("Control+A");
  await page.evaluate((text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    document.getElementById("source").dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
  }, go);
  await says("basis", "as go");
  assert.match(await page.textContent("#language option"), /go, guessed/);
  await page.keyboard.press("Control+End");
  await page.keyboard.type("func other() {}\n");
  await page.waitForFunction(() => /^(2[1-9]|[3-9]\d) tokens/.test(document.getElementById("headline").textContent));
  await budget(await wholeTokens());
  await says("summary", "func other");
  // Pasted anywhere else it opens, too; and what was typed is back after a reload.
  await page.focus("#slider");
  await paste(page, "use std::fmt;\n\npub fn one() -> u32 {\n    1\n}\n");
  await says("basis", "as rust");
  await page.focus("#source");
  await page.keyboard.press("Control+End");
  await page.keyboard.type("fn two() {");
  await page.waitForFunction(() => location.hash.includes("file=pasted.rs"));
  // Kept meanwhile, which neither moves the cursor nor loses what is typed next.
  await page.waitForTimeout(1_100);
  await page.keyboard.type("}\n");
  await page.waitForTimeout(1_100);
  await page.reload();
  await page.waitForFunction(() => document.getElementById("source")?.value.endsWith("fn two() {}\n"));
  await says("basis", "as rust");
});

const BAD = [
  ["a binary file", "a.ts", Buffer.from([1, 2, 0, 4]), /a\.ts is a binary file.*\[binary_file\]/],
  ["20 MB", "huge.ts", Buffer.alloc(20_000_000, "x\n"), /huge\.ts has 20\.0 MB.*up to 2\.0 MB/],
];
for (const [what, name, content, expected] of BAD) {
  test(`${what} is refused in words, and what was open stays`, async () => {
    const was = await page.inputValue("#source");
    await upload(name, content);
    await page.waitForSelector("#alert");
    assert.match(await page.textContent("#alert"), expected);
    assert.equal(await page.inputValue("#source"), was);
    await page.click("#dismiss");
    assert.equal(await page.locator("#alert").count(), 0);
    await example("log", "js/log/log.ts");
    assert.equal(await page.locator("#alert").count(), 0);
  });
}

test("odd files are taken: empty, without breaks, other encodings, lone surrogates, markup", async () => {
  for (const [name, content, expected] of [
    ["empty.ts", "", ""],
    ["long.js", `x(${"1,".repeat(60_000)}1);`, undefined],
    ["wide.ts", Buffer.from("\ufeffconst ä = 1;\n", "utf16le"), "const ä = 1;\n"],
    ["latin.rb", Buffer.from("# caf\xe9\n", "latin1"), "# café\n"],
    ["markup.html", '<b onclick="alert(1)">&amp;</b>\n', '<b onclick="alert(1)">&amp;</b>\n'],
  ]) {
    await upload(name, content);
    await page.waitForFunction(
      (length) => document.getElementById("source").value.length === length,
      expected?.length ?? content.length,
    );
    await page.waitForFunction(
      (length) => document.querySelector(`#source-view`).dataset.budget && length >= 0,
      content.length,
    );
    const whole = await wholeTokens();
    await budget(whole);
    if (expected !== undefined)
      await page.waitForFunction((text) => document.getElementById("summary").textContent === text, expected);
    if (whole > 100) await budget(whole >> 1);
  }
  assert.deepEqual(complaints, []);
});

test("a budget that cannot be met is said, and the next one works", async () => {
  await example("log", "js/log/log.ts");
  await cursorAt("const since = this.length;");
  await page.fill("#tokens", "-5");
  await page.press("#tokens", "Tab");
  await says("alert", "whole number");
  await drag(1);
  await says("alert", "budget_exceeded");
  await budget(900);
  await page.waitForSelector("#alert", { state: "detached" });
});

test("every control has a name, and the keyboard reaches all of them", async () => {
  for (const title of ["#gaps-title", "#outline-title", "#change-title"]) await page.click(title);
  await page.waitForFunction(() => document.querySelector("#outline button") && document.querySelector("#gaps button"));
  assert.deepEqual(await namelessControls(page), []);
  const reached = await reachedByTab(page, "file", 26);
  for (const id of [
    "file",
    "language",
    "profile",
    "numbers",
    "follow",
    "marker",
    "slider",
    "tokens",
    "source",
    "copy",
    "summary",
  ])
    assert.ok(reached.has(id), `${id} of ${[...reached]}`);
  await page.focus("#slider");
  const was = Number(await page.inputValue("#slider"));
  await page.keyboard.press("ArrowLeft");
  await budgetShown(was - 1);
});

test("the address remembers example, profile and budget", async () => {
  await page.check("input[value=copilot-chat]");
  await page.waitForFunction(() => location.hash.includes("profile=copilot-chat"));
  await page.reload();
  await page.waitForSelector(READY);
  assert.equal(await page.isChecked("input[value=copilot-chat]"), true);
  assert.equal(await page.inputValue("#example"), "log");
  assert.equal(await page.getAttribute("#view-source", "aria-current"), "page");
});

test("on a small screen nothing sticks out, and nothing moves while the page loads and the budget is dragged", async () => {
  for (const width of [360, 1400]) {
    const small = await opened({
      viewport: { width, height: 740 },
      before: (page) =>
        page.addInitScript(() => {
          globalThis.shifted = 0;
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) globalThis.shifted += entry.value;
          }).observe({ type: "layout-shift", buffered: true });
        }),
    });
    try {
      const most = Number(await small.page.getAttribute("#slider", "max"));
      for (const tokens of [3_000, 400, most]) await budget(tokens, small.page);
      assert.equal(await small.page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
      assert.ok(
        (await small.page.evaluate(() => globalThis.shifted)) < 0.02,
        `${width}: ${await small.page.evaluate(() => globalThis.shifted)}`,
      );
      assert.deepEqual(small.complaints, []);
    } finally {
      await small.close();
    }
  }
});

test("a grammar that does not arrive is said; indentation does until it is there", async () => {
  let answer = "fail";
  const alone = await opened({
    before: (page) =>
      page.route("**/tree-sitter-typescript.wasm", async (route) => {
        if (answer === "fail") return route.fulfill({ status: 404, body: "" });
        if (answer === "damaged") return route.fulfill({ status: 200, body: "no module" });
        await new Promise((resolve) => setTimeout(resolve, 1_200));
        return route.continue();
      }),
  });
  try {
    const { page } = alone;
    await says("basis", "Folded by indentation, since the grammar of typescript could not be loaded", page);
    assert.match(await page.textContent("#basis"), /404/);
    assert.ok((await keptTokens(page)) <= (await wholeTokens(page)) / 4 + 1);
    answer = "damaged";
    await page.click("#retry");
    await says("basis", "is damaged", page);
    answer = "slow";
    await page.click("#retry");
    await says("basis", "still loading", page);
    await says("basis", "Parsed by tree-sitter as typescript", page);
    assert.equal(await page.locator("#retry").count(), 0);
    assert.deepEqual(
      alone.complaints.filter((text) => !/404/.test(text)),
      [],
    );
  } finally {
    await alone.close();
  }
});

test("a large file is opened, dragged and typed in, and all of it is copied", async () => {
  const large = Array.from({ length: 18 }, () => LOG).join("\n");
  const act = async () => {
    await drop(page, "large.ts", large);
    await page.waitForFunction(() => Number(document.getElementById("slider").max) > 80_000);
    const most = Number(await page.getAttribute("#slider", "max"));
    for (let at = 1; at <= 30; at++) await drag(Math.round((most * at) / 30));
    await budgetShown(most);
    await page.focus("#source");
    await page.keyboard.type("const marmalade = 1;\n", { delay: 10 });
    await says("outcome", "lines, summarised");
  };
  // The browser lays out the text area of 370 kB once, in a task of its own.
  await busy(page, "a file of 370 kB is opened, dragged and typed in", act, 1);
  await page.waitForFunction(() => document.getElementById("source").value.startsWith("const marmalade = 1;\n"));
  await budget(Number(await page.getAttribute("#slider", "max")));
  await page.waitForFunction(() => document.getElementById("summary").textContent.startsWith("const marmalade"));
  const copied = await page.evaluate(() => {
    document.getSelection().selectAllChildren(document.getElementById("summary"));
    return document.getSelection().toString();
  });
  assert.equal(copied.trimEnd(), (await summary()).trimEnd());
});

test("axe finds nothing with all details open, in both themes, wide and narrow", async () => {
  await example("log", "js/log/log.ts");
  await budget(1_500);
  await page.locator(".marker").nth(1).click();
  await cursorAt("const since = this.length;");
  await inAllSizes(page, async (where) => {
    assert.deepEqual(await findingsOf(page), [], where);
    assert.deepEqual(await smallTargets(page), [], where);
    await page.click("#pretend");
    await page.waitForSelector("#reduced");
    await page.evaluate(() => (document.querySelector("header details").open = false));
    assert.deepEqual(await findingsOf(page), [], `${where}, a change`);
  });
  await page.fill("#diff", "");
});
