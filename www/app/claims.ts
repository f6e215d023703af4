/** What a file is, by its name and its first characters. Loaded with the first file of the reader. */

import { isPrompt } from "../prompt/is-prompt.ts";
import { isSource } from "../source/is-source.ts";
import { isText } from "../tokens/is-text.ts";
import type { OpenedFile } from "./state.ts";

type Claim = (name: string, head: string) => boolean;

/** The first that claims a file decides. */
const CLAIMS: readonly (readonly [kind: OpenedFile["kind"], takes: Claim])[] = [
  ["prompt", isPrompt],
  ["source", isSource],
  ["text", isText],
];

/** Returns the kind of a file; undefined for a conversation. */
export const kindOf = (name: string, head: string): OpenedFile["kind"] | undefined =>
  CLAIMS.find(([, takes]) => takes(name, head))?.[0];

const UNKNOWN = ["unknown_session", "unknown_format", "bad_json", "bad_message"];

/** Returns true if a file that was refused as a conversation can be shown as a text. */
export const hasText = (code: string, head: string): boolean =>
  UNKNOWN.includes(code) && head !== "" && !head.includes("\0");
