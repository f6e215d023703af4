/** What a tool returned, in the form that VS Code's tools return it. */

import { isForOthers } from "../../adapters/audience.ts";
import { mark } from "../brand.ts";
import { PromptElement } from "../element.ts";
import { createPiece, Fragment } from "../piece.ts";
import type { LanguageModelToolResult } from "../host-types.ts";
import type { BasePromptElementProps, PromptPiece } from "../piece.ts";

export interface IToolResultProps extends BasePromptElementProps {
  /** What the tool returned. */
  data: LanguageModelToolResult;
}

/**
 * The texts and prompt trees of a result; other parts have no place in a prompt and are left out, and so is what is not for the model.
 *
 * ```jsx
 * <ToolMessage toolCallId={id}><ToolResult data={await vscode.lm.invokeTool(name, options)} /></ToolMessage>
 * ```
 */
export class ToolResult extends PromptElement<IToolResultProps> {
  static {
    mark(this, "ToolResult");
  }

  render(): PromptPiece {
    const children = Array.from(this.props.data.content, (part) => {
      if (isForOthers(part)) return undefined;
      const value = (part as { value?: unknown } | null | undefined)?.value;
      if (typeof value === "string") return value;
      const node = (value as { node?: unknown } | null | undefined)?.node;
      return typeof node === "object" && node !== null ? createPiece("elementJSON", { data: value }) : undefined;
    });
    return createPiece(Fragment, null, children);
  }
}
