/**
 * Elements that contain others and change how they are sized or pruned. The renderer recognises them by class and does
 * the work.
 */

import { mark } from "../brand.ts";
import { PromptElement } from "../element.ts";
import { createPiece, Fragment } from "../piece.ts";
import type { BasePromptElementProps, BasePromptSizing, PromptPiece, PromptChildren, PromptSizing } from "../piece.ts";

/**
 * Content that is removed as a whole or not at all.
 *
 * ```tsx
 * import { Chunk, render, UserMessage } from "espalier/prompt";
 *
 * const [path, text] = ["src/app.ts", "word ".repeat(500)];
 * const { messages } = await render(
 *   <UserMessage><Chunk priority={3}>File {path}:<br />{text}</Chunk>Why does this fail?</UserMessage>,
 *   { budget: 100 },
 * );
 * messages; // => [{ role: "user", content: "Why does this fail?" }]
 * ```
 */
export class Chunk extends PromptElement<BasePromptElementProps> {
  static {
    mark(this, "Chunk");
  }

  render(): PromptPiece {
    return createPiece(Fragment, null, this.props.children);
  }
}

export interface TokenLimitProps extends BasePromptElementProps {
  /** Max tokens of the content. */
  max: number;
}

/**
 * Prunes its content to a limit of its own, before the prompt as a whole is pruned.
 *
 * ```tsx
 * import { render, TextChunk, TokenLimit, UserMessage } from "espalier/prompt";
 *
 * const texts = ["first ".repeat(40), "second ".repeat(40)];
 * const attachments = texts.map((text, at) => <TextChunk priority={at}>{text}</TextChunk>);
 * const { tokens } = await render(
 *   <UserMessage><TokenLimit max={60}>{attachments}</TokenLimit>Why does this fail?</UserMessage>,
 *   { budget: 8_000 },
 * );
 * tokens < 100; // => true
 * ```
 */
export class TokenLimit extends PromptElement<TokenLimitProps> {
  static {
    mark(this, "TokenLimit");
  }

  render(): PromptPiece {
    return createPiece(Fragment, null, this.props.children);
  }
}

export interface ExpandableProps extends BasePromptElementProps {
  /** Returns the text for a budget. Called again with a larger budget if the rest of the prompt leaves room. */
  value: (sizing: PromptSizing) => string | Promise<string>;
}

/** Text that grows into the remaining room. */
export class Expandable extends PromptElement<ExpandableProps> {
  static {
    mark(this, "Expandable");
  }

  async render(_state: void, sizing: BasePromptSizing): Promise<PromptPiece> {
    return createPiece(Fragment, null, await this.props.value(sizing as PromptSizing));
  }
}

export interface IfEmptyProps extends BasePromptElementProps {
  /** Shown if the children are empty. */
  alt: PromptChildren;
}

/**
 * Shows `alt` if its children have no content. This is decided before pruning.
 *
 * ```tsx
 * import { IfEmpty, render, UserMessage } from "espalier/prompt";
 *
 * const result = "";
 * const { messages } = await render(
 *   <UserMessage><IfEmpty alt="The tool returned nothing.">{result}</IfEmpty></UserMessage>,
 *   { budget: 100 },
 * );
 * messages; // => [{ role: "user", content: "The tool returned nothing." }]
 * ```
 */
export class IfEmpty extends PromptElement<IfEmptyProps> {
  static {
    mark(this, "IfEmpty");
  }

  render(): PromptPiece {
    // Exactly two: the renderer chooses between the first and the second. The content renders first, wherever it is.
    return createPiece(
      Fragment,
      null,
      createPiece(LogicalWrapper, null, this.props.alt),
      createPiece(LogicalWrapper, { flexGrow: 1 }, this.props.children),
    );
  }
}

/** Contains others, without any effect of its own. */
export class LogicalWrapper extends PromptElement {
  static {
    mark(this, "LogicalWrapper");
  }

  render(): PromptPiece {
    return createPiece(Fragment, null, this.props.children);
  }
}

/**
 * Removes the text with the lowest priority in its whole subtree first, at any depth.
 *
 * @deprecated Give priorities to the elements around the texts instead.
 */
export class LegacyPrioritization extends PromptElement {
  static {
    mark(this, "LegacyPrioritization");
  }

  render(): PromptPiece {
    return createPiece(Fragment, null, this.props.children);
  }
}
