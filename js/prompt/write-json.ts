/** Writes a rendered tree as plain data, for tools that pass it to their callers. */

import { jsonRetainedProps, PieceCtorKind, PromptNodeType } from "./json-tree.ts";
import type { PieceJSON, PromptElementJSON, PromptNodeJSON, TextJSON } from "./json-tree.ts";
import type { ElementNode, RenderNode } from "./render-tree.ts";
import type { PromptMetadata } from "./results.ts";
import { ReferenceMetadata } from "./results.ts";

const CTOR = {
  message: PieceCtorKind.BaseChatMessage,
  container: PieceCtorKind.Other,
  image: PieceCtorKind.ImageChatMessage,
  document: PieceCtorKind.DocumentChatMessage,
} as const;
const PROPS = {
  message: ["role", "name", "toolCalls", "toolCallId"],
  container: [],
  image: ["src", "detail", "mimeType"],
  document: ["data", "mediaType"],
} as const;

/** Writes the tree below a node. */
export function writeJSON(root: ElementNode): PromptElementJSON {
  const node = writeElement(root);
  const todo = [{ from: root, to: node }];
  for (let at = todo.pop(); at; at = todo.pop()) {
    for (const child of at.from.children) {
      const json = writeNode(child);
      at.to.children.push(json);
      if (child.type === "element") todo.push({ from: child, to: json as PieceJSON });
    }
  }
  return { node };
}

function writeNode(node: RenderNode): PromptNodeJSON {
  switch (node.type) {
    case "element":
      return writeElement(node);
    case "text": {
      const references = node.lineBreakBefore || node.metadata.length ? referencesOf(node.metadata) : undefined;
      return {
        type: PromptNodeType.Text,
        priority: node.priority,
        text: node.text,
        references,
        lineBreakBefore: node.lineBreakBefore,
      } as TextJSON;
    }
    case "opaque":
      return {
        type: PromptNodeType.Opaque,
        value: node.value,
        tokenUsage: node.tokenUsage,
        priority: node.priority ?? Number.MAX_SAFE_INTEGER,
      };
    case "breakpoint":
      return { type: PromptNodeType.CacheBreakpoint, cacheType: node.part.cacheType };
  }
}

function writeElement(node: ElementNode): PieceJSON {
  const { kind, props, metadata, name, flags, keepWith, limit, callsKeptWith } = node;
  const kept: Record<string, unknown> = {};
  for (const key of [...jsonRetainedProps, ...PROPS[kind]]) if (Object.hasOwn(props, key)) kept[key] = props[key];
  // Classes have no JSON; a number replaces the class that a call is kept with.
  if (Array.isArray(kept.toolCalls)) kept.toolCalls = kept.toolCalls.map(({ keepWith: _, ...call }) => call);
  const plain = metadata.filter((item) => !(item instanceof ReferenceMetadata) && isPlain(item));
  return {
    type: PromptNodeType.Piece,
    ctor: CTOR[kind],
    ctorName: name,
    children: [],
    props: kept,
    references: referencesOf(metadata),
    ...(plain.length && { metadata: plain }),
    ...(keepWith !== undefined && { keepWithId: keepWith }),
    ...(flags && { flags }),
    ...(limit !== undefined && { tokenLimit: limit }),
    ...(callsKeptWith?.some((id) => id !== undefined) && { callsKeptWith: callsKeptWith.map((id) => id ?? null) }),
  } as PieceJSON;
}

function referencesOf(metadata: readonly PromptMetadata[]): any[] {
  return metadata.filter((item) => item instanceof ReferenceMetadata).map((item) => item.reference.toJSON());
}

/** Plain data survives; instances would lose the class by which they are found. */
function isPlain(value: unknown): boolean {
  if (value === null || typeof value !== "object") return typeof value !== "function" && typeof value !== "undefined";
  const proto: unknown = Object.getPrototypeOf(value);
  return proto === Object.prototype || proto === null;
}
