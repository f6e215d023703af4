/** Anthropic's cache marks: on blocks, on the system prompt, on tools. */

import type { CacheLifetime } from "../../types/cache.ts";
import { marked, markOf, mapped, WHOLE, withMark } from "../marks.ts";
import type { Fact, Marks } from "../marks.ts";
import { copy, isFields } from "../values.ts";
import type { Fields } from "../values.ts";
import { blocks } from "./read.ts";

/** A block of the content; blocks inside a result must not be marked, so a mark there counts as the result's. */
export const marks: Marks = {
  schemes: ["anthropic"],
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

  prefix: {
    model: "claude",
    // A request that asks for marks of the provider's own choice gives one of them away.
    reserved: (request) => (request["cache_control"] ? 1 : 0),
    pieces: (system) => blocks(system, "system").map(([, piece]) => piece),
    toolFact(tool) {
      const mark = marked(tool);
      return { can: !(isFields(tool) && tool["defer_loading"] === true), ...(mark && { mark }) };
    },
    markTool: (tool, lifetime) => (isFields(tool) ? withMark(tool, lifetime) : tool),
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
