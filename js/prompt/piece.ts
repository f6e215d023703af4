/** Pieces: the result of JSX. A piece names a constructor, its props and its children; it is not rendered yet. */

import type { PromptElement } from "./element.ts";
import type { CancellationToken, ChatResponsePart, Progress } from "./host-types.ts";
import type { ChatCompletionContentPart } from "../formats/raw/prompt.ts";

/** The model that a prompt is made for. */
export interface IChatEndpointInfo {
  /** Max tokens of a prompt. */
  readonly modelMaxPromptTokens: number;
}

/**
 * What every renderer passes to an element: its budget, and a counter. `espalier/prompt-tsx` calls this `PromptSizing`.
 */
export interface BasePromptSizing {
  /** Tokens intended for this element. A hint: only pruning enforces a budget. */
  readonly tokenBudget: number;
  readonly endpoint: IChatEndpointInfo;
  /** Returns the tokens of a text or part, by the renderer's count. */
  countTokens(text: ChatCompletionContentPart | string, token?: CancellationToken): Promise<number> | number;
}

/**
 * What {@link render} passes to an element. `consume` keeps a tally for the element itself; layout and pruning count
 * what the element returns.
 *
 * ```tsx
 * import { render, TextChunk, UserMessage } from "espalier/prompt";
 * import type { PromptSizing } from "espalier/prompt";
 *
 * const Lines = async ({ lines }: { lines: string[] }, sizing: PromptSizing) => {
 *   const kept: string[] = [];
 *   for (const line of lines) {
 *     const tokens = await sizing.countTokens(`${line}\n`);
 *     if (tokens > sizing.remainingTokenBudget) break;
 *     sizing.consume(tokens);
 *     kept.push(line);
 *   }
 *   return <TextChunk>{kept.join("\n")}</TextChunk>;
 * };
 * const lines = Array.from({ length: 100 }, (_, at) => `line ${at}`);
 * const { messages } = await render(<UserMessage><Lines lines={lines} /></UserMessage>, { budget: 47 });
 * messages; // => [{ role: "user", content: "line 0\nline 1\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7\nline 8\nline 9" }]
 * ```
 */
export interface PromptSizing extends BasePromptSizing {
  /** `tokenBudget` minus the sum passed to {@link consume}; never below 0. */
  readonly remainingTokenBudget: number;
  /**
   * Subtracts tokens from {@link remainingTokenBudget}; a negative number adds them again.
   *
   * @throws EspalierError `bad_input` if `tokens` is no finite number
   */
  consume(tokens: number): void;
}

/**
 * Props of every element.
 *
 * ```tsx
 * import { render, TextChunk, UserMessage } from "espalier/prompt";
 * import type { PromptSizing } from "espalier/prompt";
 *
 * const Files = (_: {}, { tokenBudget }: PromptSizing) => <TextChunk>{`${tokenBudget} tokens`}</TextChunk>;
 * const { messages } = await render(
 *   <>
 *     <UserMessage priority={700} flexGrow={1}><Files /></UserMessage>
 *     <UserMessage priority={900}>Why does this fail?</UserMessage>
 *   </>,
 *   { budget: 1_000 },
 * );
 * messages[0]?.content; // => "984 tokens"
 * ```
 */
export interface BasePromptElementProps {
  /** Rank among its siblings if tokens are short: the lowest is removed first. Default: the highest. */
  priority?: number;
  /** Makes an element transparent for pruning: its children compete with its siblings, by their own priorities. */
  passPriority?: boolean;
  /** Weight for dividing the remaining budget among siblings that render together. Default 1. */
  flexBasis?: number;
  /**
   * The order of rendering: siblings without a value first, then from the highest value to the lowest, each with the
   * budget that the earlier ones left.
   */
  flexGrow?: number;
  /**
   * Tokens, or a share of the remaining budget (`"/3"` is a third), that siblings rendered earlier must leave for this
   * element.
   */
  flexReserve?: number | `/${number}`;
}

/** Props that the renderer adds. */
export interface RuntimePromptElementProps {
  /** Always a list. */
  children?: PromptPieceChild[];
}

export type PromptElementProps<T> = T & BasePromptElementProps & RuntimePromptElementProps;

/** A class of elements. */
export interface PromptElementCtor<P extends BasePromptElementProps, S> {
  isFragment?: boolean;
  new (props: P, ...args: any[]): PromptElement<P, S>;
}

/**
 * A function as an element: it receives the props, and the arguments of a class's `render`.
 *
 * ```tsx
 * import { render, SystemMessage, TextChunk } from "espalier/prompt";
 * import type { PromptSizing } from "espalier/prompt";
 *
 * const Rules = ({ list }: { list: string[] }, { tokenBudget }: PromptSizing) => (
 *   <TextChunk priority={5}>{list.slice(0, tokenBudget / 20).join("\n")}</TextChunk>
 * );
 * const rules = ["Be brief.", "Cite files."];
 * const { messages } = await render(<SystemMessage><Rules list={rules} /></SystemMessage>, { budget: 1_000 });
 * messages; // => [{ role: "system", content: "Be brief.\nCite files." }]
 * ```
 */
export type PromptComponent<P = any> = (
  props: PromptElementProps<P>,
  sizing: PromptSizing,
  progress?: Progress<ChatResponsePart>,
  token?: CancellationToken,
) => PromptChildren | Promise<PromptChildren>;

/** Groups its children. */
export interface PromptFragment {
  (): never;
  readonly isFragment: true;
}

/** An element that is not rendered yet. */
export interface PromptPiece<P extends BasePromptElementProps = any, S = any> {
  ctor: string | PromptElementCtor<P, S> | PromptComponent<P> | PromptFragment;
  props: P;
  children: PromptPieceChild[];
}

/**
 * One entry of `props.children`, as the reference declares it, so that its clients' `children.some((child) => typeof
 * child === "object" && child.ctor === X)` compiles. Authors may write {@link PromptChildren}.
 */
export type PromptPieceChild = string | number | boolean | undefined | PromptPiece;

/** Children as authors may write them: null, undefined and booleans are dropped, lists of any kind are opened. */
export type PromptChildren = PromptPieceChild | null | Iterable<PromptChildren>;

/** The possible results of `render`. 0, NaN and the empty string print nothing. */
export type PromptRendered = PromptChildren | void;

const fragment = (): never => {
  throw new Error("A fragment is a marker; it is never called.");
};

/** Groups children without an element of its own: the meaning of `<>…</>`. */
export const Fragment: PromptFragment = Object.assign(fragment, { isFragment: true as const });

/**
 * Makes a piece without JSX.
 *
 * ```ts
 * import { createPiece, render, UserMessage } from "espalier/prompt";
 *
 * const piece = createPiece(UserMessage, { priority: 1 }, "Hello ", "Ada");
 * const { messages } = await render(piece, { budget: 100 });
 * messages; // => [{ role: "user", content: "Hello Ada" }]
 * ```
 */
export function createPiece(ctor: unknown, props: unknown, ...children: unknown[]): PromptPiece {
  return { ctor, props, children: children.flat() } as PromptPiece;
}

/** Returns true if a constructor is a fragment, of this copy of the library or another. */
export function isFragment(ctor: unknown): ctor is PromptFragment {
  return typeof ctor === "function" && (ctor as { isFragment?: unknown }).isFragment === true;
}

/** Returns true if a child is a piece, and not text, nothing, or a list. */
export function isPiece(child: unknown): child is PromptPiece {
  return typeof child === "object" && child !== null && "ctor" in child;
}
