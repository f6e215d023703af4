/** The renderer of the drop-in module. */

import { EspalierError } from "../errors/errors.ts";
import { BuiltinTokenizer } from "./builtin-tokenizer.ts";
import { BaseChatMessage } from "./elements/index.ts";
import type { PromptElement } from "./element.ts";
import { budgetError } from "./fail.ts";
import type { CancellationToken, ChatDocumentContext, ChatResponsePart, Progress, Uri } from "./host-types.ts";
import type { PromptElementJSON } from "./json-tree.ts";
import { OutputMode, toMode } from "./output/mode.ts";
import type { ModeToChatMessageType } from "./output/mode.ts";
import { ChatCompletionContentPartKind } from "../formats/raw/prompt.ts";
import { vscodeMode } from "../formats/vscode/prompt.ts";
import type {
  BasePromptElementProps,
  BasePromptSizing,
  IChatEndpointInfo,
  PromptElementCtor,
  PromptPieceChild,
} from "./piece.ts";
import type { ElementNode } from "./render-tree.ts";
import type { MetadataMap, PromptReference } from "./results.ts";
import { Session } from "./session.ts";
import type { SessionOptions } from "./session.ts";
import { survivors } from "./survivors.ts";
import type { ITokenizer } from "./tokenizer.ts";
import type { ITracer } from "./tracer.ts";
import { materialize } from "./materialize.ts";
import { writeJSON } from "./write-json.ts";

/** An element that is about to be created. */
export type QueueItem<C, P> = {
  path: (PromptElementCtor<any, any> | string)[];
  node: ElementNode;
  ctor: C;
  props: P;
  children: PromptPieceChild[];
};

export interface RenderPromptResult<M extends OutputMode = OutputMode.Raw> {
  readonly messages: ModeToChatMessageType[M][];
  /** Tokens of the messages. */
  readonly tokenCount: number;
  readonly hasIgnoredFiles: boolean;
  readonly metadata: MetadataMap;
  /** References of the remaining elements. */
  readonly references: PromptReference[];
  /** References of removed elements. */
  readonly omittedReferences: PromptReference[];
}

/**
 * Renders an element to messages that fit the endpoint's budget. It may be used again: every call is independent.
 *
 * ```tsx
 * import { BuiltinTokenizer, OutputMode, PromptElement, PromptRenderer, UserMessage } from "espalier/prompt";
 * import type { BasePromptElementProps } from "espalier/prompt";
 *
 * class Question extends PromptElement<{ text: string } & BasePromptElementProps> {
 *   render() {
 *     return <UserMessage>{this.props.text}</UserMessage>;
 *   }
 * }
 * const tokenizer = new BuiltinTokenizer({ mode: OutputMode.OpenAI });
 * const props = { text: "Why does this fail?" };
 * const renderer = new PromptRenderer({ modelMaxPromptTokens: 8_000 }, Question, props, tokenizer);
 * const { messages, tokenCount } = await renderer.render();
 * messages[0]?.content; // => "Why does this fail?"
 * tokenCount; // => 9
 * ```
 */
export class PromptRenderer<P extends BasePromptElementProps, M extends OutputMode> {
  /** Receives what is rendered when, and the final tree. */
  tracer: ITracer | undefined = undefined;
  readonly #endpoint: IChatEndpointInfo;
  readonly #ctor: PromptElementCtor<P, any>;
  readonly #props: P;
  readonly #tokenizer: ITokenizer<M>;
  #session: Session | undefined;

  constructor(endpoint: IChatEndpointInfo, ctor: PromptElementCtor<P, any>, props: P, tokenizer: ITokenizer<M>) {
    this.#endpoint = endpoint;
    this.#ctor = ctor;
    this.#props = props;
    this.#tokenizer = tokenizer;
    // Reported here, where the tokenizer is missing, and not when the first text is counted.
    for (const name of ["tokenLength", "countMessageTokens"] as const) {
      if (typeof tokenizer?.[name] === "function") continue;
      throw new EspalierError({
        code: "bad_option",
        message: `A renderer needs a tokenizer with ${name}, for one \`new BuiltinTokenizer({ mode })\`.`,
        path: `tokenizer.${name}`,
      });
    }
  }

  /** Returns the files that elements left out on purpose, each once. */
  getIgnoredFiles(): Uri[] {
    return Array.from(new Set(this.#session?.flattener.ignoredFiles ?? []));
  }

  getUsedContext(): ChatDocumentContext[] {
    return this.#session?.flattener.usedContext ?? [];
  }

  /** Creates an instance. Override it to inject what constructors need. */
  protected createElement(element: QueueItem<PromptElementCtor<P, any>, P>): PromptElement<P, any> {
    return new element.ctor(element.props);
  }

  /** Renders to plain data, without pruning. */
  async renderElementJSON(token?: CancellationToken): Promise<PromptElementJSON> {
    const session = await this.#start({ layoutOnly: true, thorough: true, token });
    session.free();
    return writeJSON(session.nodes[0] as ElementNode);
  }

  /** Renders to messages in the mode of the tokenizer. */
  async render(progress?: Progress<ChatResponsePart>, token?: CancellationToken): Promise<RenderPromptResult<M>> {
    const raw = await this.renderRaw(progress, token);
    return { ...raw, messages: toMode(this.#tokenizer.mode, raw.messages) };
  }

  /** Renders to raw messages. */
  async renderRaw(
    progress?: Progress<ChatResponsePart>,
    token?: CancellationToken,
  ): Promise<RenderPromptResult<OutputMode.Raw>> {
    needMode(this.#tokenizer);
    const session = await this.#start({ progress, token });
    let keep = false;
    try {
      const root = session.nodes[0] as ElementNode;
      if (root.instance instanceof BaseChatMessage || root.kind === "message") {
        throw new TypeError(
          `The root of a prompt must be an element that contains messages, and ${root.name} is a message.`,
        );
      }
      const { messages, tokens, removed, failure } = session.outcome();
      if (failure) throw budgetError(session, failure, (raw) => raw);
      if (this.tracer?.didMaterializeTree) {
        keep = true;
        const tokenizer = this.#tokenizer as ITokenizer;
        materialize(this.tracer, session, { tokenizer, tokens, removed, isShared: false });
      }
      return {
        ...survivors(session),
        messages,
        hasIgnoredFiles: session.flattener.ignoredFiles.length > 0,
        tokenCount: tokens,
      };
    } finally {
      // A tracer may cut the tree again, so the tree lives as long as the tracer can ask.
      if (!keep) session.free();
    }
  }

  #start(options: Partial<SessionOptions>): Promise<Session> {
    this.#session = undefined;
    const tokenizer = this.#tokenizer;
    const builtin = tokenizer instanceof BuiltinTokenizer && !options.layoutOnly ? tokenizer : undefined;
    const countTokens: BasePromptSizing["countTokens"] = (text, token) =>
      tokenizer.tokenLength(
        typeof text === "string" ? { type: ChatCompletionContentPartKind.Text, text } : text,
        token,
      );
    return Session.render(
      { ctor: this.#ctor as never, props: this.#props },
      {
        // Converted by the reference's arithmetic: absent is NaN, which limits nothing; null is 0.
        budget: Number(this.#endpoint.modelMaxPromptTokens),
        endpoint: this.#endpoint,
        tokenizer: builtin ? undefined : (tokenizer as ITokenizer),
        ...(builtin && {
          encoding: () => builtin.counting.encoding,
          counting: () => builtin.counting,
          mode: builtin.mode === OutputMode.VSCode ? vscodeMode() : MODES[builtin.mode as OutputMode],
          messagesOnly: true,
        }),
        tracer: this.tracer,
        ...(overridesCreateElement(this) && { createElement: (item: any) => this.createElement(item) }),
        countTokens,
        ...options,
        onSession: (session) => (this.#session = session),
      },
    );
  }
}

// Outside the class: bundlers rename a class that refers to itself.
function overridesCreateElement(renderer: PromptRenderer<any, any>): boolean {
  return renderer["createElement"] !== PromptRenderer.prototype["createElement"];
}

/** @throws EspalierError `bad_option` for a tokenizer of 0.3, which had no mode */
function needMode({ mode }: ITokenizer): void {
  if (Object.hasOwn(MODES, mode)) return;
  throw new EspalierError({
    code: "bad_option",
    message: `A tokenizer needs a mode, OutputMode.Raw, OutputMode.OpenAI or OutputMode.VSCode, and has ${String(mode)}. Tokenizers for 0.3 of @vscode/prompt-tsx have none: see docs/migrate-prompt-tsx.md.`,
    path: "tokenizer.mode",
  });
}

const MODES = { [OutputMode.Raw]: "raw", [OutputMode.OpenAI]: "openai", [OutputMode.VSCode]: "vscode" } as const;
