// Common parts of the benchmarks of requests: an agent at work in two formats, times, rows of a table, options of the
// command line.
import { cpus } from "node:os";

/** Returns `--name=1,2` of the command line as numbers. */
export function option(name, otherwise) {
  return (process.argv.find((argument) => argument.startsWith(`--${name}=`))?.split("=")[1] ?? otherwise)
    .split(",")
    .map(Number);
}

const output = (at) => `building part ${at}\n`.repeat(5 + ((at * 7) % 90));

/**
 * Returns OpenAI chat messages: a request of the user every forty messages, calls and results of some hundred tokens
 * between them.
 */
export function openaiChat(length) {
  const messages = [{ role: "system", content: "You are a careful engineer." }];
  for (let at = 1; at < length; at += 2) {
    if (at % 40 === 1)
      messages.push({ role: "user", content: `Request ${at}: fix the parser, never touch the lexer.` });
    messages.push({
      role: "assistant",
      content: null,
      tool_calls: [
        {
          id: `c${at}`,
          type: "function",
          function: { name: "bash", arguments: JSON.stringify({ command: `make part${at}` }) },
        },
      ],
    });
    messages.push({ role: "tool", tool_call_id: `c${at}`, content: output(at) });
  }
  return messages.slice(0, length);
}

/** Returns Anthropic messages: one request, calls and results of some hundred tokens. */
export function anthropic(length) {
  const messages = [{ role: "user", content: "Fix the parser, never touch the lexer." }];
  for (let at = 1; messages.length < length; at++) {
    messages.push({
      role: "assistant",
      content: [{ type: "tool_use", id: `c${at}`, name: "bash", input: { command: `make part${at}` } }],
    });
    messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: `c${at}`, content: output(at) }] });
  }
  return messages.slice(0, length);
}

const [reps] = option("reps", "30");

/** Returns the milliseconds, best and median of `--reps`. */
export function measure(run) {
  const times = [];
  for (let rep = 0; rep < reps + 3; rep++) {
    const start = performance.now();
    run();
    times.push(performance.now() - start);
  }
  // The first runs compile.
  const counted = times.slice(3).sort((a, b) => a - b);
  return [counted[0], counted[counted.length >> 1]].map((ms) => ms.toFixed(1)).join(" / ");
}

/** Prints the machine and the head of a table; returns a function that prints its rows. */
export function table(...columns) {
  console.log(
    `${cpus()[0].model}, ${cpus().length} cores, node ${process.version}, ${new Date().toISOString().slice(0, 10)}. ms, best / median.\n`,
  );
  const row = (cells) => console.log(`| ${cells.join(" | ")} |`);
  row(columns);
  row(Array(columns.length).fill("---"));
  return row;
}
