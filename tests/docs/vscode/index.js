/**
 * The classes of VS Code's API that the documentation's code blocks use, and a model that answers every request with
 * one text.
 */

import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";

export class LanguageModelTextPart {
  constructor(value) {
    this.value = value;
  }
}

export class LanguageModelToolCallPart {
  constructor(callId, name, input) {
    Object.assign(this, { callId, name, input });
  }
}

export class LanguageModelToolResultPart {
  constructor(callId, content) {
    Object.assign(this, { callId, content });
  }
}

export class LanguageModelToolResult {
  constructor(content) {
    this.content = content;
  }
}

export const LanguageModelChatMessageRole = { User: 1, Assistant: 2 };

export class LanguageModelChatMessage {
  constructor(role, content, name) {
    Object.assign(this, {
      role,
      content: typeof content === "string" ? [new LanguageModelTextPart(content)] : content,
      name,
    });
  }

  static User(content, name) {
    return new this(LanguageModelChatMessageRole.User, content, name);
  }

  static Assistant(content, name) {
    return new this(LanguageModelChatMessageRole.Assistant, content, name);
  }
}

export class CancellationTokenSource {
  #listeners = [];
  token = {
    isCancellationRequested: false,
    onCancellationRequested: (listener) => {
      this.#listeners.push(listener);
      return { dispose: () => (this.#listeners = this.#listeners.filter((one) => one !== listener)) };
    },
  };

  cancel() {
    this.token.isCancellationRequested = true;
    for (const listener of this.#listeners.splice(0)) listener();
  }

  dispose() {}
}

export class Uri {
  constructor(path) {
    Object.assign(this, { scheme: "file", authority: "", path, query: "", fragment: "", fsPath: path });
  }

  static file(path) {
    return new this(path);
  }

  static joinPath(base, ...names) {
    return new this([base.path, ...names].join("/"));
  }

  with({ path }) {
    return new Uri(path);
  }

  toString() {
    return `file://${this.path}`;
  }
}

export class FileSystemError extends Error {
  static FileNotFound(uri) {
    return Object.assign(new this(String(uri)), { code: "FileNotFound" });
  }
}

export const FileType = { Unknown: 0, File: 1, Directory: 2 };

/** Node's file system in VS Code's form. */
const found = (uri, reading) =>
  reading.catch((error) => {
    throw error.code === "ENOENT" ? FileSystemError.FileNotFound(uri) : error;
  });

export const workspace = {
  get workspaceFolders() {
    return [{ name: "fixtures", uri: Uri.file(process.cwd()), index: 0 }];
  },
  textDocuments: [],
  getConfiguration: () => ({ get: () => undefined }),
  fs: {
    stat: async (uri) => {
      const { size, mtimeMs } = await found(uri, stat(uri.path));
      return { type: FileType.File, size, mtime: mtimeMs };
    },
    readFile: (uri) => found(uri, readFile(uri.path)),
    writeFile: (uri, content) => writeFile(uri.path, content),
    createDirectory: (uri) => mkdir(uri.path, { recursive: true }),
    delete: (uri, options) => found(uri, rm(uri.path, options)),
    rename: (from, to) => rename(from.path, to.path),
    readDirectory: async (uri) => {
      const entries = await found(uri, readdir(uri.path, { withFileTypes: true }));
      return entries.map((entry) => [entry.name, entry.isDirectory() ? FileType.Directory : FileType.File]);
    },
  },
};

const ANSWER = "<summary>\nThe parser was fixed; the tests were not run yet.\n</summary>";

const model = {
  id: "gpt-4o",
  name: "GPT-4o",
  vendor: "copilot",
  family: "gpt-4o",
  version: "gpt-4o",
  maxInputTokens: 16_000,
  countTokens: async (text) => Math.ceil(JSON.stringify(text).length / 4),
  sendRequest: async () => ({
    stream: (async function* () {
      yield new LanguageModelTextPart(ANSWER);
    })(),
    text: (async function* () {
      yield ANSWER;
    })(),
  }),
};

export const lm = {
  selectChatModels: async () => [model],
  invokeTool: async () => new LanguageModelToolResult([new LanguageModelTextPart("62 tests passed")]),
};

const event = () => ({ dispose() {} });

Object.assign(workspace, {
  asRelativePath: (uri) => uri.path.replace(/^\//, ""),
  onDidOpenTextDocument: event,
  onDidChangeTextDocument: event,
  onDidCloseTextDocument: event,
});

export const window = {
  activeTextEditor: undefined,
  visibleTextEditors: [],
  tabGroups: { onDidChangeTabs: event },
  onDidChangeActiveTextEditor: event,
  onDidChangeTextEditorSelection: event,
};

export const languages = { registerInlineCompletionItemProvider: () => ({ dispose() {} }) };
