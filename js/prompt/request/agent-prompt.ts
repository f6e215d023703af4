/** An agent's prompt, as a starting point. */

import { checkForeign } from "../../options/check.ts";
import { AGENT_PROMPT } from "../../options/schemas/prompt.ts";
import { PromptElement } from "../element.ts";
import { SystemMessage, UserMessage } from "../elements/messages.ts";
import { createPiece, Fragment } from "../piece.ts";
import type { PromptChildren, PromptPiece } from "../piece.ts";
import { ConversationHistory, PRIORITIES } from "./history.ts";
import type { ConversationHistoryProps } from "./history.ts";

export interface AgentPromptProps extends ConversationHistoryProps {
  /** Instructions: the content of the system message. */
  system?: PromptChildren;
  /**
   * What holds for the whole session (the workspace, the platform), as a user message before the history. Priority 800.
   */
  context?: PromptChildren;
}

/**
 * An agent's prompt with the priorities of Copilot Chat: instructions, context (800), the earlier turns of a
 * conversation (700), the newest request (900), the rounds since (899), and its children after them. One tool result
 * has at most half of the prompt (`resultShare`). The history renders last and takes what the others leave.
 *
 * ```tsx
 * import { readFile } from "node:fs/promises";
 * import { AgentPrompt, render, UserMessage } from "espalier/prompt";
 *
 * const messages = JSON.parse(await readFile("session.json", "utf8"));
 * const prompt = (
 *   <AgentPrompt system="You mend parsers." context="The workspace is /work." messages={messages} format="openai-chat">
 *     <UserMessage priority={850}>The file src/app.ts is open.</UserMessage>
 *   </AgentPrompt>
 * );
 * const { messages: sent } = await render(prompt, { budget: 4_000 });
 * sent[0]; // => { role: "system", content: "You mend parsers." }
 * sent.at(-1); // => { role: "user", content: "The file src/app.ts is open." }
 * ```
 *
 * It is a starting point: an element of your own with the same parts works as well.
 */
export class AgentPrompt extends PromptElement<AgentPromptProps> {
  render(): PromptPiece {
    checkForeign(this.props, AGENT_PROMPT, "<AgentPrompt>");
    const { system, context, conversation, messages, format, resultShare, cacheBreakpoint, children } = this.props;
    const history = {
      conversation,
      messages,
      format,
      resultShare,
      cacheBreakpoint,
      passPriority: true,
      priority: PRIORITIES.earlier,
      flexGrow: 1,
    };
    return createPiece(
      Fragment,
      null,
      system !== undefined && createPiece(SystemMessage, {}, system),
      context !== undefined && createPiece(UserMessage, { priority: 800 }, context),
      createPiece(ConversationHistory, history),
      children,
    );
  }
}
