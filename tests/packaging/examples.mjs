/** The pages in examples/, served as their README says, in Chromium. The agents run in tests/sdk. */

import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { serve } from "../../scripts/serve.mjs";

export function exampleCases({ browser, consumer }) {
  const installed = join(consumer, "node_modules", "espalier");

  /** Opens an example in a browser; an error on the page fails the case. */
  async function opened(name, act) {
    cpSync(join(installed, "examples", name), join(consumer, name), { recursive: true });
    const { url, close } = await serve(consumer);
    const page = await browser.newPage();
    try {
      const errors = [];
      page.on("pageerror", (error) => errors.push(error.message));
      await page.goto(`${url}${name}/`);
      await act(page, (id, pattern) =>
        page.waitForFunction(
          ([id, text]) => new RegExp(text).test(document.getElementById(id).textContent),
          [id, pattern.source],
        ),
      );
      assert.deepEqual(errors, []);
    } finally {
      await page.close();
      close();
    }
  }

  return {
    "examples: a page without a bundler counts while one types, and cuts by a slider": () =>
      opened("page", async (page, shows) => {
        await shows("tokens", /^3 tokens$/);
        await page.fill("#text", "The quick brown fox jumps over the lazy dog.");
        await shows("tokens", /^10 tokens$/);
        await page.fill("#budget", "600");
        await shows("fits", /^21 of 21 messages stay/);
        assert.equal(await page.locator("#removed li").count(), 0);
        await page.fill("#budget", "60");
        await shows("fits", /^[1-3] of 21 messages stay: \d+ of 60 tokens/);
        assert.match(await page.textContent("#removed"), /m0, m1: .*, \d+ tokens/);
      }),

    "examples: a worker compacts while the page draws": () =>
      opened("worker", async (page, shows) => {
        await shows("result", /has \d{5} tokens/);
        await page.click("#compact");
        await shows("result", /^applied: \d+ messages with \d{4} tokens remain/);
        assert.ok(Number(await page.textContent("#frames")) > 3);
      }),
  };
}
