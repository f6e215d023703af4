/**
 * Continue: `~/.continue/sessions/<id>.json`, `{sessionId, title, workspaceDirectory, history}`.
 *
 * An item holds a message with its additions: files and selections that go before the user's text, and the states of
 * its calls with their results. A summary is stored in the last item that it covers.
 */

import { Draft, fields, isFields, items, number, objects, text, usageOf, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Match, Reader, Reading, Sample } from "./reader.ts";

/** The texts that Continue sends for a call that the user stopped, and for one without output. */
const CANCELLED = "The user cancelled this tool call.";
const NOTHING = "No tool output";

export const continueDev: Reader = {
  layout: "continue",
  tool: "Continue",
  shapes: ["value"],
  marks: ["sessionId", "title", "workspaceDirectory", "history"],
  recognise,
  read: (_, { keepsHistory }) => new Continue(keepsHistory),
};

const OWN = ["contextItems", "editorState", "toolCallStates", "toolCallState", "promptLogs"];

function recognise({ records }: Sample): Match | undefined {
  const file = fields(records[0]);
  const found = objects(file["history"]).filter(
    ({ message }) => isFields(message) && typeof message["role"] === "string",
  );
  const isOwn =
    typeof file["workspaceDirectory"] === "string" || found.some((item) => OWN.some((name) => name in item));
  if (found.length === 0 || !isOwn) return undefined;
  return {
    count: 1,
    evidence: `a history of ${found.length} items with a message, and context or states of calls beside it`,
  };
}

class Continue implements Reading {
  readonly #draft: Draft;
  /** Thoughts before the answer to which they belong. */
  #thought = "";
  /** Calls without a result so far. */
  #open = new Set<string>();

  constructor(keepsHistory: boolean) {
    this.#draft = new Draft("openai-chat", keepsHistory);
  }

  add(record: unknown): void {
    const { sessionId, title, workspaceDirectory, history, chatModelTitle } = fields(record);
    this.#draft.tell({
      id: text(sessionId),
      title: text(title),
      cwd: text(workspaceDirectory),
      model: text(chatModelTitle),
    });
    items(history).forEach((item, place) => {
      const message = fields(item)["message"];
      if (!isFields(item) || !isFields(message)) return this.#draft.skip("an item without a message");
      this.#item(item, message, place);
      const summary = text(item["conversationSummary"]);
      if (summary !== undefined)
        this.#draft.compact(place, [{ role: "system", content: `Previous conversation summary:\n\n ${summary}` }], {
          summary,
        });
    });
  }

  #item(item: Fields, message: Fields, place: number): void {
    for (const log of objects(item["promptLogs"])) {
      this.#draft.skip("promptLogs", "they repeat the prompt");
      this.#draft.tell({ model: text(fields(log["completionOptions"])["model"]) ?? text(log["modelTitle"]) });
    }
    const { role, content } = message;
    const id = text(item["id"]);
    const more = id === undefined ? {} : { id };
    // A thought belongs to the answer behind it.
    if (role !== "thinking" && role !== "assistant") this.#dropThought();
    if (role === "thinking") this.#thought += wordsOf(content);
    else if (role === "user") this.#user(item, content, place, more);
    else if (role === "assistant") this.#assistant(item, message, place, more);
    else if (role === "tool") this.#tool(message, place);
    else if (role === "system") this.#draft.push({ role: "system", content: partsOf(content) }, place);
    else this.#draft.skip(`role ${word(role).slice(0, 20)}`);
  }

  #dropThought(): void {
    if (this.#thought !== "") this.#draft.skip("thinking", "no answer follows it");
    this.#thought = "";
  }

  #user(item: Fields, content: unknown, place: number, more: { id?: string }): void {
    const context = objects(item["contextItems"]).flatMap(({ content: words }) => {
      return typeof words === "string" && words.trim() !== "" ? [{ type: "text", text: `${words}\n` }] : [];
    });
    const asked = partsOf(content);
    const parts = typeof asked === "string" ? [{ type: "text", text: asked }] : asked;
    if (context.length === 0 && asked.length === 0) return this.#draft.skip("a request without text");
    this.#draft.push({ role: "user", content: context.length === 0 ? asked : [...context, ...parts] }, place, more);
  }

  #assistant(item: Fields, { content, toolCalls, usage }: Fields, place: number, more: { id?: string }): void {
    const states = [
      ...objects(item["toolCallStates"]),
      ...(isFields(item["toolCallState"]) ? [item["toolCallState"]] : []),
    ];
    const ofStates = () => states.map((state): Fields => ({ id: state["toolCallId"], ...fields(state["toolCall"]) }));
    const listed = objects(toolCalls).length > 0 ? objects(toolCalls) : ofStates();
    const calls = listed.map((call, at) => {
      const { name, arguments: given } = fields(call["function"]);
      const id = text(call["id"]) ?? `${place}:${at}`;
      return {
        id,
        type: "function",
        function: {
          name: text(name) ?? "",
          arguments: typeof given === "string" ? given : JSON.stringify(given ?? {}),
        },
      };
    });
    const thought = this.#thought || (text(fields(item["reasoning"])["text"]) ?? "");
    const said = partsOf(content);
    this.#thought = "";
    if (calls.length === 0 && said.length === 0) return this.#draft.skip("an answer without text");
    const answer = this.#draft.push(
      {
        role: "assistant",
        content: said.length > 0 ? said : null,
        ...(thought !== "" && { reasoning_content: thought }),
        ...(calls.length > 0 && { tool_calls: calls }),
      },
      place,
      more,
    );
    this.#report(answer, usage);
    this.#open = new Set(calls.map(({ id }) => id));
    for (const [at, { id }] of calls.entries()) {
      const state =
        states.find(({ toolCallId }) => toolCallId === id) ??
        (states[at]?.["toolCallId"] === undefined ? states[at] : undefined);
      const result = state && outputOf(state);
      if (result === undefined || !this.#open.delete(id)) continue;
      this.#draft.push({ role: "tool", tool_call_id: id, content: result }, place);
    }
  }

  #tool({ content, toolCallId }: Fields, place: number): void {
    const id = word(toolCallId);
    if (!this.#open.delete(id)) return this.#draft.skip("tool", "the state of the call holds the result");
    this.#draft.push({ role: "tool", tool_call_id: id, content: wordsOf(content) }, place);
  }

  #report(answer: number, usage: unknown): void {
    if (!isFields(usage)) return;
    const { promptTokens, completionTokens, promptTokensDetails: details } = usage;
    const cacheRead = number(fields(details)["cachedTokens"]) ?? 0;
    const cacheWrite = number(fields(details)["cacheWriteTokens"]) ?? 0;
    const input = (number(promptTokens) ?? 0) - cacheRead - cacheWrite;
    this.#draft.report(
      answer,
      usageOf({ input, cacheRead, cacheWrite, output: completionTokens }),
      this.#draft.about.model,
    );
  }

  end(): Draft {
    this.#dropThought();
    return this.#draft;
  }
}

/** Returns the result that Continue sends for a call; nothing while there is none. */
function outputOf({ status, output }: Fields): string | undefined {
  if (status === "canceled") return CANCELLED;
  if (typeof output === "string") return output;
  if (Array.isArray(output))
    return objects(output)
      .map(({ content }) => text(content) ?? "")
      .join("\n\n");
  return status === "done" || status === "errored" ? NOTHING : undefined;
}

function wordsOf(content: unknown): string {
  return typeof content === "string"
    ? content
    : objects(content)
        .map((part) => text(part["text"]) ?? "")
        .join("\n");
}

/** Returns text, or parts with the API's names. */
function partsOf(content: unknown): string | Fields[] {
  if (typeof content === "string") return content;
  return objects(content).flatMap((part): Fields[] => {
    const { type, text: words, imageUrl } = part;
    if (type === "text") return typeof words === "string" && words !== "" ? [{ type, text: words }] : [];
    return type === "imageUrl" && typeof fields(imageUrl)["url"] === "string"
      ? [{ type: "image_url", image_url: imageUrl }]
      : [];
  });
}
