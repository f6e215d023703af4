/** Part of the check `lint`: every file of code has fewer than 600 lines, except fixtures and generated files. */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fail, root } from "./lib.mjs";

const LIMIT = 600;
const CODE = /\.(?:rs|c|[cm]?[jt]sx?|css|html|sh)$|^\.ci\//;
const EXEMPT = /^tests\/fixtures\/|(?:^|\/)generated\//;

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate"], {
  cwd: root,
  encoding: "utf8",
});
const long = files
  .split("\n")
  .filter((file) => CODE.test(file) && !EXEMPT.test(file))
  .map((file) => [file, lines(file)])
  .filter(([, count]) => count >= LIMIT);
if (long.length > 0)
  fail(
    long
      .map(([file, count]) => `${file} has ${count} lines; fewer than ${LIMIT} are allowed: split it by its ideas.`)
      .join("\n"),
  );

/** Returns the number of lines; none for a file that was deleted and is still in the index. */
function lines(file) {
  try {
    return readFileSync(join(root, file), "utf8").split("\n").length - 1;
  } catch (error) {
    if (error.code === "ENOENT") return 0;
    throw error;
  }
}
