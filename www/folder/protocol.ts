/** The message between the page and the worker that reads a folder for keeping. */

import type { Folder } from "./given.ts";

export type Questions = {
  /** The files of a folder as one file; undefined if that has more than `maxBytes`. */
  pack: [asked: { folder: Folder; maxBytes: number }, answer: Blob | undefined];
};
