/** What elements attach to a prompt besides text. */

import type { Location, ThemeIcon, Uri as UriLike, UriComponents } from "./host-types.ts";
import type { PromptReferenceJSON, UriOrLocationJSON } from "./json-tree.ts";
import { Uri } from "./uri.ts";

/** The base of metadata. Subclass it, attach an instance with `<meta value={…} />`, find it again by its class. */
export abstract class PromptMetadata {
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

export const MetadataMap = {
  empty: { get: () => undefined, getAll: () => [] } as MetadataMap,
  from(metadata: readonly PromptMetadata[]): MetadataMap {
    return {
      get: <T extends PromptMetadata>(key: new (...args: any[]) => T) => metadata.find((item): item is T => item instanceof key),
      getAll: <T extends PromptMetadata>(key: new (...args: any[]) => T) => metadata.filter((item): item is T => item instanceof key),
    };
  },
};

export const ChatResponseReferencePartStatusKind = { Complete: 1, Partial: 2, Omitted: 3 } as const;
export type ChatResponseReferencePartStatusKind = 1 | 2 | 3;
export declare namespace ChatResponseReferencePartStatusKind {
  type Complete = 1;
  type Partial = 2;
  type Omitted = 3;
}
Object.assign(ChatResponseReferencePartStatusKind, { 1: "Complete", 2: "Partial", 3: "Omitted" });

type Anchor = UriLike | Location;
type ReferenceOptions = {
  status?: { description: string; kind: ChatResponseReferencePartStatusKind };
  isFromTool?: boolean;
};

/** Something that a prompt was made from, to be shown to the user. */
export class PromptReference {
  readonly anchor: Anchor | { variableName: string; value?: Anchor };
  readonly iconPath?: UriLike | ThemeIcon | { light: UriLike; dark: UriLike } | undefined;
  readonly options?: ReferenceOptions | undefined;

  constructor(anchor: PromptReference["anchor"], iconPath?: PromptReference["iconPath"], options?: ReferenceOptions) {
    this.anchor = anchor;
    this.iconPath = iconPath;
    this.options = options;
  }

  static fromJSON(json: PromptReferenceJSON): PromptReference {
    const { anchor, iconPath, options } = json;
    const named = "variableName" in anchor;
    const value = named ? anchor.value && place(anchor.value) : undefined;
    return new PromptReference(
      named ? { variableName: anchor.variableName, ...(value && { value }) } : place(anchor),
      iconPath && icon(iconPath),
      options,
    );
  }

  toJSON(): PromptReferenceJSON {
    return { anchor: this.anchor, iconPath: this.iconPath, options: this.options } as unknown as PromptReferenceJSON;
  }
}

function place(json: UriOrLocationJSON): Anchor {
  return "scheme" in json ? Uri.from(json) : { uri: Uri.from(json.uri), range: json.range };
}

function icon(json: NonNullable<PromptReferenceJSON["iconPath"]>): PromptReference["iconPath"] {
  if ("scheme" in json) return Uri.from(json as UriComponents);
  if ("light" in json) return { light: Uri.from(json.light), dark: Uri.from(json.dark) };
  return json as ThemeIcon;
}

/** How references travel with the nodes that brought them. */
export class ReferenceMetadata extends PromptMetadata {
  readonly reference: PromptReference;

  constructor(reference: PromptReference) {
    super();
    this.reference = reference;
  }
}
