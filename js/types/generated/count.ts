/** Reports of counting. Written by `npm run types`: do not edit. */

import type { Role } from "./messages.ts";

/** An encoding with a public vocabulary. */
export type EncodingName =
  /** 199,998 tokens: gpt-4o and all later models. `o200k_harmony` has the same text tokens. */
  | "o200k_base"
  /** 100,256 tokens: gpt-4, gpt-3.5-turbo, the embedding models. */
  | "cl100k_base";

/** What is known of a model. */
export interface NamedFacts {
  /** The company: `anthropic`, `openai`, `google`, `mistral`, `deepseek`, `x-ai`, `moonshotai`, `cohere`. */
  provider: string;
  /** Tokens of input and output together. */
  contextWindow?: number;
  /** Maximum tokens of the input, if the answer has a limit of its own. */
  maxPromptTokens?: number;
  /** Absent for models whose prices are not known. */
  prices?: DollarPrices;
}

/** US dollars per million tokens, of the lowest tier. */
export interface DollarPrices {
  /** A token that is neither read from the cache nor written to it. */
  input: number;
  /** A token read from the cache; that of input if the provider has no such price. */
  cacheRead: number;
  /** A token written to the cache (for five minutes, if there are several times); that of input if writing is free. */
  cacheWrite: number;
  /** A token of the answer. */
  output: number;
}

/** How the cost of a message beside its text is counted. */
export type CostModelName =
  /** Counts what the provider receives. */
  | "espalier"
  /** The formula of Copilot Chat over the OpenAI wire form of the message. */
  | "copilot-chat"
  /**
   * The same formula for models of other extensions: in tool definitions, nested schema keys count as well, and neither
   * names nor `type` are special.
   */
  | "copilot-chat-extension";

/** The cost of a request's tool definitions. `total` is `overhead` plus the sum of `perTool`. */
export interface ToolsCost {
  total: number;
  /** The cost of having any tools; 0 without tools. */
  overhead: number;
  /** One entry per tool, in order: the tokens that the tool adds to those before it, rounding included. */
  perTool: { name: string; tokens: number }[];
  origin: Origin;
}

/** How a count was obtained, from the best origin to the worst. Two counts of different origin must not be compared. */
export type Origin =
  /** Counted with the model's own public encoding. */
  | "exact"
  /** Predicted from counts that the provider reported. */
  | "calibrated"
  /** Counted with a substitute encoding, because the model has no public one, and not yet calibrated. */
  | "prior"
  /** Estimated, because some of it cannot be counted. */
  | "estimate";

/** Tokens of a request by kind. `total` is the sum of `frame`, `conversation` and `tools`. */
export interface Totals {
  /** Number of messages. */
  messages: number;
  /** The whole request: frame, conversation, tools and the overhead of the list. */
  total: number;
  /** System and developer messages, and the overhead of the list itself. */
  frame: number;
  /** All other messages. */
  conversation: number;
  /** Tool definitions. */
  tools: number;
}

/** Tokens of a request, message by message. */
export interface CountReport extends Totals {
  /** The encoding that counted, or `host` for the host's own tokenizer. */
  encoding: EncodingName | "host";
  costModel: CostModelName;
  origin: Origin;
  perMessage: { id: string; role: Role; tokens: number }[];
  /** Tokens of one tool. */
  perTool: { name: string; tokens: number }[];
}

/** The label of a share of a request. */
export type Label = "System" | "Tool Definitions" | "Messages" | "Files" | "Tool Results";

/** The tokens of a request by kind, as a context meter shows them. */
export interface Breakdown {
  /** Tokens of the request: the reported count if there is one, else the sum of the shares. */
  total: number;
  origin: Origin;
  /** Labels that have tokens, in a fixed order. They sum to our own count. */
  shares: {
    label: Label;
    tokens: number;
    /** Percentage of the total, rounded. */
    percent: number;
  }[];
  /** Tokens of each tool. */
  tools: { name: string; tokens: number }[];
  /** Tokens left in the window, without the reserve; 0 if the window is unknown. */
  free: number;
  outputReserve: number;
  blockLine: number;
}

/** A rule that estimates the tokens of a text. Lengths are in UTF-16 code units. */
export type Estimator =
  /** A quarter of the length, rounded up: the common rule. */
  | "quarter"
  /** Three quarters of the length, rounded up: an upper estimate, from Copilot Chat's edit and read tools. */
  | "three-quarters"
  /**
   * gemini-cli: 0.25 for each unit up to 127, 1.3 for each other one, rounded down; a quarter of the length above
   * 100,000.
   */
  | "gemini"
  /** The exact count of three windows of 4,096 units, extrapolated. A text that is not longer is counted whole. */
  | "sample";

/** An estimated count. */
export interface Estimate {
  tokens: number;
  /** The possible error in tokens, if the rule knows it. */
  bound?: number;
  origin: Origin;
}

/** The expected count of the provider. */
export interface Prediction {
  tokens: number;
  /** The true count is within this many tokens in 19 of 20 cases. Add it if a limit must hold. */
  bound: number;
  origin: Origin;
}
