/** Pieces of the messages of a history. */

import { countMessages } from "../../calls/count.ts";
import type { NeutralMessage, Role } from "../../types/messages.ts";
import { Chunk } from "../elements/containers.ts";
import { AssistantMessage, SystemMessage, ToolMessage, UserMessage } from "../elements/messages.ts";
import { createPiece } from "../piece.ts";
import type { PromptPiece } from "../piece.ts";
import type { Counting, Entry } from "./entries.ts";
import { HistoryItem } from "./item.ts";

const ELEMENTS = {
  system: SystemMessage,
  developer: SystemMessage,
  user: UserMessage,
  assistant: AssistantMessage,
  tool: ToolMessage,
} as const;

/** The latest piece of each message: histories grow at their end, so most pieces stay the same. */
const made = new WeakMap<Entry, { piece: PromptPiece; order: number; priority: number | undefined; usage: number }>();

/** Makes pieces that cost what their entries state. */
export class Items {
  private readonly counting: Counting;
  private readonly bases = new Map<Role, number>();

  constructor(counting: Counting) {
    this.counting = counting;
  }

  /** Returns messages that belong together: one as it is, several as a chunk. */
  group(entries: readonly Entry[], order: number): PromptPiece {
    if (entries.length === 1) return this.piece(entries[0]!, order, order);
    return createPiece(
      Chunk,
      { flexGrow: order, priority: order },
      entries.map((entry, at) => this.piece(entry, at + 1, undefined)),
    );
  }

  /**
   * Returns messages that are kept or removed as a whole, as one node, so that the engine's work does not grow with
   * them.
   */
  whole(entries: readonly Entry[]): PromptPiece {
    const tokens = entries.reduce((sum, entry) => sum + entry.tokens, 0);
    return createPiece(
      UserMessage,
      {},
      createPiece("opaque", { value: new HistoryItem(entries), tokenUsage: Math.max(0, tokens - this.base("user")) }),
    );
  }

  private piece(entry: Entry, order: number, priority: number | undefined): PromptPiece {
    const { role } = entry.neutral;
    const usage = Math.max(0, entry.tokens - this.base(role));
    const held = made.get(entry);
    if (held?.order === order && held.priority === priority && held.usage === usage) return held.piece;
    const opaque = createPiece("opaque", { value: new HistoryItem([entry]), tokenUsage: usage });
    const piece = createPiece(
      ELEMENTS[role],
      { flexGrow: order, ...(priority !== undefined && { priority }), ...(role === "tool" && { toolCallId: "" }) },
      opaque,
    );
    made.set(entry, { piece, order, priority, usage });
    return piece;
  }

  /** Returns the engine's charge for a message of this role without content. */
  private base(role: Role): number {
    let tokens = this.bases.get(role);
    if (tokens === undefined) {
      const parts: NeutralMessage["parts"] = role === "tool" ? [{ type: "toolResult", callId: "", content: [] }] : [];
      const counting = { ...this.counting, format: "espalier" as const };
      tokens =
        countMessages([{ id: "m", role: role === "developer" ? "system" : role, parts }], counting).total -
        countMessages([], counting).total;
      this.bases.set(role, tokens);
    }
    return tokens;
  }
}
