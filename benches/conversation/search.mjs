// Quality and speed of finding messages of a conversation: the labelled questions, and 10,000 messages.
//   node benches/conversation/search.mjs [--missed]
import { readFileSync } from "node:fs";
import { ConversationLog } from "../../pkg/dist/log-node.js";

const fixture = (path) => JSON.parse(readFileSync(new URL(`../../tests/fixtures/${path}`, import.meta.url), "utf8"));
const plain = (message) => Object.fromEntries(Object.entries(message).filter(([key]) => !key.startsWith("x_")));
const logOf = (messages) => ConversationLog.from(messages, { format: "openai-chat", now: () => 0 });

const logs = new Map();
const rows = new Map();
const missed = [];
for (const { transcript, set, ask, answers } of fixture("conversation-search/questions.json")) {
  if (!logs.has(transcript)) logs.set(transcript, logOf(fixture(`transcripts/${transcript}.json`).messages.map(plain)));
  const found = await logs.get(transcript).search(ask, { maxResults: 5 });
  const isAnswer = (id) => answers.includes(Number(id.slice(1)));
  const place = found.findIndex(({ id, with: others, repeats }) => [id, ...others, ...repeats].some(isAnswer));
  for (const key of [set, `${set} ${transcript}`]) {
    const row = rows.get(key) ?? { questions: 0, first: 0, "first five": 0, "first five, by its own id": 0 };
    row.questions += 1;
    row.first += Number(place === 0);
    row["first five"] += Number(place >= 0);
    row["first five, by its own id"] += Number(found.some(({ id }) => isAnswer(id)));
    rows.set(key, row);
  }
  if (place < 0) missed.push(`${set} ${transcript}: ${ask} (${answers}) found ${found.map(({ id }) => id)}`);
}
const share = (row) =>
  Object.fromEntries(
    Object.entries(row).map(([key, value]) => [
      key,
      key === "questions" ? value : `${((100 * value) / row.questions).toFixed(1)} %`,
    ]),
  );
console.table(
  Object.fromEntries(
    [...rows].sort(([one], [other]) => one.localeCompare(other)).map(([key, row]) => [key, share(row)]),
  ),
);
if (process.argv.includes("--missed")) console.log(missed.join("\n"));
for (const log of logs.values()) log.close();

/** Returns the milliseconds of `run`. */
async function timed(run) {
  const start = performance.now();
  await run();
  return performance.now() - start;
}
const session = fixture("transcripts/pi-refactor-long.json").messages.map(plain);
const once = (turn) => (message) => ({
  ...message,
  ...(message.tool_calls && {
    tool_calls: message.tool_calls.map((call) => ({ ...call, id: `${turn}-${call.id}` })),
  }),
  ...(message.tool_call_id && { tool_call_id: `${turn}-${message.tool_call_id}` }),
});
for (const repetitions of [1, 11]) {
  const messages = Array.from({ length: repetitions }, (_, turn) => session.map(once(turn))).flat();
  const log = logOf(messages);
  const first = await timed(() => log.search("Which folders did the user choose?"));
  const queries = ["Why did the check fail?", "unsubscribe listeners", "commit WP7", "Where is the settings manager?"];
  const times = [];
  for (let round = 0; round < 5; round += 1)
    for (const query of queries) times.push(await timed(() => log.search(query)));
  log.append({ role: "user", content: "One more message." });
  const next = await timed(() => log.search("One more message"));
  const characters = JSON.stringify(messages).length;
  const median = times.sort((one, other) => one - other)[Math.floor(times.length / 2)];
  console.log(
    `${messages.length} messages, ${(characters / 1e6).toFixed(1)} MB: first search with indexing ${first.toFixed(0)} ms, ` +
      `repeated ${median.toFixed(1)} ms (median), after one more message ${next.toFixed(1)} ms`,
  );
  log.close();
}
