/** Pictures and documents. The renderer drops their children. */

import { mark } from "../brand.ts";
import { PromptElement } from "../element.ts";
import { createPiece, Fragment } from "../piece.ts";
import type { BasePromptElementProps, PromptPiece } from "../piece.ts";

export interface ImageProps extends BasePromptElementProps {
  /** An address, or base64: JPEG, PNG, GIF and WebP are recognised. */
  src: string;
  /** The level of detail at which the model looks. Default `auto`. */
  detail?: "low" | "high" | "auto";
  /** Media type of base64 data. Default: detected from its first bytes. */
  mimeType?: string;
}

/**
 * A picture, within a message.
 *
 * ```tsx
 * import { Image, render, UserMessage } from "espalier/prompt";
 *
 * const { tokens } = await render(
 *   <UserMessage>What is this? <Image src="https://example.com/diagram.png" detail="low" /></UserMessage>,
 *   { budget: 8_000 },
 * );
 * tokens; // => 97
 * ```
 */
export class Image extends PromptElement<ImageProps> {
  static {
    mark(this, "Image");
  }

  render(): PromptPiece {
    return createPiece(Fragment, null, this.props.children);
  }
}

export interface DocumentProps extends BasePromptElementProps {
  /** The document as base64. */
  data: string;
  /** Such as `application/pdf`. */
  mediaType: string;
}

/** A document, within a message. */
export class Document extends PromptElement<DocumentProps> {
  static {
    mark(this, "Document");
  }

  render(): PromptPiece {
    return createPiece(Fragment, null, this.props.children);
  }
}
