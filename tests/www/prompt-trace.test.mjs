/** Traces that were made elsewhere, in a real Chromium: dropped on the playground, and on the page of HTMLTracer. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { renderElementJSON } from "../../pkg/dist/prompt-tsx-node.js";
import * as prompts from "../../pkg/dist/prompt-node.js";
import { findingsOf } from "./axe.mjs";
import { contextOf, launch, opened } from "./browser.mjs";

const { TextChunk, UserMessage } = prompts;
const folder = mkdtempSync(join(tmpdir(), "trace-"));
let page, complaints, close, browser;

before(async () => {
  ({ page, complaints, close } = await opened("", { ready: "#view-prompt", viewport: { width: 1280, height: 900 } }));
  page.setDefaultTimeout(10_000);
  browser = await launch();
});
after(async () => {
  await close?.();
  await browser?.close();
  rmSync(folder, { recursive: true });
});

/** Twelve messages with the priorities 0 to 11. */
const twelve = () =>
  Array.from({ length: 12 }, (_, priority) =>
    prompts.createPiece(UserMessage, { priority }, prompts.createPiece(TextChunk, null, `line ${priority} `.repeat(8))),
  );

async function traced(budget) {
  const tracer = new prompts.HTMLTracer();
  const rendered = await prompts.render(twelve(), { budget, tracer });
  return { rendered, tracer };
}

/** Opens a text as a file of this name. */
async function open(name, text) {
  await page.setInputFiles("#file", { name, mimeType: "text/plain", buffer: Buffer.from(text) });
}

const removals = () => page.locator("#removals [role=option]").allTextContents();

test("from the first page, one press shows a prompt", async () => {
  await page.click("#view-prompt");
  await page.waitForSelector("#outline");
  assert.match(await page.evaluate(() => location.hash), /^$|example=/);
  await page.click("#view-conversation");
  await page.waitForSelector("#view-conversation[aria-current=page]");
});

test("a trace of one budget shows all removals in their order, and replays them", async () => {
  const { rendered } = await traced(150);
  await open("trace.json", JSON.stringify(rendered.trace()));
  await page.waitForSelector("#outline");
  assert.match(await page.textContent(".fixed"), /holds one budget: 150 tokens/);
  const shown = await removals();
  assert.ok(shown.length >= 6);
  shown.forEach((text, step) => assert.match(text, new RegExp(`^${step + 1}user “line ${step} `)));
  assert.match(await page.textContent("#first"), /line 0/);
  for (let left = shown.length; left > 0; left--) await page.click("#back");
  assert.equal(await page.locator("#outline .gone").count(), 0);
  // What all removals freed and what is left add up to the prompt.
  const [said] = /^[\d,]+/.exec(await page.textContent(".outcome"));
  assert.equal(Number(said), (await prompts.render(twelve(), { budget: 10_000 })).tokens);
});

test("a page of HTMLTracer is opened with all of its budgets", async () => {
  const { tracer, rendered } = await traced(150);
  await open("prompt-trace.html", await tracer.html());
  await page.waitForSelector("#budget");
  assert.equal(await page.inputValue("#tokens"), "150");
  assert.equal((await removals()).length, rendered.trace().nodes.filter(({ role, kept }) => role && !kept).length);
  await page.fill("#tokens", "250");
  await page.press("#tokens", "Tab");
  await page.waitForFunction(() => / of 250 /.test(document.querySelector(".outcome").textContent));
  const { tokens } = await rendered.prune(250);
  assert.match(await page.textContent(".outcome"), new RegExp(`^${tokens} of 250`));
});

test("a tree of renderElementJSON is rendered", async () => {
  class Result extends prompts.PromptElement {
    render() {
      return prompts.createPiece(TextChunk, null, "from a tree");
    }
  }
  // A tool returns text without a message around it: the page puts one around it.
  await open("tree.json", JSON.stringify(await renderElementJSON(Result, {}, undefined)));
  await page.waitForFunction(() => document.querySelector("#outline")?.textContent.includes("from a tree"));
  assert.match(await page.textContent("#code-title"), /Tree as JSON/);
});

test("code is opened from a file and from the clipboard", async () => {
  const code = (text) =>
    `import { UserMessage } from "espalier/prompt";\nexport default () => <UserMessage>${text}</UserMessage>;\n`;
  await open("mine.tsx", code("from a file"));
  await page.waitForFunction(() => document.querySelector("#outline")?.textContent.includes("from a file"));
  await page.evaluate((text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
  }, code("from the clipboard"));
  await page.waitForFunction(() => document.querySelector("#outline")?.textContent.includes("from the clipboard"));
});

const trace = { budget: 5, tokens: 5, nodes: [] };
for (const [what, text, expected] of [
  ["an empty list of nodes", JSON.stringify(trace), /not the nodes of a trace/],
  ["a trace that was cut short", `{"budget":150,"tokens":140,"nodes":[{"id":0,"pa`, /cut short or damaged/],
  [
    "what console.log prints",
    "{\n  budget: 150,\n  tokens: 140,\n  nodes: [ [Object] ]\n}",
    /JSON\.stringify\(prompt\.trace\(\)\)/,
  ],
  [
    "nodes that are no tree",
    JSON.stringify({ ...trace, nodes: [{ id: 1, parent: 1, path: "A", kept: true, priority: 1 }] }),
    /no tree/,
  ],
  [
    "a page of another version",
    '<!doctype html><title>Prompt trace</title><script>const DATA = {"budget":1,"trees":[]};\n</script>',
    /another version/,
  ],
]) {
  test(`refused in words: ${what}`, async () => {
    await open("bad.json", text);
    await page.waitForFunction(
      (source) => new RegExp(source).test(document.getElementById("alert")?.textContent ?? ""),
      expected.source,
    );
    await page.click("#dismiss");
  });
}

test("the playground's page has no complaints", () => assert.deepEqual(complaints, []));

/** Opens a page of the tracer by itself. */
async function alone(html, options) {
  const file = join(folder, "trace.html");
  writeFileSync(file, html);
  const context = await contextOf(browser, { viewport: { width: 1280, height: 900 }, ...options });
  const own = await context.newPage();
  own.setDefaultTimeout(10_000);
  const errors = [];
  own.on("pageerror", ({ message }) => errors.push(message));
  own.on("console", (message) => ["error", "warning"].includes(message.type()) && errors.push(message.text()));
  await own.goto(pathToFileURL(file).href);
  await own.waitForSelector("#outline");
  return { own, errors };
}

test("HTMLTracer, one file: the first victim is there at once, and the budget can be dragged", async () => {
  const { tracer } = await traced(150);
  const { own, errors } = await alone(await tracer.html());
  assert.match(await own.textContent("#first"), /line 0/);
  await own.click("#first");
  assert.match(
    await own.textContent("#detail .fate"),
    /removed in step 1 to meet the budget: it had the lowest priority \(0, set on UserMessage\)/,
  );
  const all = await own.locator("#outline [role=treeitem]").allTextContents();
  for (let line = 0; line < 12; line++)
    assert.ok(
      all.some((text) => text.includes(`line ${line} `)),
      `line ${line}`,
    );
  await own.press("#budget", "End");
  await own.waitForFunction(() => /everything fits/.test(document.querySelector(".outcome").textContent));
  await own.click("#reset");
  await own.waitForFunction(() => / of 150 /.test(document.querySelector(".outcome").textContent));
  await own.press("#outline", "[");
  await own.waitForFunction(() => Number(document.querySelector("#tokens").value) < 150);
  assert.deepEqual(errors, []);
  for (const colorScheme of ["light", "dark"]) {
    await own.emulateMedia({ colorScheme });
    assert.deepEqual(await findingsOf(own), []);
  }
});

test("HTMLTracer, one file: texts of the prompt are shown as they are", async () => {
  const tracer = new prompts.HTMLTracer();
  const text = `</script><img src=x onerror="document.title='broken'">\u2028${"x".repeat(50)}`;
  await prompts.render(prompts.createPiece(UserMessage, null, text), { budget: 1_000, tracer });
  const { own, errors } = await alone(await tracer.html());
  await own.click("#outline [role=treeitem] >> nth=-1");
  assert.equal(await own.textContent("#detail pre"), text);
  assert.equal(await own.title(), "Prompt trace");
  assert.equal(await own.locator("img").count(), 0);
  assert.deepEqual(errors, []);
});

test("HTMLTracer with its server: any budget is asked, and a dead server is reported", async () => {
  const { tracer, rendered } = await traced(150);
  const server = await tracer.serveHTML();
  const context = await contextOf(browser, { viewport: { width: 400, height: 800 } });
  const own = await context.newPage();
  own.setDefaultTimeout(10_000);
  try {
    await own.goto(server.address);
    await own.waitForSelector("#outline");
    assert.match(await own.textContent("#first"), /line 0/);
    await own.fill("#tokens", "201");
    await own.press("#tokens", "Tab");
    await own.waitForFunction(() => / of 201 /.test(document.querySelector(".outcome").textContent));
    const { tokens } = await rendered.prune(201);
    assert.match(await own.textContent(".outcome"), new RegExp(`^${tokens} of 201`));
    // On a phone the slider stays in view, and nothing sticks out.
    await own.evaluate(() => document.querySelector("#detail").scrollIntoView());
    assert.ok((await own.locator("#budget").boundingBox()).y < 200);
    assert.ok(await own.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    assert.deepEqual(await findingsOf(own), []);
  } finally {
    server.dispose();
  }
  await own.fill("#tokens", "77");
  await own.press("#tokens", "Tab");
  await own.waitForFunction(() => /the tracer does not answer/.test(document.querySelector(".outcome").textContent));
});

test("a prompt of 20,000 elements opens, and only its visible rows are in the page", async () => {
  const tracer = new prompts.HTMLTracer();
  const many = Array.from({ length: 5_000 }, (_, at) =>
    prompts.createPiece(UserMessage, { priority: at % 97 }, prompts.createPiece(TextChunk, null, `message ${at}`)),
  );
  const { removed } = await prompts.render(many, { budget: 30_000, tracer });
  assert.ok(removed > 1_000);
  const html = await tracer.html();
  const { own, errors } = await alone(html);
  assert.ok((await own.locator("[role=treeitem]").count()) < 60);
  assert.ok((await own.locator(".icicle *").count()) < 6_000);
  await own.press("#outline", "End");
  await own.waitForFunction(() => document.querySelector("#outline").textContent.includes("message 4999"));
  await own.press("#outline", "n");
  assert.match(await own.textContent("#detail .fate"), /removed in step/);
  assert.deepEqual(errors, []);
});
