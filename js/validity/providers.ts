/** The providers whose rules are known. */

import type { ProviderName } from "../types/validity.ts";

export const PROVIDERS: readonly ProviderName[] = ["openai-chat", "openai-responses", "anthropic", "gemini", "vscode"];
