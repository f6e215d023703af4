/** The result of a tool in the form of VS Code's tools. */

import { isForOthers } from "../../formats/audience.ts";
import { mark } from "../brand.ts";
import { PromptElement } from "../element.ts";
import { createPiece, Fragment } from "../piece.ts";
import type { LanguageModelToolResult } from "../host-types.ts";
import type { BasePromptElementProps, PromptPiece } from "../piece.ts";

export interface IToolResultProps extends BasePromptElementProps {
  /** The result of the tool. */
  data: LanguageModelToolResult;
}

/**
 * Shows the texts and prompt trees of a result. Other parts are left out, and so are parts that are not for the model.
 *
 * ```tsx
 * import * as vscode from "vscode";
 * import { AssistantMessage, render, ToolMessage, ToolResult } from "espalier/prompt";
 *
 * const call = { id: "t1", type: "function" as const, function: { name: "run_tests", arguments: "{}" } };
 * const result = await vscode.lm.invokeTool("run_tests", { input: {}, toolInvocationToken: undefined });
 * const { messages } = await render(
 *   <>
 *     <AssistantMessage toolCalls={[call]} />
 *     <ToolMessage toolCallId="t1"><ToolResult data={result} /></ToolMessage>
 *   </>,
 *   { budget: 8_000 },
 * );
 * messages[1]?.content; // => "62 tests passed"
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
