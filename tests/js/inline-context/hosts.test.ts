/** The adapters of editors, on doubles that behave as the editors' interfaces do. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { inline, settled, TestClock } from "./built.ts";

class Emitter<T> {
  listeners = new Set<(event: T) => unknown>();
  on = (listener: (event: T) => unknown) => {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  };
  fire(event: T) {
    for (const listener of [...this.listeners]) listener(event);
  }
}

class Document {
  version = 1;
  text: string;
  readonly uri;
  readonly languageId: string;
  constructor(address: string, text: string, languageId = "typescript") {
    this.text = text;
    this.languageId = languageId;
    const [scheme, path] = address.split("://") as [string, string];
    this.uri = { scheme, path, toString: () => address };
  }
  getText = () => this.text;
  offsetAt = ({ line, character }: { line: number; character: number }) =>
    this.text
      .split("\n")
      .slice(0, line)
      .reduce((sum, one) => sum + one.length + 1, 0) + character;
}

function vscodeDouble(documents: Document[]) {
  const events = {
    open: new Emitter<any>(),
    change: new Emitter<any>(),
    close: new Emitter<any>(),
    active: new Emitter<any>(),
    selection: new Emitter<any>(),
    tabs: new Emitter<any>(),
  };
  const editors = documents.map((document) => ({
    document,
    selections: [{ isEmpty: true, active: { line: 0, character: 0 } }],
  }));
  const vscode = {
    workspace: {
      textDocuments: documents,
      asRelativePath: ({ path }: { path: string }) => path.replace(/^\/repo\//, ""),
      onDidOpenTextDocument: events.open.on,
      onDidChangeTextDocument: events.change.on,
      onDidCloseTextDocument: events.close.on,
    },
    window: {
      activeTextEditor: editors[0],
      visibleTextEditors: editors.slice(0, 1),
      tabGroups: { onDidChangeTabs: events.tabs.on },
      onDidChangeActiveTextEditor: events.active.on,
      onDidChangeTextEditorSelection: events.selection.on,
    },
    Range: class {
      readonly start;
      readonly end;
      constructor(start: unknown, end: unknown) {
        this.start = start;
        this.end = end;
      }
    },
    InlineCompletionItem: class {
      readonly insertText;
      readonly range;
      constructor(insertText: string, range?: unknown) {
        this.insertText = insertText;
        this.range = range;
      }
    },
  };
  return { vscode, events, editors };
}

const token = (isCancellationRequested = false) => {
  const cancelled = new Emitter<void>();
  return { isCancellationRequested, onCancellationRequested: cancelled.on, cancel: () => cancelled.fire() };
};
const LIB = "export function total(stock: number[]) {\n  return stock.length;\n}\n";
const MAIN = 'import { total } from "./stock";\nfunction f(stock) {\n  \n}\n';

test("VS Code: a provider from start to end", async () => {
  const main = new Document("vscode-vfs:///repo/main.ts", MAIN);
  const documents = [
    main,
    new Document("vscode-vfs:///repo/stock.ts", LIB),
    new Document("output:///log", "text", "log"),
  ];
  const { vscode, events, editors } = vscodeDouble(documents);
  const clock = new TestClock();
  const session = new inline.InlineContext({ clock });
  const prompts: any[] = [];
  const provider = inline.vscodeInlineContext(
    vscode,
    session,
    async (prompt) => (prompts.push(prompt), "  return total(stock);"),
  );
  assert.equal(session.state().files, 2);
  const at = { line: 2, character: 2 };
  const items = await provider.provideInlineCompletionItems(main, at, {}, token());
  assert.ok(items[0] instanceof vscode.InlineCompletionItem);
  assert.deepEqual(
    items.map(({ insertText, range }) => [insertText, range.start, range.end]),
    [["return total(stock);", at, at]],
  );
  assert.deepEqual(
    [prompts[0].prefix, prompts[0].trailing, prompts[0].suffix],
    [MAIN.slice(0, MAIN.indexOf("  \n")), "  ", "}\n"],
  );
  assert.deepEqual([prompts[0].path, prompts[0].language], ["main.ts", "typescript"]);
  assert.match(prompts[0].context, /^Path: main\.ts\nCompare this snippet from stock\.ts:/);

  // The user types what the completion says: no second question.
  main.text = MAIN.replace("  \n", "  return t\n");
  main.version += 1;
  events.change.fire({ document: main, contentChanges: [{}] });
  const typed = await provider.provideInlineCompletionItems(main, { line: 2, character: 10 }, {}, token());
  assert.deepEqual([typed.map(({ insertText }) => insertText), prompts.length], [["otal(stock);"], 1]);

  // A file that is opened, focused, edited, hidden and closed.
  const rate = new Document("untitled:///repo/rate.ts", "export const rate = 1;\n");
  events.open.fire(rate);
  events.active.fire({ document: rate, selections: [] });
  assert.deepEqual(session.recentFiles(), ["rate.ts", "main.ts"]);
  rate.text = "export const rate = 2;\n";
  events.change.fire({ document: rate, contentChanges: [{}] });
  clock.time += 1_000;
  main.text += "// end\n";
  await provider.provideInlineCompletionItems(main, { line: 4, character: 6 }, {}, token());
  assert.match(prompts[1].context, /File: rate\.ts\n.*\n\+export const rate = 2;/);
  events.tabs.fire({ closed: [{ input: { uri: rate.uri } }, { input: undefined }] });
  assert.deepEqual(session.recentFiles(), ["main.ts", "rate.ts"]);
  events.close.fire(rate);
  events.selection.fire({ textEditor: editors[0], selections: editors[0]!.selections, kind: 2 });
  assert.equal(session.state().files, 2);

  provider.dispose();
  assert.equal(session.state().files, 0);
  assert.ok(Object.values(events).every(({ listeners }) => listeners.size === 0));
  assert.deepEqual(await provider.provideInlineCompletionItems(main, { line: 4, character: 6 }, {}, token()), []);
  assert.deepEqual([session.state().files, prompts.length], [0, 2]);
  session.free();
});

test("VS Code: cells of a notebook have short names of their own", async () => {
  const cells = ["a", "b", "c"].map(
    (cell) => new Document(`vscode-notebook-cell:///repo/n.ipynb#${cell}`, `total_${cell} = sum(total)\n`, "python"),
  );
  for (const cell of cells) cell.uri.path = "/repo/n.ipynb";
  const { vscode, events } = vscodeDouble(cells);
  const prompts: any[] = [];
  const session = new inline.InlineContext();
  const provider = inline.vscodeInlineContext(vscode as any, session, (prompt: any) => {
    prompts.push(prompt);
    return "x";
  });
  const names = async (cell: Document) => {
    const token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) };
    await provider.provideInlineCompletionItems(cell as any, { line: 0, character: 5 } as any, {} as any, token as any);
    return prompts
      .at(-1)
      .items.map(({ id }: { id: string }) => id)
      .sort();
  };
  assert.deepEqual(await names(cells[2]!), ["n.ipynb", "n.ipynb#2", "n.ipynb#3"]);
  assert.match(prompts[0].context, /^Path: n\.ipynb#3\n/);
  // A cell that is opened again keeps its name.
  events.close.fire(cells[1]);
  events.close.fire(cells[2]);
  events.open.fire(cells[2]);
  assert.deepEqual(await names(cells[2]!), ["n.ipynb", "n.ipynb#2", "n.ipynb#3"]);
  assert.equal(prompts.at(-1).path, "n.ipynb#3");
  provider.dispose();
  session.free();
});

test("VS Code: cancelled, failing and odd models", async () => {
  const main = new Document("file:///repo/main.ts", MAIN);
  const { vscode } = vscodeDouble([main, new Document("git:///repo/main.ts", MAIN)]);
  const session = new inline.InlineContext();
  const at = { line: 1, character: 19 };
  const answers: [unknown, unknown[]][] = [
    [undefined, []],
    [null, []],
    ["", []],
    [
      [" a", " b", " a"],
      [" a", " b"],
    ],
    [42, []],
  ];
  let answer: unknown;
  const errors: unknown[] = [];
  const provider = inline.vscodeInlineContext(vscode, session, () => answer as never, {
    onError: (error) => errors.push(error),
  });
  assert.equal(session.state().files, 1);
  for (const [given, expected] of answers) {
    answer = given;
    main.text += "x";
    const items = await provider.provideInlineCompletionItems(main, at, {}, token());
    assert.deepEqual(
      items.map(({ insertText }) => insertText),
      expected,
    );
  }
  assert.deepEqual(await provider.provideInlineCompletionItems(main, at, {}, token(true)), []);
  provider.dispose();
  const failing = inline.vscodeInlineContext(
    vscode,
    session,
    () => {
      throw new Error("no model");
    },
    { onError: (error) => errors.push(error) },
  );
  assert.deepEqual(await failing.provideInlineCompletionItems(main, at, {}, token()), []);
  assert.match(String(errors), /no model/);
  failing.dispose();
  const hanging = inline.vscodeInlineContext(
    vscode,
    session,
    (_, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  );
  const cancelling = token();
  const asked = hanging.provideInlineCompletionItems(main, at, {}, cancelling);
  await settled();
  cancelling.cancel();
  assert.deepEqual(await asked, []);
  hanging.dispose();
  assert.throws(() => inline.vscodeInlineContext({} as never, session, () => ""), {
    code: "bad_input",
    path: "vscode",
  });
  assert.throws(() => inline.vscodeInlineContext(vscode, session, () => "", { accept: 1 } as never), {
    code: "bad_option",
    path: "options.accept",
  });
  session.free();
});

test("Monaco: a provider from start to end", async () => {
  const model = (address: string, text: string) => {
    const content = new Emitter<any>();
    const uri = { scheme: "inmemory", path: address, toString: () => `inmemory://model${address}` };
    return {
      uri,
      text,
      content,
      getValue() {
        return this.text;
      },
      getLanguageId: () => "typescript",
      getVersionId: () => 1,
      onDidChangeContent: content.on,
      getOffsetAt({ lineNumber, column }: { lineNumber: number; column: number }) {
        return (
          this.text
            .split("\n")
            .slice(0, lineNumber - 1)
            .reduce((sum: number, one: string) => sum + one.length + 1, 0) +
          column -
          1
        );
      },
    };
  };
  const events = {
    create: new Emitter<any>(),
    dispose: new Emitter<any>(),
    editor: new Emitter<any>(),
    focus: new Emitter<void>(),
    cursor: new Emitter<any>(),
    gone: new Emitter<void>(),
  };
  const [main, lib] = [model("/main.ts", MAIN), model("/stock.ts", LIB)];
  const editor = {
    getModel: () => main,
    hasTextFocus: () => true,
    getSelections: () => [{ isEmpty: () => true }],
    onDidFocusEditorText: events.focus.on,
    onDidChangeCursorPosition: events.cursor.on,
    onDidDispose: events.gone.on,
  };
  let registered: any;
  const monaco = {
    editor: {
      getModels: () => [main],
      getEditors: () => [editor],
      onDidCreateModel: events.create.on,
      onWillDisposeModel: events.dispose.on,
      onDidCreateEditor: events.editor.on,
    },
    languages: {
      registerInlineCompletionsProvider: (_: unknown, provider: unknown) => (
        (registered = provider), { dispose: () => (registered = undefined) }
      ),
    },
  };
  const session = new inline.InlineContext({ clock: new TestClock() });
  const prompts: any[] = [];
  const registration = inline.monacoInlineContext(monaco, session, (prompt) => (prompts.push(prompt), "return 1;"));
  events.create.fire(lib);
  main.text = MAIN.replace("  \n", "  re\n");
  main.content.fire({});
  events.cursor.fire({ position: { lineNumber: 3, column: 5 }, reason: 3, source: "mouse" });
  const position = { lineNumber: 3, column: 3 };
  const { items } = await registered.provideInlineCompletions(main, position, {}, token());
  assert.deepEqual(items, [
    { insertText: "return 1;", range: { startLineNumber: 3, startColumn: 3, endLineNumber: 3, endColumn: 3 } },
  ]);
  assert.match(prompts[0].context, /Compare this snippet from stock\.ts/);
  assert.deepEqual(session.recentFiles(), ["main.ts"]);
  registered.freeInlineCompletions();
  registered.disposeInlineCompletions();
  events.dispose.fire(lib);
  assert.equal(session.state().files, 1);
  registration.dispose();
  assert.deepEqual(
    [registered, session.state().files, ...Object.values(events).map(({ listeners }) => listeners.size)],
    [undefined, 0, 0, 0, 0, 0, 0, 0],
  );
  session.free();
});

test("CodeMirror: updates and completions", async () => {
  const state = (text: string, head: number, empty = true) => ({
    doc: { toString: () => text },
    selection: { main: { head, empty }, ranges: [1] },
  });
  const session = new inline.InlineContext({ clock: new TestClock() });
  const connected = inline.codeMirrorInlineContext(
    state("const rate = ", 13),
    session,
    ({ prefix }) => (prefix.endsWith("= ") ? "3;" : undefined),
    { path: "rate.ts" },
  );
  assert.deepEqual(await connected.complete(state("const rate = ", 13)), [{ from: 13, insert: "3;" }]);
  const typed = state("const rate = 3", 14);
  connected.update({
    state: typed,
    docChanged: true,
    selectionSet: true,
    transactions: [{ isUserEvent: () => false }],
  });
  assert.equal(session.file("rate.ts")!.text, "const rate = 3");
  assert.deepEqual(await connected.complete(typed), [{ from: 14, insert: ";" }]);
  assert.deepEqual(await connected.complete(state("const rate = 3", 14, false)), []);
  connected.dispose();
  assert.deepEqual(await connected.complete(state("const rate = ", 13)), []);
  connected.update({ state: typed, docChanged: true, selectionSet: false, transactions: [] });
  assert.equal(session.state().files, 0);
  assert.throws(() => inline.codeMirrorInlineContext(typed, session, () => "", {} as never), {
    path: "options.path",
  });
  session.free();
});
