/** Values that elements attach to a prompt besides text. */

import { enumeration } from "./enumeration.ts";
import { Uri } from "./uri.ts";
import type { Location, LocationLike, ThemeIcon, Uri as UriShape, UriComponents } from "./host-types.ts";
import type { PromptReferenceJSON, UriOrLocationJSON } from "./json-tree.ts";

/**
 * The base of metadata. Subclass it, attach an instance, find it again by its class.
 *
 * ```tsx
 * import { PromptMetadata, render, UserMessage } from "espalier/prompt";
 *
 * class Used extends PromptMetadata {
 *   constructor(readonly files: string[]) {
 *     super();
 *   }
 * }
 * const { metadata } = await render(
 *   <UserMessage>Why does this fail?<meta value={new Used(["src/app.ts"])} local /></UserMessage>,
 *   { budget: 100 },
 * );
 * metadata.get(Used)?.files; // => ["src/app.ts"]
 * ```
 */
export abstract class PromptMetadata {
  /** Distinguishes metadata from other objects in TypeScript, which compares shapes. */
  readonly _marker: undefined;

  toString(): string {
    return Object.getPrototypeOf(this).constructor.name as string;
  }
}

/** Metadata by class. */
export interface MetadataMap {
  get<T extends PromptMetadata>(key: new (...args: any[]) => T): T | undefined;
  getAll<T extends PromptMetadata>(key: new (...args: any[]) => T): T[];
}

/** Makes maps of metadata: the empty one, and that of a list. */
export const MetadataMap = {
  empty: { get: () => undefined, getAll: () => [] } as MetadataMap,
  from(metadata: readonly PromptMetadata[]): MetadataMap {
    return {
      get: <T extends PromptMetadata>(key: new (...args: any[]) => T) =>
        metadata.find((item): item is T => item instanceof key),
      getAll: <T extends PromptMetadata>(key: new (...args: any[]) => T) =>
        metadata.filter((item): item is T => item instanceof key),
    };
  },
};

/**
 * How much of a reference is in the prompt. The type is any number, as of a numeric enum, so that `{ kind: done ? A : B
 * }` can be assigned. It is no declared enum, since those of the ES module and the CommonJS file would be different
 * types.
 */
export const ChatResponseReferencePartStatusKind = enumeration({ Complete: 1, Partial: 2, Omitted: 3 }) as {
  readonly Complete: number;
  readonly Partial: number;
  readonly Omitted: number;
  readonly [kind: number]: string;
};
export type ChatResponseReferencePartStatusKind = number;
export declare namespace ChatResponseReferencePartStatusKind {
  type Complete = number;
  type Partial = number;
  type Omitted = number;
}

type Anchor = UriShape | Location;
type AnchorLike = UriComponents | LocationLike;
type IconLike = UriComponents | ThemeIcon | { light: UriComponents; dark: UriComponents };
type ReferenceOptions = {
  status?: { description: string; kind: ChatResponseReferencePartStatusKind };
  isFromTool?: boolean;
};

/**
 * A source of the prompt, to be shown to the user.
 *
 * ```tsx
 * import { PromptReference, render, UserMessage } from "espalier/prompt";
 *
 * const used = [new PromptReference({ variableName: "selection" })];
 * const { references } = await render(
 *   <UserMessage>Why does this fail?<references value={used} /></UserMessage>,
 *   { budget: 100 },
 * );
 * references[0]?.anchor; // => { variableName: "selection" }
 * ```
 */
export class PromptReference {
  readonly anchor: Anchor | { variableName: string; value?: Anchor };
  readonly iconPath?: UriShape | ThemeIcon | { light: UriShape; dark: UriShape } | undefined;
  readonly options?: ReferenceOptions | undefined;

  /** Takes VS Code's objects and plain ones with the same fields, and keeps them unchanged. */
  constructor(
    anchor: AnchorLike | { variableName: string; value?: AnchorLike },
    iconPath?: IconLike | undefined,
    options?: ReferenceOptions | undefined,
  ) {
    this.anchor = anchor as PromptReference["anchor"];
    this.iconPath = iconPath as PromptReference["iconPath"];
    this.options = options;
  }

  /** Reads a reference from JSON; addresses become objects again. */
  static fromJSON(json: PromptReferenceJSON): PromptReference {
    const { anchor, iconPath, options } = json;
    const place =
      "variableName" in anchor
        ? { variableName: anchor.variableName, value: anchor.value && placeOf(anchor.value) }
        : placeOf(anchor);
    return referenceTo(place as AnchorLike, iconPath && iconOf(iconPath), options);
  }

  toJSON(): PromptReferenceJSON {
    const { anchor, iconPath, options } = this;
    return { anchor, iconPath, options } as PromptReferenceJSON;
  }
}

// Outside the class: bundlers rename a class that refers to itself.
function referenceTo(...fields: ConstructorParameters<typeof PromptReference>): PromptReference {
  return new PromptReference(...fields);
}

function placeOf(json: UriOrLocationJSON): AnchorLike {
  return "scheme" in json ? Uri.from(json) : { uri: Uri.from(json.uri), range: json.range };
}

function iconOf(json: NonNullable<PromptReferenceJSON["iconPath"]>): IconLike {
  if ("scheme" in json) return Uri.from(json);
  return "light" in json ? { light: Uri.from(json.light), dark: Uri.from(json.dark) } : json;
}

/** Carries references with their nodes. */
export class ReferenceMetadata extends PromptMetadata {
  readonly reference: PromptReference;

  constructor(reference: PromptReference) {
    super();
    this.reference = reference;
  }
}
