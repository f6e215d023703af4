/**
 * The engine without memory: the error says so by its code, and the next call works. The process is given 64 MB for
 * wasm.
 */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";

const PAGES = 1_024;
const dist = new URL("../../../pkg/dist/", import.meta.url).href;

/** Runs a script beside `name`, in a process whose wasm memory is limited; returns what it printed. */
async function limited(script: string): Promise<unknown> {
  const source = `
    import ${JSON.stringify(`${dist}index-node.js`)};
    import * as espalier from ${JSON.stringify(`${dist}slim.js`)};
    const said = (run) => { try { run(); return "nothing"; } catch (error) { return [error.name, error.code, error.message]; } };
    console.log(JSON.stringify(await (async () => { ${script} })()));
  `;
  const flags = [`--wasm-max-mem-pages=${PAGES}`, "--input-type=module", "--eval", source];
  const { stdout } = await promisify(execFile)(process.execPath, flags);
  return JSON.parse(stdout);
}

const MESSAGE =
  "The engine ran out of memory (an instance has at most 4 GiB) and was replaced; nothing of yours was changed, and the next " +
  "call works. Pass less at once, or close logs and conversations that are not used.";

test("one text that is too large, and the call behind it", async () => {
  const found = await limited(`
    const before = espalier.count("Hello.");
    return [said(() => espalier.prune([{ role: "user", content: "x ".repeat(60_000_000) }], { budget: 10, format: "openai-chat" })), espalier.count("Hello.") === before];
  `);
  assert.deepEqual(found, [["EspalierError", "out_of_memory", MESSAGE], true]);
});

test("logs that are never closed, and a log that goes on in the next engine", async () => {
  const found = await limited(`
    const { ConversationLog } = espalier;
    const text = "Some words of a conversation. ".repeat(50_000);
    const logs = [];
    const error = said(() => {
      for (let at = 0; at < 200; at += 1) {
        const log = new ConversationLog({ format: "openai-chat" });
        logs.push(log);
        log.append({ role: "user", content: at + text });
      }
    });
    const [first] = logs;
    return [error, first.append({ role: "user", content: "And then?" }), first.view().messages.length, logs.length < 200];
  `);
  assert.deepEqual(found, [["EspalierError", "out_of_memory", MESSAGE], ["m1"], 2, true]);
});
