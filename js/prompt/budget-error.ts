/** A budget that cannot be met. */

import { CodedError } from "../errors/errors.ts";
import type { MetadataMap } from "./results.ts";

const BRAND = Symbol.for("espalier.BudgetExceededError");

/** One of the largest parts that may not be removed. */
export interface BudgetContributor {
  path: string;
  tokens: number;
}

export interface BudgetErrorDetails {
  /** The element whose limit it is. */
  limit: string;
  budget: number;
  needed: number;
  largest: BudgetContributor[];
}

/**
 * Thrown when a prompt exceeds its budget and nothing more may be removed: the rest precedes a cache breakpoint, or the
 * budget is too small for an empty prompt.
 *
 * ```tsx
 * import { BudgetExceededError, render, UserMessage } from "espalier/prompt";
 *
 * const prompt = <UserMessage>Why does this fail?<cacheBreakpoint type="ephemeral" /></UserMessage>;
 * let needed = 0;
 * try {
 *   await render(prompt, { budget: 3 });
 * } catch (error) {
 *   if (!(error instanceof BudgetExceededError)) throw error;
 *   needed = error.details.needed;
 * }
 * needed; // => 12
 * ```
 */
export class BudgetExceededError extends CodedError<"budget_exceeded"> {
  /** Recognises errors of other copies of the package, such as its ES module and its CommonJS file in one process. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (!Object.hasOwn(this, BRAND)) return Function.prototype[Symbol.hasInstance].call(this, value);
    return typeof value === "object" && value !== null && BRAND in value;
  }

  /** An own property of this class that its subclasses do not have. */
  static readonly [BRAND] = true;

  override readonly name: string = "BudgetExceededError";
  declare readonly details: BudgetErrorDetails;
  /** Metadata of the remaining elements. */
  metadata: MetadataMap;
  /** The messages before anything was removed. */
  messages: any[];

  constructor(details: BudgetErrorDetails, metadata: MetadataMap, messages: any[]) {
    const { limit, budget, needed, largest } = details;
    const most = largest.map(({ path, tokens }) => `${path} (${tokens})`).join(", ");
    super({
      code: "budget_exceeded",
      // People search for the beginning of this text.
      message: `No lowest priority node found (path: ${limit}). ${needed} tokens may not be removed, but the budget is ${budget}.${most && ` Largest: ${most}.`}`,
      path: limit,
      details,
    });
    Object.defineProperty(this, BRAND, { value: true });
    this.metadata = metadata;
    this.messages = messages;
  }
}
