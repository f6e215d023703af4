/** @jsxImportSource preact */
/** What is known of the opened file: its tool, its numbers, what was left out, and which of its messages are shown. */

import type { ComponentChildren } from "preact";
import { showPart } from "../app/opening.ts";
import { encoding } from "../app/state.ts";
import type { CompactionFacts, SessionFacts, UsageFacts } from "../protocol.ts";
import type { Part } from "../worker/questions.ts";
import { conversation } from "./state.ts";
import { count, number } from "./words.ts";

export function FileFacts() {
  const open = conversation.value;
  if (!open) return null;
  const { session, name, part, count: messages, total, format } = open;
  if (!session)
    return (
      <div id="facts">
        <h2>{name}</h2>
        <p>
          {count(messages, "message")} of {format}, {count(total, "token")}. It was read in this tab: nothing of it is
          sent anywhere.
        </p>
        <Where />
      </div>
    );
  const { tool, title, evidence, version } = session;
  return (
    <div id="session">
      <h2 id="session-title">{title ?? name}</h2>
      <p id="session-tool">
        A session of {tool}
        {version ? ` (version ${version})` : ""}, recognised by {evidence}.
      </p>
      <Choices session={session} part={part} />
      <dl id="session-facts">
        {facts(session, name).map(([term, text]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <Lists session={session} />
      <Where />
    </div>
  );
}

function Choices({ session, part }: { session: SessionFacts; part: Part }) {
  const { live, history, compactions, sides } = session;
  const isSide = typeof part === "object";
  const kinds = { subagent: "sub-agent", branch: "abandoned branch", other: "other" };
  const radio = (value: "live" | "history", title: string, count: string) => (
    <label>
      <input
        type="radio"
        name="part"
        value={value}
        checked={part === value}
        disabled={isSide || (value === "live" && live === 0)}
        onChange={() => void showPart(value)}
      />{" "}
      {title} <small id={`${value}-count`}>{count}</small>
    </label>
  );
  return (
    <>
      {(compactions.length > 0 || live !== history) && (
        <fieldset id="part">
          <legend>Show</legend>
          {radio("live", "live context", `the next request: ${count(live, "message")}`)}
          {radio("history", "whole history", `all messages: ${count(history, "message")}`)}
        </fieldset>
      )}
      {sides.length > 0 && (
        <label id="chain-label">
          Conversation (and {count(sides.length, "side chain")})
          <select
            id="chain"
            value={isSide ? String(part.side) : "main"}
            onChange={({ currentTarget: { value } }) =>
              void showPart(value === "main" ? mainPart(session) : { side: Number(value) })
            }
          >
            <option value="main">the main conversation</option>
            {sides.map(({ kind, name, messages }, at) => (
              <option key={name + String(at)} value={String(at)}>
                {kinds[kind]}: {name} ({count(messages, "message")})
              </option>
            ))}
          </select>
        </label>
      )}
    </>
  );
}

const mainPart = ({ live }: SessionFacts): Part => (live === 0 ? "history" : "live");

function Lists({ session }: { session: SessionFacts }) {
  const { compactions, skipped, problems, broken } = session;
  const left = skipped.reduce((sum, kind) => sum + kind.count, 0);
  const more = broken - problems.length;
  return (
    <>
      <List id="compactions" title={count(compactions.length, "compaction")} isEmpty={compactions.length === 0}>
        {compactions.map((one) => (
          <li key={one.before}>
            {replaced(one)}
            {one.summary && (
              <details>
                <summary>Its summary</summary>
                <pre>{one.summary}</pre>
              </details>
            )}
          </li>
        ))}
      </List>
      <List
        id="skipped"
        title={`Left out: ${count(left, "line or part that is not a message", "lines or parts that are not messages")}`}
        isEmpty={left === 0}
      >
        {skipped.map(({ kind, count, why }) => (
          <li key={kind}>
            {number(count)} × {kind}
            {why ? `: ${why}` : ""}
          </li>
        ))}
      </List>
      <List id="broken" title={count(broken, "broken line")} isEmpty={broken === 0}>
        {problems.map(({ line, message }) => (
          <li key={line}>
            Line {number(line)}: {message}.
          </li>
        ))}
        {more > 0 && <li>And {number(more)} more.</li>}
      </List>
    </>
  );
}

function List(props: { id: string; title: string; isEmpty: boolean; children: ComponentChildren }) {
  const { id, title, isEmpty, children } = props;
  if (isEmpty) return null;
  return (
    <details id={id}>
      <summary>{title}</summary>
      <ul>{children}</ul>
    </details>
  );
}

function replaced({ before, context, tokensBefore, tokensAfter }: CompactionFacts): string {
  const after = tokensAfter === undefined ? "" : ` → ${number(tokensAfter)}`;
  const tokens = tokensBefore === undefined ? "" : `, ${number(tokensBefore)}${after} tokens by the file`;
  return `After message ${number(before)}: ${count(context, "message")} replaced all before it${tokens}.`;
}

type Fact = [term: string, text: string];

function facts({ live, history, turns, compactions, model, window, cwd, usage }: SessionFacts, name: string): Fact[] {
  const isAllLive = compactions.length === 0 && live === history;
  const parts = `${number(live)} live, ${number(history)} in the whole history`;
  const messages = isAllLive ? `${number(history)}, all of them live` : parts;
  const out: Fact[] = [["Messages", `${messages}; ${count(turns, "turn")} of the user`]];
  if (model) out.push(["Model", `${model}${window ? `, window of ${number(window)} tokens` : ""}`]);
  if (usage) out.push(["Newest request", usageText(usage, encoding.value)]);
  const privacy = "It is read in this tab: nothing of it is sent anywhere, and nothing is written to it.";
  out.push(["File", `${name}${cwd ? `, of a session in ${cwd}` : ""}. ${privacy}`]);
  return out;
}

function usageText(usage: UsageFacts, encoding: string): string {
  const { recorded, cached, model, counted, origin, messages, missing } = usage;
  const cache = cached > 0 ? `, ${number(cached)} of them from the cache` : "";
  const reported = `The provider reported ${number(recorded)} tokens${cache}${model ? ` (${model})` : ""}.`;
  const how = origin === "exact" ? encoding : `${encoding}, origin ${origin}`;
  const ours = `Counted here: ${number(counted)} in ${count(messages, "message")} (${how})`;
  if (missing.length > 0)
    return `${reported} ${ours}. The file lacks ${missing.join(" and ")}, which the provider counted, too.`;
  const share = Math.abs((100 * (counted - recorded)) / recorded);
  return `${reported} ${ours}, ${share.toFixed(1)} % ${counted < recorded ? "less" : "more"}.`;
}

const FOLDERS = [
  ["Claude Code", "~/.claude/projects/…/*.jsonl"],
  ["Codex", "~/.codex/sessions/…/rollout-*.jsonl"],
  ["gemini-cli", "~/.gemini/tmp/…/chats/"],
  ["Copilot CLI", "~/.copilot/session-state/…/events.jsonl"],
  ["aider", ".aider.chat.history.md in the project"],
  ["Cline, Roo", "api_conversation_history.json in the folder of the task"],
  ["opencode", "the output of opencode export"],
  ["VS Code", "the file of the command “Chat: Export Chat”"],
] as const;

function Where() {
  return (
    <details id="where">
      <summary>Where agents keep their sessions</summary>
      <dl>
        {FOLDERS.map(([tool, path]) => (
          <div key={tool}>
            <dt>{tool}</dt>
            <dd>{path}</dd>
          </div>
        ))}
      </dl>
      <p>
        Also messages of OpenAI, Anthropic, Gemini, VS Code or the AI SDK as JSON. Folders whose name begins with a dot
        are hidden: in the window of “Open” press Ctrl+H (Linux) or ⌘⇧. (macOS), or drop the file.
      </p>
    </details>
  );
}
