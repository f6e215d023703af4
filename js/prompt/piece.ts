/** What JSX makes: pieces. A piece names a constructor, its props and its children; nothing is rendered yet. */

import type { PromptElement } from "./element.ts";
import type { CancellationToken, ChatResponsePart, Progress } from "./host-types.ts";
import type { ChatCompletionContentPart } from "../formats/raw/prompt.ts";

/** The model that a prompt is made for. */
export interface IChatEndpointInfo {
  /** Most tokens that a prompt may have. */
  readonly modelMaxPromptTokens: number;
}

/**
 * What every renderer passes to an element: how much it should write, and how to count. `espalier/prompt-tsx` calls
 * this `PromptSizing`.
 */
export interface BasePromptSizing {
  /** Tokens meant for this element. A hint: only pruning enforces a budget. */
  readonly tokenBudget: number;
  readonly endpoint: IChatEndpointInfo;
  /** Tokens of a text or part, counted as the renderer counts. */
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
  /** `tokenBudget` less what {@link consume} was called with; never below 0. */
  readonly remainingTokenBudget: number;
  /**
   * Takes tokens off {@link remainingTokenBudget}; a negative number gives them back.
   *
   * @throws EspalierError `bad_input` if `tokens` is no finite number
   */
  consume(tokens: number): void;
}

/**
 * The props that every element has.
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
  /** Rank among its siblings when tokens are short: the lowest goes first. Without one an element goes last. */
  priority?: number;
  /** Makes an element transparent for pruning: its children compete with its siblings, by their own priorities. */
  passPriority?: boolean;
  /** Weight when siblings that render together share what is left of the budget. 1 if not given. */
  flexBasis?: number;
  /**
   * When to render: siblings without one first, then from the highest value to the lowest, each told what the earlier
   * ones left.
   */
  flexGrow?: number;
  /**
   * Tokens, or a share of what is left (`"/3"` is a third), that siblings which render earlier must leave for this
   * element.
   */
  flexReserve?: number | `/${number}`;
}

/** What the renderer adds to the props. */
export interface RuntimePromptElementProps {
  /** Always a list, however many children there are. */
  children?: PromptPieceChild[];
}

export type PromptElementProps<T> = T & BasePromptElementProps & RuntimePromptElementProps;

/** A class of elements. */
export interface PromptElementCtor<P extends BasePromptElementProps, S> {
  isFragment?: boolean;
  new (props: P, ...args: any[]): PromptElement<P, S>;
}

/**
 * A function as an element: it gets the props, and what a class gets in `render`.
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

/** Stands for its children and nothing else. */
export interface PromptFragment {
  (): never;
  readonly isFragment: true;
}

/** An element that waits to be rendered. */
export interface PromptPiece<P extends BasePromptElementProps = any, S = any> {
  ctor: string | PromptElementCtor<P, S> | PromptComponent<P> | PromptFragment;
  props: P;
  children: PromptPieceChild[];
}

/**
 * One entry of `props.children`, as the reference declares it, so that its clients'
 * `children.some((child) => typeof child === "object" && child.ctor === X)` compiles. What authors may write is
 * {@link PromptChildren}.
 */
export type PromptPieceChild = string | number | boolean | undefined | PromptPiece;

/** What authors may write as children: null, undefined and booleans are dropped, lists of any kind are opened. */
export type PromptChildren = PromptPieceChild | null | Iterable<PromptChildren>;

/** What `render` may return. 0, NaN and the empty string print nothing. */
export type PromptRendered = PromptChildren | void;

const fragment = (): never => {
  throw new Error("A fragment is a marker; it is never called.");
};

/** Groups children without an element of its own: what `<>…</>` stands for. */
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

/** Whether a constructor is a fragment: ours, or that of another copy of the library. */
export function isFragment(ctor: unknown): ctor is PromptFragment {
  return typeof ctor === "function" && (ctor as { isFragment?: unknown }).isFragment === true;
}

/** Whether a child is a piece, and not text, nothing, or a list. */
export function isPiece(child: unknown): child is PromptPiece {
  return typeof child === "object" && child !== null && "ctor" in child;
}
