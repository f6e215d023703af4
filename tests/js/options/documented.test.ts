/** Every member of a public option type has a doc comment, which editors show where the option is typed. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const js = fileURLToPath(new URL("../../../js/", import.meta.url));
const OPTIONS = /^export interface (\w*(?:Options|Limits|Hooks|Rules?|Registration|Patience|Prices))\b/;
/** Internal types, and what `explain` reports: no options of the package. */
const INTERNAL = new Set(["SessionOptions", "RemovalRule", "Rules", "IdRule"]);

function undocumented(source: string): { members: number; bare: string[] } {
  const bare: string[] = [];
  let [name, members, before] = ["", 0, ""];
  for (const line of source.split("\n")) {
    const found = OPTIONS.exec(line);
    if (found) name = INTERNAL.has(found[1]!) ? "" : found[1]!;
    else if (line.startsWith("}")) name = "";
    const member = /^ {2}(?:readonly )?(\w+)\??[:(<]/.exec(line);
    if (name !== "" && member) {
      members += 1;
      if (!before.endsWith("*/")) bare.push(`${name}.${member[1]}`);
    }
    before = line.trimEnd();
  }
  return { members, bare };
}

test("every option has a doc comment", () => {
  const files = readdirSync(js, { recursive: true, encoding: "utf8" }).filter(
    (file) => /\.tsx?$/.test(file) && !file.startsWith("cli"),
  );
  const results = files.map((file) => undocumented(readFileSync(join(js, file), "utf8")));
  assert.ok(results.reduce((sum, { members }) => sum + members, 0) > 200);
  assert.deepEqual(
    results.flatMap(({ bare }) => bare),
    [],
  );
});
