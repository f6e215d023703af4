/** The providers whose rules are known. */

import type { Provider } from "../types/validity.ts";

export const PROVIDERS: readonly Provider[] = ["openai-chat", "openai-responses", "anthropic", "gemini", "vscode"];
