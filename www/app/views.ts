/** The views. Each is loaded when it is first shown. */

import type { ComponentType } from "preact";
import type { Kind } from "./state.ts";

export interface View {
  /** Its name in the address, and its folder. */
  name: string;
  title: string;
  /** The kinds of opened things that it shows. */
  kinds: readonly Kind[];
  load(): Promise<{ default: ComponentType }>;
  /** Style sheets that must be there when it is first drawn. */
  styles?: readonly string[];
  /** The example that is opened when the view is chosen and cannot show what is open. */
  example: string;
  /** Rejects with `Failed` for a file that it cannot show; what was open then stays. */
  check?(file: File): Promise<unknown>;
}

export const VIEWS: readonly View[] = [
  {
    name: "conversation",
    title: "Conversation",
    kinds: ["conversation"],
    example: "pi",
    load: () => import("../conversation/index.tsx"),
    styles: ["conversation.css"],
  },
  {
    name: "run",
    title: "Run",
    kinds: ["conversation"],
    example: "pi",
    load: () => import("../run/index.tsx"),
    styles: ["uplot.css", "run.css"],
  },
  {
    name: "prompt",
    title: "Prompt",
    kinds: ["prompt"],
    example: "build",
    load: () => import("../prompt/index.tsx"),
    styles: ["prompt.css"],
  },
  {
    name: "source",
    title: "Source",
    kinds: ["source", "prompt", "text"],
    example: "log",
    load: () => import("../source/index.tsx"),
    styles: ["view.css", "code.css", "source.css"],
    check: async (file) => (await import("../source/text-file.ts")).textOfFile(file),
  },
  {
    name: "search",
    title: "Search",
    kinds: ["folder"],
    example: "espalier",
    load: () => import("../search/index.tsx"),
    styles: ["view.css", "search.css"],
  },
  {
    name: "inline",
    title: "Inline",
    kinds: ["source", "folder", "prompt", "text"],
    example: "espalier",
    load: () => import("../inline/index.tsx"),
    styles: ["view.css", "code.css", "inline.css"],
  },
  {
    name: "tokens",
    title: "Tokens",
    kinds: ["text", "source", "prompt", "conversation"],
    example: "text",
    load: () => import("../tokens/index.tsx"),
    styles: ["view.css", "tokens.css"],
  },
];
