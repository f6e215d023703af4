/** The card of a session: which tool wrote it, what it holds, what was left out, and which of it is shown. */

import { element, made, number } from "./dom.ts";
import type { CompactionFacts, Opened, SessionFacts, UsageFacts, View } from "./protocol.ts";
import type { Failed } from "./talk.ts";

const chain = element<HTMLSelectElement>("chain");
const views = [...document.querySelectorAll<HTMLInputElement>("input[name=view]")];
const conversation = element<HTMLSelectElement>("conversation");

/** The file with several conversations that is offered or open. */
let several: File | undefined;

/** Calls back when a person chooses a view, or a conversation of a file with several. */
export function onSessionChoice(chosen: { view: (view: View) => void; conversation: (source: File, number: number) => void }): void {
  for (const radio of views) radio.addEventListener("change", () => chosen.view(radio.value === "history" ? "history" : "live"));
  chain.addEventListener("change", () => chosen.view(chain.value === "main" ? mainView() : { side: Number(chain.value) }));
  element("choice").addEventListener("submit", (event) => {
    event.preventDefault();
    if (several) chosen.conversation(several, Number(conversation.value));
  });
}

const mainView = (): View => (views.some(({ value, checked }) => checked && value === "history") ? "history" : "live");

/** Asks which conversation of a file to open. */
export function offerConversations(file: File, conversations: NonNullable<Failed["conversations"]>): void {
  several = file;
  element("choice").hidden = false;
  element("choice-title").textContent = `${file.name} holds ${number(conversations.length)} conversations. Which one?`;
  conversation.replaceChildren(...conversations.map(({ number: at, label, messages }) => new Option(`${at}. ${label || "unnamed"} (${count(messages, "message")})`, String(at))));
  conversation.focus();
}

export function showSession({ name, view, session, encoding }: Opened & { encoding: string }): void {
  element("session").hidden = !session;
  if (session?.conversation === undefined) {
    several = undefined;
    element("choice").hidden = true;
  }
  if (!session) return;
  const { tool, title, evidence, version } = session;
  element("session-title").textContent = title ?? name;
  element("session-tool").textContent = `A session of ${tool}${version ? ` (version ${version})` : ""}, recognised by ${evidence}.`;
  choices(session, view);
  element("session-facts").replaceChildren(...facts(session, name, encoding).flatMap(([term, text]) => [made("dt", "", term), made("dd", "", text)]));
  list("compactions", count(session.compactions.length, "compaction"), session.compactions.map(compactionItem));
  const skipped = session.skipped.reduce((sum, kind) => sum + kind.count, 0);
  list("skipped", `${count(skipped, "line or part", "lines or parts")} left out, since they are no messages`, session.skipped.map(({ kind, count, why }) => made("li", "", `${number(count)} × ${kind}${why ? `: ${why}` : ""}`)));
  const more = session.broken - session.problems.length;
  const problems = session.problems.map(({ line, message }) => `Line ${number(line)}: ${message}.`);
  if (more > 0) problems.push(`And ${number(more)} more.`);
  list("broken", `${count(session.broken, "broken line")}`, problems.map((text) => made("li", "", text)));
}

/** The switch between live context and history, and the list of side chains. */
function choices({ live, history, compactions, sides }: SessionFacts, view: View): void {
  const isSide = typeof view === "object";
  for (const radio of views) {
    if (!isSide) radio.checked = radio.value === view;
    radio.disabled = isSide || (radio.value === "live" && live === 0);
  }
  element("live-count").textContent = `the next request: ${count(live, "message")}`;
  element("history-count").textContent = `all that was said: ${count(history, "message")}`;
  const names = { subagent: "sub-agent", branch: "branch that was given up", other: "side chain" };
  const options = sides.map(({ kind, title, id, messages }, at) => new Option(`${names[kind]} ${title ?? id} (${count(messages, "message")})`, String(at)));
  chain.replaceChildren(new Option("the main conversation", "main"), ...options);
  chain.value = isSide ? String(view.side) : "main";
  element("chain-label").hidden = sides.length === 0;
  element("chain-title").textContent = `Conversation (and ${count(sides.length, "side chain")})`;
  element("view").hidden = compactions.length === 0 && live === history;
}

function facts({ live, history, requests, compactions, model, window, cwd, usage }: SessionFacts, name: string, encoding: string): [term: string, text: string][] {
  const isAllLive = compactions.length === 0 && live === history;
  const messages = isAllLive ? `${number(history)}, all of them live` : `${number(live)} live, ${number(history)} in the whole history`;
  const out: [string, string][] = [["Messages", `${messages}; ${count(requests, "request")} of the user`]];
  if (model) out.push(["Model", `${model}${window ? `, window of ${number(window)} tokens` : ""}`]);
  if (usage) out.push(["Newest request", usageText(usage, encoding)]);
  out.push(["File", `${name}${cwd ? `, written in ${cwd}` : ""}. It is read in this tab: nothing of it is sent anywhere, and nothing is written to it.`]);
  return out;
}

function usageText({ recorded, cached, model, counted, origin, messages, missing }: UsageFacts, encoding: string): string {
  const cache = cached > 0 ? `, ${number(cached)} of them from the cache` : "";
  const share = Math.abs((100 * (counted - recorded)) / recorded);
  const off = missing.length > 0 ? "" : `, ${share.toFixed(1)} % ${counted < recorded ? "less" : "more"}`;
  const how = origin === "exact" ? encoding : `${encoding}, origin ${origin}`;
  const lacks = missing.length > 0 ? ` The file does not hold ${missing.join(" or ")}, which the provider counted, too.` : "";
  return `The provider reported ${number(recorded)} tokens${cache}${model ? ` (${model})` : ""}. Counted here: ${number(counted)} in ${count(messages, "message")} (${how})${off}.${lacks}`;
}

function compactionItem({ before, context, summary, tokensBefore, tokensAfter }: CompactionFacts): HTMLLIElement {
  const tokens = tokensBefore === undefined ? "" : `, ${number(tokensBefore)}${tokensAfter === undefined ? "" : ` → ${number(tokensAfter)}`} tokens as the file says`;
  const item = made("li", "", `After message ${number(before)}: ${count(context, "message")} replaced all before it${tokens}.`);
  if (summary) {
    const details = made("details");
    details.append(made("summary", "", "Its summary"), made("pre", "", summary));
    item.append(details);
  }
  return item;
}

/** A list that opens on demand; hidden if it is empty. */
function list(id: string, title: string, items: readonly HTMLElement[]): void {
  element(id).hidden = items.length === 0;
  element(`${id}-title`).textContent = title;
  element(`${id}-list`).replaceChildren(...items);
}

const count = (value: number, one: string, many = `${one}s`) => `${number(value)} ${value === 1 ? one : many}`;
