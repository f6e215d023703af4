/**
 * Turns the results of elements into nodes. Lists, fragments and elements that only show their children are opened
 * here, one after the other and without recursion. The core asks the other elements for their content once it knows
 * their budget.
 */

import { EspalierError } from "../../errors/errors.ts";
import type { PromptElement } from "../element.ts";
import { brandOf } from "../brand.ts";
import { LogicalWrapper } from "../elements/index.ts";
import { Encoder } from "../encoder.ts";
import { annotate, badElement } from "../annotate.ts";
import { Collected } from "./collected.ts";
import { advance, DONE, hasContent } from "./frames.ts";
import type { Frame, TextParts } from "./frames.ts";
import { checkElement, checkTree, listed } from "./checks.ts";
import { kindOf } from "./kind.ts";
import type { Kind } from "./kind.ts";
import { limitOf, numberOf } from "./props.ts";
import { PieceCtorKind, PromptNodeType } from "../json-tree.ts";
import type { PieceJSON, PromptElementJSON, PromptNodeJSON, PromptReferenceJSON } from "../json-tree.ts";
import { ChatCompletionContentPartKind } from "../../formats/raw/prompt.ts";
import { isFragment } from "../piece.ts";
import type { PromptPiece } from "../piece.ts";
import { Flag, nameOf, pathOf } from "../render-tree.ts";
import type { BreakpointNode, ElementNode, OpaqueNode, RenderNode, TextNode } from "../render-tree.ts";
import { PromptReference, ReferenceMetadata } from "../results.ts";
import type { PromptMetadata } from "../results.ts";

export interface FlattenOptions {
  /** True if the core counts. */
  counted: boolean;
  /** Refuses props that should be numbers and are not, as the native render does; the reference accepts them. */
  strict: boolean;
  /** Leaves cache breakpoints out. */
  noBreakpoints?: boolean;
  /** Makes instances. Default: `new ctor(props)`. */
  createElement?:
    | ((item: { node: ElementNode; ctor: any; props: any; children: any[]; path: any[] }) => PromptElement<any, any>)
    | undefined;
}

const NO_PROPS = {};

const NO_METADATA: PromptMetadata[] = [];

/** Max nesting of lists and elements. A list that contains itself never ends. */
const DEEPEST = 200_000;

export class Flattener {
  readonly nodes: RenderNode[] = [];
  readonly encoder: Encoder;
  /** Values that elements attached to the whole prompt. */
  readonly collected = new Collected();
  /** Nodes with metadata. */
  readonly holders: (ElementNode | TextNode)[] = [];
  /** Number of elements that were not yet asked for their content. */
  pending = 0;
  /** True if some element can grow, so that layout needs every count. */
  hasExpandable = false;
  /** True if an element of the package makes its content for its budget. */
  hasSized = false;
  /** True if an iterator was consumed: the same pieces would not make the same tree again. */
  hasIterators = false;
  /**
   * Elements whose content cannot be made, with the error. It is thrown when their turn comes, as if nothing had been
   * opened in advance.
   */
  readonly failures = new Map<ElementNode, unknown>();
  readonly #options: FlattenOptions;
  readonly #keepWith = new Map<unknown, number>();
  #kept = 0;

  constructor(options: FlattenOptions) {
    this.#options = options;
    this.encoder = new Encoder(options.counted);
  }

  get #root(): ElementNode {
    return this.nodes[0] as ElementNode;
  }

  /** Makes the root from a constructor and its props. */
  root(ctor: PromptPiece["ctor"], props: any): void {
    const frames: Frame[] = [];
    this.#element({ ctor, props, children: undefined as any }, undefined, frames);
    this.#run(frames);
  }

  /** Makes a root around a tree that was rendered elsewhere. */
  rootJSON(data: PromptElementJSON): void {
    const node = this.#node(undefined, LogicalWrapper, {});
    this.encoder.open(node, {});
    const frames: Frame[] = [{ node, items: [], at: 0, how: "children", isBase: true, closes: true, text: undefined }];
    this.#splice(node, data, frames);
    this.#run(frames);
  }

  /** Makes nodes from the result of an element. */
  children(node: ElementNode, template: unknown): void {
    const frames: Frame[] = [];
    if (brandOf((node.ctor as { prototype?: unknown }).prototype) === "TextChunk")
      this.#textFrame(node, [template], frames, false);
    else frames.push({ node, items: [template], at: 0, how: "children", isBase: true, closes: false, text: undefined });
    this.#run(frames);
  }

  /** Puts the root's metadata in order, since elements late in the tree may have written theirs first. */
  arrange(): void {
    const root = this.#root;
    if (root.metadata === NO_METADATA && this.collected.isEmpty) return;
    const before = root.metadata;
    root.metadata = this.collected.values("metadata", root);
    if (root.metadata.length === 0) root.metadata = NO_METADATA;
    else if (before === NO_METADATA) this.holders.push(root);
  }

  get usedContext(): any[] {
    return this.collected.values("usedContext", this.#root);
  }

  get ignoredFiles(): any[] {
    return this.collected.values("ignoredFiles", this.#root);
  }

  #run(frames: Frame[]): void {
    for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
      if (frames.length > DEEPEST) throw badElement("Children are nested too deeply, or hold themselves", frame.node);
      try {
        const value = advance(frame);
        if (frame.at === DONE) {
          if (frame.text && frame.isBase) this.#endText(frame.node, frame.text);
          if (frame.closes) this.encoder.close();
          frames.pop();
        } else if (frame.how === "json") this.#json(frame.node, value as PromptNodeJSON, frames);
        else this.#child(frame, value, frames);
      } catch (error) {
        this.#fail(frame.node, annotate(error, frame.node), frames);
      }
    }
  }

  /**
   * Abandons the rest of an element's children. The element gets one more child, which throws when its turn comes: by
   * then all elements that render earlier have been rendered, as if nothing had been opened in advance.
   */
  #fail(at: ElementNode, error: unknown, frames: Frame[]): void {
    // An incomplete record does not count.
    this.encoder.rollBack();
    while (this.nodes.length > this.encoder.nodes) (this.nodes.pop() as RenderNode).parent?.children.pop();
    let node = at;
    // Spliced trees are not rendered.
    while (node.spliced && node.parent) node = node.parent;
    let closes = false;
    for (let open = frames.at(-1); open && (open.node === node || open.node.spliced); open = frames.at(-1)) {
      frames.pop();
      if (open.node === node) closes ||= open.closes;
      else if (open.closes) this.encoder.close();
    }
    const thrower = this.#node(node, undefined, {});
    this.encoder.open(thrower, { dynamic: true });
    this.encoder.close();
    this.pending++;
    this.failures.set(thrower, error);
    if (closes) this.encoder.close();
  }

  #child(frame: Frame, child: any, frames: Frame[]): void {
    const { node, how, text } = frame;
    if (child === undefined || child === null || typeof child === "boolean") return;
    if (typeof child === "string" || typeof child === "number" || typeof child === "bigint") {
      if (text) text.parts.push({ text: String(child), counts: true });
      else this.#text(node, String(child), undefined, false);
    } else if (isFragment(child.ctor)) {
      frames.push({
        node,
        how,
        at: 0,
        items: this.#listed(child.children as Iterable<unknown>),
        isBase: false,
        closes: false,
        text,
      });
    } else if (typeof child[Symbol.iterator] === "function") {
      frames.push({
        node,
        how,
        at: 0,
        items: this.#listed(child as Iterable<unknown>),
        isBase: false,
        closes: false,
        text,
      });
    } else if (typeof child.ctor === "string") {
      this.#intrinsic(frame, child, frames);
    } else if (how === "text") {
      throw badElement("TextChunk cannot have extrinsic children!", node);
    } else {
      this.#element(child as PromptPiece, node, frames);
    }
  }

  #listed(items: Iterable<unknown>): readonly unknown[] | Iterator<unknown> {
    if (Array.isArray(items)) return items;
    const iterator = items[Symbol.iterator]();
    if (Object.is(iterator, items)) this.hasIterators = true;
    return iterator;
  }

  // -------------------------------------------------------------- elements

  #element(piece: PromptPiece, parent: ElementNode | undefined, frames: Frame[]): void {
    const { ctor } = piece;
    if (typeof ctor !== "function") {
      const at = [parent && pathOf(parent), nameOf(ctor)].filter(Boolean).join(" > ");
      const message = `Invalid ChatMessage child! Child must be a TSX component that extends PromptElement at ${at}`;
      throw new EspalierError({ code: "bad_element", message, path: at });
    }
    const node = this.#node(parent, ctor, (piece.props ?? NO_PROPS) as Record<string, any>);
    const children = Array.isArray(piece.children) ? piece.children : node.props.children;
    let expands: Kind["expands"];
    let template: unknown = children;
    try {
      const kind = this.#instantiate(node, piece, children);
      expands = kind.expands;
      const isBroken = expands === "text" && breaks(node.props);
      if (isBroken) expands = undefined;
      if (isBroken || kind.isExpandable) node.isSized = this.hasSized = true;
      if (node.instance) {
        template = node.instance.props?.children;
        if (Object.hasOwn(node.instance, "render")) expands = undefined;
      }
      this.#describe(node, kind);
      if (expands === "render")
        template = (node.instance as PromptElement<any, any>).render(undefined, undefined as never);
      this.encoder.open(node, { dynamic: !expands, expandable: kind.isExpandable });
      if (kind.isExpandable) this.hasExpandable = true;
    } catch (error) {
      throw annotate(error, node);
    }
    if (!expands) {
      this.encoder.close();
      this.pending++;
    } else if (expands === "text") this.#textFrame(node, [template], frames, true);
    else
      frames.push({
        node,
        items: Array.isArray(template) ? template : [template],
        at: 0,
        how: "children",
        isBase: true,
        closes: true,
        text: undefined,
      });
  }

  #node(
    parent: ElementNode | undefined,
    ctor: PromptPiece["ctor"] | undefined,
    props: Record<string, any>,
  ): ElementNode {
    const node: ElementNode = {
      type: "element",
      id: this.nodes.length,
      parent,
      ctor,
      name: ctor === undefined ? undefined : nameOf(ctor),
      kind: "container",
      props,
      instance: undefined,
      state: undefined,
      flags: 0,
      limit: undefined,
      keepWith: undefined,
      calls: undefined,
      callsKeptWith: undefined,
      toolCallId: undefined,
      children: [],
      metadata: NO_METADATA,
      spliced: false,
      inLayout: false,
      isSized: parent?.isSized ?? false,
    };
    this.nodes.push(node);
    parent?.children.push(node);
    return node;
  }

  /**
   * Makes the instance of an element, unless it can be expanded without one. Returns how the renderer treats its class.
   */
  #instantiate(node: ElementNode, piece: PromptPiece, children: any): Kind {
    const ctor = piece.ctor as any;
    const { createElement } = this.#options;
    const { prototype } = ctor;
    const isClass = prototype && typeof prototype.render === "function";
    if (isClass && !createElement) {
      const kind = kindOf(prototype);
      if (kind.expands === "children" || (kind.expands === "text" && !breaks(node.props))) {
        // These read the caller's own props: copying them for thousands of elements takes as long as everything else.
        if (kind.role !== undefined) node.props = { ...node.props, role: kind.role };
        return kind;
      }
    }
    const props: Record<string, any> = { ...piece.props };
    if (children !== undefined) props.children = children;
    node.props = props;
    if (!isClass) {
      node.instance = {
        props,
        render: (_: unknown, ...told: unknown[]) => ctor(props, ...told),
      } as unknown as PromptElement<any, any>;
      return kindOf(undefined);
    }
    if (!createElement) {
      node.instance = new ctor(props);
    } else {
      const path: unknown[] = [];
      for (let at: ElementNode | undefined = node; at; at = at.parent) path.push(at.ctor);
      node.instance = createElement({ node, ctor, props, children: piece.children, path: path.reverse() });
    }
    const own = node.instance!.props as Record<string, any> | undefined;
    // A host may have made it with other props; layout uses those of the piece.
    if (own && own !== props) {
      const { flexGrow, flexBasis, flexReserve } = props;
      node.props = { ...own, flexGrow, flexBasis, flexReserve };
    }
    return kindOf(Object.getPrototypeOf(node.instance) as object);
  }

  #describe(node: ElementNode, kind: Kind): void {
    const { props } = node;
    checkElement(node, kind, this.#options.strict);
    node.kind = kind.kind;
    node.inLayout = kind.inLayout;
    node.flags = props.passPriority ? kind.flags | Flag.passPriority : kind.flags;
    if (kind.isLimited) node.limit = limitOf(node, props.max, this.#options.strict);
    if (kind.isKeptWith)
      node.keepWith = this.#keep(
        (node.instance as { id?: number } | undefined)?.id ?? (node.ctor as { id?: number }).id,
      );
    if (kind.isToolMessage) node.toolCallId = props.toolCallId;
    if (kind.isAssistantMessage && props.toolCalls) this.#calls(node, props.toolCalls);
  }

  #calls(node: ElementNode, calls: any[]): void {
    node.calls = calls;
    node.callsKeptWith = calls.map((call) => (call?.keepWith ? this.#keep(call.keepWith.id) : undefined));
  }

  /** Returns our own number for an identity of things kept together, since the core indexes a list by it. */
  #keep(id: unknown): number {
    let known = this.#keepWith.get(id);
    if (known === undefined) this.#keepWith.set(id, (known = this.#kept++));
    return known;
  }

  // -------------------------------------------------------------- text and other content

  #textFrame(node: ElementNode, items: unknown[], frames: Frame[], closes: boolean): void {
    frames.push({
      node,
      items,
      at: 0,
      how: "text",
      isBase: true,
      closes,
      text: { parts: [], references: NO_METADATA },
    });
  }

  #endText(node: ElementNode, { parts, references }: TextParts): void {
    const whole = parts.length === 1 ? parts[0]! : undefined;
    const text = this.#text(
      node,
      whole ? whole.text : parts.map((part) => part.text).join(""),
      whole?.counts ? undefined : parts,
      true,
    );
    if (references !== NO_METADATA) {
      text.metadata = references;
      this.holders.push(text);
    }
  }

  /** Returns the priority of an intrinsic: its own, or that of the enclosing element. */
  #rank(node: ElementNode, props: Record<string, any>): number | undefined {
    const priority = "priority" in props ? props.priority : node.props.priority;
    return priority === undefined || priority === null
      ? undefined
      : numberOf(node, "priority", priority, this.#options.strict);
  }

  #text(
    node: ElementNode,
    text: string,
    literals: TextNode["literals"],
    lineBreakBefore: boolean,
    rank = node.props.priority,
  ): TextNode {
    const number = Number(rank ?? Number.MAX_SAFE_INTEGER);
    const made: TextNode = {
      type: "text",
      id: this.nodes.length,
      parent: node,
      text,
      literals,
      priority: Number.isNaN(number) ? Number.MAX_SAFE_INTEGER : number,
      lineBreakBefore,
      metadata: NO_METADATA,
    };
    this.#add(node, made);
    this.encoder.text(made);
    return made;
  }

  /**
   * Attaches metadata to an element, for as long as it is in the prompt. The root always is; it keeps its own beside
   * what the whole prompt collects.
   */
  #attach(node: ElementNode, metadata: PromptMetadata): void {
    if (node === this.#root) return this.collected.add("metadata", node, metadata);
    if (node.metadata === NO_METADATA) this.holders.push(node);
    node.metadata = added(node.metadata, metadata);
  }

  #refer(node: ElementNode | TextNode, list: PromptReferenceJSON[] | undefined): void {
    if (!list?.length) return;
    node.metadata = list.map((reference) => new ReferenceMetadata(PromptReference.fromJSON(reference)));
    this.holders.push(node);
  }

  #add(node: ElementNode, made: RenderNode): void {
    this.nodes.push(made);
    node.children.push(made);
  }

  #opaque(node: ElementNode, value: unknown, tokenUsage: number | undefined, priority: number | undefined): void {
    const made: OpaqueNode = { type: "opaque", id: this.nodes.length, parent: node, value, tokenUsage, priority };
    this.#add(node, made);
    this.encoder.opaque(made);
  }

  #breakpoint(node: ElementNode, cacheType: string | undefined): void {
    if (node.kind !== "message")
      throw badElement("Cache breakpoints may only be direct children of chat messages", node);
    if (this.#options.noBreakpoints) return;
    const part = { type: ChatCompletionContentPartKind.CacheBreakpoint, cacheType } as BreakpointNode["part"];
    const made: BreakpointNode = { type: "breakpoint", id: this.nodes.length, parent: node, part };
    this.#add(node, made);
    this.encoder.breakpoint(made);
  }

  #intrinsic({ node, text }: Frame, piece: PromptPiece, frames: Frame[]): void {
    const props = (piece.props ?? {}) as Record<string, any>;
    const alone = (name: string) => {
      if (hasContent(piece.children)) throw badElement(`<${name} /> must not have children!`, node);
    };
    switch (piece.ctor) {
      case "br":
        if (text) return void text.parts.push({ text: "\n", counts: false });
        alone("br");
        this.#text(node, "\n", [{ text: "\n", counts: false }], false, this.#rank(node, props));
        return;
      case "references":
        if (!text) alone("reference");
        for (const reference of listed(node, "references", props.value)) {
          const metadata = new ReferenceMetadata(reference);
          if (text) text.references = added(text.references, metadata);
          else this.#attach(node, metadata);
        }
        return;
      case "meta":
        alone("meta");
        if (props.local) this.#attach(node, props.value);
        else this.collected.add("metadata", node, props.value);
        return;
      case "usedContext":
        alone("usedContext");
        for (const item of listed(node, "usedContext", props.value)) this.collected.add("usedContext", node, item);
        return;
      case "ignoredFiles":
        alone("ignoredFiles");
        for (const item of listed(node, "ignoredFiles", props.value)) this.collected.add("ignoredFiles", node, item);
        return;
      case "elementJSON":
        return this.#splice(node, props.data, frames);
      case "cacheBreakpoint":
        alone("cacheBreakpoint");
        return this.#breakpoint(node, props.type);
      case "opaque": {
        const priority = text ? props.priority : this.#rank(node, props);
        if (props.tokenUsage !== undefined) numberOf(node, "tokenUsage", props.tokenUsage, this.#options.strict);
        return this.#opaque(node, props.value, props.tokenUsage, priority);
      }
      default:
        throw badElement(`Unknown intrinsic element ${String(piece.ctor)}!`, node);
    }
  }

  // -------------------------------------------------------------- trees from elsewhere

  #spliced = new Map<number, number>();

  #splice(node: ElementNode, data: PromptElementJSON, frames: Frame[]): void {
    checkTree(node, data);
    // Ids of things kept together are valid within one tree only.
    frames.push({ node, items: [data.node], at: 0, how: "json", isBase: false, closes: false, text: undefined });
    this.#spliced = new Map();
  }

  #json(parent: ElementNode, json: PromptNodeJSON, frames: Frame[]): void {
    switch (json?.type) {
      case PromptNodeType.Text: {
        const made = this.#textJSON(parent, json.text, json.priority, json.lineBreakBefore ?? false);
        this.#refer(made, json.references);
        return;
      }
      case PromptNodeType.Opaque:
        return this.#opaque(parent, json.value, json.tokenUsage, json.priority);
      case PromptNodeType.CacheBreakpoint:
        // Anywhere else it would have been refused.
        if (parent.kind === "message") this.#breakpoint(parent, json.cacheType);
        return;
      case PromptNodeType.Piece:
        return this.#pieceJSON(parent, json, frames);
      // Other versions may have more kinds.
    }
  }

  #textJSON(node: ElementNode, text: string, priority: number | undefined, lineBreakBefore: boolean): TextNode {
    const made: TextNode = {
      type: "text",
      id: this.nodes.length,
      parent: node,
      text: String(text),
      literals: undefined,
      priority: priority ?? Number.MAX_SAFE_INTEGER,
      lineBreakBefore,
      metadata: NO_METADATA,
    };
    this.#add(node, made);
    this.encoder.text(made);
    return made;
  }

  #pieceJSON(parent: ElementNode, json: PieceJSON, frames: Frame[]): void {
    const node = this.#node(parent, undefined, json.props ?? {});
    node.name = json.ctorName;
    node.spliced = true;
    this.#refer(node, json.references);
    for (const value of json.metadata ?? []) this.#attach(node, value as PromptMetadata);
    switch (json.ctor) {
      case PieceCtorKind.BaseChatMessage:
        node.kind = "message";
        node.toolCallId = node.props.toolCallId;
        if (Array.isArray(node.props.toolCalls)) {
          const { callsKeptWith = [] } = json;
          node.calls = node.props.toolCalls;
          node.callsKeptWith = node.calls!.map((_, at) =>
            typeof callsKeptWith[at] === "number" ? this.#keepSpliced(callsKeptWith[at]) : undefined,
          );
        }
        break;
      case PieceCtorKind.ImageChatMessage:
        node.kind = "image";
        break;
      case PieceCtorKind.DocumentChatMessage:
        node.kind = "document";
        break;
    }
    if ("flags" in json) node.flags = json.flags ?? 0;
    if ("keepWithId" in json && json.keepWithId !== undefined) node.keepWith = this.#keepSpliced(json.keepWithId);
    if ("tokenLimit" in json && typeof json.tokenLimit === "number") node.limit = json.tokenLimit;
    checkElement(node, { kind: node.kind, isExpandable: false }, this.#options.strict);
    this.encoder.open(node, {});
    frames.push({ node, items: json.children, at: 0, how: "json", isBase: true, closes: true, text: undefined });
  }

  #keepSpliced(id: number): number {
    let known = this.#spliced.get(id);
    if (known === undefined) this.#spliced.set(id, (known = this.#kept++));
    return known;
  }
}

/** Most nodes have no metadata and share one empty list. */
function added(list: PromptMetadata[], metadata: PromptMetadata): PromptMetadata[] {
  if (list === NO_METADATA) return [metadata];
  list.push(metadata);
  return list;
}

/** Returns true if a text chunk cuts its text, for which it needs its budget. */
function breaks({ breakOn, breakOnWhitespace }: Record<string, any>): boolean {
  return Boolean(breakOn || breakOnWhitespace);
}
