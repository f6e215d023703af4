/** Options and reports of counting. */

import type { HostTokenizer } from "../tokens/host-tokenizer.ts";
import type { CostModelName, EncodingName, Label, ToolsCost } from "./generated/count.ts";
import type { Format, ToolList } from "./messages.ts";

export type { Breakdown, CostModelName, CountReport, EncodingName, Label, Origin, Totals } from "./generated/count.ts";

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
  /**
   * A model name. Selects the encoding; unknown names get `o200k_base`, and the report's `origin` says so. Default:
   * that of the request, if one was passed.
   */
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

/** Tokens of tool definitions. */
export interface ToolsReport extends ToolsCost {
  /** The encoding that counted, or `host` for the host's own tokenizer. */
  encoding: EncodingName | "host";
  costModel: CostModelName;
}

export interface BreakdownOptions extends CountOptions {
  /**
   * Tokens of the context window, those kept for the answer, those at which the host stops to send, and the provider's
   * own count (`reported`), which then is the total.
   */
  room?: { window?: number; outputReserve?: number; blockLine?: number; reported?: number };
  /** Tags of user text and the label of their content. Default: a dozen common ones. */
  tags?: Readonly<Record<string, Label>>;
}
