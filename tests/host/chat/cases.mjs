/** What people do in the chat view, and what the model must then get. */

import assert from "node:assert/strict";
import { compactions } from "./compactions.mjs";
import { failures } from "./failures.mjs";
import { longChat } from "./long-chat.mjs";
import { looks } from "./looks.mjs";
import { rewinding } from "./rewinding.mjs";
import { visible } from "./visible.mjs";
import { settings } from "./settings.mjs";
import { ChatView } from "./view.mjs";
import { workspace } from "./workspace.mjs";

/** Milliseconds for one action. */
const TIMEOUT = 15_000;
const CASES = {
  ...rewinding,
  ...failures,
  ...visible,
  ...compactions,
  ...longChat,
  ...settings,
  ...workspace,
  ...looks,
};

/** Runs the cases one after the other in one window, each in a new chat; returns how many failed. */
export async function runCases({ page, model, host, only }) {
  page.setDefaultTimeout(TIMEOUT);
  const view = new ChatView(page);
  if (process.env.VERBOSE) {
    page.on("console", (message) => console.log(message.type(), message.text().slice(0, 1500)));
    page.on("requestfailed", (request) => console.log("failed", request.url(), request.failure()?.errorText));
  }
  try {
    await view.open();
  } catch (error) {
    await view.shot("failed to open");
    throw error;
  }
  let failed = 0;
  for (const [name, run] of Object.entries(CASES)) {
    if (only && !new RegExp(only).test(name)) continue;
    const start = Date.now();
    model.reset();
    let error;
    try {
      await view.newChat();
      await run({ view, model, page, assert });
    } catch (thrown) {
      error = thrown;
      failed += 1;
      await view.shot(`failed ${name.replace(/\W+/g, "-").slice(0, 50)}`);
    }
    console.log(`${error ? "FAIL" : "ok  "} ${name} (${Date.now() - start} ms)${error ? `\n${error.stack}` : ""}`);
  }
  console.log(`VS Code, ${host}, chat view: ${failed} failed`);
  return failed;
}
