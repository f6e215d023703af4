/** A source file that grows with its budget. */

import type { SummaryDocument, SummaryOptions } from "../../documents/summarize.ts";
import { picked } from "../../options/data.ts";
import type { BasePromptElementProps, PromptElementProps } from "../piece.ts";
import { shortened } from "../shortened.ts";
import { Expandable } from "./containers.ts";

export interface SourceDocumentProps
  extends BasePromptElementProps,
    SummaryDocument,
    Pick<SummaryOptions, "lineNumbers" | "marker" | "imports"> {
  /** The whole text of the file. */
  text: string;
}

/**
 * A source file cut down to its budget, with a comment at every gap. It grows into the room that the rest of the prompt
 * leaves. If not even the selection fits, it is empty.
 *
 * ```tsx
 * import { readFile } from "node:fs/promises";
 * import { render, SourceDocument, Tag, UserMessage } from "espalier/prompt";
 *
 * const path = "src/app.ts";
 * const text = await readFile(path, "utf8");
 * const { messages, tokens } = await render(
 *   <UserMessage>
 *     <Tag name="file" attrs={{ path }}>
 *       <SourceDocument path={path} text={text} selection={text.indexOf("start3")} priority={5} flexGrow={1} />
 *     </Tag>
 *     What does start3 do?
 *   </UserMessage>,
 *   { budget: 500 },
 * );
 * tokens <= 500; // => true
 * /export function start3/.test(String(messages[0]?.content)); // => true
 * ```
 */
export class SourceDocument extends Expandable {
  constructor(props: PromptElementProps<SourceDocumentProps>) {
    const options = picked(props, OPTIONS);
    super({
      ...props,
      value: (sizing) =>
        shortened(props.text, options, {
          most: sizing.tokenBudget,
          countTokens: (summary) => sizing.countTokens(summary),
        }),
    });
  }
}

const OPTIONS = [
  "path",
  "language",
  "tabSize",
  "limits",
  "tree",
  "costs",
  "selection",
  "comments",
  "lineNumbers",
  "marker",
  "imports",
] as const satisfies readonly (keyof SourceDocumentProps)[];
