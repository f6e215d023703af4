/**
 * `espalier/core`, packed: in Node as module and as CommonJS, in a page and in a worker of it, without any other
 * JavaScript of the package.
 */

import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";

/** What the module may have, in bytes: it is glue alone. */
const MAX_MODULE = 25_000;

export function functionsCases({ consumer, home, root, run, titleIn, tsc }) {
  const dist = join(consumer, "node_modules", "espalier", "dist");
  const messages = readFileSync(join(root, "tests", "fixtures", "neutral", "tau-airline-0.json"), "utf8");
  const tree = JSON.stringify({
    node: { type: 1, ctor: 1, props: { role: 1 }, children: [{ type: 2, text: "Why does this fail?" }] },
  });
  /** Uses all three functions, and shows what comes of them. */
  const use = `
    const messages = ${messages}, options = { budget: 4000 };
    const shown = [prune(messages, options).report.after.total <= 4000];
    shown.push((await compact(messages, options, async () => "<summary>Done.</summary>")).status);
    shown.push((await compact(messages, options, () => { throw new Error("down"); })).report.model.error);
    shown.push(await compact(messages, {}).catch((error) => error.path));
    shown.push((await render(${tree}, { budget: 99 })).request.messages[0].content);`;
  const expected = "true, applied, down, options.budget, Why does this fail?";

  return {
    async "espalier/core in Node, as module and as CommonJS"() {
      const start = (find) => `
        const file = (name) => readFileSync(${find});
        initSync({ module: file("espalier.wasm") });
        loadEncoding("o200k_base", file("vocab/o200k_base.vocab"));${use}
        console.log(shown.join(", "));`;
      const names = "compact, initSync, loadEncoding, prune, render";
      writeFileSync(
        join(consumer, "core.mjs"),
        `import { readFileSync } from "node:fs"; import { fileURLToPath } from "node:url"; import { ${names} } from "espalier/core";
        ${start("fileURLToPath(import.meta.resolve(`espalier/${name}`))")}`,
      );
      writeFileSync(
        join(consumer, "core.cjs"),
        `const { readFileSync } = require("node:fs"); const { ${names} } = require("espalier/core");
        (async () => {${start("require.resolve(`espalier/${name}`)")}})();`,
      );
      for (const file of ["core.mjs", "core.cjs"]) {
        const { stdout, stderr } = await run(process.execPath, [file]);
        assert.equal(stdout.trim(), expected, stderr);
      }
    },

    async "espalier/core in a page and in a worker, without a bundler"() {
      const folder = join(home, "core-page");
      mkdirSync(folder);
      for (const file of ["functions.js", "espalier.wasm", "vocab/o200k_base.vocab"])
        cpSync(join(dist, file), join(folder, file));
      const script = (report) => `import init, { compact, loadEncoding, prune, render } from "./functions.js";
        await init();
        loadEncoding("o200k_base", new Uint8Array(await (await fetch("./vocab/o200k_base.vocab")).arrayBuffer()));${use}
        ${report}`;
      writeFileSync(join(folder, "worker.js"), script('postMessage(shown.join(", "));'));
      writeFileSync(
        join(folder, "page.js"),
        script(`
        new Worker("./worker.js", { type: "module" }).onmessage = ({ data }) => { document.title = data === shown.join(", ") ? data : "they differ: " + data; };`),
      );
      writeFileSync(join(folder, "index.html"), '<!doctype html><script type="module" src="page.js"></script>');
      assert.equal(await titleIn(folder), expected);
    },

    async "espalier/core is small, and takes nothing else of the package along"() {
      const code = readFileSync(join(dist, "functions.js"), "utf8");
      assert.ok(code.length <= MAX_MODULE, `${code.length} bytes`);
      assert.doesNotMatch(code, /\bfrom\s*"|\brequire\(/);
    },

    async "types of espalier/core, for import and require"() {
      const folder = join(consumer, "core-types");
      mkdirSync(folder);
      const code = `import { compact, initSync, loadEncoding, prune, render, type Llm, type NeutralMessage, type PromptTree } from "espalier/core";
        import { compact as whole, type Llm as Other } from "espalier";
        const llm: Llm = async ({ messages, signal }) => ({ text: String(messages.length), usage: signal.aborted ? undefined : {} });
        const same: Other = llm;
        const messages: NeutralMessage[] = [{ id: "a", role: "user", parts: [{ type: "text", text: "x" }] }];
        const tree: PromptTree = { node: { type: 1, ctor: 1, props: { role: 1 }, children: [{ type: 1, ctor: 2, component: "Log" }] } };
        initSync({ module: new Uint8Array() }); loadEncoding("o200k_base", new Uint8Array());
        const total: number = prune(messages, { budget: 9, keep: [0] }).report.after.total;
        void compact(messages, { budget: 9 }, llm).then(({ status }) => status === "applied");
        void render(tree, { budget: 9 }, { render: (name, props, { tokenBudget }) => name + tokenBudget }).then(({ request }) => request.messages);
        // @ts-expect-error It is an argument.
        void compact(messages, { budget: 9, llm });
        // @ts-expect-error Only the package reads other formats.
        prune([{ role: "user", content: "x" }], { budget: 9 });
        export { same, total, whole };\n`;
      for (const name of ["a.mts", "b.cts"]) writeFileSync(join(folder, name), code);
      writeFileSync(
        join(folder, "tsconfig.json"),
        JSON.stringify({
          compilerOptions: {
            module: "nodenext",
            strict: true,
            noEmit: true,
            exactOptionalPropertyTypes: true,
            target: "es2022",
            lib: ["es2024", "dom"],
            types: [],
          },
          files: ["a.mts", "b.cts"],
        }),
      );
      await tsc(["--project", folder]);
    },
  };
}
