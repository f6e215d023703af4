/**
 * Marks on the classes of elements, by which the renderer recognises them. A process can hold several copies of a
 * class: the ES module and the CommonJS file of the package, or two versions of it. An element of one copy then renders
 * in the renderer of another.
 */

const BRAND = Symbol.for("espalier.element");

/** The classes that the renderer treats in a way of their own. */
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

/** Classes whose instances are also those of another. */
const PARENTS: Partial<Record<Brand, Brand>> = {
  AssistantMessage: "BaseChatMessage",
  SystemMessage: "BaseChatMessage",
  ToolMessage: "BaseChatMessage",
  UserMessage: "BaseChatMessage",
  KeepWithElement: "AbstractKeepWith",
};

/** Marks a class. Called in a static block, so that declarations do not show it. */
export function mark(ctor: { prototype: object }, brand: Brand): void {
  Object.defineProperty(ctor.prototype, BRAND, { value: brand });
}

/** True if `like`, an instance or a prototype, is of a class with this brand or of a subclass. */
export function isOf(like: unknown, brand: Brand): boolean {
  const own = typeof like === "object" && like !== null ? (like as { [BRAND]?: Brand })[BRAND] : undefined;
  return own !== undefined && (own === brand || PARENTS[own] === brand);
}

/** The brand of exactly this prototype; undefined for subclasses. */
export function brandOf(prototype: unknown): Brand | undefined {
  return typeof prototype === "object" && prototype !== null && Object.hasOwn(prototype, BRAND)
    ? (prototype as { [BRAND]?: Brand })[BRAND]
    : undefined;
}
