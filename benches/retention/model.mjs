/**
 * A model by rule, so that the board can show views with a model without needing one: it reads the history in its
 * request, keeps to the requested limit, and writes the requested form. It shows no model's quality, only whether room
 * given to a model's words costs more than these words bring.
 */

import { tokensOf } from "./tokens.mjs";

const MESSAGE = /<message id="([^"]+)" role="(\w+)"[^>]*>\n([^]*?)\n<\/message>/g;
const CALL = /<call tool="([^"]+)">([^]*?)<\/call>/g;
const PATH = /[\w@.-]*\/[\w@./-]+\.\w{1,5}\b/g;
const NAME = /\b(?:[a-z]+[A-Z]\w+|[A-Z][a-z0-9]+[A-Z]\w+|[a-z]+_[a-z_0-9]+)\b/g;
const EDITS = /edit|write|replace|patch|create|update|book|cancel|send/i;
/** Shares of the limit: the rest goes to the headings. */
const SHARES = { asked: 0.25, changed: 0.3, said: 0.3 };
const DEFAULT_LIMIT = 1_000;

/** Answers a request of `compact` for a summary. */
export async function scriptedModel({ messages }) {
  const text = messages.map(({ content }) => textOf(content)).join("\n");
  const limit = Number(text.match(/at most ([\d,]+) tokens/)?.[1].replaceAll(",", "") ?? DEFAULT_LIMIT);
  const history = [...text.matchAll(MESSAGE)].map(([, id, role, content]) => ({ id, role, content }));
  const said = history.filter(({ role }) => role === "assistant");
  const sections = {
    "Conversation Overview": within(
      history.filter(({ role }) => role === "user").map(({ id, content }) => `- ${id}: ${shortened(content, 200)}`),
      limit * SHARES.asked,
    ),
    "Codebase Status": within(changesIn(said), limit * SHARES.changed),
    "Progress Tracking": within(
      said.map(({ id, content }) => `- ${id}: ${shortened(content.replace(CALL, ""), 240)}`),
      limit * SHARES.said,
    ),
  };
  const names = ["Technical Foundation", "Problem Resolution", "Active Work State", "Recent Operations"];
  const rest = Object.fromEntries([...names, "Continuation Plan"].map((name) => [name, "See above."]));
  const written = Object.entries({ ...sections, ...rest }).map(([name, body]) => `## ${name}\n${body || "Nothing."}\n`);
  return { text: `<analysis>\nRead.\n</analysis>\n<summary>\n${written.join("\n")}</summary>` };
}

/** Returns the changes, with the names that they contain. */
function changesIn(said) {
  return said.flatMap(({ id, content }) =>
    [...content.matchAll(CALL)]
      .filter(([, tool]) => EDITS.test(tool))
      .map(([, tool, given]) => {
        const found = [...new Set([...(given.match(PATH) ?? []).slice(0, 1), ...(given.match(NAME) ?? [])])];
        return `- ${id}: ${tool} ${found.slice(0, 12).join(", ")}`;
      }),
  );
}

/** Returns the newest lines that fit, in their order. */
function within(lines, tokens) {
  const kept = [];
  let left = tokens;
  for (const line of lines.toReversed()) {
    left -= tokensOf(line) + 1;
    if (left < 0) break;
    kept.push(line);
  }
  return kept.reverse().join("\n");
}

function shortened(text, characters) {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= characters ? line : line.slice(0, line.lastIndexOf(" ", characters));
}

function textOf(content) {
  return typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("\n");
}
