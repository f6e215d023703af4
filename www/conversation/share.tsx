/** @jsxImportSource preact */
/** The menu of what a reader can take along. Its items are loaded when it is first opened. */

import { useSignal } from "@preact/signals";
import { lazily } from "../app/lazy.tsx";
import { conversation, ran } from "./state.ts";

const Items = lazily(async () => (await import("./later.ts")).ShareItems);

export function Share() {
  const isOpen = useSignal(false);
  const run = ran.value;
  const open = conversation.value;
  if (!run || !open) return null;
  return (
    <details class="more share" id="share" onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>Take along</summary>
      {isOpen.value && <Items run={run} open={open} />}
    </details>
  );
}
