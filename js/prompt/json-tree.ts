/**
 * Rendered trees as plain data: the wire format between tools and callers of different versions, so fields are only
 * ever added. Readers skip unknown node types.
 */

import type { BasePromptElementProps } from "./piece.ts";
import type { RangeLike, UriComponents } from "./host-types.ts";
import type { ChatResponseReferencePartStatusKind } from "./results.ts";

export const PromptNodeType = {
  Piece: 1,
  Text: 2,
  Opaque: 3,
  /** Ours; others skip it. */ CacheBreakpoint: 4,
} as const;
export type PromptNodeType = 1 | 2 | 3 | 4;
export declare namespace PromptNodeType {
  type Piece = 1;
  type Text = 2;
  type Opaque = 3;
  type CacheBreakpoint = 4;
}

/** The kind of an element, as far as rendering needs it. */
export const PieceCtorKind = { BaseChatMessage: 1, Other: 2, ImageChatMessage: 3, DocumentChatMessage: 4 } as const;
export type PieceCtorKind = 1 | 2 | 3 | 4;
export declare namespace PieceCtorKind {
  type BaseChatMessage = 1;
  type Other = 2;
  type ImageChatMessage = 3;
  type DocumentChatMessage = 4;
}

export interface TextJSON {
  type: PromptNodeType.Text;
  text: string;
  priority: number | undefined;
  references: PromptReferenceJSON[] | undefined;
  lineBreakBefore: boolean | undefined;
}

interface PieceCommon {
  type: PromptNodeType.Piece;
  ctorName?: string | undefined;
  children: PromptNodeJSON[];
  references: PromptReferenceJSON[] | undefined;
  /** Plain data that was attached with `<meta local>`. An addition of this package. */
  metadata?: unknown[];
}

export interface BasePieceJSON extends PieceCommon {
  ctor: PieceCtorKind.BaseChatMessage | PieceCtorKind.Other;
  props: Record<string, unknown>;
  keepWithId?: number;
  flags?: number;
  /** Max tokens of the element. An addition of this package. */
  tokenLimit?: number;
  /** For each of `props.toolCalls`, the `keepWithId` of what it is kept with. An addition of this package. */
  callsKeptWith?: (number | null)[];
}

export interface ImageChatMessagePieceJSON extends PieceCommon {
  ctor: PieceCtorKind.ImageChatMessage;
  props: { src: string; detail?: "low" | "high" | "auto"; mimeType?: string; priority?: number };
}

export interface DocumentChatMessagePieceJSON extends PieceCommon {
  ctor: PieceCtorKind.DocumentChatMessage;
  props: { data: string; mediaType: string; priority?: number };
}

export interface OpaqueJSON {
  type: PromptNodeType.Opaque;
  tokenUsage?: number | undefined;
  value: unknown;
  priority?: number | undefined;
}

/** An addition of this package. */
export interface CacheBreakpointJSON {
  type: PromptNodeType.CacheBreakpoint;
  cacheType?: string | undefined;
}

export type PieceJSON = BasePieceJSON | ImageChatMessagePieceJSON | DocumentChatMessagePieceJSON;
export type PromptNodeJSON = PieceJSON | TextJSON | OpaqueJSON | CacheBreakpointJSON;

export type UriOrLocationJSON = UriComponents | { uri: UriComponents; range: RangeLike };

export interface PromptReferenceJSON {
  anchor: UriOrLocationJSON | { variableName: string; value?: UriOrLocationJSON };
  iconPath?: UriComponents | { id: string } | { light: UriComponents; dark: UriComponents };
  options?: { status?: { description: string; kind: ChatResponseReferencePartStatusKind }; isFromTool?: boolean };
}

/** The result of `renderElementJSON` and the data of `<elementJSON data={…} />`. */
export interface PromptElementJSON {
  node: PieceJSON;
}

/** Layout props that survive in JSON. */
export const jsonRetainedProps: readonly (keyof BasePromptElementProps)[] = [
  "flexBasis",
  "flexGrow",
  "flexReserve",
  "passPriority",
  "priority",
];

/** Calls `fn` for a node and everything below it, parents first. */
export function forEachNode(node: PromptNodeJSON, fn: (node: PromptNodeJSON) => void): void {
  const todo = [node];
  for (let at = todo.pop(); at; at = todo.pop()) {
    fn(at);
    if (at.type === PromptNodeType.Piece) for (let i = at.children.length - 1; i >= 0; i--) todo.push(at.children[i]!);
  }
}
