/**
 * Asks servers of local models for the window that they use. They cut the front of a longer prompt without an error,
 * and the window of the model itself says nothing: Ollama begins with 4,096 tokens on most machines.
 */

import { isFields } from "../formats/values.ts";
import type { Fields } from "../formats/values.ts";
import { check } from "../options/check.ts";
import { SERVER_WINDOW } from "../options/schemas/providers.ts";

/** Options of {@link serverWindow}. */
export interface ServerWindowOptions {
  /** The address that requests go to, version included: `http://localhost:11434/v1`. */
  baseUrl: string;
  /** The server's name of the model. Default: the first model that the server lists. */
  model?: string;
  /** Further headers. Default: none. */
  headers?: Readonly<Record<string, string>>;
  /** Sends the requests. Default: the global `fetch`. */
  fetch?: typeof fetch;
  /** Max milliseconds of each question; there are at most five. Default 2,000. */
  timeoutMs?: number;
  /** Aborting it ends the questions: the call throws its reason. Default: none. */
  signal?: AbortSignal;
}

/** The window of a model on a server. */
export interface ServerWindow {
  /** Tokens of prompt and answer together. */
  tokens: number;
  server: "ollama" | "llama.cpp" | "lm-studio" | "vllm";
  /**
   * `used`: the server uses this window now. `set`: it will when it loads the model. `assumed`: nothing is set; the
   * default of the server on machines with little graphics memory.
   */
  origin: "used" | "set" | "assumed";
}

/**
 * Ollama's window if nothing sets one and there are less than 24 GiB of graphics memory (its page "Context length").
 */
const OLLAMA = 4_096;

/**
 * Returns the window that a server of local models uses: Ollama, llama.cpp, LM Studio, vLLM. Undefined for other
 * servers, and if none answers. State it as the limit of the model.
 *
 * ```ts
 * import { prune } from "espalier";
 * import { serverWindow } from "espalier/providers";
 *
 * const name = "qwen3:8b";
 * const window = await serverWindow({ baseUrl: "http://127.0.0.1:11434/v1", model: name });
 * const model = { name, maxContextWindowTokens: window?.tokens ?? 4_096 };
 * const { report } = prune([{ role: "user", content: "Hello." }], { model });
 * report.limitSource; // => "contextWindow"
 * ```
 *
 * @throws EspalierError `bad_option`; the signal's reason
 */
export async function serverWindow(options: ServerWindowOptions): Promise<ServerWindow | undefined> {
  const { baseUrl, model, headers, fetch: send = fetch, timeoutMs = 2_000, signal } = check(options, SERVER_WINDOW);
  const base = new URL(baseUrl);
  const root = base.href.replace(/\/(v1|api)?\/?$/, "");
  const ask = async (path: string, body?: object): Promise<Fields> => {
    signal?.throwIfAborted();
    const ends = AbortSignal.timeout(timeoutMs);
    try {
      const response = await send(`${root}${path}`, {
        // A redirect would send the headers, and a key in them, to another address.
        redirect: "manual",
        signal: signal ? AbortSignal.any([signal, ends]) : ends,
        ...(headers && { headers }),
        ...(body && { method: "POST", body: JSON.stringify(body) }),
      });
      const value: unknown = response.ok ? await response.json() : undefined;
      return isFields(value) ? value : {};
    } catch {
      // Another server, or none: it does not know the path, answers with a page, or does not answer.
      signal?.throwIfAborted();
      return {};
    }
  };
  const found = (tokens: unknown, server: ServerWindow["server"], origin: ServerWindow["origin"]) =>
    typeof tokens === "number" && tokens > 0 && Number.isSafeInteger(tokens) ? { tokens, server, origin } : undefined;
  // One after the other: a local server answers in a millisecond, and others should not get five questions.
  const { data } = await ask("/v1/models");
  const listed = named(data, ["id"], model);
  const limit = found(listed?.["max_model_len"], "vllm", "used");
  if (limit) return limit;
  const wanted = model ?? listed?.["id"];
  const asked = typeof wanted === "string" ? `?${new URLSearchParams({ model: wanted, autoload: "false" })}` : "";
  const props = await ask(`/props${asked}`);
  const slot = props["default_generation_settings"];
  const llama = found(isFields(slot) ? slot["n_ctx"] : undefined, "llama.cpp", "used");
  if (llama) return llama;
  const { models: running } = await ask("/api/ps");
  if (Array.isArray(running)) {
    const loaded = named(running, ["name", "model"], model);
    const used = found(loaded?.["context_length"], "ollama", "used");
    if (used || typeof wanted !== "string") return used;
    const { parameters, modelfile } = await ask("/api/show", { model: wanted });
    const set = /^(?:PARAMETER )?num_ctx\s+(\d+)/m.exec([parameters, modelfile].join("\n"));
    return found(Number(set?.[1]), "ollama", "set") ?? { tokens: OLLAMA, server: "ollama", origin: "assumed" };
  }
  const { models } = await ask("/api/v1/models");
  const own = named(models, ["key", "id"], model);
  const [instance] = Array.isArray(own?.["loaded_instances"]) ? (own["loaded_instances"] as unknown[]) : [];
  const config = isFields(instance) ? instance["config"] : undefined;
  return found(isFields(config) ? config["context_length"] : undefined, "lm-studio", "used");
}

/** Returns the item of a list with this name, with or without Ollama's tag `:latest`; the first item without a name. */
function named(list: unknown, fields: readonly string[], name: string | undefined): Fields | undefined {
  const items = Array.isArray(list) ? list.filter(isFields) : [];
  const isIt = (item: Fields) => fields.some((field) => item[field] === name || item[field] === `${name}:latest`);
  return name === undefined ? items[0] : items.find(isIt);
}
