/**
 * Fields that one server was found to refuse. Newer models refuse fields that older ones require, and compatible
 * servers know fewer.
 */

import type { ProviderRequest } from "./types.ts";

const UNKNOWN =
  /unsupported|not supported|unrecognized|unknown|not permitted|extra (inputs|fields)|unexpected|deprecated|cannot be used/i;

/** Optional fields that this server refused once. A lesson holds as long as its provider object. */
export class Lessons {
  #learnt = new Set<string>();
  readonly #fields: readonly string[];

  constructor(...fields: string[]) {
    this.#fields = fields;
  }

  has(field: string): boolean {
    return this.#learnt.has(field);
  }

  /** Returns the request without the fields that this server refuses. */
  apply(request: ProviderRequest): ProviderRequest {
    const found = [...this.#learnt].filter((field) => field in request);
    if (found.length === 0) return request;
    return Object.fromEntries(Object.entries(request).filter(([name]) => !found.includes(name)));
  }

  /**
   * Learns from a refusal of a request; returns the lesson if the next request will differ. Another request may have
   * learnt it meanwhile, so it only matters that this one contained the field.
   */
  learn(sentence: string, sent: ProviderRequest): string | undefined {
    if (!UNKNOWN.test(sentence)) return undefined;
    const field = this.#fields.find((name) => name in sent && new RegExp(`(^|['"\`\\s.])${name}\\b`).test(sentence));
    if (field === undefined) return undefined;
    this.#learnt.add(field);
    return `this server does not accept ${field}; it is no longer sent`;
  }
}
