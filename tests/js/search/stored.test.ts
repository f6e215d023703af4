/**
 * Indexes in storages: what is read back is what was written, and whatever is wrong with it is reported and made again.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryFolder } from "../folder.ts";
import { fakeIndexedDb } from "../conversation/indexeddb.ts";
import { Blobs, Files, PLACES, answers, openIndex, random, search, text } from "./support.ts";
import type { IndexOptions, IndexReport, IndexStorage, IndexWarning } from "./support.ts";

const codes = (warnings: readonly IndexWarning[]) => warnings.map(({ code }) => code);
const counts = ({ added, changed, unchanged, removed }: IndexReport) => [added, changed, unchanged, removed];

/** 300 files: three segments. */
function corpus(): Files {
  const pick = random(7);
  return new Files(
    Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`src/f${at}.md`, text(pick, 1 + pick(30))])),
  );
}

async function expected(source: Files): Promise<unknown> {
  const index = await openIndex({ source });
  await index.sync();
  const found = await answers(index);
  await index.dispose();
  return found;
}

function memento() {
  const values = new Map<string, unknown>();
  return {
    get: (key: string) => values.get(key),
    update: async (key: string, value: unknown) =>
      void (value === undefined ? values.delete(key) : values.set(key, value)),
    keys: () => [...values.keys()],
  };
}

const folder = temporaryFolder();
const STORAGES: [string, () => IndexStorage][] = [
  ["memory", () => search.memoryStorage()],
  ["node", () => search.nodeStorage(folder)],
  ["memento", () => search.mementoStorage(memento(), "index/")],
  ["IndexedDB", () => search.indexedDbStorage("index", fakeIndexedDb())],
];

for (const [name, make] of STORAGES) {
  test(`${name}: an index is read back, and only what changed is written`, async () => {
    const source = corpus();
    const storage = make();
    const first = await openIndex({ source, storage });
    await first.sync();
    const before = await answers(first);
    assert.deepEqual(await first.save(), { written: 0, bytes: 0, deleted: 0 });
    await first.dispose();

    source.reads = [];
    const second = await openIndex({ source, storage });
    const { revision: _, memory: __, ...state } = await second.state();
    assert.deepEqual([state.files, state.warnings], [300, []]);
    assert.deepEqual(counts(await second.sync()), [0, 0, 300, 0]);
    assert.deepEqual(source.reads, []);
    assert.deepEqual(await answers(second), before);
    source.set("src/f3.md", "one whale");
    await second.refresh(["src/f3.md"]);
    const { written, deleted } = await second.save();
    assert.deepEqual([written, deleted], [2, 1], "a segment and the manifest replace a segment");
    await second.dispose();
    const third = await openIndex({ source, storage });
    assert.deepEqual(await answers(third), await expected(source));
    await third.dispose();
  });
}

for (const [name, place] of PLACES) {
  const check = (what: string, work: (place: IndexOptions) => Promise<void>) =>
    test(`${name}: ${what}`, { timeout: 60_000 }, () => work(place));

  check("damage of every kind is reported, and only what it hit is read again", async (place) => {
    const source = corpus();
    const whole = new Blobs();
    const index = await openIndex({ source, storage: whole });
    await index.sync();
    await index.dispose();
    const right = await expected(source);
    const segment = whole.list("search/segment-")[1]!;
    const bytes = whole.blobs.get(segment)!;
    const flipped = (at: number) => bytes.map((byte, index) => (index === at ? byte ^ 4 : byte));
    const cases: [string, string, Uint8Array | undefined, IndexWarning["code"], boolean][] = [
      ["missing", segment, undefined, "damaged", false],
      ["empty", segment, new Uint8Array(), "damaged", false],
      ["cut", segment, bytes.slice(0, 99), "damaged", false],
      ["half", segment, bytes.slice(0, bytes.length / 2), "damaged", false],
      ["bit", segment, flipped(500), "damaged", false],
      ["last bit", segment, flipped(bytes.length - 1), "damaged", false],
      ["another's", segment, new TextEncoder().encode('{ "not": "ours" }'), "damaged", false],
      ["older", segment, flipped(4), "outdated", false],
      ["manifest", "search/manifest", new Uint8Array(40), "damaged", true],
      [
        "older manifest",
        "search/manifest",
        whole.blobs.get("search/manifest")!.map((byte, at) => (at === 4 ? 1 : byte)),
        "outdated",
        true,
      ],
      ["a segment as the manifest", "search/manifest", bytes, "damaged", true],
    ];
    for (const [what, name, value, code, isAll] of cases) {
      const storage = whole.copy();
      if (value) storage.blobs.set(name, value);
      else storage.blobs.delete(name);
      const seen: IndexWarning[] = [];
      const opened = await openIndex({ ...place, source, storage, onWarning: (warning) => seen.push(warning) });
      assert.deepEqual([codes(seen), codes((await opened.state()).warnings)], [[code], [code]], what);
      source.reads = [];
      await opened.sync();
      assert.equal(source.reads.length, isAll ? 300 : 128, what);
      assert.deepEqual(await answers(opened), right, what);
      await opened.dispose();
      const again = await openIndex({ source, storage });
      assert.deepEqual([(await again.state()).warnings, counts(await again.sync())], [[], [0, 0, 300, 0]], what);
      await again.dispose();
    }
  });

  check("a storage that fails, is full or read-only is reported, and the index goes on", async (place) => {
    const source = corpus();
    const right = await expected(source);
    const full = (limit: number) => {
      let left = limit;
      const storage = new Blobs();
      const write = storage.writeBytes.bind(storage);
      storage.writeBytes = async (name, bytes) => {
        if ((left -= bytes.length) < 0) throw new Error("QuotaExceededError");
        return write(name, bytes);
      };
      return storage;
    };
    const failing = (method: keyof IndexStorage) =>
      Object.assign(new Blobs(), {
        [method]: () => {
          throw new Error("EROFS");
        },
      });
    const cases: [string, Blobs][] = [
      ["full", full(0)],
      ["full in between", full(30_000)],
      ["writeBytes", failing("writeBytes")],
      ["readBytes", failing("readBytes")],
      ["list", failing("list")],
      ["odd bytes", Object.assign(new Blobs(), { readBytes: () => "text" as never })],
    ];
    for (const [what, storage] of cases) {
      const index = await openIndex({ ...place, source, storage });
      const { warnings } = await index.sync();
      const all = codes((await index.state()).warnings);
      assert.ok(all.length > 0 && all.every((code) => code === "storage"), `${what}: ${all.join(" ")}`);
      if (what !== "readBytes" && what !== "odd bytes") assert.ok(codes(warnings).includes("storage"), what);
      assert.deepEqual(await answers(index), right, what);
      // Once there is room, all is written that there is to write.
      for (const method of ["readBytes", "writeBytes", "list"] as const) delete (storage as Partial<Blobs>)[method];
      await index.save();
      await index.dispose();
      const again = await openIndex({ ...place, source, storage });
      assert.deepEqual(await answers(again), right, what);
      await again.dispose();
    }
  });

  check("an interrupted save leaves the index before it", async (place) => {
    const source = corpus();
    const storage = new Blobs();
    const index = await openIndex({ ...place, source, storage });
    await index.sync();
    const before = await answers(index);
    const kept = storage.copy();
    source.set("src/f1.md", "one whale");
    const write = storage.writeBytes.bind(storage);
    storage.writeBytes = (name, bytes) =>
      name === "search/manifest" ? Promise.reject(new Error("killed")) : write(name, bytes);
    await index.sync();
    await index.dispose();
    for (const [name, bytes] of kept.blobs) assert.deepEqual(storage.blobs.get(name), bytes, name);
    const old = await openIndex({ storage: storage.copy(), source });
    const { files, warnings } = await old.state();
    assert.deepEqual([files, warnings], [300, []]);
    await old.dispose();
    delete (storage as Partial<Blobs>).writeBytes;
    const again = await openIndex({ ...place, source, storage });
    await again.sync();
    assert.notDeepEqual(await answers(again), before);
    const used = storage.list("search/").length;
    assert.equal(used, 4, "three segments and a manifest: what the interrupted save left is deleted");
    await again.dispose();
  });

  check("other options build the index anew", async (place) => {
    const source = corpus();
    const storage = new Blobs();
    const index = await openIndex({ ...place, source, storage });
    await index.sync();
    await index.dispose();
    for (const options of [
      { maxChunkTokens: 100 },
      { encoding: "cl100k_base" as const },
      { profile: "copilot-chat" as const },
      { definitions: () => [] },
    ]) {
      const other = await openIndex({ ...place, source, storage: storage.copy(), ...options });
      const { files, warnings } = await other.state();
      assert.deepEqual([files, codes(warnings)], [0, ["outdated"]]);
      assert.deepEqual(counts(await other.sync()), [300, 0, 0, 0]);
      await other.dispose();
    }
  });
}

test("two instances over one storage: the last one that saves wins, and the other's next session mends what is missing", async () => {
  const source = corpus();
  const storage = new Blobs();
  const one = await openIndex({ source, storage });
  await one.sync();
  const other = await openIndex({ source, storage });
  source.set("src/f1.md", "one whale");
  await other.sync();
  source.set("src/f290.md", "two whales");
  await one.sync();
  for (const index of [one, other]) await index.dispose();
  const next = await openIndex({ source, storage });
  await next.sync();
  assert.deepEqual(await answers(next), await expected(source));
  await next.dispose();
});
