/** The playground in a browser that refuses storage, or has no room left. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { BROKEN } from "./broken-storage.mjs";
import { opened } from "./browser.mjs";
import { fitted, holds, openTab, setBudget, upload } from "./conversation.mjs";

for (const [what, breaks] of Object.entries(BROKEN))
  test(`with storage that is ${what} everything works until a reload, which is said once`, async () => {
    const { page, complaints, close } = await opened("#example=marshmallow", {
      ready: "#conversation:not([data-estimate]) [role=option]",
      before: (page) => page.addInitScript(breaks),
    });
    try {
      const said = page.waitForFunction(() =>
        /will not keep your file and edits after a reload, because (its storage is full|it does not allow storage)/.test(
          document.getElementById("status").textContent,
        ),
      );
      await upload(
        page,
        "mine.json",
        JSON.stringify([
          { role: "user", content: "Hello." },
          { role: "assistant", content: "Hi." },
        ]),
      );
      await holds(page, 2);
      await said;
      await setBudget(page, 1_000);
      await fitted(page, 1_000);
      await page.locator(".row").first().click();
      await page.click("#pin");
      await page.waitForSelector("#pin[aria-pressed=true]");
      // New figures are said, and the warning stays.
      await page.waitForFunction(() => /tokens are sent/.test(document.getElementById("status").textContent));
      assert.match(await page.innerText("#not-kept"), /will not keep your file and edits after a reload/);
      await page.click("#not-kept button");
      await page.click("#pin");
      await page.waitForSelector("#pin[aria-pressed=false]");
      assert.equal(await page.locator("#not-kept").count(), 0, "it is not said twice");
      await page.click("#pin");
      await page.waitForSelector("#pin[aria-pressed=true]");
      await openTab(page, "log");
      assert.match(await page.innerText("#log > p"), /1 message pinned/);
      await page.click("#theme");
      assert.equal(await page.locator("#alert").count(), 0);
      assert.deepEqual(complaints, []);
    } finally {
      await close();
    }
  });

test("a warning about storage goes once there is room again", async () => {
  const { page, close } = await opened("#example=marshmallow", {
    ready: "#conversation:not([data-estimate]) [role=option]",
    before: (page) =>
      page.addInitScript(() => {
        const { put } = IDBObjectStore.prototype;
        globalThis.isFull = true;
        IDBObjectStore.prototype.put = function (...args) {
          if (globalThis.isFull) throw new DOMException("full", "QuotaExceededError");
          return put.apply(this, args);
        };
      }),
  });
  try {
    await page.locator(".row").first().click();
    await page.click("#pin");
    await page.waitForSelector("#not-kept");
    await page.evaluate(() => (globalThis.isFull = false));
    await page.click("#pin");
    await page.waitForSelector("#not-kept", { state: "detached" });
  } finally {
    await close();
  }
});
