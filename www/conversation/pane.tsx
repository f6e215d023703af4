/** @jsxImportSource preact */
/** The pane beside the list: the chosen message, the result, the file, the log. */

import { lazily } from "../app/lazy.tsx";
import { opened } from "../app/state.ts";
import { ResultTab } from "./result.tsx";
import { isPaneOpen, tab } from "./state.ts";

const MessageTab = lazily(async () => (await import("./later.ts")).MessageTab);
const FileFacts = lazily(async () => (await import("./later.ts")).FileFacts);
const LogTab = lazily(async () => (await import("./later.ts")).LogTab);

const TABS = [
  ["message", "Message"],
  ["result", "Result"],
  ["log", "Edits"],
  ["file", "File"],
] as const;

export function Pane() {
  const press = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const at = TABS.findIndex(([name]) => name === tab.value);
    tab.value = TABS[(at + by + TABS.length) % TABS.length]![0];
    document.getElementById(`tab-${tab.value}`)?.focus();
  };
  return (
    <aside id="pane" aria-label="Details" data-open={isPaneOpen.value}>
      <div class="tabs">
        <div role="tablist" aria-label="Details" onKeyDown={press}>
          {TABS.map(([name, title]) => (
            <button
              type="button"
              role="tab"
              key={name}
              id={`tab-${name}`}
              aria-selected={tab.value === name}
              aria-controls="tabpanel"
              tabIndex={tab.value === name ? 0 : -1}
              onClick={() => {
                tab.value = name;
                isPaneOpen.value = true;
              }}
            >
              {title}
            </button>
          ))}
        </div>
        <button type="button" class="close" aria-label="Close the details" onClick={() => (isPaneOpen.value = false)}>
          ✕
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it. */}
      <div role="tabpanel" id="tabpanel" aria-labelledby={`tab-${tab.value}`} tabIndex={0}>
        {tab.value === "message" && <MessageTab />}
        {tab.value === "result" && <ResultTab />}
        {tab.value === "log" && <LogTab />}
        {tab.value === "file" && <FileFacts key={opened.value?.id ?? 0} />}
      </div>
    </aside>
  );
}
