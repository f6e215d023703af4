/** The views. Each is loaded when it is first shown. */

import type { ComponentType } from "preact";
import { isPrompt } from "../prompt/is-prompt.ts";
import type { Kind } from "./state.ts";

export interface View {
  /** Its name in the address, and its folder. */
  name: string;
  title: string;
  /** The kinds of opened things that it shows. */
  kinds: readonly Kind[];
  load(): Promise<{ default: ComponentType }>;
  /** The example that is opened when the view is chosen and cannot show what is open. */
  example: string;
  /** Claims a file by its name and its first characters; it is then opened as `kinds[0]`. */
  takes?(name: string, head: string): boolean;
}

export const VIEWS: readonly View[] = [
  {
    name: "conversation",
    title: "Conversation",
    kinds: ["conversation"],
    example: "pi",
    load: () => import("../conversation/index.tsx"),
  },
  {
    name: "run",
    title: "Run",
    kinds: ["conversation"],
    example: "pi",
    load: () => import("../run/index.tsx"),
  },
  {
    name: "prompt",
    title: "Prompt",
    kinds: ["prompt"],
    example: "build",
    load: () => import("../prompt/index.tsx"),
    takes: isPrompt,
  },
];

/** Pages that are not views yet. */
export const PAGES: readonly (readonly [title: string, href: string])[] = [
  ["Source files", "document.html"],
  ["Search", "search.html"],
  ["Inline context", "inline.html"],
];
