/**
 * A run as one HTML page: all messages with their fates and reasons, readable without this playground, without a
 * network and without scripts. Stretches of removed messages are folded, as in the list.
 */

import { fateWord, REASONS } from "../conversation/fate-words.ts";
import { columnsOf } from "../conversation/columns.ts";
import { itemsOf, stretch } from "../conversation/items.ts";
import { count, number } from "../conversation/words.ts";
import { textOf } from "../reading.ts";
import type { NeutralMessage } from "../../js/types/messages.ts";
import { insertedIn, isShape, NO_WORDS } from "./asked.ts";
import style from "./saved-page.css?style";
import { held } from "./held.ts";
import { FATES, ROLES } from "./questions.ts";
import type { Questions, Rows } from "./questions.ts";
import { fullRun } from "./runs.ts";
import type { FullRun } from "./runs.ts";

/**
 * Max characters of all texts: browsers do not open much larger pages. Texts after that are left out, which is said.
 */
const MAX_TEXTS = 50_000_000;
/** Max columns of the overview. */
const MAX_COLUMNS = 500;
const WIDE = 1_000;
const HIGH = 60;

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string) => text.replace(/[&<>"]/g, (one) => ENTITIES[one]!);

/** `headline` and `sentence` are those of the page. */
export async function savedPage({ run, headline, sentence }: Questions["page"][0]): Promise<string> {
  const of = held();
  const ran = await fullRun(run);
  const { rows, report } = ran;
  const message = rowMessages(ran);
  const reasons = reasonsOf(ran);
  let room = MAX_TEXTS;
  const pre = (title: string, text: string) => {
    room -= text.length;
    if (room < 0) return `<p class="left-out">${title}: left out, so that this page can be opened.</p>`;
    return `<h2>${title}</h2><pre>\n${escaped(text) || "(empty)"}</pre>`;
  };
  const rowHTML = (row: number) => {
    const { original, sent } = message(row);
    const fate = FATES[rows.fates[row]!]!;
    const [before, after] = [rows.before[row]!, rows.after[row]!];
    const index = rows.index[row]!;
    const text = textOf(original);
    const changed = index >= 0 && sent ? textOf(sent) : text;
    const peek = text.slice(0, 200).replace(/\s+/g, " ").trim();
    const tokens =
      before === after || after === 0 || before === 0
        ? number(before || after)
        : `${number(before)} → ${number(after)}`;
    const why = reasons(original.id) || REASONS[fate];
    return (
      `<details class="message ${fate}"><summary><span class="n">${index >= 0 ? index + 1 : "+"}</span>` +
      `<span class="fate">${fateWord(rows.fates[row]!, before, after)}</span><span class="role">${ROLES[rows.roles[row]!]}</span>` +
      `<span class="count">${tokens}</span><span class="peek">${escaped(peek)}</span></summary>` +
      `<p>${escaped(why)}</p>${changed === text ? "" : pre("As sent", changed)}${pre(index < 0 ? "What is added" : "Text", text)}</details>`
    );
  };
  const items = itemsOf(rows, { filter: "all", matches: undefined, unfolded: new Set() });
  const body = items.map((item) => {
    if (item.size === 1) return rowHTML(item.row);
    const { before, after } = stretch(rows, item);
    const inner = Array.from({ length: item.size }, (_, at) => rowHTML(item.row + at)).join("\n");
    return `<details class="fold"><summary>${count(item.size, "message")} not sent: ${number(before)} → ${number(after)} tokens</summary>\n${inner}\n</details>`;
  });
  const steps = "steps" in report ? report.steps : [];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(of.open.name)}: what fits</title>
<style>${style}</style>
</head>
<body>
<header>
<p class="name">${escaped(of.open.name)}</p>
<h1>${escaped(headline)}</h1>
<p>${escaped(sentence)}</p>
<p class="name">${ran.mode === "prune" ? "Pruned" : "Compacted"} to ${number(ran.budget)} tokens, counted with ${escaped(report.encoding)} (${report.origin}).</p>
${overview(rows)}
<fieldset><legend>Show</legend>
<label><input type="radio" name="show" id="all" checked> all messages</label>
<label><input type="radio" name="show" id="sent"> sent</label>
<label><input type="radio" name="show" id="gone"> not sent, or changed</label>
</fieldset>
${steps.length > 0 ? `<details><summary>How the summary came about: ${count(steps.length, "step")}</summary><ol>${steps.map(({ step, outcome, why, tokensBefore, tokensAfter }) => `<li>${escaped(`${step}: ${outcome.replace("_", " ")}, ${number(tokensBefore)} → ${number(tokensAfter)} tokens: ${why}`)}</li>`).join("")}</ol></details>` : ""}
</header>
<main>
${body.join("\n")}
</main>
<footer>Saved from the playground of Espalier. This page loads nothing and runs no script.</footer>
</body>
</html>
`;
}

/** Returns a function for the message of each row, and of what is sent of it. Rows are asked for in their order. */
function rowMessages(ran: FullRun): (row: number) => { original: NeutralMessage; sent?: NeutralMessage } {
  const of = held();
  const inserted = insertedIn(ran);
  let next = 0;
  return (row) => {
    const index = ran.rows.index[row]!;
    if (index < 0) return { original: inserted[next++]! };
    const message = of.reading.messages[index]!;
    if (isShape(of)) return { original: { ...message, parts: [{ type: "text", text: NO_WORDS }] } };
    const sent = ran.sent.get(message.id);
    return { original: message, ...(sent && { sent }) };
  };
}

/** Returns a function for the reasons of a message, in words; empty if no rule says more than its fate. */
function reasonsOf({ report }: FullRun): (id: string) => string {
  const by = new Map<string, string[]>();
  for (const { ids, why } of report.removed) for (const id of ids) by.set(id, [...(by.get(id) ?? []), why]);
  return (id) => by.get(id)?.join("; ") ?? "";
}

/** The overview as a drawing in the page's colours. */
function overview(rows: Rows): string {
  const columns = columnsOf(rows, Math.min(MAX_COLUMNS, rows.index.length));
  const width = WIDE / columns.length;
  const bar = (at: number, share: number, name: string) => {
    const high = Math.max(1, share * HIGH);
    return `<rect class="${name}" x="${(at * width).toFixed(2)}" y="${(HIGH - high).toFixed(1)}" width="${Math.max(1, width - (width > 3 ? 1 : 0)).toFixed(2)}" height="${high.toFixed(1)}"/>`;
  };
  const bars = columns.flatMap(({ whole, sent, fate }, at) => [
    bar(at, whole, "dropped"),
    ...(sent > 0 ? [bar(at, sent, FATES[fate]!)] : []),
  ]);
  return `<svg role="img" aria-label="Overview: a column for each message, as high as its tokens" viewBox="0 0 ${WIDE} ${HIGH}" preserveAspectRatio="none">${bars.join("")}</svg>`;
}
