/** docs/sessions.md has a row for every layout, and says rightly which are written. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { sessions } from "./sessions.ts";

test("every layout has a row", () => {
  const page = readFileSync(new URL("../../../docs/sessions.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `([a-z-]+)` \|.*\| (yes|) ?\|$/gm)].map(
    ([, layout, written]) => `${layout} ${written === "yes"}`,
  );
  assert.deepEqual(
    rows.toSorted(),
    sessions
      .sessionLayouts()
      .map(({ layout, isWritable }) => `${layout} ${isWritable}`)
      .toSorted(),
  );
});
