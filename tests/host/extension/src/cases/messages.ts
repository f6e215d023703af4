/** Messages of VS Code's own classes, through the package and back. */

import { budgetResults, compact, countMessages, prune, repair, toolContent, validate } from "espalier/inline";
import * as vscode from "vscode";
import { equal, failing, ok } from "../check.ts";
import type { Cases } from "../check.ts";
import { textOf } from "../model.ts";

const {
  LanguageModelChatMessage: Message,
  LanguageModelTextPart: Text,
  LanguageModelToolCallPart: Call,
  LanguageModelToolResultPart: Result,
} = vscode;

export const user = (...parts: vscode.LanguageModelInputPart[]) => Message.User(parts as never);
export const words = (value: string) => Message.User(value);
export function round(number: number, lines = 30): vscode.LanguageModelChatMessage[] {
  return [
    Message.Assistant([
      new Text(`I build part ${number}.`),
      new Call(`c${number}`, "bash", { command: `make part${number}` }),
    ]),
    user(new Result(`c${number}`, [new Text(`building part${number}\n`.repeat(lines))])),
  ];
}
export const session = (rounds: number) => [
  words("Fix the parser, never touch the lexer."),
  ...Array.from({ length: rounds }, (_, number) => round(number)).flat(),
];

/** Checks that VS Code accepts every message and every part. */
export function genuine(messages: readonly unknown[], what: string): void {
  const classes = [
    Text,
    Call,
    Result,
    (vscode as any).LanguageModelDataPart,
    (vscode as any).LanguageModelThinkingPart,
  ].filter(Boolean);
  for (const [at, message] of messages.entries()) {
    ok(message instanceof Message, `${what}: message ${at} is a LanguageModelChatMessage`);
    ok(Array.isArray(message.content), `${what}: message ${at} has parts`);
    for (const part of message.content) {
      ok(
        classes.some((known) => (part as unknown) instanceof known),
        `${what}: message ${at} has ${JSON.stringify(part)?.slice(0, 80)}`,
      );
      if (part instanceof Result)
        ok(
          part.content.every((inner) => classes.some((known) => inner instanceof known)),
          `${what}: the result in message ${at}`,
        );
    }
  }
}

export const messages: Cases = {
  "prune: what stays is the very object, what changed is of the same class, and the model takes all of it": async ({
    model,
    scripted,
  }) => {
    const given = session(20);
    const before = JSON.stringify(given);
    const { messages: kept, report } = prune(given, { budget: 1_500 });
    ok(kept.length < given.length && kept[0] === given[0], "older rounds went");
    ok(
      kept.every((message) => given.includes(message)),
      "whole messages are the host's own",
    );
    equal(
      countMessages(kept, { model: "gpt-4o" }).total <= 1_500 && report.removed.length > 0,
      true,
      "within the budget",
    );
    equal(JSON.stringify(given), before, "the input");
    const big = [...session(2), ...round(9, 2_000)];
    const { messages: cut } = prune(big, { budget: 1_200 });
    const last = cut.at(-1)!;
    ok(last !== big.at(-1) && cut[0] === big[0], "only the large result changed");
    genuine(cut, "cut");
    ok(textOf(big.at(-1)!).length > 20_000 && textOf(last).length < 10_000, "the original is whole, the copy is short");
    await (await model.sendRequest(cut)).stream;
    equal(scripted.asked.at(-1)!.messages.length, cut.length, "messages that arrived");
    equal(scripted.heard, cut.map(textOf).join("\n"), "text that arrived");
  },

  "repair: stand-ins for lost results are of VS Code's classes, also where the conversation has none": async ({
    model,
  }) => {
    const lost = [words("Go."), Message.Assistant([new Call("c1", "bash", { command: "make" })]), words("And?")];
    ok(validate(lost, "vscode").length > 0, "it is found");
    const { messages: mended } = repair(lost, { provider: "vscode" });
    equal(validate(mended, "vscode"), [], "findings");
    genuine(mended, "mended");
    await model.sendRequest(mended as vscode.LanguageModelChatMessage[]);
    genuine(prune(lost, { budget: 500 }).messages, "pruned");
  },

  "compact: the summary is a message of VS Code, by rules or by a model": async ({ model }) => {
    const given = session(20);
    const { messages: offline, status } = await compact(given, { budget: 1_500 });
    equal(status, "applied");
    genuine(offline, "offline");
    ok(countMessages(offline, { model: "gpt-4o" }).total <= 1_500, "it fits");
    const asked = await compact(given, {
      budget: 1_500,
      llm: async () => "<summary>Parts were built.</summary>",
      verify: "never",
    } as never);
    equal(asked.status, "applied");
    genuine(asked.messages, "asked");
    await model.sendRequest(asked.messages);
    const callsOnly = await compact(
      [
        words("Go."),
        ...Array.from({ length: 30 }, (_, at) => [
          Message.Assistant([new Call(`c${at}`, "read", { path: `src/part${at}.ts` })]),
          user(new Result(`c${at}`, [])),
        ]).flat(),
      ],
      { budget: 700 },
    );
    genuine(callsOnly.messages, "calls only");
  },

  "results: cut as a whole, pictures and notes are of VS Code's classes": async () => {
    const Data = (vscode as any).LanguageModelDataPart;
    const picture = Data?.image(new Uint8Array(4_000_000), "image/png");
    const given = [
      words("Look."),
      Message.Assistant([new Call("c1", "shot", {})]),
      user(new Result("c1", [new Text("a\n".repeat(9_000)), ...(picture ? [picture] : [])])),
    ];
    const { messages: cut } = await budgetResults(given, { budget: 2_000 } as never);
    genuine(cut as unknown[], "budgetResults");
    genuine(prune(given, { budget: 1_000 }).messages, "prune");
    const { content } = (await toolContent(new vscode.LanguageModelToolResult([new Text("for you")]) as never)) as any;
    ok(JSON.stringify(content).includes("for you"), "the result of a tool");
  },

  "a conversation that is empty, and parts that nobody knows": async () => {
    equal(prune([] as vscode.LanguageModelChatMessage[], { budget: 10, format: "vscode" }).messages, []);
    const odd = Message.User([{ odd: true } as never, new Text("hi")]);
    ok(prune([odd], { budget: 200, format: "vscode" }).messages[0] === odd, "it rides along");
    const error = await failing(() => prune([{ role: "user" }] as never, { budget: 10, format: "vscode" }));
    equal(error.code, "bad_message");
  },
};
