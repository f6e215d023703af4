/** The providers whose rules are known. */

import type { Format } from "../types/messages.ts";
import type { ProviderName } from "../types/validity.ts";

export const PROVIDERS: readonly ProviderName[] = ["openai-chat", "openai-responses", "anthropic", "gemini", "vscode"];

/** Returns the receiver of messages. Neutral ones and those of the AI SDK have none until the host names it. */
export function providerOf(format: Format, given: ProviderName | undefined): ProviderName | undefined {
  return given ?? PROVIDERS.find((provider) => provider === format);
}
