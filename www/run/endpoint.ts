/** A model behind an address: how it is asked, and its errors in a person's words. */

import { anthropic, gemini, openai } from "../../js/providers/models.ts";
import { CLOCK } from "../../js/providers/clock.ts";
import type { Clock, HttpOptions, Provider, ProviderErrorDetails } from "../../js/providers/types.ts";
import type { LlmRequest } from "../../js/types/llm.ts";
import { KINDS } from "./kinds.ts";
import type { Endpoint, EndpointKind } from "./kinds.ts";
import type { Said } from "./types.ts";
import type { Ask } from "./writers.ts";

interface Way {
  make(options: HttpOptions): Provider;
  /** Fields that forbid calls. */
  noTools: Record<string, unknown>;
}

const WAYS: Readonly<Record<EndpointKind, Way>> = {
  openai: { make: openai, noTools: { tool_choice: "none" } },
  anthropic: {
    // Without this header Anthropic answers no page.
    make: (options) => anthropic({ ...options, headers: { "anthropic-dangerous-direct-browser-access": "true" } }),
    noTools: { tool_choice: { type: "none" } },
  },
  gemini: { make: gemini, noTools: { toolConfig: { functionCallingConfig: { mode: "NONE" } } } },
  ollama: { make: openai, noTools: { tool_choice: "none" } },
};

/** Milliseconds that finding the reason of a lost connection may take. */
const PROBE_MS = 3_000;

/** An error of an endpoint, already in a person's words. */
export class EndpointError extends Error {
  readonly code: string;
  readonly said: Said;
  /** True if every other request would fail in the same way. */
  readonly isLasting: boolean;

  constructor(code: string, said: Said, isLasting: boolean, cause: unknown) {
    super(said.hint ? `${said.what} ${said.hint}` : said.what, { cause });
    this.code = code;
    this.said = said;
    this.isLasting = isLasting;
  }
}

export const sayError = (error: unknown): Said =>
  error instanceof EndpointError ? error.said : { what: error instanceof Error ? error.message : String(error) };

/** Returns the function that asks the model, streamed. @throws EndpointError for an address or a key that cannot be */
export function askOf(endpoint: Endpoint, after: Clock["after"] = CLOCK.after): Ask {
  const { provider, way } = providerOf(endpoint);
  return (request, signal, write) =>
    patiently(endpoint, signal, after, async (signal, onPart) => {
      const asked = provider.toRequest(request.request ?? request.messages, wantedOf(request, way));
      const { text, finish, usage, requestId } = await provider.send(asked, {
        signal,
        stream: true,
        onText: write,
        onPart,
      });
      return {
        text,
        finishReason: finish,
        ...(usage && { usage: { ...usage } }),
        ...(requestId !== undefined && { requestId }),
      };
    });
}

function wantedOf({ params: { maxTokens, temperature, toolChoice }, tools, format }: LlmRequest, way: Way) {
  return {
    format,
    ...(tools && { tools: [...tools] }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(tools && toolChoice === "none" && { extra: way.noTools }),
  };
}

/** Asks for one word. Returns what the model said. @throws EndpointError */
export async function tryOut(endpoint: Endpoint, signal: AbortSignal): Promise<string> {
  const { provider } = providerOf(endpoint);
  const messages = [{ role: "user", content: "Answer with the one word: ready" }];
  const request = provider.toRequest(messages, { format: "openai-chat", maxTokens: 64 });
  return patiently(endpoint, signal, CLOCK.after, async (signal, onPart) => {
    const { text } = await provider.send(request, { signal, stream: true, onPart });
    return text;
  });
}

function providerOf(endpoint: Endpoint): { provider: Provider; way: Way } {
  const way = WAYS[endpoint.kind];
  const { address, model, key } = endpoint;
  try {
    const provider = way.make({
      model: model.trim(),
      baseUrl: address.trim(),
      ...(key.trim() && { apiKey: key.trim() }),
      // Silence is watched here: a slow model may write for a long time.
      timeoutMs: 0,
      idleTimeoutMs: 0,
      // A person waits for the answer.
      retries: 1,
    });
    return { provider, way };
  } catch (error) {
    throw new EndpointError("bad_option", badOption(error), true, error);
  }
}

function badOption(error: unknown): Said {
  const { path = "", message = String(error) } = error as { path?: string; message?: string };
  if (path.endsWith("baseUrl"))
    return { what: "This is no address.", hint: "It begins with http:// or https://, without user and password." };
  if (path.endsWith("model")) return { what: "The name of the model is missing." };
  if (path.endsWith("apiKey")) return { what: "The key has characters that no key has.", hint: "Copy it once more." };
  return { what: message };
}

/** Does something with the model, as long as it is not silent for too long. `hear` is called with each of its parts. */
async function patiently<T>(
  endpoint: Endpoint,
  outer: AbortSignal,
  after: Clock["after"],
  work: (signal: AbortSignal, hear: () => void) => Promise<T>,
): Promise<T> {
  const silence = new AbortController();
  let hasBegun = false;
  const wait = () => after(endpoint.patience * 1_000, () => silence.abort());
  let calm = wait();
  const hear = () => {
    hasBegun = true;
    calm();
    calm = wait();
  };
  try {
    return await work(AbortSignal.any([outer, silence.signal]), hear);
  } catch (error) {
    if (silence.signal.aborted && !outer.aborted)
      throw new EndpointError("timeout", silentWords(endpoint, hasBegun), false, error);
    throw await inWords(endpoint, error);
  } finally {
    calm();
  }
}

function silentWords({ address, patience }: Endpoint, hasBegun: boolean): Said {
  const { host } = new URL(address);
  if (hasBegun) return { what: `${host} stopped in the middle: ${patience} s without a word.` };
  return {
    what: `${host} did not answer within ${patience} s.`,
    hint: "It may be busy, or no LLM. A slow model needs more patience.",
  };
}

async function inWords(endpoint: Endpoint, error: unknown): Promise<EndpointError> {
  const { code = "unexpected" } = error as { code?: string };
  if (code === "bad_option") return new EndpointError(code, badOption(error), true, error);
  const details = ((error as { details?: unknown }).details ?? {}) as Partial<ProviderErrorDetails>;
  const said = code === "network" ? await unreachable(endpoint) : wordsOf(endpoint, code, details, error);
  return Object.assign(new EndpointError(code, said, LASTING.has(code), error), { details });
}

const LASTING: ReadonlySet<string> = new Set(["auth", "network", "bad_request", "bad_response", "bad_option"]);

function wordsOf(
  { address, model, kind }: Endpoint,
  code: string,
  { kind: finer, status, used, limit, retryAfterMs }: Partial<ProviderErrorDetails>,
  error: unknown,
): Said {
  const detail = error instanceof Error ? error.message : String(error);
  const { host } = new URL(address);
  const title = KINDS[kind].title;
  switch (code) {
    case "auth":
      return { what: `${host} refused the key.`, hint: "Is it complete, and a key of this provider?", detail };
    case "rate_limited":
      if (finer === "quota" || finer === "billing")
        return { what: "The account behind this key has nothing left to spend.", detail };
      return {
        what: `${host} limits requests.`,
        hint: retryAfterMs ? `It wants ${Math.ceil(retryAfterMs / 1_000)} s of rest.` : "Try again later.",
        detail,
      };
    case "overloaded":
      return { what: `${host} is overloaded or broken${status ? ` (it answered ${status})` : ""}.`, detail };
    case "context_length":
    case "output_reserve":
      return {
        what: `The request is too long for ${model}${used && limit ? `: ${used} of ${limit} tokens` : ""}.`,
        detail,
      };
    case "content_filter":
      return { what: "The provider's filter refused the conversation.", detail };
    case "aborted":
      return { what: "Stopped." };
    case "bad_response":
      return {
        what: `${host} answers, but not as an LLM does (${title}).`,
        hint: hintOf(kind, address),
        detail,
      };
    default:
      if (status === 404 || status === 405) {
        const isModel = /model/i.test(detail);
        return {
          what: isModel ? `${host} has no model ${model}.` : `There is no LLM at ${address} (it answered ${status}).`,
          hint: isModel ? "Write the name as the provider does." : hintOf(kind, address),
          detail,
        };
      }
      return { what: `${host} did not accept the request.`, detail };
  }
}

function hintOf(kind: EndpointKind, address: string): string {
  const wanted = new URL(KINDS[kind].address).pathname;
  const { pathname } = new URL(address);
  if (pathname.replace(/\/$/, "").endsWith(wanted)) return "Is the kind of the provider right?";
  return `Addresses of this kind end in ${wanted}, as in ${KINDS[kind].address}.`;
}

/** Finds out why there was no connection: browsers do not tell a page. */
async function unreachable({ address, kind }: Endpoint): Promise<Said> {
  const { host, protocol, hostname } = new URL(address);
  const own = globalThis.location?.origin ?? "this page";
  const isLocal = /^(localhost|127\.|\[::1\])/.test(hostname);
  if (globalThis.location?.protocol === "https:" && protocol === "http:" && !isLocal)
    return {
      what: `A page of https may not ask ${host} over http.`,
      hint: "Use an https address, or run the playground on your own machine.",
    };
  const isThere = await fetch(address, { mode: "no-cors", signal: AbortSignal.timeout(PROBE_MS) }).then(
    () => true,
    () => false,
  );
  if (!isThere) {
    const hints = ["Is the address right, and are you online?"];
    if (kind === "ollama") hints.push("Is Ollama running?");
    if (isLocal) hints.push("If the browser asks whether this page may reach your own machine, allow it.");
    return { what: `Nothing answers at ${host}.`, hint: hints.join(" ") };
  }
  const hint =
    kind === "ollama"
      ? `Start it with OLLAMA_ORIGINS=${own} in its environment.`
      : `Its owner must allow the origin ${own}, or put a proxy before it that does.`;
  return { what: `${host} is there, but answers no other website's pages (no CORS).`, hint };
}
