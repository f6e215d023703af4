import { AssistantMessage, render, SystemMessage, TextChunk, ToolMessage, UserMessage } from "espalier/inline";
import {
  type BasePromptElementProps,
  BuiltinTokenizer,
  Chunk,
  contentType,
  JSONTree,
  OutputMode,
  PromptElement,
  renderElementJSON,
  renderPrompt,
  setVSCode,
  toVSCode,
  ToolResult,
  UserMessage as User,
} from "espalier/prompt-tsx/inline";
import * as vscode from "vscode";
import { equal, ok } from "../check.ts";
import type { Cases } from "../check.ts";
import { textOf } from "../model.ts";
import { genuine } from "./messages.ts";

const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at} of the log`).join("\n");

class Ask extends PromptElement<BasePromptElementProps & { question: string }> {
  override async prepare() {
    return undefined;
  }
  render() {
    return (
      <>
        <User priority={1}>
          <Chunk>{lines(200)}</Chunk>
        </User>
        <User priority={2}>{this.props.question}</User>
      </>
    );
  }
}

class Said extends PromptElement {
  override render() {
    return <Chunk>From a tool</Chunk>;
  }
}

export const prompts: Cases = {
  "render: messages of VS Code's classes, found without being told": async ({ model, scripted }) => {
    const prompt = await render(
      <>
        <SystemMessage priority={100}>You find what broke the build.</SystemMessage>
        <UserMessage priority={1}>
          <TextChunk breakOnWhitespace>{lines(500)}</TextChunk>
        </UserMessage>
        <AssistantMessage
          priority={90}
          toolCalls={[{ id: "c1", type: "function", function: { name: "bash", arguments: '{"command":"make"}' } }]}
        >
          I look.
        </AssistantMessage>
        <ToolMessage priority={90} toolCallId="c1">
          error in line 3
        </ToolMessage>
        <UserMessage priority={80}>Why does this fail?</UserMessage>
      </>,
      { budget: 600, model: "gpt-4o", format: "vscode" },
    );
    genuine(prompt.messages, "rendered");
    await model.sendRequest(prompt.messages as never);
    ok(scripted.heard.includes("Why does this fail?") && scripted.heard.includes("error in line 3"), "what arrived");
    const tighter = await prompt.prune(200);
    genuine(tighter.messages, "tighter");
  },

  "prompt-tsx: renderPrompt with a model of VS Code as counter": async ({ model, scripted }) => {
    const { messages, tokenCount } = await renderPrompt(
      Ask,
      { question: "Why?" },
      { modelMaxPromptTokens: 300 },
      model as never,
    );
    genuine(messages, "rendered");
    ok(tokenCount <= 300 && messages.map(textOf).join("").includes("Why?"), `${tokenCount} tokens`);
    await model.sendRequest(messages as never);
    equal(scripted.heard, messages.map(textOf).join("\n"));
  },

  "prompt-tsx: the built-in tokenizer, JSON for tools, and a module set by hand": async ({ model }) => {
    const tokenizer = new BuiltinTokenizer({ mode: OutputMode.VSCode });
    const { messages } = await renderPrompt(
      Ask,
      { question: "Why?" },
      { modelMaxPromptTokens: 300 },
      tokenizer as never,
    );
    genuine(messages, "built-in");
    const json = await renderElementJSON(
      Said,
      {},
      { tokenBudget: 100, countTokens: (text) => model.countTokens(text) },
    );
    ok(JSONTree && JSON.stringify(json).includes("From a tool"), "plain data");
    const part = new vscode.LanguageModelPromptTsxPart(json);
    const result = new vscode.LanguageModelToolResult([part]);
    class Used extends PromptElement {
      override render() {
        return (
          <User>
            <ToolResult data={result as never} />
          </User>
        );
      }
    }
    const { messages: spliced } = await renderPrompt(Used, {}, { modelMaxPromptTokens: 3_000 }, model as never);
    ok(spliced.map(textOf).join("").includes("From a tool") && contentType.length > 0, "spliced");
    setVSCode(vscode as never);
    genuine([toVSCode({ role: 1, content: [{ type: 1, text: "hi" }] } as never)], "by hand");
    setVSCode();
  },
};
