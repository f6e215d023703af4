/** An entry of a conversation's log in a few words. */

/** What of a line of a log is told; see `ConversationLog`. */
export interface Entry {
  seq: number;
  time: number;
  type: string;
  message?: { id: string; role: string };
  edit?: { kind: string; range?: { from: string; to: string }; targets?: { message: string }[] };
  pin?: { message?: string; fact?: string };
  /** What is taken back. */
  target?: string;
  /** The message that a rewind ends at. */
  to?: string;
  checkpoint?: { number: number; title: string };
  /** What the host recorded. */
  json?: string;
}

/** Most ids that are named of one edit. */
const NAMED = 6;

export function told({ type, message, edit, pin, target, to, checkpoint, json }: Entry): string {
  const what = message
    ? `${message.role} ${message.id}`
    : edit?.range
      ? `${edit.kind} ${edit.range.from} … ${edit.range.to}`
      : edit
        ? `${edit.kind} ${named((edit.targets ?? []).map((one) => one.message))}`
        : (pin?.message ??
          pin?.fact ??
          target ??
          to ??
          (checkpoint ? `${checkpoint.number} ${checkpoint.title}` : (json ?? "")));
  return `${type} ${what.replace("_", " ")}`.trimEnd();
}

/** Ids, and of many the first and the last. */
export function named(ids: readonly string[]): string {
  return ids.length > NAMED ? `${ids.slice(0, NAMED - 1).join(", ")} … ${ids.at(-1)}` : ids.join(", ");
}
