/** The messages between the view of inline context and its worker. Offsets are UTF-16 units. */

import type { InlineContextResult } from "../../js/entries/inline-context.ts";
import type { EncodingName } from "../../js/types/count.ts";
import type { Profile } from "../app/knobs.tsx";
import type { Folder } from "../folder/given.ts";

export type EditForm = "unified" | "searchReplace" | "plain";

export interface Settings {
  profile: Profile;
  /** Tokens. */
  budget: number;
  /** From 0 to 1. */
  suffixShare: number;
  editForm: EditForm;
  encoding: EncodingName;
}

/** An open file: its text without the reader's changes, and with them. */
export interface OpenText {
  path: string;
  original: string;
  text: string;
}

export type Questions = {
  /** Opens a folder; the answer is its text files, in order. */
  folder: [asked: { folder: Folder }, answer: string[]];
  text: [asked: { path: string }, answer: string];
  /** Starts anew with other settings; of each file the difference between both texts is a recent edit. */
  start: [asked: { settings: Settings; files: readonly OpenText[] }, answer: undefined];
  /** Opens a file, or gives the focus to an open one. */
  focus: [asked: { path: string; text: string }, answer: undefined];
  close: [asked: { path: string }, answer: undefined];
  change: [asked: { path: string; text: string }, answer: undefined];
  move: [asked: { path: string; cursor: number }, answer: undefined];
  context: [asked: { path: string; cursor: number }, answer: Answer];
};

export interface Answer extends InlineContextResult {
  path: string;
  cursor: number;
  /** Duration, in milliseconds. */
  ms: number;
}
