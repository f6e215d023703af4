/** The worker remembers results by the budgets for which they hold: they are those of a run anew. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { opened } from "./browser.mjs";

let page, close;

before(async () => {
  ({ page, close } = await opened("#example=airline", { ready: "#conversation:not([data-estimate]) [role=option]" }));
  // Asks a worker as the page does, without the page.
  await page.evaluate(() => {
    const worker = new Worker("worker.js", { type: "module" });
    let last = 0;
    globalThis.ask = (type, asked) =>
      new Promise((resolve, reject) => {
        const id = ++last;
        worker.addEventListener("message", function hear({ data }) {
          if (data.id !== id) return;
          worker.removeEventListener("message", hear);
          if ("failed" in data) reject(new Error(data.failed.message));
          else resolve(data.ok);
        });
        worker.postMessage({ id, type, asked });
      });
    /** Everything about a result but how it was found. */
    globalThis.plain = ({ rows, before, after, origin }) =>
      JSON.stringify([Object.values(rows).map((column) => [...column]), before, after, origin]);
  });
});
after(() => close?.());

/** Opens a transcript, and compares remembered with new results at `count` budgets from `least` to `most`. */
async function compare(text, least, most, count) {
  return page.evaluate(
    async ([text, least, most, count]) => {
      const { total } = await ask("open", { source: { text, name: "t.json" }, encoding: "o200k_base" });
      const [low, high] = [Math.round(least * total), Math.round(most * total)];
      let [remembered, differing] = [0, []];
      // Pseudo-random, and the same each time.
      let seed = 7;
      for (let at = 0; at < count; at++) {
        seed = (seed * 48_271) % 2_147_483_647;
        const budget = low + (seed % (high - low + 1));
        const found = await ask("run", { mode: "prune", budget }).catch((error) => error);
        if (found instanceof Error) continue;
        if (found.isRemembered) remembered++;
        const anew = await ask("run", { mode: "prune", budget, anew: true });
        if (plain(found) !== plain(anew) || budget < found.low || budget > found.high) differing.push(budget);
        // Both ends of the interval are the sharpest cases.
        for (const end of [found.low, Math.min(found.high, 2 * total)])
          if (plain(await ask("run", { mode: "prune", budget: end, anew: true })) !== plain(found)) differing.push(end);
      }
      return { remembered, differing, total };
    },
    [text, least, most, count],
  );
}

const fixture = (name) => readFileSync(new URL(`../fixtures/transcripts/${name}`, import.meta.url), "utf8");

for (const [name, least, count, atLeast] of [
  ["pi-refactor-long.json", 0.13, 60, 8],
  ["sweagent-marshmallow-1867.json", 0.3, 60, 3],
  ["tau-airline-11.json", 0.2, 60, 8],
  ["openhands-ponyc-4593.json", 0.2, 40, 0],
  ["cline-sidebar.json", 0.2, 40, 0],
]) {
  test(`remembered results of ${name} are those of new runs, at both ends, too`, async () => {
    const { remembered, differing } = await compare(fixture(name), least, 1.1, count);
    assert.deepEqual(differing, []);
    assert.ok(remembered >= atLeast, `${remembered} of ${count} were remembered`);
  });
}

test("where lengths depend on the budget, nothing is remembered beyond it", async () => {
  const long = Array.from({ length: 3_000 }, (_, at) => `line ${at} of a long result`).join("\n");
  const messages = [{ role: "user", content: "Go." }];
  for (let at = 0; at < 12; at++)
    messages.push(
      { role: "assistant", tool_calls: [{ id: `c${at}`, type: "function", function: { name: "f", arguments: "{}" } }] },
      { role: "tool", tool_call_id: `c${at}`, content: long.slice(0, 4_000 * (at + 1)) },
    );
  const { differing } = await compare(JSON.stringify(messages), 0.05, 1.05, 80);
  assert.deepEqual(differing, []);
});
