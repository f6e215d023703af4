/**
 * aider: `.aider.chat.history.md`. `# aider chat started at` begins a session, `#### ` a line of the user, `> ` a line
 * of the tool; the rest is the model's. The file contains neither the system prompt nor the contents of files.
 */

import { Draft, text, usageOf, word } from "./draft.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";

const START = /^# aider chat started at(.*)$/;
const USER = /^####(?: (.*))?$/;
/** Commands whose text goes to the model. */
const SPOKEN = /^\/(ask|code|architect|help|context)\b\s*/;
const TOKENS =
  /^> Tokens: ([\d.,]+)([kM]?) sent(?:, ([\d.,]+)([kM]?) cache write)?(?:, ([\d.,]+)([kM]?) cache hit)?, ([\d.,]+)([kM]?) received/;

export const aider: Reader = {
  layout: "aider",
  tool: "aider",
  shapes: ["text"],
  recognise,
  read: (_, { keepsHistory }) => new Aider(keepsHistory),
};

function recognise({ records }: Sample): Match | undefined {
  const lines = records.map(String);
  const starts = lines.filter((line) => START.test(line)).length;
  const users = lines.filter((line) => line.startsWith("#### ")).length;
  const tool = lines.filter((line) =>
    /^> (Aider v\d|Tokens: |Added .* to the chat|Applied edit to )/.test(line),
  ).length;
  if (starts === 0 && (users === 0 || tool === 0)) return undefined;
  return {
    count: lines.length,
    evidence:
      starts > 0
        ? `${starts} lines "# aider chat started at"`
        : `${users} lines "#### " and ${tool} lines of aider's output`,
  };
}

type Kind = "user" | "assistant" | "tool";

class Aider implements Reading {
  readonly #keepsHistory: boolean;
  readonly #drafts: Draft[] = [];
  #draft: Draft;
  #kind: Kind | undefined;
  #lines: string[] = [];
  #place = 0;
  /** Index of the answer that lines of the tool interrupted. */
  #answer: number | undefined;

  constructor(keepsHistory: boolean) {
    this.#keepsHistory = keepsHistory;
    this.#draft = this.#begin("");
  }

  #begin(label: string): Draft {
    const draft = new Draft("openai-chat", this.#keepsHistory);
    draft.label = label;
    this.#drafts.push(draft);
    return draft;
  }

  add(record: unknown, place: number): void {
    const line = word(record);
    const start = START.exec(line);
    if (start) {
      this.#flush();
      this.#answer = undefined;
      this.#draft = this.#begin(start[1]!.trim());
      this.#draft.tell({ title: text(start[1]!.trim()) });
      return;
    }
    const user = USER.exec(line);
    if (user) this.#line("user", unpadded(user[1] ?? ""), place);
    else if (line === ">" || line.startsWith("> ")) {
      this.#flush();
      this.#tool(unpadded(line), place);
    } else if (this.#kind === "user" && line.trim() === "") this.#flush();
    else if (this.#kind === "assistant" || line.trim() !== "") this.#line("assistant", line, place);
  }

  #line(kind: Kind, words: string, place: number): void {
    if (this.#kind !== kind) this.#flush();
    if (this.#lines.length === 0) this.#place = place;
    this.#kind = kind;
    this.#lines.push(words);
  }

  #tool(line: string, place: number): void {
    const { messages } = this.#draft;
    const found = TOKENS.exec(line);
    if (found) {
      const [sent, cacheWrite, cacheRead, output] = [1, 3, 5, 7].map((at) => countOf(found[at], found[at + 1])) as [
        number,
        number,
        number,
        number,
      ];
      if (this.#answer !== undefined)
        this.#draft.report(
          this.#answer,
          usageOf({ input: Math.max(0, sent - cacheRead - cacheWrite), cacheRead, cacheWrite, output }),
        );
      this.#answer = undefined;
    }
    const model =
      /^> (?:Main model|Models?): (\S+)/.exec(line) ?? /^> Aider .*with (?:models? )?(gpt\S*|claude\S*)/.exec(line);
    if (model) this.#draft.tell({ model: model[1] });
    this.#draft.tell({ version: /^> Aider v(\S+)/.exec(line)?.[1] });
    if (/^> All chat history cleared/.test(line) && messages.length > 0) this.#draft.compact(place, []);
    this.#draft.skip("line of the tool", "aider's own output; the model does not see it");
  }

  #flush(): void {
    const [kind, words, place] = [this.#kind, this.#lines.join("\n").trim(), this.#place];
    this.#kind = undefined;
    this.#lines = [];
    if (words === "") return;
    if (kind === "user") {
      this.#answer = undefined;
      const isCommand = /^[/!]/.test(words) && !SPOKEN.test(words);
      const spoken = words.replace(SPOKEN, "");
      if (isCommand || spoken === "") this.#draft.skip("command", "a command of aider; the model does not see it");
      else this.#draft.push({ role: "user", content: spoken }, place);
      return;
    }
    const last = this.#draft.messages.length - 1;
    // Only the first line of a longer output has the tool's mark; text before a request cannot be an answer.
    if ((last < 0 && this.#draft.label !== "") || /^-\*-.*-\*-$/.test(words))
      return this.#draft.skip("text before the first request");
    if (this.#answer !== undefined && this.#answer === last) {
      const { content } = this.#draft.messages[last] as { content: string };
      this.#draft.extend(last, { role: "assistant", content: `${content}\n\n${words}` }, place);
    } else this.#answer = this.#draft.push({ role: "assistant", content: words }, place);
  }

  end(): Draft | Draft[] {
    this.#flush();
    const whole = this.#drafts.filter(({ messages, compactions }) => messages.length > 0 || compactions.length > 0);
    return whole.length > 1 ? whole : (whole[0] ?? this.#drafts.at(-1)!);
  }
}

/** Returns a line without spaces at its end. The lookbehind passes a run of spaces once, not once for each of them. */
function unpadded(line: string): string {
  return line.replace(/(?<! ) +$/, "");
}

function countOf(digits: string | undefined, unit: string | undefined): number {
  return Math.round(Number((digits ?? "0").replaceAll(",", "")) * (unit === "k" ? 1e3 : unit === "M" ? 1e6 : 1)) || 0;
}
