/** `--llm PROVIDER:MODEL`: a model of one of the providers, or of a compatible server. */

import { EspalierError } from "../errors/errors.ts";
import { anthropic, gemini, openai, openaiResponses } from "../providers/index.ts";
import type { HttpOptions, Provider } from "../providers/index.ts";
import type { Llm } from "../types/llm.ts";

/** The providers, and the environment variables of their keys. */
const PROVIDERS: Readonly<Record<string, { make: (options: HttpOptions) => Provider; keys: readonly string[] }>> = {
  openai: { make: openai, keys: ["OPENAI_API_KEY"] },
  "openai-responses": { make: openaiResponses, keys: ["OPENAI_API_KEY"] },
  anthropic: { make: anthropic, keys: ["ANTHROPIC_API_KEY"] },
  gemini: { make: gemini, keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"] },
};

export function llmFrom(name: string, baseUrl: string | undefined, env: NodeJS.ProcessEnv): Llm {
  const [provider = "", ...rest] = name.split(":");
  const model = rest.join(":");
  const found = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider] : undefined;
  if (!found || model === "") {
    const known = Object.keys(PROVIDERS)
      .map((provider) => `${provider}:MODEL`)
      .join(", ");
    throw new EspalierError({
      code: "bad_option",
      message: `--llm must be one of ${known}, and is ${JSON.stringify(name)}`,
      path: "--llm",
    });
  }
  const { make, keys } = found;
  const apiKey = keys.map((key) => env[key]).find((key) => key);
  // A server of the user's own often needs no key.
  if (!apiKey && baseUrl === undefined) {
    throw new EspalierError({
      code: "no_key",
      message: `--llm ${provider} needs a key in ${keys.join(" or ")}`,
      path: keys[0]!,
    });
  }
  return make({ model, ...(apiKey && { apiKey }), ...(baseUrl !== undefined && { baseUrl }) }).llm;
}
