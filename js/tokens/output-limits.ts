/** The max output tokens of models by their names, as data with a date and a source. */

/** Rows of one source: output tokens, and the names that have them. A longer name wins over a shorter one. */
interface Rows {
  /** The origin, and the date on which it was looked up; for pages, in stored copies of them. */
  source: string;
  models: readonly (readonly [tokens: number, names: string])[];
}

/**
 * Names are written as {@link plain} returns them. There are no rows of providers that publish no limit (Mistral, xAI,
 * Moonshot), nor of names whose sources disagree (`deepseek-chat`, `gemini-2.0-flash-lite`, `claude-3-sonnet`).
 */
const ROWS: readonly Rows[] = [
  {
    source: "platform.claude.com/docs/en/models, 2026-11-26",
    models: [
      [64_000, "claude-sonnet-4-5 claude-opus-4-5 claude-haiku-4-5"],
      [
        128_000,
        "claude-opus-4-6 claude-opus-4-7 claude-opus-4-8 claude-sonnet-4-6 claude-opus-5 claude-opus-5-5 claude-sonnet-5 " +
          "claude-sonnet-5-5 claude-haiku-5-5 claude-fable-5 claude-fable-5-1 claude-fable-5-2 claude-mythos-5",
      ],
    ],
  },
  {
    source: "docs.aihubmix.com/en/api/Claude-Native (Anthropic's table of 2025), 2026-11-26",
    models: [
      [4_096, "claude-haiku-3 claude-opus-3"],
      [8_192, "claude-haiku-3-5 claude-sonnet-3-5"],
      [32_000, "claude-opus-4 claude-opus-4-0"],
      [64_000, "claude-sonnet-3-7 claude-sonnet-4 claude-sonnet-4-0"],
    ],
  },
  {
    source: "llm-zoo 1.37.0, 2026-09-23",
    models: [
      [32_000, "claude-opus-4-1"],
      [65_536, "gemini-2-5-flash gemini-2-5-pro gemini-3-6-flash"],
    ],
  },
  {
    source: "gpt-tokenizer 4.0.0 (OpenAI's pages of models), 2026-11-26",
    models: [
      [1_024, "computer-use-preview"],
      [
        4_096,
        "gpt-3-5 gpt-3-5-turbo gpt-3-5-turbo-16k gpt-4-turbo gpt-4-1106-preview gpt-4-0125-preview gpt-4-vision-preview " +
          "gpt-4-1106-vision-preview gpt-4o-2024-05-13",
      ],
      [8_192, "gpt-4 gpt-4-32k"],
      [16_384, "gpt-4o chatgpt-4o-latest gpt-4-5-preview gpt-5-chat gpt-5-1-chat gpt-5-2-chat gpt-5-3-chat"],
      [32_768, "gpt-4-1 o1-preview"],
      [65_536, "o1-mini"],
      [100_000, "o1 o3 o4-mini codex-mini codex-mini-latest"],
      [128_000, "gpt-5 gpt-5-1 gpt-5-2 gpt-5-3-codex gpt-5-4 gpt-5-5 gpt-5-6"],
      [131_072, "gpt-oss-20b gpt-oss-120b"],
      [272_000, "gpt-5-pro"],
    ],
  },
  { source: "vercel.com/ai-gateway/models, 2026-11-26", models: [[128_000, "gpt-6-astra gpt-6-luna"]] },
  {
    source: "ai.google.dev and docs.cloud.google.com, 2026-11-26",
    models: [
      [8_192, "gemini-1-5-flash gemini-2-0-flash"],
      [
        65_536,
        "gemini-2-5-flash-lite gemini-3-flash gemini-3-pro gemini-3-1-pro gemini-3-1-flash-lite gemini-3-5-flash " +
          "gemini-3-7-flash gemini-3-8-flash",
      ],
    ],
  },
  {
    source: "api-docs.deepseek.com/quick_start/pricing (copy of 2026-04-26), 2026-11-26",
    models: [[384_000, "deepseek-v4-flash deepseek-v4-pro"]],
  },
  {
    source: "docs.cohere.com/docs, 2026-11-26",
    models: [
      [4_000, "command-light"],
      [32_000, "command-a-reasoning"],
    ],
  },
];

/** Variants of a family that have limits of their own. */
const OTHERS = /tts|image|audio|realtime|transcribe|live|embedding|instruct|flash-thinking|2-0-flash-lite|:extended/;

/** The max output tokens of a model, and their origin. */
export interface OutputLimit {
  tokens: number;
  source: string;
}

/** The last name that was looked up: a host asks for one model in request after request. */
let last: { model: string; limit: Readonly<OutputLimit> | undefined } | undefined;

/**
 * Returns the max output tokens of a model by its name; undefined if they are not known. A version that the table does
 * not have is not known, even if its predecessor is.
 */
export function outputLimitOf(model: string | undefined): Readonly<OutputLimit> | undefined {
  if (model === undefined) return undefined;
  if (last?.model !== model) last = { model, limit: lookUp(plain(model)) };
  return last.limit;
}

function lookUp(name: string): OutputLimit | undefined {
  if (OTHERS.test(name)) return undefined;
  let best: (OutputLimit & { length: number }) | undefined;
  for (const { source, models } of ROWS) {
    for (const [tokens, names] of models) {
      for (const known of names.split(" ")) {
        if (known.length > (best?.length ?? 0) && isOf(known, name)) best = { tokens, source, length: known.length };
      }
    }
  }
  return best && { tokens: best.tokens, source: best.source };
}

/** Returns whether a name is a known one, perhaps with a date or variant, but without a further number of version. */
function isOf(known: string, name: string): boolean {
  if (!name.startsWith(known)) return false;
  const rest = name.slice(known.length);
  return rest === "" || (/^[-@:]/.test(rest) && !/^-\d{1,2}(?!\d)/.test(rest));
}

/** Returns a name without the path of a router or platform, with one spelling of versions and of Claude's families. */
function plain(model: string): string {
  const name = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
  return name
    .replace(/^.*anthropic\./, "")
    .replace(/^ft:/, "")
    .replace("gpt-35", "gpt-3.5")
    .replaceAll(/(\d)\.(?=\d)/g, "$1-")
    .replace(/^claude-(\d(?:-\d)?)-([a-z]+)/, "claude-$2-$1");
}
