/** Describes an entry of a conversation's log in a few words. */

/** The shown fields of a log's line; see `ConversationLog`. */
export interface Entry {
  seq: number;
  time: number;
  type: string;
  message?: { id: string; role: string };
  edit?: { kind: string; range?: { from: string; to: string }; targets?: { message: string }[] };
  pin?: { message?: string; fact?: string };
  /** The id of the revoked entry. */
  target?: string;
  /** The last message that a rewind keeps. */
  to?: string;
  checkpoint?: { number: number; title: string };
  /** The host's record. */
  json?: string;
}

/** Max ids that are shown of one edit. */
const NAMED = 6;

export function describeEntry({ type, message, edit, pin, target, to, checkpoint, json }: Entry): string {
  const what = message
    ? `${message.role} ${message.id}`
    : edit?.range
      ? `${edit.kind} ${edit.range.from} … ${edit.range.to}`
      : edit
        ? `${edit.kind} ${abbreviateIds((edit.targets ?? []).map((one) => one.message))}`
        : (pin?.message ??
          pin?.fact ??
          target ??
          to ??
          (checkpoint ? `${checkpoint.number} ${checkpoint.title}` : (json ?? "")));
  return `${type} ${what.replace("_", " ")}`.trimEnd();
}

/** Returns the ids; if there are many, the first ones and the last. */
export function abbreviateIds(ids: readonly string[]): string {
  return ids.length > NAMED ? `${ids.slice(0, NAMED - 1).join(", ")} … ${ids.at(-1)}` : ids.join(", ");
}
