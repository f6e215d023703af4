/** Requests of VS Code's language models. */

import { EspalierError } from "../../errors/errors.ts";
import type { ProviderRequest } from "../../providers/types.ts";
import { append } from "../append.ts";
import { genuine, hostClasses } from "../index.ts";
import type { VSCodeClasses } from "../index.ts";
import { writeTools, writeTurns } from "../request.ts";
import type { Conversation } from "../request.ts";
import type { Turn } from "../turns.ts";
import { isFields } from "../values.ts";
import { writeTool } from "./tools.ts";
import * as writer from "./write.ts";

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

export function toVscode(
  conversation: Conversation,
  api: VscodeApi | undefined,
  justification: string | undefined,
): ProviderRequest {
  const { native, options } = conversation;
  const given: Record<string, unknown> = native && "request" in native ? native.request : {};
  const own = native && ("list" in native ? native.list : (given["messages"] as readonly unknown[]));
  const { system: text } = options;
  const system: Turn[] =
    text === undefined ? [] : [{ role: "system", parts: [{ type: "text", text }], isMarked: false, id: "system" }];
  // Messages that went through JSON have lost their classes.
  const list = own
    ? genuine(own, (api as unknown as VSCodeClasses | undefined) ?? hostClasses())
    : written(conversation.turns, conversation, needed(api));
  const tools = writeTools(
    conversation,
    (tool) =>
      typeof tool["name"] === "string" &&
      !("function" in tool) &&
      !("type" in tool) &&
      !("input_schema" in tool) &&
      !("parameters" in tool),
    writeTool,
  );
  const before = isFields(given["options"]) ? given["options"] : {};
  const modelOptions = {
    ...(isFields(before["modelOptions"]) && before["modelOptions"]),
    ...(options.maxTokens !== undefined && { max_tokens: options.maxTokens }),
    ...(options.temperature !== undefined && { temperature: options.temperature }),
  };
  return {
    messages: system.length === 0 ? list : [...written(system, conversation, needed(api)), ...list],
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

/** Writes turns as instances of the module's classes. Texts right behind results are in the results' message. */
function written(turns: readonly Turn[], { tell }: Conversation, api: VscodeApi): object[] {
  const list = [oneOfEach(api)];
  const out: { content: object[] }[] = [];
  let hasResults = false;
  for (const turn of turns) {
    const [message] = writeTurns(writer, [turn], tell, { list }) as { role: number; content: object[] }[];
    if (!message) continue;
    if (hasResults && message.role === writer.USER) append(out.at(-1)!.content, message.content);
    else out.push(message);
    hasResults = turn.role === "tool";
  }
  return out;
}

/** A message with a part of every class, for the writer to make others like it. */
function oneOfEach(api: VscodeApi): object {
  const parts = [
    new api.LanguageModelTextPart(""),
    new api.LanguageModelToolCallPart("", "", {}),
    new api.LanguageModelToolResultPart("", [] as never),
    ...(api.LanguageModelDataPart ? [new api.LanguageModelDataPart(new Uint8Array(), "")] : []),
  ];
  return new api.LanguageModelChatMessage(writer.USER, parts as never);
}
