/**
 * Where VS Code's message classes come from. Its API accepts only its own classes, and its module exists only inside an
 * extension, so nothing is imported: a module that the host registered comes first, then one found at run time, then
 * look-alikes. With those a prompt renders outside VS Code too (tests, a page, the command line), and every reader of
 * its messages understands them.
 */

import type {
  LanguageModelChatMessage,
  LanguageModelTextPart,
  LanguageModelToolCallPart,
  LanguageModelToolResultPart,
} from "../../prompt/host-types.ts";

/** The part of VS Code's module that messages are made with. */
export interface VSCodeClasses {
  LanguageModelChatMessage: {
    User(content: any, name?: string): any;
    Assistant(content: any, name?: string): any;
  };
  LanguageModelTextPart: new (value: string) => any;
  LanguageModelToolCallPart: new (callId: string, name: string, input: any) => any;
  LanguageModelToolResultPart: new (callId: string, content: any[]) => any;
  /** Since VS Code 1.106. */
  LanguageModelDataPart?: new (
    data: Uint8Array,
    mimeType: string,
  ) => any;
  LanguageModelPromptTsxPart?: new (value: unknown) => any;
  /** A proposal. */
  LanguageModelThinkingPart?: new (
    value: string | string[],
    id?: string,
    metadata?: any,
  ) => any;
}

declare const __non_webpack_require__: ((name: string) => unknown) | undefined;

let registered: VSCodeClasses | undefined;
/** What looking for it gave; null if there is none. */
let found: VSCodeClasses | null | undefined;

/**
 * Registers the module whose classes messages are made with; without an argument, forgets it. Needed where the module
 * cannot be found at run time: bundlers that keep the host's `require` under a name of their own, and tests with a
 * module of theirs.
 *
 * ```ts
 * import * as vscode from "vscode";
 * import { render, setVSCode, UserMessage } from "espalier/prompt";
 *
 * setVSCode(vscode);
 * const piece = { ctor: UserMessage, props: {}, children: ["Hello"] };
 * const { messages } = await render(piece, { budget: 100, format: "vscode" });
 * messages[0] instanceof vscode.LanguageModelChatMessage; // => true
 * ```
 */
export function setVSCode(module?: VSCodeClasses): void {
  registered = module;
}

export function vscodeClasses(): VSCodeClasses {
  return hostClasses() ?? lookalikes;
}

/** VS Code's own classes, where there are any. */
export function hostClasses(): VSCodeClasses | undefined {
  if (registered) return registered;
  if (found === undefined) found = lookFor() ?? null;
  return found ?? undefined;
}

function lookFor(): VSCodeClasses | undefined {
  for (const load of [hostRequire, moduleRequire]) {
    try {
      const module: unknown = load()?.("vscode");
      if (isVSCode(module)) return module;
    } catch {
      // Outside VS Code there is no such module, and bundlers replace `require` by a function that throws.
    }
  }
  return undefined;
}

type Load = (name: string) => unknown;

/**
 * Returns the host's `require`, to be called by another name, so that bundlers do not take it for an import that they
 * must resolve. In CommonJS webpack keeps it under a name of its own (which scripts/bundles.mjs leaves out of ES
 * modules, where webpack does not touch `require`); esbuild leaves it alone.
 */
function hostRequire(): Load | undefined {
  if (typeof __non_webpack_require__ === "function") return __non_webpack_require__;
  return typeof require === "function" ? require : undefined;
}

/** Returns a `require` for an extension that is an ES module: VS Code answers one that is made for its file. */
function moduleRequire(): Load | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): any } };
  const url = import.meta.url as string | undefined;
  return url?.startsWith("file:") ? process?.getBuiltinModule?.("module").createRequire(url) : undefined;
}

function isVSCode(module: unknown): module is VSCodeClasses {
  return (
    typeof module === "object" &&
    module !== null &&
    "LanguageModelChatMessage" in module &&
    "LanguageModelTextPart" in module
  );
}

class TextPart implements LanguageModelTextPart {
  value: string;
  constructor(value: string) {
    this.value = value;
  }
}

class ToolCallPart implements LanguageModelToolCallPart {
  callId: string;
  name: string;
  input: object;
  constructor(callId: string, name: string, input: object) {
    this.callId = callId;
    this.name = name;
    this.input = input;
  }
}

class ToolResultPart implements LanguageModelToolResultPart {
  callId: string;
  content: unknown[];
  constructor(callId: string, content: unknown[]) {
    this.callId = callId;
    this.content = content;
  }
}

class Message implements LanguageModelChatMessage {
  role: 1 | 2;
  content: LanguageModelChatMessage["content"];
  name: string | undefined;

  constructor(role: 1 | 2, content: string | LanguageModelChatMessage["content"], name?: string) {
    this.role = role;
    this.content = typeof content === "string" ? [new TextPart(content)] : content;
    this.name = name;
  }

  static User(content: string | LanguageModelChatMessage["content"], name?: string): Message {
    return new Message(1, content, name);
  }

  static Assistant(content: string | LanguageModelChatMessage["content"], name?: string): Message {
    return new Message(2, content, name);
  }
}

const lookalikes: VSCodeClasses = {
  LanguageModelChatMessage: Message,
  LanguageModelTextPart: TextPart,
  LanguageModelToolCallPart: ToolCallPart,
  LanguageModelToolResultPart: ToolResultPart,
};
