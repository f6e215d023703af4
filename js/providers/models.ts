/** The providers over HTTP: a wire format of `js/formats` each. */

import { anthropicWire } from "../formats/anthropic/wire.ts";
import { geminiWire } from "../formats/gemini/wire.ts";
import { chatWire } from "../formats/openai/wire-chat.ts";
import { responsesWire } from "../formats/openai/wire-responses.ts";
import { httpProvider } from "./provider.ts";
import type { HttpOptions, Provider } from "./types.ts";

/**
 * Returns a provider for OpenAI's chat completions.
 *
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { compact } from "espalier";
 * import { openai } from "espalier/providers";
 *
 * const messages = JSON.parse(await readFile("session.json", "utf8"));
 * const model = openai({ model: "gpt-4o-mini", apiKey: process.env.OPENAI_API_KEY });
 * const { status, messages: compacted } = await compact(messages, { budget: 8_000, llm: model.llm });
 * status; // => "applied"
 * const { finish } = await model.send(model.toRequest(compacted, { maxTokens: 500 }));
 * finish; // => "stop"
 * ```
 *
 * @throws EspalierError `bad_option`
 */
export function openai(options: HttpOptions): Provider {
  return httpProvider(chatWire(options?.baseUrl === undefined), options);
}

/**
 * Returns a provider for OpenAI's Responses.
 *
 * `toRequest(…, { contextManagement: [{ type: "compaction", compact_threshold: 200_000 }] })` lets the server compact;
 * its compaction item is in `answer.messages`, and must be sent back unchanged.
 *
 * @throws EspalierError `bad_option`
 */
export function openaiResponses(options: HttpOptions): Provider {
  return httpProvider(responsesWire(), options);
}

/**
 * Returns a provider for Anthropic's Messages.
 *
 * `toRequest(…, { contextManagement: { edits: [{ type: "compact_20260112" }] } })` lets the server manage the context;
 * the required beta headers are added. Compaction blocks are in `answer.messages`, and must be sent back unchanged.
 *
 * In a browser Anthropic requires the header `anthropic-dangerous-direct-browser-access: true`; pass it in `headers`.
 *
 * @throws EspalierError `bad_option`
 */
export function anthropic(options: HttpOptions): Provider {
  return httpProvider(anthropicWire(), options);
}

/**
 * Returns a provider for Gemini's generateContent.
 *
 * @throws EspalierError `bad_option`
 */
export function gemini(options: HttpOptions): Provider {
  return httpProvider(geminiWire, options);
}
