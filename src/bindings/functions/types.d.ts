import type {
  CompactOptions,
  CompactResult,
  Llm,
  LlmReply,
  LlmRequest,
  NeutralMessage,
  NeutralTool,
  PruneOptions,
  PruneResult,
} from "./types/index.ts";
import type { OpenAIPromptMessage } from "./prompt/output/request.ts";
import type { Raw } from "./prompt/output/mode.ts";

export type {
  CompactOptions,
  CompactResult,
  Llm,
  LlmReply,
  LlmRequest,
  NeutralMessage,
  NeutralTool,
  OpenAIPromptMessage,
  PruneOptions,
  PruneResult,
};

/** Options that need a function of the package, or other formats than the neutral one. */
type Beyond = "format" | "tokenizer" | "images" | "imageSize" | "tools";
interface Neutral {
  /** The only format that these functions read. */
  format?: "espalier";
  tools?: readonly NeutralTool[];
}

/** The options of `prune` of the package, for neutral messages. */
export interface CorePruneOptions extends Omit<PruneOptions, Beyond>, Neutral {}

/** The options of `compact` of the package, for neutral messages; the model is an argument. */
export interface CoreCompactOptions extends Omit<CompactOptions, Beyond | "llm" | "provider">, Neutral {}

export interface CoreRenderOptions {
  /** Max tokens of the whole request: messages, tool definitions and the overhead of a list of messages. */
  budget: number;
  /** The form of the messages. Default `openai-chat`. */
  format?: "openai-chat" | "raw";
  /** Takes precedence over `model`. Default `o200k_base`. */
  encoding?: "o200k_base" | "cl100k_base";
  /** A model name; selects the encoding and the formula for pictures. */
  model?: string;
  /** Default `espalier`. */
  costModel?: string;
  /** Tool definitions sent with the request. */
  tools?: readonly object[];
  /** Puts removed nodes back while they fit the budget. Default false. */
  backfill?: boolean;
  /** Aborting it ends the call, which then rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** A prompt as JSON, in the form of `renderElementJSON`; elements may be components of the host. */
export interface PromptTree {
  node: TreeElement;
}
export type TreeNode = TreeElement | TreeText | TreeOpaque | TreeCacheBreakpoint;

export interface TreeElement {
  type: 1;
  /** 1: a message. 2: any other element. 3: a picture. 4: a document. */
  ctor: 1 | 2 | 3 | 4;
  ctorName?: string | undefined;
  /** Names a component: the host makes its content once its budget is known ({@link RenderHost.render}). */
  component?: string | undefined;
  /** True if the component is rendered again with more tokens if any are left. */
  expandable?: boolean | undefined;
  /**
   * Properties of layout (`priority`, `flexGrow`, `flexBasis`, `flexReserve`), of a message (`role`: 0 system, 1 user,
   * 2 assistant, 3 tool), and of a component.
   */
  props?: object | undefined;
  children?: TreeNode[] | undefined;
  keepWithId?: number | undefined;
  /** Sum of 1: legacy order, 2: a chunk, 4: passes its priority on, 8: an alternative. */
  flags?: number | undefined;
  /** Max tokens of the element. */
  tokenLimit?: number | undefined;
  /** For each of `props.toolCalls` the `keepWithId` of the group with which it is removed. */
  callsKeptWith?: (number | null)[] | undefined;
}

export interface TreeText {
  type: 2;
  text: string;
  priority?: number | undefined;
  lineBreakBefore?: boolean | undefined;
}

export interface TreeOpaque {
  type: 3;
  value?: unknown;
  tokenUsage?: number | undefined;
  priority?: number | undefined;
}

export interface TreeCacheBreakpoint {
  type: 4;
  cacheType?: string | undefined;
}

export interface RenderHost {
  /** Returns the content of a component: a text, a node, a list of nodes, a tree, or nothing. */
  render?(
    component: string,
    props: any,
    sizing: { tokenBudget: number; endpoint: { modelMaxPromptTokens: number } },
  ): RenderedContent | Promise<RenderedContent>;
}
export type RenderedContent = string | TreeNode | PromptTree | readonly TreeNode[] | null | undefined | void;

/** A rendered prompt. */
export interface CoreRendered {
  /** Spread it into the request. */
  request: { messages: OpenAIPromptMessage[] | Raw.ChatMessage[] };
  /** Tokens of the whole request. */
  tokens: number;
  budget: number;
  format: "openai-chat" | "raw";
  /** Number of removed nodes, without their descendants. */
  removed: number;
}
