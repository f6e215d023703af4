import { render, UserMessage } from "espalier/prompt";

/** Returns whether the messages are instances of the class that the host's `require("vscode")` returns. */
export async function activate(Message) {
  const piece = { ctor: UserMessage, props: {}, children: ["Hello"] };
  const { messages } = await render(piece, { budget: 100, format: "vscode" });
  return messages[0] instanceof Message;
}
