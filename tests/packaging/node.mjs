/** The entries in Node: import and require, what is loaded and when, errors. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { modelServer } from "../server/model.mjs";

const use = (transcripts) => `
  const messages = JSON.parse(fs.readFileSync(${JSON.stringify(join(transcripts, "openhands-ponyc-4593.json"))}, "utf8")).messages;
  if (count("Hello world!") !== 3) throw new Error("count");
  const { total } = countMessages(messages);
  const pruned = prune(messages, { budget: total >> 1 });
  const kept = pruned.report.messages.filter(({ fate }) => fate === "kept").length;
  if (kept === 0 || pruned.messages.filter((m) => messages.includes(m)).length !== kept) throw new Error("identity");
  const done = await compact(messages, { budget: total >> 1, llm: async () => "<summary>Fixed.</summary>" });
  if (done.status !== "applied") throw new Error(done.status);
  try { prune(messages, { budget: 1 }); throw new Error("accepted"); } catch (e) { if (!(e instanceof EspalierError) || e.code !== "budget_exceeded") throw e; }
  console.log(total);`;

export function nodeCases({ checkTypes, consumer, node, root, run, transcripts }) {
  return {
    async "Node, ES module"() {
      assert.equal(
        await node(
          "esm.mjs",
          `import fs from "node:fs"; import { count, countMessages, prune, compact, EspalierError } from "espalier";${use(transcripts)}`,
        ),
        "15317",
      );
    },

    async "Node, CommonJS"() {
      const code = `const fs = require("node:fs"); const { count, countMessages, prune, compact, EspalierError } = require("espalier"); (async () => {${use(transcripts)}})();`;
      assert.equal(await node("cjs.cjs", code), "15317");
    },

    async "an uncaught error is a few lines long, and says what is wrong"() {
      const code = `import { prune } from "espalier"; prune([{ role: "user", content: "Hi" }], { maxTokens: 100 });`;
      writeFileSync(join(consumer, "uncaught.mjs"), code);
      const { stderr } = await run(process.execPath, ["uncaught.mjs"]);
      assert.match(stderr, /options\.maxTokens is unknown/);
      assert.ok(stderr.length < 4_000, `${stderr.length} characters`);
    },

    async "nothing is read before the first use"() {
      const code = `import fs from "node:fs"; import { syncBuiltinESMExports } from "node:module";
      let reads = []; const real = fs.readFileSync; fs.readFileSync = (...a) => (reads.push(String(a[0])), real(...a)); syncBuiltinESMExports();
      const { count, isReady } = await import("espalier"); const before = [isReady(), reads.length]; count("x");
      console.log(JSON.stringify([before, reads.map((r) => r.split("/").pop())]));`;
      assert.deepEqual(JSON.parse(await node("lazy.mjs", code)), [
        [false, 0],
        ["espalier.wasm", "o200k_base.vocab"],
      ]);
    },

    async "the page of HTMLTracer is a file that is read when a page is made"() {
      const use = `const tracer = new HTMLTracer(); await render(createPiece(UserMessage, null, "Hello you"), { budget: 100, tracer });`;
      const code = `const { createPiece, HTMLTracer, render, UserMessage } = require("espalier/prompt");
      const isLoaded = () => Object.keys(require.cache).some((file) => file.includes("trace-page"));
      (async () => { ${use} const before = isLoaded(); const page = await tracer.html(); console.log(before, isLoaded(), page.includes("Hello you")); })();`;
      assert.equal(await node("tracer.cjs", code), "false true true");
      const module = `import { createPiece, HTMLTracer, render, UserMessage } from "espalier/prompt"; ${use} console.log((await tracer.html()).includes("Hello you"));`;
      assert.equal(await node("tracer.mjs", module), "true");
    },

    async "inline and slim, with bytes"() {
      const code = `import fs from "node:fs"; import { createRequire } from "node:module"; const { resolve } = createRequire(import.meta.url);
      const bytes = (name) => fs.readFileSync(resolve("espalier/" + name));
      const inline = await import("espalier/inline"); let code; try { inline.count("x"); } catch (e) { code = e.code; }
      const { BuiltinTokenizer, OutputMode, PromptElement, PromptRenderer, UserMessage } = await import("espalier/prompt-tsx/inline");
      class Hi extends PromptElement { render() { return { ctor: UserMessage, props: {}, children: ["hi"] }; } }
      const rendered = () => new PromptRenderer({ modelMaxPromptTokens: 9 }, Hi, {}, new BuiltinTokenizer({ mode: OutputMode.Raw })).render();
      const ways = (promise) => promise.then(() => "", ({ message }) => message.includes('mport "espalier/inline/o200k_base"'));
      console.log(await ways(rendered()), await ways(inline.loadEncoding("o200k_base")), await ways(inline.init()));
      inline.loadEncodingSync("o200k_base", bytes("vocab/o200k_base.vocab"));
      const slim = await import("espalier/slim");
      console.log(code, inline.count("Hello world!"), slim.count("Hello world!"));`;
      // Both share one core, and so one engine.
      assert.equal(await node("inline.mjs", code), "true true true\nencoding_not_loaded 3 3");
      const alone = `import fs from "node:fs"; import { createRequire } from "node:module"; const { resolve } = createRequire(import.meta.url);
      const slim = await import("espalier/slim"); let code; try { slim.count("x"); } catch (e) { code = e.code; }
      await slim.init({ wasm: fs.readFileSync(resolve("espalier/espalier.wasm")), vocabulary: (n) => fs.readFileSync(resolve("espalier/vocab/" + n + ".vocab")) });
      console.log(code, slim.count("Hello world!"));`;
      assert.equal(await node("slim.mjs", alone), "not_initialized 3");
    },

    async "sessions: one class of errors, import and require, types, and no engine until it is needed"() {
      const file = JSON.stringify(join(root, "tests", "fixtures", "sessions", "claude-code.jsonl"));
      const use = `
      const reads = []; const real = fs.readFileSync; const text = fs.readFileSync(${file}, "utf8");
      fs.readFileSync = (...a) => (reads.push(String(a[0])), real(...a));
      const { layout, turns } = readSession(text);
      try { readSession("{}"); } catch (e) { if (!(e instanceof EspalierError) || e.code !== "unknown_session") throw e; }
      console.log(layout, turns, reads.filter((file) => /wasm|vocab/.test(file)).length);`;
      const want = "claude-code 4 0";
      assert.equal(
        await node(
          "sessions.mjs",
          `import fs from "node:fs"; import { EspalierError } from "espalier"; import { readSession } from "espalier/sessions"; ${use}`,
        ),
        want,
      );
      assert.equal(
        await node(
          "sessions.cjs",
          `const fs = require("node:fs"); const { EspalierError } = require("espalier"); const { readSession } = require("espalier/sessions"); ${use}`,
        ),
        want,
      );
    },

    async "providers: one class of errors, types, import and require, and no engine until it is needed"() {
      const { url, script, close } = await modelServer({ strict: true });
      const use = `
      const reads = []; const real = fs.readFileSync; fs.readFileSync = (...a) => (reads.push(String(a[0])), real(...a));
      for (const make of [openai, openaiResponses, anthropic, gemini]) {
        const model = make({ model: "test", apiKey: "k", baseUrl: ${JSON.stringify(`${url}/v1`)} });
        let streamed = ""; const { text } = await model.send(model.toRequest([{ role: "user", content: "Hello." }]), { onText: (piece) => (streamed += piece) });
        if (text !== streamed || !text.includes("scripted model")) throw new Error(text);
      }
      try { await openai({ model: "test", baseUrl: "http://127.0.0.1:9/v1", retries: 0 }).send({}); throw new Error("sent"); }
      catch (e) { if (!(e instanceof EspalierError) || e.code !== "network") throw e; }
      console.log(reads.filter((file) => /wasm|vocab/.test(file)).length);`;
      const names = "openai, openaiResponses, anthropic, gemini";
      try {
        script("good");
        assert.equal(
          await node(
            "providers.mjs",
            `import fs from "node:fs"; import { EspalierError } from "espalier"; import { ${names} } from "espalier/providers"; ${use}`,
          ),
          "0",
        );
        assert.equal(
          await node(
            "providers.cjs",
            `const fs = require("node:fs"); const { EspalierError } = require("espalier"); const { ${names} } = require("espalier/providers"); (async () => {${use}})();`,
          ),
          "0",
        );
      } finally {
        close();
      }
      const code = `import { aiSdk, anthropic, generator, vscode, type Answer, type Provider, type ProviderErrorDetails, type RefusalRule } from "espalier/providers";
      import { compact, type Llm } from "espalier";
      const rule: RefusalRule = { code: "context_length", pattern: /of (?<limit>\\d+)/ };
      const claude: Provider = anthropic({ model: "m", apiKey: async () => "k", refusals: [rule], onEvent: (event) => event.type === "retry" && event.delayMs });
      const llm: Llm = claude.llm;
      void compact([], { budget: 1, llm });
      export const answer: Promise<Answer> = claude.send(claude.toRequest([], { maxTokens: 1 }), { signal: new AbortController().signal, onText: (text: string) => void text });
      export const limit = (details: ProviderErrorDetails): number | undefined => details.limit;
      // As the hosts declare them.
      enum Role { User = 1, Assistant = 2 }
      declare const model: { readonly id: string; sendRequest(messages: { role: Role }[], options?: { justification?: string }, token?: { isCancellationRequested: boolean }): PromiseLike<{ stream: AsyncIterable<object>; text: AsyncIterable<string> }> };
      declare const sdk: { readonly specificationVersion: "v2"; readonly provider: string; readonly modelId: string; doGenerate(options: { prompt: object[] }): PromiseLike<{ content: object[] }>; doStream(options: { prompt: object[] }): PromiseLike<{ stream: ReadableStream<{ type: "text" }> }> };
      declare function generateText(options: { model: string; messages: { role: string }[]; abortSignal?: AbortSignal }): Promise<{ text: string }>;
      export const all: Provider[] = [vscode({ model }), aiSdk({ model: sdk }), generator({ generate: (request) => generateText({ model: "m", ...request }) })];
      // @ts-expect-error a model is a name
      anthropic({ model: 7 });\n`;
      await checkTypes({ "providers/use": code });
    },
  };
}
