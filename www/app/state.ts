/** What the page shows, as signals. Views read them, and change them by assignment; the address follows. */

import { signal } from "@preact/signals";
import type { EncodingName } from "../../js/types/count.ts";
import type { Folder } from "../folder/given.ts";
import type { Estimate, OpenedConversation } from "../worker/questions.ts";
import type { Mode } from "./address.ts";
import type { Failed } from "../talk.ts";

/** Where the opened thing came from: decides what the address says of it. */
export type From = { example: string } | { file: File } | { folder: string } | { words: string } | { shape: string };

/** The opened thing. */
export type Opened = { name: string; id: number; from: From } & (
  | { kind: "conversation"; conversation: OpenedConversation }
  // With the budget that came with it in an address.
  | { kind: "prompt" | "source" | "text"; file: File; budget?: number | undefined }
  | { kind: "folder"; folder: Folder; budget?: number | undefined }
);
export type OpenedFile = Extract<Opened, { file: File }>;
export type Kind = Opened["kind"];

export const opened = signal<Opened | undefined>(undefined);
/** What is shown until the first thing is counted. */
export const estimate = signal<Estimate | undefined>(undefined);
/** Name of the view, see `views.ts`. */
export const view = signal("conversation");
/** Tokens that the request may have. Views share it. */
export const budget = signal(64_000);
export const mode = signal<Mode>("prune");
export const encoding = signal<EncodingName>("o200k_base");
/** What views keep in the address for themselves: `<view>.<field>`. */
export const params = signal<Readonly<Record<string, string>>>({});

/** Sets a field of the address; undefined removes it. */
export function setParam(name: string, value: string | undefined): void {
  const { [name]: _, ...others } = params.value;
  params.value = value === undefined ? others : { ...others, [name]: value };
}

export type Theme = "system" | "light" | "dark";
export const theme = signal<Theme>("system");

/** An error; `action` mends it with one press. `isReplaced`: something else was opened instead of what failed. */
export type Alert = Failed & { action?: { label: string; run(): void }; isReplaced?: boolean };

/** The error of the newest action. */
export const failure = signal<Alert | undefined>(undefined);

/** Takes a budget that was entered. */
export function enterBudget(tokens: number): void {
  if (failure.value?.code === "bad_option") failure.value = undefined;
  budget.value = tokens;
}

/** Says that what was entered is no budget. */
export function refuseBudget(): void {
  failure.value = { code: "bad_option", message: "The budget must be a whole number of tokens, 0 or more." };
}

/** Something that takes long: shown with its share, and a way to stop it. */
export const progress = signal<{ label: string; share?: number; cancel?(): void } | undefined>(undefined);

/** The text of the status line: one polite live region for the whole page. */
export const status = signal("");

/** Milliseconds of rest before the status line speaks. */
const REST = 500;
let speaking: ReturnType<typeof setTimeout> | undefined;

/** What an action did, to be said before the figures that follow from it. */
let done = "";

/**
 * Says something to screen readers and in the status line, once nothing newer was said for a while. What an action did
 * is not replaced by what it led to: both are said.
 */
export function say(text: string, isAction = false): void {
  const whole = done ? `${done} ${text}` : text;
  if (isAction) done = whole;
  clearTimeout(speaking);
  speaking = setTimeout(() => {
    status.value = whole;
    done = "";
  }, REST);
}

/** Keys of the shown view, for the list that `?` opens. */
export const keys = signal<readonly (readonly [key: string, does: string])[]>([]);

/** What the view shows, in words: named while an error says that something newer could not be shown. */
export const shown = signal("");
/** The budget that the page chose itself, so that it may change it again. */
export const autoBudget = signal<number | undefined>(undefined);

/** Number of openings that are under way. */
export const working = signal(0);
