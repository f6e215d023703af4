/** The native way to render prompts: one function, exact counts, the form of any provider, and explanations. */

import { readConversation } from "../formats/index.ts";
import { call, ready, wasm } from "../engine/engine.ts";
import { badOption as bad, EspalierError } from "../errors/errors.ts";
import { imageModel } from "../tokens/images.ts";
import { countText } from "../tokens/texts.ts";
import type { CostModelName, EncodingName, ImageModel } from "../types/count.ts";
import type { ToolList } from "../types/messages.ts";
import { BuiltinTokenizer, partTokens } from "./builtin-tokenizer.ts";
import { LogicalWrapper } from "./elements/index.ts";
import { explainAll } from "./explain.ts";
import type { Explanation, PromptTrace } from "./explain.ts";
import { budgetError } from "./fail.ts";
import type { CancellationToken } from "./host-types.ts";
import type { PromptElementJSON } from "./json-tree.ts";
import { OutputMode } from "./output/mode.ts";
import type { Raw } from "./output/mode.ts";
import { ChatCompletionContentPartKind } from "../formats/raw/prompt.ts";
import { materialize } from "./materialize.ts";
import { messagesOf, PROMPT_FORMATS, requestOf } from "./output/request.ts";
import type { RenderFormat, Requests } from "./output/request.ts";
import { isPiece } from "./piece.ts";
import type { PromptChildren, PromptSizing } from "./piece.ts";
import type { Counting, Entry } from "./request/entries.ts";
import { HistoryHost } from "./request/host.ts";
import { entriesOf } from "./request/item.ts";
import type { MetadataMap, PromptReference } from "./results.ts";
import { Session } from "./session.ts";
import { survivors } from "./survivors.ts";
import type { ITokenizer } from "./tokenizer.ts";
import type { ITracer } from "./tracer.ts";
import { check } from "../options/check.ts";
import { RENDER } from "../options/schemas/prompt.ts";

export interface RenderOptions<F extends RenderFormat = "openai-chat"> {
  /** Tokens for the whole request: messages, tool definitions and the list itself. */
  budget: number;
  /** The form of the result. Default `openai-chat`. */
  format?: F;
  /** Takes precedence over `model`. Default `o200k_base`. */
  encoding?: EncodingName;
  /** A model name; picks the encoding, and how pictures are counted. */
  model?: string;
  /** How the model counts pictures. Default: by `model`, else by the format's provider, else OpenAI's usual tiles. */
  images?: ImageModel;
  /** Default `espalier`. */
  costModel?: CostModelName;
  /** Tool definitions sent with the request, in the form of the format. */
  tools?: ToolList;
  /** Restores removed nodes that still fit once the budget is met. Default false. */
  backfill?: boolean;
  /**
   * Aborting it ends the call, which then throws the signal's reason; `renderRequest` throws `aborted`, with the reason
   * as its `cause`. Default: none.
   */
  signal?: AbortSignal;
  /** Passed on to elements that wait. Default: none. */
  token?: CancellationToken;
  /** Receives every step of the render, for example an `HTMLTracer`. Default: none. */
  tracer?: ITracer;
}

/**
 * Renders a prompt to a request that fits its budget. Each element learns its share of the budget. What exceeds the
 * budget is removed, lowest priority first, and not a node more than necessary.
 *
 * ```tsx
 * import OpenAI from "openai";
 * import { readFile } from "node:fs/promises";
 * import { render, SystemMessage, TextChunk, UserMessage } from "espalier/prompt";
 *
 * const log = await readFile("build.log", "utf8");
 * const prompt = await render(
 *   <>
 *     <SystemMessage>You find what broke the build.</SystemMessage>
 *     <UserMessage><TextChunk priority={1} breakOnWhitespace>{log}</TextChunk>Why does this fail?</UserMessage>
 *   </>,
 *   { budget: 8_000, model: "gpt-4o" },
 * );
 * prompt.tokens <= 8_000; // => true
 * const reply = await new OpenAI().chat.completions.create({ model: "gpt-4o", ...prompt.request });
 * reply.choices.length; // => 1
 * ```
 *
 * @param prompt A piece (JSX), or a tree from `renderElementJSON`, which needs no components.
 * @throws BudgetExceededError if what may not be removed does not fit; EspalierError `empty_prompt` if no message is
 * left, `bad_option`, `bad_element`, `text_outside_message`; whatever a component throws, with the path of the element
 * in its message
 */
export async function render<F extends RenderFormat = "openai-chat">(
  prompt: PromptChildren | PromptElementJSON,
  options: RenderOptions<F>,
): Promise<Rendered<F>> {
  const settings = check(options ?? {}, RENDER);
  const session = await sessionOf(prompt, settings);
  return reported(renderedOf(session, settings.format ?? ("openai-chat" as F), settings.budget));
}

/** Internal inputs of a render beside its options. */
export interface RenderBeside {
  /** Supplies messages to the conversations in the tree. Default: each shows its own. */
  host?: (counting: Counting, format: RenderFormat) => HistoryHost;
  /** Results of components in an earlier render of the same prompt. */
  replay?: readonly unknown[];
  noBreakpoints?: boolean;
}

/** Renders a prompt up to and including its removals. */
export async function sessionOf<F extends RenderFormat>(
  prompt: PromptChildren | PromptElementJSON,
  options: RenderOptions<F>,
  beside: RenderBeside = {},
): Promise<Session> {
  const {
    budget,
    format = "openai-chat" as F,
    encoding,
    model,
    images,
    costModel = "espalier",
    tools,
    backfill = false,
    signal,
    token,
    tracer,
  } = options;
  needFormat(format);
  await ready();
  const name =
    encoding ?? (model === undefined ? "o200k_base" : (call(() => wasm().encodingForModel(model)) as EncodingName));
  const counting = { encoding: name, costModel, ...(model !== undefined && { model }), format, ...imageModel(images) };
  const parts = new Builtin(counting);
  const countTokens: PromptSizing["countTokens"] = (text) =>
    typeof text === "string" ? countText(text, name) : parts.count(text);
  const isJSON = typeof prompt === "object" && prompt !== null && "node" in prompt && !isPiece(prompt);
  const root = isJSON ? { json: prompt as PromptElementJSON } : wrapped(prompt as PromptChildren);
  const own: Counting = {
    encoding: name,
    costModel,
    ...(model !== undefined && { model }),
    ...(images !== undefined && { images }),
  };
  const {
    host = (how: Counting, form: RenderFormat) => new HistoryHost(how, form),
    replay,
    noBreakpoints = false,
  } = beside;
  return Session.render(root, {
    budget,
    endpoint: { modelMaxPromptTokens: budget },
    tokenizer: undefined,
    mode: PROMPT_FORMATS[format].mode(),
    encoding: () => name,
    counting: () => ({ ...counting, tools: readTools(format, tools) }),
    host: host(own, format),
    replay,
    noBreakpoints,
    exactLimits: true,
    bindCalls: true,
    backfill,
    signal,
    token,
    tracer,
    countTokens,
  });
}

/** Returns the result of a session; frees the session if there is none. */
function renderedOf<F extends RenderFormat>(session: Session, format: F, budget: number): Rendered<F> {
  try {
    return new Rendered(session, format, budget);
  } catch (error) {
    session.free();
    throw error;
  }
}

/** @throws EspalierError `bad_option` for a format that prompts do not support */
export function needFormat(format: unknown): asserts format is RenderFormat {
  if (typeof format !== "string" || !Object.hasOwn(PROMPT_FORMATS, format))
    throw bad("format", `one of ${Object.keys(PROMPT_FORMATS).join(", ")}`, format);
}

function readTools(format: RenderFormat, tools: ToolList | undefined): readonly unknown[] {
  return tools ? readConversation([], { format, tools }).tools : [];
}

/** Wraps fragments, lists and messages, which need an enclosing element. */
function wrapped(prompt: PromptChildren): { ctor: any; props: any } {
  return { ctor: LogicalWrapper, props: { children: [prompt] } };
}

/** Counts parts for components. */
class Builtin {
  readonly #counting: Record<string, unknown>;
  readonly #encoding: EncodingName;

  constructor(counting: Record<string, unknown> & { encoding: EncodingName }) {
    this.#counting = counting;
    this.#encoding = counting.encoding;
  }

  count(part: Raw.ChatCompletionContentPart): number {
    return part.type === ChatCompletionContentPartKind.Text
      ? countText(part.text, this.#encoding)
      : partTokens(part, this.#counting);
  }
}

const SESSIONS = new WeakMap<object, Session>();

/** Reports the tree of a result to the tracer of its render, if there is one. */
export function reported<F extends RenderFormat>(rendered: Rendered<F>): Rendered<F> {
  const session = SESSIONS.get(rendered)!;
  const { tracer, encoding, counting } = session.options;
  if (tracer?.didMaterializeTree && encoding && counting) {
    const { costModel, model } = counting() as Pick<RenderOptions, "costModel" | "model">;
    const tokenizer = new BuiltinTokenizer({
      mode: OutputMode.Raw,
      encoding: encoding(),
      ...(costModel && { costModel }),
      ...(model !== undefined && { model }),
    }) as ITokenizer;
    const { tokens, removed } = rendered;
    materialize(tracer, session, { tokenizer, tokens, removed, isShared: true });
  }
  return rendered;
}

/** The messages of a history that are left in a prompt. */
const HISTORIES = new WeakMap<object, readonly Entry[]>();

/** Returns the messages of the history that are in the request. */
export function historyOf(rendered: Rendered<any>): readonly Entry[] {
  return HISTORIES.get(rendered) ?? [];
}

/** A rendered prompt. It can explain what happened, and be cut to other budgets without rendering again. */
export class Rendered<F extends RenderFormat = RenderFormat> {
  /** Spread it into the request. */
  readonly request: Requests[F];
  /**
   * Tokens of the whole request. For Anthropic and Gemini, where neighbouring messages of one role are joined, the
   * request may have a few less.
   */
  readonly tokens: number;
  readonly budget: number;
  readonly format: F;
  /** Number of removed nodes, without those inside them. */
  readonly removed: number;
  readonly metadata: MetadataMap;
  readonly references: PromptReference[];
  readonly omittedReferences: PromptReference[];
  readonly usedContext: unknown[];
  readonly ignoredFiles: unknown[];
  readonly #session: Session;

  /** Use {@link render}. */
  constructor(session: Session, format: F, budget: number) {
    const { messages, tokens, removed, failure } = session.outcome();
    if (failure) {
      const error = budgetError(session, failure, (raw) => messagesOf(format, raw));
      throw Object.assign(error, { trace: { budget, tokens, nodes: explainAll(session) } satisfies PromptTrace });
    }
    if (messages.length === 0) throw emptyPrompt(budget, removed);
    this.#session = session;
    SESSIONS.set(this, session);
    const { host } = session.options;
    this.request = requestOf(
      format,
      messages,
      host?.claims[0] !== undefined && host.claims[0].props.cacheBreakpoint !== false,
    );
    HISTORIES.set(
      this,
      messages.flatMap((message) => entriesOf(message) ?? []),
    );
    this.tokens = tokens;
    this.budget = budget;
    this.format = format;
    this.removed = removed;
    ({
      metadata: this.metadata,
      references: this.references,
      omittedReferences: this.omittedReferences,
    } = survivors(session));
    this.usedContext = session.flattener.usedContext;
    this.ignoredFiles = Array.from(new Set(session.flattener.ignoredFiles));
  }

  /** The messages of the request. */
  get messages(): any[] {
    return "contents" in this.request ? this.request.contents : (this.request as { messages: any[] }).messages;
  }

  /**
   * Returns what happened to every node at the latest budget, in the order of the tree, as plain data. Texts have up to
   * `maxText` characters, by default 80.
   */
  trace(maxText?: number): PromptTrace {
    return {
      budget: this.#session.budget,
      tokens: this.#session.outcome().tokens,
      nodes: explainAll(this.#session, maxText),
    };
  }

  /**
   * Returns what happened to one node, which is named by its id, or by its path or the end of it.
   *
   * ```tsx
   * import { render, TextChunk, UserMessage } from "espalier/prompt";
   *
   * const prompt = await render(
   *   <UserMessage><TextChunk priority={1}>{"word ".repeat(500)}</TextChunk>Why does this fail?</UserMessage>,
   *   { budget: 100 },
   * );
   * prompt.explain("TextChunk")?.sentence; // => /x/
   * ```
   */
  explain(node: number | string): Explanation | undefined {
    const nodes = explainAll(this.#session);
    if (typeof node === "number") return nodes.find(({ id }) => id === node);
    return nodes.find(({ path }) => path === node || path.endsWith(` > ${node}`));
  }

  /**
   * Returns the same prompt at another budget. No component is asked again; texts with `breakOn` are cut anew, and
   * expandable elements make their content for the new budget. This result stays unchanged.
   *
   * @throws BudgetExceededError, EspalierError as {@link render}
   */
  async prune(budget: number): Promise<Rendered<F>> {
    if (typeof budget !== "number" || Number.isNaN(budget)) throw bad("budget", "a number of tokens", budget);
    const session = await this.#session.resized(budget);
    try {
      return renderedFrom(session, this.format, budget);
    } catch (error) {
      if (session !== this.#session) session.free();
      throw error;
    }
  }

  /** Frees the engine's copy of the tree. Otherwise that happens when this object is collected. */
  free(): void {
    this.#session.free();
  }
}

// Outside the class: bundlers rename a class that refers to itself.
function renderedFrom<F extends RenderFormat>(session: Session, format: F, budget: number): Rendered<F> {
  return new Rendered(session, format, budget);
}

/** Returns the error for a prompt without messages, which no provider accepts. */
function emptyPrompt(budget: number, removed: number): EspalierError {
  const message =
    removed > 0
      ? `Every message of the prompt was removed to meet its budget of ${budget} tokens. Raise options.budget, or make the prompt smaller.`
      : "The prompt has no message with content. Put text, an image, a document or tool calls into a message element.";
  return new EspalierError({
    code: "empty_prompt",
    message,
    path: removed > 0 ? "options.budget" : "prompt",
    details: { budget, removed },
  });
}
