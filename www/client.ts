/** The page's connection to the worker of conversations. */

import { showProgress } from "./progress.ts";
import type { Progress, Questions } from "./protocol.ts";
import { asking } from "./talk.ts";

export const ask = asking<Questions, Progress>("./worker.js", showProgress);
