/** The entries for loops of other SDKs, in a project that has none of these SDKs. */

import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { SDKS } from "../../scripts/entries.mjs";

const NAMES = [...SDKS, "langchain"];
/** Max bytes of an entry beside the package's own chunk: a little above what the largest has. */
const MAX = 8_400;

export function sdkCases({ checkTypes, consumer, node, root }) {
  const dist = join(consumer, "node_modules", "espalier", "dist");
  return {
    async "SDKs: entries are small, import no SDK, and their sources have at most 150 lines"() {
      for (const name of NAMES) {
        const file = join(dist, name === "langchain" ? "langchain-web.js" : `${name}.js`);
        assert.ok(statSync(file).size <= MAX, `${name}: ${statSync(file).size} bytes`);
        const imports = [...readFileSync(file, "utf8").matchAll(/(?:from|import)\s*"([^"]+)"/g)].map(
          ([, path]) => path,
        );
        assert.ok(imports.length > 0 && imports.every((path) => path.startsWith("./")), imports.join(", "));
        const lines = readFileSync(join(root, "js", "sdk", `${name}.ts`), "utf8").split("\n").length;
        assert.ok(lines <= 150, `${name}: ${lines} lines`);
      }
    },

    async "SDKs: import and require, beside the root's classes"() {
      const use = `
        (async () => {
          const conversation = await openConversation({ format: "ai-sdk", model: "gpt-4o" });
          const { messages } = await createPrepareStep(conversation)({ messages: [{ role: "user", content: "Go." }], steps: [] });
          let code; try { createSession(conversation); } catch (error) { code = error instanceof EspalierError && error.code; }
          const [trimmed] = trimMessages([{ type: "human", content: "Hi." }], { maxTokens: 50 });
          console.log(messages[0].content, code, trimmed.content, typeof fitToolRunner, typeof createProcessor);
        })();`;
      const names = {
        espalier: "EspalierError, openConversation",
        "espalier/ai-sdk": "createPrepareStep",
        "espalier/anthropic": "fitToolRunner",
        "espalier/fetch": "createFetch",
        "espalier/langchain": "trimMessages",
        "espalier/mastra": "createProcessor",
        "espalier/openai-agents": "createSession",
      };
      const list = (line) => Object.entries(names).map(line).join("\n");
      const wanted = "Go. bad_option Hi. function function";
      assert.equal(await node("sdks.mjs", list(([path, own]) => `import { ${own} } from "${path}";`) + use), wanted);
      assert.equal(
        await node("sdks.cjs", list(([path, own]) => `const { ${own} } = require("${path}");`) + use),
        wanted,
      );
    },

    async "SDKs: types for import and require"() {
      const code = `import { openConversation, type Conversation } from "espalier";
        import { createMiddleware, createPrepareStep } from "espalier/ai-sdk";
        import { createHooks, trimMessages } from "espalier/langchain";
        import { createSession, type ContextSession } from "espalier/openai-agents";
        class HumanMessage { constructor(readonly content: string) {} }
        export async function all(conversation: Conversation): Promise<ContextSession> {
          const trimmed: HumanMessage[] = trimMessages([new HumanMessage("Hi.")], { maxTokens: 50 });
          const chat = await openConversation({ format: "langchain", model: "gpt-4o" });
          createHooks(chat); createMiddleware(conversation); createPrepareStep(conversation, { tools: {} });
          // @ts-expect-error the limit is a number
          trimMessages(trimmed, { maxTokens: "50" });
          // @ts-expect-error the oldest messages cannot stay
          trimMessages(trimmed, { maxTokens: 50, strategy: "first" });
          return createSession(conversation, { sessionId: "s" });
        }\n`;
      await checkTypes({ "sdk-types/use": code });
    },
  };
}
