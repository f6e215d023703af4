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
/**
 * Cases that may fail once and hold when they are run again: VS Code loses keys and clicks now and then while the
 * machine is busy. A defect of the example fails twice.
 */
const SECOND_TRIES = 2;
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
  /** Runs one case in a new chat; says whether it holds. */
  const holds = async (name, run) => {
    const start = Date.now();
    model.reset();
    let error;
    try {
      await view.newChat();
      await run({ view, model, page, assert });
    } catch (thrown) {
      error = thrown;
      await view.shot(`failed ${name.replace(/\W+/g, "-").slice(0, 50)}`);
    }
    console.log(`${error ? "FAIL" : "ok  "} ${name} (${Date.now() - start} ms)${error ? `\n${error.stack}` : ""}`);
    return !error;
  };
  let failed = 0;
  let again = 0;
  for (const [name, run] of Object.entries(CASES)) {
    if (only && !new RegExp(only).test(name)) continue;
    if (await holds(name, run)) continue;
    again += 1;
    const mayHold = again <= SECOND_TRIES && (await view.reset().then(() => true, console.log));
    if (!mayHold || !(await holds(name, run))) failed += 1;
  }
  console.log(
    `VS Code, ${host}, chat view: ${failed} failed${again > failed ? `, ${again - failed} held the second time` : ""}`,
  );
  return failed;
}
