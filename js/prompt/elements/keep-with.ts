/** Elements that go together. */

import { mark } from "../brand.ts";
import { PromptElement } from "../element.ts";
import { createPiece, Fragment } from "../piece.ts";
import type { BasePromptElementProps, PromptElementProps, PromptPiece } from "../piece.ts";

const IDS = Symbol.for("espalier.keepWith");

/** What all elements of `useKeepWith` are instances of. */
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

/** What the classes of `useKeepWith` have in common: they show their children. */
export abstract class KeepWithElement extends AbstractKeepWith {
  static {
    mark(this, "KeepWithElement");
  }

  render(): PromptPiece {
    return createPiece(Fragment, null, this.props.children);
  }
}

/** Shared by all copies of the package in a process, since their elements may stand in one prompt. */
const ids: { next: number } = ((globalThis as { [IDS]?: { next: number } })[IDS] ??= { next: 0 });

/**
 * A new element whose uses share their fate: as soon as the content of one is pruned completely, the others go too.
 * Other than in a `Chunk`, the content itself may be pruned bit by bit.
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
    // Errors and traces name it as the reference does; a minifier drops the name of a class expression.
    static override readonly name = "KeepWith";
    static readonly id = id;
    readonly id = id;
  };
}
