// Pruning one request after another: node requests/prune.mjs [--messages=1000,10000] [--reps=30]. Milliseconds of time,
// best and median. `core` is the engine's work with cached counts, including its report as text; `Pruner` adds reading
// the host's messages, comparing them with the kept ones, parsing the report and rebuilding; `prune` keeps nothing:
// everything crosses and is counted again.
import { Pruner, call, init, prune, readConversation, wasm } from "../../pkg/dist/core.js";
import "../../pkg/dist/index-node.js";
import { measure, openaiChat, option, table } from "./shared.mjs";

await init?.();
const row = table("messages", "tokens", "budget", "core, held", "core, held, same cut", "Pruner", "prune");
for (const length of option("messages", "1000,10000")) {
  const messages = openaiChat(length);
  const options = { budget: Number.MAX_SAFE_INTEGER };
  const { before } = prune(messages, options).report;
  const { messages: neutral } = readConversation(messages, {});
  const held = call(() => new (wasm().HeldConversation)({ tools: [] }));
  call(() => held.splice(0, neutral));
  for (const share of [1.1, 0.5, 0.1]) {
    const budget = Math.floor(before.total * share);
    const fields = {
      budget,
      tools: [],
      headroom: 0,
      keep: [],
      backfill: false,
      priorities: [],
      note: false,
      cacheStepShare: 0.1,
      dropMedia: "none",
    };
    const { cut } = JSON.parse(held.prune(fields));
    const pruner = new Pruner();
    row([
      length,
      before.total,
      `${Math.round(share * 100)} %`,
      measure(() => held.prune(fields)),
      measure(() => held.prune({ ...fields, previous: JSON.stringify(cut) })),
      measure(() => pruner.prune(messages, { budget, cacheStepShare: 0.1 })),
      measure(() => prune(messages, { budget })),
    ]);
    pruner.free();
  }
  held.free();
}
