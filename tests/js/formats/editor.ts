/**
 * VS Code's classes as in the editor: content behind an accessor, texts with their own JSON, names shortened by a
 * bundler.
 */

import type { VSCodeClasses } from "../../../js/formats/index.ts";

export class a {
  role: number;
  _content: unknown[] = [];
  name: string | undefined;
  constructor(role: number, content: string | unknown[], name?: string) {
    this.role = role;
    this.content = content;
    this.name = name;
  }
  static User(content: string | unknown[], name?: string) {
    return new a(1, content, name);
  }
  static Assistant(content: string | unknown[], name?: string) {
    return new a(2, content, name);
  }
  set content(value: string | unknown[]) {
    this._content = typeof value === "string" ? [new b(value)] : value;
  }
  get content(): unknown[] {
    return this._content;
  }
}
export class b {
  value: string;
  constructor(value: string) {
    this.value = value;
  }
  toJSON() {
    return { $mid: 21, value: this.value };
  }
}
export class c {
  callId: string;
  name: string;
  input: unknown;
  constructor(callId: string, name: string, input: unknown) {
    this.callId = callId;
    this.name = name;
    this.input = input;
  }
}
export class d {
  callId: string;
  content: unknown[];
  isError = false;
  constructor(callId: string, content: unknown[]) {
    this.callId = callId;
    this.content = content;
  }
}
export class e {
  mimeType: string;
  data: Uint8Array;
  constructor(data: Uint8Array, mimeType: string) {
    this.mimeType = mimeType;
    this.data = data;
  }
}
export class f {
  value: string | string[];
  id: string | undefined;
  metadata: unknown;
  constructor(value: string | string[], id?: string, metadata?: unknown) {
    this.value = value;
    this.id = id;
    this.metadata = metadata;
  }
}
export class g {
  value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}
/** The part of VS Code's module that contains them. */
export const editor: VSCodeClasses = {
  LanguageModelChatMessage: a,
  LanguageModelTextPart: b,
  LanguageModelToolCallPart: c,
  LanguageModelToolResultPart: d,
  LanguageModelDataPart: e,
  LanguageModelThinkingPart: f,
  LanguageModelPromptTsxPart: g,
};
