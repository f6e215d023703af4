/**
 * The host's side of a tree: the objects of every node of the core. Both sides number nodes in the order of their
 * creation, so a node's `id` is its number in the core.
 */

import type { PromptElement } from "./element.ts";
import type { ChatCompletionContentPartCacheBreakpoint } from "../formats/raw/prompt.ts";
import type { PromptPiece } from "./piece.ts";
import type { PromptMetadata } from "./results.ts";
import type { ToolCall } from "./elements/index.ts";

export type RenderNode = ElementNode | TextNode | OpaqueNode | BreakpointNode;

/** How the renderer treats an element. */
export type ElementKind = "container" | "message" | "image" | "document";

export interface ElementNode {
  type: "element";
  id: number;
  parent: ElementNode | undefined;
  /** Its origin: a class, a component, or a name in a spliced tree. */
  ctor: PromptPiece["ctor"] | undefined;
  name: string | undefined;
  kind: ElementKind;
  props: Record<string, any>;
  /** The instance, once it exists; static elements need none. */
  instance: PromptElement<any, any> | undefined;
  state: unknown;
  flags: number;
  limit: number | undefined;
  keepWith: number | undefined;
  /** Calls of an assistant message, and for each the number of the group it is kept with. */
  calls: ToolCall[] | undefined;
  callsKeptWith: (number | undefined)[] | undefined;
  toolCallId: string | undefined;
  children: RenderNode[];
  metadata: PromptMetadata[];
  /** True if it was rendered elsewhere and takes no part in layout. */
  spliced: boolean;
  /** True if layout charges it for an empty message. */
  inLayout: boolean;
  /** True if an element of the package makes its content, or that of an enclosing element, for a budget. */
  isSized: boolean;
}

export interface TextNode {
  type: "text";
  id: number;
  parent: ElementNode;
  text: string;
  /** The parts of a text that is not one literal; `counts` is false for line breaks. */
  literals: { text: string; counts: boolean }[] | undefined;
  priority: number;
  lineBreakBefore: boolean;
  metadata: PromptMetadata[];
}

export interface OpaqueNode {
  type: "opaque";
  id: number;
  parent: ElementNode;
  value: unknown;
  tokenUsage: number | undefined;
  priority: number | undefined;
}

export interface BreakpointNode {
  type: "breakpoint";
  id: number;
  parent: ElementNode;
  part: ChatCompletionContentPartCacheBreakpoint;
}

/** Flags of elements, in JSON as well. */
export const Flag = { legacy: 1, chunk: 2, passPriority: 4, alternate: 8 } as const;

/** Returns the names from the root to an element. */
export function pathOf(node: RenderNode | undefined): string {
  const names: string[] = [];
  for (let at: RenderNode | undefined = node; at; at = at.parent)
    if (at.type === "element") names.push(at.name ?? "<anonymous>");
  return names.reverse().join(" > ");
}

/** Returns the name of a piece's constructor. */
export function nameOf(ctor: unknown): string {
  if (typeof ctor === "string") return ctor;
  return ctor ? (ctor as { name?: string }).name || "<anonymous>" : String(ctor);
}
