/**
 * Writes a pi session whose live context is a list of messages. Kept messages keep their original lines; only
 * `parentId` changes, and only if the line above is gone or a new message comes between.
 */

import { fields, isFields, objects } from "./draft.ts";
import type { Fields } from "./draft.ts";
import { idFrom } from "./names.ts";
import { messagesFor, toolNames } from "./pi-messages.ts";
import { idOf, pathOf } from "./pi-tree.ts";
import type { Entry } from "./pi-tree.ts";
import { parsedLine, plan } from "./rewrite.ts";
import type { Session } from "./types.ts";

interface Line {
  text: string;
  place: number;
  data: Fields | undefined;
}

export function writePi(original: string, session: Session, messages: readonly unknown[]): string {
  const lines = original.split("\n").map((line, at): Line => ({ text: line, place: at + 1, data: parsedLine(line) }));
  const entries = lines.flatMap(({ data, place }) => (data ? [{ data, place }] : []));
  const { kept, inserted, from } = plan(session, messages);
  const places = new Set(session.entries.flatMap((entry) => entry.places));
  const chain = new Chain(entries, toolNames([...session.history, ...messages]));
  const add = (place: number) => {
    for (const message of inserted.get(place) ?? []) chain.write(message);
  };
  const [first = 0, end = 0] = [entries[0]?.place, entries.at(-1)?.place];
  for (const line of lines) {
    const { place, data } = line;
    const isOther = !places.has(place) && data?.["type"] !== "compaction";
    if (place <= from || kept.has(place) || isOther) chain.keep(line);
    if (place === first && from === 0) add(0);
    if (from === 0 || place >= from) add(place);
    // Appends after a compaction that is the last entry. A torn last line stays the last one.
    if (place === end && from > end) add(from);
  }
  return chain.text();
}

/** The lines of the new file. Each one's parent is the line before it, as the tree requires. */
class Chain {
  readonly #aside: ReadonlySet<number>;
  readonly #names: ReadonlyMap<string, string>;
  readonly #ids = new Set<string>();
  readonly #hasTree: boolean;
  /** The place of the original parent of each entry. */
  readonly #above = new Map<number, number | undefined>();
  readonly #out: { text: string; at?: "path" | "aside" }[] = [];
  /** The newest entry on the path, and its place in the original. */
  #last: { id: string | null; place: number | undefined } = { id: null, place: undefined };
  #answer: Fields | undefined;
  #time: unknown;

  constructor(entries: readonly Entry[], names: ReadonlyMap<string, string>) {
    this.#aside = new Set(pathOf(entries).branches.flatMap((branch) => branch.entries.map(({ place }) => place)));
    this.#names = names;
    let above: number | undefined;
    for (const { data, place } of entries) {
      const id = idOf(data);
      if (id === undefined || this.#ids.has(id)) continue;
      if (!this.#aside.has(place)) {
        this.#above.set(place, above);
        above = place;
      }
      this.#ids.add(id);
    }
    this.#hasTree = this.#ids.size > 0;
    this.#answer = entries.map(({ data }) => fields(data["message"])).find(({ role }) => role === "assistant");
  }

  keep({ text: line, data, place }: Line): void {
    const id = data && idOf(data);
    if (id === undefined) return void this.#out.push({ text: line });
    if (this.#aside.has(place)) return void this.#out.push({ text: line, at: "aside" });
    const isSame = this.#above.get(place) === this.#last.place;
    this.#out.push({ text: isSame ? line : JSON.stringify({ ...data, parentId: this.#last.id }), at: "path" });
    this.#last = { id, place };
    this.#remember(data!);
  }

  #remember(data: Fields): void {
    this.#time = data["timestamp"] ?? this.#time;
    const message = fields(data["message"]);
    if (message["role"] === "assistant") this.#answer = message;
  }

  write(message: unknown): void {
    for (const own of messagesFor(message, this.#names)) {
      const whole =
        own["role"] === "assistant" ? { ...this.#answer, ...own, ...unused(this.#answer), stopReason: stop(own) } : own;
      const tree = this.#hasTree ? { id: this.#id(), parentId: this.#last.id } : {};
      const time = typeof this.#time === "string" ? Date.parse(this.#time) : Number.NaN;
      const line = {
        type: "message",
        ...tree,
        ...(this.#time !== undefined && { timestamp: this.#time }),
        message: { ...whole, ...(!Number.isNaN(time) && { timestamp: time }) },
      };
      if (tree.id !== undefined) this.#last = { id: tree.id, place: -1 };
      this.#out.push({ text: JSON.stringify(line), ...(this.#hasTree && { at: "path" }) });
    }
  }

  /** Derives an id from the line above, so that the same messages result in the same file. */
  #id(): string {
    for (let name = `${this.#last.id}:`; ; name += "+") {
      const id = idFrom(name).slice(0, 8);
      if (this.#ids.has(id)) continue;
      this.#ids.add(id);
      return id;
    }
  }

  /** The last line of the tree is its leaf, so branches are written before it. */
  text(): string {
    const leaf = this.#out.findLastIndex(({ at }) => at === "path");
    const behind = this.#out.slice(leaf + 1);
    const isAside = (line: { at?: string }) => line.at === "aside";
    const ordered =
      leaf < 0
        ? this.#out
        : [
            ...this.#out.slice(0, leaf),
            ...behind.filter(isAside),
            this.#out[leaf]!,
            ...behind.filter((line) => !isAside(line)),
          ];
    return ordered.map((line) => line.text).join("\n");
  }
}

/** Returns zero usage for the new answer: pi computes the fill of the window from the newest usage. */
function unused(answer: Fields | undefined): Fields {
  const { cost } = fields(answer?.["usage"]);
  const zero = (counts: Fields) =>
    Object.fromEntries(Object.entries(counts).map(([name, value]) => [name, typeof value === "number" ? 0 : value]));
  const counts = {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    ...zero(fields(answer?.["usage"])),
  };
  return {
    usage: {
      ...counts,
      cost: isFields(cost) ? zero(cost) : { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
  };
}

function stop({ content }: Fields): string {
  return objects(content).some(({ type }) => type === "toolCall") ? "toolUse" : "stop";
}
