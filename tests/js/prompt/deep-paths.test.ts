/** Deep paths, the shim and older ways to resolve the package, as clients of the reference use them. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { rehearsal } from "./subject.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const skip = rehearsal;

/** A project with the package, and the shim in place of the reference. */
const project = mkdtempSync(join(tmpdir(), "espalier-shim-"));
after(() => rmSync(project, { recursive: true, force: true }));
mkdirSync(join(project, "node_modules", "@vscode"), { recursive: true });
symlinkSync(join(root, "pkg"), join(project, "node_modules", "espalier"), "junction");
if (!skip)
  cpSync(join(root, "pkg", "shim"), join(project, "node_modules", "@vscode", "prompt-tsx"), { recursive: true });

const load = createRequire(join(project, "index.js"));
const peer = createRequire(import.meta.url);

const MODULES = [
  "index",
  "htmlTracer",
  "jsonTypes",
  "materialized",
  "promptElement",
  "promptElements",
  "promptRenderer",
  "results",
  "tracer",
  "types",
  "tsx",
  "tsx-globals",
  "output/mode",
  "output/openaiConvert",
  "output/openaiTypes",
  "output/rawTypes",
  "tokenizer/tokenizer",
];

for (const module of MODULES) {
  test(`dist/base/${module} has the reference's names`, { skip }, async () => {
    const names = Object.keys(peer(`@vscode/prompt-tsx/dist/base/${module}`) as object);
    const path = `espalier/prompt-tsx/dist/base/${module}`;
    const found = [
      load(path),
      load(`@vscode/prompt-tsx/dist/base/${module}`),
      await import(join(project, "node_modules", "espalier", "dist", esm(module))),
    ] as object[];
    for (const each of found)
      assert.deepEqual(
        names.filter((name) => !(name in each)),
        [],
      );
  });
}

/** The ES module that the exports name for a deep path. */
function esm(module: string): string {
  if (module === "output/openaiTypes") return "openai-types.js";
  return module === "output/rawTypes" ? "raw.js" : "prompt-tsx-node.js";
}

test("the constants of types that share names are those of their module", { skip }, () => {
  const openai = load("espalier/prompt-tsx/dist/base/output/openaiTypes") as any;
  assert.deepEqual([openai.ChatRole.System, openai.BaseTokensPerCompletion], ["system", 3]);
  assert.equal((load("@vscode/prompt-tsx/dist/base/output/rawTypes") as any).ChatRole.Tool, 3);
});

test("the shim is the drop-in module itself", { skip }, () => {
  assert.equal(load("@vscode/prompt-tsx").PromptElement, load("espalier/prompt-tsx").PromptElement);
  assert.equal(load("@vscode/prompt-tsx/dist/base/promptElements").TextChunk, load("espalier/prompt-tsx").TextChunk);
});

test("materialized classes tell the nodes of a tracer's tree apart", { skip }, async () => {
  const { BuiltinTokenizer, OutputMode, PromptElement, PromptRenderer, UserMessage, Chunk } =
    load("espalier/prompt-tsx");
  const { GenericMaterializedContainer, MaterializedChatMessage, MaterializedChatMessageTextChunk } = load(
    "espalier/prompt-tsx/dist/base/materialized",
  );
  class Root extends PromptElement {
    render(): unknown {
      return { ctor: UserMessage, props: {}, children: [{ ctor: Chunk, props: {}, children: ["text"] }] };
    }
  }
  const renderer = new PromptRenderer(
    { modelMaxPromptTokens: 100 },
    Root,
    {},
    new BuiltinTokenizer({ mode: OutputMode.Raw }),
  );
  let tree: any;
  renderer.tracer = { didMaterializeTree: (trace: any) => (tree = trace.renderedTree.container) };
  await renderer.render();
  const [message] = tree.children;
  assert.ok(tree instanceof GenericMaterializedContainer && !(tree instanceof MaterializedChatMessage));
  assert.ok(message instanceof MaterializedChatMessage);
  assert.ok(message.children[0].children[0] instanceof MaterializedChatMessageTextChunk);
  assert.ok(!({} instanceof MaterializedChatMessage) && !((undefined as any) instanceof MaterializedChatMessage));
});

const CLIENT = `
import { PromptElement, UserMessage, renderPrompt } from "@vscode/prompt-tsx";
import { BudgetExceededError } from "@vscode/prompt-tsx/dist/base/materialized";
import { ChatMessage } from "@vscode/prompt-tsx/dist/base/output/openaiTypes";
import { ChatRole } from "@vscode/prompt-tsx/dist/base/output/rawTypes";
import { TextChunk } from "espalier/prompt-tsx/dist/base/promptElements";
import { JSONTree } from "espalier/prompt-tsx";
import { PromptRenderer } from "espalier/prompt-tsx/inline";
import { count } from "espalier/inline";
export const message: ChatMessage = { role: "user" as never, content: "x" };
export const role: number = ChatRole.User;
export const tokens: number = count("x");
export const known = [PromptElement, UserMessage, renderPrompt, BudgetExceededError, TextChunk, PromptRenderer];
export type Data = JSONTree.PromptElementJSON;
`;

test("typesVersions names the declarations of every export, for node10", { skip }, () => {
  const { exports, typesVersions } = load("espalier/package.json") as {
    exports: Record<string, any>;
    typesVersions: { "*": Record<string, string[]> };
  };
  for (const [name, entry] of Object.entries(exports)) {
    if (name === "." || typeof entry === "string") continue;
    const [file] = typesVersions["*"][name.slice(2)] ?? [];
    assert.ok(file && existsSync(join(root, "pkg", file)), name);
  }
});

// TypeScript 6 has no node10 any more.
for (const [moduleResolution, module] of [
  ["node16", "node16"],
  ["bundler", "esnext"],
] as const) {
  test(`every path compiles under moduleResolution ${moduleResolution}`, { skip, timeout: 300_000 }, () => {
    writeFileSync(join(project, "client.ts"), CLIENT);
    const compilerOptions = {
      target: "es2022",
      lib: ["es2022", "dom"],
      strict: true,
      noEmit: true,
      types: [],
      module,
      moduleResolution,
      preserveSymlinks: true,
    };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["client.ts"] }));
    const { stdout, status } = spawnSync(
      process.execPath,
      [join(dirname(peer.resolve("typescript/package.json")), "bin", "tsc"), "-p", project],
      { encoding: "utf8" },
    );
    assert.equal(stdout, "");
    assert.equal(status, 0);
  });
}
