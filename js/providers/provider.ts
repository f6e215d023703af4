/**
 * What all providers have in common: options checked, a conversation turned into a request, an answer gathered from its
 * pieces.
 */

import { EspalierError } from "../errors/errors.ts";
import type { Format } from "../types/messages.ts";
import type { Llm } from "../types/llm.ts";
import { address, ask } from "./http.ts";
import { checkRules } from "./refusals.ts";
import type {
  Answer,
  HttpOptions,
  Provider,
  ProviderEvent,
  ProviderRequest,
  RequestOptions,
  SendOptions,
  StreamPart,
} from "./types.ts";
import type { Wire } from "./wire.ts";
import { conversation } from "../formats/request.ts";
import type { Conversation } from "../formats/request.ts";
import { known } from "../options/known.ts";
import { HTTP, SEND, TO_REQUEST } from "../options/names/providers.ts";

/** A provider, from how it writes requests and how it is asked. */
export function provider(
  about: {
    name: string;
    format: Format;
    model: string;
    maxTokens?: number | undefined;
    onEvent?: ((event: ProviderEvent) => void) | undefined;
    /** How the provider is told that no tool may be called. */
    noTools?: ProviderRequest | undefined;
  },
  write: (conversation: Conversation) => ProviderRequest,
  pieces: (request: ProviderRequest, options: SendOptions) => AsyncGenerator<StreamPart, void, void>,
  isOwn?: (list: readonly unknown[]) => boolean,
): Provider {
  const { name, format, model, maxTokens, onEvent, noTools } = about;
  const toRequest = (messages: unknown, options: RequestOptions = {}): ProviderRequest => {
    known(options, TO_REQUEST);
    if (options.maxTokens !== undefined && !(Number.isSafeInteger(options.maxTokens) && options.maxTokens > 0))
      throw badOption("options.maxTokens", "a whole number above 0");
    if (options.temperature !== undefined && !Number.isFinite(options.temperature))
      throw badOption("options.temperature", "a number");
    if (options.system !== undefined && typeof options.system !== "string") throw badOption("options.system", "a text");
    const most = options.maxTokens ?? maxTokens;
    const all = { ...options, ...(most !== undefined && { maxTokens: most }) };
    return write(conversation(messages, format, model, all, (event) => onEvent?.(event), isOwn));
  };
  const stream = (request: ProviderRequest, options: SendOptions = {}) => {
    known(options, SEND);
    for (const name of ["onText", "onPart", "onEvent"] as const)
      if (options[name] !== undefined && typeof options[name] !== "function")
        throw badOption(`options.${name}`, "a function");
    if (options.signal !== undefined && typeof options.signal?.addEventListener !== "function")
      throw badOption("options.signal", "an AbortSignal");
    if (typeof request !== "object" || request === null || Array.isArray(request))
      throw new EspalierError({ code: "bad_input", message: "request must be what toRequest gives", path: "request" });
    return pieces(request, { stream: true, ...options });
  };
  const send = async (request: ProviderRequest, options: SendOptions = {}): Promise<Answer> => {
    const { onText, onPart } = options ?? {};
    const wanted = options?.stream ?? (onText !== undefined || onPart !== undefined);
    for await (const part of stream(request, options && { ...options, stream: wanted })) {
      onPart?.(part);
      if (part.type === "text") onText?.(part.text);
      if (part.type === "done") return part.answer;
    }
    throw new EspalierError({ code: "bad_response", message: `${name} gave no answer` });
  };
  const llm: Llm = async ({ messages, request, tools, params, format: given }, { signal }) => {
    const { maxTokens, temperature, toolChoice } = params ?? {};
    const asked = toRequest(request ?? messages, {
      format: given,
      ...(tools && { tools }),
      ...(maxTokens !== undefined && { maxTokens }),
      ...(temperature !== undefined && { temperature }),
      ...(tools && toolChoice === "none" && noTools && { extra: noTools }),
    });
    const { text, finish, usage, requestId } = await send(asked, { signal });
    return {
      text,
      finishReason: finish,
      ...(usage && { usage: { ...usage } }),
      ...(requestId !== undefined && { requestId }),
    };
  };
  return { name, format, model, toRequest, send, stream, llm };
}

/** A provider behind HTTP. */
export function httpProvider(
  wire: Wire,
  options: HttpOptions,
  write: (conversation: Conversation) => ProviderRequest,
): Provider {
  known(options, HTTP);
  const { model, apiKey, baseUrl, maxTokens, onEvent } = options;
  if (typeof model !== "string" || model === "") throw badOption("options.model", "the name of a model");
  if (apiKey !== undefined && typeof apiKey !== "string" && typeof apiKey !== "function")
    throw badOption("options.apiKey", "a text or a function");
  if (maxTokens !== undefined && !(Number.isSafeInteger(maxTokens) && maxTokens > 0))
    throw badOption("options.maxTokens", "a whole number above 0");
  if (options.fetch !== undefined && typeof options.fetch !== "function")
    throw badOption("options.fetch", "a function");
  checkRules(options.refusals);
  address(baseUrl ?? wire.baseUrl);
  try {
    new Headers(options.headers ?? {});
  } catch {
    throw badOption("options.headers", "names and values that can be headers");
  }
  return provider(
    { name: wire.name, format: wire.format, model, maxTokens, onEvent, noTools: wire.noTools },
    write,
    (request, how) => ask(wire, options, request, how),
  );
}

/** The value is not shown: it might be the key in the wrong place. */
function badOption(path: string, wanted: string): EspalierError {
  return new EspalierError({ code: "bad_option", message: `${path} must be ${wanted}`, path });
}
