/**
 * Marks on classes of elements, by which the renderer recognises them. A process can hold several copies of a class:
 * the ES module and the CommonJS file of the package, or two versions of it. Thanks to the marks, an element of one
 * copy renders in the renderer of another.
 */

const BRAND = Symbol.for("espalier.element");

/** The classes that the renderer treats specially. */
export type Brand =
  | "AbstractKeepWith"
  | "AssistantMessage"
  | "BaseChatMessage"
  | "Chunk"
  | "Document"
  | "Expandable"
  | "IfEmpty"
  | "Image"
  | "KeepWithElement"
  | "LegacyPrioritization"
  | "LogicalWrapper"
  | "PrioritizedList"
  | "SystemMessage"
  | "TextChunk"
  | "TokenLimit"
  | "ToolMessage"
  | "ToolResult"
  | "UserMessage";

/** Classes whose instances also count as instances of another class. */
const PARENTS: Partial<Record<Brand, Brand>> = {
  AssistantMessage: "BaseChatMessage",
  SystemMessage: "BaseChatMessage",
  ToolMessage: "BaseChatMessage",
  UserMessage: "BaseChatMessage",
  KeepWithElement: "AbstractKeepWith",
};

/** Marks a class. A static block calls it, so that declarations do not show it. */
export function mark(ctor: { prototype: object }, brand: Brand): void {
  Object.defineProperty(ctor.prototype, BRAND, { value: brand });
}

/** Returns true if `like`, an instance or a prototype, belongs to a class with this brand or to a subclass. */
export function isOf(like: unknown, brand: Brand): boolean {
  const own = typeof like === "object" && like !== null ? (like as { [BRAND]?: Brand })[BRAND] : undefined;
  return own !== undefined && (own === brand || PARENTS[own] === brand);
}

/** Returns the brand of exactly this prototype; `undefined` for subclasses. */
export function brandOf(prototype: unknown): Brand | undefined {
  return typeof prototype === "object" && prototype !== null && Object.hasOwn(prototype, BRAND)
    ? (prototype as { [BRAND]?: Brand })[BRAND]
    : undefined;
}
