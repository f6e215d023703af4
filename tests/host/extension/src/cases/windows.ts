/**
 * Two windows of VS Code over one storage, as those without a folder are: the other window is the library over the same
 * folder of the extension's storage.
 */

import { openConversation, workspaceStorage } from "espalier/inline";
import * as vscode from "vscode";
import { equal, ok } from "../check.ts";
import type { Cases, Host } from "../check.ts";
import { textOf } from "../model.ts";
import { activated, chatWith } from "./example.ts";

const { Assistant, User } = vscode.LanguageModelChatMessage;
const DAY = 86_400_000;

const otherWindow = (folder: vscode.Uri) =>
  openConversation<vscode.LanguageModelChatMessage>({
    format: "vscode",
    model: "gpt-4o",
    storage: workspaceStorage(vscode.workspace.fs, folder),
  });

/** Returns a new chat whose model says yes. */
async function newChat({ model, scripted }: Host) {
  const { handler, conversations } = await activated();
  scripted.answer = ({ say }) => say(new vscode.LanguageModelTextPart("Yes."));
  return { conversations, chat: chatWith(handler, model) };
}

export const windows: Cases = {
  "the example: a chat that two windows continue goes on in a copy; each keeps its own questions": async (host) => {
    const { conversations, chat } = await newChat(host);
    const id = await chat.ask("one");
    const other = await otherWindow(conversations.folderOf(id));
    equal(other.log.originalsFrom(0).map(textOf), ["one", "Yes."], "what the other window finds");
    other.append([User("elsewhere"), Assistant("There.")]);
    await other.flush();
    const copy = await chat.ask("two");
    ok(copy !== id, "the chat continues in a copy");
    equal(host.scripted.asked.at(-1)!.messages.map(textOf), ["one", "Yes.", "two"], "what is sent here");
    equal(await chat.ask("three"), copy, "the conversation of the next question");
    other.append(User("more"));
    const { isStored, isTaken } = await other.dispose();
    equal([isStored, isTaken], [true, false], "the other window has kept the storage, and stored everything");
    const again = await otherWindow(conversations.folderOf(id));
    equal(
      again.log.originalsFrom(0).map(textOf),
      ["one", "Yes.", "elsewhere", "There.", "more"],
      "what it finds again",
    );
    equal(again.opened.log!.problems, [], "problems of its log");
    await again.dispose();
    const own = await otherWindow(conversations.folderOf(copy));
    equal(own.log.originalsFrom(0).map(textOf), ["one", "Yes.", "two", "Yes.", "three", "Yes."], "what the copy has");
    await own.dispose();
  },

  "the example: a window that opens the chat while it answers takes nothing of the answer": async (host) => {
    const { conversations, chat } = await newChat(host);
    const id = await chat.ask("one");
    let other: Awaited<ReturnType<typeof otherWindow>> | undefined;
    host.scripted.answer = async ({ say }) => {
      other ??= await otherWindow(conversations.folderOf(id));
      say(new vscode.LanguageModelTextPart("Yes again."));
    };
    const copy = await chat.ask("two");
    ok(copy !== id, "the answer is stored in a copy");
    await other!.dispose();
    const own = await otherWindow(conversations.folderOf(copy));
    equal(own.log.originalsFrom(0).map(textOf), ["one", "Yes.", "two", "Yes again."], "what the copy has");
    await own.dispose();
  },

  "the example: an old conversation that another window has just used is not deleted": async (host) => {
    const { conversations } = await newChat(host);
    const settings = vscode.workspace.getConfiguration("espalier.storage");
    const ids: string[] = [];
    // More than are kept open, so that the first is only stored.
    for (let chats = 0; chats < 8; chats += 1) ids.push(await (await newChat(host)).chat.ask("one"));
    const now = Date.now() + 40 * DAY;
    const usedAt = (id: string, time: number) =>
      vscode.workspace.fs.writeFile(
        vscode.Uri.joinPath(conversations.folderOf(id), "used"),
        new TextEncoder().encode(String(time)),
      );
    try {
      await settings.update("maxAgeDays", 30, vscode.ConfigurationTarget.Global);
      await usedAt(ids[0]!, now - 2 * DAY);
      const deleted = await conversations.deleteOld(now);
      ok(!deleted.includes(ids[0]!), "the one that the other window used is kept");
      ok(deleted.includes(ids[1]!), `one that nobody used is deleted: ${deleted.length} were`);
    } finally {
      await settings.update("maxAgeDays", undefined, vscode.ConfigurationTarget.Global);
    }
  },
};
