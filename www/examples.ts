/** What comes with the page: real conversations (licences beside them), a prompt, source files. */

interface Named {
  key: string;
  name: string;
  group: "Conversations" | "Prompts" | "Source files" | "Folders" | "Texts";
}

interface ExampleFile extends Named {
  url: string;
  /** The file's name, for one that a view claims as if somebody had dropped it; the others are conversations. */
  file?: string;
}

/** A file, or without an address the library's own sources, which the build puts into one file. */
export type Example = ExampleFile | Named;

/** The key of the library's own sources. */
export const OUR_FOLDER = "espalier";

/** The first one opens by itself. The build copies what is under `samples`. */
export const EXAMPLES: readonly Example[] = [
  {
    key: "pi",
    group: "Conversations",
    name: "Coding agent: a day of refactoring",
    url: "examples/pi-refactor-long.json.gz",
  },
  {
    key: "marshmallow",
    group: "Conversations",
    name: "Coding agent: a bug fix in marshmallow",
    url: "examples/sweagent-marshmallow-1867.json",
  },
  {
    key: "airline",
    group: "Conversations",
    name: "Service agent: booking a flight",
    url: "examples/tau-airline-0.json",
  },
  {
    key: "build",
    group: "Prompts",
    name: "Prompt as TSX: why does the build fail?",
    url: "examples/prompt.tsx",
    file: "prompt.tsx",
  },
  source("log", "TypeScript", "js/log/log.ts"),
  source("query", "Rust", "core/src/document/query.rs"),
  source("cache", "Python", "tests/fixtures/sources/cache.py"),
  source("css", "CSS", "www/app/app.css"),
  { key: OUR_FOLDER, group: "Folders", name: "Sources of Espalier" },
  { key: "text", group: "Texts", name: "A text in many scripts", url: "examples/text.txt", file: "text.txt" },
];

function source(key: string, what: string, path: string): ExampleFile {
  return { key, group: "Source files", name: `${what}: ${path}`, url: `samples/${path}`, file: path };
}
