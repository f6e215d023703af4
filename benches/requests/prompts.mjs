// Recorded runs replayed as prompts: an AgentPrompt whose history is a conversation, at 16k and 64k, request by
// request, beside the same conversation prepared alone. Checks that every request is valid and within its budget, and
// that a summary is made whenever messages would otherwise be lost. Measures how much of each request repeats the
// previous one's beginning, and the CPU that the prompt adds. node --import tsx benches/requests/prompts.mjs FOLDER
// [every=1] [name] [format=openai-chat]
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { countMessages, openConversation, renderRequest, validate } from "../../pkg/dist/index-node.js";
import { AgentPrompt, createPiece } from "../../pkg/dist/prompt-node.js";
import { turns } from "../../tests/js/conversation/replay.ts";
import { SUMMARY } from "../../tests/js/conversation/support.ts";

const [folder, every = "1", only = "", format = "openai-chat"] = process.argv.slice(2);
if (!folder) throw new Error("the folder of the recordings is needed: JSON files with { messages } as OpenAI has them");
const SYSTEM = "You are an agent that mends programs. Read before you write, and run the tests. ".repeat(60);
const llm = async () => SUMMARY;
const model = { name: "gpt-4o", maxPromptTokens: 128_000 };
const prompt = createPiece(AgentPrompt, { system: SYSTEM });
/** Milliseconds of CPU, so that other load does not count. */
const cpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1] ?? 0;
/** Lets a running job end. */
const rest = async () => {
  for (let step = 0; step < 5; step += 1) await new Promise((done) => setImmediate(done));
};
const listOf = (request) => request.contents ?? request.messages;

/** Share of the requests' tokens that repeat the previous request's beginning. */
class Prefixes {
  constructor() {
    Object.assign(this, { shared: 0, all: 0, before: undefined, held: new WeakMap() });
  }
  tokens(message) {
    let tokens = this.held.get(message);
    if (tokens === undefined)
      this.held.set(message, (tokens = countMessages([message], { format, model: "gpt-4o" }).total));
    return tokens;
  }
  next(messages) {
    const texts = messages.map((message) => JSON.stringify(message));
    if (this.before) {
      let same = true;
      messages.forEach((message, at) => {
        same &&= texts[at] === this.before[at];
        this.all += this.tokens(message);
        if (same) this.shared += this.tokens(message);
      });
    }
    this.before = texts;
  }
  get share() {
    return this.all === 0 ? 1 : this.shared / this.all;
  }
}

let wrong = 0;
const added = [];
const all = { tree: new Prefixes(), alone: new Prefixes() };
console.log(
  "recording                    budget  requests  compactions  alone  dropped  exceeded  prefix %  alone %  added ms (median, p90)",
);
for (const file of readdirSync(folder).filter((name) => name.endsWith(".json") && name.includes(only))) {
  const { messages } = JSON.parse(readFileSync(join(folder, file), "utf8"));
  if (!Array.isArray(messages)) continue;
  for (const budget of [16_000, 64_000]) {
    const open = (more = {}) => openConversation({ format, model, llm, entropy: 1, ...more });
    const [tree, alone] = [await open(), await open({ maxContextTokens: budget, system: SYSTEM })];
    const found = { requests: 0, compactions: 0, alone: 0, dropped: 0, exceeded: 0, ms: [], wrong: [] };
    const [own, plain] = [new Prefixes(), new Prefixes()];
    const list = turns(messages, format);
    for (const [number, turn] of list.entries()) {
      tree.append(turn);
      alone.append(turn);
      if (number % Number(every) !== 0 && number !== list.length - 1) continue;
      found.requests += 1;
      let made, prepared;
      const began = cpu();
      try {
        made = await renderRequest(prompt, { conversation: tree, budget, format });
      } catch (error) {
        made = error;
      }
      const middle = cpu();
      try {
        prepared = await alone.prepare();
      } catch (error) {
        prepared = error;
      }
      const ended = cpu();
      if (made instanceof Error || prepared instanceof Error) {
        found.exceeded += 1;
        if (made.code !== "budget_exceeded" || prepared.code !== made.code)
          found.wrong.push(`${number}: ${made}; alone: ${prepared}`);
        continue;
      }
      const compacted = made.report.compactions.some(({ status }) => status === "applied");
      found.compactions += compacted;
      const isCompactedAlone = prepared.report.compactions.some(({ status }) => status === "applied");
      found.alone += isCompactedAlone;
      // A compaction costs the same with and without a prompt around it.
      if (!compacted && !isCompactedAlone && made.trimmed.length === 0) {
        found.ms.push(middle - began - (ended - middle));
      }
      if (!["rendered", "applied"].includes(made.status)) found.dropped += 1;
      const sent = listOf(made.request);
      own.next(sent);
      plain.next(prepared.messages);
      const request = made.request.messages && !made.request.system ? sent : made.request;
      const [finding] = validate(request, format, { format, pending: "keep" });
      if (finding) found.wrong.push(`${number}: ${JSON.stringify(finding)}`);
      const { total } = countMessages(request, { format, model: "gpt-4o" });
      if (total > budget || made.tokens > budget || total > made.tokens)
        found.wrong.push(`${number}: ${total} tokens, ${made.tokens} reported`);
      await rest();
    }
    wrong += found.wrong.length;
    added.push(...found.ms);
    for (const name of ["shared", "all"]) {
      all.tree[name] += own[name];
      all.alone[name] += plain[name];
    }
    const p90 = found.ms.toSorted((a, b) => a - b)[Math.floor(found.ms.length * 0.9)] ?? 0;
    console.log(
      [
        file.replace(".json", "").padEnd(28),
        String(budget).padStart(6),
        String(found.requests).padStart(9),
        String(found.compactions).padStart(12),
        String(found.alone).padStart(6),
        String(found.dropped).padStart(8),
        String(found.exceeded).padStart(9),
        (100 * own.share).toFixed(1).padStart(9),
        (100 * plain.share).toFixed(1).padStart(8),
        `${median(found.ms).toFixed(2)}, ${p90.toFixed(2)}`.padStart(18),
      ].join(" "),
    );
    for (const what of found.wrong.slice(0, 5)) console.log(`    ${what}`);
    await Promise.all([tree.dispose(), alone.dispose()]);
  }
}
console.log(
  `added ms: median ${median(added).toFixed(2)}; prefix ${(100 * all.tree.share).toFixed(2)} %, alone ${(100 * all.alone.share).toFixed(2)} %; ${wrong} things wrong`,
);
process.exitCode = wrong === 0 ? 0 : 1;
