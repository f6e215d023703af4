// The functions of `espalier/core` beside the package's own, paired in one process: node core/run.mjs [--pkg=FOLDER]
// [--reps=61] Prints the fastest and the median call of each side, and the ratio of the fastest ones.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";

const option = (name, usual) => process.argv.find((word) => word.startsWith(`--${name}=`))?.split("=")[1] ?? usual;
const dist = join(option("pkg", fileURLToPath(new URL("../../pkg", import.meta.url))), "dist");
const reps = Number(option("reps", 61));
const espalier = await import(join(dist, "index-node.js"));
const core = await import(join(dist, "functions.js"));
core.initSync({ module: readFileSync(join(dist, "espalier.wasm")) });
core.loadEncoding("o200k_base", readFileSync(join(dist, "vocab", "o200k_base.vocab")));

const text = (words, more) => ({ type: 2, text: words, ...more });
const piece = (children, props, more) => ({ type: 1, ctor: 2, ctorName: "Group", children, props, flags: 0, ...more });
const message = (at) =>
  piece(
    [
      text(`Line ${at} of the conversation, with words.`),
      text(` and more ${at}`),
      piece([text(`inner ${at}`), text(`again ${at}`)], { priority: at }),
    ],
    { role: 1, priority: at },
    { ctor: 1, ctorName: "UserMessage" },
  );
const tree = (messages) =>
  JSON.parse(
    JSON.stringify({
      node: piece(
        Array.from({ length: messages }, (_, at) => message(at)),
        {},
      ),
    }),
  );

/** Returns a conversation in which every other message is a tool result. */
function conversation(length) {
  const part = (words) => ({ type: "text", text: words });
  const messages = [{ id: "m0", role: "user", parts: [part("Find out why the build fails.")] }];
  for (let at = 1; messages.length < length; at++) {
    const callId = `call_${at}`;
    messages.push({
      id: `m${messages.length}`,
      role: "assistant",
      parts: [{ type: "toolCall", callId, name: "read_file", arguments: `{"path":"src/${at}.ts"}` }],
    });
    messages.push({
      id: `m${messages.length}`,
      role: "tool",
      parts: [{ type: "toolResult", callId, content: [part(`export const part${at} = ${"1 + ".repeat(60)}1;`)] }],
    });
  }
  return messages.slice(0, length);
}

const format = "espalier";
const llm = async () => "<summary>\n## Goal\nThe work goes on.\n</summary>";
const CASES = [];
for (const [count, budgets] of [
  [10, [1e6, 150]],
  [700, [1e6, 8_000]],
]) {
  const given = tree(count);
  for (const budget of budgets)
    CASES.push([
      `render, ${count} messages, budget ${budget}`,
      () => espalier.render(given, { budget }),
      () => core.render(given, { budget }),
    ]);
}
for (const [length, budget] of [
  [10, 500],
  [400, 8_000],
]) {
  const messages = conversation(length);
  CASES.push([
    `prune, ${length} messages`,
    () => espalier.prune(messages, { format, budget }),
    () => core.prune(messages, { budget }),
  ]);
  CASES.push([
    `compact, ${length} messages, rules`,
    () => espalier.compact(messages, { format, budget }),
    () => core.compact(messages, { budget }),
  ]);
  CASES.push([
    `compact, ${length} messages, a model`,
    () => espalier.compact(messages, { format, budget, llm }),
    () => core.compact(messages, { budget }, llm),
  ]);
}

/** Returns the values that must be equal on both sides. */
const gist = ({ request, messages, tokens, removed, report, status, edits }, isRender) =>
  JSON.stringify(
    isRender ? { request: request ?? { messages }, tokens, removed } : { messages, report, status, edits },
  );

/** Times calls of one side that take a millisecond together: one small call is shorter than the clock's step. */
async function timed(run, calls) {
  const start = performance.now();
  for (let call = 0; call < calls; call++) await run();
  return (performance.now() - start) / calls;
}

console.log("| call | package, ms | core, ms | ratio |\n| --- | --- | --- | --- |");
for (const [name, theirs, ours] of CASES) {
  const isRender = name.startsWith("render");
  const [a, b] = [gist(await theirs(), isRender), gist(await ours(), isRender)];
  if (a !== b) throw new Error(`${name}: the results differ`);
  await timed(theirs, 20);
  await timed(ours, 20);
  const calls = Math.max(1, Math.ceil(1 / (await timed(theirs, 5))));
  const times = [[], []];
  // Alternating, so that other load affects both sides.
  for (let rep = 0; rep < reps; rep++) {
    times[0].push(await timed(theirs, calls));
    times[1].push(await timed(ours, calls));
  }
  const [first, second] = times.map((list) => list.sort((a, b) => a - b));
  const shown = (list) => `${list[0].toFixed(3)} / ${list[list.length >> 1].toFixed(3)}`;
  console.log(`| ${name} | ${shown(first)} | ${shown(second)} | ${(second[0] / first[0]).toFixed(2)} |`);
}
