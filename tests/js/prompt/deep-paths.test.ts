/** Deep paths, the shim and older ways to resolve the package, as clients of the reference use them. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../folder.ts";
import { rehearsal } from "./subject.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const skip = rehearsal;

/** A project with the package, and the shim in place of the reference. */
const project = temporaryFolder();
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
  "output/vscode",
  "tokenizer/tokenizer",
  "util/vs/common/uri",
];
const ROOTS = ["espalier/prompt-tsx", "espalier/prompt-tsx/inline", "@vscode/prompt-tsx"];

for (const module of MODULES) {
  test(`dist/base/${module} has the reference's names`, { skip }, async () => {
    const names = Object.keys(peer(`@vscode/prompt-tsx/dist/base/${module}`) as object);
    // With `.js`, as code for Node's ES modules must write it.
    for (const path of ROOTS.flatMap((root) => ["", ".js"].map((suffix) => `${root}/dist/base/${module}${suffix}`))) {
      const imported = path.startsWith("@") ? {} : ((await importing(path)) as object);
      for (const [how, found] of [
        ["require", load(path) as object],
        ["import", path.startsWith("@") ? (load(path) as object) : imported],
      ] as const)
        assert.deepEqual(
          names.filter((name) => !(name in found)),
          [],
          `${how} ${path}`,
        );
    }
  });
}

/** Imports a path from within the project. */
function importing(path: string): Promise<unknown> {
  const file = join(project, "importing.mjs");
  if (!existsSync(file)) writeFileSync(file, "export default (path) => import(path);\n");
  return import(file).then(({ default: load }) => load(path));
}

test("addresses of the deep path do as the reference's", { skip }, () => {
  const { URI: theirs, ...their } = peer("@vscode/prompt-tsx/dist/base/util/vs/common/uri") as any;
  const { URI: ours, ...our } = load("espalier/prompt-tsx/dist/base/util/vs/common/uri") as any;
  const { PromptReference } = load("espalier/prompt-tsx") as any;
  const read = (URI: any, rest: any) => {
    const file = URI.file("/Src/a b.ts");
    return [
      ...["c", "../x", "/y/", "./z/..", ""].map((part) => URI.joinPath(file, part).toString()),
      URI.joinPath(URI.parse("https://e.org/a/"), "b", "..", "..", "..", "c").toString(),
      URI.joinPath(URI.from({ scheme: "x", path: "a" }), "..", "..").path,
      URI.revive(undefined),
      URI.revive({ scheme: "file", path: "/q" }).fsPath,
      file instanceof URI,
      {} instanceof URI,
      ...[{ scheme: "x" }, { scheme: "x", query: 1 }, null].map(rest.isUriComponents),
      rest.uriToFsPath(file, true),
      rest.uriToFsPath(URI.parse("file:///C:/a"), true),
      rest.uriToFsPath(URI.parse("file:///C:/a"), false),
    ];
  };
  assert.deepEqual(read(ours, our), read(theirs, their));
  assert.throws(() => ours.joinPath(ours.from({ scheme: "x" }), "a"), /without path/);
  assert.ok(PromptReference.fromJSON({ anchor: { $mid: 1, scheme: "file", path: "/a" } }).anchor instanceof ours);
});

test("the constants of types that share names are those of their module", { skip }, () => {
  const openai = load("espalier/prompt-tsx/dist/base/output/openaiTypes") as any;
  assert.deepEqual([openai.ChatRole.System, openai.BaseTokensPerCompletion], ["system", 3]);
  assert.equal((load("@vscode/prompt-tsx/dist/base/output/rawTypes") as any).ChatRole.Tool, 3);
});

test("the deep path's toVsCodeChatMessages refuses the messages of 0.3", { skip }, () => {
  const { toVsCodeChatMessage, toVsCodeChatMessages } = load("espalier/prompt-tsx/dist/base/output/vscode") as any;
  const { Raw } = load("espalier/prompt-tsx") as any;
  const message = { role: Raw.ChatRole.User, content: [{ type: 1, text: "hello" }] };
  assert.equal(toVsCodeChatMessage(message).content[0].value, "hello");
  assert.deepEqual(toVsCodeChatMessages([message]), [toVsCodeChatMessage(message)]);
  assert.equal(toVsCodeChatMessage({ role: 9, content: [] }), undefined);
  assert.throws(() => toVsCodeChatMessages([message, { role: "user", content: "x" }]), {
    code: "bad_input",
    path: "messages[1].role",
  });
});

test("the paths of the messages' types contain no engine", { skip }, async () => {
  const { build } = await import("esbuild");
  const stdin = {
    contents: 'export { ChatRole } from "espalier/prompt-tsx/dist/base/output/rawTypes";',
    resolveDir: project,
  };
  for (const platform of ["node", "browser"] as const) {
    const { outputFiles } = await build({ stdin, bundle: true, write: false, minify: true, format: "esm", platform });
    assert.ok(outputFiles[0]!.contents.length < 2_000);
  }
});

test("an ES module finds VS Code's classes where the host answers `require`", { skip }, () => {
  const code = `
    import Module from "node:module";
    class Message { static User(content) { return Object.assign(new Message(), { content }); } }
    const load = Module._load;
    Module._load = (name, ...told) =>
      name === "vscode" ? { LanguageModelChatMessage: Message, LanguageModelTextPart: class {} } : load(name, ...told);
    const { Raw, toVSCode } = await import("espalier/prompt-tsx");
    console.log(toVSCode({ role: Raw.ChatRole.User, content: [] }) instanceof Message);`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
    cwd: project,
    encoding: "utf8",
  });
  assert.equal(stdout, "true\n", stderr);
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
import { BaseTokensPerName } from "espalier/prompt-tsx/dist/base/output/openaiTypes.js";
import { ChatCompletionContentPartKind } from "espalier/prompt-tsx/inline/dist/base/output/rawTypes.js";
import { URI } from "espalier/prompt-tsx/dist/base/util/vs/common/uri";
import { TextChunk } from "espalier/prompt-tsx/dist/base/promptElements";
import { JSONTree } from "espalier/prompt-tsx";
import { PromptRenderer } from "espalier/prompt-tsx/inline";
import { count } from "espalier/inline";
export const message: ChatMessage = { role: "user" as never, content: "x" };
export const role: number = ChatRole.User;
export const tokens: number = count("x") + BaseTokensPerName + ChatCompletionContentPartKind.Text;
export const name: string = URI.joinPath(URI.file("/a"), "b").fsPath;
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

/** Runs TypeScript on a file of the project, and expects no complaint. */
function compiles(file: string, options: Record<string, unknown>): void {
  const compilerOptions = {
    target: "es2022",
    lib: ["es2022", "dom"],
    strict: true,
    noEmit: true,
    types: [],
    preserveSymlinks: true,
    ...options,
  };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [file] }));
  const { stdout, status } = spawnSync(
    process.execPath,
    [join(dirname(peer.resolve("typescript/package.json")), "bin", "tsc"), "-p", project],
    { encoding: "utf8" },
  );
  assert.equal(stdout, "");
  assert.equal(status, 0);
}

// TypeScript 6 has no node10 any more.
for (const [moduleResolution, module] of [
  ["node16", "node16"],
  ["bundler", "esnext"],
] as const) {
  test(`every path compiles under moduleResolution ${moduleResolution}`, { skip, timeout: 300_000 }, () => {
    writeFileSync(join(project, "client.ts"), CLIENT);
    compiles("client.ts", { module, moduleResolution });
  });
}

test("TypeScript and esbuild find the shim by a path", { skip, timeout: 300_000 }, async () => {
  const paths = {
    "elsewhere/prompt-tsx": ["./node_modules/espalier/shim"],
    "elsewhere/prompt-tsx/*": ["./node_modules/espalier/shim/*"],
  };
  writeFileSync(
    join(project, "elsewhere.ts"),
    `import { PromptElement, Raw } from "elsewhere/prompt-tsx";
    import { TextChunk } from "elsewhere/prompt-tsx/dist/base/promptElements";
    export const role: number = Raw.ChatRole.User;
    console.log(TextChunk.prototype instanceof PromptElement, role);`,
  );
  const options = { module: "esnext", moduleResolution: "bundler", paths };
  compiles("elsewhere.ts", options);
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: [join(project, "elsewhere.ts")],
    bundle: true,
    write: false,
    format: "cjs",
    platform: "node",
    preserveSymlinks: true,
  });
  const { stdout, stderr } = spawnSync(process.execPath, ["-"], { encoding: "utf8", input: outputFiles[0]!.text });
  assert.equal(stdout, "true 1\n", stderr);
});
