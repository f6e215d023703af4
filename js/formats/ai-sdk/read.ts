/**
 * Vercel AI SDK: model messages (`content`) and UI messages (`parts`, in which a tool part holds the call and its
 * result).
 */

import { byPart, editedItems, opaque, parsedArguments, text } from "../parts.ts";
import { neutralTools } from "../tools.ts";
import { bad, copy, isFields, roleOf, string } from "../values.ts";
import type { Messages } from "../adapter.ts";
import type { Fields } from "../values.ts";
import { eachItem, fieldForModel, NOTHING } from "../audience.ts";
import type { Part, Role } from "../../types/messages.ts";
import { refuseForeign } from "../foreign.ts";
import { modelPart, providersOf } from "./parts.ts";
import { isDenied, uiParts } from "./steps.ts";
import type { Piece, Read } from "./steps.ts";

export type { Piece } from "./steps.ts";

const ROLES: Record<string, Role> = { system: "system", user: "user", assistant: "assistant", tool: "tool" };

export const messages: Messages<Piece> = {
  system(request) {
    return typeof request["system"] === "string" ? [text(request["system"])] : undefined;
  },

  read(message, at, path) {
    const role = roleOf(ROLES, message["role"]);
    if (!role) throw bad(`${path}.role`, "system, user, assistant or tool", message["role"]);
    refuseForeign(message, path);
    const id = `m${at}`;
    const ui = Array.isArray(message["parts"]);
    const content = ui ? message["parts"] : message["content"];
    if (typeof content === "string") {
      // Before 4.2 a message of the page had its calls beside its text; they are counted, and stay with it.
      const beside = Array.isArray(message["toolInvocations"])
        ? (message["toolInvocations"] as unknown[]).map(opaque)
        : [];
      const parts = [text(content), ...beside];
      return { message: { id, role, parts }, pieces: parts.map(() => ({ at: "string" })) };
    }
    const name = ui ? "parts" : "content";
    if (!Array.isArray(content)) throw bad(`${path}.${name}`, "a text or a list of parts", content);
    const items = Array.from(content as unknown[], (item, number) => {
      if (!isFields(item)) throw bad(`${path}.${name}[${number}]`, "a part", item);
      return item;
    });
    const read: Read[] = ui ? uiParts(items, role) : items.map((item, number) => [modelPart(item), { at: number }]);
    const parts = countedOnce(read, items);
    return { message: { id, role, parts }, pieces: read.map(([, piece]) => piece) };
  },

  edit(original, { message, pieces }, edits) {
    const byNumber = byPart(edits);
    const name = Array.isArray(original["parts"]) ? "parts" : "content";
    const content = original[name];
    if (typeof content === "string") {
      const edit = byNumber.get(0);
      return copy(original, { content: edit?.to?.type === "text" ? edit.to.text : content });
    }
    const list = [...(content as (Fields | undefined)[])];
    // Parts that only mark the flow (step-start) or are for the page alone have no neutral part; they stay.
    pieces.forEach(({ at, call, isDerived }, part) => {
      const item = at === "string" || isDerived ? undefined : list[at];
      if (at === "string" || !item) return;
      const edit = byNumber.get(part);
      const isResult = message.parts[part]!.type === "toolResult";
      if (!edit) list[at] = name === "parts" && isResult ? withoutResult(item) : undefined;
      else if (edit.to?.type === "text")
        list[at] = isResult
          ? withResult(item, edit.to.text, name === "parts")
          : withoutReference(copy(item, { text: edit.to.text }));
      else if (edit.to?.type === "note") list[at] = { type: "text", text: edit.to.text };
      else if (edit.to?.type === "content") list[at] = withItems(item, edit.to.items);
      else if (edit.to?.type === "arguments") list[at] = withoutReference(withArguments(item, edit.to.arguments));
      // A UI part has one id for its call and its result: the call's edit says it.
      else if (edit.callId !== undefined && (call || name !== "parts"))
        list[at] = inTool(item, () => ({ toolCallId: edit.callId }));
    });
    return copy(original, { [name]: list.filter((item) => item !== undefined) });
  },

  // A UI message holds the results of its calls, so a stand-in for a lost one goes there.
  join(first, second) {
    const [a, b] = [first as Fields, second as Fields];
    const [before, after] = [a["parts"], b["parts"]];
    if (!Array.isArray(before) || !Array.isArray(after)) return undefined;
    const open = new Set(
      before.flatMap((item: unknown) => (isFields(item) && isOpen(toolOf(item)) ? [toolOf(item)["toolCallId"]] : [])),
    );
    if (
      !after.every((item: unknown) => isFields(item) && item["type"] === "dynamic-tool" && open.has(item["toolCallId"]))
    )
      return undefined;
    const answers = new Map((after as Fields[]).map((item) => [item["toolCallId"], item]));
    const parts = (before as unknown[]).map((item) => {
      const answer = isFields(item) ? answers.get(toolOf(item)["toolCallId"]) : undefined;
      if (!answer || !isFields(item)) return item;
      const { state, output, errorText } = answer;
      return inTool(item, (tool) =>
        tool === item ? { state, output, errorText } : { state: "result", result: output ?? errorText },
      );
    });
    return copy(a, { parts });
  },

  // What comes from MCP is in a list: as the value of a result of several things, or under `content` of what the tool
  // gave back.
  forModel: (message) => eachItem(message, Array.isArray(message["parts"]) ? "parts" : "content", outputForModel),

  tools: neutralTools,
};

/**
 * Returns the parts. OpenAI's thoughts have one part for each part of their summary, and each has the encrypted form of
 * the whole thought, which is sent once.
 */
function countedOnce(read: readonly Read[], items: readonly Fields[]): Part[] {
  const seen = new Set<unknown>();
  return read.map(([part, { at }]) => {
    if (part.type !== "reasoning" || part.sealed === undefined || at === "string") return part;
    const id = providersOf(items[at]!).find((own) => own["itemId"] !== undefined)?.["itemId"];
    if (id === undefined || !seen.has(id)) {
      if (id !== undefined) seen.add(id);
      return part;
    }
    return { type: "reasoning", text: part.text };
  });
}

function outputForModel(item: Fields): Fields {
  const tool = toolOf(item);
  const name = "output" in tool ? "output" : "result";
  const output = tool[name];
  if (!isFields(output)) return item;
  const none = () => ({ type: "text", text: NOTHING });
  const value = output["value"];
  const shown = isFields(value)
    ? within(output, "value", fieldForModel(value, "content", none))
    : fieldForModel(output, Array.isArray(value) ? "value" : "content", none);
  return shown === output ? item : inTool(item, () => ({ [name]: shown }));
}

function within(holder: Fields, name: string, inner: Fields): Fields {
  return holder[name] === inner ? holder : copy(holder, { [name]: inner });
}

/** Version 4 of the SDK keeps a UI message's call in an object of its own. */
function toolOf(item: Fields): Fields {
  return isFields(item["toolInvocation"]) ? item["toolInvocation"] : item;
}

/** A call that has no result yet, in the words of versions 4 to 6. */
function isOpen({ state }: Fields): boolean {
  return /^(input-available|input-streaming|approval-requested|approval-responded|call|partial-call)$/.test(
    string(state),
  );
}

function inTool(item: Fields, changes: (tool: Fields) => Fields): Fields {
  const inner = toolOf(item);
  const changed = copy(inner, changes(inner));
  return inner === item ? changed : copy(item, { toolInvocation: changed });
}

function withResult(item: Fields, said: string, ui: boolean): Fields {
  return inTool(item, (tool) => {
    if (tool["state"] === "output-error") return { errorText: said };
    if (isDenied(tool)) return { state: "output-error", errorText: said };
    if ("result" in tool && !("output" in tool)) return { result: said };
    const output = tool["output"];
    const kind = isFields(output) && /^(error|execution-denied)/.test(string(output["type"])) ? "error-text" : "text";
    return { output: ui ? said : { type: kind, value: said } };
  });
}

/**
 * Returns the part without the id under which its provider has stored it: the SDK would send a reference to what was
 * stored (OpenAI's Responses) instead of the part's new content.
 */
function withoutReference(item: Fields): Fields {
  const changes: Fields = {};
  for (const name of ["providerOptions", "providerMetadata", "callProviderMetadata"]) {
    const providers = item[name];
    if (!isFields(providers)) continue;
    const stored = Object.entries(providers).filter(([, own]) => isFields(own) && "itemId" in own);
    const left = stored.map(([provider, own]) => [provider, copy(own as Fields, { itemId: undefined })]);
    if (left.length > 0) changes[name] = copy(providers, Object.fromEntries(left) as Fields);
  }
  return copy(item, changes);
}

function withArguments(item: Fields, said: string): Fields {
  return inTool(item, (tool) => ({
    ["input" in tool || !("args" in tool) ? "input" : "args"]: parsedArguments(said),
  }));
}

/** Only results of the type `content` hold several things; those of older versions do so without saying it. */
function withItems(item: Fields, items: readonly (string | null)[]): Fields {
  return inTool(item, ({ output }) => {
    if (!isFields(output)) return {};
    const { value } = output;
    const edited = editedItems(value, items, (text) => ({ type: "text", text }));
    return { output: copy(output, { value: edited ? withNotesJoined(value as unknown[], edited) : value }) };
  });
}

/**
 * Joins notes, which replace pictures and documents, to the text beside them. For models before Gemini 3,
 * `@ai-sdk/google` makes a response of each text (`appendLegacyToolResultParts`), and they refuse two for one call.
 */
function withNotesJoined(before: readonly unknown[], edited: readonly unknown[]): unknown[] {
  const isText = (item: unknown): item is Fields => isFields(item) && item["type"] === "text";
  const joined: unknown[] = [];
  let isNote = false;
  edited.forEach((item, at) => {
    const last = joined.at(-1);
    const wasNote = isNote;
    isNote = isText(item) && !isText(before[at]);
    if (!isText(item) || !isText(last) || !(isNote || wasNote)) return void joined.push(item);
    joined[joined.length - 1] = copy(wasNote ? item : last, { text: `${string(last["text"])}${string(item["text"])}` });
    // A text that took a note in may take in no other text.
    isNote &&= wasNote;
  });
  return joined;
}

/** The call of a UI part alone: as it was before its result came. */
function withoutResult(item: Fields): Fields {
  return inTool(item, (tool) =>
    tool === item
      ? { state: "input-available", output: undefined, errorText: undefined, preliminary: undefined }
      : { state: "call", result: undefined },
  );
}
