/** `--llm openai:MODEL`: a model behind OpenAI's chat completions, or anything that speaks like it. */

import { EspalierError } from "../errors.ts";
import type { Llm } from "../types.ts";

const OPENAI = "https://api.openai.com/v1";

export function llmFrom(name: string, baseUrl: string | undefined, env: NodeJS.ProcessEnv): Llm {
  const [provider, ...rest] = name.split(":");
  const model = rest.join(":");
  if (provider !== "openai" || model === "") {
    throw new EspalierError({ code: "bad_option", message: `--llm is openai:MODEL, and is ${JSON.stringify(name)}`, path: "--llm" });
  }
  const key = env["OPENAI_API_KEY"];
  // A server of one's own often wants no key.
  if (!key && baseUrl === undefined) {
    throw new EspalierError({ code: "no_key", message: "--llm openai needs a key in OPENAI_API_KEY", path: "OPENAI_API_KEY" });
  }
  const url = `${(baseUrl ?? OPENAI).replace(/\/+$/, "")}/chat/completions`;
  return async ({ messages, temperature, maxTokens }, { signal }) => {
    const send = (limits: Record<string, unknown>) =>
      fetch(url, {
        method: "POST",
        signal,
        headers: { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) },
        body: JSON.stringify({ model, messages, ...limits }),
      });
    let response = await send({ temperature, max_tokens: maxTokens });
    // Newer models take neither a temperature nor max_tokens, and say so.
    if (response.status === 400 && /max_tokens|temperature/.test(await response.clone().text())) {
      response = await send({ max_completion_tokens: maxTokens });
    }
    const text = await response.text();
    if (!response.ok) throw new Error(`${url} answered ${response.status}: ${reason(text)}`);
    let body: { choices?: { message?: { content?: unknown }; finish_reason?: string }[]; usage?: Record<string, unknown> };
    try {
      body = JSON.parse(text);
    } catch (cause) {
      throw new Error(`${url} answered something that is not JSON: ${text.slice(0, 200)}`, { cause });
    }
    const choice = body.choices?.[0];
    if (!choice) throw new Error(`${url} answered without a choice: ${text.slice(0, 200)}`);
    return {
      text: typeof choice.message?.content === "string" ? choice.message.content : "",
      ...(body.usage && { usage: body.usage }),
      ...(choice.finish_reason && { finishReason: choice.finish_reason }),
    };
  };
}

/** The sentence in an error body, or its beginning. */
function reason(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: string } | string };
    const message = typeof error === "string" ? error : error?.message;
    if (message) return message;
  } catch {
    // Not JSON: shown as it is.
  }
  return text.trim().slice(0, 300) || "(no body)";
}
