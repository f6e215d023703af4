/** Drawing: totals, meter, steps, and one row for each message. */

import { ask } from "./client.ts";
import { element, number } from "./dom.ts";
import type { Opened, Ran, Row } from "./protocol.ts";
import type { Failed } from "./talk.ts";
import type { CompactReport, MessageFate } from "../js/types.ts";

export function showError({ code, message, path, largest }: Failed): void {
  const alert = element("alert");
  const names = largest?.length ? `\nThe largest of what cannot go:\n${largest.map((l) => `  ${l.id}: ${number(l.tokens)} tokens (${l.why})`).join("\n")}` : "";
  alert.textContent = `${message}${path && !message.includes(path) ? ` (at ${path})` : ""} [${code}]${names}`;
  alert.hidden = false;
}

export function hideError(): void {
  element("alert").hidden = true;
}

const STATUS: Record<string, string> = {
  applied: "A summary made by rules stands for the covered messages. With a model of your own it would read better; the lists would stay.",
  unchanged: "It fits.",
  nothing_to_compact: "There is too little to cover.",
  no_gain: "A summary would not free enough.",
  inflated: "A summary would be longer than what it stands for.",
};

export function showResult(opened: Opened, { mode, report, inserted }: Ran): void {
  element("result").hidden = false;
  const { before, after } = report;
  element("before").textContent = number(before.total);
  element("after").textContent = number(after.total);
  element("freed").textContent = `${number(Math.max(0, before.total - after.total))} (${percent(before.total - after.total, before.total)})`;
  const how = report.origin === "exact" ? "counted exactly" : `origin of the count: ${report.origin}`;
  const compacted = mode === "compact" ? (report as CompactReport) : undefined;
  const outcome = compacted ? STATUS[compacted.status] ?? compacted.status : after.messages < before.messages || report.removed.length ? "Removed until it fits, oldest first." : "It fits; nothing was removed.";
  element("status").textContent = `${outcome} ${before.messages} → ${after.messages} messages of ${opened.format}, ${how} with ${report.encoding}.`;
  meter(report);
  steps(report, compacted);
  const summary = element("summary");
  summary.hidden = !compacted?.summary;
  element("summary-text").textContent = compacted?.summary ?? "";
  void rows(opened, report, inserted);
}

function percent(part: number, whole: number): string {
  return `${whole > 0 ? Math.round((100 * part) / whole) : 0} %`;
}

/** What the result consists of, and where the budget ends. */
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
  element("split").textContent = `system ${number(after.frame)} · tools ${number(after.tools)} · conversation ${number(after.conversation)} · budget ${number(budget)}`;
}

function steps(report: Ran["report"], compacted: CompactReport | undefined): void {
  const lines = (compacted?.steps ?? []).map(({ step, outcome, tokensBefore, tokensAfter, why }) =>
    `${step}: ${outcome}, ${number(tokensBefore)} → ${number(tokensAfter)} tokens (${why})`);
  for (const { ids, rule, why, tokens } of report.removed) {
    const which = ids.length > 3 ? `${ids[0]} … ${ids.at(-1)} (${ids.length} messages)` : ids.join(", ");
    lines.push(`${rule}: ${which}, ${number(tokens)} tokens. ${why}`);
  }
  if (lines.length === 0) lines.push("Nothing had to be done.");
  element("step-list").replaceChildren(...lines.map((line) => {
    const item = document.createElement("li");
    item.textContent = line;
    return item;
  }));
}

const FATES: Record<MessageFate["fate"], string> = {
  kept: "kept", changed: "changed", dropped: "dropped", covered: "covered", inserted: "added",
};

/** Rows that are drawn before the page may answer to its user again. */
const CHUNK = 400;

interface Drawn {
  opened: Opened;
  items: Map<string, HTMLLIElement>;
  /** Rows of messages that the last run added. */
  inserted: HTMLLIElement[];
}

const filter = element<HTMLSelectElement>("filter");

let drawn: Drawn | undefined;
/** Drawing a long list stops when a newer result is there. */
let drawings = 0;

async function rows(opened: Opened, { messages: fates, removed }: Ran["report"], inserted: readonly Row[]): Promise<void> {
  const drawing = ++drawings;
  const list = element("messages");
  const reasons = new Map(removed.flatMap(({ ids, why }) => ids.map((id) => [id, why])));
  // Rows are made once for a conversation and only updated while the budget is dragged.
  if (drawn?.opened !== opened) {
    list.replaceChildren();
    drawn = { opened, items: new Map(), inserted: [] };
  }
  const { items, inserted: stale } = drawn;
  for (const item of stale.splice(0)) item.remove();
  const texts = new Map([...opened.rows, ...inserted].map((row) => [row.id, row]));
  const largest = fates.reduce((most, { before, after }) => Math.max(most, before, after), 1);
  element("messages-title").textContent = `Messages (${opened.rows.length})`;
  for (const [index, fate] of fates.entries()) {
    if (index > 0 && index % CHUNK === 0) {
      await new Promise((resolve) => setTimeout(resolve));
      if (drawing !== drawings) return;
    }
    const known = items.get(fate.id);
    const item = known ?? newRow(fate.id);
    if (fate.fate === "inserted") stale.push(item);
    else if (!known) items.set(fate.id, item);
    update(item, fate, texts.get(fate.id), largest, reasons.get(fate.id));
    item.hidden = isFiltered(item);
    // A row that stays in its place keeps the focus.
    const place = list.children[index];
    if (place !== item) list.insertBefore(item, place ?? null);
  }
}

function newRow(id: string): HTMLLIElement {
  const item = document.createElement("li");
  item.innerHTML = `<button aria-expanded="false"><span class="fate"></span><span class="role"></span><span class="bar"><i></i></span><span class="count"></span><span class="peek"></span></button>`;
  const button = item.firstElementChild as HTMLButtonElement;
  button.addEventListener("click", () => void toggle(item, button, id));
  return item;
}

function update(item: HTMLLIElement, { id, role, before, after, fate, rule }: MessageFate, row: Row | undefined, largest: number, why: string | undefined): void {
  const gone = fate === "dropped" || fate === "covered";
  item.className = gone ? "gone" : fate;
  item.dataset["kept"] = fate === "kept" ? "yes" : "no";
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
  item.firstElementChild!.setAttribute("title", `${id} ${FATES[fate]}${reason}, ${number(before)} → ${number(after)} tokens`);
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
  full.append(Object.assign(document.createElement("small"), { textContent: button.title }), document.createElement("pre"));
  item.append(full);
  button.ariaExpanded = "true";
  try {
    const { text } = await ask("read", { message: id });
    full.querySelector("pre")!.textContent = text || "(empty)";
  } catch (error) {
    full.querySelector("pre")!.textContent = (error as Failed).message;
  }
}

filter.addEventListener("change", applyFilter);

function applyFilter(): void {
  for (const item of element("messages").children as HTMLCollectionOf<HTMLElement>) item.hidden = isFiltered(item);
}

function isFiltered({ classList, dataset }: HTMLElement): boolean {
  return (filter.value === "kept" && classList.contains("gone")) || (filter.value === "gone" && dataset["kept"] === "yes");
}
