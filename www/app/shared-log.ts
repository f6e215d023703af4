/**
 * The edits of one conversation, which several tabs may have open. A change is made under a lock that all tabs share
 * (Web Locks): the tab first takes up what another one wrote since, then changes, then writes. So no change is lost or
 * made twice. A channel tells the other tabs of it (BroadcastChannel), since a lock tells nobody anything.
 */

import { effect } from "@preact/signals";
import type { Part } from "../worker/questions.ts";
import { opened } from "./state.ts";
import type { From, Opened } from "./state.ts";
import { keptLog, saveLog } from "./store.ts";

/** News of a write. */
interface News {
  key: string;
  stamp: string;
}

/** The stamps that this tab has written or taken up, by key. */
const known = new Map<string, string>();
/** The newest stamps of other tabs, by key. */
const heard = new Map<string, string>();
const channel = "BroadcastChannel" in globalThis ? new BroadcastChannel("espalier-logs") : undefined;

/**
 * Returns the key under which edits are kept; undefined for what a link holds. `conversation`: one of a file with
 * several. `part`: absent for the one that is shown at first.
 */
function logKey(from: From, conversation: number | undefined, part?: Part): string | undefined {
  const source =
    "example" in from
      ? `example:${from.example}`
      : "file" in from
        ? `file:${from.file.name}:${from.file.size}`
        : undefined;
  if (source === undefined) return undefined;
  const one = conversation === undefined ? source : `${source}#${conversation}`;
  return part === undefined ? one : `${one}:${typeof part === "object" ? `side${part.side}` : part}`;
}

function keyOf(thing: Opened | undefined, part?: Part): string | undefined {
  if (thing?.kind !== "conversation") return undefined;
  const { session, first } = thing.conversation;
  const shown = part ?? thing.conversation.part;
  return logKey(thing.from, session?.conversation, JSON.stringify(shown) === JSON.stringify(first) ? undefined : shown);
}

async function taken(key: string | undefined): Promise<string | undefined> {
  if (key === undefined) return undefined;
  const kept = await keptLog(key);
  if (kept) known.set(key, kept.stamp);
  return kept?.text;
}

/** Returns the edits of an earlier visit to something that is about to be opened. */
export const logOf = (from: From, conversation: number | undefined) => taken(logKey(from, conversation));
/** The same for another part of what is open. */
export const logOfPart = (part: Part) => taken(keyOf(opened.peek(), part));

const locked = (key: string, act: () => Promise<void>): Promise<void> =>
  // Absent without https.
  navigator.locks ? navigator.locks.request(`espalier-log ${key}`, act) : act();

/**
 * Makes a change of the open conversation's edits. `act` gets the log that another tab wrote since, to take it up
 * first, and returns the log after the change, or undefined if there was nothing to change.
 */
export async function changing(act: (newer: string | undefined) => Promise<string | undefined>): Promise<void> {
  const key = keyOf(opened.peek());
  if (key === undefined) {
    await act(undefined);
    return;
  }
  await locked(key, async () => {
    const kept = await keptLog(key);
    const isNewer = kept !== undefined && kept.stamp !== known.get(key);
    // Even if it cannot be taken up: the page reports it, and the next change replaces it.
    if (isNewer) known.set(key, kept.stamp);
    const text = await act(isNewer ? kept.text : undefined);
    if (text === undefined) return;
    const stamp = `${Date.now()}-${Math.random()}`;
    known.set(key, stamp);
    await saveLog(key, { text, stamp });
    channel?.postMessage({ key, stamp } satisfies News);
  });
}

/** Calls `take` with the log whenever another tab has changed the edits of what is open here. */
export function followTabs(take: (log: string) => Promise<void>): void {
  const look = async (): Promise<void> => {
    const thing = opened.peek();
    const key = keyOf(thing);
    const stamp = key !== undefined && heard.get(key);
    if (!stamp || stamp === known.get(key)) return;
    await locked(key, async () => {
      const kept = await keptLog(key);
      if (!kept || kept.stamp === known.get(key) || opened.peek()?.id !== thing?.id) return;
      known.set(key, kept.stamp);
      await take(kept.text);
    });
  };
  channel?.addEventListener("message", ({ data }: MessageEvent<News>) => {
    heard.set(data.key, data.stamp);
    void look();
  });
  effect(() => {
    // It may have been changed while it was opened here.
    if (opened.value) void look();
  });
}
