/** The questions that the run view asks its worker, and the answers. */

import type { ProfileDifference } from "../../js/types/profile.ts";
import type { ReadProfile } from "../parts/profile-text.ts";
import type { Endpoint } from "./kinds.ts";
import type { MessageRow, Said, Settings, Shown, Step } from "./types.ts";

export type Questions = {
  /** Takes the open conversation from the worker that read it. */
  load: [asked: { port: MessagePort }, answer: { messages: number; requests: number }];
  /** Starts a run with one or two settings. Progress is news with its number. `said`: the model cannot be asked. */
  start: [asked: { run: number; sides: Settings[]; endpoint?: Endpoint }, answer: { said?: Said }];
  stop: [asked: object, answer: undefined];
  /** What a request holds, one answer for each side. */
  step: [asked: { number: number }, answer: (Step | undefined)[]];
  /** Messages of the conversation, for the rows that can be seen. */
  rows: [asked: { indices: number[] }, answer: MessageRow[]];
  text: [asked: { side: number; number: number; id: string }, answer: Shown];
  call: [asked: { side: number; number: number }, answer: CallTexts];
  /** The fields in which two profiles differ. */
  differences: [asked: { a: string; b: string }, answer: ProfileDifference[]];
  /** Checks a profile: a name or JSON text. */
  profile: [asked: { text: string }, answer: ReadProfile];
  /** Asks the model for one word. */
  tryOut: [asked: { endpoint: Endpoint }, answer: { text: string; ms: number } | { said: Said }];
};

/** A request to the model, to be read. */
export interface CallTexts {
  params: string;
  messages: { role: string; text: string }[];
  reply: string;
}
