/** What a host does with an index, in this thread and in a worker: both answer alike. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { Files, PLACES, answers, openIndex, random, search, text } from "./support.ts";
import type { IndexOptions, WorkspaceIndex } from "./support.ts";

const { EspalierError } = search;
const counts = ({
  added,
  changed,
  unchanged,
  removed,
}: Record<"added" | "changed" | "unchanged" | "removed", number>) => [added, changed, unchanged, removed];

async function using<T>(options: IndexOptions, work: (index: WorkspaceIndex) => Promise<T>): Promise<T> {
  const index = await openIndex(options);
  try {
    return await work(index);
  } finally {
    await index.dispose();
  }
}

async function refused(run: () => Promise<unknown>, code: string, path?: string): Promise<void> {
  await assert.rejects(run, (error: unknown) => {
    assert.ok(error instanceof EspalierError, String(error));
    assert.deepEqual([error.code, error.path], [code, path], error.message);
    return true;
  });
}

function abortedIn(ms: number, reason: Error): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), ms);
  return controller.signal;
}

for (const [name, place] of PLACES) {
  const check = (what: string, work: (place: IndexOptions) => Promise<void>) =>
    test(`${name}: ${what}`, { timeout: 60_000 }, () => work(place));

  check("files that are put are found, replaced and removed", async (place) =>
    using(place, async (index) => {
      const put = await index.put([
        { path: "a.ts", text: "function retry() {}" },
        { path: "b.md", text: "An oak in the river." },
      ]);
      assert.deepEqual(counts(put), [2, 0, 0, 0]);
      const [hit] = (await index.search("oak", { fullWorkspace: false })).hits;
      assert.deepEqual([hit?.path, hit?.text, hit?.firstLine, hit?.lastLine], ["b.md", "An oak in the river.", 0, 0]);
      assert.deepEqual(counts(await index.put([{ path: "b.md", text: "An oak in the river." }])), [0, 0, 1, 0]);
      assert.deepEqual(counts(await index.put([{ path: "b.md", text: "A whale in the sea." }])), [0, 1, 0, 0]);
      assert.deepEqual((await index.search("oak", { fullWorkspace: false })).hits, []);
      assert.deepEqual(counts(await index.remove(["b.md", "c.md"])), [0, 0, 0, 1]);
      assert.deepEqual((await index.search("whale", { fullWorkspace: false })).hits, []);
      assert.equal((await index.state()).files, 1);
    }),
  );

  check("a sync reads what is new or changed, and nothing else", async (place) => {
    const source = new Files({ "a.ts": "retry the parser", "b.ts": "oak", "c.ts": "whale" });
    await using({ ...place, source }, async (index) => {
      assert.deepEqual(counts(await index.sync()), [3, 0, 0, 0]);
      source.reads = [];
      source.set("b.ts", "oak and river");
      source.delete("c.ts");
      source.set("d.ts", "stone");
      assert.deepEqual(counts(await index.sync()), [1, 1, 1, 1]);
      assert.deepEqual(source.reads.toSorted(), ["b.ts", "d.ts"]);
      source.reads = [];
      assert.deepEqual(counts(await index.sync()), [0, 0, 3, 0]);
      assert.deepEqual(source.reads, []);
    });
  });

  check("any order of changes ends in the index of the last files", async (place) => {
    for (const seed of [1, 2, 3]) {
      const pick = random(seed);
      const source = new Files();
      await using({ ...place, source, maxChunkTokens: 40 }, async (index) => {
        for (let step = 0; step < 60; step += 1) {
          const path = `folder${pick(3)}/file${pick(12)}.md`;
          if (pick(4) === 0) source.delete(path);
          else source.set(path, text(pick, 1 + pick(30)));
          if (pick(3) === 0) await index.sync();
          else await index.refresh([path]);
        }
        await index.sync();
        const fresh = new Files();
        for (const [path, { text }] of [...source.files].toSorted(([a], [b]) => (a < b ? -1 : 1)))
          fresh.set(path, text);
        await using({ source: fresh, maxChunkTokens: 40 }, async (other) => {
          await other.sync();
          assert.deepEqual(await answers(index), await answers(other), `seed ${seed}`);
        });
      });
    }
  });

  check("a file that changed since is read again before it is shown", async (place) => {
    const source = new Files({ "a.md": "one oak", "b.md": "two oaks and an oak" });
    await using({ ...place, source }, async (index) => {
      await index.sync();
      source.set("a.md", "no more trees\n\nbut an oak at the end");
      source.delete("b.md");
      const { hits, leftOut } = await index.search("oak", { fullWorkspace: false });
      assert.deepEqual(
        hits.map(({ path, text }) => [path, text.includes("at the end")]),
        [["a.md", true]],
      );
      assert.deepEqual(
        leftOut.filter(({ why }) => why !== "gone"),
        [],
      );
      assert.equal((await index.state()).files, 1);
    });
  });

  check("notes say what is not searched, states count it", async (place) => {
    const source = new Files({ "a.md": "oak", "gone.md": "", "bad.bin": "" });
    source.notes.push({ path: "secret", reason: "unreadable", detail: "EACCES" });
    const read = source.read.bind(source);
    source.read = async (path) => {
      if (path === "gone.md") source.files.delete(path);
      if (path === "bad.bin") {
        source.reads.push(path);
        return { path, reason: "binary" };
      }
      return read(path);
    };
    await using({ ...place, source }, async (index) => {
      const report = await index.sync();
      assert.deepEqual(report.notes, [
        { path: "secret", reason: "unreadable", detail: "EACCES" },
        { path: "gone.md", reason: "gone" },
        { path: "bad.bin", reason: "binary" },
      ]);
      const { files, skipped } = await index.state();
      assert.deepEqual([files, skipped], [1, { unreadable: 1, binary: 1 }]);
      source.reads = [];
      await index.sync();
      assert.deepEqual(
        [source.reads, (await index.state()).skipped],
        [[], { unreadable: 1, binary: 1 }],
        "a binary file is read once",
      );
    });
  });

  check("changes of the source are followed, and merged while a refresh runs", async (place) => {
    const source = new Files({ "a.md": "oak" });
    await using({ ...place, source }, async (index) => {
      await index.sync();
      // Timers of a watch keep no process alive.
      const alive = setInterval(() => {}, 1_000);
      const changes: number[][] = [];
      let seen: (() => void) | undefined;
      const end = index.watch({ onChange: (report) => (changes.push(counts(report)), seen?.()) });
      const next = () => new Promise<void>((resolve) => (seen = resolve));
      const first = next();
      for (let at = 0; at < 20; at += 1) source.set("b.md", `whale ${at}`);
      source.set("folder/c.md", "stone");
      await first;
      assert.deepEqual(changes, [[2, 0, 0, 0]]);
      const second = next();
      source.files.delete("folder/c.md");
      source.set("b.md", "river");
      source.delete("folder");
      await second;
      assert.deepEqual(changes[1], [0, 1, 0, 1], "a folder that is gone takes its files along");
      end();
      source.set("b.md", "cloud");
      await new Promise((resolve) => setTimeout(resolve, 120));
      assert.equal(changes.length, 2);
      clearInterval(alive);
    });
  });

  check("progress ascends, and an abort leaves an index that goes on", async (place) => {
    const source = new Files(
      Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`f${at}.md`, text(random(at), 20)])),
    );
    await using({ ...place, source, sliceMs: 1 }, async (index) => {
      const controller = new AbortController();
      const phases: string[] = [];
      const reason = new Error("enough");
      const sync = index.sync({
        signal: controller.signal,
        onProgress: ({ phase, done, total }) => {
          phases.push(phase);
          if (phase === "index" && done > 20 && total === 300) controller.abort(reason);
        },
      });
      await assert.rejects(sync, reason);
      assert.ok(phases.includes("list") && phases.includes("index"));
      const { added, unchanged } = await index.sync();
      assert.ok(added + unchanged === 300 && unchanged > 0, `${added} + ${unchanged}`);
      await assert.rejects(index.sync({ signal: AbortSignal.abort(reason) }), reason);
      await assert.rejects(index.search("oak", { signal: AbortSignal.abort(reason) }), reason);
    });
  });

  check("empty things: no files, no query, no text", async (place) =>
    using(place, async (index) => {
      assert.deepEqual((await index.search("oak")).hits, []);
      assert.deepEqual(counts(await index.put([])), [0, 0, 0, 0]);
      assert.deepEqual(
        counts(
          await index.put([
            { path: "empty.md", text: "" },
            { path: "blank.md", text: "\n \n" },
          ]),
        ),
        [2, 0, 0, 0],
      );
      for (const query of ["", " ", "!?"])
        assert.equal((await index.search(query, { fullWorkspace: false })).query, query);
      assert.deepEqual(counts(await index.refresh([])), [0, 0, 0, 0]);
      assert.deepEqual(counts(await index.remove([])), [0, 0, 0, 0]);
    }),
  );

  check("a query of 1 MB, a line of 1 MB, lone surrogates, a path twice", async (place) =>
    using(place, async (index) => {
      const line = "oak ".repeat(250_000);
      const report = await index.put([
        { path: "a.md", text: line },
        { path: "b.md", text: "stone \uD83D whale \u{1F40B} river" },
        { path: "b.md", text: "\u{1F40B} whale" },
      ]);
      assert.deepEqual(
        [counts(report), report.notes],
        [[2, 1, 0, 0], [{ path: "b.md", reason: "duplicate", detail: "the last one counts" }]],
      );
      assert.equal((await index.search(line, { maxResults: 3, fullWorkspace: false })).hits[0]?.path, "a.md");
      const [hit] = (await index.search("whale", { fullWorkspace: false })).hits;
      assert.deepEqual([hit?.text, hit?.end], ["\u{1F40B} whale", 8]);
      await index.put([{ path: "b.md", text: "stone \uD83D whale \u{1F40B} river" }]);
      assert.equal(
        (await index.search("river", { fullWorkspace: false })).hits[0]?.text,
        "stone \uD83D whale \u{1F40B} river",
      );
    }),
  );

  check("definitions bound chunks and name what is around them", async (place) => {
    const body = text(random(5), 60);
    const definitions = ({ text }: { text: string }) => [{ name: "function all", start: 0, end: text.length }];
    await using({ ...place, maxChunkTokens: 50, definitions }, async (index) => {
      await index.put([{ path: "a.ts", text: body }]);
      const { hits } = await index.search("oak", { maxResults: 5, fullWorkspace: false });
      assert.ok(hits.some(({ header }) => header === "function all"));
    });
    const failing = async () => Promise.reject(new Error("no grammar"));
    await using({ ...place, definitions: failing }, async (index) => {
      const { added, warnings } = await index.put([{ path: "a.ts", text: body }]);
      assert.deepEqual([added, warnings.map(({ code }) => code)], [1, ["definitions"]]);
      assert.match(warnings[0]!.message, /a\.ts.*no grammar/);
    });
  });

  check("bad input names its field, and the index goes on", async (place) =>
    using(place, async (index) => {
      await refused(() => index.put([{ path: "", text: "x" }]), "bad_input", "files[0].path");
      await refused(
        () =>
          index.put([
            { path: "a", text: "oak" },
            { path: "b", text: 7 as never },
          ]),
        "bad_input",
        "files[1].text",
      );
      await refused(() => index.put("text" as never), "bad_input", "files");
      await refused(
        () => index.put([{ path: "a", text: "x", definitions: [{ name: "f", start: -1, end: 2 }] }]),
        "bad_input",
        "files[0].definitions[0]",
      );
      await refused(() => index.refresh("a" as never), "bad_input", "paths");
      await refused(() => index.search(7 as never), "bad_input", "query");
      await refused(() => index.search("oak", { budgett: 1 } as never), "bad_option", "options.budgett");
      await refused(() => index.sync({ signl: 1 } as never), "bad_option", "options.signl");
      await index.put([{ path: "a", text: "oak" }]);
      assert.equal((await index.search("oak", { fullWorkspace: false })).hits.length, 1);
    }),
  );

  check("a host's callback that throws fails the call with its own error", async (place) => {
    const broken = new RangeError("the list is broken");
    const source = new Files({ "a.md": "oak" });
    const list = source.list.bind(source);
    source.list = async function* () {
      throw broken;
    };
    await using({ ...place, source }, async (index) => {
      await assert.rejects(index.sync(), (error) => error === broken);
      source.list = list;
      source.read = async () => {
        throw new Error("EIO");
      };
      assert.deepEqual((await index.sync()).notes, [{ path: "a.md", reason: "unreadable", detail: "EIO" }]);
      source.read = async () => 7 as never;
      await refused(() => index.sync(), "bad_input", "options.source");
    });
  });

  check("callbacks that never answer end with the signal", async (place) => {
    const source = new Files({ "a.md": "oak" });
    const list = source.list.bind(source);
    const never = () => new Promise<never>(() => {});
    const reason = new Error("enough");
    await using({ ...place, source }, async (index) => {
      source.list = async function* () {
        yield never();
      };
      await assert.rejects(index.sync({ signal: abortedIn(30, reason) }), reason);
      source.list = list;
      const { read } = source;
      source.read = never;
      await assert.rejects(index.sync({ signal: abortedIn(30, reason) }), reason);
      source.read = read;
      await assert.rejects(
        index.put(
          (async function* () {
            yield never();
          })(),
          { signal: abortedIn(30, reason) },
        ),
        reason,
      );
      assert.deepEqual(counts(await index.sync()), [1, 0, 0, 0]);
    });
  });

  check("only files that pass the filter", async (place) =>
    using(place, async (index) => {
      await index.put(
        Array.from({ length: 400 }, (_, at) => ({ path: `f${at}.md`, text: `oak ${"oak ".repeat(at % 7)}` })),
      );
      const { hits } = await index.search("oak", {
        maxResults: 5,
        filter: (path) => path.endsWith("3.md"),
        fullWorkspace: false,
      });
      assert.deepEqual([hits.length, hits.every(({ path }) => path.endsWith("3.md"))], [5, true]);
    }),
  );

  check("a disposed index refuses", async (place) => {
    const index = await openIndex(place);
    await index.dispose();
    await index.dispose();
    for (const run of [() => index.sync(), () => index.search("oak"), () => index.state(), () => index.put([])])
      await refused(run, "disposed");
  });
}

test("options that make no sense are refused by name", async () => {
  const bad: [IndexOptions, string][] = [
    [{ profile: "bm25" as never }, "options.profile"],
    [{ maxChunkTokens: 3 }, "options.maxChunkTokens"],
    [{ maxChunkTokens: 40.5 }, "options.maxChunkTokens"],
    [{ sliceMs: 0 }, "options.sliceMs"],
    [{ storage: {} as never }, "options.storage.readBytes"],
    [{ source: { list: 1 } as never }, "options.source.list"],
    [{ embeddings: { model: "m" } as never }, "options.embeddings.embed"],
    [{ embeddings: { model: "", embed: async () => [] } }, "options.embeddings.model"],
    [{ worker: 1 as never }, "options.worker"],
    [{ sorage: 1 } as never, "options.sorage"],
  ];
  for (const [options, path] of bad) await refused(() => openIndex(options), "bad_option", path);
  await refused(() => openIndex({ encoding: "p50k_base" as never }), "unknown_encoding", "options.encoding");
});

test("a thread of Node's is a worker, without a script around it", async () => {
  const script = new URL("../../../pkg/dist/search-worker.js", import.meta.url);
  let thread: Worker | undefined;
  const source = new Files({ "src/db.ts": "export const db = open();", "docs/zh.md": "打开设置页面" });
  const warnings: string[] = [];
  const onWarning = ({ code }: { code: string }) => void warnings.push(code);
  await using({ worker: () => (thread = new Worker(script)), source, onWarning }, async (index) => {
    await index.sync();
    for (const [query, path] of [
      ["db", "src/db.ts"],
      ["设置", "docs/zh.md"],
    ] as const) {
      const { hits } = await index.search(query, { fullWorkspace: false });
      assert.deepEqual(
        hits.map((hit) => hit.path),
        [path],
      );
    }
    await thread!.terminate();
    assert.equal((await index.search("db")).hits[0]?.path, "src/db.ts", "another thread goes on");
    assert.deepEqual(warnings, ["rebuilt"]);
  });
});

test("two indexes in one thread do not meet", async () => {
  const [one, other] = await Promise.all([
    openIndex(),
    openIndex({ profile: "copilot-chat", encoding: "cl100k_base" }),
  ]);
  await Promise.all([one.put([{ path: "a.md", text: "oak" }]), other.put([{ path: "b.md", text: "oak" }])]);
  assert.deepEqual(
    (await one.search("oak")).hits.map(({ path }) => path),
    ["a.md"],
  );
  await one.dispose();
  assert.deepEqual(
    (await other.search("oak")).hits.map(({ path }) => path),
    ["b.md"],
  );
  await other.dispose();
});
