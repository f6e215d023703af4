/** The tracer's page and server. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { PageCut, PageData } from "../../../js/prompt/html-tracer-data.ts";
import { unpack } from "../../../js/prompt/html-tracer-pack.ts";
import { PromptMetadata } from "../../../js/prompt/results.ts";
import type { ITraceData, MaterializedView } from "../../../js/prompt/tracer.ts";

const { HTMLTracer } = espalier;

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

function rendered(budget: number) {
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
  return unpack(JSON.parse(/const DATA = (.*);\n/.exec(page)![1]!));
}

/** Nodes of a cut that are kept. */
function kept({ nodes }: PageData, { fates }: PageCut) {
  return nodes.filter((_, index) => fates[index] === -1);
}

/** The page of a person who knows nothing of it: markup without scripts and styles. */
const markupOf = (page: string) => page.replace(/(<(script|style)[^>]*>)[^]*?<\/\2>/g, "$1");

test("a page by itself", async () => {
  const page = await rendered(50).html();
  assert.equal(page.match(/<\/script>/g)!.length, 1, "text must not end the script");
  const data = dataOf(page);
  const { budget, whole, epochs, nodes, cuts, server } = data;
  assert.deepEqual([budget, whole, server, epochs[0]!.elements.length], [50, 100, undefined, 2]);
  const first = cuts.find((cut) => cut.budget === 50)!;
  assert.deepEqual([first.removed, first.tokens, kept(data, first).length], [5, 50, 7]);
  // Every node is in the page, also those that no smaller budget keeps.
  assert.deepEqual(
    nodes.slice(0, 3).map(({ id, parent, type, role }) => [id, parent, type, role]),
    [
      [1, -1, "container", undefined],
      [2, 0, "message", "user"],
      [10, 1, "text", undefined],
    ],
  );
  assert.equal(nodes.length, 12);
  assert.deepEqual(nodes[1]!.metadata, [{ name: "Note", value: '{"said":"</script><b>"}' }]);
  // One cut for each removal, and the budget that cannot be met is shown as such.
  assert.deepEqual(
    cuts.filter(({ error }) => error === undefined).map(({ tokens }) => tokens),
    [100, 90, 80, 70, 60, 50, 50, 40, 30, 20, 10],
  );
  assert.deepEqual([cuts.at(-1)!.error, cuts.at(-1)!.budget], ["nothing is left", 9]);
  // If the budget is far away, the cuts are near the prompt.
  assert.ok(dataOf(await rendered(1e9).html()).cuts.every((cut) => cut.budget === 1e9 || cut.budget <= 200));
});

test("what was removed first is on the page, however far the budget is below the prompt", async () => {
  const { createPiece, render, TextChunk, UserMessage } = espalier;
  const tracer = new HTMLTracer();
  const lines = Array.from({ length: 12 }, (_, priority) =>
    createPiece(UserMessage, { priority }, createPiece(TextChunk, null, `line ${priority} `.repeat(10))),
  );
  const { removed } = await render(lines, { budget: 150, tracer });
  assert.ok(removed > 6);
  const data = dataOf(await tracer.html());
  const cut = data.cuts.find(({ budget }) => budget === 150)!;
  const gone = data.nodes.filter((_, index) => cut.fates[index]! >= 0);
  assert.ok(gone.some(({ text }) => text?.startsWith("line 0 ")));
  const first = data.nodes.find(({ text }) => text?.startsWith("line 0 "))!;
  const fate = cut.removals[cut.fates[data.nodes.indexOf(first)]!]!;
  assert.deepEqual([fate.step, fate.rule], [0, "priority"]);
  const whole = data.cuts[0]!;
  assert.deepEqual([whole.removed, kept(data, whole).length], [0, data.nodes.length]);
});

async function pageOf(tracer: InstanceType<typeof HTMLTracer>): Promise<string> {
  const server = await tracer.serveHTML();
  try {
    return await server.getHTML();
  } finally {
    server.dispose();
  }
}

test("the server's page has the whole prompt, too", async () => {
  const data = dataOf(await pageOf(rendered(10)));
  assert.deepEqual([data.whole, data.nodes.length], [100, 12]);
  assert.deepEqual(
    data.cuts.map(({ budget, removed }) => [budget, removed]),
    [
      [10, 9],
      [160, 0],
    ],
  );
});

test("a cut holds for every budget down to its tokens", async () => {
  const { createPiece, Fragment, render, TextChunk, TokenLimit, UserMessage } = espalier;
  let seed = 13;
  const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
  for (let round = 0; round < 8; round++) {
    let traced: ITraceData;
    const tracer = Object.assign(new HTMLTracer(), {
      didMaterializeTree(data: ITraceData) {
        traced = data;
        HTMLTracer.prototype.didMaterializeTree.call(tracer, data);
      },
    });
    const chunk = () => createPiece(TextChunk, { priority: random(5) }, "word ".repeat(1 + random(30)));
    const message = () =>
      createPiece(
        UserMessage,
        { priority: random(4), ...(random(2) === 1 && { passPriority: true }) },
        chunk(),
        createPiece(TokenLimit, { max: 10 + random(60) }, chunk(), chunk(), chunk()),
        chunk(),
      );
    const prompt = createPiece(Fragment, null, message(), message(), message());
    await render(prompt, { budget: 10_000, tracer, backfill: round % 2 === 1 });
    const { cuts } = dataOf(await tracer.html());
    assert.ok(cuts.length > 10);
    for (const { tokens, budget, fates, error } of cuts.filter((cut) => cut.budget < 10_000)) {
      if (error !== undefined) continue;
      const between = tokens + random(budget - tokens + 1);
      const { trace } = await traced!.renderTree(between);
      assert.deepEqual(
        trace!.nodes.map((node) => node.kept),
        fates.map((fate) => fate === -1),
        `${between} in ${tokens}..${budget}`,
      );
    }
  }
});

test("render and renderRequest report to a tracer, and explain their own budget afterwards", async () => {
  const { createPiece, render, renderRequest, TextChunk, UserMessage } = espalier;
  const prompt = () =>
    createPiece(
      UserMessage,
      null,
      [1, 2, 3, 4].map((priority) => createPiece(TextChunk, { priority }, "word ".repeat(20))),
    );
  for (const make of [
    (tracer: InstanceType<typeof HTMLTracer>) => render(prompt(), { budget: 60, tracer }),
    async (tracer: InstanceType<typeof HTMLTracer>) => (await renderRequest(prompt(), { budget: 60, tracer })).rendered,
  ]) {
    const tracer = new HTMLTracer();
    const rendered = await make(tracer);
    const before = rendered.trace();
    const { cuts, whole } = dataOf(await tracer.html());
    assert.deepEqual(rendered.trace(), before);
    assert.equal(before.tokens, rendered.tokens);
    const cut = cuts.find(({ budget }) => budget === 60)!;
    assert.deepEqual([cut.tokens, cut.removed], [rendered.tokens, rendered.removed]);
    assert.equal(whole, (await render(prompt(), { budget: 1_000 })).tokens);
    for (const { budget, tokens, error } of cuts) {
      // The last ones have no message left, which `render` refuses.
      const fresh = await render(prompt(), { budget }).catch(() => undefined);
      if (fresh) assert.equal(tokens, fresh.tokens);
      else assert.ok(error !== undefined || tokens < 10, String(tokens));
    }
    // A budget that cannot be met still says what would have gone.
    const last = cuts.at(-1)!;
    assert.match(last.error ?? "", /tokens may not be removed|Every message/);
  }
});

test("a result that is cut again explains the new budget with its tokens", async () => {
  const { createPiece, render, TextChunk, UserMessage } = espalier;
  const lines = [1, 2, 3, 4].map((priority) => createPiece(TextChunk, { priority }, "word ".repeat(200)));
  const rendered = await render(createPiece(UserMessage, null, lines), { budget: 1_000 });
  const smaller = await rendered.prune(500);
  const { budget, tokens, nodes } = smaller.trace();
  assert.deepEqual([budget, tokens], [500, smaller.tokens]);
  assert.ok(nodes.every(({ text }) => text === undefined || text.length === 80));
  const texts = smaller.trace(Number.POSITIVE_INFINITY).nodes.flatMap(({ text }) => text ?? []);
  assert.deepEqual(texts, Array(4).fill("word ".repeat(200)));
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
    assert.doesNotMatch(markupOf(page), /<[^<>]* (?:on\w+|style)=/);
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
  assert.deepEqual(pages, ["index.html"]);
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
  assert.equal(dataOf(page).nodes.length, 20_001);
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
  const data = dataOf(await tracer.html());
  const { cuts, nodes, epochs } = data;
  /** Priorities of the texts that are kept: a cut holds for all budgets down to its tokens. */
  const texts = (budget: number) =>
    kept(data, cuts.find(({ tokens }) => tokens <= budget)!)
      .filter(({ type }) => type === "text")
      .map(({ priority }) => priority);
  assert.deepEqual([texts(25), texts(12), texts(50)], [[3, 4], [4], [1, 2, 3, 4]]);
  assert.deepEqual(
    nodes.slice(0, 2).map(({ type, name, role }) => [type, name, role]),
    [
      ["container", "Prompt", undefined],
      ["message", "UserMessage", "user"],
    ],
  );
  const told = new Map(epochs.flatMap(({ elements }) => elements.map(({ id, tokenBudget }) => [id, tokenBudget])));
  assert.deepEqual([told.get(nodes[0]!.id), told.get(nodes[1]!.id)], [25, 25]);
});

test("an error of a host's tokenizer is answered as plain text: it may quote markup of the prompt", async () => {
  const headers = new Map<string, unknown>();
  let said = "";
  const response = {
    statusCode: 200,
    setHeader: (name: string, value: unknown) => headers.set(name.toLowerCase(), value),
    end: (body: string) => (said = body),
  };
  const tracer = new espalier.HTMLTracer();
  const renderTree = () => Promise.reject(new Error("never"));
  const renderedTree = {
    budget: 1,
    removed: 0,
    get container(): never {
      throw new Error("<script>alert(1)</script>");
    },
  };
  tracer.didMaterializeTree({ budget: 1, renderedTree, tokenizer: undefined as never, renderTree } as never);
  const router = tracer.serveRouter("http://127.0.0.1:1");
  assert.ok(router.route({ url: new URL(router.address).pathname }, response));
  while (said === "") await new Promise((done) => setTimeout(done));
  assert.deepEqual([response.statusCode, said], [500, "Error: <script>alert(1)</script>"]);
  assert.equal(headers.get("content-type"), "text/plain; charset=utf-8");
  assert.equal(headers.get("x-content-type-options"), "nosniff");
});
