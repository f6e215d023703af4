/** The engine's side of inline context: the files of a folder, and the editor's session. */

import "../../js/entries/engines/workspace-web.ts";
import { EspalierError, init, InlineContext } from "../../js/entries/inline-context.ts";
import type { FileSource } from "../../js/search/types.ts";
import { sourceOf } from "../folder/source.ts";
import { keepFetched } from "../offline.ts";
import { answering } from "../talk.ts";
import type { Answer, Questions } from "./protocol.ts";

let source: FileSource | undefined;
let session: InlineContext | undefined;

const LANGUAGES: Record<string, string> = {
  ts: "typescript",
  mts: "typescript",
  tsx: "typescriptreact",
  js: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  jsx: "javascriptreact",
  rs: "rust",
  py: "python",
  rb: "ruby",
  go: "go",
  java: "java",
  c: "c",
  h: "c",
  cc: "cpp",
  cpp: "cpp",
  hpp: "cpp",
  cs: "csharp",
  php: "php",
  md: "markdown",
  toml: "toml",
  json: "json",
  css: "css",
  html: "html",
};
const languageOf = (path: string) => LANGUAGES[path.slice(path.lastIndexOf(".") + 1)] ?? "plaintext";

function live(): InlineContext {
  if (session) return session;
  throw new EspalierError({ code: "bad_input", message: "No file is open." });
}

async function openFolder({ folder }: Questions["folder"][0]): Promise<string[]> {
  const opened = await sourceOf(folder);
  const paths: string[] = [];
  for await (const { path } of opened.list({ note: () => undefined })) paths.push(path);
  if (paths.length === 0)
    throw new EspalierError({ code: "file_not_found", message: "There is no text file that could be completed." });
  source = opened;
  return paths.sort();
}

async function textOf({ path }: Questions["text"][0]): Promise<string> {
  const read = await source?.read(path);
  if (read && "text" in read) return read.text;
  throw new EspalierError({
    code: "file_not_found",
    message: `There is no text in ${path}: ${read?.reason ?? "gone"}`,
  });
}

async function start({ settings, files }: Questions["start"][0]): Promise<undefined> {
  await init({ encodings: [settings.encoding] });
  void keepFetched();
  const next = new InlineContext(settings);
  session?.free();
  session = next;
  for (const { path, original, text } of files) {
    next.open({ path, text: original, language: languageOf(path) });
    next.focus(path);
    if (text !== original) next.change(path, text);
  }
}

function context({ path, cursor }: Questions["context"][0]): Answer {
  const started = performance.now();
  const result = live().context({ file: path, cursor });
  return { ...result, path, cursor, ms: performance.now() - started };
}

answering<Questions>(
  {
    folder: openFolder,
    text: textOf,
    start,
    focus: ({ path, text }) => {
      live().open({ path, text, language: languageOf(path) });
      live().focus(path);
      return undefined;
    },
    close: ({ path }) => void live().close(path),
    change: ({ path, text }) => void live().change(path, text),
    move: (place) => void live().moveCursor(place),
    context,
  },
  ["start", "context"],
);
