/**
 * From what elements return to nodes. Lists, fragments and elements that only show their children are opened here, one after the
 * other and without recursion; elements that have to be asked are left for the core to ask, once it knows their budget.
 */

import { EspalierError } from "../errors.ts";
import { PromptElement } from "./element.ts";
import {
  AbstractKeepWith, AssistantMessage, BaseChatMessage, Chunk, Document, Expandable, IfEmpty, Image, isChatMessagePromptElement, KeepWithElement, LegacyPrioritization,
  LogicalWrapper, PrioritizedList, SystemMessage, TextChunk, TokenLimit, ToolMessage, ToolResult, UserMessage,
} from "./elements.ts";
import { Encoder } from "./encoder.ts";
import { annotate, badElement } from "./annotate.ts";
import { PieceCtorKind, PromptNodeType } from "./json-tree.ts";
import type { PieceJSON, PromptElementJSON, PromptNodeJSON, PromptReferenceJSON } from "./json-tree.ts";
import { ChatCompletionContentPartKind, ChatRole } from "./output/raw.ts";
import { neutralPart } from "./parts.ts";
import { isFragment } from "./piece.ts";
import type { PromptPiece } from "./piece.ts";
import { Flag, nameOf, pathOf } from "./render-tree.ts";
import type { BreakpointNode, ElementKind, ElementNode, OpaqueNode, RenderNode, TextNode } from "./render-tree.ts";
import { PromptReference, ReferenceMetadata } from "./results.ts";
import type { PromptMetadata } from "./results.ts";
import { append } from "../lists/append.ts";

/** Elements that show their children and nothing else. */
const SHOWS_CHILDREN = new Set<unknown>([
  SystemMessage, UserMessage, AssistantMessage, ToolMessage, Chunk, TokenLimit, LogicalWrapper, LegacyPrioritization, Image, Document,
]);
/** Elements that need not be told anything to render. */
const RENDERS_AT_ONCE = new Set<unknown>([PrioritizedList, IfEmpty, ToolResult]);
const ROLES = new Map<unknown, ChatRole>([
  [SystemMessage, ChatRole.System], [UserMessage, ChatRole.User], [AssistantMessage, ChatRole.Assistant], [ToolMessage, ChatRole.Tool],
]);

export interface FlattenOptions {
  /** Opens elements that need not be asked. Off when somebody watches, or makes the instances. */
  eager: boolean;
  /** The core counts. */
  counted: boolean;
  instantiate(item: { node: ElementNode; ctor: any; props: any; children: any[]; path: any[] }): PromptElement<any, any>;
  includeInEpoch?: ((id: number) => void) | undefined;
}

/** Children that are being gone through. */
interface Frame {
  node: ElementNode;
  items: readonly unknown[] | Iterator<unknown>;
  /** How many of a list are done with. */
  at: number;
  how: "children" | "text" | "json";
  /** What is to be done behind the last. */
  end?: () => void;
}

/** Behind the last. */
const DONE = -1;

const NO_METADATA: PromptMetadata[] = [];

/** Most lists and elements within each other. A list that holds itself has no end. */
const DEEPEST = 200_000;

export class Flattener {
  readonly nodes: RenderNode[] = [];
  readonly usedContext: any[] = [];
  readonly ignoredFiles: any[] = [];
  readonly encoder: Encoder;
  readonly #options: FlattenOptions;
  readonly #keepWith = new Map<unknown, number>();
  #kept = 0;

  constructor(options: FlattenOptions) {
    this.#options = options;
    this.encoder = new Encoder(options.counted);
  }

  /** Makes the root from a constructor and its props, or from a tree that was rendered elsewhere. */
  root(ctor: PromptPiece["ctor"], props: any): void {
    const frames: Frame[] = [];
    this.#element({ ctor, props, children: undefined as any }, undefined, frames);
    this.#run(frames);
  }

  /** Makes a root around a tree that was rendered elsewhere. */
  rootJSON(data: PromptElementJSON): void {
    const node = this.#node(undefined, LogicalWrapper, {});
    this.encoder.open(node, undefined, {});
    const frames: Frame[] = [{ node, items: [], at: 0, how: "children", end: () => this.encoder.close() }];
    this.#splice(node, data, frames);
    this.#run(frames);
  }

  /** Makes nodes of what an element returned. */
  children(node: ElementNode, template: unknown): void {
    const frames: Frame[] = [];
    if (node.ctor === TextChunk) this.#textFrame(node, [template], frames);
    else frames.push({ node, items: [template], at: 0, how: "children" });
    this.#run(frames);
  }

  #run(frames: Frame[]): void {
    for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
      if (frames.length > DEEPEST) throw badElement("Children are nested too deeply, or hold themselves", frame.node);
      try {
        const value = advance(frame);
        if (frame.at === DONE) {
          frames.pop();
          frame.end?.();
        } else if (frame.how === "json") this.#json(frame.node, value as PromptNodeJSON, frames);
        else this.#child(frame, value, frames);
      } catch (error) {
        throw annotate(error, frame.node);
      }
    }
  }

  #child(frame: Frame, child: any, frames: Frame[]): void {
    const { node, how } = frame;
    if (child === undefined || child === null || typeof child === "boolean") return;
    if (typeof child === "string" || typeof child === "number" || typeof child === "bigint") {
      if (how === "text") this.#textParts.push({ text: String(child), counts: true });
      else this.#text(node, String(child), undefined, false);
    } else if (isFragment(child.ctor)) {
      frames.push({ node, how, at: 0, items: listed(child.children as Iterable<unknown>) });
    } else if (typeof child[Symbol.iterator] === "function") {
      frames.push({ node, how, at: 0, items: listed(child as Iterable<unknown>) });
    } else if (typeof child.ctor === "string") {
      this.#intrinsic(frame, child, frames);
    } else if (how === "text") {
      throw badElement("TextChunk cannot have extrinsic children!", node);
    } else {
      this.#element(child as PromptPiece, node, frames);
    }
  }

  // -------------------------------------------------------------- elements

  #element(piece: PromptPiece, parent: ElementNode | undefined, frames: Frame[]): void {
    const { ctor } = piece;
    if (typeof ctor !== "function") {
      const at = [parent && pathOf(parent), nameOf(ctor)].filter(Boolean).join(" > ");
      const message = `Invalid ChatMessage child! Child must be a TSX component that extends PromptElement at ${at}`;
      throw new EspalierError({ code: "bad_element", message, path: at });
    }
    const props = { ...piece.props, ...(Array.isArray(piece.children) && { children: piece.children }) };
    const node = this.#node(parent, ctor, props);
    const eager = this.#options.eager && this.#isStatic(ctor, props);
    if (!eager) this.#instantiate(node, piece);
    else if (ROLES.has(ctor)) props.role = ROLES.get(ctor);
    this.#describe(node, eager ? ctor.prototype : node.instance, ctor);
    const expandable = node.instance instanceof Expandable;
    const inLayout = eager ? ROLES.has(ctor) && ctor !== ToolMessage : isChatMessagePromptElement(node.instance);
    this.encoder.open(node, neutralPart(node), { dynamic: !eager, expandable, inLayout });
    if (!eager) return this.encoder.close();
    const end = () => this.encoder.close();
    if (ctor === TextChunk) this.#textFrame(node, [props.children], frames, end);
    else {
      let template: unknown = props.children;
      if (RENDERS_AT_ONCE.has(ctor)) {
        try {
          template = new (ctor as any)(props).render();
        } catch (error) {
          throw annotate(error, node);
        }
      }
      frames.push({ node, items: [template], at: 0, how: "children", end });
    }
  }

  #isStatic(ctor: any, props: any): boolean {
    if (ctor === TextChunk) return !props.breakOn && !props.breakOnWhitespace;
    if (SHOWS_CHILDREN.has(ctor) || RENDERS_AT_ONCE.has(ctor)) return true;
    return Object.getPrototypeOf(ctor) === KeepWithElement && !Object.hasOwn(ctor.prototype, "render");
  }

  #node(parent: ElementNode | undefined, ctor: PromptPiece["ctor"] | undefined, props: Record<string, any>): ElementNode {
    const node: ElementNode = {
      type: "element", id: this.nodes.length, parent, ctor, name: ctor === undefined ? undefined : nameOf(ctor), kind: "container", props,
      instance: undefined, state: undefined, flags: 0, limit: undefined, keepWith: undefined, calls: undefined, callsKeptWith: undefined, toolCallId: undefined,
      children: [], metadata: NO_METADATA,
    };
    this.nodes.push(node);
    parent?.children.push(node);
    return node;
  }

  #instantiate(node: ElementNode, piece: PromptPiece): void {
    const { props } = node;
    const ctor = piece.ctor as any;
    if (!ctor.prototype || typeof ctor.prototype.render !== "function") {
      node.instance = { props, render: (_: unknown, ...told: unknown[]) => ctor(props, ...told) } as unknown as PromptElement<any, any>;
      return;
    }
    const path: unknown[] = [];
    for (let at: ElementNode | undefined = node; at; at = at.parent) path.unshift(at.ctor);
    try {
      node.instance = this.#options.instantiate({ node, ctor, props, children: piece.children, path });
    } catch (error) {
      throw annotate(error, node);
    }
    const own = node.instance.props as Record<string, any> | undefined;
    // A host may have made it with other props; its layout is still that of the piece.
    if (own && own !== props) {
      const { flexGrow, flexBasis, flexReserve } = props;
      node.props = { ...own, flexGrow, flexBasis, flexReserve };
    }
  }

  /** What kind of element it is, by its class; `like` is an instance, or the prototype that instances have. */
  #describe(node: ElementNode, like: unknown, ctor: any): void {
    const is = (type: any) => like instanceof type || ctor === type;
    const { props } = node;
    this.#check(node);
    let kind: ElementKind = "container";
    if (is(Image)) kind = "image";
    else if (is(Document)) kind = "document";
    else if (is(BaseChatMessage)) kind = "message";
    node.kind = kind;
    if (kind === "message" && typeof props.role !== "number") throw badElement("Invalid ChatMessage!", node);
    node.flags =
      (is(LegacyPrioritization) ? Flag.legacy : 0) | (is(Chunk) ? Flag.chunk : 0) | (is(IfEmpty) ? Flag.alternate : 0) |
      (props.passPriority ? Flag.passPriority : 0);
    if (is(TokenLimit)) node.limit = this.#number(node, "max", props.max);
    if (is(AbstractKeepWith)) node.keepWith = this.#keep((like as { id?: number }).id ?? ctor.id);
    if (is(ToolMessage)) node.toolCallId = props.toolCallId;
    if (is(AssistantMessage) && props.toolCalls) this.#calls(node, props.toolCalls);
  }

  #calls(node: ElementNode, calls: any[]): void {
    node.calls = calls;
    node.callsKeptWith = calls.map((call) => (call?.keepWith ? this.#keep(call.keepWith.id) : undefined));
  }

  /** A number of our own for whatever is kept together, since the core keeps a list by it. */
  #keep(id: unknown): number {
    let known = this.#keepWith.get(id);
    if (known === undefined) this.#keepWith.set(id, (known = this.#kept++));
    return known;
  }

  #check(node: ElementNode): void {
    for (const name of ["priority", "flexBasis", "flexGrow"] as const) {
      if (node.props[name] !== undefined && node.props[name] !== null) this.#number(node, name, node.props[name]);
    }
    const reserve = node.props.flexReserve;
    if (reserve === undefined || reserve === null) return;
    if (typeof reserve === "string" && /^\//.test(reserve) && !Number.isNaN(Number(reserve.slice(1)))) return;
    if (typeof reserve !== "number" || Number.isNaN(reserve)) throw badElement(`flexReserve must be a number of tokens or a share such as "/3", and is ${shown(reserve)}`, node);
  }

  #number(node: ElementNode, name: string, value: unknown): number {
    if (typeof value === "number" && !Number.isNaN(value)) return value;
    throw badElement(`${name} must be a number, and is ${shown(value)}`, node);
  }

  // -------------------------------------------------------------- text and other content

  /** Literals and line breaks of the text chunk that is being gone through. No other can begin before it ends. */
  #textParts: { text: string; counts: boolean }[] = [];

  #textFrame(node: ElementNode, items: unknown[], frames: Frame[], end?: () => void): void {
    this.#textParts = [];
    this.#textReferences = NO_METADATA;
    frames.push({
      node, items, at: 0, how: "text",
      end: () => {
        const parts = this.#textParts;
        const text = this.#text(node, parts.map((part) => part.text).join(""), parts.length === 1 && parts[0]!.counts ? undefined : parts, true);
        text.metadata = this.#textReferences;
        end?.();
      },
    });
  }

  #textReferences: PromptMetadata[] = NO_METADATA;

  /** The priority of an intrinsic: its own, or that of the element it stands in. */
  #rank(node: ElementNode, props: Record<string, any>): number | undefined {
    const priority = "priority" in props ? props.priority : node.props.priority;
    return priority === undefined || priority === null ? undefined : this.#number(node, "priority", priority);
  }

  #text(node: ElementNode, text: string, literals: TextNode["literals"], lineBreakBefore: boolean, rank = node.props.priority): TextNode {
    const made: TextNode = {
      type: "text", id: this.nodes.length, parent: node, text, literals, priority: rank ?? Number.MAX_SAFE_INTEGER, lineBreakBefore, metadata: NO_METADATA,
    };
    this.#add(node, made);
    this.encoder.text(made);
    return made;
  }

  #add(node: ElementNode, made: RenderNode): void {
    this.nodes.push(made);
    node.children.push(made);
  }

  #opaque(node: ElementNode, value: unknown, tokenUsage: number | undefined, priority: number | undefined): void {
    const made: OpaqueNode = { type: "opaque", id: this.nodes.length, parent: node, value, tokenUsage, priority };
    this.#add(node, made);
    this.encoder.opaque(made, neutralPart(made));
  }

  #breakpoint(node: ElementNode, cacheType: string | undefined): void {
    if (node.kind !== "message") throw badElement("Cache breakpoints may only be direct children of chat messages", node);
    const part = { type: ChatCompletionContentPartKind.CacheBreakpoint, cacheType } as BreakpointNode["part"];
    const made: BreakpointNode = { type: "breakpoint", id: this.nodes.length, parent: node, part };
    this.#add(node, made);
    this.encoder.breakpoint(made);
  }

  #intrinsic({ node, how }: Frame, piece: PromptPiece, frames: Frame[]): void {
    const props = (piece.props ?? {}) as Record<string, any>;
    const alone = (name: string) => {
      if (hasContent(piece.children)) throw badElement(`<${name} /> must not have children!`, node);
    };
    switch (piece.ctor) {
      case "br":
        if (how === "text") return void this.#textParts.push({ text: "\n", counts: false });
        alone("br");
        this.#text(node, "\n", [{ text: "\n", counts: false }], false, this.#rank(node, props));
        return;
      case "references":
        if (how !== "text") alone("reference");
        for (const reference of props.value) {
          const metadata = new ReferenceMetadata(reference);
          if (how === "text") this.#textReferences = added(this.#textReferences, metadata);
          else attach(node, metadata);
        }
        return;
      case "meta":
        alone("meta");
        attach(props.local ? node : (this.nodes[0] as ElementNode), props.value);
        return;
      case "usedContext":
        alone("usedContext");
        for (const item of props.value) this.usedContext.push(item);
        return;
      case "ignoredFiles":
        alone("ignoredFiles");
        for (const item of props.value) this.ignoredFiles.push(item);
        return;
      case "elementJSON":
        return this.#splice(node, props.data, frames);
      case "cacheBreakpoint":
        alone("cacheBreakpoint");
        return this.#breakpoint(node, props.type);
      case "opaque": {
        const priority = how === "text" ? props.priority : this.#rank(node, props);
        if (props.tokenUsage !== undefined) this.#number(node, "tokenUsage", props.tokenUsage);
        return this.#opaque(node, props.value, props.tokenUsage, priority);
      }
      default:
        throw badElement(`Unknown intrinsic element ${String(piece.ctor)}!`, node);
    }
  }

  // -------------------------------------------------------------- trees from elsewhere

  #spliced = new Map<number, number>();

  #splice(node: ElementNode, data: PromptElementJSON, frames: Frame[]): void {
    if (typeof data?.node !== "object" || data.node === null) throw badElement("<elementJSON /> needs data with a `node`, as renderElementJSON gives it", node);
    // Numbers of what is kept together mean something within one tree only.
    frames.push({ node, items: [data.node], at: 0, how: "json" });
    this.#spliced = new Map();
  }

  #json(parent: ElementNode, json: PromptNodeJSON, frames: Frame[]): void {
    switch (json?.type) {
      case PromptNodeType.Text: {
        const made = this.#textJSON(parent, json.text, json.priority, json.lineBreakBefore ?? false);
        made.metadata = references(json.references);
        return;
      }
      case PromptNodeType.Opaque:
        return this.#opaque(parent, json.value, json.tokenUsage, json.priority);
      case PromptNodeType.CacheBreakpoint:
        // Elsewhere it would have been refused.
        if (parent.kind === "message") this.#breakpoint(parent, json.cacheType);
        return;
      case PromptNodeType.Piece:
        return this.#pieceJSON(parent, json, frames);
      // Other versions may know more kinds.
    }
  }

  #textJSON(node: ElementNode, text: string, priority: number | undefined, lineBreakBefore: boolean): TextNode {
    const made: TextNode = {
      type: "text", id: this.nodes.length, parent: node, text: String(text), literals: undefined, priority: priority ?? Number.MAX_SAFE_INTEGER, lineBreakBefore, metadata: NO_METADATA,
    };
    this.#add(node, made);
    this.encoder.text(made);
    return made;
  }

  #pieceJSON(parent: ElementNode, json: PieceJSON, frames: Frame[]): void {
    const node = this.#node(parent, undefined, json.props ?? {});
    node.name = json.ctorName;
    node.metadata = references(json.references);
    for (const value of json.metadata ?? []) attach(node, value as PromptMetadata);
    switch (json.ctor) {
      case PieceCtorKind.BaseChatMessage:
        node.kind = "message";
        node.toolCallId = node.props.toolCallId;
        if (typeof node.props.role !== "number") throw badElement("Invalid ChatMessage!", parent);
        if (Array.isArray(node.props.toolCalls)) {
          const { callsKeptWith = [] } = json;
          node.calls = node.props.toolCalls;
          node.callsKeptWith = node.calls!.map((_, at) => (typeof callsKeptWith[at] === "number" ? this.#keepSpliced(callsKeptWith[at]) : undefined));
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
    this.#check(node);
    this.encoder.open(node, neutralPart(node), { spliced: true });
    this.#options.includeInEpoch?.(node.id);
    frames.push({ node, items: json.children, at: 0, how: "json", end: () => this.encoder.close() });
  }

  #keepSpliced(id: number): number {
    let known = this.#spliced.get(id);
    if (known === undefined) this.#spliced.set(id, (known = this.#kept++));
    return known;
  }
}

function references(json: PromptReferenceJSON[] | undefined): PromptMetadata[] {
  return json?.length ? json.map((reference) => new ReferenceMetadata(PromptReference.fromJSON(reference))) : NO_METADATA;
}

/** Most nodes have none, so that they share one empty list until they do. */
function attach(holder: { metadata: PromptMetadata[] }, metadata: PromptMetadata): void {
  holder.metadata = added(holder.metadata, metadata);
}

function added(list: PromptMetadata[], metadata: PromptMetadata): PromptMetadata[] {
  if (list === NO_METADATA) return [metadata];
  list.push(metadata);
  return list;
}

/** The next of a frame's items; there is none if that sets `at` to `DONE`. */
function advance(frame: Frame): unknown {
  const { items } = frame;
  if (Array.isArray(items)) {
    // By number: there may be a hundred thousand, and an iterator makes an object for each.
    if (frame.at < items.length) return items[frame.at++];
    frame.at = DONE;
    return undefined;
  }
  const { done, value } = (items as Iterator<unknown>).next();
  if (done) frame.at = DONE;
  return value;
}

function listed(items: Iterable<unknown>): readonly unknown[] | Iterator<unknown> {
  return Array.isArray(items) ? items : items[Symbol.iterator]();
}

/** True if anything in a list of children is more than nothing. */
function hasContent(children: unknown): boolean {
  const todo: unknown[] = [children];
  while (todo.length) {
    const child: any = todo.pop();
    if (child === undefined || child === null || typeof child === "boolean") continue;
    if (typeof child !== "string" && typeof child[Symbol.iterator] === "function") append(todo, (child as Iterable<unknown>));
    else if (isFragment(child?.ctor)) todo.push(child.children);
    else return true;
  }
  return false;
}

function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
