/** The page of a prompt tree: renders it once for each form, then cuts it to the chosen budget. */

import "../js/entries/engines/core-web.ts";
import { init } from "../js/entries/verbs.ts";
import { render } from "../js/prompt/index.ts";
import type { Explanation, Rendered } from "../js/prompt/index.ts";
import { element, made } from "./dom.ts";
import source from "./example-prompt.tsx?text";
import { Prompt } from "./example-prompt.tsx";
import { keepFetched, stayOffline } from "./offline.ts";

const slider = element<HTMLInputElement>("slider");
const tokens = element<HTMLInputElement>("tokens");
const format = element<HTMLSelectElement>("format");
const backfill = element<HTMLInputElement>("backfill");

/** Rendered with room for everything. */
let whole: Rendered;
/** Expanded rows, by node, so that they stay expanded while the budget changes. */
const opened = new Set<number>();

async function start(): Promise<void> {
  const budget = slider.max === "" || !whole ? undefined : Number(tokens.value);
  whole?.free();
  whole = await render(<Prompt />, {
    budget: 2_000,
    format: format.value as "openai-chat",
    backfill: backfill.checked,
  });
  slider.max = String(whole.tokens);
  await fit(budget ?? Math.round(whole.tokens * 0.6));
}

/** One after the other, because each cuts the same tree. */
let queue = Promise.resolve();

function fit(budget: number): Promise<void> {
  slider.value = tokens.value = String(budget);
  return (queue = queue.then(() => show(budget)));
}

async function show(budget: number): Promise<void> {
  // A later one is already waiting.
  if (Number(tokens.value) !== budget) return;
  element("percent").textContent = `${Math.round((100 * budget) / whole.tokens)} %`;
  const alert = element("alert");
  try {
    const { tokens: used, removed, request, trace } = await cut(budget);
    alert.hidden = true;
    element("status").textContent =
      `${used} of ${budget} tokens, counted exactly; ${removed === 0 ? "nothing was removed" : `${removed} nodes removed`}.`;
    element("request-text").textContent = JSON.stringify(request, undefined, 2);
    draw(trace);
  } catch (error) {
    const { code, message, trace } = error as { code?: string; message: string; trace?: { nodes: Explanation[] } };
    alert.textContent = code ? `${message} [${code}]` : message;
    alert.hidden = false;
    if (trace) draw(trace.nodes);
  }
  element("result").hidden = false;
}

async function cut(budget: number) {
  const fitting = await whole.prune(budget);
  const { tokens, removed, request } = fitting;
  return { tokens, removed, request, trace: fitting.trace().nodes };
}

function draw(nodes: Explanation[]): void {
  const depth = new Map<number, number>();
  const most = Math.max(1, ...nodes.map(({ tokens = 0 }) => tokens));
  const rows = nodes.map((node) => {
    const level = node.parent === undefined ? 0 : depth.get(node.parent)! + 1;
    depth.set(node.id, level);
    return row(node, level, most);
  });
  element("tree").replaceChildren(...rows);
}

function row(node: Explanation, level: number, most: number): HTMLElement {
  const name = node.kind === "text" ? JSON.stringify(node.text) : (node.role ?? node.path.split(" > ").at(-1)!);
  const button = made("button", node.kept ? "" : "gone");
  button.style.paddingInlineStart = `${0.2 + level}rem`;
  const bar = made("span", node.kept ? "bar kept" : "bar");
  const filled = made("i", "");
  filled.style.width = node.kept ? "100%" : "0";
  bar.style.width = `${Math.max(1, (100 * (node.tokens ?? 0)) / most)}%`;
  bar.append(filled);
  // Our elements give priorities just below the max to their content.
  const rank = node.priority > Number.MAX_SAFE_INTEGER - 100 ? "" : `priority ${node.priority}`;
  button.append(
    made("span", node.kind === "text" ? "peek text" : "peek", name),
    made("span", "rank", rank),
    bar,
    made("span", "count", node.tokens === undefined ? "" : String(node.tokens)),
  );
  button.ariaLabel = node.sentence;
  const item = made("li", "");
  const reason = made("p", "full", node.sentence);
  reason.hidden = !opened.has(node.id);
  button.addEventListener("click", () => {
    reason.hidden = !reason.hidden;
    if (reason.hidden) opened.delete(node.id);
    else opened.add(node.id);
  });
  item.append(button, reason);
  return item;
}

slider.addEventListener("input", () => void fit(Number(slider.value)));
tokens.addEventListener("change", () => void fit(Math.max(0, Math.round(Number(tokens.value)) || 0)));
for (const control of [format, backfill]) control.addEventListener("change", () => void start());
element("source").textContent = source;
await init();
await start();
stayOffline();
await keepFetched();
