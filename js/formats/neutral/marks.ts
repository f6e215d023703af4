/** Cache marks of neutral messages: parts behind those that they mark. */

import type { Part } from "../../types/messages.ts";
import { behind, standing } from "../marks.ts";
import type { Marks } from "../marks.ts";
import { copy } from "../values.ts";

const isMarkPart = (part: Part) => part.type === "cacheMark";

export const marks: Marks = {
  schemes: ["anthropic", "openai"],
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
