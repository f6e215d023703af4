/** The reader's own model in the run view, in a real Chromium, against a server that speaks the wire formats. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, beforeEach, test } from "node:test";
import { SUMMARY, answer, hang, modelServer, raw } from "../server/model.mjs";
import { opened } from "./browser.mjs";

const KEY = "a-key-of-mine";
const PATHS = { openai: "/v1", anthropic: "/v1", gemini: "/v1beta", ollama: "/v1" };
const AUTH = {
  openai: ({ headers }) => headers.authorization === `Bearer ${KEY}`,
  anthropic: ({ headers }) => headers["x-api-key"] === KEY,
  gemini: ({ headers }) => headers["x-goog-api-key"] === KEY,
  ollama: ({ headers }) => headers.authorization === `Bearer ${KEY}`,
};

let model, closed, page, complaints, server, close;
before(async () => {
  model = await modelServer({ key: KEY, cors: true });
  closed = await modelServer({ key: KEY });
  ({ page, complaints, server, close } = await opened("#view=run&run.writer=endpoint&example=marshmallow&budget=4000", {
    ready: "#run-model",
    viewport: { width: 1280, height: 900 },
  }));
});
after(async () => {
  await close?.();
  await model?.close();
  await closed?.close();
});
beforeEach(async () => {
  model.clear();
  await page.goto("about:blank");
  await page.goto(`${server.url}#view=run&run.writer=endpoint&example=marshmallow&budget=4000`);
  await page.waitForSelector("#run-model");
  complaints.length = 0;
});

async function fill({ kind = "openai", address, key = KEY, patience = 30 } = {}) {
  await page.selectOption("#run-kind", kind);
  await page.fill("#run-address", address ?? `${model.url}${PATHS[kind]}`);
  await page.fill("#run-name", "scripted");
  await page.fill("#run-key", key);
  await page.fill("#run-patience", String(patience));
  await page.press("#run-patience", "Tab");
}
const state = (words) =>
  page.waitForFunction((words) => document.getElementById("run-state")?.textContent.includes(words), words, {
    timeout: 30_000,
  });
const trial = (words) =>
  page.waitForFunction((words) => document.getElementById("run-trial").textContent.includes(words), words);

for (const kind of Object.keys(PATHS)) {
  test(`${kind}: the model writes the summaries, and what it was sent can be read`, async () => {
    await fill({ kind });
    await page.click("#run-use");
    await state("The run is complete");
    assert.ok(model.seen.length > 0 && model.seen.every(AUTH[kind]), `${model.seen.length} requests`);
    assert.equal(await page.textContent("#run-calls-title"), `Requests to the model (${model.seen.length})`);
    await page.click("#run-calls summary");
    await page.waitForSelector("#run-calls pre");
    const shown = await page.locator("#run-calls li").first().locator("pre").allTextContents();
    assert.ok(shown.at(-1).includes("The record of a scripted model."), shown.at(-1));
    // The instructions that are shown are those that were sent.
    const sent = JSON.stringify(model.seen[0].body);
    const instruction = shown[0].split("\n").find((line) => line.length > 40);
    assert.ok(sent.includes(JSON.stringify(instruction).slice(1, -1)), instruction);
    await page.selectOption("#run-filter", "events");
    assert.match(await page.innerText("#run-requests"), /compaction \d+ by a model: −/);
  });
}

test("the answer is seen while it is written, and Stop ends it", async () => {
  await fill();
  model.script(answer({ text: SUMMARY }, { chunks: [30], delay: 60 }));
  await page.click("#run-use");
  await page.waitForFunction(() =>
    /The model is writing: \d{2,}/.test(document.getElementById("run-writing")?.textContent),
  );
  const length = async () => Number((await page.textContent("#run-writing p")).match(/writing: ([\d,]+)/)[1]);
  const first = await length();
  await page.waitForFunction(
    (first) => Number(/writing: ([\d,]+)/.exec(document.getElementById("run-writing")?.textContent)?.[1]) > first,
    first,
  );
  await page.click("#run-abort");
  await state("The run was stopped");
  while (!model.seen[0].closed) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(await page.locator("#run-writing").count(), 0);
  assert.equal(model.seen.length, 1);
});

test("trying a model asks it for one word", async () => {
  await fill();
  model.script(answer({ text: "ready" }));
  await page.click("#run-try");
  await trial("It answers: “ready”");
  assert.equal(model.seen.length, 1);
});

const missing = createServer();
await new Promise((resolve) => missing.listen(0, "127.0.0.1", resolve));
const nowhere = `http://127.0.0.1:${missing.address().port}/v1`;
await new Promise((resolve) => missing.close(resolve));

const ERRORS = [
  ["a wrong key", () => ({ key: "another" }), undefined, /refused the key\. Is it complete/],
  [
    "a server without CORS",
    () => ({ address: `${closed.url}/v1` }),
    undefined,
    /is there, but answers no other website's pages \(no CORS\)/,
  ],
  ["an address where nothing listens", () => ({ address: nowhere }), undefined, /Nothing answers at 127\.0\.0\.1:\d+/],
  ["no address", () => ({ address: "my computer" }), undefined, /This is no address/],
  ["a page", () => ({}), raw("<title>Shop</title>", { type: "text/html" }), /answers, but not as an LLM does/],
  [
    "a wrong path",
    () => ({ address: `${model.url}/none` }),
    raw("no", { status: 404 }),
    /There is no LLM at .*Addresses of this kind end in \/v1/,
  ],
  ["silence", () => ({ patience: 1 }), hang(), /did not answer within 1 s/],
];
for (const [what, fields, behaviour, expected] of ERRORS) {
  test(`${what}: said when it is tried, and when it runs`, async () => {
    await fill(fields());
    if (behaviour) model.script(behaviour);
    await page.click("#run-try");
    await page.waitForSelector("#run-trial .said");
    assert.match(await page.innerText("#run-trial"), expected);
    await page.click("#run-use");
    if (what === "silence") {
      // It may answer the next time: the run goes on, by rules.
      await state("The run is complete");
      assert.match(await page.innerText("#run-calls"), expected);
      return;
    }
    await page.waitForSelector("#run-state.failed");
    assert.match(await page.innerText("#run-state"), expected);
    // Mended, it runs.
    model.clear();
    await fill();
    await page.click("#run-use");
    await state("The run is complete");
  });
}

test("the key is in no address and no storage, unless the reader wants it kept", async () => {
  await fill();
  await page.click("#run-use");
  await state("The run is complete");
  const stored = () =>
    page.evaluate(() => JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), location.href]));
  assert.ok(!(await stored()).includes(KEY));
  await page.reload();
  await page.waitForSelector("#run-model");
  assert.equal(await page.inputValue("#run-key"), "");
  await fill();
  await page.check("#run-keep");
  assert.ok((await stored()).includes(KEY));
  await page.reload();
  await page.waitForSelector("#run-model");
  assert.equal(await page.inputValue("#run-key"), KEY);
  await page.uncheck("#run-keep");
  assert.ok(!(await stored()).includes(KEY));
});

test("nothing is asked before the reader says so", async () => {
  await fill();
  await page.waitForFunction(() => document.getElementById("run-state").textContent.includes("Say which model"));
  assert.equal(model.seen.length, 0);
  assert.deepEqual(complaints, []);
});
