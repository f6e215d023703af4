/**
 * Every entry of the package, every argument and option, everything that it should not be: an error that says which
 * field is wrong, or a result; what was passed is what it was, and the same good call still gives the same answer.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { ENTRIES } from "./entries.ts";
import type { Entry } from "./entry.ts";
import { isTried } from "../runs.ts";
import { still } from "./still.ts";
import { VALUES } from "./values.ts";

const { EspalierError } = espalier;

/** What hosts branch on when a field is wrong: these say which. */
const NAMES_A_FIELD =
  /^(bad_(option|input|message|edit|element|diff|threshold)|unknown_format|duplicate_id|unknown_encoding)$/;

type Outcome = { value: unknown } | { error: unknown };
/** Puts a value somewhere into arguments. */
type Slot = [name: string, put: (args: any[], value: unknown) => void];

async function outcome(run: () => unknown): Promise<Outcome> {
  try {
    return { value: await run() };
  } catch (error) {
    return { error };
  }
}

/** Each argument, each field of it, each option that it may have, and each field of the first item of a list. */
function slots({ args, options = "" }: Entry): Slot[] {
  const good = args();
  const last = good.length - 1;
  return good.flatMap((arg, at): Slot[] => {
    const list: Slot[] = [[`${at}`, (args, value) => (args[at] = value)]];
    const owner: unknown = Array.isArray(arg) ? arg[0] : arg;
    const fields = Object.keys(typeof owner === "object" && owner && !ArrayBuffer.isView(owner) ? owner : {});
    if (Array.isArray(arg)) list.push([`${at}[0]`, (args, value) => (args[at][0] = value)]);
    const known = at === last ? options.split(" ").filter((name) => name !== "" && !fields.includes(name)) : [];
    for (const name of [...fields, ...known])
      list.push([`${at}.${name}`, (args, value) => ((Array.isArray(args[at]) ? args[at][0] : args[at])[name] = value)]);
    return list;
  });
}

function check(what: string, error: unknown): void {
  // What the host's own objects throw when they are looked at is the host's, as what its functions throw.
  if (error instanceof Error && error.message.startsWith("of the host")) return;
  if (error instanceof TypeError && /proxy that has been revoked/.test(error.message)) return;
  assert.ok(error instanceof EspalierError, `${what}: ${error instanceof Error ? error.stack : String(error)}`);
  assert.notEqual(error.code, "engine_crashed", what);
  if (NAMES_A_FIELD.test(error.code))
    assert.ok(
      typeof error.path === "string" && error.path !== "",
      `${what}: ${error.code} names no field: ${error.message}`,
    );
  assert.ok(error.message.length < 1_000, `${what}: ${error.message.length} characters of an error`);
}

for (const [number, entry] of ENTRIES.entries()) {
  test(entry.name, { timeout: 60_000 }, async () => {
    const good = () => outcome(() => entry.run(...entry.args()));
    const first = await good();
    if ("error" in first) check(`${entry.name}, good`, first.error);
    for (const [row, [name, put]] of slots(entry).entries()) {
      for (const [column, [value, make]] of Object.entries(VALUES).entries()) {
        if (!isTried(4, number, row, column)) continue;
        const args = entry.args();
        put(args, make());
        still(args);
        const result = await outcome(() => entry.run(...args));
        if ("error" in result) check(`${entry.name}, ${name} = ${value}`, result.error);
      }
    }
    const again = await good();
    if ("value" in first) assert.deepEqual(again, first);
    else assert.deepEqual(String("error" in again && again.error), String(first.error));
  });
}

/** What needs no row: elements and pieces (tests/js/prompt), loading (tests/js/engine), constants. */
const ELSEWHERE = new Set([
  "AbstractKeepWith",
  "AssistantMessage",
  "BaseChatMessage",
  "ChatHistory",
  "Chunk",
  "Document",
  "Expandable",
  "Fragment",
  "IfEmpty",
  "Image",
  "KeepWithElement",
  "LegacyPrioritization",
  "LogicalWrapper",
  "PrioritizedList",
  "PromptElement",
  "SourceDocument",
  "SystemMessage",
  "Tag",
  "TextChunk",
  "TokenLimit",
  "ToolCallRounds",
  "ToolMessage",
  "ToolResult",
  "UserMessage",
  "useKeepWith",
  "createPiece",
  "rankRounds",
  "isChatMessagePromptElement",
  "toMode",
  "toOpenAI",
  "toVSCode",
  "setVSCode",
  "BuiltinTokenizer",
  "VSCodeTokenizer",
  "PromptRenderer",
  "Rendered",
  "HTMLTracer",
  "MetadataMap",
  "PromptMetadata",
  "PromptReference",
  "ChatResponseReferencePartStatusKind",
  "OutputMode",
  "JSONTree",
  "OpenAI",
  "Raw",
  "BudgetExceededError",
  "EspalierError",
  "DocumentSummary",
  "init",
  "initFrom",
  "initSync",
  "isReady",
  "resetEngine",
  "isEspalierError",
  "clearCache",
  "languages",
  "workspaceStorage",
  "Calibration",
  "Pruner",
  "Recovery",
  "ConversationLog",
  "TokenWorker",
]);

test("every export has a row here, or tests of its own elsewhere", () => {
  const rows = new Set(ENTRIES.map(({ name }) => name.split(/[ (]/)[0]));
  const all = Object.keys(espalier);
  assert.deepEqual(
    all.filter((name) => !rows.has(name) && !ELSEWHERE.has(name)),
    [],
  );
  assert.deepEqual(
    [...ELSEWHERE].filter((name) => !all.includes(name)),
    [],
    "what bundles share between themselves is not public",
  );
});
