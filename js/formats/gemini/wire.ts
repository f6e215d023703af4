/** Where requests of Gemini's generateContent go, and how. */

import type { Wire } from "../../providers/wire.ts";
import { fold, read } from "./answers.ts";
import { toGemini } from "./request.ts";

export const geminiWire: Wire = {
  name: "gemini",
  format: "gemini",
  noTools: { toolConfig: { functionCallingConfig: { mode: "NONE" } } },
  baseUrl: "https://generativelanguage.googleapis.com/v1beta",
  path(model, stream) {
    // "models/x" and "tunedModels/x" are valid names, too.
    const name = (model.includes("/") ? model : `models/${model}`).split("/").map(encodeURIComponent).join("/");
    return stream ? `${name}:streamGenerateContent?alt=sse` : `${name}:generateContent`;
  },
  // A key in the address would end up in logs.
  headers: (key) => ({ "x-goog-api-key": key }),
  write: toGemini,
  body: (request) => request,
  read,
  fold,
};
