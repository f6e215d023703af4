/** A folder of the reader after a reload: in the views of search and of inline context. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { opened } from "./browser.mjs";
import { BROKEN } from "./broken-storage.mjs";
import { folderIn } from "./folders.mjs";

const temporary = mkdtempSync(join(tmpdir(), "espalier-kept-"));
let page, complaints, close;

before(async () => {
  ({ page, complaints, close } = await opened("#view=search&example=espalier", { ready: "#search-view" }));
});
after(async () => {
  await close?.();
  rmSync(temporary, { recursive: true });
});

const folderOf = (name, files) => folderIn(temporary, name, files);

const SHOP = {
  "src/cart.ts": "export const totalOfCart = (items) => items.length;\n",
  "src/größe/mail.ts": "export function sendReceipt(address) {\n  post(address);\n}\n",
  "logo.bin": Buffer.from([0, 1, 2, 0]),
};

/** Waits until a folder of this name is open. */
const isOpen = (page, name) =>
  page.waitForFunction((name) => document.getElementById("example").selectedOptions[0].text === name, name);

/** Asks a question in the view of search, and returns the places of its hits. */
async function places(page, query) {
  await page.fill("#query", query);
  await page.waitForFunction((query) => {
    const { dataset } = document.getElementById("search-view") ?? { dataset: {} };
    return dataset.query === query && dataset.complete === "true";
  }, query);
  return page.locator("#hits .path").allTextContents();
}

/** Waits until a folder is stored with these words, and in the address, which is written a moment later. */
async function isKept(page, name, words = "") {
  const found = ([name, words]) =>
    new Promise((resolve) => {
      if (new URLSearchParams(location.hash.slice(1)).get("folder") !== name) return resolve(false);
      const asked = indexedDB.open("espalier-playground");
      asked.onsuccess = () => {
        const found = asked.result.transaction("files").objectStore("files").get(`${name}/`);
        found.onsuccess = async () => resolve((await found.result?.file.text())?.includes(words) ?? false);
      };
    });
  for (let tries = 0; !(await page.evaluate(found, [name, words])); tries += 1) {
    assert.ok(tries < 200, `${name} is not kept`);
    await page.waitForTimeout(50);
  }
}

test("a folder is there again after a reload: its hits, what is left out, and how old it is", async () => {
  await page.setInputFiles("#folder", folderOf("shop", SHOP));
  await isOpen(page, "shop");
  const [before] = await places(page, "send a receipt");
  assert.match(before, /größe\/mail\.ts:1-3$/);
  assert.equal(await page.locator("#kept-note").count(), 0);
  await isKept(page, "shop");
  await page.reload();
  await isOpen(page, "shop");
  assert.deepEqual(await places(page, "send a receipt"), [before]);
  assert.match(await page.innerText("#kept-note"), /This is shop as it was when you opened it, \w+ \d+, \d{4}/);
  await page.click("#skipped-title");
  await page.waitForSelector("#skipped");
  assert.match(await page.innerText("#skipped"), /binary[\s\S]*logo\.bin/);
  assert.deepEqual(complaints, []);
});

test("the view of inline context has the kept folder, too, and Back leads to it", async () => {
  await page.click("#view-inline");
  await page.waitForSelector("#inline-view[data-cursor]");
  await page.selectOption("#open-file", { label: "cart.ts" });
  await page.waitForURL(/view=inline.*cart\.ts/);
  await page.reload();
  await page.waitForSelector("#inline-view[data-cursor]");
  assert.match(await page.textContent("#source-title"), /cart\.ts$/);
  assert.match(await page.inputValue("#inline-view textarea"), /totalOfCart/);
  assert.match(await page.innerText("#kept-note"), /This is shop/);
  await page.selectOption("#example", "espalier");
  await isOpen(page, "Sources of Espalier");
  await page.waitForFunction(() => location.hash.includes("example=espalier"));
  await page.goBack();
  await isOpen(page, "shop");
  assert.deepEqual(complaints, []);
});

test("a folder that is opened again is read anew, and kept as it is now", async () => {
  await page.click("#view-search");
  const changed = { ...SHOP, "src/refund.ts": "export const refund = () => undefined;\n" };
  await page.setInputFiles("#folder", folderOf("shop", changed));
  await page.waitForSelector("#kept-note", { state: "detached" });
  assert.match((await places(page, "refund")).join(), /refund\.ts/);
  await isKept(page, "shop", "refund.ts");
  await page.waitForURL(/view=search.*refund/);
  await page.reload();
  await isOpen(page, "shop");
  assert.match((await places(page, "refund")).join(), /refund\.ts/);
});

test("a folder that is too large to be kept is shown, and the page says that it is not kept", async () => {
  await page.click("#view-inline");
  const text = "one line of a long text about nothing\n".repeat(25_000);
  const files = Object.fromEntries(Array.from({ length: 56 }, (_, at) => [`${at}.txt`, text]));
  await page.setInputFiles("#folder", folderOf("library", files));
  await isOpen(page, "library");
  await page.waitForSelector("#not-kept", { timeout: 60_000 });
  assert.match(
    await page.innerText("#not-kept"),
    /The folder library will not be here after a reload: its texts take more than 50 MB/,
  );
  assert.match(await page.textContent("#source-title"), /\.txt$/);
  await page.click("#not-kept button");
  await page.reload();
  await page.waitForSelector("#alert");
  assert.match(await page.innerText("#alert"), /made with the folder library/);
  assert.deepEqual(complaints, []);
});

for (const [what, breaks] of Object.entries(BROKEN))
  test(`with storage that is ${what} a folder is searched, and the page says that it will not be kept`, async () => {
    const { page, complaints, close } = await opened("#view=search&example=espalier", {
      ready: "#search-view",
      before: (page) => page.addInitScript(breaks),
    });
    try {
      await page.setInputFiles("#folder", folderOf("shop", SHOP));
      await isOpen(page, "shop");
      await page.waitForSelector("#not-kept");
      assert.match(await page.innerText("#not-kept"), /will not keep your file and edits after a reload, because/);
      assert.match((await places(page, "send a receipt")).join(), /mail\.ts/);
      assert.equal(await page.locator("#alert").count(), 0);
      assert.deepEqual(complaints, []);
    } finally {
      await close();
    }
  });
