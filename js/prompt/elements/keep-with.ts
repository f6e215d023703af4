/** Elements that are removed together. */

import { mark } from "../brand.ts";
import { PromptElement } from "../element.ts";
import { createPiece, Fragment } from "../piece.ts";
import type { BasePromptElementProps, PromptElementProps, PromptPiece } from "../piece.ts";

const IDS = Symbol.for("espalier.keepWith");

/** The base class of all elements of `useKeepWith`. */
export abstract class AbstractKeepWith extends PromptElement {
  static {
    mark(this, "AbstractKeepWith");
  }

  abstract readonly id: number;
}

export type KeepWithCtor = {
  new (props: PromptElementProps<BasePromptElementProps>): AbstractKeepWith;
  id: number;
};

/** The common base of the classes of `useKeepWith`: shows its children. */
export abstract class KeepWithElement extends AbstractKeepWith {
  static {
    mark(this, "KeepWithElement");
  }

  render(): PromptPiece {
    return createPiece(Fragment, null, this.props.children);
  }
}

/** Shared by all copies of the package in a process, since one prompt may contain elements of several copies. */
const ids: { next: number } = ((globalThis as { [IDS]?: { next: number } })[IDS] ??= { next: 0 });

/**
 * Returns a new element class whose uses are removed together: once the content of one is pruned completely, the others
 * are removed too. Unlike in a `Chunk`, the content itself may be pruned bit by bit.
 *
 * ```tsx
 * import { AssistantMessage, render, ToolMessage, useKeepWith, UserMessage } from "espalier/prompt";
 *
 * const KeepWith = useKeepWith();
 * const bash = { name: "bash", arguments: "{}" };
 * const call = { id: "t1", type: "function" as const, function: bash, keepWith: KeepWith };
 * const { messages } = await render(
 *   <>
 *     <AssistantMessage priority={2} toolCalls={[call]} />
 *     <KeepWith priority={1}><ToolMessage toolCallId="t1">{"word ".repeat(500)}</ToolMessage></KeepWith>
 *     <UserMessage priority={3}>Run the tests.</UserMessage>
 *   </>,
 *   { budget: 100 },
 * );
 * messages; // => [{ role: "user", content: "Run the tests." }]
 * ```
 */
export function useKeepWith(): KeepWithCtor {
  const id = ids.next++;
  return class extends KeepWithElement {
    // Errors and traces use the reference's name; a minifier drops the name of a class expression.
    static override readonly name = "KeepWith";
    static readonly id = id;
    readonly id = id;
  };
}
