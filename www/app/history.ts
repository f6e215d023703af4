/**
 * Keeps the address equal to the state: a settled change is one step that Back undoes. `u` and Ctrl+Z undo these steps
 * and the edits of views, in the order in which they were made.
 */

import { batch, effect } from "@preact/signals";
import { readAddress, writeAddress } from "./address.ts";
import type { Address } from "./address.ts";
import { budget, encoding, mode, opened, params, view, working } from "./state.ts";

/** Milliseconds without a change after which a change counts as settled. */
const SETTLED = 400;

type Step = "address" | { undo(): void };
const steps: Step[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;
/** True until the first address is written: it replaces the one that the reader came with. */
let isFirst = true;

/** Returns the address of the state. */
export function currentAddress(): Address {
  const from = opened.value?.from;
  return {
    view: view.value === "conversation" ? undefined : view.value,
    ...(from && "file" in from ? { file: from.file.name } : from),
    mode: mode.value,
    budget: budget.value,
    encoding: encoding.value,
    params: params.value,
  };
}

function write(): void {
  clearTimeout(timer);
  const hash = writeAddress(currentAddress());
  const isArrival = isFirst;
  isFirst = false;
  if (hash === location.hash) return;
  if (isArrival) history.replaceState(null, "", hash);
  else {
    history.pushState(null, "", hash);
    steps.push("address");
  }
}

/** Applies the settings of an address; what is opened is for the caller. */
export function applySettings(address: Address): void {
  batch(() => {
    view.value = address.view ?? "conversation";
    if (address.mode) mode.value = address.mode;
    if (address.encoding) encoding.value = address.encoding;
    if (address.budget !== undefined) budget.value = address.budget;
    params.value = address.params;
  });
}

/** Follows the state from now on. `arrive` is called with an address that was entered, or reached by Back. */
export function followState(arrive: (address: Address) => void): void {
  effect(() => {
    currentAddress();
    clearTimeout(timer);
    // While something is opened the state is a mixture of both.
    if (!opened.value || working.value > 0) return;
    // What the reader came to is the first step, however quickly a change follows.
    timer = setTimeout(write, isFirst ? 0 : SETTLED);
  });
  addEventListener("pagehide", () => opened.value && write());
  addEventListener("popstate", () => {
    clearTimeout(timer);
    const last = steps.lastIndexOf("address");
    if (last >= 0) steps.splice(last, 1);
    arrive(readAddress(location.hash));
  });
}

/** Makes an edit of a view undoable. */
export function undoable(undo: () => void): void {
  steps.push({ undo });
}

/** Undoes the newest step; returns false if there is none. */
export function undo(): boolean {
  // A change that has not settled is a step, too.
  if (opened.value && !isFirst) write();
  const step = steps.at(-1);
  if (!step) return false;
  if (step === "address") history.back();
  else {
    steps.pop();
    step.undo();
  }
  return true;
}
