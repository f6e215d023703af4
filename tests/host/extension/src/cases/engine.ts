import { count, countBatch, countMessages, decode, encode, EspalierError, hasEncoding, isReady } from "espalier/inline";
import * as vscode from "vscode";
import { equal, failing, ok } from "../check.ts";
import type { Cases } from "../check.ts";

const text = (value: string) => new vscode.LanguageModelTextPart(value);

export const engine: Cases = {
  "counts are exact": () => {
    ok(isReady() && hasEncoding("o200k_base"), "ready");
    equal(
      [
        count("Hello world!"),
        count(""),
        countBatch(["Größe 😀", "function activate(context: vscode.ExtensionContext) {}"]),
      ],
      [3, 0, [3, 9]],
    );
    equal(decode(encode("Größe 😀 \n tabs\t")), "Größe 😀 \n tabs\t");
    const messages = [
      vscode.LanguageModelChatMessage.User("words 0"),
      vscode.LanguageModelChatMessage.Assistant([text("words 1")]),
    ];
    const { total, perMessage } = countMessages(messages, { model: "gpt-4o" });
    equal([total, perMessage.map(({ tokens }) => tokens)], [17, [7, 7]]);
  },

  "a vocabulary that nobody loaded is named, with what to do": async () => {
    const error = await failing(() => count("x", { encoding: "cl100k_base" }));
    ok(
      error instanceof EspalierError &&
        /^(encoding_not_loaded|vocab_not_found)$/.test(error.code) &&
        /cl100k_base/.test(error.message),
      `${error.code}: ${error.message}`,
    );
  },
};
