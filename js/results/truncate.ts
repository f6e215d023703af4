/** Long tool results: cut to an exact number of tokens, or stored and referenced. */

import { check, need } from "../options/check.ts";
import { call, wasm } from "../engine/engine.ts";
import { badInput } from "../errors/errors.ts";
import { Late, contentName, readable, storedAt, withTimeout } from "./storing.ts";
import type { StoreResult } from "./storing.ts";
import type { EncodingName } from "../types/count.ts";
import type { Shortened } from "../types/generated/prune.ts";
import { loading } from "../tokens/loading.ts";
import { ensureEncoding } from "../engine/vocabulary.ts";
import * as kinds from "../options/kinds.ts";
import { FIT, JSON_SCHEMA, OFFLOAD, SIZES, TRUNCATE } from "../options/schemas/results.ts";

/** How a text is cut. */
export interface TruncateOptions {
  /** Max tokens of the result, marker included: a whole number, 0 or more. */
  maxTokens: number;
  /** Share of the kept text that goes to the head, 0 to 1. Default 0.4: the newest output usually matters more. */
  headShare?: number;
  /**
   * `lines` (default) cuts at line ends, else between words, within 20 % of each side; `characters` uses the whole
   * limit.
   */
  snap?: "lines" | "characters";
  /** `errors` spends up to a fifth of the room on lines about errors from the middle. Default `ends`: none of it. */
  keep?: "ends" | "errors";
  /** Cuts JSON as JSON, so that it parses. Default true. */
  json?: boolean;
  /** Removes terminal escapes and repeated lines first, if the text is too long. Default true. */
  clean?: boolean;
  /**
   * The command line that wrote the text, or `""` if it is not known. If the text is too long, what a reducer of its
   * output leaves out goes first, as by `reduceOutput`. Default: the text is no output.
   */
  command?: string;
  /** The handle of the whole text; the marker names it. Default: the marker names none. */
  recall?: string;
  /** The marker, instead of `[cut: 12 lines, 340 tokens]`. Its tokens count. */
  marker?: string;
  /**
   * `copilot-chat` cuts as Copilot Chat does, for limits of 50 and more; a limit of 0 means no limit. The other options
   * are ignored then.
   */
  profile?: "espalier" | "copilot-chat";
  /** Default `o200k_base`. */
  encoding?: EncodingName;
}

/** A text within its limit. */
export interface Truncated extends Shortened {
  /** The same string that was passed, if it was within the limit. */
  text: string;
}

/** With a lower limit, Copilot Chat's rule can make a text longer. */
const COMPATIBLE_FROM = 50;

/**
 * Cuts a text to at most `maxTokens` tokens, marker included; the result never has more tokens than the text.
 *
 * ```ts
 * import { truncate } from "espalier";
 *
 * const lines = Array.from({ length: 500 }, (_, at) => `compiled module ${at}`);
 * const { text, tokens } = truncate(lines.join("\n"), { maxTokens: 30, recall: "m12" });
 * tokens <= 30; // => true
 * text.includes("[cut: 498 lines, 2,491 tokens; recall m12]"); // => true
 * ```
 *
 * @throws EspalierError `bad_input` if `text` is not a string, `bad_option` with the path of the option,
 *   `encoding_not_loaded`
 */
export function truncate(text: string, options: TruncateOptions): Truncated {
  need(text, kinds.required(kinds.text), "text", badInput);
  const {
    maxTokens,
    headShare = 0.4,
    snap = "lines",
    keep = "ends",
    json = true,
    clean = true,
    command,
    recall = "",
    marker,
    profile = "espalier",
    encoding = "o200k_base",
  } = check(options, TRUNCATE);
  ensureEncoding(encoding);
  const flags = [keep === "errors", snap === "characters", json, clean, marker !== undefined];
  const bits = flags.reduce((sum, isSet, at) => (isSet ? sum | (1 << at) : sum), 0);
  const compatible = profile === "copilot-chat" && (maxTokens === 0 || maxTokens >= COMPATIBLE_FROM);
  const made = call(() =>
    compatible
      ? wasm().truncateAsCopilotChat(text, maxTokens === 0 ? Number.MAX_SAFE_INTEGER : maxTokens, encoding)
      : wasm().truncate(text, maxTokens, headShare, bits, command, marker ?? recall, encoding),
  ) as Omit<Truncated, "text"> & { text?: string };
  return { ...made, text: made.text ?? text };
}

export interface JsonSchemaOptions {
  /** Max tokens of the schema: deeper levels are dropped until it fits. Default 1,500. */
  maxTokens?: number;
  /** `copilot-chat` returns the whole schema that Copilot Chat stores beside a result, and ignores `maxTokens`. */
  profile?: "espalier" | "copilot-chat";
  /** The encoding that counts. Default `o200k_base`. */
  encoding?: EncodingName;
}

/**
 * Returns the schema of a JSON text (or of JSON Lines), as JSON Schema with the lengths of lists; undefined if the text
 * is not JSON.
 *
 * @throws EspalierError `bad_input`, `bad_option`
 */
export function jsonSchema(text: string, options: JsonSchemaOptions = {}): unknown {
  need(text, kinds.required(kinds.text), "text", badInput);
  const { maxTokens = 1_500, profile = "espalier", encoding = "o200k_base" } = check(options, JSON_SCHEMA);
  ensureEncoding(encoding);
  const compatible = profile === "copilot-chat";
  const find = (lines: boolean) =>
    call(() => wasm().jsonSchema(text, lines, compatible ? 0 : maxTokens, compatible, encoding)) as string | undefined;
  const found = find(false) ?? find(true);
  return found === undefined ? undefined : JSON.parse(found);
}

// ---------------------------------------------------------------- what results may take together

/** The facts of a result that budgets use. */
export interface ResultSize {
  /** Its current tokens. */
  tokens: number;
  /** Rounds since then: 0 for the newest. */
  age: number;
}

export interface FitOptions {
  /** Max tokens of all results together. */
  budget: number;
  /** `level` of the last call. It never rises, so that cut results stay unchanged and caches hold. */
  level?: number;
}

/**
 * Returns the tokens that each result may have: one water level for all, where the newest round weighs 4, the one
 * before 2, older ones 1. Small results stay whole; within the budget nothing changes.
 *
 * ```ts
 * import { fitResults } from "espalier/results";
 *
 * const results = [{ tokens: 900, age: 1 }, { tokens: 50, age: 1 }, { tokens: 900, age: 0 }];
 * fitResults(results, { budget: 650 }).caps; // => [200, 50, 400]
 * ```
 */
export function fitResults(results: readonly ResultSize[], options: FitOptions): { caps: number[]; level?: number } {
  const { budget, level } = check(options, FIT);
  need(results, SIZES, "results");
  const tokens = Float64Array.from(results, (result) => result.tokens);
  const ages = Uint32Array.from(results, (result) => Math.min(result.age, 2));
  const found = Array.from(call(() => wasm().waterLevel(tokens, ages, budget, level ?? -1)) as Float64Array);
  const last = found.pop()!;
  return { caps: found, ...(last >= 0 && { level: last }) };
}

// ---------------------------------------------------------------- storing

export type OffloadEvent =
  | { type: "stored"; name: string; path: string; tokens: number }
  | { type: "warning"; code: "store_failed" | "store_timeout"; error: unknown };

export interface OffloadOptions {
  /** Stores a result and returns its path. */
  store: StoreResult;
  /** Results above this number of tokens are stored; with `copilot-chat`: UTF-16 units. Default 4,000 (8,192). */
  maxInlineTokens?: number;
  /** Name of the tool, for `exempt` and for the text. Default: not named. */
  tool?: string;
  /** Tools whose results are never stored. Default: search, explore and execution subagents, memory. */
  exempt?: readonly string[];
  /** The tool with which the model reads the file. Default `read_file`. */
  readTool?: string;
  /** Max tokens of the schema. Default 300. */
  maxSchemaTokens?: number;
  /** Max tokens of the preview. Default 400. */
  maxPreviewTokens?: number;
  /**
   * If storing fails, the result is cut to this number of tokens instead. Default: the threshold (4,000 with
   * `copilot-chat`).
   */
  maxTokens?: number;
  /** Milliseconds after which a store that does not answer has failed. Default 5,000. */
  timeoutMs?: number;
  /** `copilot-chat` stores indented JSON and returns a bare pointer. Default `espalier`. */
  profile?: "espalier" | "copilot-chat";
  /** The encoding that counts. Default `o200k_base`. */
  encoding?: EncodingName;
  /** Aborting it ends the call, which then throws the signal's reason. Default: none. */
  signal?: AbortSignal;
  /** Called when something was stored, or could not be. Default: none. */
  onEvent?: (event: OffloadEvent) => void;
}

export interface Offloaded {
  /** The text for the model. */
  text: string;
  tokens: number;
  /** `kept` if unchanged, `stored`, or `truncated` because storing failed. */
  outcome: "kept" | "stored" | "truncated";
  path?: string;
  /** Why storing failed: what `store` threw or rejected with, or an error about its answer. Else absent. */
  storeError?: unknown;
}

/** Results above this number of tokens are stored. */
export const INLINE_TOKENS = 4_000;

const EXEMPT = ["search_subagent", "explore_subagent", "execution_subagent", "memory"];

/**
 * Stores a result that is too large for the conversation, and returns a text that replaces it: size, path, schema and a
 * preview, so that the model knows what it would find. If the store fails, times out or is full, the result is cut
 * instead, with a warning.
 *
 * ```ts
 * import { readFile, writeFile } from "node:fs/promises";
 * import { offload } from "espalier/results";
 *
 * const output = await readFile("build.log", "utf8");
 * const { text, tokens } = await offload(output, {
 *   tool: "bash",
 *   store: async ({ name, content }) => {
 *     await writeFile(name, content);
 *     return name;
 *   },
 * });
 * text; // => /^\[Result of bash: 63,011 tokens, 163 KB, stored in bash-/
 * tokens < 1_000; // => true
 * ```
 *
 * @throws EspalierError `bad_input`, `bad_option`; the reason of `signal` if it is aborted
 */
export async function offload(result: string, options: OffloadOptions): Promise<Offloaded> {
  const load = loading(options);
  if (load) await load;
  need(result, kinds.required(kinds.text), "result", badInput);
  const {
    store,
    profile = "espalier",
    tool,
    exempt = EXEMPT,
    readTool = "read_file",
    maxSchemaTokens = 300,
    maxPreviewTokens = 400,
    timeoutMs = 5_000,
    encoding = "o200k_base",
    signal,
    onEvent,
  } = check(options, OFFLOAD);
  const compatible = profile === "copilot-chat";
  const threshold = options.maxInlineTokens ?? (compatible ? 8_192 : INLINE_TOKENS);
  const limit = options.maxTokens ?? (compatible ? 4_000 : threshold);
  signal?.throwIfAborted();
  ensureEncoding(encoding);
  const tokens = (text: string) => call(() => wasm().count(text, encoding)) as number;
  const size = compatible ? result.length : tokens(result);
  if (size <= threshold || (tool !== undefined && exempt.includes(tool)))
    return { text: result, tokens: compatible ? tokens(result) : size, outcome: "kept" };

  const { kind, content } = readable(result, compatible);
  const schema =
    kind === "txt"
      ? undefined
      : (call(() => wasm().jsonSchema(result, kind === "jsonl", 0, compatible, encoding)) as string | undefined);
  const name = await contentName(tool, content, kind);
  let stored: { path: string; schemaPath?: string };
  try {
    const answer = await withTimeout(timeoutMs, signal, (stop) =>
      store({
        name,
        content,
        kind,
        signal: stop,
        ...(schema !== undefined && { schema }),
        ...(tool !== undefined && { tool }),
      }),
    );
    stored = storedAt(answer);
  } catch (error) {
    signal?.throwIfAborted();
    onEvent?.({ type: "warning", code: error instanceof Late ? "store_timeout" : "store_failed", error });
    const short = truncate(result, { maxTokens: limit, profile, encoding, keep: "errors" });
    return { text: short.text, tokens: short.tokens, outcome: "truncated", storeError: error };
  }
  onEvent?.({ type: "stored", name, path: stored.path, tokens: tokens(result) });
  const text = compatible ? pointer(content, stored) : description();
  return { text, tokens: tokens(text), outcome: "stored", path: stored.path };

  function description(): string {
    const short =
      maxSchemaTokens > 0 && schema !== undefined
        ? (call(() => wasm().jsonSchema(result, kind === "jsonl", maxSchemaTokens, false, encoding)) as
            | string
            | undefined)
        : undefined;
    const preview =
      maxPreviewTokens > 0
        ? truncate(result, { maxTokens: maxPreviewTokens, headShare: 0.5, json: false, encoding }).text
        : "";
    return [
      `[${tool ? `Result of ${tool}` : "Result"}: ${size.toLocaleString("en")} tokens, ${Math.max(1, Math.round(content.length / 1024))} KB, stored in ${stored.path}. Read what you need of it with ${readTool}.]`,
      ...(stored.schemaPath ? [`[Its schema: ${stored.schemaPath}]`] : []),
      ...(short === undefined ? [] : [kind === "jsonl" ? "Schema of each line:" : "Schema:", short]),
      ...(preview ? ["Preview:", preview] : []),
    ].join("\n");
  }
}

/** Returns the pointer in Copilot Chat's words. */
function pointer(content: string, { path, schemaPath }: { path: string; schemaPath?: string }): string {
  const text = `Large tool result (${Math.round(content.length / 1024)}KB) written to file. Use the read_file tool to access the content at: ${path}`;
  return schemaPath === undefined ? text : `${text}\n\nData schema found at: ${schemaPath}`;
}
