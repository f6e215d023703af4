/** @jsxImportSource preact */
/** Parts of a view that are loaded when they are first shown. */

import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { failure } from "./state.ts";

/** Returns a component that shows nothing until the loaded one is there. */
export function lazily<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const loaded = signal<ComponentType<P> | undefined>(undefined);
  let isAsked = false;
  const ask = async () => {
    isAsked = true;
    try {
      loaded.value = await load();
      if (failure.value?.code === "not_loaded") failure.value = undefined;
    } catch {
      isAsked = false;
      failure.value = { code: "not_loaded", message: "" };
    }
  };
  return function Lazy(props: P) {
    if (!isAsked) void ask();
    const Shown = loaded.value;
    return Shown ? <Shown {...props} /> : null;
  };
}
