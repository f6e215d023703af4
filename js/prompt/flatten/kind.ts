/** What a class of elements is to the renderer. Found once for each class: a prompt makes thousands of elements of a few classes. */

import {
  AbstractKeepWith, AssistantMessage, BaseChatMessage, Chunk, Document, Expandable, IfEmpty, Image, KeepWithElement, LegacyPrioritization,
  LogicalWrapper, PrioritizedList, SystemMessage, TextChunk, TokenLimit, ToolMessage, ToolResult, UserMessage,
} from "../elements.ts";
import { ChatRole } from "../output/raw.ts";
import { Flag } from "../render-tree.ts";
import type { ElementKind } from "../render-tree.ts";

export interface Kind {
  kind: ElementKind;
  /** Bits of `Flag`, without `passPriority`, which is a prop. */
  flags: number;
  /** The role that the class itself sets. */
  role: ChatRole | undefined;
  /** How an element of exactly this class is expanded without a budget: it shows its children, as one text in a `TextChunk`, or what `render` returns. */
  expands: "children" | "text" | "render" | undefined;
  /** Layout charges it for an empty message. */
  inLayout: boolean;
  isLimited: boolean;
  isKeptWith: boolean;
  isExpandable: boolean;
  isToolMessage: boolean;
  isAssistantMessage: boolean;
}

/** Elements that show their children and nothing else. */
const SHOWS_CHILDREN = new Set<unknown>([
  SystemMessage, UserMessage, AssistantMessage, ToolMessage, Chunk, TokenLimit, LogicalWrapper, LegacyPrioritization, Image, Document,
].map(({ prototype }) => prototype));
/** Elements whose `render` needs no budget. */
const RENDERS_AT_ONCE = new Set<unknown>([PrioritizedList, IfEmpty, ToolResult].map(({ prototype }) => prototype));
const ROLES = new Map<unknown, ChatRole>([
  [SystemMessage.prototype, ChatRole.System], [UserMessage.prototype, ChatRole.User], [AssistantMessage.prototype, ChatRole.Assistant], [ToolMessage.prototype, ChatRole.Tool],
]);

const known = new WeakMap<object, Kind>();
/** Function components, and what has no prototype. */
const PLAIN = found(Object.create(null) as object);

/** The kind of all elements with this prototype. */
export function kindOf(prototype: object | null | undefined): Kind {
  if (!prototype) return PLAIN;
  let kind = known.get(prototype);
  if (!kind) known.set(prototype, (kind = found(prototype)));
  return kind;
}

function found(prototype: object): Kind {
  const is = (type: { prototype: object }) => prototype === type.prototype || Object.prototype.isPrototypeOf.call(type.prototype, prototype);
  return {
    kind: is(Image) ? "image" : is(Document) ? "document" : is(BaseChatMessage) ? "message" : "container",
    flags: (is(LegacyPrioritization) ? Flag.legacy : 0) | (is(Chunk) ? Flag.chunk : 0) | (is(IfEmpty) ? Flag.alternate : 0),
    role: ROLES.get(prototype),
    expands: expansion(prototype),
    inLayout: is(SystemMessage) || is(UserMessage) || is(AssistantMessage),
    isLimited: is(TokenLimit),
    isKeptWith: is(AbstractKeepWith),
    isExpandable: is(Expandable),
    isToolMessage: is(ToolMessage),
    isAssistantMessage: is(AssistantMessage),
  };
}

function expansion(prototype: object): Kind["expands"] {
  if (prototype === TextChunk.prototype) return "text";
  if (RENDERS_AT_ONCE.has(prototype)) return "render";
  const isKeepWith = Object.getPrototypeOf(prototype) === KeepWithElement.prototype && !Object.hasOwn(prototype, "render");
  return isKeepWith || SHOWS_CHILDREN.has(prototype) ? "children" : undefined;
}
