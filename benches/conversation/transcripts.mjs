// Replays recorded runs through a conversation, in every provider's form, at budgets from 8k to 128k, with no model, a
// poor one and a good one. Checks that every request is valid and within its budget, that it contains the newest
// request, and that every compaction makes room.
//   node --import tsx benches/conversation/transcripts.mjs FOLDER [every=1] [every of the other forms=8] [name]
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { SHAPES, WRITERS, replayed } from "../../tests/js/conversation/replay.ts";

const [folder, every = "1", others = "8", only = ""] = process.argv.slice(2);
if (!folder) throw new Error("the folder of the recordings is needed: JSON files with { messages } as OpenAI has them");
const BUDGETS = [8_000, 16_000, 32_000, 64_000, 128_000];
const files = readdirSync(folder).filter((name) => name.endsWith(".json") && name.includes(only));
let wrong = 0;
console.log(
  "recording                    budget  model  requests  compactions  calls  trimmed  exceeded  longest row  fullest  other forms",
);
for (const file of files) {
  const { messages } = JSON.parse(readFileSync(join(folder, file), "utf8"));
  if (!Array.isArray(messages)) continue;
  let fits = false;
  for (const budget of BUDGETS) {
    for (const writer of Object.keys(WRITERS)) {
      const own = await replayed(messages, "openai-chat", budget, writer, Number(every));
      const all = [own];
      for (const shape of SHAPES.slice(1)) all.push(await replayed(messages, shape, budget, writer, Number(others)));
      const troubles = all.flatMap((found, at) => found.wrong.map((what) => `${SHAPES[at]} ${what}`));
      wrong += troubles.length;
      const { requests, compactions, calls, trimmed, exceeded, row, fullest } = own;
      const rest = all.slice(1).reduce((sum, found) => sum + found.requests, 0);
      console.log(
        [
          file.replace(".json", "").padEnd(28),
          String(budget).padStart(6),
          writer.padStart(6),
          String(requests).padStart(9),
          String(compactions).padStart(12),
          String(calls).padStart(6),
          String(trimmed).padStart(8),
          String(exceeded).padStart(9),
          String(row).padStart(12),
          fullest.toFixed(2).padStart(8),
          String(rest).padStart(12),
        ].join(" "),
      );
      for (const trouble of troubles.slice(0, 5)) console.log(`    ${trouble}`);
      // A run that fits with room to spare fits larger budgets, too.
      fits = fullest < 0.5;
      if (fits) break;
    }
    if (fits) break;
  }
}
console.log(wrong === 0 ? "nothing wrong" : `${wrong} things wrong`);
process.exitCode = wrong === 0 ? 0 : 1;
