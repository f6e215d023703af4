/** Reads a folder for keeping: its texts, and what is left out with the reason. */

import { answering } from "../talk.ts";
import { packed } from "./pack.ts";
import type { Questions } from "./protocol.ts";
import { sourceOf } from "./source.ts";

answering<Questions>({ pack: async ({ folder, maxBytes }) => packed(await sourceOf(folder), maxBytes) });
