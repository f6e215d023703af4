/** One prompt being rendered: the core says what it needs, this asks elements and tokenizers. */

import { call, ready, wasm } from "../engine.ts";
import { EspalierError } from "../errors.ts";
import type { EncodingName } from "../types.ts";
import { loadNeeded } from "../vocabulary.ts";
import { emptyMessage, readMessage, readMessages } from "./assemble.ts";
import type { PromptElement } from "./element.ts";
import { annotate } from "./annotate.ts";
import { Flattener } from "./flatten.ts";
import type { CancellationToken, ChatResponsePart, Progress } from "./host-types.ts";
import type { PromptElementJSON } from "./json-tree.ts";
import { toMode } from "./output/mode.ts";
import { ChatCompletionContentPartKind } from "./output/raw.ts";
import type { ChatMessage } from "./output/raw.ts";
import { partOf } from "./parts.ts";
import type { IChatEndpointInfo, PromptPiece, PromptSizing } from "./piece.ts";
import type { ElementNode, RenderNode } from "./render-tree.ts";
import { pathOf } from "./render-tree.ts";
import type { ITokenizer } from "./tokenizer.ts";
import type { ITracer } from "./tracer.ts";

type Step =
  | { type: "done" }
  | { type: "stray" | "alternative"; node: number }
  | { type: "render"; id: number; nodes: Uint32Array; budgets: Float64Array }
  | { type: "children"; id: number; node: number }
  | { type: "grow"; id: number; node: number; budget: number }
  | { type: "count"; id: number; questions: Uint32Array };

/** A limit that cannot be met. */
export interface Failure {
  /** The node whose limit it is. */
  limit: number;
  allowed: number;
  needed: number;
  /** The largest messages that are left, as [node, tokens]. */
  largest: [number, number][];
}

export interface Outcome {
  messages: ChatMessage[];
  tokens: number;
  /** Nodes that were removed, not counting what was in them. */
  removed: number;
  failure?: Failure;
}

export interface SessionOptions {
  budget: number;
  endpoint: IChatEndpointInfo;
  /** The host's tokenizer, or how the core counts. */
  tokenizer: ITokenizer | undefined;
  counting?: (() => Record<string, unknown>) | undefined;
  /** The encoding that it counts in. */
  encoding?: (() => EncodingName) | undefined;
  /** What the core counts for: the form that the messages will have. */
  mode?: string;
  exactLimits?: boolean;
  /** Calls and results go together, whatever they are kept with. */
  bindCalls?: boolean;
  backfill?: boolean;
  layoutOnly?: boolean;
  thorough?: boolean;
  messagesOnly?: boolean;
  /** Is given the session before anything is asked, so that what was collected is there after a failure too. */
  onSession?: (session: Session) => void;
  tracer?: ITracer | undefined;
  /** Makes instances; absent: `new ctor(props)`. */
  createElement?: ((item: any) => PromptElement<any, any>) | undefined;
  progress?: Progress<ChatResponsePart> | undefined;
  token?: CancellationToken | undefined;
  signal?: AbortSignal | undefined;
  countTokens: PromptSizing["countTokens"];
}

export class Session {
  readonly flattener: Flattener;
  readonly options: SessionOptions;
  #operation: any;
  #budget: number;

  private constructor(options: SessionOptions) {
    this.options = options;
    this.#budget = options.budget;
    const { tracer, createElement } = options;
    this.flattener = new Flattener({
      // Whoever watches, or makes instances, sees every element in its turn.
      eager: !tracer && !createElement,
      counted: !options.tokenizer,
      instantiate: createElement ?? ((item) => new item.ctor(item.props)),
      includeInEpoch: tracer?.includeInEpoch && ((id) => tracer.includeInEpoch!({ id, tokenBudget: 0 })),
    });
  }

  /** Renders a tree. The session can be asked for its outcome afterwards, and cut to other budgets. */
  static async render(root: { ctor: PromptPiece["ctor"]; props: any } | { json: PromptElementJSON }, options: SessionOptions): Promise<Session> {
    options.signal?.throwIfAborted();
    await ready();
    if (options.encoding) await loadNeeded(options.encoding());
    const session = new Session(options);
    options.onSession?.(session);
    if ("json" in root) session.flattener.rootJSON(root.json);
    else session.flattener.root(root.ctor, root.props);
    const { numbers, text } = session.flattener.encoder.take();
    const { budget, counting, mode = "raw", exactLimits = false, bindCalls = false, backfill = false, layoutOnly = false, thorough = false, messagesOnly = false, tracer } = options;
    const fields = { budget, counting: counting?.(), mode, exactLimits, bindCalls, backfill, layoutOnly, thorough, messagesOnly, epochs: tracer?.addRenderEpoch !== undefined };
    session.#operation = call(() => new (wasm().Prompt)(numbers, text, fields));
    try {
      await session.#run();
      return session;
    } catch (error) {
      session.free();
      throw error;
    }
  }

  get nodes(): readonly RenderNode[] {
    return this.flattener.nodes;
  }

  get budget(): number {
    return this.#budget;
  }

  outcome(): Outcome {
    const { messages, ...rest } = call(() => this.#live().outcome());
    return { ...rest, messages: readMessages(messages, this.nodes) };
  }

  /** The messages before anything was removed. */
  original(): ChatMessage[] {
    return readMessages(call(() => this.#live().original()), this.nodes);
  }

  removals(): any[] {
    return call(() => this.#live().removals());
  }

  reports(): any[] {
    return call(() => this.#live().nodes());
  }

  /** Places in the tree, as `Prompt.places` of the core gives them. */
  places(ids: number[]): Float64Array {
    return call(() => this.#live().places(Uint32Array.from(ids)));
  }

  /** Cuts the same tree to another budget. */
  async recut(budget: number): Promise<void> {
    call(() => this.#live().recut(budget));
    this.#budget = budget;
    await this.#run();
  }

  free(): void {
    const operation = this.#operation;
    this.#operation = undefined;
    try {
      operation?.free();
    } catch {
      // An instance that crashed took it along.
    }
  }

  #live(): any {
    if (this.#operation) return this.#operation;
    throw new EspalierError({ code: "freed", message: "This prompt was freed. Render it again." });
  }

  async #run(): Promise<void> {
    const { signal, tracer } = this.options;
    for (;;) {
      const step = call(() => this.#live().poll()) as Step;
      if (tracer?.addRenderEpoch) this.#epochs(tracer);
      if (step.type === "done") return;
      signal?.throwIfAborted();
      switch (step.type) {
        case "render":
          await this.#render(step.nodes, step.budgets);
          call(() => this.#live().answerRendered(step.id));
          break;
        case "children": {
          const node = this.nodes[step.node] as ElementNode;
          this.#answer(step.id, node, this.#rendered.get(node));
          this.#rendered.delete(node);
          break;
        }
        case "grow":
          await this.#grow(step.id, step.node, step.budget);
          break;
        case "count": {
          const counts = this.#count(step.questions);
          const known = counts instanceof Promise ? await this.#abortable(counts) : counts;
          call(() => this.#live().answerCounts(step.id, known));
          break;
        }
        default:
          throw malformed(step.type, this.nodes[step.node]!);
      }
    }
  }

  #epochs(tracer: ITracer): void {
    for (const { parent, grow, left, reserved, budgets } of call(() => this.#live().epochs())) {
      tracer.addRenderEpoch!({
        inNode: parent, flexValue: grow, tokenBudget: left, reservedTokens: reserved,
        elements: budgets.map(([id, tokenBudget]: [number, number]) => ({ id, tokenBudget })),
      });
    }
  }

  /** Waits, but not longer than the host does. */
  #abortable<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this.options;
    if (!signal) return promise;
    return new Promise((resolve, reject) => {
      const stop = () => reject(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
      promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
    });
  }

  #sizing(tokenBudget: number): PromptSizing {
    const { endpoint, countTokens } = this.options;
    return { tokenBudget, endpoint, countTokens };
  }

  /** What elements returned that have not had their turn. */
  readonly #rendered = new Map<ElementNode, unknown>();

  async #render(ids: Uint32Array, budgets: Float64Array): Promise<void> {
    const { progress, token } = this.options;
    const elements = Array.from(ids, (node, at) => ({ node: this.nodes[node] as ElementNode, sizing: this.#sizing(budgets[at]!) }));
    // What is not asynchronous is not waited for.
    const states = settle(elements.map(({ node, sizing }) => attempt(node, () => node.instance!.prepare?.(sizing, progress, token))));
    if (states instanceof Promise) (await this.#abortable(states)).forEach((state, at) => (elements[at]!.node.state = state));
    else states.forEach((state, at) => (elements[at]!.node.state = state));
    const made = settle(elements.map(({ node, sizing }) => attempt(node, () => node.instance!.render(node.state, sizing, progress, token))));
    const templates = made instanceof Promise ? await this.#abortable(made) : made;
    elements.forEach(({ node }, at) => this.#rendered.set(node, templates[at]));
  }

  async #grow(id: number, at: number, budget: number): Promise<void> {
    const node = this.nodes[at] as ElementNode;
    const made = attempt(node, () => node.instance!.render(undefined, this.#sizing(budget)));
    this.#answer(id, node, isThenable(made) ? await this.#abortable(Promise.resolve(made)) : made);
  }

  #answer(id: number, node: ElementNode, template: unknown): void {
    const { flattener } = this;
    // 0, NaN and "" are nothing when an element returns them, and text when they are among the children.
    if (template) flattener.children(node, template);
    const { numbers, text } = flattener.encoder.take();
    call(() => this.#live().answerChildren(id, numbers, text));
  }

  /** Asks the host's tokenizer; a promise only if it gives promises. */
  #count(list: Uint32Array): Float64Array | Promise<Float64Array> {
    const tokenizer = this.options.tokenizer!;
    const { token } = this.options;
    const { nodes } = this;
    const counts: (number | PromiseLike<number>)[] = [];
    const text = (value: string) => tokenizer.tokenLength({ type: ChatCompletionContentPartKind.Text, text: value }, token);
    const message = (raw: ChatMessage) => tokenizer.countMessageTokens(toMode(tokenizer.mode, raw) as never);
    let waits = false;
    for (let at = 0; at < list.length;) {
      const kind = list[at++];
      let count: number | PromiseLike<number>;
      if (kind === 4) {
        const { message: raw, next } = readMessage(list, at, nodes);
        at = next;
        count = message(raw);
      } else {
        const node = nodes[list[at++]!]!;
        if (kind === 0) count = text((node as { text: string }).text);
        else if (kind === 1) count = text((node as { literals: { text: string }[] }).literals[list[at++]!]!.text);
        else if (kind === 2) count = tokenizer.tokenLength(partOf(node), token);
        else count = message(emptyMessage(node as ElementNode));
      }
      waits ||= isThenable(count);
      counts.push(count);
    }
    return waits ? Promise.all(counts).then((all) => Float64Array.from(all, number)) : Float64Array.from(counts as number[], number);
  }
}

/** What is no number becomes none, and not zero, so that the core can refuse it. */
function number(count: unknown): number {
  return typeof count === "number" ? count : NaN;
}

function isThenable(value: unknown): value is PromiseLike<never> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

/** All at once; a promise only if one of them is one. */
function settle<T>(values: (T | PromiseLike<T>)[]): T[] | Promise<T[]> {
  return values.some(isThenable) ? Promise.all(values) : (values as T[]);
}

/** Runs a host's method; what it throws, now or later, names the element. */
function attempt<T>(node: ElementNode, run: () => T | PromiseLike<T>): T | PromiseLike<T> {
  let result: T | PromiseLike<T>;
  try {
    result = run();
  } catch (error) {
    // As a promise, so that whoever waits for all of them also hears of the others that fail.
    return Promise.reject(annotate(error, node));
  }
  if (!isThenable(result)) return result;
  return Promise.resolve(result).catch((error: unknown) => {
    throw annotate(error, node);
  }) as PromiseLike<T>;
}

function malformed(what: "stray" | "alternative", node: RenderNode): Error {
  if (what === "alternative") return annotate(new Error("Invalid number of children for EmptyAlternate flag"), node) as Error;
  const text = node.type === "text" ? node.text : undefined;
  const said = text === undefined ? `Cannot have ${node.type === "element" ? node.kind : node.type} content outside a ChatMessage.` : `Cannot have a text node outside a ChatMessage. Text: "${text}"`;
  return new EspalierError({ code: "text_outside_message", message: `${said} (at tsx element ${pathOf(node)})`, path: pathOf(node) });
}
