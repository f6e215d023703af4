/** Code that makes the shown result with the package. */

import type { OpenedConversation, Ran } from "../worker/questions.ts";
import { number } from "./words.ts";

const load = (open: OpenedConversation): string =>
  open.session
    ? `import { openSession, sessionRequest } from "espalier/sessions";

const session = await openSession(await readFile(${quoted(open.name)}), { name: ${quoted(open.name)} });
const messages = sessionRequest(session, ${quoted(open.part === "history" ? "history" : "live")});`
    : `
const messages = JSON.parse(await readFile(${quoted(open.name)}, "utf8"));`;

const quoted = (text: string) => JSON.stringify(text);

function call({ mode, budget, encoding, plan }: Ran): string {
  const { profile = "espalier" } = plan ?? {};
  const own = profile === "espalier" ? "" : `, profile: ${profile.startsWith("{") ? profile : quoted(profile)}`;
  const options = `{ budget: ${budget}${encoding === "o200k_base" ? "" : `, encoding: ${quoted(encoding)}`}${mode === "compact" ? `, force: true${own}` : ""} }`;
  return mode === "prune" ? `prune(messages, ${options})` : `await compact(messages, ${options})`;
}

export function codeOf(run: Ran, open: OpenedConversation): string {
  return `import { readFile } from "node:fs/promises";
import { ${run.mode} } from "espalier";
${load(open)}

const { messages: fitting, report } = ${call(run)};
console.log(report.before.total, report.after.total); // ${number(run.before.total)} → ${number(run.after.total)} tokens
`;
}

/** The same as a test that fails when the result changes. */
export function testOf(run: Ran, open: OpenedConversation): string {
  const { before, after } = run;
  return `import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { ${run.mode} } from "espalier";
${load(open)}

test(${quoted(`${open.name} fits ${number(run.budget)} tokens`)}, async () => {
  const { report } = ${call(run)};
  assert.deepEqual([report.before.total, report.before.messages], [${before.total}, ${before.messages}]);
  assert.deepEqual([report.after.total, report.after.messages], [${after.total}, ${after.messages}]);
});
`;
}
