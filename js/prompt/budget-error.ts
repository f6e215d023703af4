/** A prompt that cannot be made to fit. */

import { EspalierError } from "../errors.ts";
import type { ChatMessage } from "./output/raw.ts";
import type { MetadataMap } from "./results.ts";

export interface BudgetExceededFields {
  message: string;
  /** What is left when nothing more can go. */
  metadata: MetadataMap;
  /** The messages before anything was removed. */
  messages: readonly ChatMessage[];
  /** The limit, what would be needed, and the largest of what is left. */
  details?: unknown;
  cause?: unknown;
}

/**
 * Everything that may be removed was removed, and the prompt is still larger than its budget.
 *
 * ```js
 * try { await renderer.render() } catch (error) {
 *   if (error instanceof BudgetExceededError) console.log(error.message, error.details, error.messages.length);
 * }
 * ```
 */
export class BudgetExceededError extends EspalierError {
  metadata: MetadataMap;
  messages: readonly ChatMessage[];

  constructor({ message, metadata, messages, details, cause }: BudgetExceededFields) {
    super({ code: "budget_exceeded", message, details, cause });
    this.metadata = metadata;
    this.messages = messages;
  }
}
