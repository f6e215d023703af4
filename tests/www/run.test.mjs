/** The run view in a real Chromium: a conversation replayed, looked at, compared; figures against the package's own. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, beforeEach, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { register } from "tsx/esm/api";
import { findingsOf } from "./axe.mjs";
import { opened, until } from "./browser.mjs";
import { busy } from "./tasks.mjs";

register();
const { espalier } = await import("../js/built.ts");
const { Replay } = await import("../../www/run/replay.ts");
const { DEFAULTS } = await import("../../www/run/settings.ts");
const { totalsOf } = await import("../../www/run/totals.ts");
const { readConversation } = await import("../../js/formats/index.ts");

const SETTINGS = { ...DEFAULTS, budget: 64_000, encoding: "o200k_base" };
const PI = JSON.parse(readFileSync(new URL("../fixtures/transcripts/pi-refactor-long.json", import.meta.url), "utf8"));

/** Runs in Node that several cases compare with, by their settings: each takes seconds. */
const runs = new Map();

/** The same run of the first example in Node, with the built package. */
function expected(settings = {}) {
  const key = JSON.stringify(settings);
  if (!runs.has(key)) runs.set(key, replayed(settings));
  return runs.get(key);
}

async function replayed(settings) {
  const { messages } = readConversation(PI, {});
  const replay = new Replay(espalier, { messages }, { ...SETTINGS, ...settings });
  while (await replay.step());
  await replay.dispose();
  return replay;
}

let page, complaints, server, close;
before(async () => {
  ({ page, complaints, server, close } = await opened("#view=run", {
    ready: "#run",
    viewport: { width: 1280, height: 900 },
  }));
});
after(() => close?.());
beforeEach(() => (complaints.length = 0));

const number = (value) => value.toLocaleString("en");
const complete = () =>
  page.waitForFunction(
    () => document.getElementById("run-state")?.textContent.includes("The run is complete"),
    undefined,
    { timeout: 60_000 },
  );

/** Opens the view with these settings in the address. */
async function open(hash = "") {
  await page.goto("about:blank");
  await page.goto(`${server.url}#view=run${hash}`);
  await page.waitForSelector("#run");
  await complete();
}

/**
 * Leaves the view and returns: it is built anew, with nothing chosen, and shows the run that it has. Most cases look at
 * the run of the first example, whose 485 requests need not be replayed for each.
 */
async function again() {
  await page.click("#view-conversation");
  await page.waitForSelector("#conversation [role=option]");
  await page.click("#view-run");
  await page.waitForSelector("#run");
  await complete();
}

/** Changes something, and waits for the run that follows, however soon it ends. */
async function changed(act) {
  const begun = page.waitForSelector("#run-stop");
  await act();
  await begun;
  await complete();
}

/** Begins to note the numbers of requests that the state shows; returns a function that reads them. */
async function counts() {
  await page.evaluate(() => {
    globalThis.counts = [];
    const note = () => {
      const [, count] = /^([\d,]+) of/.exec(document.getElementById("run-state")?.textContent) ?? [];
      if (count !== undefined) globalThis.counts.push(Number(count.replace(/,/g, "")));
    };
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  return () => page.evaluate(() => globalThis.counts);
}

const sums = (column = 1) =>
  page.evaluate(
    (column) =>
      Object.fromEntries(
        [...document.querySelectorAll("#run-sums tbody tr")].map(({ cells }) => [
          cells[0].textContent,
          cells[column].textContent,
        ]),
      ),
    column,
  );

/** The cells of a request's row, brought into sight. */
async function rowOf(request) {
  await page.focus("#run-requests");
  await page.keyboard.press("Home");
  for (let at = 1; at < request; at += 1) await page.keyboard.press("ArrowDown");
  return page.locator("#run-requests [aria-selected=true] [role=gridcell]").allTextContents();
}

/** Number of pixels of the chart that have the colour of a variable of the page, more or less. */
const pixels = (name) =>
  page.evaluate((name) => {
    const canvas = document.querySelector("#run-chart canvas");
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.color = `var(--${name})`;
    const wanted = getComputedStyle(probe).color.match(/\d+/g).map(Number);
    probe.remove();
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4)
      if (wanted.every((value, channel) => Math.abs(data[at + channel] - value) < 12)) count += 1;
    return count;
  }, name);

test("stopping keeps what there is, and says so", async () => {
  await page.waitForFunction(() => document.querySelectorAll("#run-requests .row").length > 0);
  await page.click("#run-stop");
  await page.waitForFunction(() => document.getElementById("run-state").textContent.includes("was stopped"));
  const [count] = (await page.textContent("#run-requests-title")).match(/\d+/);
  assert.ok(Number(count) > 0 && Number(count) < 485, count);
  await page.click("#run-again");
  await complete();
  assert.equal(await page.textContent("#run-requests-title"), "Requests (485)");
});

test("it replays the first example, and shows the run that the package makes in Node", async () => {
  await complete();
  const replay = await expected();
  const totals = totalsOf(replay);
  const shown = await sums();
  assert.equal(shown["tokens sent in all"], number(totals.sent));
  assert.equal(shown["read from the cache"], number(totals.cached));
  assert.equal(shown["summaries applied"], String(totals.summaries));
  assert.equal(shown["waits"], String(totals.waits));
  assert.equal(shown["kept word for word at the end"], number(totals.whole));
  assert.equal(await page.textContent("#run-requests-title"), "Requests (485)");
  const { end } = replay.compactions[0];
  const row = replay.requests[end - 1];
  const cells = await rowOf(end);
  assert.deepEqual(cells.slice(0, 4), [String(end), number(row.sent), number(row.history), number(row.cached)]);
  assert.match(cells[4], /compaction 1 by a model: −[\d,]+/);
  assert.deepEqual(complaints, []);
});

test("the chart is drawn, in colours of the theme, and says what it shows to those who do not see it", async () => {
  await again();
  assert.ok((await pixels("in")) > 1_000 && (await pixels("bad")) > 100);
  assert.match(
    await page.getAttribute("#run-chart", "aria-label"),
    /485 requests into a window of 64,000 tokens, the largest with [\d,]+; 10 compactions/,
  );
  const before = await page.screenshot({ clip: await page.locator("#run-chart").boundingBox() });
  await page.click("#theme");
  await page.click("#theme");
  await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
  assert.ok((await pixels("in")) > 1_000, "the colours follow the theme");
  const after = await page.screenshot({ clip: await page.locator("#run-chart").boundingBox() });
  assert.ok(!before.equals(after));
  await page.click("#theme");
});

test("a click into the chart chooses that request, and shows its messages and its plan", async () => {
  await again();
  const box = await page.locator("#run-chart .u-over").boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await page.waitForSelector("#run-messages .row");
  const at = Number((await page.textContent("#run-step-title")).match(/\d+/)[0]);
  assert.ok(Math.abs(at - 243) < 4, String(at));
  const replay = await expected();
  const { sent, sentMessages, whole } = replay.requests[at - 1];
  assert.ok(
    (await page.textContent(".facts")).startsWith(
      `${number(sent)} tokens in ${number(sentMessages)} messages, ${number(whole)} of them word for word`,
    ),
  );
  await page.click(".facts summary");
  assert.match(
    await page.textContent(".facts"),
    /Cache marks that a host would set: .*newest[\s\S]*summary \(threshold\)/,
  );
});

test("by keyboard alone: the next compaction, its messages, why one is gone, the text behind it", async () => {
  await again();
  await page.focus("#run-requests");
  await page.keyboard.press("]");
  await page.waitForSelector("#run-messages .row");
  assert.equal(await page.textContent("#run-step-title"), "Request 15");
  assert.match(await page.textContent(".happened"), /compaction 1 by a model: −[\d,]+/);
  await page.keyboard.press("]");
  await page.waitForFunction(() => document.getElementById("run-step-title").textContent === "Request 63");
  await page.keyboard.press("[");
  await page.waitForFunction(() => document.getElementById("run-step-title").textContent === "Request 15");
  await page.selectOption("#run-fates", "gone");
  await page.focus("#run-messages");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await page.waitForSelector("#run-detail pre");
  const detail = await page.textContent("#run-detail");
  assert.match(detail, /covered\. The summary e\d+ covers it\.[\s\S]*Original/);
  const selected = page.locator("#run-messages [aria-selected=true]");
  assert.equal(await page.getAttribute("#run-messages", "aria-activedescendant"), await selected.getAttribute("id"));
  await page.waitForFunction(
    () => document.querySelector("#run-messages [aria-selected=true] .what").textContent !== "",
  );
  assert.equal(await page.evaluate(() => document.activeElement.id), "run-messages", "the focus stays");
  await page.selectOption("#run-fates", "all");
});

test("only the rows that can be seen are in the page", async () => {
  await again();
  await page.focus("#run-requests");
  await page.keyboard.press("End");
  await page.waitForSelector("#run-messages .row");
  assert.equal(await page.getAttribute("#run-requests", "aria-rowcount"), "486");
  assert.ok((await page.locator("#run-requests .row").count()) < 50);
  assert.ok((await page.locator("#run-messages .row").count()) < 50);
});

test("two runs side by side: deltas, what differs, and all of it in the address", async () => {
  await again();
  await changed(() => page.check("#run-two"));
  const shown = await counts();
  await changed(() => page.selectOption("#run-b-profile", "copilot-cli"));
  const since = (await shown()).slice((await shown()).indexOf(0));
  assert.ok(since.find((count) => count > 0) >= 485, `A is not replayed: ${since.slice(0, 5)}`);
  assert.equal(await page.textContent(".differs"), "window 64,000 / 32,000, profile espalier / copilot-cli");
  const [a, b] = [await expected(), await expected({ budget: 32_000, profile: "copilot-cli" })];
  const [first, second] = [totalsOf(a), totalsOf(b)];
  assert.equal((await sums(2))["tokens sent in all"], number(second.sent));
  assert.equal((await sums(3))["tokens sent in all"], `−${number(first.sent - second.sent)}`);
  assert.equal((await sums(3))["summaries applied"], `+${second.summaries - first.summaries}`);
  assert.ok((await pixels("in")) > 1_000 && (await pixels("new")) > 500, "both are drawn");
  await page.selectOption("#run-filter", "different");
  const differ = a.requests.filter(({ sent }, at) => sent !== b.requests[at].sent).length;
  const title = Number((await page.textContent("#run-requests-title")).match(/\d+/)[0]);
  assert.ok(title >= differ && title < 485, `${title} of 485, ${differ} by their tokens`);
  await page.focus("#run-requests");
  await page.keyboard.press("Home");
  await page.waitForSelector("#run-messages .row");
  await page.keyboard.press("]");
  await page.selectOption("#run-fates", "different");
  await page.waitForFunction(() => {
    const rows = [...document.querySelectorAll("#run-messages .row:not(.inserted)")];
    return rows.length > 0 && rows.every(({ children }) => children[3].textContent !== children[4].textContent);
  });
  await page.waitForFunction(() => location.hash.includes("run.b.profile=copilot-cli"));
  await page.reload();
  await page.waitForSelector("#run");
  await complete();
  assert.equal(await page.inputValue("#run-b-profile"), "copilot-cli");
  assert.equal((await sums(2))["tokens sent in all"], number(second.sent));
});

// The next three look at the two runs of the last: a replay takes the browser seconds.

for (const [what, size] of [
  ["wide", { width: 1280, height: 900 }],
  ["narrow", { width: 400, height: 800 }],
]) {
  test(`${what}: axe finds nothing with all details open, nothing overflows, and targets are large enough`, async () => {
    await page.setViewportSize(size);
    await again();
    assert.ok(await page.isChecked("#run-two"), "the two runs are still there");
    await page.waitForSelector(".profiles");
    await page.focus("#run-requests");
    await page.keyboard.press("]");
    await page.waitForSelector("#run-messages .row");
    await page.focus("#run-messages");
    await page.keyboard.press("ArrowDown");
    await page.waitForSelector("#run-detail pre");
    assert.deepEqual(await findingsOf(page), []);
    const problems = await page.evaluate(() => {
      const small = [...document.querySelectorAll("#run :is(button, select, input, summary)")].filter((one) => {
        const box = one.closest("label.check")?.getBoundingClientRect() ?? one.getBoundingClientRect();
        return box.width > 0 && (box.height < 24 || box.width < 24);
      });
      const wide = document.documentElement.scrollWidth > innerWidth ? ["the page scrolls sideways"] : [];
      return [...small.map(({ id, textContent }) => `${id || textContent} is small`), ...wide];
    });
    assert.deepEqual(problems, []);
    await page.setViewportSize({ width: 1280, height: 900 });
  });
}

test("the figures, the picture and the code can be taken along", async () => {
  await again();
  const saved = async (button) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.click(button)]);
    return readFileSync(await download.path());
  };
  const [head, ...lines] = (await saved("#run-figures")).toString("utf8").trim().split("\n");
  assert.match(head, /^run,request,messages,history,sent,cached,lost/);
  const { requests } = await expected();
  const { number: at, messages, history, sent, cached, lost } = requests[14];
  assert.ok(lines[14].startsWith(["A", at, messages, history, sent, cached, lost].join(",")), lines[14]);
  assert.equal(lines.length, 2 * 485);
  const picture = await saved("#run-picture");
  assert.equal(picture.subarray(1, 4).toString(), "PNG");
  assert.ok(picture.length > 10_000);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.click("#run-code");
  await until(page, async () => (await navigator.clipboard.readText()).includes("openConversation"));
  const code = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(code, /profile: "espalier", model: \{ maxPromptTokens: 64000 \}, llm/);
  await page.click(".profiles summary");
  assert.match(await page.innerText(".profiles"), /fields of espalier and copilot-cli differ[\s\S]*applyMin/);
  await changed(() => page.uncheck("#run-two"));
  await page.waitForFunction(() => !location.hash.includes("run.b"));
});

test("what if a compaction were undone: the messages come back, and the next one is made sooner", async () => {
  await again();
  await rowOf(20);
  await page.waitForSelector("#run-undo-0");
  await changed(() => page.click("#run-undo-0"));
  const { requests } = await expected({ undo: [20] });
  assert.equal((await rowOf(20))[1], number(requests[19].sent));
  assert.match((await rowOf(20))[4], /compaction 1 is undone before it/);
  await page.waitForFunction(() => location.hash.includes("run.undo=20"));
  await page.waitForSelector('#run-undo-0[aria-pressed="true"]');
  await changed(() => page.click("#run-undo-0"));
  assert.doesNotMatch((await rowOf(20))[4], /undone/);
});

test("at 400 px the chart stays in sight while one goes to the settings", async () => {
  await page.setViewportSize({ width: 400, height: 800 });
  await again();
  await page.focus("#run-pace");
  const [chart, slider] = await page.evaluate(() =>
    ["run-chart", "run-pace"].map((id) => {
      const { top, bottom } = document.getElementById(id).getBoundingClientRect();
      return { top, bottom };
    }),
  );
  assert.ok(chart.top >= 0 && chart.bottom < 500 && slider.top > chart.bottom && slider.bottom <= 800);
  await page.setViewportSize({ width: 1280, height: 900 });
});

test("a slower summary is ready later, and one that fails is shown as failed", async () => {
  await again();
  const events = async (request) => (await rowOf(request))[4];
  assert.match(await events(14), /compaction 1 is ready/);
  await changed(async () => {
    await page.fill("#run-latency", "28");
    await page.press("#run-latency", "Tab");
  });
  assert.doesNotMatch(await events(14), /ready/);
  assert.match(await events(15), /compaction 1 is ready/);
  await changed(() => page.selectOption("#run-failures", "always"));
  const { requests, compactions } = await expected({ latency: 28, failures: "always" });
  assert.equal((await sums())["waits"], String(requests.filter(({ waited }) => waited > 0).length));
  await page.selectOption("#run-filter", "events");
  const list = await page.innerText("#run-requests");
  assert.match(list, /compaction 1 failed: The scripted model is told to fail/);
  assert.ok(compactions.every(({ author, outcome }) => outcome !== "applied" || author === "rule"));
  await page.selectOption("#run-filter", "all");
  assert.deepEqual(complaints, []);
});

test("402,554 tokens are replayed while the window is dragged", async () => {
  await again();
  await busy(page, "402,554 tokens are replayed and the window is dragged", async () => {
    const slider = await page.locator("#run-slider").boundingBox();
    await page.mouse.move(slider.x + slider.width * 0.2, slider.y + slider.height / 2);
    await page.mouse.down();
    for (let step = 0; step < 40; step += 1) {
      await page.mouse.move(slider.x + slider.width * (0.2 + step / 100), slider.y + slider.height / 2);
      await page.waitForTimeout(40);
    }
    await page.mouse.up();
    await page.waitForSelector("#run-stop");
    await complete();
  });
});

test("a session that its agent compacted says so, and its whole history can be replayed", async () => {
  await page.setInputFiles("#file", new URL("../fixtures/sessions/claude-code.jsonl", import.meta.url).pathname);
  await page.waitForSelector("#run-whole");
  await complete();
  assert.match(
    await page.textContent(".whole"),
    /Claude Code has compacted this session: these \d+ messages are what is left of \d+/,
  );
  const title = () => page.textContent("#run-requests-title");
  const before = await title();
  await page.click("#run-whole");
  await page.waitForFunction((before) => document.getElementById("run-requests-title").textContent !== before, before);
  await complete();
  const most = (text) => Number(text.match(/\d+/)[0]);
  assert.ok(most(await title()) > most(before), `${before}, ${await title()}`);
  assert.equal(await page.locator("#run-whole").count(), 0);
  assert.deepEqual(complaints, []);
});

test("a conversation in Espalier's own format is replayed, in a list, in a request and in a saved log", async () => {
  const { messages } = JSON.parse(
    readFileSync(new URL("../fixtures/transcripts/tau-airline-0.json", import.meta.url), "utf8"),
  );
  await open("&example=airline&budget=3000");
  const provider = await sums();
  const { messages: own } = espalier.convert(messages, "espalier");
  const log = espalier.ConversationLog.from(own, { format: "espalier" });
  for (const [name, text] of [
    ["list.json", JSON.stringify(own)],
    ["request.json", JSON.stringify({ messages: own, tools: [] })],
    ["saved.jsonl", log.export()],
  ]) {
    await page.setInputFiles("#file", { name, mimeType: "", buffer: Buffer.from(text) });
    await page.waitForFunction((name) => document.getElementById("example").selectedOptions[0].text === name, name);
    await page.waitForFunction(() => document.getElementById("run-budget").value === "2318");
    await page.fill("#run-budget", "3000");
    await page.press("#run-budget", "Tab");
    for (let tries = 0; tries < 100 && !isDeepStrictEqual(await sums(), provider); tries++)
      await page.waitForTimeout(50);
    assert.deepEqual(await sums(), provider, name);
    await complete();
  }
  assert.deepEqual(complaints, []);
});

test("a window that nothing fits into: the requests say so, and the run goes on", async () => {
  await open("&example=marshmallow&budget=4000");
  await changed(async () => {
    await page.fill("#run-budget", "900");
    await page.press("#run-budget", "Tab");
  });
  const [title] = (await page.textContent("#run-requests-title")).match(/\d+/);
  assert.ok(Number(title) > 5);
  assert.ok(Number((await sums())["requests that do not fit"]) > 0);
  await page.selectOption("#run-filter", "events");
  assert.match(await page.innerText("#run-requests"), /What must be kept needs [\d,]+ tokens/);
  await page.selectOption("#run-filter", "all");
});

test("it opens in a browser whose language is not one", async () => {
  const other = await page.context().newPage();
  // WebKitGTK has this with LC_ALL=C; uPlot formats by it while it loads.
  await other.addInitScript(() => Object.defineProperty(Navigator.prototype, "language", { value: "C" }));
  await other.goto(`${server.url}#view=run&example=marshmallow`);
  await other.waitForSelector("#run-chart canvas");
  await other.close();
});
