/**
 * What only a provider's own messages show: each check looks at one provider's fields and says, with every finding,
 * what would mend it. Everything that the neutral model shows is checked by the engine.
 */

import type { Fields } from "./values.ts";
import type { Fix, Place } from "./place.ts";

/** A request, taken apart. */
export interface Request {
  list: readonly Fields[];
  /** The request object, if the host passed one. */
  fields?: Fields;
  /** Whether it lists tools; absent if that is not known. */
  hasTools?: boolean;
  /** Whether the model demands signatures of thoughts. */
  signatures: boolean;
  /** The model, if its name is known. */
  model?: string;
}

export interface WireFinding {
  rule: string;
  /** Index of the message; absent if the place begins at the request. */
  index?: number;
  place: Place;
  /** Further places with the same fix. */
  also?: readonly Place[];
  message: string;
  fix: Fix;
}

/** Lists what it finds. */
export type WireCheck = (request: Request, find: (finding: WireFinding) => void) => void;

export const REMOVE: Fix = { remove: true };

/** Settings of tools are refused where there are none. */
export function choices(names: readonly string[]): WireCheck {
  return ({ fields, hasTools }, find) => {
    if (hasTools !== false || !fields) return;
    for (const name of names) {
      if (fields[name] !== undefined)
        find({
          rule: "tool-choice",
          place: [name],
          message: `${name} is allowed only where there are tools`,
          fix: REMOVE,
        });
    }
  };
}

/** Finds the fields of a message that the provider does not accept. */
export function extraFields(
  index: number,
  message: Fields,
  isAccepted: (name: string) => boolean,
  find: (finding: WireFinding) => void,
): void {
  // JSON leaves undefined fields out.
  const names = Object.keys(message).filter((name) => message[name] !== undefined && !isAccepted(name));
  const [first, ...others] = names;
  if (first === undefined) return;
  find({
    rule: "extra-field",
    index,
    place: [first],
    also: others.map((name) => [name]),
    message: `a message with ${names.join(", ")} is refused`,
    fix: REMOVE,
  });
}

/** The messages that are looked at, with their numbers. */
export function looked({ list }: Request): IterableIterator<[index: number, message: Fields]> {
  return list.entries();
}
