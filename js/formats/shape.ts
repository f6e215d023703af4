/** How the messages of a format are recognised. */

import type { Format } from "../types/messages.ts";
import type { Fields } from "./values.ts";

/** The signs of one format; no two formats have one sign. `detect.ts` asks for them in this order. */
export interface Shape {
  /** The list of messages in a request, under a name that only this format uses. */
  list?: {
    name: string;
    /** Returns the messages that a value of this field means; `undefined` if it means none. */
    read(value: unknown): readonly unknown[] | undefined;
  };
  /** True if roles are numbers. */
  hasNumbers?: true;
  /** True for a message with fields that only this format, or only it of those with such roles, has. */
  isMessage?(message: Fields): boolean;
  /** True for an item of `parts` that only this format has. */
  isPart?(part: Fields): boolean;
  /** Roles that, beside a field `parts`, only this format has. */
  partRoles?: readonly unknown[];
  /** True for an item of `content` that only this format has. */
  isContent?(item: Fields): boolean;
  /** True for an item of `content` that others have, too: it counts if no message shows another format. */
  isLikelyContent?(item: Fields): boolean;
  /** True for a request of messages that other formats write in the same way, with fields that only this one has. */
  isRequest?(request: Fields): boolean;
  /** True for a message that is of this format if its parts and content do not show another one. */
  isLikely?(message: Fields): boolean;
  /**
   * The format with which it shares messages; one message that `isMessage` knows tells that a list is not of that one.
   */
  variantOf?: Format;
  /** True for a list that another format writes in the same way. */
  canBe?(list: readonly unknown[]): boolean;
  /** True for a message that needs no role. */
  isItem?(message: Fields): boolean;
}

/** The value as a list, if it is one. */
export const asList = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined);
