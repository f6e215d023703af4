/** The package in bundles: pages, programs of Node, extensions of VS Code. */

import assert from "node:assert/strict";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

export function bundleCases({ consumer, home, run, titleIn }) {
  return {
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
      writeFileSync(
        join(consumer, "alias.jsx"),
        `import { PromptElement, renderPrompt, UserMessage, TextChunk, OutputMode, HTMLTracer, PromptRenderer } from "@vscode/prompt-tsx";
      import { ChatRole } from "@vscode/prompt-tsx/dist/base/output/rawTypes";
      import { UserMessage as Deep } from "@vscode/prompt-tsx/dist/base/promptElements.js";
      import { ChatCompletionContentPartKind as Kind } from "@vscode/prompt-tsx/dist/base/output/rawTypes.js";
      import { BudgetExceededError } from "@vscode/prompt-tsx/dist/base/materialized";
      class Hello extends PromptElement { render() { return <UserMessage>Hello <TextChunk priority={1}>{this.props.said}</TextChunk></UserMessage>; } }
      const tokenizer = { mode: OutputMode.Raw, tokenLength: ({ text }) => text?.length ?? 0, countMessageTokens: ({ content }) => content.reduce((sum, { text }) => sum + text.length, 3) };
      const { messages } = await renderPrompt(Hello, { said: "you" }, { modelMaxPromptTokens: 100 }, tokenizer);
      const renderer = new PromptRenderer({ modelMaxPromptTokens: 10 }, Hello, { said: "nobody at all" }, tokenizer);
      renderer.tracer = new HTMLTracer();
      const { tokenCount } = await renderer.render();
      const page = await renderer.tracer.html();
      document.title = JSON.stringify([messages, tokenCount, ChatRole.User, Deep === UserMessage, typeof BudgetExceededError, Kind.Text, page.includes("<script")]);`,
      );
      for (const entry of ["espalier/prompt-tsx", "espalier/prompt-tsx/inline"]) {
        const out = join(home, entry.replaceAll("/", "-"));
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
          alias: { "@vscode/prompt-tsx": entry },
        });
        if (entry === "espalier/prompt-tsx")
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
          1,
          true,
        ]);
      }
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
  };
}
