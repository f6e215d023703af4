/** Requests to a model that was registered with VS Code, through the provider for it. */

import { Recovery, request, signalFrom } from "espalier/inline";
import { vscode as languageModel } from "espalier/providers";
import * as vscode from "vscode";
import { equal, failing, ok, until } from "../check.ts";
import type { Cases } from "../check.ts";
import { textOf } from "../model.ts";
import { genuine, session, words } from "./messages.ts";

const { LanguageModelTextPart: Text, LanguageModelToolCallPart: Call } = vscode;
const say = (value: string) => new Text(value);

export const models: Cases = {
  "an answer in pieces, and as a message to append": async ({ model, scripted }) => {
    scripted.answer = ({ say: tell }) => tell(say("Hel"), say("lo"));
    const provider = languageModel({ model, api: vscode as never });
    const pieces: string[] = [];
    const answer = await provider.send(provider.toRequest([words("Hi")]), { onText: (text) => pieces.push(text) });
    equal([answer.text, pieces.join(""), answer.finish], ["Hello", "Hello", "stop"]);
    genuine(answer.messages, "answer");
    const streamed: string[] = [];
    for await (const part of provider.stream(provider.toRequest([words("Hi")]))) streamed.push(part.type);
    equal([streamed.at(-1), streamed.includes("text")], ["done", true]);
  },

  "tool calls and their results, until the model is done": async ({ model, scripted }) => {
    scripted.answer = ({ messages, options, say: tell }) => {
      const results = messages.filter(({ content }) =>
        content.some((part) => part instanceof vscode.LanguageModelToolResultPart),
      ).length;
      if (results < 2)
        tell(say("I look."), new Call(`t${results}`, options.tools![0]!.name, { path: `src/${results}.ts` }));
      else tell(say(`done after ${results}`));
    };
    const provider = languageModel({ model, api: vscode as never });
    const tools = [
      {
        name: "read",
        description: "Reads a file",
        inputSchema: { type: "object", properties: { path: { type: "string" } } },
      },
    ];
    const messages: vscode.LanguageModelChatMessage[] = [words("Look around.")];
    for (let turn = 0; turn < 5; turn += 1) {
      const answer = await provider.send(provider.toRequest(messages, { tools }));
      messages.push(...(answer.messages as vscode.LanguageModelChatMessage[]));
      genuine(messages, `turn ${turn}`);
      if (answer.finish !== "tool_calls") break;
      messages.push(
        vscode.LanguageModelChatMessage.User(
          answer.toolCalls.map(
            ({ id, input }) =>
              new vscode.LanguageModelToolResultPart(id, [say(`contents of ${(input as { path: string }).path}`)]),
          ),
        ),
      );
    }
    equal([messages.length, textOf(messages.at(-1)!)], [6, "done after 2"]);
    equal(
      scripted.asked.at(-1)!.options.tools?.map(({ name }) => name),
      ["read"],
      "tools",
    );
  },

  "messages of OpenAI and Anthropic, pictures too, become VS Code's": async ({ model, scripted }) => {
    scripted.answer = ({ say: tell }) => tell(say("ok"));
    const provider = languageModel({ model, api: vscode as never });
    const openai = [
      { role: "system", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          {
            type: "image_url",
            image_url: {
              url: "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
            },
          },
        ],
      },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "bash", arguments: '{"command":"file x"}' } }],
      },
      { role: "tool", tool_call_id: "c1", content: "PNG" },
      { role: "user", content: "And now?" },
    ];
    const made = provider.toRequest(openai);
    genuine(made["messages"] as unknown[], "from OpenAI");
    await provider.send(made);
    ok(scripted.heard.includes("Be brief.") && scripted.heard.includes("PNG"), "what arrived");
    const arrived = scripted.asked.at(-1)!.messages.flatMap(({ content }) => content as unknown[]);
    ok(
      arrived.some((part: any) => part.mimeType === "image/png" && part.data instanceof Uint8Array),
      "the picture arrived",
    );
  },

  "messages that went through JSON, and such that lost their classes, are taken": async ({ model, scripted }) => {
    scripted.answer = ({ say: tell }) => tell(say("ok"));
    const provider = languageModel({ model, api: vscode as never });
    const plain = session(1).map(({ role, content }) => ({
      role,
      content: content.map((part) => ({ ...(part as object) })),
    }));
    plain[2]!.content[0] = { callId: "c0", content: [{ value: "built" }] };
    await provider.send(provider.toRequest(plain, { format: "vscode" }));
    ok(scripted.heard.includes("built"), scripted.heard);
  },

  "an abort reaches the provider, before and within the answer": async ({ model, scripted }) => {
    const provider = languageModel({ model, api: vscode as never });
    for (const first of [[], [say("some")]]) {
      let cancelled = false;
      scripted.answer = ({ say: tell, token }) => {
        tell(...first);
        return new Promise<void>((resolve) => token.onCancellationRequested(() => ((cancelled = true), resolve())));
      };
      const controller = new AbortController();
      const asked = scripted.asked.length;
      const sent = failing(() => provider.send(provider.toRequest([words("Wait.")]), { signal: controller.signal }));
      await until("the model is asked", () => scripted.asked.length > asked);
      controller.abort();
      equal((await sent).code, "aborted");
      await until("the provider is cancelled", () => cancelled);
    }
    const source = new vscode.CancellationTokenSource();
    source.cancel();
    const asked = scripted.asked.length;
    equal(
      (await failing(() => provider.send(provider.toRequest([words("Never.")]), { signal: signalFrom(source.token) })))
        .code,
      "aborted",
    );
    equal(scripted.asked.length, asked, "requests of what was cancelled before");
    let told = false;
    scripted.answer = ({ say: tell, token }) => {
      token.onCancellationRequested(() => (told = true));
      tell(say("one"));
      return new Promise<void>((resolve) => token.onCancellationRequested(() => resolve()));
    };
    for await (const part of provider.stream(provider.toRequest([words("Count.")]))) if (part.type === "text") break;
    await until("a reader that stops also stops the model", () => told);
  },

  "errors keep their meaning": async ({ model, scripted }) => {
    const provider = languageModel({ model, api: vscode as never });
    const cases: [() => unknown, string][] = [
      [() => new Error("prompt token count of 9000 exceeds the limit of 4000"), "context_length"],
      [() => vscode.LanguageModelError.NoPermissions("not for you"), "auth"],
      [() => vscode.LanguageModelError.Blocked("quota is used up"), "rate_limited"],
      [() => vscode.LanguageModelError.Blocked("the response got filtered"), "content_filter"],
      [() => vscode.LanguageModelError.NotFound("no such model"), "bad_request"],
      [() => new Error("Response contained no choices."), "bad_response"],
    ];
    for (const [thrown, code] of cases) {
      scripted.answer = () => Promise.reject(thrown());
      const error = await failing(() => provider.send(provider.toRequest([words("Hi")]), { retries: 0 }));
      equal(error.code, code, error.message);
      if (code === "context_length") equal([error.details.used, error.details.limit], [9_000, 4_000], error.message);
    }
  },

  "request: a refusal teaches the limit, and the next try fits": async ({ model, scripted }) => {
    const provider = languageModel({ model, api: vscode as never });
    const recovery = new Recovery();
    let tries = 0;
    scripted.answer = async ({ messages, say: tell }) => {
      tries += 1;
      let used = 0;
      for (const message of messages) used += (await scripted.provideTokenCount({} as never, message)) + 4;
      if (used > 2_000) throw new Error(`prompt token count of ${used} exceeds the limit of 2000`);
      tell(say("fits"));
    };
    const { reply, messages, attempts } = await request(
      session(40),
      { model: { name: "gpt-4o", maxInputTokens: model.maxInputTokens }, recovery },
      (fitting, { signal }) => provider.send(provider.toRequest(fitting), { ...(signal && { signal }) }),
    );
    equal([reply.text, tries, attempts.length], ["fits", 2, 1]);
    genuine(messages, "sent");
  },
};
