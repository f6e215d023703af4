/** The second activation finds everything that the first one left behind. */

import { equal, ok } from "../check.ts";
import type { Cases } from "../check.ts";
import { opened, picture, places } from "./conversations.ts";
import { genuine, words } from "./messages.ts";

export const reopened: Cases = Object.fromEntries(
  ["workspaceState", "globalState", "storageUri", "globalStorageUri"].map(
    (name) =>
      [
        `kept in ${name}: the next activation goes on with it`,
        async ({ context, model, scripted }) => {
          const left = context.globalState.get<string>(`left/${name}`);
          ok(left !== undefined, "the first activation left something");
          const complaints: string[] = [];
          const conversation = await opened({ storage: places(context)[name]!, background: false }, complaints);
          ok(!conversation.opened.isNew, "it was found");
          const { messages } = await conversation.prepare();
          genuine(messages, name);
          equal(
            JSON.stringify({
              originals: conversation.log.originals,
              view: messages.map(({ role, content }) => [role, content]),
            }),
            left,
          );
          if (picture()) {
            const parts = messages.flatMap(({ content }) => content as { mimeType?: string; data?: unknown }[]);
            ok(
              parts.some(
                ({ mimeType, data }) => mimeType === "image/png" && data instanceof Uint8Array && data[0] === 137,
              ),
              "the picture is there",
            );
          }
          conversation.append(words("Go on."));
          const next = await conversation.prepare();
          await model.sendRequest(next.messages);
          ok(scripted.heard.includes("Go on.") && scripted.heard.includes("Fix the parser"), "what arrived");
          await conversation.dispose();
          equal(complaints, [], "complaints");
        },
      ] satisfies [string, Cases[string]],
  ),
);
