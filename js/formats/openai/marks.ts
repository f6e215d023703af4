/** Cache marks in OpenAI's chat messages, which gateways to other providers read. */

import type { CacheLifetime } from "../../types/cache.ts";
import { isBlank, lastOf, marked, markOf, mapped, WHOLE, withMark } from "../marks.ts";
import type { Fact, Marks } from "../marks.ts";
import { copy, isFields } from "../values.ts";
import type { Fields } from "../values.ts";

/** Fields that gateways read marks from; the first is Copilot's own. */
const BESIDE = ["copilot_cache_control", "cache_control"] as const;

export const marks: Marks = {
  schemes: ["openai", "anthropic"],
  lasts: true,
  // "Unknown parameter: 'cache_control'." It caches by itself.
  refusedBy: "openai",

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
