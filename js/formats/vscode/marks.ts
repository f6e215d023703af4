/** Cache marks of VS Code: data parts of a type of their own behind the part that they mark. */

import { behind, standing } from "../marks.ts";
import type { Marks } from "../marks.ts";
import { copy, isFields, withFields } from "../values.ts";
import type { Fields } from "../values.ts";
import { partsOf } from "./write.ts";

const MARK = "cache_control";
const isDataMark = (item: unknown) => isFields(item) && item["mimeType"] === MARK;

export const marks: Marks = {
  schemes: ["anthropic", "openai"],
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
      const like = partsOf(list).find(
        (item) => isFields(item) && item["data"] !== undefined && typeof item["mimeType"] === "string",
      );
      return withFields(like ? (Object.getPrototypeOf(like) as object | null) : Object.prototype, {
        data,
        mimeType: MARK,
      });
    };
    if (typeof content === "string") {
      if (!wanted.has(0)) return message;
      const like = partsOf(list).find((item) => isFields(item) && typeof item["value"] === "string");
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
