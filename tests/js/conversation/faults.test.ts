/**
 * All that a storage can do wrong, at everything that is asked of it, in every format: it throws, is full, hangs, is
 * late, lies.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { isTried } from "../runs.ts";
import type { ConversationStorage } from "../../../js/conversation/storage.ts";
import type { Format } from "../../../js/types/messages.ts";
import { FORMATS, LIMIT, PLACES, filled, hang, open, pause, text } from "./struck.ts";
import { HOSTS, SUMMARY, heard, sound } from "./support.ts";

const { memoryStorage } = espalier;
const PATIENCE = 25;

type Place = (typeof PLACES)[number];
/** What is asked of the storage, and what it would do by itself. */
interface Call {
  name: string;
  given: string;
  held: string;
  base: ConversationStorage;
  go: () => unknown;
}
type Fault = (call: Call) => unknown;

const half = (text: string) => text.slice(0, text.length >> 1);
const reordered = (text: string) => text.split("\n").toReversed().join("\n").replace(/^\n/, "").concat("\n");
const older = (text: string) =>
  text
    .split("\n")
    .slice(0, -4)
    .map((line) => `${line}\n`)
    .join("");
const broken = (): never => {
  throw new Error("EIO");
};
const late: Fault = async ({ go }) => {
  await pause(2 * PATIENCE);
  return go();
};
/** Keeps something else than it was given. */
const keeps =
  (other: (text: string) => string): Fault =>
  ({ name, given, held, base }, place: Place = "append") =>
    base.write(name, (place === "append" ? held : "") + other(given));
const asWrite =
  (fault: Fault): Fault =>
  (call) =>
    (fault as (call: Call, place: Place) => unknown)(call, "write");
const WRITES: Record<string, Fault> = {
  throws: broken,
  hangs: hang,
  "is late": late,
  "is full": ({ name, given, base }) => {
    void base.append(name, half(given));
    throw new Error("ENOSPC");
  },
  "hangs when it is done": async ({ go }) => {
    await go();
    await hang();
  },
  "does nothing and says it did": () => undefined,
  "keeps half": keeps(half),
  "keeps it twice": keeps((text) => text + text),
  "keeps other bytes": keeps((text) => text.replaceAll("e", "é")),
  "keeps the lines in another order": keeps(reordered),
};
const FAULTS: Record<Place, Record<string, Fault>> = {
  read: {
    throws: broken,
    hangs: hang,
    "is late": late,
    "has another text": () => "nothing of yours\n",
    "has half": ({ held }) => half(held),
    "has the lines in another order": ({ held }) => reordered(held),
    "has an older text": ({ held }) => older(held),
    "has nothing": () => undefined,
    "has no text": () => ({}),
  },
  append: WRITES,
  write: Object.fromEntries(Object.entries(WRITES).map(([name, fault]) => [name, asWrite(fault)])),
  list: {
    throws: broken,
    hangs: hang,
    "is late": late,
    "lists what is not there, and not what is": () => ["checkpoints/900-x.md", "../etc/passwd", ""],
    "has no list": () => undefined,
  },
  delete: { throws: broken, hangs: hang, "is late": late, "does nothing and says it did": () => undefined },
};

/** A conversation of each format that was stored a moment ago, nearly full and compacted once. */
const stored = new Map<Format, Promise<ReadonlyMap<string, string>>>();
function storedIn(format: Format): Promise<ReadonlyMap<string, string>> {
  const made =
    stored.get(format) ??
    (async () => {
      const texts = new Map<string, string>();
      const conversation = await filled(
        {
          format,
          storage: memoryStorage(texts),
          checkpoints: 1,
          background: false,
          llm: async () => SUMMARY,
          compact: { ladder: ["summary", "offline", "fit"], verify: "never", maxLlmTokens: 100_000 },
        },
        1.02,
      );
      await conversation.dispose();
      return texts;
    })();
  stored.set(format, made);
  return made;
}

/** A storage in which `fault` happens at the named place, once, when it is armed. */
function faulty(texts: Map<string, string>, at?: { place: Place; name: string; fault: Fault }) {
  const base = memoryStorage(texts);
  const met = new Set<string>();
  const state = { isArmed: false, left: undefined as Map<string, string> | undefined };
  const storage = Object.fromEntries(
    PLACES.map((place) => [
      place,
      (name: string, given: string) => {
        const go = () => base[place](name, given);
        if (!state.isArmed) return go();
        met.add(`${place} ${kindOf(name)}`);
        if (place !== at?.place || kindOf(name) !== at.name) return go();
        state.isArmed = false;
        state.left = new Map(texts);
        return at.fault({ name, given, held: texts.get(name) ?? "", base, go });
      },
    ]),
  ) as unknown as ConversationStorage;
  return { storage, base, met, state };
}
const kindOf = (name: string) => name.replace(/\/\d.*/, "/file");
const openedOver = (format: Format, storage: ConversationStorage, messages?: readonly Record<string, unknown>[]) =>
  open({
    format,
    storage,
    checkpoints: 1,
    background: false,
    timeoutsMs: { storage: PATIENCE, model: 60_000, wait: 60_000 },
    llm: async () => SUMMARY,
    ...(messages && { messages }),
    compact: { ladder: ["summary", "offline", "fit"], verify: "never", maxLlmTokens: 100_000 },
  });
const round = (format: Format, number: number) =>
  HOSTS[format].round({
    id: `c${number}`,
    name: "bash",
    args: { command: `make part${number}` },
    text: "made\n".repeat(3),
  });
const told = (events: ReturnType<typeof heard>) =>
  events.flatMap((event) => (event.type === "warning" ? [`${event.code}: ${event.message}`] : []));

/** Every line that was there is in the storage, in whatever file. */
function holdsAll(texts: ReadonlyMap<string, string>, before: ReadonlyMap<string, string>, way: string): void {
  const lines = (held: ReadonlyMap<string, string>) =>
    [...held].flatMap(([name, text]) => (name.endsWith(".jsonl") ? text.split("\n") : []));
  const all = new Set(lines(texts));
  for (const line of lines(before)) assert.ok(all.has(line), `${way}: ${line.slice(0, 200)}`);
}

/** What one request with a compaction asks of the storage, and what opening it does. */
const KEEPING = [
  "read owner",
  "append log.jsonl",
  "append messages.jsonl",
  "write checkpoints/file",
  "list checkpoints/",
  "delete checkpoints/file",
  "read checkpoints/index.md",
  "write checkpoints/index.md",
  "read log.jsonl",
  "read messages.jsonl",
];
const OPENING = ["read owner", "write owner", "read log.jsonl", "read messages.jsonl", "list log-"];
const split = (what: string) => what.split(" ") as [Place, string];
const isOwn = (format: Format, what: string) => format !== "espalier" || !what.endsWith("messages.jsonl");

for (const [row, format] of FORMATS.entries()) {
  /** The faults at a place that are tried in this format: each of them in one or two of the ten formats. */
  const faultsAt = (place: Place, column: number) =>
    Object.entries(FAULTS[place]).filter((_, at) => isTried(8, row, column, at));

  test(`${format}: what is asked of a storage`, async () => {
    const { storage, met, state } = faulty(new Map(await storedIn(format)));
    state.isArmed = true;
    const conversation = await openedOver(format, storage);
    await conversation.flush();
    assert.deepEqual([...met].toSorted(), OPENING.filter((what) => isOwn(format, what)).toSorted());
    met.clear();
    conversation.append(round(format, 800));
    await conversation.prepare();
    await conversation.flush();
    assert.deepEqual([...met].toSorted(), KEEPING.filter((what) => isOwn(format, what)).toSorted());
    await conversation.dispose();
  });

  for (const [column, what] of KEEPING.entries()) {
    if (!isOwn(format, what)) continue;
    const [place, name] = split(what);
    const faults = faultsAt(place, column);
    if (faults.length === 0) continue;
    const ways = faults.map(([way]) => way).join(", ");
    const title = `${format}: at "${what}", while a compaction is kept, the storage ${ways}`;
    test(`${title}: the request goes out, and nothing is lost`, async () => {
      for (const [way, fault] of faults) await check(way, fault);
    });
    const check = async (way: string, fault: Fault) => {
      const texts = new Map(await storedIn(format));
      const { storage, base, state } = faulty(texts, { place, name, fault });
      const conversation = await openedOver(format, storage);
      await conversation.flush();
      const events = heard(conversation);
      conversation.append(round(format, 800));
      const originals = conversation.log.originalsFrom(0);
      state.isArmed = true;
      const { messages, report } = await conversation.prepare();
      sound(messages, LIMIT, [], format);
      assert.deepEqual(
        report.compactions.map(({ status }) => status),
        ["applied"],
        way,
      );
      await conversation.flush();
      const { left } = state;
      assert.ok(left, `${way}: it was met`);
      // A lie about a checkpoint harms nothing that would be read again.
      const isTold =
        ["throws", "hangs", "is full", "hangs when it is done", "is late"].includes(way) ||
        /log|messages/.test(name) ||
        name === "owner";
      if (isTold)
        assert.ok(
          told(events).some((said) => said.startsWith("storage:")),
          `${way}: ${told(events).join()}`,
        );
      // As it stood when it went wrong.
      const stood = await openedOver(format, memoryStorage(new Map(left)));
      const from = stood.log.originalsFrom(0);
      // What is made again from the log may have fields in name only.
      assert.deepEqual(
        [stood.opened.log!.problems, JSON.stringify(from)],
        [[], JSON.stringify(originals.slice(0, from.length))],
        way,
      );
      assert.ok(from.length >= originals.length - 2);
      stood.log.close();
      // As it stands when it works again; under a name of its own where somebody else seemed to have it.
      conversation.append(round(format, 900));
      await conversation.flush();
      if (way === "is late") await pause(3 * PATIENCE);
      await conversation.dispose();
      const [view, all] = [text(conversation), conversation.log.originalsFrom(0)];
      const own = [...texts.keys()].find((file) => /^log-\w+\.jsonl$/.test(file));
      assert.equal(
        own !== undefined,
        what === "read owner" &&
          ["has another text", "has half", "has the lines in another order", "has an older text"].includes(way),
        `${way}: ${[...texts.keys()].join()}`,
      );
      const later =
        own === undefined
          ? await openedOver(format, base)
          : await open({ log: texts.get(own)!, messages: all, format });
      assert.deepEqual([later.opened.log!.problems, text(later), later.log.originalsFrom(0)], [[], view, all], way);
      await later.dispose();
    };
  }

  for (const [column, what] of OPENING.entries()) {
    if (!isOwn(format, what)) continue;
    const [place, name] = split(what);
    const faults = faultsAt(place, column);
    if (faults.length === 0) continue;
    const ways = faults.map(([way]) => way).join(", ");
    const title = `${format}: at "${what}", when it is opened, the storage ${ways}`;
    test(`${title}: requests go out, and nothing is lost`, async () => {
      for (const [way, fault] of faults) await check(way, fault);
    });
    const check = async (way: string, fault: Fault) => {
      const texts = new Map(await storedIn(format));
      const { storage, base, state } = faulty(texts, { place, name, fault });
      state.isArmed = true;
      const conversation = await openedOver(format, storage);
      await conversation.flush();
      assert.ok(state.left, `${way}: it was met`);
      conversation.append([HOSTS[format].user("Go on, please."), ...round(format, 800)]);
      sound((await conversation.prepare()).messages, LIMIT, [], format);
      if (way === "is late") await pause(3 * PATIENCE);
      await conversation.dispose();
      holdsAll(texts, await storedIn(format), way);
      // The next one reads a whole log, with what was said last where it could be written.
      const again = await openedOver(format, base);
      sound((await again.prepare()).messages, LIMIT, [], format);
      await again.dispose();
      const third = await openedOver(format, base);
      assert.deepEqual([third.opened.log!.problems, text(third)], [[], text(again)], way);
      await third.dispose();
    };
  }
}
