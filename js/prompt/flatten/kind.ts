/**
 * How the renderer treats a class of elements. Computed once for each class: a prompt makes thousands of elements of a
 * few classes.
 */

import { brandOf, isOf } from "../brand.ts";
import type { Brand } from "../brand.ts";
import { ChatRole } from "../../formats/raw/prompt.ts";
import { Flag } from "../render-tree.ts";
import type { ElementKind } from "../render-tree.ts";

export interface Kind {
  kind: ElementKind;
  /** Bits of `Flag`, without `passPriority`, which is a prop. */
  flags: number;
  /** The role that the class itself sets. */
  role: ChatRole | undefined;
  /**
   * How an element of exactly this class is expanded without a budget: to its children, to one text (`TextChunk`), or
   * to what `render` returns.
   */
  expands: "children" | "text" | "render" | undefined;
  /** True if layout charges it for an empty message. */
  inLayout: boolean;
  isLimited: boolean;
  isKeptWith: boolean;
  isExpandable: boolean;
  isToolMessage: boolean;
  isAssistantMessage: boolean;
}

/**
 * How elements of exactly these classes are expanded. Elements of a subclass are asked, since they may render something
 * else.
 */
const EXPANDS: Partial<Record<Brand, Kind["expands"]>> = {
  SystemMessage: "children",
  UserMessage: "children",
  AssistantMessage: "children",
  ToolMessage: "children",
  Chunk: "children",
  TokenLimit: "children",
  LogicalWrapper: "children",
  LegacyPrioritization: "children",
  Image: "children",
  Document: "children",
  TextChunk: "text",
  PrioritizedList: "render",
  IfEmpty: "render",
  ToolResult: "render",
};
const ROLES: Partial<Record<Brand, ChatRole>> = {
  SystemMessage: ChatRole.System,
  UserMessage: ChatRole.User,
  AssistantMessage: ChatRole.Assistant,
  ToolMessage: ChatRole.Tool,
};

const known = new WeakMap<object, Kind>();
/** Function components, and classes without a prototype. */
const PLAIN = found(Object.create(null) as object);

/** Returns the kind of all elements with this prototype. */
export function kindOf(prototype: object | null | undefined): Kind {
  if (!prototype) return PLAIN;
  let kind = known.get(prototype);
  if (!kind) known.set(prototype, (kind = found(prototype)));
  return kind;
}

function found(prototype: object): Kind {
  const is = (brand: Brand) => isOf(prototype, brand);
  const exact = brandOf(prototype);
  const isKeepWith =
    brandOf(Object.getPrototypeOf(prototype)) === "KeepWithElement" && !Object.hasOwn(prototype, "render");
  return {
    kind: is("Image") ? "image" : is("Document") ? "document" : is("BaseChatMessage") ? "message" : "container",
    flags:
      (is("LegacyPrioritization") ? Flag.legacy : 0) |
      (is("Chunk") ? Flag.chunk : 0) |
      (is("IfEmpty") ? Flag.alternate : 0),
    role: exact && ROLES[exact],
    expands: isKeepWith ? "children" : exact && EXPANDS[exact],
    inLayout: is("SystemMessage") || is("UserMessage") || is("AssistantMessage"),
    isLimited: is("TokenLimit"),
    isKeptWith: is("AbstractKeepWith"),
    isExpandable: is("Expandable"),
    isToolMessage: is("ToolMessage"),
    isAssistantMessage: is("AssistantMessage"),
  };
}
