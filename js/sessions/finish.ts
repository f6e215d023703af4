/** Makes the session from a reader's collected content. */

import { EspalierError } from "../errors/errors.ts";
import { isFields, objects } from "./draft.ts";
import type { Chain, Draft } from "./draft.ts";
import type { Reader } from "./reader.ts";
import type { ReadSessionOptions, Session, SessionProblem } from "./types.ts";

/** Returns the conversation that the options select. */
export function pick(
  read: Draft | Draft[],
  reader: Reader,
  { conversation, sideChain, name }: ReadSessionOptions,
): Draft {
  const drafts = Array.isArray(read) ? read : [read];
  const file = name ?? "the file";
  if (drafts.length > 1 && conversation === undefined) {
    const conversations = drafts.map(({ label, messages }, at) => ({
      number: at + 1,
      label,
      messages: messages.length,
    }));
    const list = conversations
      .slice(0, 10)
      .map(
        (one) => `${one.number} (${one.label || "unnamed"}, ${one.messages} message${one.messages === 1 ? "" : "s"})`,
      );
    const more = drafts.length > 10 ? `, and ${drafts.length - 10} more` : "";
    const message = `${file} contains ${drafts.length} conversations of ${reader.tool}: ${list.join(", ")}${more}. Choose one with options.conversation.`;
    throw new EspalierError({
      code: "several_sessions",
      message,
      path: "options.conversation",
      details: { conversations },
    });
  }
  const draft = drafts[(conversation ?? 1) - 1];
  if (!draft) {
    const message = `options.conversation is ${conversation}, but ${file} contains only ${drafts.length}`;
    throw new EspalierError({ code: "bad_option", message, path: "options.conversation" });
  }
  if (sideChain === undefined) return onlySideChain(draft) ?? draft;
  const chain = draft.chains.find(({ id }) => id === sideChain);
  if (chain) return sideOf(chain);
  const ids = draft.chains.slice(0, 10).map(({ id }) => JSON.stringify(id));
  const has = ids.length === 0 ? "none" : ids.join(", ");
  throw new EspalierError({
    code: "bad_option",
    message: `options.sideChain is not a side chain of ${file}, which has ${has}`,
    path: "options.sideChain",
  });
}

function sideOf({ id, draft }: Chain): Draft {
  draft.tell({ sideChain: id });
  return draft;
}

/** Returns the side chain of a file with nothing else, as the files of Claude Code's sub-agents are. */
function onlySideChain({ messages, chains, about, skipped }: Draft): Draft | undefined {
  const [chain, ...others] = chains;
  if (messages.length > 0 || !chain || others.length > 0) return undefined;
  sideOf(chain).tell(about);
  for (const { kind, count, why } of skipped) for (let left = count; left > 0; left--) chain.draft.skip(kind, why);
  return chain.draft;
}

export function finish(
  draft: Draft,
  reader: Reader,
  evidence: string,
  problems: SessionProblem[],
  { name }: ReadSessionOptions,
): Session {
  const { format, messages: history, entries, compactions, usage, skipped, about, chains } = draft;
  const messages = draft.live();
  if (messages.length === 0 && history.length === 0) throw empty(draft, reader, evidence, name);
  return {
    layout: reader.layout,
    tool: reader.tool,
    evidence,
    format,
    messages,
    history,
    entries,
    turns: turnsOf(draft),
    compactions,
    usage,
    sideChains: chains.map(({ draft: side, ...chain }) => ({ ...chain, messages: side.live() })),
    skipped,
    problems,
    ...about,
  };
}

function turnsOf({ messages, entries }: Draft): number {
  return messages.filter((message, index) => !entries[index]!.injected && isRequest(message)).length;
}

/**
 * Returns true for a user's message, in any format, without tool results. 1 is the user of prompt-tsx's raw messages.
 */
function isRequest(message: unknown): boolean {
  if (!isFields(message) || (message["role"] !== "user" && message["role"] !== 1)) return false;
  const { content, parts } = message;
  return ![...objects(content), ...objects(parts)].some(
    (part) => part["type"] === "tool_result" || part["type"] === "toolResult" || "functionResponse" in part,
  );
}

function empty({ skipped, chains }: Draft, reader: Reader, evidence: string, name = "the file"): EspalierError {
  const kinds = skipped
    .slice(0, 8)
    .map(({ kind, count }) => `${count} × ${kind}`)
    .join(", ");
  const what = kinds === "" ? "" : ` It holds ${kinds}.`;
  const first = chains[0]
    ? ` Its side chains can be opened by options.sideChain, such as ${JSON.stringify(chains[0].id)}.`
    : "";
  const message = `${name} is a file of ${reader.tool} (${evidence}), but contains no message of a conversation.${what}${first}`;
  return new EspalierError({ code: "no_conversation", message, path: "source" });
}
