/** Conversations that VS Code stores, with summaries by a model of VS Code. */

import { mementoStorage, openConversation, signalFrom, workspaceStorage } from "espalier/inline";
import type { ConversationOptions, ConversationStorage } from "espalier/inline";
import { vscode as languageModel } from "espalier/providers";
import * as vscode from "vscode";
import { equal, failing, ok, until } from "../check.ts";
import type { Cases, Host } from "../check.ts";
import { genuine, round, session, user, words } from "./messages.ts";

export const HEADS = [
  "Conversation Overview",
  "Technical Foundation",
  "Codebase Status",
  "Problem Resolution",
  "Progress Tracking",
  "Active Work State",
  "Recent Operations",
  "Continuation Plan",
];
export const SUMMARY = `<summary>\n${HEADS.map((head) => `## ${head}\nParts of the parser are being built.\n`).join("")}</summary>`;

/** The storages of an extension, by name. */
export function places(context: vscode.ExtensionContext): Record<string, ConversationStorage> {
  return {
    workspaceState: mementoStorage(context.workspaceState, "chat/"),
    globalState: mementoStorage(context.globalState, "chat/"),
    ...(context.storageUri && {
      storageUri: workspaceStorage(vscode.workspace.fs, vscode.Uri.joinPath(context.storageUri, "chat")),
    }),
    globalStorageUri: workspaceStorage(vscode.workspace.fs, vscode.Uri.joinPath(context.globalStorageUri, "chat")),
  };
}

export type Messages = vscode.LanguageModelChatMessage;
export const opened = (options: Partial<ConversationOptions<Messages>>, complaints: string[] = []) =>
  openConversation<Messages>({
    format: "vscode",
    model: { name: "gpt-4o", maxInputTokens: 4_000 },
    entropy: 7,
    ...options,
    onEvent: (event) => void (event.type === "warning" && complaints.push(event.message)),
  });

/** One pixel, because VS Code reads pictures before it sends them. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
export const picture = () =>
  (vscode as any).LanguageModelDataPart?.image(
    Uint8Array.from(atob(PNG), (unit) => unit.charCodeAt(0)),
    "image/png",
  );

/** Content that only stored originals can restore: a picture, a call, its result. */
export const special = (): Messages[] => [
  user(new vscode.LanguageModelTextPart("Mind this."), ...(picture() ? [picture()] : [])),
  ...round(77, 2),
];

async function fill({ context, model, scripted }: Host, name: string, storage: ConversationStorage): Promise<string> {
  const { llm } = languageModel({ model, api: vscode as never });
  scripted.answer = ({ say }) => say(new vscode.LanguageModelTextPart(SUMMARY));
  const complaints: string[] = [];
  const conversation = await opened({ storage, llm, background: false }, complaints);
  ok(conversation.opened.isNew, `${name}: nothing was there`);
  const given = [...session(24), ...special()];
  conversation.append(given);
  const { messages, report } = await conversation.prepare();
  genuine(messages, name);
  equal(
    report.compactions.map(({ status }) => status),
    ["applied"],
    `${name}: compactions`,
  );
  ok(
    given.slice(-3).every((message) => messages.includes(message)),
    `${name}: the newest are the host's own`,
  );
  await model.sendRequest(messages);
  await conversation.dispose();
  equal(complaints, [], `${name}: complaints`);
  // The data that this activation leaves for the next one.
  const left = JSON.stringify({
    originals: conversation.log.originals,
    view: messages.map(({ role, content }) => [role, content]),
  });
  await context.globalState.update(`left/${name}`, left);
  const again = await opened({ storage, background: false }, complaints);
  ok(!again.opened.isNew && again.opened.log!.problems.length === 0, `${name}: opened again`);
  const { messages: same } = await again.prepare();
  genuine(same, `${name}, opened again`);
  equal(
    JSON.stringify({ originals: again.log.originals, view: same.map(({ role, content }) => [role, content]) }),
    left,
    `${name}: what was opened again`,
  );
  await model.sendRequest(same);
  await again.dispose();
  equal(complaints, [], `${name}: complaints`);
  return name;
}

export const conversations: Cases = {
  ...Object.fromEntries(
    ["workspaceState", "globalState", "storageUri", "globalStorageUri"].map((name) => [
      `kept in ${name}: compacted by the model, opened again, sent again`,
      async (host: Host) => {
        const storage = places(host.context)[name];
        ok(storage, `${name} is there`);
        await fill(host, name, storage);
      },
    ]),
  ),

  "a summary is made beside the conversation, and used when it is needed": async ({ model, scripted }) => {
    // The first answer waits for the test; a second look at the history, if there is one, does not.
    let finish = () => {};
    const told = new Promise<void>((resolve) => (finish = resolve));
    scripted.answer = async ({ say }) => {
      await told;
      say(new vscode.LanguageModelTextPart(SUMMARY));
    };
    const { llm } = languageModel({ model, api: vscode as never });
    const conversation = await opened({ llm, background: true });
    conversation.append(session(1));
    for (let number = 10; conversation.usage().ratio < 0.85; number += 1) conversation.append(round(number, 5));
    const asked = scripted.asked.length;
    const { messages, report } = await conversation.prepare();
    ok(report.job !== undefined && report.compactions.length === 0, "it was started, and this request was not held up");
    genuine(messages, "meanwhile");
    await until("the model is asked", () => scripted.asked.length > asked);
    finish();
    await until("the summary is ready", () => conversation.usage().job === "ready");
    const next = await conversation.prepare();
    equal(
      next.report.compactions.map(({ status }) => status),
      ["applied"],
    );
    genuine(next.messages, "afterwards");
    await model.sendRequest(next.messages);
    conversation.undo();
    equal(conversation.view().messages.length, messages.length, "after undo");
    await conversation.dispose();
  },

  "Esc while the model writes: nothing has changed, and the model is cancelled": async ({ model, scripted }) => {
    let cancelled = false;
    scripted.answer = ({ token }) =>
      new Promise<void>((resolve) => token.onCancellationRequested(() => ((cancelled = true), resolve())));
    const { llm } = languageModel({ model, api: vscode as never });
    const conversation = await opened({ llm, background: false });
    conversation.append(session(30));
    const before = conversation.view().messages;
    const asked = scripted.asked.length;
    // Like a chat request's own token.
    const source = new vscode.CancellationTokenSource();
    const prepared = failing(() => conversation.prepare({ signal: signalFrom(source.token) }));
    await until("the model is asked", () => scripted.asked.length > asked);
    source.cancel();
    equal((await prepared).code, "aborted");
    await until("the provider is cancelled", () => cancelled);
    const after = conversation.view().messages;
    ok(after.length === before.length && after.every((message, at) => message === before[at]), "the view is as it was");
    await conversation.dispose();
  },

  "a model that fails: the request still fits": async ({ model, scripted }) => {
    scripted.answer = () => Promise.reject(vscode.LanguageModelError.Blocked("no quota"));
    const { llm } = languageModel({ model, api: vscode as never, retries: 0 } as never);
    const conversation = await opened({ llm, background: false });
    conversation.append([...session(30), words("And now?")]);
    const { messages, report } = await conversation.prepare();
    genuine(messages, "sent");
    ok(report.usage.used <= 4_000, `${report.usage.used} tokens`);
    await conversation.dispose();
  },
};
