/**
 * Earlier turns and rounds of tool calls, ranked as agents need them: the newest gets its budget first and is pruned
 * last.
 */

import { badOption } from "../errors/errors.ts";
import { truncate } from "../results/truncate.ts";
import { PromptElement } from "./element.ts";
import {
  AssistantMessage,
  IfEmpty,
  LogicalWrapper,
  TokenLimit,
  ToolMessage,
  useKeepWith,
  UserMessage,
} from "./elements/index.ts";
import { createPiece, Fragment } from "./piece.ts";
import type { BasePromptElementProps, BasePromptSizing, PromptPiece, PromptChildren } from "./piece.ts";

/** A tool call and its result. */
export interface ToolExchange {
  id: string;
  name: string;
  /** JSON, as the model wrote it. */
  arguments: string;
  /** Text, or elements such as `<ToolResult data={…} />`. */
  result: PromptChildren;
}

/** The model's text in one step, and its tool calls. */
export interface ToolRound {
  text?: PromptChildren;
  calls: readonly ToolExchange[];
}

/** A request, the work on it, and the answer. */
export interface Turn {
  request: PromptChildren;
  rounds?: readonly ToolRound[];
  response?: PromptChildren;
}

/**
 * Ranks a list from the oldest to the newest: the last has the highest priority and renders first, and the others share
 * what it leaves.
 *
 * ```tsx
 * import { rankRounds, render, UserMessage } from "espalier/prompt";
 *
 * const texts = ["the oldest message", "a later message", "the newest message"];
 * const prompt = <>{rankRounds(texts.map((text) => <UserMessage>{text}</UserMessage>))}</>;
 * const { messages } = await render(prompt, { budget: 12 });
 * messages; // => [{ role: "user", content: "the newest message" }]
 * ```
 */
export function rankRounds(list: readonly PromptChildren[]): PromptPiece[] {
  return list.map((child, at) => createPiece(LogicalWrapper, { priority: at, flexGrow: at + 1 }, child));
}

export interface ToolCallRoundsProps extends BasePromptElementProps {
  /** Oldest first. */
  rounds: readonly ToolRound[];
  /**
   * Max tokens of each result: longer texts are cut in the middle, elements are limited. Default: results stay whole or
   * are removed.
   */
  truncateAt?: number;
}

/**
 * Rounds of tool calls. Older rounds are pruned first, and within a round earlier results; a call is removed with its
 * result. Later results render first, with a share of the remaining budget held back for each of the others: a quarter,
 * divided by the rounds and the round's calls.
 *
 * ```tsx
 * import { readFile } from "node:fs/promises";
 * import { render, ToolCallRounds, UserMessage } from "espalier/prompt";
 *
 * const result = await readFile("src/app.ts", "utf8");
 * const rounds = [{ text: "I look.", calls: [{ id: "t1", name: "read_file", arguments: "{}", result }] }];
 * const { messages, tokens } = await render(
 *   <>
 *     <UserMessage priority={900}>What does start3 do?</UserMessage>
 *     <ToolCallRounds priority={899} flexGrow={2} rounds={rounds} truncateAt={500} />
 *   </>,
 *   { budget: 1_000 },
 * );
 * messages.map(({ role }) => role); // => ["user", "assistant", "tool"]
 * tokens < 600; // => true
 * ```
 */
export class ToolCallRounds extends PromptElement<ToolCallRoundsProps> {
  render(): PromptPiece {
    const { rounds, truncateAt } = this.props;
    if (truncateAt !== undefined && !(Number.isSafeInteger(truncateAt) && truncateAt >= 0))
      throw badOption("truncateAt", "a whole number, 0 or more", truncateAt);
    return createPiece(
      Fragment,
      null,
      rankRounds(
        rounds.map((round) =>
          createPiece(Round, { round, rounds: rounds.length, ...(truncateAt !== undefined && { truncateAt }) }),
        ),
      ),
    );
  }
}

interface RoundProps extends BasePromptElementProps {
  round: ToolRound;
  /** Number of rounds. */
  rounds: number;
  truncateAt?: number;
}

class Round extends PromptElement<RoundProps> {
  async render(_state: void, sizing: BasePromptSizing): Promise<PromptPiece> {
    const {
      round: { text, calls },
      rounds,
      truncateAt,
    } = this.props;
    const results = await Promise.all(
      calls.map(({ result }) => (truncateAt === undefined ? result : limited(result, truncateAt, sizing))),
    );
    const bound = calls.map((call) => ({ call, keepWith: useKeepWith() }));
    const toolCalls = bound.map(({ call: { id, name, arguments: given }, keepWith }) => ({
      id,
      type: "function",
      function: { name, arguments: given },
      keepWith,
    }));
    return createPiece(
      Fragment,
      null,
      createPiece(AssistantMessage, toolCalls.length > 0 ? { toolCalls } : {}, text),
      bound.map(({ call, keepWith }, at) =>
        createPiece(
          keepWith,
          { priority: at, flexGrow: at + 1, flexReserve: `/${4 * rounds * calls.length}` },
          // An empty message would vanish and leave its call without an answer, which providers refuse.
          createPiece(ToolMessage, { toolCallId: call.id }, createPiece(IfEmpty, { alt: "(empty)" }, results[at])),
        ),
      ),
    );
  }
}

/** Counts of two tokenizers differ by a factor that few tries reveal. */
const TRIES = 4;

/** Limits a result to its tokens. A text is cut, since a limit around it would keep all of it or nothing. */
async function limited(result: PromptChildren, most: number, sizing: BasePromptSizing): Promise<PromptChildren> {
  if (typeof result !== "string") return createPiece(TokenLimit, { max: most }, result);
  let tokens = await sizing.countTokens(result);
  let [text, limit] = [result, most];
  for (let turn = 0; turn < TRIES && tokens > most; turn += 1) {
    text = truncate(result, { maxTokens: limit }).text;
    tokens = await sizing.countTokens(text);
    limit = Math.floor((limit * most) / Math.max(tokens, 1)) - 1;
    if (limit < 0) break;
  }
  return tokens > most ? "" : text;
}

export interface ChatHistoryProps extends BasePromptElementProps {
  /** Oldest first. */
  turns: readonly Turn[];
}

/**
 * Earlier turns. Older turns are pruned first; within a turn its tool calls, then the answer, then the request.
 *
 * ```tsx
 * import { ChatHistory, render, UserMessage } from "espalier/prompt";
 *
 * const turns = [{ request: "Hello", response: "Hi!" }];
 * const { messages } = await render(
 *   <><ChatHistory priority={700} flexGrow={1} turns={turns} /><UserMessage priority={900}>Why?</UserMessage></>,
 *   { budget: 1_000 },
 * );
 * messages.map(({ content }) => content); // => ["Hello", "Hi!", "Why?"]
 * ```
 */
export class ChatHistory extends PromptElement<ChatHistoryProps> {
  render(): PromptPiece {
    return createPiece(
      Fragment,
      null,
      rankRounds(
        this.props.turns.map(({ request, rounds = [], response }) =>
          createPiece(
            Fragment,
            null,
            createPiece(UserMessage, { priority: 2 }, request),
            rounds.length > 0 && createPiece(ToolCallRounds, { priority: 0, rounds }),
            response !== undefined && createPiece(AssistantMessage, { priority: 1 }, response),
          ),
        ),
      ),
    );
  }
}
