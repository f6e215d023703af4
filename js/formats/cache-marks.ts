/**
 * How cache marks look in each format: what the core has to be told about a message, and a copy of the message with the
 * marks that the core chose. Messages that have these marks already are returned as they are.
 */

import { copy, isFields, withFields } from "./values.ts";
import type { Fields } from "./values.ts";
import type { CacheLifetime, MarkOptions } from "../types/cache.ts";
import type { Format, Part } from "../types/messages.ts";

/**
 * What the wire shows of a part: a mark that stands there, or that none may. Without `part` it is about a message
 * without parts.
 */
export interface Fact {
  part?: number;
  can: boolean;
  mark?: CacheLifetime;
}

/** A message with its parts (without those that are marks), and where each part came from. */
export interface Marked {
  message: Fields;
  parts: readonly Part[];
  pieces: readonly unknown[];
}

/** Marks by part; `WHOLE` for a message without parts. */
export type Wanted = Map<number, CacheLifetime>;
export const WHOLE = -1;

export interface Wire {
  scheme: "openai" | "anthropic";
  /** True if marks say for how long. */
  lasts: boolean;
  facts(marked: Marked, how: How): Fact[];
  apply(marked: Marked, wanted: Wanted, how: How): Fields;
}

/** What the host chose, and the messages, whose classes new parts take. */
export interface How extends Pick<MarkOptions, "profile" | "style" | "providerKey" | "dataPart"> {
  list: readonly unknown[];
}

/** The lifetime of a mark that a host set; nothing if it is no mark. */
export function lifetimeOf(mark: unknown): CacheLifetime | undefined {
  if (!mark) return undefined;
  return isFields(mark) && mark["ttl"] === "1h" ? "1h" : "5m";
}

export function markOf(lifetime: CacheLifetime): Fields {
  return { type: "ephemeral", ...(lifetime === "1h" && { ttl: "1h" }) };
}

/** The same object with this mark, or without one. */
export function withMark(item: Fields, lifetime: CacheLifetime | undefined, field = "cache_control"): Fields {
  if (lifetimeOf(item[field]) === lifetime) return item;
  return copy(item, { [field]: lifetime && markOf(lifetime) });
}

/** The list with other items, or the very list if none changed. */
function mapped<T>(list: readonly T[], change: (item: T, at: number) => T): readonly T[] {
  const changed = list.map(change);
  return changed.every((item, at) => item === list[at]) ? list : changed;
}

const marked = (item: unknown, field = "cache_control") => (isFields(item) ? lifetimeOf(item[field]) : undefined);

// ---------------------------------------------------------------- Anthropic

/** A block of the content; blocks inside a result must not be marked, so a mark there counts as the result's. */
const anthropic: Wire = {
  scheme: "anthropic",
  lasts: true,

  facts({ message, pieces }) {
    const content = message["content"];
    if (!Array.isArray(content)) return [];
    return pieces.flatMap((piece, part): Fact[] => {
      if (!isFields(piece)) return [];
      const block = content[piece["block"] as number] as Fields;
      const mark = marked(block) ?? inner(block);
      return mark ? [{ part, can: true, mark }] : [];
    });
  },

  apply({ message, pieces }, wanted) {
    const content = message["content"];
    if (typeof content === "string") {
      const lifetime = wanted.get(0);
      return lifetime
        ? copy(message, { content: [{ type: "text", text: content, cache_control: markOf(lifetime) }] })
        : message;
    }
    const parts = new Map(pieces.flatMap((piece, part) => (isFields(piece) ? [[piece["block"], part] as const] : [])));
    const blocks = mapped(content as Fields[], (block, at) =>
      withMark(withoutInner(block), wanted.get(parts.get(at) ?? WHOLE)),
    );
    return blocks === content ? message : copy(message, { content: blocks });
  },
};

function inner(block: Fields): CacheLifetime | undefined {
  const content = block["type"] === "tool_result" ? block["content"] : undefined;
  return Array.isArray(content) ? content.map((item) => marked(item)).find((mark) => mark !== undefined) : undefined;
}

function withoutInner(block: Fields): Fields {
  if (!inner(block)) return block;
  return copy(block, {
    content: mapped(block["content"] as Fields[], (item) => (isFields(item) ? withMark(item, undefined) : item)),
  });
}

// ---------------------------------------------------------------- OpenAI

/** Fields that gateways read marks from; the first is Copilot's own. */
const BESIDE = ["copilot_cache_control", "cache_control"] as const;

const openaiChat: Wire = {
  scheme: "openai",
  lasts: true,

  facts({ message, parts, pieces }, { style, profile }) {
    const { content } = message;
    const facts = pieces.flatMap((piece, part): Fact[] => {
      const { in: where, at } = piece as { in: string; at?: number };
      // A call is no content; and where content is marked, an empty result has none. (Copilot Chat marks it as a
      // whole.)
      if (where === "call" || where === "function") return [{ part, can: false }];
      if (where === "result" && style === "part" && profile !== "copilot-chat" && lastItem(content) === undefined)
        return [{ part, can: false }];
      if (!Array.isArray(content)) return [];
      const items = where === "content" ? [content[at!] as unknown] : where === "result" ? (content as unknown[]) : [];
      const mark = items.map(onItem).find((found) => found !== undefined);
      const can = where !== "content" || !isBlank(items[0]);
      return mark || !can ? [{ part, can, ...(mark && { mark }) }] : [];
    });
    const beside = BESIDE.map((field) => marked(message, field)).find((mark) => mark !== undefined);
    if (!beside) return facts;
    const part = lastOf(parts, new Set(facts.flatMap((fact) => (fact.can ? [] : [fact.part!]))));
    return [
      ...facts.filter((fact) => fact.part !== part),
      { ...(part >= 0 && { part }), can: facts.find((fact) => fact.part === part)?.can ?? true, mark: beside },
    ];
  },

  apply({ message, pieces }, wanted, { style = "message" }) {
    const left = new Map(wanted);
    let { content } = message;
    const isResult = pieces.some((piece) => (piece as Fields)["in"] === "result");
    if (Array.isArray(content)) {
      // Marks that stand on content already stay there, one for each place.
      const places = new Map(
        pieces.flatMap((piece, part) =>
          "at" in (piece as Fields) && (piece as Fields)["in"] === "content"
            ? [[(piece as Fields)["at"], part] as const]
            : [],
        ),
      );
      content = mapped(content as unknown[], (item, at) => {
        const part = isResult ? 0 : (places.get(at) ?? WHOLE);
        if (!isFields(item) || !onItem(item)) return item;
        // A blank one must not be marked: its mark goes where the others go.
        const lifetime = isBlank(item) ? undefined : left.get(part);
        if (lifetime) left.delete(part);
        return onlyMark(item, lifetime);
      });
    }
    const changes: Fields = {};
    for (const field of BESIDE) {
      const [first] = left;
      if (!marked(message, field)) continue;
      if (first) left.delete(first[0]);
      if (marked(message, field) !== first?.[1]) changes[field] = first && markOf(first[1]);
    }
    let isBeside = BESIDE.some((field) => (field in changes ? changes[field] : marked(message, field)));
    for (const [part, lifetime] of left) {
      const { in: where, at } = (pieces[part] ?? {}) as { in?: string; at?: number };
      const number = where === "result" ? lastItem(content) : at;
      const isText = typeof content === "string" && !isBlank(content) && (where === "string" || where === "result");
      const isList =
        Array.isArray(content) &&
        (where === "content" || where === "result") &&
        number !== undefined &&
        !isBlank(content[number]);
      if ((style === "message" && !isBeside) || !(isText || isList)) {
        changes[BESIDE[0]] = markOf(lifetime);
        isBeside = true;
      } else if (isText) {
        content = [{ type: "text", text: content, cache_control: markOf(lifetime) }];
      } else {
        const list = content as unknown[];
        content = mapped(list, (item, place) => {
          if (place !== number) return item;
          return isFields(item)
            ? withMark(item, lifetime)
            : { type: "text", text: item, cache_control: markOf(lifetime) };
        });
      }
    }
    if (content !== message["content"]) changes["content"] = content;
    return Object.keys(changes).length > 0 ? copy(message, changes) : message;
  },
};

function isBlank(item: unknown): boolean {
  const text = isFields(item) ? item["text"] : item;
  return typeof text === "string" && text.trim() === "";
}

/** The part that a mark on a whole message is on: the last one that can carry it. */
function lastOf(parts: readonly Part[], barred: ReadonlySet<number> = new Set()): number {
  const can = (part: Part, at: number) =>
    !barred.has(at) && part.type !== "reasoning" && (part.type !== "text" || part.text.trim() !== "");
  const at = parts.findLastIndex(can);
  return at < 0 ? parts.length - 1 : at;
}

/** Index of the last item of a content that says something; 0 for a text of its own. */
function lastItem(content: unknown): number | undefined {
  const items = Array.isArray(content) ? (content as unknown[]) : [content ?? ""];
  const at = items.findLastIndex((item) => !isBlank(item));
  return at < 0 ? undefined : at;
}

function onItem(item: unknown): CacheLifetime | undefined {
  return marked(item) ?? marked(item, "copilot_cache_control");
}

function onlyMark(item: Fields, lifetime: CacheLifetime | undefined): Fields {
  const field = marked(item) ? "cache_control" : "copilot_cache_control";
  return withMark(item, lifetime, field);
}

// ---------------------------------------------------------------- AI SDK

const OPTIONS = ["providerOptions", "providerMetadata"] as const;

const aiSdk: Wire = {
  scheme: "anthropic",
  lasts: true,

  facts({ message, parts, pieces }, { providerKey }) {
    // What a page keeps has no place for marks: they are set on model messages.
    if (Array.isArray(message["parts"])) return parts.map((_, part) => ({ part, can: false }));
    const { content } = message;
    const facts: Fact[] = [];
    const whole = ofOptions(message, providerKey);
    if (whole && parts.length > 0) facts.push({ part: lastOf(parts), can: true, mark: whole });
    if (!Array.isArray(content)) return facts;
    for (const [part, piece] of pieces.entries()) {
      const mark = ofOptions(content[(piece as { at: number }).at] as Fields, providerKey);
      if (mark && facts[0]?.part !== part) facts.push({ part, can: true, mark });
    }
    return facts;
  },

  apply({ message, parts, pieces }, wanted, { providerKey }) {
    const { content } = message;
    if (Array.isArray(message["parts"])) return message;
    if (!Array.isArray(content)) return inOptions(message, wanted.get(0), providerKey);
    const last = lastOf(parts);
    const isWhole = ofOptions(message, providerKey) !== undefined && wanted.has(last);
    const items = mapped(content as Fields[], (item, at) => {
      const part = pieces.findIndex((piece) => (piece as { at: number }).at === at);
      return inOptions(item, isWhole && part === last ? undefined : wanted.get(part), providerKey);
    });
    const own = inOptions(message, isWhole ? wanted.get(last) : undefined, providerKey);
    return items === content ? own : copy(own, { content: items });
  },
};

function ofOptions(item: Fields, key = "anthropic"): CacheLifetime | undefined {
  for (const field of OPTIONS) {
    const options = item[field];
    const own = isFields(options) ? options[key] : undefined;
    if (!isFields(own)) continue;
    const mark = lifetimeOf(own["cacheControl"] ?? own["cache_control"]);
    if (mark) return mark;
  }
  return undefined;
}

function inOptions(item: Fields, lifetime: CacheLifetime | undefined, key = "anthropic"): Fields {
  if (ofOptions(item, key) === lifetime) return item;
  const changes: Fields = {};
  for (const field of OPTIONS) {
    const options = item[field];
    if (!isFields(options) || !isFields(options[key])) continue;
    const rest = copy(options[key], { cacheControl: undefined, cache_control: undefined });
    const others = copy(options, { [key]: Object.keys(rest).length > 0 ? rest : undefined });
    changes[field] = Object.keys(others).length > 0 ? others : undefined;
  }
  if (lifetime) {
    const options = (changes["providerOptions"] ?? item["providerOptions"]) as unknown;
    const before = isFields(options) ? options : {};
    const own = isFields(before[key]) ? before[key] : {};
    changes["providerOptions"] = { ...before, [key]: { ...own, cacheControl: markOf(lifetime) } };
  }
  return copy(item, changes);
}

// ---------------------------------------------------------------- formats with marks as parts

/** The list with a mark behind each part that should have one, and no others. Marks that are there already are kept. */
function behind<T>(
  list: readonly T[],
  isMark: (item: T) => boolean,
  wanted: Wanted,
  make: () => T,
  change: (item: T) => T,
): readonly T[] {
  const out: T[] = [];
  let part = 0;
  for (const [at, item] of list.entries()) {
    if (isMark(item)) continue;
    out.push(change(item));
    if (!wanted.has(part++)) continue;
    const next = list[at + 1];
    out.push(next !== undefined && isMark(next) ? next : make());
  }
  return out.length === list.length && out.every((item, at) => item === list[at]) ? list : out;
}

/** The marks that stand behind parts, and those inside results, which count as the results'. */
function standing<T>(list: readonly T[], isMark: (item: T) => boolean, hasInner: (item: T) => boolean): Fact[] {
  const facts: Fact[] = [];
  let part = -1;
  for (const item of list) {
    if (!isMark(item)) part += 1;
    if ((hasInner(item) || isMark(item)) && part >= 0 && facts.at(-1)?.part !== part)
      facts.push({ part, can: true, mark: "5m" });
  }
  return facts;
}

const MARK = "cache_control";
const isDataMark = (item: unknown) => isFields(item) && item["mimeType"] === MARK;

const vscode: Wire = {
  scheme: "anthropic",
  lasts: false,

  facts({ message }) {
    const { content } = message;
    return Array.isArray(content)
      ? standing(content as unknown[], isDataMark, (item) => resultContent(item)?.some(isDataMark) ?? false)
      : [];
  },

  apply({ message }, wanted, { list, dataPart }) {
    const { content } = message;
    const make = () => {
      const data = new TextEncoder().encode("ephemeral");
      if (dataPart) return dataPart(data, MARK);
      const like = seen(list).find(
        (item) => isFields(item) && item["data"] !== undefined && typeof item["mimeType"] === "string",
      );
      return withFields(like ? (Object.getPrototypeOf(like) as object | null) : Object.prototype, {
        data,
        mimeType: MARK,
      });
    };
    if (typeof content === "string") {
      if (!wanted.has(0)) return message;
      const like = seen(list).find((item) => isFields(item) && typeof item["value"] === "string");
      const said = withFields(like ? (Object.getPrototypeOf(like) as object | null) : Object.prototype, {
        value: content,
      });
      return copy(message, { content: [said, make()] });
    }
    const parts = behind(content as unknown[], isDataMark, wanted, make, (item) => {
      const held = resultContent(item);
      return held?.some(isDataMark)
        ? copy(item as Fields, { content: held.filter((inner) => !isDataMark(inner)) })
        : item;
    });
    return parts === content ? message : copy(message, { content: parts });
  },
};

function resultContent(item: unknown): readonly unknown[] | undefined {
  const content = isFields(item) && typeof item["callId"] === "string" ? item["content"] : undefined;
  return Array.isArray(content) ? (content as unknown[]) : undefined;
}

/** All parts of all messages, for the classes they have. */
function seen(list: readonly unknown[]): object[] {
  return list.flatMap((message) =>
    isFields(message) && Array.isArray(message["content"]) ? (message["content"] as object[]) : [],
  );
}

const isMarkPart = (part: Part) => part.type === "cacheMark";

const espalier: Wire = {
  scheme: "anthropic",
  lasts: false,

  facts({ message }) {
    return standing(
      message["parts"] as readonly Part[],
      isMarkPart,
      (part) => part.type === "toolResult" && part.content.some(isMarkPart),
    );
  },

  apply({ message }, wanted) {
    const list = message["parts"] as readonly Part[];
    const parts = behind(
      list,
      isMarkPart,
      wanted,
      (): Part => ({ type: "cacheMark" }),
      (part) =>
        part.type === "toolResult" && part.content.some(isMarkPart)
          ? copy(part, { content: part.content.filter((inner) => !isMarkPart(inner)) })
          : part,
    );
    return parts === list ? message : copy(message, { parts });
  },
};

/** Formats that have marks. Gemini and Responses cache without. */
export const WIRES: Partial<Record<Format, Wire>> = {
  anthropic,
  "openai-chat": openaiChat,
  "ai-sdk": aiSdk,
  vscode,
  espalier,
};
