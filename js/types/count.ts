/** Options and reports of counting. */

import type { HostTokenizer } from "../tokens/host-tokenizer.ts";
import type { Format, Role, ToolList } from "./messages.ts";

export type EncodingName = "o200k_base" | "cl100k_base";

export type CostModelName = "espalier" | "copilot-chat" | "copilot-chat-extension";

/** How messages are read and counted. */
export interface CountOptions {
  /** Found out from the messages when absent. */
  format?: Format;
  /** Wins over `model`. Default `o200k_base`. */
  encoding?: EncodingName;
  /**
   * Counts texts in place of an encoding, for models whose tokenizer is yours: Llama, Mistral, a server's own. Texts
   * are counted one by one and synchronously; counts are remembered. No vocabulary is loaded. What it throws reaches
   * you.
   *
   * ```ts
   * import { countMessages } from "espalier";
   *
   * const messages = [{ role: "user", content: "Why does the build fail?" }];
   * countMessages(messages, { tokenizer: (text) => text.split(/\s+/).length }).encoding; // => "host"
   * ```
   */
  tokenizer?: HostTokenizer;
  /** A model name; picks the encoding. Unknown names get `o200k_base`, and the report's `origin` says so. */
  model?: string;
  /** Default `espalier`. */
  costModel?: CostModelName;
  /**
   * Tool definitions sent with the request, in the format of the messages. Default: those of the request, if one was
   * passed.
   */
  tools?: ToolList;
  /**
   * How the model counts pictures. Default: by `model`, else by the format's provider; OpenAI's usual tiles if neither
   * says.
   */
  images?: ImageModel;
  /**
   * Asked for the size of pictures whose data do not tell it (remote ones, other file types). Without an answer a large
   * one is assumed.
   */
  imageSize?: (image: {
    url?: string;
    data?: string;
    mediaType?: string;
  }) => { width: number; height: number } | undefined;
}

/**
 * How a provider counts pictures: OpenAI's tiles (`tile` tokens for each, and `base`) or patches (times `factor`), by
 * area (`anthropic`), by large tiles (`gemini`), or flat (`gemini-cli`, PDFs included).
 */
export type ImageModel =
  | "openai-tiles"
  | "openai-patches"
  | "anthropic"
  | "gemini"
  | "gemini-cli"
  | { kind: "openai-tiles"; base: number; tile: number }
  | { kind: "openai-patches"; factor: number };

/**
 * How a number came about: counted with the model's own public encoding; predicted from the provider's reports; with a
 * stand-in encoding, since the model has no public one; guessed, since something in it cannot be counted (a remote
 * picture).
 */
export type Origin = "exact" | "calibrated" | "prior" | "estimate";

/** Tokens of a request, split. `total` is the sum of the others. */
export interface Totals {
  messages: number;
  /** The whole request: frame + conversation + tools + list overhead. */
  total: number;
  frame: number;
  conversation: number;
  tools: number;
}

export interface CountReport extends Totals {
  /** What counted: an encoding, or `host` for a tokenizer of the host's own. */
  encoding: EncodingName | "host";
  costModel: CostModelName;
  origin: Origin;
  perMessage: { id: string; role: Role; tokens: number }[];
  perTool: { name: string; tokens: number }[];
}

/** What tool definitions cost. `total` is `overhead` and the sum of `perTool`. */
export interface ToolsReport {
  total: number;
  /** What having any tools costs; 0 without tools. */
  overhead: number;
  perTool: { name: string; tokens: number }[];
  origin: Origin;
  /** What counted: an encoding, or `host` for a tokenizer of the host's own. */
  encoding: EncodingName | "host";
  costModel: CostModelName;
}

/** What a share of a request is shown as. */
export type Label = "System" | "Tool Definitions" | "Messages" | "Files" | "Tool Results";

export interface BreakdownOptions extends CountOptions {
  /** Tokens of the context window, those kept for the answer, and those at which the host stops to send. */
  room?: {
    window?: number;
    outputReserve?: number;
    blockLine?: number /** The provider's own count, which wins over ours. */;
    reported?: number;
  };
  /** Tags of user text and what they hold; default: a dozen common ones. */
  tags?: Readonly<Record<string, Label>>;
}

/** Where the tokens of a request go: what a context meter shows. `shares` sum to our own count. */
export interface Breakdown {
  total: number;
  origin: Origin;
  shares: { label: Label; tokens: number; percent: number }[];
  /** What each tool costs. */
  tools: { name: string; tokens: number }[];
  /** Tokens left in the window, the reserve taken off; 0 if the window is not known. */
  free: number;
  outputReserve: number;
  blockLine: number;
}
