/** An address as VS Code writes it: just enough of it for references that were read from JSON. */

import type { Uri as UriLike, UriComponents } from "./host-types.ts";

/** Characters that stay as they are; the same set in every part, as VS Code does it. */
const PLAIN = /[A-Za-z0-9\-._~/]/;

export class Uri implements UriLike {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;

  private constructor({ scheme, authority = "", path = "", query = "", fragment = "" }: UriComponents) {
    this.scheme = scheme;
    this.authority = authority;
    this.path = path;
    this.query = query;
    this.fragment = fragment;
  }

  static from(components: UriComponents): Uri {
    return components instanceof Uri ? components : new Uri(components);
  }

  /** The path as the file system writes it: drive letters in lower case, `//server/share` for shares. */
  get fsPath(): string {
    const { authority, path } = this;
    if (authority && path.length > 1 && this.scheme === "file") return `//${authority}${path}`;
    const drive = /^\/([A-Za-z]):/.exec(path);
    return drive ? `${drive[1]!.toLowerCase()}${path.slice(2)}` : path;
  }

  with(change: Partial<UriComponents>): Uri {
    return new Uri({ ...this.toJSON(), ...change });
  }

  toString(skipEncoding = false): string {
    const encode = skipEncoding ? (text: string) => text.replace(/[#?]/g, encodeURIComponent) : strict;
    const { scheme, authority, path, query, fragment } = this;
    const slashes = authority || scheme === "file" ? "//" : "";
    const lower = path.replace(/^\/([A-Z]):/, (_, letter: string) => `/${letter.toLowerCase()}:`);
    return (
      `${scheme ? `${scheme}:` : ""}${slashes}${encode(authority.toLowerCase())}${encode(lower)}` +
      `${query && `?${encode(query)}`}${fragment && `#${skipEncoding ? fragment : strict(fragment)}`}`
    );
  }

  toJSON(): UriComponents {
    const { scheme, authority, path, query, fragment } = this;
    return { scheme, ...(authority && { authority }), ...(path && { path }), ...(query && { query }), ...(fragment && { fragment }) };
  }
}

function strict(text: string): string {
  let out = "";
  for (const letter of text) out += PLAIN.test(letter) ? letter : encodeURIComponent(letter).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return out;
}
