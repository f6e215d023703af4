/** @jsxImportSource preact */
/** Starts the page: settings, address, the first thing to show. */

import { effect } from "@preact/signals";
import { render } from "preact";
import { stayOffline } from "../offline.ts";
import { readAddress } from "./address.ts";
import { applySettings, followState, undo } from "./history.ts";
import { arrive, isOpen, listenForFiles } from "./opening.ts";
import { Shell, isDraggedOver, isHelpOpen } from "./shell.tsx";
import { theme } from "./state.ts";
import type { Theme } from "./state.ts";

const THEME = "espalier-theme";

/** Storage may be forbidden; the page works without it. */
const stored = (): Storage | undefined => {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
};

const wanted = stored()?.getItem(THEME);
if (wanted === "light" || wanted === "dark") theme.value = wanted satisfies Theme;
effect(() => {
  document.documentElement.dataset["theme"] = theme.value;
  try {
    stored()?.setItem(THEME, theme.value);
  } catch {
    // No room: the theme lasts until the page is closed.
  }
});

addEventListener("keydown", (event) => {
  const { key, ctrlKey, metaKey, altKey, target } = event;
  const isField = (target as HTMLElement).closest?.(
    "input:not([type=range]), textarea, select, [contenteditable=true]",
  );
  if (isField || altKey || document.querySelector("dialog[open]")) return;
  const isUndo = ctrlKey || metaKey ? key === "z" : key === "u";
  if (isUndo) event.preventDefault();
  if (isUndo) undo();
  else if (key === "?" && !ctrlKey && !metaKey) isHelpOpen.value = true;
});
// Menus close when something else is chosen.
addEventListener("click", ({ target }) => {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.more[open]"))
    if (!menu.contains(target as Node)) menu.open = false;
});
addEventListener("keydown", ({ key, target }) => {
  const menu = key === "Escape" && (target as HTMLElement).closest?.<HTMLDetailsElement>("details.more[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary")?.focus();
});
listenForFiles((over) => (isDraggedOver.value = over));

const address = readAddress(location.hash);
applySettings(address);
render(<Shell />, document.getElementById("app")!);
followState((next) => {
  // Its budget is for what it names: not for what is open now.
  applySettings(isOpen(next) ? next : { ...next, budget: undefined });
  void arrive(next);
});
// Afterwards, so that files for later do not take a slow network from those of the first view.
void arrive(address).finally(stayOffline);
