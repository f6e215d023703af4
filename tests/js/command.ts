/** The command line as a process of its own. */

import { fileURLToPath } from "node:url";

/**
 * Node's arguments in front of those of a command. V8's optimising compiler takes up to a third of the CPU time of a
 * command that lasts less than a second; the tests of the engine run optimised code.
 */
export const CLI: readonly string[] = [
  "--liftoff-only",
  fileURLToPath(new URL("../../pkg/dist/cli.js", import.meta.url)),
];
