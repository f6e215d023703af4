/** The kinds of endpoints, as the form shows them. The code that asks them is the worker's. */

export type EndpointKind = "openai" | "anthropic" | "gemini" | "ollama";

export interface Endpoint {
  kind: EndpointKind;
  /** The base address, version included. */
  address: string;
  model: string;
  key: string;
  /** Seconds of silence to wait for. */
  patience: number;
}

export const KINDS: Readonly<
  Record<EndpointKind, { title: string; address: string; model: string; needsKey: boolean }>
> = {
  openai: {
    title: "OpenAI-compatible",
    address: "https://api.openai.com/v1",
    model: "gpt-4o-mini",
    needsKey: true,
  },
  anthropic: {
    title: "Anthropic",
    address: "https://api.anthropic.com/v1",
    model: "claude-haiku-4-5",
    needsKey: true,
  },
  gemini: {
    title: "Gemini",
    address: "https://generativelanguage.googleapis.com/v1beta",
    model: "gemini-2.5-flash",
    needsKey: true,
  },
  ollama: {
    title: "Ollama",
    address: "http://localhost:11434/v1",
    model: "llama3.2",
    needsKey: false,
  },
};
