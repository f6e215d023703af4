/** Cache marks of the AI SDK: options of a provider, on a part or a message. */

import type { CacheLifetime } from "../../types/cache.ts";
import { lastOf, lifetimeOf, markOf, mapped } from "../marks.ts";
import type { Fact, Marks } from "../marks.ts";
import { copy, isFields } from "../values.ts";
import type { Fields } from "../values.ts";

const OPTIONS = ["providerOptions", "providerMetadata"] as const;

export const marks: Marks = {
  schemes: ["anthropic", "openai"],
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
