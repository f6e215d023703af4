/** A conversation as an element: it takes what layout leaves it, and its oldest rounds are removed first. */

import { EspalierError } from "../../errors/errors.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import { PromptElement } from "../element.ts";
import { Chunk, IfEmpty, LogicalWrapper } from "../elements/containers.ts";
import { Image } from "../elements/media.ts";
import { AssistantMessage, SystemMessage, ToolMessage, UserMessage } from "../elements/messages.ts";
import { createPiece, Fragment } from "../piece.ts";
import type { BasePromptElementProps, BasePromptSizing, PromptChildren, PromptPiece } from "../piece.ts";
import { hostOf } from "../sizing.ts";
import { checkForeign } from "../../options/check.ts";
import { AGENT_PROMPT } from "../../options/schemas/prompt.ts";
import type { Format, NeutralMessage, Part } from "../../types/messages.ts";
import { readConversation } from "../../formats/index.ts";
import { grouped } from "./entries.ts";
import type { Group } from "./entries.ts";

/** The priorities of the parts of Copilot Chat's agent prompt. */
export const PRIORITIES = { request: 900, rounds: 899, earlier: 700 } as const;

/** Max share of the prompt's tokens for one result, as in Copilot Chat. */
const RESULT_SHARE = 0.5;

export interface ConversationHistoryProps extends BasePromptElementProps {
  /**
   * The conversation whose view is shown, with its edits and summaries. In `renderRequest` the default is
   * `options.conversation`.
   */
  conversation?: Conversation<any>;
  /** Messages of any format, instead of a conversation. */
  messages?: readonly object[];
  /** Format of `messages`. Default: detected. */
  format?: Format;
  /**
   * Max share of the prompt's budget for one tool result; longer ones are cut in the middle. Default 0.5; 1 cuts
   * nothing.
   */
  resultShare?: number;
  /** Whether what precedes the history is marked for the provider's cache, in formats that have marks. Default true. */
  cacheBreakpoint?: boolean;
}

/**
 * Shows a conversation in a prompt: its system messages, summaries, requests and rounds, each message in its host's
 * form. A call and its results are removed together. Of the earlier turns the oldest is removed first, then the rounds
 * of the current turn, then its request; summaries, system messages and pinned messages are removed last. With
 * `passPriority` these three parts compete with the element's siblings, at 700 (or `priority`), 899 and 900.
 *
 * `render` drops what does not fit by these priorities, in the end the newest request and the whole element as well.
 * `renderRequest` compacts the conversation instead, and throws if what must stay is too large.
 *
 * ```tsx
 * import { readFile } from "node:fs/promises";
 * import { openConversation } from "espalier";
 * import { ConversationHistory, render, SystemMessage } from "espalier/prompt";
 *
 * const messages = JSON.parse(await readFile("session.json", "utf8"));
 * const conversation = await openConversation({ format: "openai-chat", messages });
 * const prompt = await render(
 *   <>
 *     <SystemMessage>You mend parsers.</SystemMessage>
 *     <ConversationHistory conversation={conversation} flexGrow={1} priority={700} />
 *   </>,
 *   { budget: 8_000 },
 * );
 * prompt.tokens <= 8_000; // => true
 * prompt.messages.at(-1) === messages.at(-1); // => true
 * await conversation.dispose();
 * ```
 */
export class ConversationHistory extends PromptElement<ConversationHistoryProps> {
  render(_state: void, sizing: BasePromptSizing): PromptPiece {
    checkForeign(this.props, AGENT_PROMPT, "<ConversationHistory>");
    const { resultShare = RESULT_SHARE, priority } = this.props;
    const limit = resultShare === 1 ? Infinity : Math.floor(resultShare * sizing.endpoint.modelMaxPromptTokens);
    const host = hostOf(sizing);
    if (!host) {
      return inParts(plainGroups(this.props), priority, (groups, first) =>
        groups.map((group, at) =>
          createPiece(
            Chunk,
            { flexGrow: first + at + 1, priority: first + at + 1 },
            group.entries.flatMap(({ neutral }) => plainPieces(neutral)),
          ),
        ),
      );
    }
    const { entries, items, isCoarse } = host.claim(this.props, limit);
    return inParts(grouped(entries), priority, (groups, first) =>
      isCoarse
        ? [items.whole(groups.flatMap((group) => group.entries))]
        : groups.map((group, at) => items.group(group.entries, first + at + 1)),
    );
  }
}

/**
 * Returns the earlier turns, the newest request, and the rounds after it. Messages that must stay are beside them,
 * without a priority. Each group renders by itself, the newest first, so that layout charges its whole size and not an
 * equal share.
 */
function inParts(
  groups: readonly Group[],
  earlier: number | undefined,
  pieces: (groups: readonly Group[], first: number) => PromptPiece[],
): PromptPiece {
  const newest = groups.findLastIndex(({ kind }) => kind === "request");
  const rank = (at: number) => {
    if (groups[at]!.kind === "frame") return undefined;
    return newest < 0 || at < newest
      ? (earlier ?? PRIORITIES.earlier)
      : at === newest
        ? PRIORITIES.request
        : PRIORITIES.rounds;
  };
  const parts: PromptPiece[] = [];
  for (let start = 0, end = 0; start < groups.length; start = end) {
    const priority = rank(start);
    while (end < groups.length && rank(end) === priority) end += 1;
    parts.push(
      createPiece(
        LogicalWrapper,
        { flexGrow: parts.length + 1, ...(priority !== undefined && { priority }) },
        pieces(groups.slice(start, end), start),
      ),
    );
  }
  return createPiece(Fragment, null, parts);
}

/** For renderers that do not support histories: messages made of texts, calls, results and pictures. */
function plainGroups({ conversation, messages, format }: ConversationHistoryProps): Group[] {
  const all = conversation ? conversation.view().messages : messages;
  if (!Array.isArray(all))
    throw new EspalierError({
      code: "bad_option",
      message: "<ConversationHistory> needs conversation or messages",
      path: "conversation",
    });
  const own = conversation ? conversation.log.format : format;
  const reading = readConversation(all, { format: own });
  const entries = reading.messages.map((neutral) => ({
    message: neutral,
    format: reading.format,
    tokens: 0,
    counted: 0,
    neutral,
    ids: [],
    isKept: false,
  }));
  return grouped(entries);
}

function plainPieces({ role, parts }: NeutralMessage): PromptPiece[] {
  const results = parts.flatMap((part) =>
    part.type === "toolResult"
      ? [
          createPiece(
            ToolMessage,
            { toolCallId: part.callId },
            createPiece(IfEmpty, { alt: "(empty)" }, part.content.map(plainPart)),
          ),
        ]
      : [],
  );
  const calls = parts.flatMap((part) =>
    part.type === "toolCall"
      ? [{ id: part.callId, type: "function" as const, function: { name: part.name, arguments: part.arguments } }]
      : [],
  );
  const words = parts.flatMap((part) => (part.type === "text" || part.type === "image" ? [plainPart(part)] : []));
  if (words.length === 0 && calls.length === 0) return results;
  const element =
    role === "assistant" ? AssistantMessage : role === "system" || role === "developer" ? SystemMessage : UserMessage;
  return [...results, createPiece(element, calls.length > 0 ? { toolCalls: calls } : {}, words)];
}

function plainPart(part: Part): PromptChildren {
  if (part.type === "text") return part.text;
  if (part.type !== "image") return undefined;
  const src = part.data ?? part.url;
  return src === undefined
    ? undefined
    : createPiece(Image, { src, ...(part.mediaType !== undefined && { mimeType: part.mediaType }) });
}
