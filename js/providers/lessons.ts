/**
 * What one server was found not to take. Newer models refuse fields that older ones demand, and servers that speak
 * alike know fewer.
 */

import type { ProviderRequest } from "./types.ts";

const UNKNOWN =
  /unsupported|not supported|unrecognized|unknown|not permitted|extra (inputs|fields)|unexpected|deprecated|cannot be used/i;

/**
 * Fields that this server refused once, among those that requests can do without. A lesson holds as long as its
 * provider.
 */
export class Lessons {
  #learnt = new Set<string>();
  readonly #fields: readonly string[];

  constructor(...fields: string[]) {
    this.#fields = fields;
  }

  has(field: string): boolean {
    return this.#learnt.has(field);
  }

  /** The request without what this server does not take. */
  apply(request: ProviderRequest): ProviderRequest {
    const found = [...this.#learnt].filter((field) => field in request);
    if (found.length === 0) return request;
    return Object.fromEntries(Object.entries(request).filter(([name]) => !found.includes(name)));
  }

  /**
   * Learns from a refusal of what was sent; says what, if the next request will be another one. Another request may
   * have learnt it meanwhile: what counts is that the field was sent this time.
   */
  learn(sentence: string, sent: ProviderRequest): string | undefined {
    if (!UNKNOWN.test(sentence)) return undefined;
    const field = this.#fields.find((name) => name in sent && new RegExp(`(^|['"\`\\s.])${name}\\b`).test(sentence));
    if (field === undefined) return undefined;
    this.#learnt.add(field);
    return `this server does not take ${field}; it is sent no longer`;
  }
}
