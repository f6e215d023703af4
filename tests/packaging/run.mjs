/**
 * The packed package, installed into throw-away folders and used the ways people use it. Every case is a function; the
 * last line counts.
 */

import { execFile, execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import assert from "node:assert/strict";
import { build } from "esbuild";
import { publint } from "publint";
import { sizes } from "../../scripts/lib.mjs";
import { serve } from "../../scripts/serve.mjs";
import { titleAt } from "../www/browser.mjs";
import { modelServer } from "../server/model.mjs";
import { countCases } from "./count.mjs";
import { downloadCases } from "./download.mjs";
import { exampleCases } from "./examples.mjs";
import { functionsCases } from "./functions.mjs";
import { sdkCases } from "./sdks.mjs";
import { readmeCases } from "./readme.mjs";
import { workspaceCases } from "./workspace.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const transcripts = join(root, "tests", "fixtures", "transcripts");
const home = mkdtempSync(join(tmpdir(), "espalier-packaging-"));
const consumer = join(home, "consumer");

/** Runs a command; gives exit code and output, whatever they are. */
function run(command, args, { cwd = consumer, input, env } = {}) {
  return new Promise((resolve) => {
    const child = execFile(
      command,
      args,
      { cwd, env: { ...process.env, ...env }, maxBuffer: 1 << 28 },
      (error, stdout, stderr) => resolve({ code: error ? error.code : 0, stdout, stderr }),
    );
    child.stdin.end(input ?? "");
  });
}

async function node(file, code) {
  writeFileSync(join(consumer, file), code);
  const { code: status, stdout, stderr } = await run(process.execPath, [file]);
  assert.equal(status, 0, stderr);
  return stdout.trim();
}

const espalier = (args, options) => run(join(consumer, "node_modules", ".bin", "espalier"), args, options);

function install() {
  const npm = (args, cwd) => execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const packed = JSON.parse(npm(["pack", "--json", "--pack-destination", home], join(root, "pkg")));
  // npm 11 gives a list, older and newer ones an object by name.
  const { filename, size, files } = Array.isArray(packed) ? packed[0] : Object.values(packed)[0];
  mkdirSync(consumer);
  writeFileSync(join(consumer, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  npm(["install", "--offline", "--no-audit", "--no-fund", join(home, filename)], consumer);
  console.log(`  ${filename}: ${(size / 1e6).toFixed(2)} MB packed, ${files.length} files`);
}

/** The title that a folder's page gives itself in Chromium. */
async function titleIn(folder) {
  const { url, close } = await serve(folder);
  return titleAt(url).finally(close);
}

const USE = `
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

/**
 * What a page may have to load of the engine, in bytes: a little above what it is. Whoever adds more than that says why
 * here. 2026-11: the tables of tool dialects are 17 kB, 4.6 kB by brotli; the functions of `espalier/core` 77 kB, 28 kB
 * by brotli. With forms of records as data, and records of other systems, the engine has 824 kB by brotli. Trees that
 * `espalier/core` reads as JSON text, rules and changes in nine languages, and facts of talks add 12 kB. Further rules
 * of French, Spanish and others, and diagnoses of builds, are 3 kB, 1 kB by brotli. Limits, jobs and back-off of
 * conversations moved from JavaScript: 17 kB by brotli. The rules of providers within pruning and compaction: 15 kB, 4
 * kB by brotli. Reducers of outputs, with their rules as data, and the table of models: 70 kB, 23 kB by brotli.
 * Commands that print files: 2 kB. Skipped tests and facts of outputs, windows of long lines, mentioned names: 5 kB, 4
 * kB by brotli.
 */
const MOST = { raw: 2_605_000, brotli: 892_000 };

const cases = {
  async "the engine is no larger than it should be"() {
    const { raw, brotli } = sizes(join(consumer, "node_modules", "espalier", "dist", "espalier.wasm"));
    assert.ok(raw <= MOST.raw && brotli <= MOST.brotli, `${raw} bytes, ${brotli} by brotli`);
  },

  async "Node, ES module"() {
    assert.equal(
      await node(
        "esm.mjs",
        `import fs from "node:fs"; import { count, countMessages, prune, compact, EspalierError } from "espalier";${USE}`,
      ),
      "15317",
    );
  },

  async "Node, CommonJS"() {
    const code = `const fs = require("node:fs"); const { count, countMessages, prune, compact, EspalierError } = require("espalier"); (async () => {${USE}})();`;
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
      inline.loadEncodingSync("o200k_base", bytes("vocab/o200k_base.vocab"));
      const slim = await import("espalier/slim");
      console.log(code, inline.count("Hello world!"), slim.count("Hello world!"));`;
    // Both share one core, and so one engine.
    assert.equal(await node("inline.mjs", code), "encoding_not_loaded 3 3");
    const alone = `import fs from "node:fs"; import { createRequire } from "node:module"; const { resolve } = createRequire(import.meta.url);
      const slim = await import("espalier/slim"); let code; try { slim.count("x"); } catch (e) { code = e.code; }
      await slim.init({ wasm: fs.readFileSync(resolve("espalier/espalier.wasm")), vocabulary: (n) => fs.readFileSync(resolve("espalier/vocab/" + n + ".vocab")) });
      console.log(code, slim.count("Hello world!"));`;
    assert.equal(await node("slim.mjs", alone), "not_initialized 3");
  },

  async "types, for import and require, without skipLibCheck"() {
    const code = (
      specifier,
    ) => `import { compact, count, prune, EspalierError, type PruneReport, type Llm } from "${specifier}";
      const messages: { role: string; content: string }[] = [];
      const kept: { role: string; content: string }[] = prune(messages, { budget: 10 }).messages;
      const llm: Llm = async ({ prompt }, { signal }) => ({ text: signal.aborted ? "" : prompt });
      const n: number = count("x"); const report: PruneReport = prune(messages, { budget: n }).report;
      // @ts-expect-error a budget is a number
      prune(messages, { budget: "10" });
      void compact(kept, { budget: 1, llm }).then(({ status }) => status === "applied"); export { report, EspalierError };\n`;
    for (const specifier of ["espalier", "espalier/inline", "espalier/slim"]) {
      const name = specifier.replace("/", "-");
      writeFileSync(join(consumer, `${name}.mts`), code(specifier));
      writeFileSync(join(consumer, `${name}.cts`), code(specifier));
    }
    const tsc = join(root, "node_modules", ".bin", "tsc");
    const files = readdirSync(consumer).filter((file) => /\.[mc]ts$/.test(file));
    const args = [
      "--noEmit",
      "--strict",
      "--module",
      "nodenext",
      "--target",
      "es2022",
      "--lib",
      "es2022,dom",
      "--types",
      "",
      ...files,
    ];
    const { code: status, stdout } = await run(tsc, args);
    assert.equal(status, 0, stdout);
    // Without the browser's types, as in a Node project.
    const types = join(root, "node_modules", "@types");
    const nodeArgs = args.map((arg) => (arg === "es2022,dom" ? "es2022" : arg === "" ? "node" : arg));
    const plain = await run(tsc, ["--typeRoots", types, ...nodeArgs]);
    assert.equal(plain.code, 0, plain.stdout);
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
    const dir = join(consumer, "providers");
    mkdirSync(dir, { recursive: true });
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
    for (const ending of ["mts", "cts"]) writeFileSync(join(dir, `use.${ending}`), code);
    const args = [
      "--noEmit",
      "--strict",
      "--module",
      "nodenext",
      "--target",
      "es2022",
      "--lib",
      "es2022,dom",
      "--types",
      "",
      join(dir, "use.mts"),
      join(dir, "use.cts"),
    ];
    const { code: status, stdout } = await run(join(root, "node_modules", ".bin", "tsc"), args);
    assert.equal(status, 0, stdout);
  },

  async "types beside those of VS Code: its models, messages and tokens are taken, and what is made goes back to it"() {
    const dir = join(consumer, "vscode");
    mkdirSync(dir, { recursive: true });
    const code = `import * as vscode from "vscode";
      import { compact, countMessages, prune } from "espalier";
      import { vscode as provider, type Provider } from "espalier/providers";
      import { PromptElement, renderPrompt, type BasePromptElementProps, type PromptSizing } from "espalier/prompt-tsx";

      export async function ask(model: vscode.LanguageModelChat, history: vscode.LanguageModelChatMessage[], token: vscode.CancellationToken): Promise<string> {
        const chat: Provider = provider({ model, api: vscode, justification: "To answer." });
        const { messages, report } = prune(history, { budget: model.maxInputTokens, format: "vscode" });
        const fitting: vscode.LanguageModelChatMessage[] = messages;
        const total: number = countMessages(fitting, { format: "vscode" }).total + report.after.total;
        await compact(fitting, { budget: total, llm: chat.llm });
        await model.sendRequest(fitting, {}, token);
        return (await chat.send(chat.toRequest(fitting))).text;
      }

      interface Props extends BasePromptElementProps { readonly document: vscode.TextDocument }
      class Ask extends PromptElement<Props> {
        override async render(_state: void, sizing: PromptSizing, progress?: vscode.Progress<vscode.ChatResponsePart>, token?: vscode.CancellationToken) {
          progress?.report(new vscode.ChatResponseProgressPart("Reading."));
          await sizing.countTokens(this.props.document.getText(), token);
          return undefined;
        }
      }

      export async function render(model: vscode.LanguageModelChat, document: vscode.TextDocument, token: vscode.CancellationToken): Promise<vscode.LanguageModelChatResponse> {
        const { messages } = await renderPrompt(Ask, { document }, { modelMaxPromptTokens: model.maxInputTokens }, model, undefined, token);
        const made: vscode.LanguageModelChatMessage[] = messages;
        return model.sendRequest(made, {}, token);
      }

      export async function handle(request: vscode.ChatRequest, stream: vscode.ChatResponseStream, token: vscode.CancellationToken): Promise<void> {
        const [chosen] = await vscode.lm.selectChatModels({ family: "gpt-4o" });
        stream.markdown(await ask(chosen ?? request.model, [vscode.LanguageModelChatMessage.User(request.prompt)], token));
      }

      // @ts-expect-error a model is no name
      provider({ model: "gpt-4o" });\n`;
    for (const ending of ["mts", "cts"]) writeFileSync(join(dir, `use.${ending}`), code);
    const args = [
      "--noEmit",
      "--strict",
      "--exactOptionalPropertyTypes",
      "--module",
      "nodenext",
      "--target",
      "es2022",
      "--lib",
      "es2022",
      "--typeRoots",
      join(root, "node_modules", "@types"),
      "--types",
      "vscode,node",
    ];
    const { code: status, stdout } = await run(join(root, "node_modules", ".bin", "tsc"), [
      ...args,
      join(dir, "use.mts"),
      join(dir, "use.cts"),
    ]);
    assert.equal(status, 0, stdout);
  },

  async "JSX, classic and automatic: types, beside React's, and at run time"() {
    const dir = join(consumer, "jsx");
    cpSync(join(root, "tests", "packaging", "jsx"), dir, { recursive: true });
    const common = {
      strict: true,
      noEmit: true,
      module: "esnext",
      moduleResolution: "bundler",
      target: "es2022",
      lib: ["es2022", "dom"],
      types: [],
      skipLibCheck: false,
    };
    const classic = { ...common, jsx: "react", jsxFactory: "vscpp", jsxFragmentFactory: "vscppf" };
    const automatic = { ...common, jsx: "react-jsx", jsxImportSource: "espalier" };
    for (const [compilerOptions, files] of [
      [classic, ["classic.tsx"]],
      [classic, ["react-like.d.ts", "classic.tsx", "page.tsx"]],
      [automatic, ["automatic.tsx"]],
      [automatic, ["react-like.d.ts", "automatic.tsx"]],
      [{ ...automatic, jsx: "react-jsxdev" }, ["automatic.tsx"]],
    ]) {
      writeFileSync(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
      const { code, stdout } = await run(join(root, "node_modules", ".bin", "tsc"), ["--project", dir]);
      assert.equal(code, 0, `${files.join(" ")}: ${stdout}`);
    }
    const made = async (name, options) => {
      await build({
        absWorkingDir: dir,
        entryPoints: [`${name}.tsx`],
        tsconfigRaw: {},
        bundle: true,
        packages: "external",
        format: "esm",
        platform: "node",
        outfile: join(dir, `${name}.mjs`),
        logLevel: "error",
        ...options,
      });
      return JSON.parse(await node(join("jsx", `use-${name}.mjs`), `import "./${name}.mjs";`));
    };
    const factories = { jsx: "transform", jsxFactory: "vscpp", jsxFragment: "vscppf" };
    const wanted = [
      "Hi you?\nbreaks",
      0,
      "Hi you!\nbreaks",
      "limited\nexpanded**",
      "kept",
      null,
      0,
      1,
      "system",
      "application/vnd.codechat.prompt+json.1",
      "BudgetExceededError",
    ];
    assert.deepEqual(await made("classic", factories), wanted);
    assert.deepEqual(await made("automatic", { jsx: "automatic", jsxImportSource: "espalier" }), [
      "function",
      "function",
      2,
      false,
    ]);
    assert.deepEqual(await made("automatic", { jsx: "automatic", jsxDev: true, jsxImportSource: "espalier" }), [
      "function",
      "function",
      2,
      false,
    ]);
    // The factories are a side effect, which a bundler must not drop.
    assert.deepEqual(
      await made("classic", {
        ...factories,
        packages: "bundle",
        alias: { "espalier/prompt-tsx": join(consumer, "node_modules", "espalier", "dist", "prompt-tsx-inline.js") },
        minify: true,
        keepNames: true,
      }),
      wanted,
    );
  },

  async "a browser bundle: one wasm, and it runs in Chromium"() {
    const out = join(home, "web");
    writeFileSync(
      join(consumer, "web.js"),
      `import { count, init, prune } from "espalier"; import { documentStructure } from "espalier/documents"; await init(); await init();
      const messages = [{ role: "user", content: "one" }, { role: "assistant", content: "two" }, { role: "user", content: "three" }];
      const { basis, root } = await documentStructure("class A:\\n  def f(self):\\n    pass\\n", { path: "a.py" });
      document.title = [count("Hello world!"), prune(messages, { budget: 10 }).messages.length, basis.path, root.children[0].kind].join(" ");`,
    );
    await build({
      absWorkingDir: consumer,
      entryPoints: ["web.js"],
      bundle: true,
      format: "esm",
      outdir: out,
      platform: "browser",
      conditions: ["browser"],
      target: "es2022",
      logLevel: "error",
    });
    // esbuild leaves new URL(…, import.meta.url) alone: the files go beside the bundle.
    const dist = join(consumer, "node_modules", "espalier", "dist");
    cpSync(join(dist, "espalier.wasm"), join(out, "espalier.wasm"));
    cpSync(join(dist, "vocab"), join(out, "vocab"), { recursive: true });
    cpSync(join(dist, "grammars"), join(out, "grammars"), { recursive: true });
    writeFileSync(join(out, "index.html"), '<!doctype html><script type="module" src="web.js"></script>');
    const text = readFileSync(join(out, "web.js"), "utf8");
    assert.equal(text.match(/espalier\.wasm"/g).length, 1, "the wasm is named once");
    assert.equal(text.match(/\.wasm"/g).length, 1, "and no grammar");
    assert.doesNotMatch(text, /node:/, "nothing of Node is in it");
    assert.equal(await titleIn(out), "3 1 syntax class_definition");
  },

  async "a prompt for @vscode/prompt-tsx moves by an alias, deep paths included, into a browser"() {
    const out = join(home, "alias");
    writeFileSync(
      join(consumer, "alias.jsx"),
      `import { PromptElement, renderPrompt, UserMessage, TextChunk, OutputMode, HTMLTracer, PromptRenderer } from "@vscode/prompt-tsx";
      import { ChatRole } from "@vscode/prompt-tsx/dist/base/output/rawTypes";
      import { UserMessage as Deep } from "@vscode/prompt-tsx/dist/base/promptElements";
      import { BudgetExceededError } from "@vscode/prompt-tsx/dist/base/materialized";
      class Hello extends PromptElement { render() { return <UserMessage>Hello <TextChunk priority={1}>{this.props.said}</TextChunk></UserMessage>; } }
      const tokenizer = { mode: OutputMode.Raw, tokenLength: ({ text }) => text?.length ?? 0, countMessageTokens: ({ content }) => content.reduce((sum, { text }) => sum + text.length, 3) };
      const { messages } = await renderPrompt(Hello, { said: "you" }, { modelMaxPromptTokens: 100 }, tokenizer);
      const renderer = new PromptRenderer({ modelMaxPromptTokens: 10 }, Hello, { said: "nobody at all" }, tokenizer);
      renderer.tracer = new HTMLTracer();
      const { tokenCount } = await renderer.render();
      const page = await renderer.tracer.html();
      document.title = JSON.stringify([messages, tokenCount, ChatRole.User, Deep === UserMessage, typeof BudgetExceededError, page.includes("<script")]);`,
    );
    await build({
      absWorkingDir: consumer,
      entryPoints: ["alias.jsx"],
      bundle: true,
      format: "esm",
      outdir: out,
      platform: "browser",
      target: "es2022",
      logLevel: "error",
      tsconfigRaw: {},
      jsx: "transform",
      jsxFactory: "vscpp",
      jsxFragment: "vscppf",
      alias: { "@vscode/prompt-tsx": "espalier/prompt-tsx" },
    });
    cpSync(join(consumer, "node_modules", "espalier", "dist", "espalier.wasm"), join(out, "espalier.wasm"));
    writeFileSync(join(out, "index.html"), '<!doctype html><script type="module" src="alias.js"></script>');
    assert.doesNotMatch(
      readFileSync(join(out, "alias.js"), "utf8"),
      /(from|import|require\()\s*["'](node:|vscode)/,
      "nothing of Node or VS Code is asked for",
    );
    assert.deepEqual(JSON.parse(await titleIn(out)), [
      [{ role: 1, content: [{ type: 1, text: "Hello \nyou" }] }],
      9,
      1,
      true,
      "function",
      true,
    ]);
  },

  async "a bundle for Node contains its files, and one without them names both ways out"() {
    const out = join(home, "extension");
    writeFileSync(
      join(consumer, "ext.cjs"),
      `const { count } = require("espalier"); try { console.log(count("Hello world!")); } catch (e) { console.log(e.code + ": " + e.message); }`,
    );
    const bundle = (entry, options) =>
      build({
        absWorkingDir: consumer,
        entryPoints: [entry],
        bundle: true,
        format: "cjs",
        platform: "node",
        outfile: join(out, "ext.cjs"),
        logLevel: "error",
        ...options,
      });
    const use = () => run(process.execPath, [join(out, "ext.cjs")], { cwd: out }).then(({ stdout }) => stdout.trim());
    await bundle("ext.cjs");
    assert.equal(await use(), "3");
    // Bundlers that do not know the condition `module` take the entry that reads files. ES modules bundled into
    // CommonJS have no import.meta.url.
    writeFileSync(
      join(consumer, "ext.mjs"),
      `import { count } from "espalier"; try { console.log(count("Hello world!")); } catch (e) { console.log(e.code + ": " + e.message); }`,
    );
    const dist = join(consumer, "node_modules", "espalier", "dist");
    for (const entry of ["ext.cjs", "ext.mjs"]) {
      await bundle(entry, { conditions: ["node"], logLevel: "silent" });
      assert.match(await use(), /^wasm_not_found: [\s\S]*copy the file there[\s\S]*"espalier\/inline\/o200k_base"/);
      cpSync(join(dist, "espalier.wasm"), join(out, "espalier.wasm"));
      assert.match(await use(), /^vocab_not_found: [\s\S]*"espalier\/inline\/o200k_base"/);
      cpSync(join(dist, "vocab"), join(out, "vocab"), { recursive: true });
      assert.equal(await use(), "3");
      rmSync(out, { recursive: true });
    }
    // With the drop-in module, whose entry for Node looks for files: the engine in the bundle counts, whichever came
    // first.
    for (const imports of [
      ["inline/o200k_base", "prompt-tsx"],
      ["prompt-tsx", "inline/o200k_base"],
    ]) {
      writeFileSync(
        join(consumer, "ext4.mjs"),
        `${imports.map((name, at) => `import * as m${at} from "espalier/${name}";`).join("")}
        console.log(m${imports.indexOf("inline/o200k_base")}.count("Hello world!"), typeof m${imports.indexOf("prompt-tsx")}.renderPrompt);`,
      );
      await bundle("ext4.mjs", { conditions: ["node"], logLevel: "silent" });
      assert.equal(await use(), "3 function");
    }
  },

  async "what a runtime forbids to read is said"() {
    const installed = join(consumer, "node_modules", "espalier");
    const readable = [
      join(consumer, "ext.mjs"),
      join(consumer, "package.json"),
      ...["package.json", "dist/index-node.js", "dist/engine-core-node.js", "dist/core.js", "dist/prompt.js"].map(
        (name) => join(installed, name),
      ),
    ];
    const denied = await run(process.execPath, [
      "--experimental-permission",
      ...readable.map((file) => `--allow-fs-read=${file}`),
      "ext.mjs",
    ]);
    assert.match(denied.stdout, /^wasm_not_found: [\s\S]*--allow-fs-read/);
  },

  async "a web extension: in a worker that knows only vscode, documents and a conversation that is stored and opened again"() {
    const out = join(home, "web-extension");
    writeFileSync(
      join(consumer, "web-ext.js"),
      `import * as vscode from "vscode";
      import { countMessages, loadEncodingSync, loadGrammar, mementoStorage, openConversation, prune, reduceChanges, summarizeDocument } from "espalier/inline";
      export async function activate(context) {
        const bytes = (name) => vscode.workspace.fs.readFile(context.extensionUri + name);
        loadEncodingSync("o200k_base", await bytes("vocab/o200k_base.vocab"));
        await loadGrammar("python", { wasm: await bytes("grammars/tree-sitter-python.wasm") });
        const text = ["one", "two", "three"].map((name) => "def " + name + "():\\n" + "    a = 1\\n".repeat(20) + "\\n").join("\\n");
        const summary = await summarizeDocument(text, { path: "a.py", budget: 60, selection: text.indexOf("two") });
        const diff = "--- a/a.py\\n+++ b/a.py\\n@@ -1,0 +1,1 @@\\n+def one():\\n";
        const { files } = await reduceChanges({ files: [{ path: "a.py", text, diff }], budget: 40 });
        const message = (role, value) => ({ role, content: [new vscode.LanguageModelTextPart(value)] });
        const messages = Array.from({ length: 20 }, (_, at) => message(1 + (at % 2), "words ".repeat(90) + at));
        const kept = prune([...messages, message(1, "And now?")], { budget: 300, format: "vscode" }).messages;
        const storage = () => mementoStorage(context.workspaceState, "chat/");
        const options = { format: "vscode", model: { maxPromptTokens: 1_000 }, background: false };
        const first = await openConversation({ ...options, storage: storage() });
        first.append([...messages, message(1, "And now?")]);
        const prepared = await first.prepare({});
        await first.dispose();
        const again = await openConversation({ ...options, storage: storage() });
        return [summary.basis.path, summary.tokens <= 60, /# … \\d+-\\d+ omitted/.test(summary.text), files[0].step, kept.length < 20 && kept.at(-1).content[0] instanceof vscode.LanguageModelTextPart,
          countMessages(prepared.messages, { format: "vscode" }).total <= 1_000, again.log.originals];
      }`,
    );
    await build({
      absWorkingDir: consumer,
      entryPoints: ["web-ext.js"],
      bundle: true,
      format: "cjs",
      platform: "browser",
      external: ["vscode"],
      outfile: join(out, "web-ext.js"),
      logLevel: "error",
    });
    assert.doesNotMatch(
      readFileSync(join(out, "web-ext.js"), "utf8"),
      /(require|import)\("(?!vscode)/,
      "only vscode is asked for",
    );
    const dist = join(consumer, "node_modules", "espalier", "dist");
    for (const folder of ["vocab", "grammars"]) cpSync(join(dist, folder), join(out, folder), { recursive: true });
    // As much of the host as an extension sees: a classic worker, CommonJS, files through the workspace.
    writeFileSync(
      join(out, "host.js"),
      `const state = new Map();
      const vscode = {
        LanguageModelTextPart: class LanguageModelTextPart { constructor(value) { this.value = value; } },
        workspace: { fs: { readFile: async (uri) => new Uint8Array(await (await fetch(uri)).arrayBuffer()) } },
      };
      const module = { exports: {} };
      const require = (name) => { if (name === "vscode") return vscode; throw new Error("no " + name); };
      const workspaceState = { get: (key) => state.get(key), update: async (key, value) => void (value === undefined ? state.delete(key) : state.set(key, value)), keys: () => [...state.keys()] };
      const started = async (code) => (new Function("require", "module", "exports", code)(require, module, module.exports), module.exports.activate({ extensionUri: new URL("./", location.href).href, workspaceState }));
      fetch("web-ext.js").then((response) => response.text()).then(started).then((made) => postMessage(made), (error) => postMessage(String(error && error.stack)));`,
    );
    writeFileSync(
      join(out, "index.html"),
      '<!doctype html><script>new Worker("host.js").onmessage = ({ data }) => (document.title = JSON.stringify(data));</script>',
    );
    assert.deepEqual(JSON.parse(await titleIn(out)), ["syntax", true, true, "statements", true, true, 21]);
  },

  async "the licences of what is linked are in the package, and of nothing else"() {
    const text = readFileSync(join(consumer, "node_modules", "espalier", "THIRD-PARTY.md"), "utf8");
    const rows = [...text.matchAll(/^\| (\S+) [\d.]+ \| (.*) \| .* \| (.*) \|$/gm)];
    const names = rows.map(([, name]) => name);
    for (const name of ["serde_json", "foldhash", "wasm-bindgen", "unicode-segmentation", "tree-sitter", "preact"])
      assert.ok(names.includes(name), name);
    for (const tool of ["tiktoken-rs", "syn", "zopfli"]) assert.ok(!names.includes(tool), tool);
    for (const [, name, licence, texts] of rows)
      assert.ok(licence !== "see text" && texts !== "-", `${name} has no licence`);
    // The MIT licence, those of ICU and musl within tree-sitter, and of OpenAI's vocabularies.
    for (const pattern of [/Permission is hereby granted/, /Unicode, Inc\./, /Rich Felker/, /\(c\) 2022 OpenAI/])
      assert.match(text, pattern);
  },

  async "publint finds nothing"() {
    const { messages } = await publint({ pkgDir: join(root, "pkg"), level: "suggestion", strict: true });
    assert.deepEqual(messages, []);
  },

  async "arethetypeswrong finds nothing"() {
    const args = [
      "--pack",
      join(root, "pkg"),
      "--profile",
      "node16",
      "--exclude-entrypoints",
      "espalier.wasm",
      "count.wasm",
      "workspace.wasm",
      "vocab/o200k_base.vocab",
      "vocab/cl100k_base.vocab",
      "--no-color",
    ];
    const { code, stdout } = await run(join(root, "node_modules", ".bin", "attw"), args, { cwd: home });
    assert.equal(code, 0, stdout);
  },

  async "the command line: counts, prunes, compacts"() {
    const file = join(transcripts, "pi-refactor-long.json");
    const counted = await espalier(["count", join(transcripts, "tau-airline-0.json")]);
    assert.match(counted.stdout, /4,635 tokens \(o200k_base, exact\): system 1,255, conversation 3,380/);
    const pruned = await espalier(["prune", file, "--budget", "64k", "--json"]);
    assert.ok(JSON.parse(pruned.stdout).report.after.total <= 64_000);
    const start = Date.now();
    const compacted = await espalier(["compact", file, "--budget", "20000"]);
    console.log(`  393k-token transcript compacted to 20,000 in ${Date.now() - start} ms, the process included`);
    assert.equal(compacted.code, 0, compacted.stderr);
    const again = await espalier(["count", "-", "--json"], { input: compacted.stdout });
    const total = JSON.parse(again.stdout).report.total;
    assert.ok(total <= 20_000 && total > 5_000, String(total));
  },

  async "the command line: help, version, exit codes"() {
    const airline = join(transcripts, "tau-airline-0.json");
    const { version } = JSON.parse(readFileSync(join(root, "pkg", "package.json"), "utf8"));
    const table = [
      [["--version"], 0, version],
      [["--help"], 0, "espalier compact"],
      [[], 2, "espalier compact"],
      [["shrink", airline], 2, "unknown command"],
      [["prune", airline], 2, "--budget"],
      [["prune", airline, "--budget", "-1"], 2, "--budget"],
      [["prune", airline, "--budget", "lots"], 2, "whole number"],
      [["prune", airline, "--bugdet", "1"], 2, "bugdet"],
      [["count", airline, "--encoding", "p50k"], 2, "unknown_encoding"],
      [["count", "nowhere.json"], 3, "file_not_found"],
      [["count", join(root, "README.md")], 3, "bad_json"],
      [["count", join(root, "tsconfig.json")], 3, "unknown_session"],
      [["count", join(root, "tests", "fixtures", "sessions", "claude-code.jsonl")], 0, "Claude Code (claude-code)"],
      [["doctor", join(root, "tests", "fixtures", "sessions", "pi.jsonl")], 6, "would refuse"],
      [["prune", airline, "--budget", "100"], 4, "budget_exceeded"],
      [["compact", airline, "--budget", "2000", "--llm", "parrot"], 2, "openai:MODEL"],
      [["compact", airline, "--budget", "2000", "--llm", "openai:gpt-4o"], 2, "OPENAI_API_KEY"],
      [["compact", airline, "--budget", "2000", "--llm", "anthropic:claude-sonnet-4-5"], 2, "ANTHROPIC_API_KEY"],
    ];
    for (const [args, code, words] of table) {
      const {
        code: status,
        stdout,
        stderr,
      } = await espalier(args, { env: { OPENAI_API_KEY: "", ANTHROPIC_API_KEY: "" } });
      assert.equal(status, code, `${args.join(" ")}: ${stderr}`);
      assert.ok((stdout + stderr).includes(words), `${args.join(" ")}: ${stdout}${stderr}`);
    }
    const out = join(home, "out.json");
    await espalier(["prune", airline, "--budget", "3000", "-o", out]);
    assert.ok(existsSync(out) && JSON.parse(readFileSync(out, "utf8")).messages.length > 0);
  },

  async "the command line: a model that answers, fails, hangs, babbles"() {
    const file = join(transcripts, "sweagent-marshmallow-1867.json");
    const whole = JSON.parse(readFileSync(file, "utf8"));
    const { url, script, seen, close } = await modelServer();
    const ask = (...more) =>
      espalier(
        ["compact", file, "--budget", "4000", "--llm", "openai:test", "--base-url", `${url}/v1`, "--json", ...more],
        { env: { OPENAI_API_KEY: "k" } },
      );
    try {
      script("good");
      const good = await ask();
      assert.equal(good.code, 0, good.stderr);
      assert.match(good.stdout, /The record of a scripted model/);
      assert.equal(seen.at(-1).headers.authorization, "Bearer k");
      assert.deepEqual(
        seen.at(-1).body.messages.map(({ role }) => role),
        ["system", "user"],
      );
      // Ids that are used twice get others, in whatever is to be sent.
      const sendable = JSON.parse((await ask("--budget", "1000000")).stdout).messages;
      assert.equal(sendable.length, whole.length);
      for (const [behaviour, status, ...more] of [
        ["500", "model_failed"],
        ["401", "model_failed"],
        ["429", "model_failed"],
        ["malformed", "model_failed"],
        ["empty-choices", "model_failed"],
        ["cut", "model_failed"],
        ["no-tag", "no_summary_tag"],
        ["empty", "empty_summary"],
        ["tool-call", "tool_call_instead"],
        ["hang", "timeout", "--timeout-ms", "1000"],
      ]) {
        script(behaviour);
        // What fits stays as it is if nobody but the model may summarise.
        const { code, stdout, stderr } = await ask("--budget", "10000", "--force", "--on-failure", "leave", ...more);
        assert.equal(code, 5, `${behaviour}: ${stderr}`);
        const result = JSON.parse(stdout);
        assert.equal(result.status, status, behaviour);
        assert.deepEqual(result.messages, sendable, `${behaviour}: the conversation changed`);
      }
      script("500");
      const offline = await ask();
      assert.deepEqual([offline.code, JSON.parse(offline.stdout).status], [0, "applied"]);
      const left = await ask("--on-failure", "leave");
      assert.ok(left.code === 5 && left.stderr.includes("compaction_failed"), `${left.code}: ${left.stderr}`);
      script("no-max-tokens");
      assert.equal((await ask()).code, 0, "a model that takes no max_tokens");
      script("good");
      for (const [model, variable, header] of [
        ["anthropic:test", "ANTHROPIC_API_KEY", "x-api-key"],
        ["gemini:test", "GEMINI_API_KEY", "x-goog-api-key"],
        ["openai-responses:test", "OPENAI_API_KEY", "authorization"],
      ]) {
        const other = await espalier(
          ["compact", file, "--budget", "4000", "--llm", model, "--base-url", `${url}/v1`, "--json"],
          { env: { [variable]: "key-1" } },
        );
        assert.equal(JSON.parse(other.stdout).status, "applied", other.stderr);
        assert.match(seen.at(-1).headers[header], /key-1$/);
      }
      script("hang");
      const child = spawn(
        join(consumer, "node_modules", ".bin", "espalier"),
        ["compact", file, "--budget", "4000", "--llm", "openai:test", "--base-url", `${url}/v1`],
        { stdio: "ignore" },
      );
      const before = seen.length;
      while (seen.length === before) await new Promise((resolve) => setTimeout(resolve, 20));
      child.kill("SIGINT");
      assert.equal(await new Promise((resolve) => child.once("exit", resolve)), 130);
    } finally {
      close();
    }
  },
};

const tools = { consumer, home, node, root, run, titleIn };
Object.assign(
  cases,
  countCases(tools),
  downloadCases(tools),
  exampleCases(tools),
  functionsCases(tools),
  readmeCases(tools),
  sdkCases(tools),
  workspaceCases(tools),
);

const only = process.argv.slice(2);
let failed = 0;
let passed = 0;
try {
  console.log("installing the packed package");
  install();
  for (const [name, work] of Object.entries(cases)) {
    if (only.length > 0 && !only.some((word) => name.includes(word))) continue;
    const start = Date.now();
    try {
      await work();
      passed += 1;
      console.log(`ok   ${name} (${Date.now() - start} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`FAIL ${name}\n${error.stack}`);
    }
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
