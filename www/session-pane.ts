/** The card of a session: its tool, its content, the skipped lines, and the choice of messages. */

import { element, made, number } from "./dom.ts";
import type { CompactionFacts, Opened, SessionFacts, UsageFacts, View } from "./protocol.ts";
import type { Failed } from "./talk.ts";

const chain = element<HTMLSelectElement>("chain");
const views = [...document.querySelectorAll<HTMLInputElement>("input[name=view]")];
const conversation = element<HTMLSelectElement>("conversation");

/** The file with several conversations that is offered or open. */
let several: File | undefined;

export interface Choices {
  view(view: View): void;
  conversation(source: File, number: number): void;
}

/** Calls back when the user chooses a view, or a conversation of a file with several. */
export function onSessionChoice(chosen: Choices): void {
  for (const radio of views) radio.addEventListener("change", () => chosen.view(mainView()));
  chain.addEventListener("change", () => {
    chosen.view(chain.value === "main" ? mainView() : { side: Number(chain.value) });
  });
  element("choice").addEventListener("submit", (event) => {
    event.preventDefault();
    if (several) chosen.conversation(several, Number(conversation.value));
  });
}

const mainView = () => (views.some(({ value, checked }) => checked && value === "history") ? "history" : "live");

/** Asks which conversation of a file to open. */
export function offerConversations(file: File, conversations: NonNullable<Failed["conversations"]>): void {
  several = file;
  element("choice").hidden = false;
  element("choice-title").textContent =
    `${file.name} contains ${number(conversations.length)} conversations. Which one?`;
  const named = conversations.map(
    ({ number: at, label, messages }) =>
      new Option(`${at}. ${label || "unnamed"} (${count(messages, "message")})`, String(at)),
  );
  conversation.replaceChildren(...named);
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
  const versionText = version ? ` (version ${version})` : "";
  element("session-tool").textContent = `A session of ${tool}${versionText}, recognised by ${evidence}.`;
  choices(session, view);
  const terms = facts(session, name, encoding).flatMap(([term, text]) => [made("dt", "", term), made("dd", "", text)]);
  element("session-facts").replaceChildren(...terms);
  list("compactions", count(session.compactions.length, "compaction"), session.compactions.map(compactionItem));
  const skipped = session.skipped.reduce((sum, kind) => sum + kind.count, 0);
  const kinds = session.skipped.map(({ kind, count, why }) => `${number(count)} × ${kind}${why ? `: ${why}` : ""}`);
  list(
    "skipped",
    `Left out: ${count(skipped, "line or part that is not a message", "lines or parts that are not messages")}`,
    items(kinds),
  );
  const more = session.broken - session.problems.length;
  const problems = session.problems.map(({ line, message }) => `Line ${number(line)}: ${message}.`);
  if (more > 0) problems.push(`And ${number(more)} more.`);
  list("broken", count(session.broken, "broken line"), items(problems));
}

/** Draws the switch between live context and history, and the list of side chains. */
function choices({ live, history, compactions, sides }: SessionFacts, view: View): void {
  const isSide = typeof view === "object";
  for (const radio of views) {
    if (!isSide) radio.checked = radio.value === view;
    radio.disabled = isSide || (radio.value === "live" && live === 0);
  }
  element("live-count").textContent = `the next request: ${count(live, "message")}`;
  element("history-count").textContent = `all messages: ${count(history, "message")}`;
  const kinds = { subagent: "sub-agent", branch: "abandoned branch", other: "other" };
  const options = sides.map(
    ({ kind, name, messages }, at) => new Option(`${kinds[kind]}: ${name} (${count(messages, "message")})`, String(at)),
  );
  chain.replaceChildren(new Option("the main conversation", "main"), ...options);
  chain.value = isSide ? String(view.side) : "main";
  element("chain-label").hidden = sides.length === 0;
  element("chain-title").textContent = `Conversation (and ${count(sides.length, "side chain")})`;
  element("view").hidden = compactions.length === 0 && live === history;
}

type Fact = [term: string, text: string];

function facts(
  { live, history, turns, compactions, model, window, cwd, usage }: SessionFacts,
  name: string,
  encoding: string,
): Fact[] {
  const isAllLive = compactions.length === 0 && live === history;
  const views = `${number(live)} live, ${number(history)} in the whole history`;
  const messages = isAllLive ? `${number(history)}, all of them live` : views;
  const out: Fact[] = [["Messages", `${messages}; ${count(turns, "turn")} of the user`]];
  if (model) out.push(["Model", `${model}${window ? `, window of ${number(window)} tokens` : ""}`]);
  if (usage) out.push(["Newest request", usageText(usage, encoding)]);
  const privacy = "It is read in this tab: nothing of it is sent anywhere, and nothing is written to it.";
  out.push(["File", `${name}${cwd ? `, of a session in ${cwd}` : ""}. ${privacy}`]);
  return out;
}

function usageText(
  { recorded, cached, model, counted, origin, messages, missing }: UsageFacts,
  encoding: string,
): string {
  const cache = cached > 0 ? `, ${number(cached)} of them from the cache` : "";
  const reported = `The provider reported ${number(recorded)} tokens${cache}${model ? ` (${model})` : ""}.`;
  const how = origin === "exact" ? encoding : `${encoding}, origin ${origin}`;
  const ours = `Counted here: ${number(counted)} in ${count(messages, "message")} (${how})`;
  if (missing.length > 0)
    return `${reported} ${ours}. The file lacks ${missing.join(" and ")}, which the provider counted, too.`;
  const share = Math.abs((100 * (counted - recorded)) / recorded);
  return `${reported} ${ours}, ${share.toFixed(1)} % ${counted < recorded ? "less" : "more"}.`;
}

function compactionItem({ before, context, summary, tokensBefore, tokensAfter }: CompactionFacts): HTMLLIElement {
  const after = tokensAfter === undefined ? "" : ` → ${number(tokensAfter)}`;
  const tokens = tokensBefore === undefined ? "" : `, ${number(tokensBefore)}${after} tokens by the file`;
  const replaced = `After message ${number(before)}: ${count(context, "message")} replaced all before it`;
  const item = made("li", "", `${replaced}${tokens}.`);
  if (summary) {
    const details = made("details");
    details.append(made("summary", "", "Its summary"), made("pre", "", summary));
    item.append(details);
  }
  return item;
}

/** Draws a list that opens on demand; hidden if it is empty. */
function list(id: string, title: string, items: readonly HTMLElement[]): void {
  element(id).hidden = items.length === 0;
  element(`${id}-title`).textContent = title;
  element(`${id}-list`).replaceChildren(...items);
}

const items = (texts: readonly string[]) => texts.map((text) => made("li", "", text));

const count = (value: number, one: string, many = `${one}s`) => `${number(value)} ${value === 1 ? one : many}`;
