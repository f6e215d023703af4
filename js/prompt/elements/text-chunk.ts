/** Text that is kept or removed as a whole, and that may be cut to its budget at a break. */

import { mark } from "../brand.ts";
import { PromptElement } from "../element.ts";
import { EspalierError } from "../../errors/errors.ts";
import { createPiece, Fragment, isFragment, isPiece } from "../piece.ts";
import { longestFittingPrefix } from "../text-break.ts";
import type { CancellationToken } from "../host-types.ts";
import type { BasePromptElementProps, BasePromptSizing, PromptPiece, PromptChildren } from "../piece.ts";

export interface TextChunkProps extends BasePromptElementProps {
  /**
   * Where the text may end if it exceeds its budget: right before this text, or before a match of this expression (with
   * flag `g`).
   */
  breakOn?: RegExp | string;
  /** The same as `breakOn={/\s+/g}`. */
  breakOnWhitespace?: boolean;
}

/**
 * One run of text, on a line of its own. It accepts text and intrinsics (`<br />`, `<references />`), but no elements.
 *
 * ```tsx
 * import { readFile } from "node:fs/promises";
 * import { render, TextChunk, UserMessage } from "espalier/prompt";
 *
 * const log = await readFile("build.log", "utf8");
 * const { tokens } = await render(
 *   <UserMessage><TextChunk priority={5} breakOnWhitespace>{log}</TextChunk></UserMessage>,
 *   { budget: 500 },
 * );
 * tokens > 400 && tokens <= 500; // => true
 * ```
 */
export class TextChunk extends PromptElement<TextChunkProps, PromptPiece> {
  static {
    mark(this, "TextChunk");
  }

  override async prepare(
    sizing: BasePromptSizing,
    _progress?: unknown,
    token?: CancellationToken,
  ): Promise<PromptPiece> {
    const breakOn = this.props.breakOnWhitespace ? /\s+/g : this.props.breakOn;
    if (!breakOn) return createPiece(Fragment, null, this.props.children);
    const texts: string[] = [];
    const intrinsics: PromptPiece[] = [];
    for (const child of opened(this.props.children)) {
      if (!isPiece(child)) texts.push(String(child));
      else if (typeof child.ctor !== "string")
        throw new EspalierError({
          code: "bad_element",
          message: "TextChunk children must be text literals or intrinsic attributes.",
        });
      else if (child.ctor === "br") texts.push("\n");
      else intrinsics.push(child);
    }
    return createPiece(Fragment, null, intrinsics, await longestFittingPrefix(texts.join(""), breakOn, sizing, token));
  }

  render(piece: PromptPiece): PromptPiece {
    return piece;
  }
}

/** Returns the children one by one: lists and fragments are opened, children without output are left out. */
function opened(children: readonly PromptChildren[] = []): (string | number | PromptPiece)[] {
  const out: (string | number | PromptPiece)[] = [];
  const waiting: PromptChildren[] = [...children].reverse();
  while (waiting.length > 0) {
    const child = waiting.pop();
    if (child === undefined || child === null || typeof child === "boolean") continue;
    if (typeof child !== "object") out.push(child);
    else if (isPiece(child) && !isFragment(child.ctor)) out.push(child);
    else for (const inner of [...(isPiece(child) ? child.children : child)].reverse()) waiting.push(inner);
  }
  return out;
}
