/** What a reader takes along from the playground, in a real Chromium: links, code, a test, the fitted messages. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import { findingsOf } from "./axe.mjs";
import { opened } from "./browser.mjs";
import { alerted, figures, fitted, holds, setBudget, upload } from "./conversation.mjs";

const FIXTURES = new URL("../fixtures/transcripts/", import.meta.url);
const PACKAGE = fileURLToPath(new URL("../../pkg", import.meta.url));

let page, complaints, server, close;

before(async () => {
  const options = {
    ready: "#conversation:not([data-estimate]) [role=option]",
    viewport: { width: 1280, height: 1400 },
    permissions: ["clipboard-read", "clipboard-write"],
  };
  ({ page, complaints, server, close } = await opened("#example=marshmallow&budget=4070", options));
  page.setDefaultTimeout(15_000);
});
after(() => close?.());

const settled = () => page.waitForFunction(() => !document.body.classList.contains("busy"));
/** Copies with a button of the menu, and returns the text. */
async function copy(id) {
  await page.evaluate(() => navigator.clipboard.writeText(""));
  await page.click("#share summary");
  await page.click(`#${id}`);
  for (let tries = 0; tries < 200; tries++) {
    const text = await page.evaluate(() => navigator.clipboard.readText());
    if (text) return text;
    await page.waitForTimeout(50);
  }
  throw new Error(`nothing was copied: ${await page.locator("#alert").allTextContents()}`);
}
async function visit(address) {
  await page.goto("about:blank");
  await page.goto(address);
  await page.waitForSelector("#conversation:not([data-estimate]) [role=option]");
  await settled();
}
const fates = async () => {
  for (const fold of await page.locator(".row.fold[data-open=false]").all()) await fold.click();
  const texts = (part) => page.locator(`.row:not(.fold) ${part}`).allTextContents();
  return [await texts(".fate"), await texts(".role"), await texts(".count")];
};

test("a link with all words shows the same to somebody else", async () => {
  const here = [await figures(page), await fates()];
  const link = await copy("copy-words");
  assert.ok(link.startsWith(server.url) && link.length < 33_000, `${link.length}`);
  await visit(link);
  assert.deepEqual([await figures(page), await fates()], here);
  await page.waitForFunction(() => /marshmallow/.test(document.getElementById("messages").textContent));
  assert.deepEqual(complaints, []);
});

test("a link with the shape holds no words, and is pruned alike at any budget", async () => {
  await visit(`${server.url}#example=marshmallow&budget=4070`);
  const here = [];
  for (const budget of [4_070, 3_000]) {
    await setBudget(page, budget);
    await fitted(page, budget);
    here.push(await figures(page));
  }
  const link = await copy("copy-shape");
  assert.ok(link.length < 2_000, `${link.length}`);
  await visit(link);
  const there = [];
  for (const budget of [4_070, 3_000]) {
    await setBudget(page, budget);
    await fitted(page, budget);
    there.push(await figures(page));
  }
  // A shortened result is cut between words, and filler has other words: a few tokens may differ. Where the output of a
  // tool can spare lines (at 6,000), filler cannot.
  const few = (sent) => Math.round(sent / 20);
  const rounded = (all) => all.map((one) => ({ ...one, sent: few(one.sent) }));
  assert.deepEqual(rounded(there), rounded(here));
  assert.doesNotMatch(await page.innerText("#messages"), /marshmallow|TimeDelta/);
  await page.locator(".row:not(.fold)").first().click();
  await page.waitForSelector("#original");
  assert.equal(await page.textContent("#original"), "(its words are not in the link)");
});

test("the shape of 990 messages is a short link; their words are too long, which is said", async () => {
  await visit(`${server.url}#example=pi&budget=64000`);
  const here = await figures(page);
  const link = await copy("copy-shape");
  assert.ok(link.length < 12_000, `${link.length}`);
  await page.click("#share summary");
  await page.click("#copy-words");
  await alerted(page);
  assert.match(await page.textContent("#alert"), /link of \d+ kB; up to 32 kB are possible\. Share its shape/);
  await visit(link);
  assert.deepEqual(await figures(page), here);
});

const DAMAGED = [
  ["cut short", (link) => link.slice(0, link.indexOf("words=") + 400), /cut short/],
  [
    "of another version",
    (link) => link.replace(/words=1\./, "words=7."),
    /version 7 of this page, and this is version 1/,
  ],
  ["of 5 MB", (link) => `${link.slice(0, link.indexOf("words="))}words=1.${"A".repeat(5_000_000)}`, /5\.0 MB long/],
  ["of something else", (link) => `${link.slice(0, link.indexOf("#"))}#words=hello!`, /damaged/],
];
test("a damaged link gets one plain sentence, and something to look at", async () => {
  await visit(`${server.url}#example=airline`);
  const link = await copy("copy-words");
  for (const [what, damage, expected] of DAMAGED) {
    await page.goto("about:blank");
    // The address bar takes what the tool's own protocol is slow at.
    await page.goto(server.url);
    await page.waitForSelector("#conversation:not([data-estimate]) [role=option]");
    await page.evaluate((hash) => (location.hash = hash), new URL(damage(link)).hash);
    await alerted(page);
    assert.match(await page.textContent("#alert"), expected, what);
    assert.ok((await page.locator("[role=option]").count()) > 0, what);
  }
});

test("code and test case run with the package, and say what the page says", async () => {
  const folder = mkdtempSync(join(tmpdir(), "espalier-share-"));
  cpSync(PACKAGE, join(folder, "node_modules", "espalier"), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  const text = readFileSync(new URL("tau-airline-11.json", FIXTURES), "utf8");
  writeFileSync(join(folder, "mine.json"), text);
  const session = readFileSync(new URL("../sessions/claude-code.jsonl", FIXTURES), "utf8");
  writeFileSync(join(folder, "log.jsonl"), session);
  await visit(`${server.url}#example=airline`);
  for (const [name, content, count] of [
    ["mine.json", text, 36],
    ["log.jsonl", session, 4],
  ]) {
    await upload(page, name, content);
    await holds(page, count);
    await settled();
    const { total, sent } = await figures(page);
    writeFileSync(join(folder, "code.mjs"), await copy("copy-code"));
    // A test that runs in a test would report to it.
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
    const run = (...args) => execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8", env });
    assert.equal(run("code.mjs"), `${total} ${sent}\n`);
    writeFileSync(join(folder, "case.test.mjs"), await copy("copy-test"));
    assert.match(run("--test", "--test-reporter=tap", "case.test.mjs"), /# pass 1\n# fail 0/);
  }
  rmSync(folder, { recursive: true });
});

test("the fitted messages are saved in the format of the file", async () => {
  await upload(page, "mine.json", readFileSync(new URL("tau-airline-11.json", FIXTURES), "utf8"));
  await holds(page, 36);
  await settled();
  await page.click("#share summary");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save-result")]);
  const saved = JSON.parse(readFileSync(await download.path(), "utf8"));
  const messages = Array.isArray(saved) ? saved : saved.messages;
  const { messages: all, out } = await figures(page);
  assert.equal(messages.length, all - out);
  assert.ok(messages.every(({ role }) => typeof role === "string"));
});

/** Presses a button of the menu that saves a file, and returns the file. */
async function saved(id) {
  await page.click("#share summary");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(`#${id}`)]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

const EVIL =
  "</pre></details><script>document.title = 'pwned'</script><img src=x onerror=\"document.title = 'pwned'\">";

test("a saved page shows all messages without scripts, network or this page, and runs nothing of theirs", async () => {
  const messages = Array.from({ length: 12 }, (_, at) => ({
    role: at % 2 ? "assistant" : "user",
    content: `${EVIL} number ${at} `.repeat(20),
  }));
  await upload(page, "mine & <b>.json", JSON.stringify(messages));
  await holds(page, 12);
  await settled();
  const { sent, out } = await figures(page);
  const { name, bytes } = await saved("save-page");
  assert.match(name, /^mine-b-\d+\.html$/);
  const path = join(mkdtempSync(join(tmpdir(), "saved-")), "page.html");
  writeFileSync(path, bytes);
  const context = await page.context().browser().newContext({ offline: true });
  try {
    const other = await context.newPage();
    const asked = [];
    other.on("request", (request) => asked.push(request.url()));
    await other.goto(`file://${path}`);
    assert.deepEqual(asked, [`file://${path}`]);
    assert.equal(await other.title(), "mine & <b>.json: what fits");
    assert.match(await other.innerText("h1"), /^12 messages, [\d,]+ tokens; [\d,]+ fit\.$/);
    assert.match(
      await other.innerText("header"),
      new RegExp(`${sent.toLocaleString("en")} are sent, ${out} messages out`),
    );
    assert.equal(await other.locator(".message").count(), 12);
    assert.equal(await other.locator("script, img").count(), 0);
    assert.equal(await other.locator(".fold").count(), 1);
    const visible = () => other.locator("main > details:visible").count();
    const folded = await other.locator(".fold .message").count();
    assert.ok(folded >= 3);
    assert.equal(await visible(), 1 + 12 - folded);
    await other.check("#sent");
    assert.equal(await visible(), 12 - out);
    await other.check("#gone");
    assert.equal(await visible(), 1 + out - folded);
    await other.click(".fold > summary");
    await other.click(".fold .message > summary");
    assert.equal(await other.locator(".fold .message pre").first().innerText(), messages[0].content);
    await other.check("#all");
    assert.deepEqual(await findingsOf(other), []);
  } finally {
    await context.close();
    rmSync(path);
  }
});

test("a saved picture has the colours of the theme, and the figures' place", async () => {
  const pictures = [];
  for (const theme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: theme });
    const { name, bytes } = await saved("save-picture");
    assert.match(name, /\.png$/);
    pictures.push(
      await page.evaluate(
        async (bytes) => {
          const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)], { type: "image/png" }));
          const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
          const context = canvas.getContext("2d");
          context.drawImage(bitmap, 0, 0);
          const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
          const wanted = ["--card", "--in", "--out"].map((name) => {
            context.fillStyle = getComputedStyle(document.getElementById("strip")).getPropertyValue(name);
            context.fillRect(0, 0, 1, 1);
            return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3).join();
          });
          const counts = new Map(wanted.map((colour) => [colour, 0]));
          for (let at = 0; at < data.length; at += 4) {
            const colour = `${data[at]},${data[at + 1]},${data[at + 2]}`;
            if (counts.has(colour)) counts.set(colour, counts.get(colour) + 1);
          }
          return { size: [bitmap.width, bitmap.height], colours: wanted, counts: [...counts.values()] };
        },
        [...bytes],
      ),
    );
  }
  const [light, dark] = pictures;
  for (const { size, counts } of pictures) {
    assert.deepEqual(size, [2_000, 660]);
    assert.ok(counts[0] > 500_000 && counts[1] > 5_000 && counts[2] > 5_000, `${counts}`);
  }
  assert.notDeepEqual(light.colours, dark.colours);
});

test("where the system has a dialog for it, the picture and the sentence are handed over", async () => {
  await page.evaluate(() => {
    navigator.canShare = () => true;
    navigator.share = async ({ title, text, url, files }) => {
      globalThis.shared = { title, text, url, files: files.map(({ name, type, size }) => [name, type, size > 1_000]) };
    };
  });
  await page.click("#share summary");
  await page.click("#share-system");
  const shared = await page.waitForFunction(() => globalThis.shared).then((found) => found.jsonValue());
  assert.match(shared.text, /^12 messages, .* fit\. .* are sent/);
  assert.equal(shared.url, undefined, "nobody else can open a link to a file of mine");
  assert.deepEqual(shared.files, [["mine-b.png", "image/png", true]]);
});
