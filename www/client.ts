/** The worker of the page of conversations. */

import type { Questions } from "./protocol.ts";
import { asking } from "./talk.ts";

export const ask = asking<Questions>("./worker.js");
