/** Reads a folder to keep: the texts of its files, which files are left out, and why. */

import { answering } from "../talk.ts";
import { packed } from "./pack.ts";
import type { Questions } from "./protocol.ts";
import { sourceOf } from "./source.ts";

answering<Questions>({ pack: async ({ folder, maxBytes }) => packed(await sourceOf(folder), maxBytes) });
