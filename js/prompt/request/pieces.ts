/** Pieces of the messages of a history. */

import { countMessages } from "../../api.ts";
import type { NeutralMessage, Role } from "../../types.ts";
import { AssistantMessage, SystemMessage, ToolMessage, UserMessage } from "../elements/messages.ts";
import { createPiece } from "../piece.ts";
import type { PromptPiece } from "../piece.ts";
import type { Counting, Entry } from "./entries.ts";
import { HistoryItem } from "./item.ts";

const ELEMENTS = { system: SystemMessage, developer: SystemMessage, user: UserMessage, assistant: AssistantMessage, tool: ToolMessage } as const;

/** Makes pieces that cost what their entries say. */
export class Items {
  private readonly counting: Counting;
  private readonly bases = new Map<Role, number>();

  constructor(counting: Counting) {
    this.counting = counting;
  }

  /** `order`: its place among the messages that go with it. */
  piece(entry: Entry, order: number): PromptPiece {
    const { role } = entry.neutral;
    const usage = Math.max(0, entry.tokens - this.base(role));
    const opaque = createPiece("opaque", { value: new HistoryItem(entry), tokenUsage: usage });
    return createPiece(ELEMENTS[role], { flexGrow: order + 1, ...(role === "tool" && { toolCallId: "" }) }, opaque);
  }

  /** What the engine charges for a message of this role without content. */
  private base(role: Role): number {
    let tokens = this.bases.get(role);
    if (tokens === undefined) {
      const parts: NeutralMessage["parts"] = role === "tool" ? [{ type: "toolResult", callId: "", content: [] }] : [];
      const counting = { ...this.counting, format: "espalier" as const };
      tokens = countMessages([{ id: "m", role: role === "developer" ? "system" : role, parts }], counting).total - countMessages([], counting).total;
      this.bases.set(role, tokens);
    }
    return tokens;
  }
}
