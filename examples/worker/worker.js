/**
 * The worker's side. Import maps do not apply to workers, so this imports the package by its address. With a bundler
 * write `from "espalier"`. For counts alone the package has a worker of its own: `TokenWorker` of `espalier/tokens`.
 */

import { compact, countMessages, init } from "../node_modules/espalier/dist/index-web.js";

const ready = init();

const calls = {
  count: ({ messages }) => countMessages(messages).total,
  async compact({ messages, budget }) {
    const { status, messages: shorter, report } = await compact(messages, { budget });
    return { status, count: shorter.length, tokens: report.after.total };
  },
};

self.onmessage = async ({ data: { id, call, ...question } }) => {
  try {
    await ready;
    self.postMessage({ id, result: await calls[call](question) });
  } catch ({ code, message }) {
    // Errors have a stable code, which a copy between threads would lose.
    self.postMessage({ id, error: { code, message } });
  }
};
