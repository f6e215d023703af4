/** Pictures, documents and recordings in every form that the formats have for them. */

import type { Format } from "../../../js/types/messages.ts";
import {
  LanguageModelChatMessage,
  LanguageModelDataPart,
  LanguageModelTextPart,
  LanguageModelToolCallPart,
  LanguageModelToolResultPart,
} from "./samples.ts";

/** A PNG of 1,600 x 1,200, as far as anybody reads it. */
export const PNG = header(1_600, 1_200);
export const PDF = Buffer.from(
  `%PDF-1.4\n2 0 obj << /Type /Pages /Kids [] /Count 3 >> endobj\n${"x".repeat(300)}\ntrailer << /Root 1 0 R >>`,
);
/** A second of uncompressed speech. */
export const WAV = Buffer.alloc(31_998, "RIFF-WAVE");
const REMOTE = "https://example.com/a";

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const dataUrl = (bytes: Uint8Array, type: string) => `data:${type};base64,${base64(bytes)}`;

type Item = object;
const given = (part: Item | undefined) => (part ? [part] : []);

/** How a format says what the user shows, what a tool shows, and what the assistant answers. */
export interface Shown {
  format: Format;
  parts: Record<string, Item>;
  /** Without a part it is words alone. */
  user(part?: Item): object;
  assistant(text: string): object;
  /** A call and its result. */
  tool?(id: string, part: Item): object[];
}

const chat: Shown = {
  format: "openai-chat",
  parts: {
    png: { type: "image_url", image_url: { url: dataUrl(PNG, "image/png") } },
    low: { type: "image_url", image_url: { url: dataUrl(PNG, "image/png"), detail: "low" } },
    upper: { type: "image_url", image_url: { url: `DATA:IMAGE/PNG;BASE64,${base64(PNG)}` } },
    remote: { type: "image_url", image_url: { url: REMOTE } },
    pdf: { type: "file", file: { filename: "a.pdf", file_data: dataUrl(PDF, "application/pdf") } },
    id: { type: "file", file: { file_id: "file-1" } },
    audio: { type: "input_audio", input_audio: { data: base64(WAV), format: "wav" } },
  },
  user: (part) => ({ role: "user", content: [{ type: "text", text: "Look." }, ...given(part)] }),
  assistant: (content) => ({ role: "assistant", content }),
};

const responses: Shown = {
  format: "openai-responses",
  parts: {
    png: { type: "input_image", image_url: dataUrl(PNG, "image/png"), detail: "auto" },
    remote: { type: "input_image", image_url: REMOTE, detail: "high" },
    "image id": { type: "input_image", file_id: "file-1", detail: "auto" },
    pdf: { type: "input_file", filename: "a.pdf", file_data: dataUrl(PDF, "application/pdf") },
    "remote pdf": { type: "input_file", file_url: `${REMOTE}.pdf` },
    id: { type: "input_file", file_id: "file-1" },
  },
  user: (part) => ({ role: "user", content: [{ type: "input_text", text: "Look." }, ...given(part)] }),
  assistant: (text) => ({ type: "message", role: "assistant", content: [{ type: "output_text", text }] }),
  tool: (id, part) => [
    { type: "function_call", call_id: id, name: "look", arguments: "{}" },
    { type: "function_call_output", call_id: id, output: [{ type: "input_text", text: "Seen:" }, part] },
  ],
};

const anthropic: Shown = {
  format: "anthropic",
  parts: {
    png: { type: "image", source: { type: "base64", media_type: "image/png", data: base64(PNG) } },
    remote: { type: "image", source: { type: "url", url: REMOTE } },
    "image id": { type: "image", source: { type: "file", file_id: "file_1" } },
    pdf: { type: "document", source: { type: "base64", media_type: "application/pdf", data: base64(PDF) } },
    "remote pdf": { type: "document", source: { type: "url", url: `${REMOTE}.pdf` } },
    id: { type: "document", source: { type: "file", file_id: "file_1" } },
    text: {
      type: "document",
      source: { type: "text", media_type: "text/plain", data: "Grass is green." },
      citations: { enabled: true },
    },
  },
  user: (part) => ({ role: "user", content: [{ type: "text", text: "Look." }, ...given(part)] }),
  assistant: (content) => ({ role: "assistant", content }),
  tool: (id, part) => [
    { role: "assistant", content: [{ type: "tool_use", id, name: "look", input: {} }] },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content: [{ type: "text", text: "Seen:" }, part] }],
    },
  ],
};

const gemini: Shown = {
  format: "gemini",
  parts: {
    png: { inlineData: { mimeType: "image/png", data: base64(PNG) } },
    snake: { inline_data: { mime_type: "image/png", data: base64(PNG) } },
    remote: { fileData: { mimeType: "image/png", fileUri: REMOTE } },
    pdf: { inlineData: { mimeType: "application/pdf", data: base64(PDF) } },
    film: { fileData: { fileUri: "https://www.youtube.com/watch?v=a" }, videoMetadata: { startOffset: "1s" } },
    audio: { inlineData: { mimeType: "audio/wav", data: base64(WAV) } },
  },
  user: (part) => ({ role: "user", parts: [{ text: "Look." }, ...given(part)] }),
  assistant: (text) => ({ role: "model", parts: [{ text }] }),
  tool: (id, part) => [
    { role: "model", parts: [{ functionCall: { id, name: "look", args: {} } }] },
    { role: "user", parts: [{ functionResponse: { id, name: "look", response: { output: "Seen:" }, parts: [part] } }] },
  ],
};

const aiSdk: Shown = {
  format: "ai-sdk",
  parts: {
    png: { type: "image", image: base64(PNG), mediaType: "image/png" },
    bytes: { type: "image", image: new Uint8Array(PNG) },
    low: { type: "image", image: base64(PNG), providerOptions: { openai: { imageDetail: "low" } } },
    buffer: { type: "file", data: new Uint8Array(PNG).buffer, mediaType: "image/png" },
    top: { type: "file", data: { type: "data", data: new Uint8Array(PNG) }, mediaType: "image" },
    url: { type: "image", image: new URL(REMOTE) },
    "image id": { type: "file", data: { type: "reference", reference: { openai: "file-1" } }, mediaType: "image/png" },
    pdf: { type: "file", data: base64(PDF), mediaType: "application/pdf" },
    "pdf bytes": { type: "file", data: new Uint8Array(PDF), mediaType: "application/pdf" },
    "remote pdf": { type: "file", data: new URL(`${REMOTE}.pdf`), mediaType: "application/pdf", filename: "a.pdf" },
    audio: { type: "file", data: new Uint8Array(WAV), mediaType: "audio/wav" },
  },
  user: (part) => ({ role: "user", content: [{ type: "text", text: "Look." }, ...given(part)] }),
  assistant: (content) => ({ role: "assistant", content }),
  tool: (toolCallId, part) => {
    const value = [
      { type: "text", text: "Seen:" },
      { ...part, type: "file" },
    ];
    const answer = { type: "tool-result", toolCallId, toolName: "look", output: { type: "content", value } };
    return [
      { role: "assistant", content: [{ type: "tool-call", toolCallId, toolName: "look", input: {} }] },
      { role: "tool", content: [answer] },
    ];
  },
};

let uiMessages = 0;
const aiSdkUi: Shown = {
  format: "ai-sdk",
  parts: {
    png: { type: "file", mediaType: "image/png", url: dataUrl(PNG, "image/png") },
    remote: { type: "file", mediaType: "image/png", url: REMOTE },
    pdf: { type: "file", mediaType: "application/pdf", url: dataUrl(PDF, "application/pdf"), filename: "a.pdf" },
  },
  user: (part) => ({ id: `u${uiMessages++}`, role: "user", parts: [{ type: "text", text: "Look." }, ...given(part)] }),
  assistant: (text) => ({ id: `a${uiMessages++}`, role: "assistant", parts: [{ type: "text", text }] }),
};

const langchain: Shown = {
  format: "langchain",
  parts: {
    png: { type: "image", source_type: "base64", mime_type: "image/png", data: base64(PNG) },
    bytes: { type: "image", mimeType: "image/png", data: new Uint8Array(PNG) },
    url: { type: "image", source_type: "url", url: REMOTE },
    "image id": { type: "image", source_type: "id", id: "file-1" },
    media: { type: "media", mimeType: "image/png", data: base64(PNG) },
    pdf: { type: "file", source_type: "base64", mime_type: "application/pdf", data: base64(PDF) },
    "pdf bytes": { type: "file", mimeType: "application/pdf", data: new Uint8Array(PDF) },
    native: { type: "file", file: { file_data: dataUrl(PDF, "application/pdf") } },
    id: { type: "file", fileId: "file-1" },
    audio: { type: "audio", mimeType: "audio/wav", data: new Uint8Array(WAV) },
  },
  user: (part) => ({ type: "human", content: [{ type: "text", text: "Look." }, ...given(part)] }),
  assistant: (content) => ({ type: "ai", content }),
  tool: (id, part) => [
    { type: "ai", content: "", tool_calls: [{ type: "tool_call", id, name: "look", args: {} }] },
    { type: "tool", tool_call_id: id, content: [{ type: "text", text: "Seen:" }, part] },
  ],
};

const agents: Shown = {
  format: "openai-agents",
  parts: {
    png: { type: "input_image", image: dataUrl(PNG, "image/png"), detail: "auto" },
    bytes: { type: "image", image: { data: new Uint8Array(PNG), mediaType: "image/png" } },
    remote: { type: "input_image", image: REMOTE },
    "image id": { type: "input_image", image: { id: "file-1" } },
    pdf: { type: "input_file", file: dataUrl(PDF, "application/pdf"), filename: "a.pdf" },
    "pdf bytes": { type: "file", file: { data: new Uint8Array(PDF), mediaType: "application/pdf", filename: "a" } },
    "remote pdf": { type: "input_file", file: { url: `${REMOTE}.pdf` } },
    id: { type: "input_file", file: { id: "file-1" } },
    audio: { type: "audio", audio: base64(WAV), format: "wav" },
  },
  user: (part) => ({ type: "message", role: "user", content: [{ type: "input_text", text: "Look." }, ...given(part)] }),
  assistant: (text) => ({
    type: "message",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text }],
  }),
  tool: (callId, part) => [
    { type: "function_call", callId, name: "look", arguments: "{}", status: "completed" },
    {
      type: "function_call_result",
      callId,
      name: "look",
      status: "completed",
      output: [{ type: "input_text", text: "Seen:" }, part],
    },
  ],
};

const vscode: Shown = {
  format: "vscode",
  parts: {
    png: new LanguageModelDataPart(new Uint8Array(PNG), "image/png"),
    "pdf bytes": new LanguageModelDataPart(new Uint8Array(PDF), "application/pdf"),
    audio: new LanguageModelDataPart(new Uint8Array(WAV), "audio/wav"),
  },
  user: (part) => new LanguageModelChatMessage(1, [new LanguageModelTextPart("Look."), ...given(part)]),
  assistant: (text) => new LanguageModelChatMessage(2, text),
  tool: (id, part) => [
    new LanguageModelChatMessage(2, [new LanguageModelToolCallPart(id, "look", {})]),
    new LanguageModelChatMessage(1, [new LanguageModelToolResultPart(id, [new LanguageModelTextPart("Seen:"), part])]),
  ],
};

export const shown: readonly Shown[] = [chat, responses, anthropic, gemini, aiSdk, aiSdkUi, langchain, agents, vscode];

/** Returns the header of a PNG. */
function header(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(33);
  bytes.write("\x89PNG\r\n\x1a\n", 0, "latin1");
  bytes.writeUInt32BE(13, 8);
  bytes.write("IHDR", 12);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}
