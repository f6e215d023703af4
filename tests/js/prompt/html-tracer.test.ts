/** The tracer's page and server. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { test } from "node:test";
import { HTMLTracer } from "../../../js/prompt/html-tracer.ts";
import { espalier } from "../built.ts";
import type { PageData } from "../../../js/prompt/html-tracer-data.ts";
import { PromptMetadata } from "../../../js/prompt/results.ts";
import type { ITraceData, MaterializedView } from "../../../js/prompt/tracer.ts";

class Note extends PromptMetadata {
  readonly said = "</script><b>";
}

/** A prompt of one message with ten lines of ten tokens, of which a budget keeps the last. */
function tree(budget: number): { budget: number; container: MaterializedView; removed: number } {
  if (budget < 10) throw new Error("nothing is left");
  const kept = Math.min(10, Math.floor(budget / 10));
  const lines = Array.from(
    { length: 10 },
    (_, i): MaterializedView => ({
      type: "text",
      id: 10 + i,
      priority: i,
      tokens: 10,
      text: `line ${i} </script>`,
      metadata: [],
    }),
  );
  const message: MaterializedView = {
    type: "message",
    id: 2,
    role: "user",
    priority: 1,
    tokens: 10 * kept,
    metadata: [new Note()],
    children: lines.slice(10 - kept),
  };
  return {
    budget,
    removed: 10 - kept,
    container: {
      type: "container",
      id: 1,
      name: "Root",
      priority: 1,
      tokens: 10 * kept,
      metadata: [],
      children: [message],
    },
  };
}

const traced = (budget: number): ITraceData => ({
  budget,
  renderedTree: tree(budget),
  tokenizer: undefined as never,
  renderTree: async (other) => tree(other),
});

function rendered(budget: number): HTMLTracer {
  const tracer = new HTMLTracer();
  tracer.addRenderEpoch({
    inNode: undefined,
    flexValue: 0,
    tokenBudget: budget,
    reservedTokens: 0,
    elements: [{ id: 1, tokenBudget: budget }],
  });
  tracer.includeInEpoch({ id: 2, tokenBudget: 0 });
  tracer.didMaterializeTree(traced(budget));
  return tracer;
}

function dataOf(page: string): PageData {
  return JSON.parse(/const DATA = (.*);\n/.exec(page)![1]!) as PageData;
}

test("a page by itself", async () => {
  const page = await rendered(50).html();
  assert.equal(page.match(/<\/script>/g)!.length, 1, "text must not end the script");
  const { budget, epochs, trees, server } = dataOf(page);
  assert.deepEqual([budget, server, epochs[0]!.elements.length], [50, undefined, 2]);
  const [first] = trees;
  assert.ok(first && "nodes" in first && first.removed === 5 && first.nodes.length === 7);
  assert.deepEqual(
    first.nodes.slice(0, 3).map(({ id, parent, type, role }) => [id, parent, type, role]),
    [
      [1, -1, "container", undefined],
      [2, 0, "message", "user"],
      [15, 1, "text", undefined],
    ],
  );
  assert.deepEqual(first.nodes[1]!.metadata, [{ name: "Note", value: '{"said":"</script><b>"}' }]);
  // Budgets that cannot be met are shown as such; a larger one shows what was pruned.
  assert.ok(trees.some((one) => "error" in one && one.error === "nothing is left" && one.budget === 5));
  assert.ok(trees.some((one) => "nodes" in one && one.nodes.length === 12));
  // Where the budget is far away, the steps are near the prompt.
  assert.ok(dataOf(await rendered(1e9).html()).trees.every((one) => one.budget === 1e9 || one.budget <= 200));
});

test("a server", async () => {
  const server = await rendered(50).serveHTML();
  try {
    assert.match(server.address, /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f-]{36}$/);
    const get = async (path: string) => {
      const reply = await fetch(path);
      return { status: reply.status, type: reply.headers.get("content-type"), text: await reply.text() };
    };
    const page = await get(server.address);
    assert.deepEqual([page.status, page.type, page.text], [200, "text/html; charset=utf-8", await server.getHTML()]);
    assert.equal(dataOf(page.text).server, `${server.address}/`);
    assert.equal((await get(`${server.address}/`)).status, 200);
    const other = JSON.parse((await get(`${server.address}/regen?n=30`)).text) as { removed: number; budget: number };
    assert.deepEqual([other.removed, other.budget], [7, 30]);
    assert.equal((JSON.parse((await get(`${server.address}/regen`)).text) as { budget: number }).budget, 50);
    assert.match((await get(`${server.address}/regen?n=3`)).text, /nothing is left/);
    assert.match((await get(`${server.address}/regen?n=x`)).text, /must be a number/);
    for (const path of ["/", "/regen?n=1", "/00000000-0000-4000-8000-000000000000"])
      assert.equal((await get(new URL(path, server.address).href)).status, 404);
  } finally {
    server.dispose();
  }
});

/** Sends a request line as it is: `fetch` and `http.request` would not send these. */
function sendRaw(address: string, target: string): Promise<string> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () =>
      socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
    );
    socket
      .on("data", (chunk) => chunks.push(chunk))
      .on("error", reject)
      .on("end", () => resolve(Buffer.concat(chunks).toString()));
  });
}

// Without the secret these used to reach `new URL`, which throws: an uncaught error in the host's process.
const NO_ADDRESSES = ["//", "///", "//:80", "http://", "http://[", "//%", "/%zz", "//a:99999999/", "\\\\", "/?n=%"];

test("requests that name no address are answered 404, and the server goes on", async () => {
  const server = await rendered(50).serveHTML();
  try {
    for (const target of NO_ADDRESSES)
      assert.match(await sendRaw(server.address, target), /^HTTP\/1\.1 40[04] /, target);
    assert.equal((await fetch(server.address)).status, 200);
  } finally {
    server.dispose();
  }
});

test("requests that name no address are not the router's", () => {
  const router = rendered(50).serveRouter("http://localhost:1");
  const reply = { setHeader: () => assert.fail(), end: () => assert.fail() };
  for (const url of [...NO_ADDRESSES, undefined, ""]) assert.equal(router.route({ url }, reply), false, url);
});

test("a page allows its own script and style, and requests to its own server, alone", async () => {
  const policyOf = (page: string) => /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)![1]!;
  const check = (page: string, origin: string) => {
    const policy = policyOf(page);
    const nonce = /script-src 'nonce-([0-9a-f-]{36})'/.exec(policy)![1]!;
    assert.ok(page.includes(`<script nonce="${nonce}">`) && page.includes(`<style nonce="${nonce}">`));
    assert.match(policy, /^default-src 'none'; /);
    assert.ok(policy.includes(`; connect-src ${origin};`), policy);
    assert.doesNotMatch(policy, /unsafe/);
    // What a policy of this kind blocks: inline handlers and style attributes.
    assert.doesNotMatch(page, /<[^<>]* (?:on\w+|style)=/);
    return nonce;
  };
  const tracer = rendered(50);
  assert.notEqual(check(await tracer.html(), "'none'"), check(await tracer.html(), "'none'"));
  const server = await tracer.serveHTML();
  try {
    check(await server.getHTML(), new URL(server.address).origin);
  } finally {
    server.dispose();
  }
});

test("the playground's pages run no inline script or style, and ask nobody but their server", () => {
  const folder = new URL("../../../www/", import.meta.url);
  const pages = readdirSync(folder).filter((name) => name.endsWith(".html"));
  assert.ok(pages.length >= 4);
  for (const name of pages) {
    const page = readFileSync(new URL(name, folder), "utf8");
    assert.match(
      page,
      /http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self' 'wasm-unsafe-eval';/,
      name,
    );
    assert.doesNotMatch(
      page,
      /<[^<>]* (?:on\w+|style)=|<style|<script(?! type="module" src="[\w-]+\.js"><\/script>)/,
      name,
    );
  }
});

test("a router in the host's server, and nothing to show", async () => {
  const router = rendered(50).serveRouter("http://localhost:1");
  const reply = {
    statusCode: 200,
    setHeader() {},
    end(body: string) {
      said.push(body);
    },
  };
  const said: string[] = [];
  assert.equal(router.route({ url: "/other" }, reply), false);
  assert.equal(router.route({ url: new URL(router.address).pathname }, reply), true);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.match(said[0]!, /^<!doctype html>/);
  assert.throws(() => new HTMLTracer().serveRouter("x"), { code: "not_rendered" });
  await assert.rejects(new HTMLTracer().serveHTML(), { code: "not_rendered" });
});

test("a deep tree", async () => {
  let container: MaterializedView = { type: "text", id: 0, priority: 1, tokens: 1, text: "x", metadata: [] };
  for (let id = 1; id <= 20_000; id++)
    container = { type: "container", id, priority: 1, tokens: 1, metadata: [], children: [container] };
  const tracer = new HTMLTracer();
  tracer.didMaterializeTree({
    ...traced(50),
    renderedTree: { budget: 50, removed: 0, container },
    renderTree: async (budget) => ({ budget, removed: 0, container }),
  });
  const page = await tracer.html();
  const first = dataOf(page).trees[0];
  assert.ok(first && "nodes" in first && first.nodes.length === 20_001);
});

test("a prompt that was rendered", async () => {
  const { createPiece, Fragment, PromptElement, PromptRenderer, TextChunk, UserMessage } = espalier;
  class Prompt extends PromptElement {
    render() {
      const line = (i: number) => createPiece(TextChunk, { priority: i }, "four".repeat(10));
      return createPiece(Fragment, null, createPiece(UserMessage, null, [1, 2, 3, 4].map(line)));
    }
  }
  const tokenizer = {
    mode: 1 as const,
    tokenLength: (part: { type: number; text?: string }) => (part.text ?? "").length / 4,
    countMessageTokens: (message: { content: { text?: string }[] }) =>
      message.content.reduce((sum, { text = "" }) => sum + Math.ceil(text.length / 4), 0),
  };
  const renderer = new PromptRenderer({ modelMaxPromptTokens: 25 }, Prompt, {}, tokenizer as never);
  const tracer = (renderer.tracer = new espalier.HTMLTracer());
  await renderer.render();
  const { trees, epochs } = dataOf(await tracer.html());
  const kept = (budget: number) => {
    const found = trees.find((one) => one.budget === budget);
    return found && "nodes" in found
      ? found.nodes.filter(({ type }) => type === "text").map(({ priority }) => priority)
      : undefined;
  };
  assert.deepEqual([kept(25), kept(12), kept(50)], [[3, 4], [4], [1, 2, 3, 4]]);
  const [first] = trees;
  assert.ok(first && "nodes" in first);
  assert.deepEqual(
    first.nodes.slice(0, 2).map(({ type, name, role }) => [type, name, role]),
    [
      ["container", "Prompt", undefined],
      ["message", "UserMessage", "user"],
    ],
  );
  const told = new Map(epochs.flatMap(({ elements }) => elements.map(({ id, tokenBudget }) => [id, tokenBudget])));
  assert.deepEqual([told.get(first.nodes[0]!.id), told.get(first.nodes[1]!.id)], [25, 25]);
});
