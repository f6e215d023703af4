/** The page "Show what is sent": HTML without scripts, so that its content security policy can forbid them. */

/** A message of the request, or an original that a summary replaced. */
export interface ShownMessage {
  role: string;
  tokens: number;
  text: string;
  /** What happened to it; absent if it is sent as it was written. */
  fate?: string;
}

/** A change that is in force. */
export interface ShownChange {
  title: string;
  why: string;
  before: number;
  after: number;
  originals: ShownMessage[];
}

export interface SentPage {
  model: string;
  used: number;
  limit: number;
  /** True if the request has been sent; false if it is what the next one would be. */
  isSent: boolean;
  split: { kind: string; name: string; tokens: number }[];
  messages: ShownMessage[];
  changes: ShownChange[];
  /** Removals from this request only. */
  left: { why: string; tokens: number; messages: number }[];
  tools: string[];
  pins: string[];
}

/** Max characters of one text, and of the first words in its row. */
const MAX_TEXT = 200_000;
const START = 200;

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
const number = (count: number) => count.toLocaleString("en");

export function pageOf(page: SentPage, style: string, source: string): string {
  const { model, used, limit, isSent, messages } = page;
  const policy = `default-src 'none'; style-src ${source}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="${escaped(style)}">
<title>What is sent</title>
</head>
<body>
<main>
<h1>${isSent ? "What was sent" : "What the next request sends"} to ${escaped(model)}</h1>
<p>${number(messages.length)} messages, ${number(used)} of ${number(limit)} tokens (${Math.round((100 * used) / limit)} %).</p>
${bar(page)}
<h2>Messages, in order</h2>
${messages.map(row).join("\n")}
${section("What was replaced, and why", page.changes.map(change))}
${section("Left out of this request only", page.left.map(leftOut))}
${section(
  "Kept word for word (pins)",
  page.pins.map((pin) => `<p>${escaped(pin)}</p>`),
)}
${section(
  "Tools",
  page.tools.map((tool) => `<p>${escaped(tool)}</p>`),
)}
</main>
</body>
</html>`;
}

function section(title: string, items: readonly string[]): string {
  return items.length === 0 ? "" : `<h2>${escaped(title)}</h2>\n${items.join("\n")}`;
}

/** Draws what takes the window. Widths are attributes: the policy forbids inline styles. */
function bar({ split, used, limit }: SentPage): string {
  const whole = Math.max(limit, used, 1);
  let x = 0;
  const rects = split.map(({ kind, tokens }) => {
    const width = (1_000 * tokens) / whole;
    const rect = `<rect class="${kind}" x="${x.toFixed(2)}" width="${width.toFixed(2)}" height="24"/>`;
    x += width;
    return rect;
  });
  const legend = split.map(
    ({ kind, name, tokens }) => `<li><span class="${kind}"></span>${escaped(name)}: ${number(tokens)}</li>`,
  );
  return `<svg viewBox="0 0 1000 24" preserveAspectRatio="none" aria-hidden="true"><rect class="free" width="1000" height="24"/>${rects.join("")}</svg>
<ul class="legend">${legend.join("")}<li><span class="free"></span>Free: ${number(Math.max(0, limit - used))}</li></ul>`;
}

function row({ role, tokens, text, fate }: ShownMessage): string {
  // The tag around a summary says nothing to people.
  const words = (fate === "summary" ? text.replace(/^<[^>]*>/, "") : text).replace(/\s+/g, " ").trim();
  const start = words.length > START ? `${words.slice(0, START)}…` : words;
  const shown =
    text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}\n… (${number(text.length)} characters in all)` : text;
  return `<details><summary><span class="role">${escaped(role)}</span><span class="count">${number(tokens)}</span>${
    fate === undefined ? "" : `<span class="fate">${escaped(fate)}</span>`
  }<span class="start">${escaped(start)}</span></summary><pre tabindex="0">${escaped(shown)}</pre></details>`;
}

function change({ title, why, before, after, originals }: ShownChange): string {
  return `<details class="change"><summary><span class="role">${escaped(title)}</span><span class="count">${number(before)} → ${number(after)}</span><span class="start">${escaped(why)}</span></summary>
<div class="nested"><p class="quiet">${escaped(why)}</p>${originals.map(row).join("\n")}</div></details>`;
}

function leftOut({ why, tokens, messages }: SentPage["left"][number]): string {
  return `<p>${escaped(why)} <span class="quiet">(${number(messages)} ${messages === 1 ? "message" : "messages"}, ${number(tokens)} tokens)</span></p>`;
}
