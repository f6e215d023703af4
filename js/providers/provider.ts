/**
 * The common part of all providers: checks options, converts a conversation to a request, assembles an answer from its
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
  ToRequestOptions,
  SendOptions,
  StreamPart,
} from "./types.ts";
import type { Wire } from "./wire.ts";
import { conversation } from "../formats/request.ts";
import type { Conversation } from "../formats/request.ts";
import { check } from "../options/check.ts";
import { HTTP, SEND, TO_REQUEST } from "../options/schemas/providers.ts";
import { outputLimitOf } from "../tokens/output-limits.ts";

/** Makes a provider from functions that write and send its requests. */
export function provider(
  about: {
    name: string;
    format: Format;
    model: string;
    maxTokens?: number | undefined;
    onEvent?: ((event: ProviderEvent) => void) | undefined;
    /** Fields that tell the provider to call no tool. */
    noTools?: ProviderRequest | undefined;
  },
  write: (conversation: Conversation) => ProviderRequest,
  pieces: (request: ProviderRequest, options: SendOptions) => AsyncGenerator<StreamPart, void, void>,
  isOwn?: (list: readonly unknown[]) => boolean,
): Provider {
  const { name, format, model, maxTokens, onEvent, noTools } = about;
  const toRequest = (messages: unknown, options: ToRequestOptions = {}): ProviderRequest => {
    check(options, TO_REQUEST);
    const most = options.maxTokens ?? maxTokens;
    const all = { ...options, ...(most !== undefined && { maxTokens: most }) };
    return write(conversation(messages, format, model, all, (event) => onEvent?.(event), isOwn));
  };
  const stream = (request: ProviderRequest, options: SendOptions = {}) => {
    check(options, SEND);
    if (typeof request !== "object" || request === null || Array.isArray(request))
      throw new EspalierError({ code: "bad_input", message: "request must be a result of toRequest", path: "request" });
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
    throw new EspalierError({ code: "bad_response", message: `${name} returned no answer` });
  };
  const llm: Llm = async ({ messages, request, tools, params, format: given }, { signal }) => {
    const { maxTokens: wanted, temperature, toolChoice } = params ?? {};
    // Providers refuse a request for more than the model can write.
    const maxTokens = wanted && Math.min(wanted, outputLimitOf(model)?.tokens ?? Infinity);
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

/** Makes a provider over HTTP. */
export function httpProvider(wire: Wire, options: HttpOptions): Provider {
  check(options, HTTP, "options", unseen);
  const { model, baseUrl, maxTokens, onEvent } = options;
  checkRules(options.refusals);
  address(baseUrl ?? wire.baseUrl);
  return provider(
    { name: wire.name, format: wire.format, model, maxTokens, onEvent, noTools: wire.noTools },
    wire.write,
    (request, how) => ask(wire, options, request, how),
  );
}

/** Makes an error that does not show the value: it might be a misplaced key. */
function unseen(path: string, wanted: string): EspalierError {
  return new EspalierError({ code: "bad_option", message: `${path} must be ${wanted}`, path });
}
