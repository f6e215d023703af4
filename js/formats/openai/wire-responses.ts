/** Where requests of OpenAI's Responses go, and how. */

import { Lessons } from "../../providers/lessons.ts";
import type { Wire } from "../../providers/wire.ts";
import { fold, read } from "./answers-responses.ts";
import { toOpenaiResponses } from "./request-responses.ts";

export function responsesWire(): Wire {
  const lessons = new Lessons("temperature");
  return {
    name: "openai",
    format: "openai-responses",
    noTools: { tool_choice: "none" },
    baseUrl: "https://api.openai.com/v1",
    path: () => "responses",
    headers: (key) => ({ authorization: key && `Bearer ${key}` }),
    write: toOpenaiResponses,
    body: (request, stream) => lessons.apply(stream ? { ...request, stream: true } : request),
    learn: (sentence, sent) => lessons.learn(sentence, sent),
    read,
    fold,
  };
}
