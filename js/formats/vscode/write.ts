/** Requests of VS Code's language models. */

import { EspalierError } from "../../errors/errors.ts";
import { parsedArguments } from "../parts.ts";
import { genuine, hostClasses } from "../index.ts";
import type { VSCodeClasses } from "../index.ts";
import type { ProviderRequest } from "../../providers/types.ts";
import { isFields } from "../values.ts";
import { writeTools } from "../turns.ts";
import type { Conversation, Media, Text } from "../turns.ts";
import { append } from "../append.ts";

/** As much of the module `vscode` as is used. */
export interface VscodeApi {
  LanguageModelChatMessage: new (role: number, content: never, name?: string) => object;
  LanguageModelTextPart: new (value: string) => object;
  LanguageModelToolCallPart: new (callId: string, name: string, input: object) => object;
  LanguageModelToolResultPart: new (callId: string, content: never) => object;
  /** Since VS Code 1.106; without it pictures are lost. */
  LanguageModelDataPart?: new (
    data: Uint8Array,
    mimeType: string,
  ) => object;
}

const [USER, ASSISTANT] = [1, 2];

export function toVscode(
  conversation: Conversation,
  api: VscodeApi | undefined,
  justification: string | undefined,
): ProviderRequest {
  const { native, options } = conversation;
  const given: Record<string, unknown> = native && "request" in native ? native.request : {};
  const own = native && ("list" in native ? native.list : (given["messages"] as readonly unknown[]));
  // What went through JSON has lost its classes.
  const list = own
    ? genuine(own, (api as unknown as VSCodeClasses | undefined) ?? hostClasses())
    : written(conversation, needed(api));
  const system =
    options.system === undefined
      ? []
      : [make(needed(api), USER, [new (needed(api).LanguageModelTextPart)(options.system)])];
  const tools = writeTools(
    conversation,
    (tool) =>
      typeof tool["name"] === "string" &&
      !("function" in tool) &&
      !("type" in tool) &&
      !("input_schema" in tool) &&
      !("parameters" in tool),
    (tool, inputSchema) => ({
      name: tool.name,
      description: tool.description ?? "",
      inputSchema,
    }),
  );
  const before = isFields(given["options"]) ? given["options"] : {};
  const modelOptions = {
    ...(isFields(before["modelOptions"]) && before["modelOptions"]),
    ...(options.maxTokens !== undefined && { max_tokens: options.maxTokens }),
    ...(options.temperature !== undefined && { temperature: options.temperature }),
  };
  return {
    messages: system.length === 0 ? list : [...system, ...list],
    options: {
      ...before,
      ...(justification !== undefined && { justification }),
      ...(tools.length > 0 && { tools }),
      ...(Object.keys(modelOptions).length > 0 && { modelOptions }),
      ...options.extra,
    },
  };
}

function needed(api: VscodeApi | undefined): VscodeApi {
  const found = api ?? (hostClasses() as unknown as VscodeApi | undefined);
  if (found) return found;
  const message =
    "options.api must be the module vscode: VS Code takes messages of its own classes only, and these have to be made";
  throw new EspalierError({ code: "bad_option", message, path: "options.api" });
}

function make(api: VscodeApi, role: number, content: object[]): object {
  return new api.LanguageModelChatMessage(role, content as never);
}

function written({ turns, tell }: Conversation, api: VscodeApi): object[] {
  const out: object[] = [];
  // Results of one round stand in one message, in front of the words of the same user.
  let open: { content: object[] } | undefined;
  const close = () => {
    if (open) out.push(make(api, USER, open.content));
    open = undefined;
  };
  const part = (item: Text | Media): object[] => {
    if (item.type === "text") return [new api.LanguageModelTextPart(item.text)];
    if (api.LanguageModelDataPart && item.base64 !== undefined)
      return [new api.LanguageModelDataPart(bytes(item.base64), item.mediaType)];
    tell({
      type: "lost",
      what: item.type,
      path: "messages",
      why: item.base64 === undefined ? "VS Code takes no addresses" : "this VS Code takes no data",
    });
    return [];
  };
  for (const turn of turns) {
    if (turn.role === "tool") {
      open ??= { content: [] };
      append(
        open.content,
        turn.results.map(({ id, content }) => new api.LanguageModelToolResultPart(id, content.flatMap(part) as never)),
      );
    } else {
      const role = turn.role === "assistant" ? ASSISTANT : USER;
      const content = turn.content.flatMap((item) =>
        item.type === "call"
          ? [new api.LanguageModelToolCallPart(item.id, item.name, parsedArguments(item.arguments) as object)]
          : part(item),
      );
      if (content.length === 0) continue;
      // Words right behind results are of the same message; other messages stay as many as they were.
      if (role === USER && open) {
        append(open.content, content);
        close();
      } else {
        close();
        out.push(make(api, role, content));
      }
    }
  }
  close();
  return out;
}

function bytes(base64: string): Uint8Array {
  let raw: string;
  try {
    raw = atob(base64);
  } catch {
    return new TextEncoder().encode(base64);
  }
  return Uint8Array.from(raw, (unit) => unit.charCodeAt(0));
}
