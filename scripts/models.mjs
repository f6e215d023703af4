/**
 * `npm run models`: writes `core/src/models/table.txt`, the windows and prices of models by name. The facts come from
 * the data of one npm package, of the version below; what it lacks is added here, with its source.
 */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./lib.mjs";

/** MIT. Published on 2026-09-23. */
const [PACKAGE, VERSION, DATE] = ["@pydantic/genai-prices", "0.1.8", "2026-09-23"];

/** Prices are whole numbers of these parts of a dollar: reading floating-point numbers is 10 kB of code. */
const PARTS = 10_000;

const PROVIDERS = ["anthropic", "openai", "google", "mistral", "deepseek", "x-ai", "moonshotai", "cohere"];

/** Models that hold no conversation in words. */
const OTHER =
  /tts|image|embed|audio|realtime|transcri|whisper|moderation|ocr|voice|live|davinci|curie|babbage|^ada|instruct$/;

/** Windows that the package does not have. Sources: the model pages of OpenAI, Anthropic and Google, 2026-11-20. */
const WINDOWS = {
  anthropic: {
    "claude-instant*": 100_000,
    "claude-2.0*": 100_000,
    "=claude-2": 100_000,
    // platform.claude.com/docs/en/models/haiku-5-5/overview, 2026-11-26
    "claude-haiku-5-5*": 1_000_000,
    "claude-haiku-5.5*": 1_000_000,
    "claude-*": 200_000,
  },
  openai: {
    "gpt-4-32k*": 32_768,
    "=gpt-4-0314": 8_192,
    "gpt-3.5-turbo-0301*": 4_096,
    "gpt-3.5-turbo-0613*": 4_096,
    "gpt-3.5-turbo-instruct*": 4_096,
    "=gpt-3.5": 16_385,
    "gpt-3.5-turbo*": 16_385,
  },
  google: { "gemini-2*": 1_048_576, "gemini-3*": 1_048_576, "gemini-1.5-pro*": 2_097_152, "gemini-*": 1_048_576 },
};

/**
 * Windows that the package has wrongly. Sources: OpenAI's data in gpt-tokenizer 4.0.0 and vercel.com/ai-gateway/models,
 * 2026-11-26.
 */
const CORRECTED = { openai: [[/^gpt-5(?:[.-][12])?-chat/, 128_000]] };

/** Tokens of the answer that OpenAI's models from gpt-5 on keep out of the input. Source: their pages, 2026-11-20. */
const OUTPUT = 128_000;
const KEEPS_OUTPUT = /^gpt-[5-9]/;

const folder = mkdtempSync(join(tmpdir(), "models-"));
try {
  execFileSync("npm", ["pack", `${PACKAGE}@${VERSION}`, "--silent"], { cwd: folder });
  execFileSync("tar", ["xzf", readdirSync(folder)[0]], { cwd: folder });
  const { findProvider } = await import(pathToFileURL(join(folder, "package/dist/index.js")).href);
  writeFileSync(join(root, "core/src/models/table.txt"), table(findProvider));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function table(findProvider) {
  const lines = [
    `# ${PACKAGE} ${VERSION}, ${DATE}. Written by \`npm run models\`: do not edit.`,
    `# Names; tokens of the window and of the input; prices in 1/${PARTS} dollar per million tokens:`,
    "# input, cache read, cache write, output.",
  ];
  for (const id of PROVIDERS) {
    const rows = new Map();
    for (const model of findProvider({ providerId: id }).models) {
      const { input_mtok, cache_read_mtok, cache_write_mtok, output_mtok } = pricesOf(model.prices);
      const prices = [input_mtok, cache_read_mtok, cache_write_mtok, output_mtok].map(
        (dollars) => dollars && Math.round(dollars * PARTS),
      );
      const isOwn = (name) => !OTHER.test(name) && (id === "anthropic" || !name.includes("claude"));
      for (const name of patternsOf(model.match)) {
        const plain = name.replace(/[=*]/g, "");
        const window = CORRECTED[id]?.find(([names]) => names.test(plain))?.[1] ?? model.context_window;
        const facts = [window, inputOf(id, model.id, window), ...prices].map(written);
        if (!isOwn(plain) || facts.every((fact) => fact === "-")) continue;
        const key = facts.join(" ");
        rows.set(key, [...(rows.get(key) ?? []), name]);
      }
    }
    for (const [name, window] of Object.entries(WINDOWS[id] ?? {})) {
      const key = `${window} ${written(inputOf(id, name, window))} - - - -`;
      rows.set(key, [...(rows.get(key) ?? []), name]);
    }
    lines.push(`[${id}]`, ...[...rows].map(([facts, names]) => `${[...new Set(names)].join(",")} ${facts}`));
  }
  return `${lines.join("\n")}\n`;
}

/** Returns the maximum input. Gemini's windows are those of the input: its answers have a limit of their own. */
function inputOf(provider, name, window) {
  if (provider === "google") return window;
  return window >= 400_000 && KEEPS_OUTPUT.test(name) ? window - OUTPUT : undefined;
}

function written(number) {
  return number === undefined ? "-" : String(number);
}

/** Returns the prices that are in force on the date of the data, of the lowest tier. */
function pricesOf(prices) {
  const list = Array.isArray(prices) ? prices : [{ prices }];
  const inForce = list.filter(({ constraint }) => constraint === undefined || constraint.start_date <= DATE);
  const newest = inForce.at(-1)?.prices ?? {};
  return Object.fromEntries(
    Object.entries(newest).map(([name, price]) => [name, typeof price === "object" ? price.base : price]),
  );
}

/** Returns names as patterns: `=whole`, `start*`, `*part*`. */
function patternsOf(match) {
  if (match.or) return match.or.flatMap(patternsOf);
  if (match.and) return match.and.flatMap(patternsOf).slice(0, 1);
  if (match.equals !== undefined) return /[\s,]/.test(match.equals) ? [] : [`=${match.equals.toLowerCase()}`];
  if (match.starts_with !== undefined) return [`${match.starts_with.toLowerCase()}*`];
  if (match.contains !== undefined) return [`*${match.contains.toLowerCase()}*`];
  // A name with a date.
  const dated = /^\^([\w.\\-]+)-\\d\{8\}\$$/.exec(match.regex ?? "");
  return dated ? [`${dated[1].replaceAll("\\", "")}-2*`] : [];
}
