/** The interface of the reader of one layout. */

import type { Draft } from "./draft.ts";
import type { Session, SessionLayout } from "./types.ts";

/** How a file is read: JSON Lines value by value, one JSON value as a whole, or text line by line. */
export type Shape = "lines" | "value" | "text";

/** The beginning of a file, which decides the layout. */
export interface Sample {
  shape: Shape;
  /** The first values of JSON Lines; the one value of a JSON file; the first lines of text. */
  records: readonly unknown[];
}

/** Why a reader takes a file. */
export interface Match {
  /** The evidence, for people: `lines of the types user and assistant with sessionId and parentUuid`. */
  evidence: string;
  /** Number of records of the sample that the layout explains. The reader with the highest count reads the file. */
  count: number;
}

export interface Reader {
  layout: SessionLayout;
  /** Name of the tool, for people. */
  tool: string;
  shapes: readonly Shape[];
  /** Fields that files of this layout have, for naming the most similar layout in an error. */
  marks?: readonly string[];
  /** Returns undefined if the sample is not of this layout. */
  recognise(sample: Sample): Match | undefined;
  /** Begins to read a file. Readers of JSON Lines pass `keepsHistory` on to their draft. */
  read(sample: Sample, options: { keepsHistory: boolean }): Reading;
  /**
   * Writes a file of this layout whose live context is `messages`, for tools that resume from the file. Messages of the
   * session are recognised by identity and keep their lines; lines without a message stay. `original` is the text that
   * the session was read from.
   */
  write?(original: string, session: Session, messages: readonly unknown[]): string;
}

/** A file being read. */
export interface Reading {
  /**
   * Takes a value, or a line of text, with its place: the line, from 1. A file of one JSON value is passed in one call
   * with the place 0; its items are then numbered from 0.
   */
  add(record: unknown, place: number): void;
  /**
   * Returns true for a line that need not be parsed because it is not part of the conversation; it was counted. Absent:
   * all lines are parsed.
   */
  passes?(line: string): boolean;
  /** Returns the conversation, or several if the file contains several. */
  end(): Draft | Draft[];
}

/** Describes a known file without a conversation, and where the conversation is: `is …`. */
export type Stranger = (sample: Sample) => string | undefined;
