/** The declarations of the package, beside those of others. */

import assert from "node:assert/strict";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

export function typeCases({ checkTypes, consumer, node, root, tsc }) {
  return {
    async "types, for import and require, without skipLibCheck"() {
      const code = (
        specifier,
      ) => `import { compact, count, countMessages, prune, Pruner, EspalierError, type PruneReport, type Llm } from "${specifier}";
      const messages: { role: string; content: string }[] = [];
      const kept: { role: string; content: string }[] = prune(messages, { budget: 10 }).messages;
      const llm: Llm = async ({ prompt }, { signal }) => ({ text: signal.aborted ? "" : prompt });
      const n: number = count("x"); const report: PruneReport = prune(messages, { budget: n }).report;
      // @ts-expect-error a budget is a number
      prune(messages, { budget: "10" });
      // @ts-expect-error a text is no conversation
      prune("text", { budget: 10 });
      // @ts-expect-error a text is no conversation
      void compact("text", { budget: 10 });
      // @ts-expect-error a text is no conversation
      countMessages("text");
      // @ts-expect-error a text is no conversation
      new Pruner().prune("text" as string, { budget: 10 });
      const input: string | typeof messages = messages.concat(); const request: { model: string; input: string | object[] } = { model: "m", input: "text" };
      const unknown: unknown = messages; const maybe: typeof messages | undefined = messages.concat();
      const fits = <M extends object, I extends { role: string }>(list: M, items: readonly I[]): [M, readonly I[]] => [prune(list, { budget: 10 }).messages, new Pruner().prune(items, { budget: 10 }).messages];
      const same: { model: string; input: string | object[] } = prune(request, { budget: 10 }).messages;
      export const all = [countMessages(input), countMessages(request), countMessages(unknown), countMessages(maybe), countMessages(JSON.parse("[]")), fits(messages, messages), same];
      void compact(kept, { budget: 1, llm }).then(({ status }) => status === "applied"); export { report, EspalierError };\n`;
      const codes = Object.fromEntries(
        ["", "/inline", "/slim"].map((entry) => [`types/espalier${entry.replace("/", "-")}`, code(`espalier${entry}`)]),
      );
      codes["types/espalier-core"] = `import { initSync, prune, type InitInput } from "espalier/core";
      export const source: InitInput = new Uint8Array(1);
      export const load = () => initSync({ module: new ArrayBuffer(1) });
      export { prune };\n`;
      await checkTypes(codes);
      // Without the browser's types, as in a Node project.
      const types = join(root, "node_modules", "@types");
      await checkTypes(codes, ["--lib", "es2022", "--types", "node", "--typeRoots", types]);
    },

    async "types beside those of VS Code: its models, messages and tokens are taken, and what is made goes back to it"() {
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
      await checkTypes({ "vscode/use": code }, [
        "--exactOptionalPropertyTypes",
        "--lib",
        "es2022",
        "--typeRoots",
        join(root, "node_modules", "@types"),
        "--types",
        "vscode,node",
      ]);
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
        await tsc(["--project", dir], files.join(" "));
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
  };
}
