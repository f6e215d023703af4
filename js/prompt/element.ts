/** The base class of elements. */

import type { CancellationToken, ChatResponsePart, Progress } from "./host-types.ts";
import type { BasePromptElementProps, BasePromptSizing, PromptElementProps, PromptRendered } from "./piece.ts";

/**
 * One element of a prompt. `render` returns its content; `prepare`, if defined, fetches what `render` needs, for all
 * elements of a group at once. Line ends in JSX text are not kept: write `<br />`.
 *
 * ```tsx
 * import { PromptElement, render, UserMessage } from "espalier/prompt";
 * import type { BasePromptElementProps } from "espalier/prompt";
 *
 * class Greeting extends PromptElement<{ name: string } & BasePromptElementProps> {
 *   render() {
 *     return <UserMessage priority={this.priority}>Hello {this.props.name}!</UserMessage>;
 *   }
 * }
 * const { messages } = await render(<Greeting name="Ada" />, { budget: 100 });
 * messages; // => [{ role: "user", content: "Hello Ada!" }]
 * ```
 */
export abstract class PromptElement<P extends BasePromptElementProps = BasePromptElementProps, S = void> {
  readonly props: PromptElementProps<P>;

  constructor(props: PromptElementProps<P>) {
    this.props = props;
  }

  /** Its rank among its siblings; the highest possible if none was given. */
  get priority(): number {
    return this.props.priority ?? Number.MAX_SAFE_INTEGER;
  }

  get insertLineBreakBefore(): boolean {
    return true;
  }

  /** Fetches what `render` needs; `render` receives the resolved value as `state`. */
  prepare?(sizing: BasePromptSizing, progress?: Progress<ChatResponsePart>, token?: CancellationToken): Promise<S>;

  /** Returns the content of the element, or nothing. */
  abstract render(
    state: S,
    sizing: BasePromptSizing,
    progress?: Progress<ChatResponsePart>,
    token?: CancellationToken,
  ): Promise<PromptRendered> | PromptRendered;
}
