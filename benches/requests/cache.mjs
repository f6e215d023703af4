// Cache marks and shared prefixes: node requests/cache.mjs [--messages=1000,10000] [--reps=30]. Milliseconds of time,
// best and median. `marks` reads, decides and sets marks on copies; `prefix` compares a request with the next one of
// the same conversation and counts their shared prefix; with `counts held` nothing is counted; `breaks early` is a
// request that differs in its second message.
import { placeMarks, stablePrefix } from "../../pkg/dist/cache-node.js";
import { countMessages } from "../../pkg/dist/index-node.js";
import { anthropic, measure, option, table } from "./shared.mjs";

const row = table("messages", "tokens", "marks", "prefix", "prefix, counts held", "prefix, breaks early");
for (const length of option("messages", "1000,10000")) {
  const messages = anthropic(length);
  const request = {
    model: "claude-sonnet-4-5",
    system: "You are a careful engineer.",
    tools: [{ name: "bash", input_schema: {} }],
    messages,
  };
  const before = { ...request, messages: messages.slice(0, -2) };
  const changed = {
    ...request,
    messages: messages.map((message, at) => (at === 1 ? { ...message, content: "no" } : message)),
  };
  const { total, perMessage } = countMessages(request);
  const counts = perMessage.map(({ tokens }) => tokens);
  const { newest: previousNewest } = placeMarks(before);
  row([
    length,
    total,
    measure(() => placeMarks(request, { previousNewest })),
    measure(() => stablePrefix(before, request)),
    measure(() => stablePrefix(before, request, { counts })),
    measure(() => stablePrefix(before, changed)),
  ]);
}
