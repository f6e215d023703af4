/**
 * The package's README, SECURITY and docs, as somebody reads them who has only the package: links, figures, promises,
 * the manifest.
 */

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { build } from "esbuild";
import { sizes } from "../../scripts/lib.mjs";

/** What a row of the table of sizes names, as a page imports it. */
const ROW = /^\| `(\w+)` of `([\w/]+)` \| (\d+) kB \|/gm;

export function readmeCases({ consumer, run }) {
  const installed = join(consumer, "node_modules", "espalier");
  const read = (path) => readFileSync(join(installed, path), "utf8");

  /** Returns the kB of JavaScript, by brotli, of a page that imports one name. */
  async function script(name, entry) {
    const { outputFiles } = await build({
      stdin: { contents: `import { ${name} } from "${entry}"; console.log(${name});`, resolveDir: consumer },
      bundle: true,
      minify: true,
      write: false,
      format: "esm",
      platform: "browser",
      logLevel: "error",
    });
    return brotliCompressSync(outputFiles[0].contents).length / 1_000;
  }

  return {
    async "pages of the package link to files of the package"() {
      const pages = [
        "README.md",
        "SECURITY.md",
        "examples/README.md",
        ...readdirSync(join(installed, "docs")).map((name) => `docs/${name}`),
      ];
      let links = 0;
      for (const page of pages) {
        for (const [, target] of read(page).matchAll(/\]\(([^()\s#]+)/g)) {
          if (/^[a-z]+:/.test(target)) continue;
          links += 1;
          assert.ok(existsSync(join(installed, dirname(page), target)), `${page} links to ${target}`);
        }
      }
      assert.ok(links > 30, `${links} links`);
    },

    async "sizes in the README are those of the package"() {
      const text = read("README.md");
      const near = (stated, measured, what) =>
        assert.ok(Math.abs(stated - measured) <= Math.max(1, measured / 20), `${what}: ${measured}, not ${stated} kB`);
      const rows = [...text.matchAll(ROW)];
      assert.equal(rows.length, 5);
      for (const [, name, entry, kB] of rows) near(Number(kB), await script(name, entry), `${entry}: ${name}`);
      const dist = join(installed, "dist");
      for (const [pattern, file] of [
        [/`count` of .* \| (\d+) kB \| \d+ kB \(`o200k_base`\)/, "count.wasm"],
        [/`prune` of .* \| (\d+) kB \| the same/, "espalier.wasm"],
        [/(\d+) kB \(`o200k_base`\)/, "vocab/o200k_base.vocab"],
        [/(\d+) kB \(`cl100k_base`\)/, "vocab/cl100k_base.vocab"],
      ])
        near(Number(pattern.exec(text)[1]), sizes(join(dist, file)).brotli / 1_000, file);
      const page = read("docs/counting.md");
      near(Number(/JavaScript (\d+), engine/.exec(page)[1]), await script("count", "espalier/count"), "counting.md");
      const files = readdirSync(installed, { recursive: true }).map((name) => join(installed, name));
      const bytes = files.map((file) => statSync(file)).reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
      near(Number(/has (\d+) MB on disk/.exec(text)[1]), bytes / 1e6, "MB on disk");
      const all = (ending) =>
        files.filter((file) => ending.test(file)).reduce((sum, file) => sum + statSync(file).size, 0);
      near(Number(/(\d+) MB are grammars/.exec(text)[1]), all(/tree-sitter-[\w-]+\.wasm$/) / 1e6, "MB of grammars");
      near(Number(/(\d+) MB source maps/.exec(text)[1]), all(/\.map$/) / 1e6, "MB of source maps");
    },

    async "the manifest names no address, and nobody, who does not exist"() {
      const manifest = JSON.parse(read("package.json"));
      for (const field of ["repository", "homepage", "bugs", "author", "maintainers", "funding"])
        assert.ok(!(field in manifest), `package.json has ${field}: write here which address it is`);
      assert.doesNotMatch(JSON.stringify(manifest), /https?:|@[\w-]+\.\w+/);
    },

    async "no dependencies, no install scripts, no connections"() {
      const { dependencies, peerDependencies, optionalDependencies, scripts } = JSON.parse(read("package.json"));
      for (const field of [dependencies, peerDependencies, optionalDependencies, scripts])
        assert.equal(field, undefined);
      const code = `
        import net from "node:net"; import dns from "node:dns";
        let opened = 0;
        const refuse = () => { opened += 1; throw new Error("a connection"); };
        net.Socket.prototype.connect = refuse; dns.lookup = refuse; globalThis.fetch = refuse;
        const { compact, count, openConversation, prune, truncate } = await import("espalier");
        const { createPiece, render, UserMessage } = await import("espalier/prompt");
        const { summarizeDocument } = await import("espalier/documents");
        const { openIndex } = await import("espalier/search");
        const { readSession } = await import("espalier/sessions");
        const messages = Array.from({ length: 40 }, (_, at) => ({ role: at % 2 ? "assistant" : "user", content: "words ".repeat(50) + at }));
        const conversation = await openConversation({ format: "openai-chat", model: { maxPromptTokens: 900 } });
        conversation.append(messages.slice(0, -1));
        const { text } = await summarizeDocument("def a():\\n    return 1\\n".repeat(50), { path: "a.py", budget: 50 });
        console.log([
          count("x"), prune(messages, { budget: 500 }).messages.length > 0, (await compact(messages, { budget: 900 })).status,
          (await conversation.prepare()).messages.length > 0, truncate("a ".repeat(100), { maxTokens: 20 }).tokens <= 20, text.length > 0,
          (await render(createPiece(UserMessage, null, "Hi"), { budget: 50 })).tokens > 0, typeof openIndex, typeof readSession, opened].join(" "));`;
      writeFileSync(join(consumer, "offline.mjs"), code);
      const { stdout, stderr } = await run(process.execPath, ["offline.mjs"]);
      assert.equal(stdout.trim(), "1 true applied true true true true function function 0", stderr);
    },
  };
}
