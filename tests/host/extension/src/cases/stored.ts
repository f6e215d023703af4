/** What the example stores, and for how long. */

import * as vscode from "vscode";
import { equal, ok } from "../check.ts";
import type { Cases } from "../check.ts";
import { textOf } from "../model.ts";
import { activated, chatWith } from "./example.ts";

const DAY = 86_400_000;

export const stored: Cases = {
  "the example: conversations that are too old or too many are deleted, never an open one": async ({
    model,
    scripted,
  }) => {
    const { handler, conversations } = await activated();
    const settings = vscode.workspace.getConfiguration("espalier.storage");
    const set = (name: string, value: unknown) => settings.update(name, value, vscode.ConfigurationTarget.Global);
    scripted.answer = ({ say }) => say(new vscode.LanguageModelTextPart("Yes."));
    const chats = Array.from({ length: 9 }, () => chatWith(handler, model));
    const ids: string[] = [];
    for (const [at, chat] of chats.entries()) ids.push(await chat.ask(`question ${at}`));
    const isStored = (id: string) =>
      vscode.workspace.fs.stat(conversations.folderOf(id)).then(
        () => true,
        () => false,
      );
    try {
      await set("maxConversations", 7);
      equal(await conversations.deleteOld(), [], "deleted of those that were used today");
      const first = await conversations.deleteOld(Date.now() + 2 * DAY);
      // Six are open, and one more may stay: the one of the others that was used last.
      equal(
        await Promise.all(ids.map(isStored)),
        ids.map((_, at) => at >= 2),
        `stored, after ${first} were deleted`,
      );
      await set("maxConversations", 0);
      await set("maxAgeDays", 30);
      equal(await conversations.deleteOld(Date.now() + 29 * DAY), [], "deleted after 29 days");
      equal(await conversations.deleteOld(Date.now() + 31 * DAY), [ids[2]], "deleted after 31 days");
      equal(await Promise.all(ids.slice(3).map(isStored)), Array(6).fill(true), "those that are open");
      await set("maxAgeDays", 0);
      equal(await conversations.deleteOld(Date.now() + 3_000 * DAY), [], "deleted without limits");
    } finally {
      await set("maxConversations", undefined);
      await set("maxAgeDays", undefined);
    }
    const id = await chats[0]!.ask("and now?");
    ok(id !== ids[0], "another conversation");
    equal(scripted.asked.at(-1)!.messages.map(textOf), ["question 0", "and now?"], "what VS Code still knows is sent");
  },
};
