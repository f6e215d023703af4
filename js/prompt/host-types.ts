/**
 * Types that prompt trees take from an editor, as shapes instead of imports: VS Code's own objects fit, and so does
 * anything with the same members. Shapes that go back to the host (`Uri`, `Range`, messages) have every member of VS
 * Code's, so that they can be passed to its API; shapes that only come in (`…Like`) require as little as possible.
 */

/** A resource that can be released. */
export interface Disposable {
  dispose(): unknown;
}

/** Reports that the result is no longer needed. */
export interface CancellationToken {
  isCancellationRequested: boolean;
  onCancellationRequested: (listener: (event: any) => any, thisArgs?: any, disposables?: any[]) => Disposable;
}

/** Receives progress reports of an element. */
export interface Progress<T> {
  report(value: T): void;
}

/** What a host shows while a response is made. The parts are opaque to the package. */
export type ChatResponsePart = object;

/** The fields of an address, as they travel in JSON. */
export interface UriComponents {
  scheme: string;
  authority?: string;
  path?: string;
  query?: string;
  fragment?: string;
}

/** An address. */
export interface Uri {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
  readonly fsPath: string;
  with(change: { scheme?: string; authority?: string; path?: string; query?: string; fragment?: string }): Uri;
  toString(skipEncoding?: boolean): string;
  toJSON(): any;
}

export interface Position {
  readonly line: number;
  readonly character: number;
  isBefore(other: Position): boolean;
  isBeforeOrEqual(other: Position): boolean;
  isAfter(other: Position): boolean;
  isAfterOrEqual(other: Position): boolean;
  isEqual(other: Position): boolean;
  compareTo(other: Position): number;
  translate(lineDelta?: number, characterDelta?: number): Position;
  translate(change: { lineDelta?: number; characterDelta?: number }): Position;
  with(line?: number, character?: number): Position;
  with(change: { line?: number; character?: number }): Position;
}

export interface Range {
  readonly start: Position;
  readonly end: Position;
  isEmpty: boolean;
  isSingleLine: boolean;
  contains(positionOrRange: Position | Range): boolean;
  isEqual(other: Range): boolean;
  intersection(range: Range): Range | undefined;
  union(other: Range): Range;
  with(start?: Position, end?: Position): Range;
  with(change: { start?: Position; end?: Position }): Range;
}

export interface Location {
  uri: Uri;
  range: Range;
}

/** A range without the methods. */
export interface RangeLike {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
}

/** A place in a file: VS Code's `Location`, or a plain object with the same fields. */
export interface LocationLike {
  readonly uri: UriComponents;
  readonly range: RangeLike;
}

/** An icon of the host's theme, by name. */
export interface ThemeIcon {
  readonly id: string;
}

/** A file that was used to make a prompt. */
export interface ChatDocumentContext {
  uri: Uri;
  version: number;
  ranges: Range[];
}

/** The same, as it comes from a host. */
export interface ChatDocumentContextLike {
  readonly uri: UriComponents;
  readonly version: number;
  readonly ranges: readonly RangeLike[];
}

/** The result of a tool: texts, prompt trees, and parts that prompt trees ignore. */
export interface LanguageModelToolResult {
  readonly content: readonly unknown[];
}

export interface LanguageModelTextPart {
  value: string;
}

export interface LanguageModelToolCallPart {
  callId: string;
  name: string;
  input: object;
}

export interface LanguageModelToolResultPart {
  callId: string;
  content: unknown[];
}

/** A message in VS Code's form: role 1 is the user, 2 the assistant. */
export interface LanguageModelChatMessage {
  role: 1 | 2;
  content: (LanguageModelTextPart | LanguageModelToolCallPart | LanguageModelToolResultPart)[];
  name: string | undefined;
}

/** A model that counts: VS Code's `LanguageModelChat`, or anything with `countTokens`. */
export interface LanguageModelChat {
  countTokens(text: any, token?: CancellationToken): PromiseLike<number>;
}
