/**
 * The host's side of a tree: for every node of the core's the objects that it stands for. Both sides count nodes as
 * they are made, so a node's `id` is its number in the core.
 */

import type { PromptElement } from "./element.ts";
import type { ChatCompletionContentPartCacheBreakpoint } from "../formats/raw/prompt.ts";
import type { PromptPiece } from "./piece.ts";
import type { PromptMetadata } from "./results.ts";
import type { ToolCall } from "./elements.ts";

export type RenderNode = ElementNode | TextNode | OpaqueNode | BreakpointNode;

/** What an element is to the renderer. */
export type ElementKind = "container" | "message" | "image" | "document";

export interface ElementNode {
  type: "element";
  id: number;
  parent: ElementNode | undefined;
  /** What it was made from: a class, a component, or the name that a spliced tree gives. */
  ctor: PromptPiece["ctor"] | undefined;
  name: string | undefined;
  kind: ElementKind;
  props: Record<string, any>;
  /** The instance, once there is one; static elements need none. */
  instance: PromptElement<any, any> | undefined;
  state: unknown;
  flags: number;
  limit: number | undefined;
  keepWith: number | undefined;
  /** Calls of an assistant message, and for each the number of what it is kept with. */
  calls: ToolCall[] | undefined;
  callsKeptWith: (number | undefined)[] | undefined;
  toolCallId: string | undefined;
  children: RenderNode[];
  metadata: PromptMetadata[];
  /** Rendered elsewhere: takes no part in layout. */
  spliced: boolean;
  /** Layout charges it for an empty message. */
  inLayout: boolean;
  /** Its content, or that of an element around it, is made for a budget by an element of ours. */
  isSized: boolean;
}

export interface TextNode {
  type: "text";
  id: number;
  parent: ElementNode;
  text: string;
  /** What the text was written as, if not as one literal: `false` for line breaks, which are not counted. */
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

/** How elements are flagged, in JSON as well. */
export const Flag = { legacy: 1, chunk: 2, passPriority: 4, alternate: 8 } as const;

/** The names from the root to an element. */
export function pathOf(node: RenderNode | undefined): string {
  const names: string[] = [];
  for (let at: RenderNode | undefined = node; at; at = at.parent)
    if (at.type === "element") names.push(at.name ?? "<anonymous>");
  return names.reverse().join(" > ");
}

/** The name of what a piece was made from. */
export function nameOf(ctor: unknown): string {
  if (typeof ctor === "string") return ctor;
  return ctor ? (ctor as { name?: string }).name || "<anonymous>" : String(ctor);
}
