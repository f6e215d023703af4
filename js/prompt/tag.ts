/** Text between tags, a form that models read well. */

import { EspalierError } from "../errors/errors.ts";
import { PromptElement } from "./element.ts";
import { useKeepWith } from "./elements/keep-with.ts";
import { createPiece, Fragment } from "./piece.ts";
import type { BasePromptElementProps, PromptPiece } from "./piece.ts";

export interface TagProps extends BasePromptElementProps {
  /** Letters, digits, `_`, `-` and `.`, beginning with a letter or `_`. */
  name: string;
  /** Written as JSON; attributes without a value are left out. */
  attrs?: Record<string, string | number | boolean | null | undefined>;
}

const NAME = /^[A-Za-z_][\w.-]*$/;

/**
 * Puts its content between an opening and a closing tag, each on a line of its own. Without content the tag closes
 * itself; without content and attributes it is empty. The content is not escaped, since models read it better
 * unescaped. It is pruned before the tags, which are removed together, after the last of the content.
 *
 * ```tsx
 * import { render, Tag, UserMessage } from "espalier/prompt";
 *
 * const { messages } = await render(
 *   <UserMessage><Tag name="attachment" attrs={{ id: "notes.md" }}>Buy milk.</Tag></UserMessage>,
 *   { budget: 100 },
 * );
 * messages[0]?.content; // => '<attachment id="notes.md">\nBuy milk.\n</attachment>\n'
 * ```
 */
export class Tag extends PromptElement<TagProps> {
  render(): PromptPiece | undefined {
    const { name, attrs = {}, children = [], passPriority } = this.props;
    const said = Object.entries(attrs).filter(([, value]) => value !== undefined);
    for (const word of [name, ...said.map(([key]) => key)]) checked(word);
    const head = [name, ...said.map(([key, value]) => `${key}=${JSON.stringify(value)}`)].join(" ");
    if (!children.some((child) => child !== undefined && child !== null && typeof child !== "boolean")) {
      return said.length > 0 ? createPiece(Fragment, null, `<${head} />\n`) : undefined;
    }
    const KeepWith = useKeepWith();
    // Just below the tags, so that only its own content is removed before it; only its content competes with what is
    // outside.
    const rank = passPriority ? { passPriority } : { priority: Number.MAX_SAFE_INTEGER - 1 };
    return createPiece(
      Fragment,
      null,
      createPiece(KeepWith, null, `<${head}>\n`),
      createPiece(KeepWith, { ...rank, flexGrow: 1 }, children, "\n"),
      createPiece(KeepWith, null, `</${name}>\n`),
    );
  }
}

function checked(word: unknown): void {
  if (typeof word === "string" && NAME.test(word)) return;
  throw new EspalierError({ code: "bad_option", message: `Invalid tag name: ${String(word)}`, path: "name" });
}
