/** Options and reports of counting. */

import type { HostTokenizer } from "../tokens/host-tokenizer.ts";
import type { Format, Role, ToolList } from "./messages.ts";

export type EncodingName = "o200k_base" | "cl100k_base";

export type CostModelName = "espalier" | "copilot-chat" | "copilot-chat-extension";

/** How messages are read and counted. */
export interface CountOptions {
  /** Default: detected from the messages. */
  format?: Format;
  /** Takes precedence over `model`. Default `o200k_base`. */
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
  /** A model name. Selects the encoding; unknown names get `o200k_base`, and the report's `origin` says so. */
  model?: string;
  /** How the cost of a message beside its text is counted. Default `espalier`. */
  costModel?: CostModelName;
  /**
   * Tool definitions sent with the request, in the format of the messages. Default: those of the request, if one was
   * passed.
   */
  tools?: ToolList;
  /** How the model counts pictures. Default: by `model`, else by the format's provider, else OpenAI's usual tiles. */
  images?: ImageModel;
  /**
   * Returns the size of a picture whose data do not contain it (remote ones, other file types). Without an answer a
   * large one is assumed.
   */
  imageSize?: (image: {
    url?: string;
    data?: string;
    mediaType?: string;
  }) => { width: number; height: number } | undefined;
}

/**
 * How a provider counts pictures: OpenAI's tiles (`tile` tokens for each, and `base`) or patches (times `factor`), by
 * area (`anthropic`), by large tiles (`gemini`), or a constant (`gemini-cli`, PDFs included).
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
 * Where a number comes from. `exact`: counted with the model's own public encoding. `calibrated`: predicted from the
 * provider's reports. `prior`: counted with a similar encoding, because the model's own is not public. `estimate`:
 * contains something that cannot be counted, such as a remote picture.
 */
export type Origin = "exact" | "calibrated" | "prior" | "estimate";

/** Tokens of a request by kind. `total` is the sum of the others. */
export interface Totals {
  messages: number;
  /** The whole request: frame, conversation, tools and the overhead of the list. */
  total: number;
  frame: number;
  conversation: number;
  tools: number;
}

export interface CountReport extends Totals {
  /** The encoding that counted, or `host` for the host's own tokenizer. */
  encoding: EncodingName | "host";
  costModel: CostModelName;
  origin: Origin;
  perMessage: { id: string; role: Role; tokens: number }[];
  perTool: { name: string; tokens: number }[];
}

/** Tokens of tool definitions. `total` is `overhead` and the sum of `perTool`. */
export interface ToolsReport {
  total: number;
  /** Tokens for having any tools; 0 without tools. */
  overhead: number;
  perTool: { name: string; tokens: number }[];
  origin: Origin;
  /** The encoding that counted, or `host` for the host's own tokenizer. */
  encoding: EncodingName | "host";
  costModel: CostModelName;
}

/** The label of a share of a request. */
export type Label = "System" | "Tool Definitions" | "Messages" | "Files" | "Tool Results";

export interface BreakdownOptions extends CountOptions {
  /** Tokens of the context window, those kept for the answer, and those at which the host stops to send. */
  room?: {
    window?: number;
    outputReserve?: number;
    blockLine?: number /** The provider's own count, which wins over ours. */;
    reported?: number;
  };
  /** Tags of user text and the label of their content. Default: a dozen common ones. */
  tags?: Readonly<Record<string, Label>>;
}

/** The tokens of a request by kind, as a context meter shows them. The `shares` add up to our own count. */
export interface Breakdown {
  total: number;
  origin: Origin;
  shares: { label: Label; tokens: number; percent: number }[];
  /** Tokens of each tool. */
  tools: { name: string; tokens: number }[];
  /** Tokens left in the window below the reserve; 0 if the window is not known. */
  free: number;
  outputReserve: number;
  blockLine: number;
}
