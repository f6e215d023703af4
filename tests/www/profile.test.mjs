/** Profiles edited as JSON, in a real Chromium: checked by the package while one types, used at once. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, beforeEach, test } from "node:test";
import { compact } from "../../pkg/dist/index-node.js";
import { profile } from "../../pkg/dist/profiles-node.js";
import { findingsOf } from "./axe.mjs";
import { opened } from "./browser.mjs";
import { figures } from "./conversation.mjs";

const BUDGET = 6_000;
const AT = `#example=marshmallow&mode=compact&budget=${BUDGET}`;
const EXACT = "#conversation:not([data-estimate]) [role=option]";
const FIXTURE = new URL("../fixtures/transcripts/sweagent-marshmallow-1867.json", import.meta.url);
let page, close, server, complaints;

before(async () => {
  const options = { ready: EXACT, viewport: { width: 1280, height: 1400 } };
  ({ page, close, server, complaints } = await opened(AT, options));
  page.setDefaultTimeout(15_000);
});
after(() => close?.());
beforeEach(async () => {
  complaints.length = 0;
  await page.goto("about:blank");
  await page.goto(`${server.url}${AT}`);
  await page.waitForSelector(EXACT);
  await settled();
});

const settled = () => page.waitForSelector("body:not(.busy)");
const openEditor = async (id) => {
  await page.locator(".profile-json", { hasText: "Edit the profile" }).first().locator("summary").click();
  await page.waitForFunction((id) => document.getElementById(id)?.value.startsWith("{"), id);
  return JSON.parse(await page.inputValue(`#${id}`));
};
const said = (id, pattern) =>
  page.waitForFunction(
    ([id, source]) => new RegExp(source).test(document.getElementById(`${id}-said`)?.textContent),
    [id, pattern.source],
  );

test("a changed field is used at once, stays in the address, and gives the package's own result", async () => {
  const mine = await openEditor("profile-json");
  assert.deepEqual(mine, JSON.parse(JSON.stringify(profile("espalier"))));
  mine.start.warm = 0.5;
  mine.shares.target = undefined;
  delete mine.shares.target;
  await page.fill("#profile-json", JSON.stringify(mine, null, 2));
  await said("profile-json", /^Unlike espalier: start\.warm\.$/);
  await page.waitForFunction(() =>
    /0\.5/.test(new URLSearchParams(location.hash.slice(1)).get("conversation.profile")),
  );
  await settled();
  const given = JSON.parse(
    await page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("conversation.profile")),
  );
  assert.deepEqual(given, { name: "espalier", start: { warm: 0.5 } });
  // The mark on the slider follows.
  await page.waitForFunction(() =>
    /beside the conversation at 3,000/.test(document.getElementById("slider-marks").textContent),
  );
  const { sent } = await figures(page);
  const { messages } = JSON.parse(readFileSync(FIXTURE, "utf8"));
  const { report } = await compact(messages, { budget: BUDGET, force: true, profile: given });
  assert.equal(sent, report.after.total);
  await page.reload();
  await page.waitForSelector(EXACT);
  await settled();
  assert.equal(await page.inputValue("#profile"), JSON.stringify(given));
  assert.deepEqual(await findingsOf(page), []);
  assert.deepEqual(complaints, []);
});

test("a wrong field is named with its path, and the last correct profile stays in use", async () => {
  const mine = await openEditor("profile-json");
  const before = await figures(page);
  mine.start.warm = 7;
  await page.fill("#profile-json", JSON.stringify(mine));
  await said("profile-json", /profile\.start\.warm.*\[bad_option\].*still in use/);
  assert.equal(await page.getAttribute("#profile-json", "aria-invalid"), "true");
  mine.start = { warmth: 0.5 };
  await page.fill("#profile-json", JSON.stringify(mine));
  await said("profile-json", /profile\.start\.warmth.*\[bad_option\]/);
  await page.fill("#profile-json", '{\n  "start": {\n');
  await said("profile-json", /This is not JSON: .*\[bad_json\]/);
  assert.deepEqual(await findingsOf(page), []);
  assert.deepEqual(await figures(page), before);
  assert.equal(await page.locator("#alert").count(), 0);
  await page.click("#profile-json-reset");
  await said("profile-json", /These are the fields of espalier/);
  assert.equal(await page.getAttribute("#profile-json", "aria-invalid"), "false");
  assert.equal(JSON.parse(await page.inputValue("#profile-json")).start.warm, profile("espalier").start.warm);
});

test("the run uses a profile of one's own, for each side", async () => {
  await page.goto(`${server.url}#view=run&example=marshmallow&budget=4000`);
  await page.reload();
  await page.waitForSelector("#run");
  const complete = () =>
    page.waitForFunction(() => /The run is complete/.test(document.getElementById("run-state").textContent));
  await complete();
  const mine = await openEditor("run-profile-json");
  mine.start.warm = 0.3;
  await page.fill("#run-profile-json", JSON.stringify(mine));
  await said("run-profile-json", /^Unlike espalier: start\.warm\.$/);
  await page.waitForSelector("#run-stop", { timeout: 3_000 }).catch(() => undefined);
  await complete();
  assert.equal(await page.inputValue("#run-profile"), '{"name":"espalier","start":{"warm":0.3}}');
  await page.check("#run-two");
  await complete();
  await page.selectOption("#run-b-profile", "gemini-cli");
  await page.waitForSelector(".profiles");
  assert.match(await page.textContent(".differs"), /profile espalier, changed \/ gemini-cli/);
  assert.match(await page.innerText(".profiles summary"), /fields of espalier, changed and gemini-cli differ/);
  await complete();
  assert.equal(await page.locator("#alert").count(), 0);
});

test("a link with a profile that is none opens with the usual one; a wrong field is named", async () => {
  await page.goto(`${server.url}${AT}&conversation.profile=${encodeURIComponent("[1]")}`);
  await page.reload();
  await page.waitForSelector(EXACT);
  await settled();
  assert.equal(await page.inputValue("#profile"), "espalier");
  await page.goto(`${server.url}${AT}&conversation.profile=${encodeURIComponent('{"start":{"warm":9}}')}`);
  await page.reload();
  await page.waitForSelector("#alert");
  assert.match(await page.innerText("#alert"), /profile\.start\.warm.*\[bad_option\]/s);
});
