/** Gemini's generateContent and streamGenerateContent. */

import { event, list, pieces } from "./common.mjs";

const FINISH = { stop: "STOP", tool_calls: "STOP", length: "MAX_TOKENS", content_filter: "SAFETY", refusal: "STOP" };
const usageOf = ({ input, cacheRead = 0, output, reasoning = 0 }) => ({
  promptTokenCount: input + cacheRead,
  candidatesTokenCount: output - reasoning,
  totalTokenCount: input + cacheRead + output,
  ...(cacheRead > 0 && { cachedContentTokenCount: cacheRead }),
  ...(reasoning > 0 && { thoughtsTokenCount: reasoning }),
  promptTokensDetails: [{ modality: "TEXT", tokenCount: input + cacheRead }],
});
const HEAD = { modelVersion: "test", responseId: "resp-1" };
const callPart = ({ id, name, input }, at) => ({
  functionCall: { ...(id && { id }), name, args: input },
  ...(at === 0 && { thoughtSignature: "c2ln" }),
});

export const gemini = {
  name: "gemini",
  matches: (path) => /:(stream)?generateContent$/i.test(path),
  isStream: (request) => /:streamGenerateContent/.test(request.url),
  key: (headers) => headers["x-goog-api-key"] ?? "",

  body({ text, refusal, reasoning, calls, finish, usage, blocked }) {
    const metadata = usage && { usageMetadata: usageOf(usage) };
    if (blocked) return { promptFeedback: { blockReason: blocked, safetyRatings: [] }, ...metadata, ...HEAD };
    const parts = [
      ...(reasoning ? [{ text: reasoning, thought: true }] : []),
      ...(text || refusal ? [{ text: refusal ?? text }] : []),
      ...calls.map(callPart),
    ];
    return {
      candidates: [{ content: { parts, role: "model" }, finishReason: FINISH[finish] ?? finish, index: 0 }],
      ...metadata,
      ...HEAD,
    };
  },

  events(answer) {
    const { text, refusal, reasoning, calls, finish, usage, blocked } = answer;
    if (blocked) return [event(gemini.body(answer))];
    const parts = [
      ...pieces(reasoning ?? "").map((piece) => ({ text: piece, thought: true })),
      ...pieces(refusal ?? text).map((piece) => ({ text: piece })),
      ...calls.map(callPart),
    ];
    const soFar = usage && {
      usageMetadata: {
        promptTokenCount: usage.input + (usage.cacheRead ?? 0),
        totalTokenCount: usage.input + (usage.cacheRead ?? 0),
      },
    };
    const chunks = parts.map((part) =>
      event({ candidates: [{ content: { parts: [part], role: "model" }, index: 0 }], ...soFar, ...HEAD }),
    );
    const last = event({
      candidates: [
        { content: { parts: [{ text: "" }], role: "model" }, finishReason: FINISH[finish] ?? finish, index: 0 },
      ],
      ...(usage && { usageMetadata: usageOf(usage) }),
      ...HEAD,
    });
    return [...chunks, last].map((chunk) => chunk.replaceAll("\n", "\r\n"));
  },

  error: ({ status = 400, message, code = "INVALID_ARGUMENT", details }) => ({
    error: { code: status, message, status: code, ...(details && { details }) },
  }),
  errorEvents: (error) => [event(gemini.error({ status: 503, code: "UNAVAILABLE", ...error }))],

  check(body) {
    const bad = (message) => ({ status: 400, message });
    if (!Array.isArray(body.contents) || body.contents.length === 0)
      return bad("* GenerateContentRequest.contents: contents is not specified\n");
    if ("model" in body && body.model.includes("system")) return bad("unknown field");
    let open = 0;
    for (const [at, { role, parts }] of body.contents.entries()) {
      if (role !== undefined && role !== "user" && role !== "model")
        return bad("Please use a valid role: user, model.");
      if (list(parts).length === 0)
        return bad(`* GenerateContentRequest.contents[${at}].parts: contents.parts must not be empty.\n`);
      const responses = parts.filter((part) => part.functionResponse).length;
      const calls = parts.filter((part) => part.functionCall).length;
      if (responses > 0 && open === 0)
        return bad("Please ensure that function response turn comes immediately after a function call turn.");
      if (responses !== open)
        return bad(
          "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
        );
      if (calls > 0 && body.contents[at - 1]?.role !== "user")
        return bad(
          "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
        );
      open = calls;
      const known = [
        "text",
        "thought",
        "thoughtSignature",
        "inlineData",
        "fileData",
        "functionCall",
        "functionResponse",
        "executableCode",
        "codeExecutionResult",
        "videoMetadata",
      ];
      const odd = parts.flatMap(Object.keys).find((name) => !known.includes(name));
      if (odd)
        return bad(
          `Invalid JSON payload received. Unknown name "${odd}" at 'contents[${at}].parts[0]': Cannot find field.`,
        );
    }
    if (body.contents.at(-1).role === "model")
      return bad("Please ensure that single turn requests end with a user role or the role field is empty.");
    return undefined;
  },
};
