/** Functions and methods of `espalier/inline-context`. */

import type { InlineContext } from "../../../js/inline-context/session.ts";
import { inline } from "../inline-context/built.ts";
import { methods, using } from "./entry.ts";
import type { Entry } from "./entry.ts";

const LIMITS =
  "profile budget window outputReserve encoding model tokenizer suffixShare suffixReserve minChars charsPerToken contextShare stableSlack cascade exact mode " +
  "crossing similarBesideSnippets editForm similarLimits neighbourLimits editLimits providerMs buildingMs";
const file = () => ({
  path: "a.ts",
  text: "export const rate = total(stock);\n",
  language: "typescript",
  scheme: "file",
  focusedMs: 1,
});
const item = () => ({
  id: "one",
  text: "interface Stock {}",
  kind: "snippet",
  path: "b.ts",
  priority: 0.8,
  weight: 0.9,
  arrivedMs: 0,
  isForTimeout: false,
});
const edit = () => ({ path: "b.ts", before: "let a = 1;\n", after: "let b = 1;\n", atMs: 5 });
const request = (more = {}) => ({ file: file(), cursor: 12, ...more });
const clock = { now: () => 0 };
const provider = () => ({ name: "one", provide: () => [{ id: "one", text: "interface Stock {}" }] });

const withSession = (options: object, use: (session: InlineContext) => unknown) =>
  using(new inline.InlineContext(options), use);

const onSession = methods("inline.session", (name, args) =>
  withSession({ clock }, async (session) => {
    session.open(file() as never);
    session.open({ path: "b.ts", text: "export const stock = 1;\n", language: "typescript" });
    const answer = await (session as any)[name](...args);
    const { context, prefix } = session.context({
      file: { path: "c.ts", text: "export const stock", language: "typescript" },
      cursor: 12,
    });
    return [answer && { ...answer, ms: 0 }, context, prefix];
  }),
);

const editor = () => ({
  doc: { toString: () => "const rate = " },
  selection: { main: { head: 13, empty: true }, ranges: [1] },
});
export const INLINE: readonly Entry[] = [
  {
    name: "inline.inlineContext",
    args: () => [request({ neighbours: [file()], items: [item()], edits: [edit()], excluded: ["x.ts"], elapsedMs: 0 })],
    run: inline.inlineContext,
    options: LIMITS,
  },
  {
    name: "inline.inlineContext (file)",
    args: () => [file()],
    run: (file) => inline.inlineContext({ file, cursor: 5 }),
  },
  {
    name: "inline.inlineContext (neighbours)",
    args: () => [[file()]],
    run: (neighbours) => inline.inlineContext(request({ neighbours }) as never),
  },
  {
    name: "inline.inlineContext (items)",
    args: () => [[item()]],
    run: (items) => inline.inlineContext(request({ items }) as never),
  },
  {
    name: "inline.inlineContext (edits)",
    args: () => [[edit()]],
    run: (edits) => inline.inlineContext(request({ edits }) as never),
  },
  {
    name: "inline.inlineContext (cascade)",
    args: () => [{ prefix: 0.4, suffix: 0.1, stable: 0.3, volatile: 0.2 }],
    run: (cascade) => inline.inlineContext(request({ cascade }) as never),
  },
  {
    name: "inline.inlineContext (similar)",
    args: () => [
      {
        window: 5,
        threshold: 0,
        maxSnippets: 2,
        maxPerFile: 1,
        maxFiles: 3,
        maxChars: 500,
        score: "shared",
        words: "ascii",
      },
    ],
    run: (similarLimits) => inline.inlineContext(request({ similarLimits, neighbours: [file()] }) as never),
  },
  {
    name: "inline.inlineContext (neighbour limits)",
    args: () => [{ maxFiles: 5, maxChars: 500, focusEntries: 2, fileSchemeOnly: true, aliases: { c: "cpp" } }],
    run: (neighbourLimits) => inline.inlineContext(request({ neighbourLimits, neighbours: [file()] }) as never),
  },
  {
    name: "inline.inlineContext (edit limits)",
    args: () => [
      {
        debounceMs: 5,
        maxFiles: 5,
        maxEdits: 2,
        contextLines: 1,
        mergeLines: 1,
        maxEditChars: 500,
        maxLines: 5,
        maxFileChars: 900,
        nearLines: 5,
        lineOffset: 0,
      },
    ],
    run: (editLimits) => inline.inlineContext(request({ editLimits, edits: [edit()] }) as never),
  },
  {
    name: "inline.InlineContext",
    args: () => [
      {
        clock,
        providers: [provider()],
        maxCacheBytes: 1_000,
        maxCompletions: 2,
        maxPlaces: 2,
        nearPlaceLines: 1,
        maxRecentFiles: 2,
        maxCachedDocuments: 2,
        moveDebounceMs: 5,
      },
    ],
    run: (options) => withSession(options, (session) => session.context(request() as never)),
    options: LIMITS,
  },
  onSession("open", () => [file()]),
  onSession("addNeighbour", () => [file()]),
  onSession("change", () => ["a.ts", "const a = 1;\n", { now: 5, version: 3 }]),
  onSession("close", () => ["a.ts"]),
  onSession("focus", () => ["a.ts", { now: 5 }]),
  onSession("hide", () => ["a.ts"]),
  onSession("moveCursor", () => [
    { path: "a.ts", cursor: 5, by: "mouse", isActiveEditor: true, isOneCursor: true },
    { now: 5 },
  ]),
  onSession("context", () => [request({ items: [item()], excluded: ["x.ts"], elapsedMs: 0, maxFreshChars: 100 })]),
  onSession(
    "contextFor",
    () => [request({ items: [item()], excluded: ["x.ts"], maxFreshChars: 100, providers: [provider()], timeoutMs: 0 })],
    "onPartial signal",
  ),
  onSession("remember", () => ["a.ts", 5, "text"]),
  onSession("completion", () => ["a.ts", 5]),
  onSession("recentFiles", () => ["a.ts"]),
  onSession("file", () => ["a.ts"]),
  { name: "inline.insertion", args: () => ["  ", "  text"], run: inline.insertion },
  {
    name: "inline.codeMirrorInlineContext",
    args: () => [() => "3;", { path: "rate.ts", language: "typescript" }],
    run: (complete, options) =>
      withSession({ clock }, (session) =>
        inline.codeMirrorInlineContext(editor(), session, complete, options).complete(editor()),
      ),
  },
];
