/** Draws totals, meter, steps, and one row for each message. */

import { ask } from "./client.ts";
import { element, number } from "./dom.ts";
import type { Opened, Ran, Row } from "./protocol.ts";
import type { Failed } from "./talk.ts";
import type { CompactReport } from "../js/types/compact-report.ts";
import type { MessageFate } from "../js/types/prune.ts";

export function showError({ code, message, path, largest }: Failed): void {
  const alert = element("alert");
  const names = largest?.length
    ? `\nThe largest parts that must stay:\n${largest.map((l) => `  ${l.id}: ${number(l.tokens)} tokens (${l.why})`).join("\n")}`
    : "";
  alert.textContent = `${message}${path && path !== "source" && !message.includes(path) ? ` (at ${path})` : ""} [${code}]${names}`;
  alert.hidden = false;
}

export function hideError(): void {
  element("alert").hidden = true;
}

const STATUS: Record<string, string> = {
  applied:
    "A summary by rules replaces the covered messages. With your own model it would read better; the lists would stay.",
  unchanged: "It fits.",
  nothing_to_compact: "There are too few messages to summarise.",
  no_gain: "A summary would not free enough.",
  inflated: "A summary would be longer than the messages that it replaces.",
};

export function showResult(opened: Opened, { mode, report, inserted }: Ran): void {
  element("result").hidden = false;
  const { before, after } = report;
  element("before").textContent = number(before.total);
  element("after").textContent = number(after.total);
  element("freed").textContent =
    `${number(Math.max(0, before.total - after.total))} (${percent(before.total - after.total, before.total)})`;
  const how = report.origin === "exact" ? "counted exactly" : `origin of the count: ${report.origin}`;
  const compacted = mode === "compact" ? (report as CompactReport) : undefined;
  const outcome = compacted
    ? (STATUS[compacted.status] ?? compacted.status)
    : after.messages < before.messages || report.removed.length
      ? "Removed until it fits, oldest first."
      : "It fits; nothing was removed.";
  element("status").textContent =
    `${outcome} ${before.messages} → ${after.messages} messages of ${opened.format}, ${how} with ${report.encoding}.`;
  meter(report);
  steps(report, compacted);
  const summary = element("summary");
  summary.hidden = !compacted?.summary;
  element("summary-text").textContent = compacted?.summary ?? "";
  rows(opened, report, inserted);
}

function percent(part: number, whole: number): string {
  return `${whole > 0 ? Math.round((100 * part) / whole) : 0} %`;
}

/** Draws the content of the result, and the limit of the budget. */
function meter({ before, after, budget }: Ran["report"]): void {
  const scale = Math.max(before.total, budget, 1);
  const parts = (["frame", "tools", "conversation"] as const).map((kind) => {
    const part = document.createElement("i");
    part.className = kind;
    part.style.width = `${(100 * after[kind]) / scale}%`;
    return part;
  });
  const limit = document.createElement("b");
  limit.className = "limit";
  limit.style.left = `min(calc(100% - 3px), ${(100 * budget) / scale}%)`;
  const box = element("meter");
  box.replaceChildren(...parts, limit);
  box.ariaLabel = `system messages ${number(after.frame)}, tools ${number(after.tools)}, conversation ${number(after.conversation)} tokens, of a budget of ${number(budget)}`;
  box.title = box.ariaLabel;
  element("split").textContent =
    `system ${number(after.frame)} · tools ${number(after.tools)} · conversation ${number(after.conversation)} · budget ${number(budget)}`;
}

/** Max steps that are listed; a long history has tens of thousands. */
const MAX_STEPS = 200;

function steps(report: Ran["report"], compacted: CompactReport | undefined): void {
  const lines = (compacted?.steps ?? []).map(
    ({ step, outcome, tokensBefore, tokensAfter, why }) =>
      `${step}: ${outcome}, ${number(tokensBefore)} → ${number(tokensAfter)} tokens (${why})`,
  );
  for (const { ids, rule, why, tokens } of report.removed) {
    const which = ids.length > 3 ? `${ids[0]} … ${ids.at(-1)} (${ids.length} messages)` : ids.join(", ");
    lines.push(`${rule}: ${which}, ${number(tokens)} tokens. ${why}`);
  }
  if (lines.length === 0) lines.push("No step was needed.");
  if (lines.length > MAX_STEPS)
    lines.splice(MAX_STEPS, Number.POSITIVE_INFINITY, `And ${number(lines.length - MAX_STEPS)} more.`);
  element("step-list").replaceChildren(
    ...lines.map((line) => {
      const item = document.createElement("li");
      item.textContent = line;
      return item;
    }),
  );
}

const FATES: Record<MessageFate["fate"], string> = {
  kept: "kept",
  changed: "changed",
  dropped: "dropped",
  covered: "covered",
  inserted: "added",
};

/** Rows on a page: this number is drawn without a noticeable delay. */
const PAGE = 1_000;

interface Drawn {
  opened: Opened;
  /** Rows are made once for a conversation and only updated while the budget changes. */
  items: Map<string, HTMLLIElement>;
  fates: readonly MessageFate[];
  texts: Map<string, Row>;
  reasons: Map<string, string>;
  largest: number;
}

const filter = element<HTMLSelectElement>("filter");

let drawn: Drawn | undefined;
/** Index of the shown page. */
let page = 0;

function rows(opened: Opened, { messages: fates, removed }: Ran["report"], inserted: readonly Row[]): void {
  const isSame = drawn?.opened === opened;
  if (!isSame) page = 0;
  const items = isSame ? drawn!.items : new Map<string, HTMLLIElement>();
  // Messages that the last run inserted may reuse an id with another text.
  for (const { id } of inserted) items.delete(id);
  drawn = {
    opened,
    items,
    fates,
    texts: new Map([...opened.rows, ...inserted].map((row) => [row.id, row])),
    reasons: new Map(removed.flatMap(({ ids, why }) => ids.map((id) => [id, why]))),
    largest: fates.reduce((most, { before, after }) => Math.max(most, before, after), 1),
  };
  element("messages-title").textContent = `Messages (${opened.rows.length})`;
  drawRows();
}

function drawRows(): void {
  if (!drawn) return;
  const { fates, items, texts, reasons, largest } = drawn;
  const chosen = filter.value === "all" ? fates : fates.filter((fate) => isChosen(fate));
  const last = Math.max(0, Math.ceil(chosen.length / PAGE) - 1);
  page = Math.min(page, last);
  const shown = chosen.slice(page * PAGE, (page + 1) * PAGE).map((fate) => {
    const item = items.get(fate.id) ?? newRow(fate.id);
    items.set(fate.id, item);
    update(item, fate, texts.get(fate.id), largest, reasons.get(fate.id));
    return item;
  });
  const list = element("messages");
  const stays = new Set<Element>(shown);
  for (const item of [...list.children]) if (!stays.has(item)) item.remove();
  // A row that stays in its place keeps the focus.
  shown.forEach(
    (item, index) => list.children[index] !== item && list.insertBefore(item, list.children[index] ?? null),
  );
  element("pager").hidden = last === 0;
  element("page").textContent =
    `${number(page * PAGE + 1)}–${number(page * PAGE + shown.length)} of ${number(chosen.length)}`;
  for (const [id, target] of Object.entries(targets(last))) element<HTMLButtonElement>(id).disabled = target === page;
}

function isChosen({ fate }: MessageFate): boolean {
  return filter.value === "gone" ? fate !== "kept" : fate !== "dropped" && fate !== "covered";
}

/** Returns the pages to which the buttons below the rows lead. */
function targets(last: number): Record<string, number> {
  return {
    "page-first": 0,
    "page-back": Math.max(0, page - 1),
    "page-on": Math.min(last, page + 1),
    "page-last": last,
  };
}

for (const id of ["page-first", "page-back", "page-on", "page-last"]) {
  element(id).addEventListener("click", () => {
    page = targets(Number.MAX_SAFE_INTEGER)[id]!;
    drawRows();
    element("messages-title").scrollIntoView();
  });
}
filter.addEventListener("change", () => {
  page = 0;
  drawRows();
});

function newRow(id: string): HTMLLIElement {
  const item = document.createElement("li");
  item.innerHTML = `<button aria-expanded="false"><span class="fate"></span><span class="role"></span><span class="bar"><i></i></span><span class="count"></span><span class="peek"></span></button>`;
  const button = item.firstElementChild as HTMLButtonElement;
  button.addEventListener("click", () => void toggle(item, button, id));
  return item;
}

function update(
  item: HTMLLIElement,
  { id, role, before, after, fate, rule }: MessageFate,
  row: Row | undefined,
  largest: number,
  why: string | undefined,
): void {
  const gone = fate === "dropped" || fate === "covered";
  item.className = gone ? "gone" : fate;
  const part = (name: string) => item.querySelector<HTMLElement>(`.${name}`)!;
  part("fate").textContent = FATES[fate];
  part("role").textContent = role;
  part("peek").textContent = row?.peek || "(empty)";
  part("count").textContent = number(Math.max(before, after));
  const bar = part("bar");
  bar.className = `bar ${fate}`;
  bar.style.width = `${(100 * Math.max(before, after)) / largest}%`;
  (bar.firstElementChild as HTMLElement).style.width = `${(100 * after) / Math.max(before, after, 1)}%`;
  (bar.firstElementChild as HTMLElement).hidden = after === 0;
  const reason = rule ? ` (${rule}${why ? `: ${why}` : ""})` : "";
  item.firstElementChild!.setAttribute(
    "title",
    `${id} ${FATES[fate]}${reason}, ${number(before)} → ${number(after)} tokens`,
  );
}

async function toggle(item: HTMLLIElement, button: HTMLButtonElement, id: string): Promise<void> {
  const open = item.querySelector(".full");
  if (open) {
    open.remove();
    button.ariaExpanded = "false";
    return;
  }
  const full = document.createElement("div");
  full.className = "full";
  full.append(
    Object.assign(document.createElement("small"), { textContent: button.title }),
    document.createElement("pre"),
  );
  item.append(full);
  button.ariaExpanded = "true";
  try {
    const { text } = await ask("read", { message: id });
    full.querySelector("pre")!.textContent = text || "(empty)";
  } catch (error) {
    full.querySelector("pre")!.textContent = (error as Failed).message;
  }
}
