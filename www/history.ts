/** The page of a history: it previews, applies and undoes edits, adds pins, and shows the log. */

import "../js/entries/engines/core-web.ts";
import { readConversation } from "../js/formats/index.ts";
import { describeEntry } from "../js/cli/entry.ts";
import type { Entry } from "../js/cli/entry.ts";
import { words } from "../js/cli/report.ts";
import { ConversationLog } from "../js/entries/log.ts";
import { compact, EspalierError, init } from "../js/entries/verbs.ts";
import { isLasting } from "../js/log/fields.ts";
import type { CompactReport, Edit } from "../js/types/compact-report.ts";
import type { NeutralMessage } from "../js/types/messages.ts";
import { element, made, number, takeDrops } from "./dom.ts";
import { EXAMPLES } from "./examples.ts";
import { keepFetched, stayOffline } from "./offline.ts";
import { read, readers, textOf } from "./reading.ts";
import type { Source } from "./reading.ts";

const example = element<HTMLSelectElement>("example");
const file = element<HTMLInputElement>("file");
const slider = element<HTMLInputElement>("slider");
const tokens = element<HTMLInputElement>("tokens");

let log: ConversationLog<NeutralMessage>;
let ids: string[] = [];
/** Tokens of the whole history. */
let whole = 0;
/** The previewed edits, and the log's length at that time. */
let plan: { edits: Edit[]; report: CompactReport; since: number } | undefined;
/** The report of the newest active compaction; shown until the next change. */
let applied: CompactReport | undefined;
/** Ids of messages whose text is expanded. */
const opened = new Set<string>();
/** Applied compactions, as the ids of their edits, and undone ones. */
let done: string[][] = [];
let undone: string[][] = [];

async function open(source: Source): Promise<void> {
  const reading = await conversationIn(source);
  log?.close();
  log = ConversationLog.from(reading.messages, { format: "espalier", tools: reading.tools });
  ids = reading.messages.map(({ id }) => id);
  whole = log.totals().total;
  plan = applied = undefined;
  done = undone = [];
  opened.clear();
  setBudget(Math.round(whole / 2));
  draw("Nothing is hidden. “Preview” shows what a compaction would do.");
}

/**
 * Reads the conversation in a file: for an agent's session the whole history, since this page is about undoing; else a
 * list of messages or a request.
 */
async function conversationIn(source: Source): Promise<ReturnType<typeof readConversation>> {
  if (source instanceof File) {
    const { openSession, sessionRequest } = await readers();
    try {
      const session = await openSession(source, { name: source.name });
      return readConversation(sessionRequest(session, "history"), { format: session.format });
    } catch (error) {
      if (!(error instanceof EspalierError) || !["unknown_session", "bad_json"].includes(error.code)) throw error;
    }
  }
  return readConversation(await read(source), {});
}

/** Previews a compaction to the budget. Nothing is recorded. */
async function look(): Promise<void> {
  const since = log.length;
  const { edits, report } = await compact(log.neutral(), log.counted({ budget: budget(), force: true }));
  plan = { edits: edits.filter(isLasting), report, since };
  applied = undefined;
  const after = log.previewAdopted(plan.edits, { since }).after.total;
  draw(
    plan.edits.length === 0
      ? `Nothing to do (${report.status}).`
      : `${number(log.totals().total)} tokens would become ${number(after)}. Apply the plan, or drag the budget and preview again.`,
  );
}

function apply(): void {
  const { edits, report, since } = plan!;
  done.push(log.adopt(edits, { since, trigger: "manual", data: { status: report.status } }));
  undone = [];
  plan = undefined;
  applied = report;
  draw("Applied. The originals still exist: choose a row to read one, or undo.");
}

function undo(): void {
  const last = done.pop()!;
  for (const id of last.toReversed()) log.undo(id);
  undone.push(last);
  plan = applied = undefined;
  draw("Undone: the view is what it was, byte for byte.");
}

function redo(): void {
  const next = undone.pop()!;
  for (const id of next) log.redo(id);
  done.push(next);
  plan = applied = undefined;
  draw("Back again.");
}

function pin(id: string): void {
  const held = log.pins().find(({ message }) => message === id);
  if (held) log.unpin(held.id);
  else log.pin({ message: id, reason: "chosen on the page" });
  plan = applied = undefined;
  draw(held ? `${id} is no longer pinned.` : `${id} is pinned: no edit removes it, and a removed message is back.`);
}

// ------------------------------------------------------------ drawing

function draw(status: string): void {
  const { total } = log.totals();
  element("history").textContent = number(whole);
  element("view").textContent = number(total);
  element("status").textContent = status;
  element("alert").hidden = true;
  element("result").hidden = false;
  element<HTMLButtonElement>("apply").disabled = !plan?.edits.length;
  element<HTMLButtonElement>("undo").disabled = done.length === 0;
  element<HTMLButtonElement>("redo").disabled = undone.length === 0;
  drawPlan();
  drawMessages();
  drawEdits();
  drawLog();
}

function drawPlan(): void {
  const report = plan?.report ?? applied;
  element("plan").hidden = !report;
  if (!report) return;
  element("plan-title").textContent = plan ? "Planned steps" : "Steps";
  element("quality").querySelector("caption")!.textContent = plan
    ? "Facts that the model would still see"
    : "Facts that the model still sees";
  const { steps, quality, ledger, summary } = report;
  element("step-list").replaceChildren(
    ...steps.map(({ step, outcome, tokensBefore, tokensAfter, why }) =>
      made(
        "li",
        "",
        `${step}: ${outcome.replace("_", " ")}, ${number(tokensBefore)} → ${number(tokensAfter)} tokens: ${why}`,
      ),
    ),
  );
  table(
    "quality",
    (quality?.retention ?? [])
      .filter(({ all }) => all > 0)
      .map((of) => [words(of.kind), of.all, of.literal, of.ownLine, of.recall]),
  );
  table(
    "ledger",
    (ledger ?? []).map(({ block, lines, shortened, leftOut }) => [block, lines, shortened, leftOut]),
  );
  element("summary-text").textContent = summary ?? "";
}

function table(id: string, rows: (string | number)[][]): void {
  const box = element(id);
  box.hidden = rows.length === 0;
  box.querySelector("tbody")!.replaceChildren(
    ...rows.map((cells) => {
      const row = made("tr");
      row.append(
        ...cells.map((cell, at) => made(at === 0 ? "th" : "td", "", typeof cell === "number" ? number(cell) : cell)),
      );
      return row;
    }),
  );
}

function drawMessages(): void {
  const pinned = new Set(log.pins().map(({ message }) => message));
  const known = new Set(ids);
  const would = new Set(plan?.report.covered);
  const originals = ids.map((id) => log.recall(id)[0]!);
  const { messages } = log.view();
  const largest = Math.max(
    1,
    ...originals.map(({ tokens }) => tokens),
    ...messages.map(({ id }) => log.tokensOf([id])),
  );
  const rows = new Map(
    originals.map(({ id, role, message, place, by, tokens: before }) => {
      const fate = pinned.has(id) ? "pinned" : place === "shown" ? (would.has(id) ? "would be hidden" : "sent") : place;
      const hidden = place === "covered" || place === "dropped" || place === "rewound";
      return [
        id,
        row({
          id,
          role,
          text: textOf(message),
          before,
          after: log.tokensOf([id]),
          largest,
          fate,
          why: by.length ? `${hidden ? "Hidden" : "Changed"} by ${by.join(", ")}. ` : "",
          pinned: pinned.has(id),
        }),
      ];
    }),
  );
  // Summaries appear at their place in the view, before the next message of the history.
  const list: HTMLElement[] = [];
  let next = 0;
  for (const message of messages) {
    const at = ids.indexOf(message.id, next);
    if (!known.has(message.id)) {
      list.push(
        row({
          id: message.id,
          role: message.role,
          text: textOf(message),
          before: 0,
          after: log.tokensOf([message.id]),
          largest,
          fate: "added",
          why: "",
        }),
      );
    } else if (at >= 0) {
      while (next <= at) list.push(rows.get(ids[next++]!)!);
    }
  }
  while (next < ids.length) list.push(rows.get(ids[next++]!)!);
  element("messages").replaceChildren(...list);
}

interface RowData {
  id: string;
  role: string;
  text: string;
  /** Tokens without edits (0: an edit inserted the message) and as sent (0: not sent). */
  before: number;
  after: number;
  largest: number;
  fate: string;
  why: string;
  pinned?: boolean;
}

function row({ id, role, text, before, after, largest, fate, why, pinned = false }: RowData): HTMLElement {
  const item = made("li", "pinnable");
  const added = fate === "added";
  const size = Math.max(before, after);
  const button = made("button", after === 0 ? "gone" : "");
  button.title = `${id}: ${number(before)} → ${number(after)} tokens`;
  const bar = made("span", `bar ${added ? "inserted" : "kept"}`);
  const filled = made("i");
  filled.hidden = after === 0;
  filled.style.width = `${(100 * after) / Math.max(size, 1)}%`;
  bar.style.width = `${Math.max(1, (100 * size) / largest)}%`;
  bar.append(filled);
  button.append(
    made("span", "role", role),
    made("span", "fate", fate),
    bar,
    made("span", "count", number(after || before)),
    made("span", "peek", text.replace(/\s+/g, " ").slice(0, 200)),
  );
  const full = made("pre", "full", `${why}${text}`);
  full.hidden = !opened.has(id);
  button.ariaExpanded = String(!full.hidden);
  button.addEventListener("click", () => {
    full.hidden = !full.hidden;
    button.ariaExpanded = String(!full.hidden);
    if (full.hidden) opened.delete(id);
    else opened.add(id);
  });
  item.append(button);
  if (!added) {
    const toggle = made("button", "pin", pinned ? "unpin" : "pin");
    toggle.ariaPressed = String(pinned);
    toggle.ariaLabel = `${pinned ? "unpin" : "pin"} ${id}`;
    toggle.addEventListener("click", () => attempt(() => pin(id)));
    item.append(toggle);
  }
  item.append(full);
  return item;
}

function drawEdits(): void {
  const rows = log.edits().map(({ id, kind, rule, author, tokensBefore, tokensAfter, targets, revokedBy }) => {
    const which =
      targets.length > 2 || kind === "replace_range" ? `${targets[0]} … ${targets.at(-1)}` : targets.join(", ");
    return made(
      "li",
      revokedBy ? "gone" : "",
      `${id}: ${kind.replace("_", " ")} by ${author} (${rule}), ${which}, ${number(tokensBefore)} → ${number(tokensAfter)} tokens${revokedBy ? `, undone by ${revokedBy}` : ""}`,
    );
  });
  element("edits").replaceChildren(...(rows.length ? rows : [made("li", "", "None yet.")]));
}

/** Max lines of a message that are shown. */
const LINES = 200;

function drawLog(): void {
  const lines = log
    .export(Math.max(0, log.length - LINES))
    .split("\n")
    .slice(0, -1);
  element("events").replaceChildren(
    ...lines.toReversed().map((line) => {
      const item = made("li");
      const entry = made("details");
      const what = JSON.parse(line) as Entry;
      entry.append(made("summary", "", `${what.seq} ${describeEntry(what)}`), made("pre", "", line));
      item.append(entry);
      return item;
    }),
  );
  const save = element<HTMLAnchorElement>("save");
  URL.revokeObjectURL(save.href);
  save.href = URL.createObjectURL(new Blob([log.export()], { type: "application/jsonl" }));
}

// ------------------------------------------------------------ controls

function budget(): number {
  return tokens.value.trim() === "" ? Number.NaN : Number(tokens.value);
}

function setBudget(value: number): void {
  tokens.value = String(value);
  const share = whole > 0 ? (100 * value) / whole : 100;
  slider.value = String(Math.min(100, Math.max(1, Math.round(share))));
  element("percent").textContent = `${Math.round(share)} % of ${number(whole)}`;
}

/** One after the other; an error is shown, and the previous state stays. */
let queue = Promise.resolve();
function attempt(action: () => void | Promise<void>): void {
  queue = queue.then(action).catch((error: { code?: string; message: string; path?: string }) => {
    const alert = element("alert");
    alert.textContent = `${error.message}${error.code ? ` [${error.code}]` : ""}`;
    alert.hidden = false;
  });
}

slider.addEventListener("input", () => {
  setBudget(Math.ceil((whole * Number(slider.value)) / 100));
  attempt(look);
});
tokens.addEventListener("change", () => {
  setBudget(Number(tokens.value));
  attempt(look);
});
for (const [id, action] of Object.entries({ preview: look, apply, undo, redo }))
  element(id).addEventListener("click", () => attempt(action));
for (const { name, url } of EXAMPLES) example.add(new Option(name, url));
example.addEventListener("change", () => attempt(() => open(EXAMPLES[example.selectedIndex]!)));
file.addEventListener("change", () => {
  const chosen = file.files?.[0];
  if (chosen) attempt(() => open(chosen));
});
takeDrops((dropped) => attempt(() => open(dropped)));
attempt(async () => {
  await init();
  await open(EXAMPLES[0]!);
  await keepFetched();
});
stayOffline();
