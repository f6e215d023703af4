/** The address of the page: what its hash says, read and written. No DOM, so that Node can test it. */

import type { EncodingName } from "../../js/types/count.ts";

export type Mode = "prune" | "compact";

/** The settings in an address. An absent field leaves the page's own choice. */
export interface Address {
  view?: string | undefined;
  mode?: Mode | undefined;
  /** Tokens. */
  budget?: number | undefined;
  encoding?: EncodingName | undefined;
  /**
   * The opened thing: an example by name, a file or folder of the reader by name, or a conversation inside the address.
   */
  example?: string | undefined;
  file?: string | undefined;
  folder?: string | undefined;
  words?: string | undefined;
  shape?: string | undefined;
  /** Fields that views keep for themselves, by `<view>.<field>`. */
  params: Readonly<Record<string, string>>;
}

const ENCODINGS: readonly string[] = ["o200k_base", "cl100k_base"];
/** Fields that are texts, in the order in which they are written. */
const TEXTS = ["view", "example", "file", "folder", "words", "shape"] as const;
const MODES: readonly string[] = ["prune", "compact"];

/** Reads a hash. Values that are not understood are left out: an old or mangled link still opens the page. */
export function readAddress(hash: string): Address {
  const address: Address = { params: {} };
  const params: Record<string, string> = {};
  for (const [key, value] of new URLSearchParams(hash.replace(/^#/, ""))) {
    if (key === "mode") address.mode = MODES.includes(value) ? (value as Mode) : undefined;
    else if (key === "encoding") address.encoding = ENCODINGS.includes(value) ? (value as EncodingName) : undefined;
    else if (key === "budget") address.budget = readBudget(value);
    else if (TEXTS.includes(key as (typeof TEXTS)[number])) address[key as (typeof TEXTS)[number]] = value;
    else if (key.includes(".")) params[key] = value;
  }
  return { ...address, params };
}

/** Writes a hash, `#` included. The same address always gives the same text. */
export function writeAddress({ params, ...address }: Address): string {
  const out = new URLSearchParams();
  for (const key of [...TEXTS, "mode", "budget", "encoding"] as const)
    if (address[key] !== undefined) out.set(key, String(address[key]));
  for (const key of Object.keys(params).sort()) out.set(key, params[key]!);
  return `#${out}`;
}

/** Returns a budget in tokens, or undefined for what is not a whole number of tokens. */
export function readBudget(text: string): number | undefined {
  const value = Number(text);
  return text.trim() !== "" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
