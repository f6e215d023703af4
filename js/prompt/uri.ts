/**
 * Addresses that behave like VS Code's, for references from JSON outside VS Code. An address of either kind survives
 * writing and reading.
 */

import type { Uri as UriShape, UriComponents } from "./host-types.ts";

type Change = { [K in keyof UriComponents]?: string | null };

/**
 * An address in its five parts.
 */
export class Uri implements UriShape {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;

  constructor({ scheme, authority, path, query, fragment }: UriComponents) {
    this.scheme = scheme || "file";
    this.authority = authority || "";
    this.path = rooted(this.scheme, path || "");
    this.query = query || "";
    this.fragment = fragment || "";
  }

  /** Makes an address from parts, which are not decoded. */
  static from(components: UriComponents): Uri {
    return components instanceof Uri ? components : new Uri(components);
  }

  /** Parses a text such as `https://example.org/a%20b?c#d`. */
  static parse(value: string): Uri {
    const [, scheme = "", , authority = "", path = "", , query = "", , fragment = ""] = PARTS.exec(value) ?? [];
    return new Uri({
      scheme,
      authority: decoded(authority),
      path: decoded(path),
      query: decoded(query),
      fragment: decoded(fragment),
    });
  }

  /** Makes an address from a path of the file system. */
  static file(path: string): Uri {
    const slashed = isWindows() ? path.replaceAll("\\", "/") : path;
    const [, authority = "", rest = slashed] = /^\/\/([^/]*)(.*)$/s.exec(slashed) ?? [];
    return new Uri({ scheme: "file", authority, path: rest });
  }

  /** Returns true for an address: this class, or another with all members of an address. */
  static isUri(thing: unknown): thing is Uri {
    if (thing instanceof Uri) return true;
    if (typeof thing !== "object" || thing === null) return false;
    const {
      scheme,
      authority,
      path,
      query,
      fragment,
      fsPath,
      with: change,
      toString,
    } = thing as Record<string, unknown>;
    return (
      [scheme, authority, path, query, fragment, fsPath].every((part) => typeof part === "string") &&
      typeof change === "function" &&
      typeof toString === "function"
    );
  }

  /** The path as the file system has it: drive letters in lower case, shares with their server. */
  get fsPath(): string {
    const { authority, path } = this;
    let found = path;
    if (authority && path.length > 1 && this.scheme === "file") found = `//${authority}${path}`;
    else if (/^\/[A-Za-z]:/.test(path)) found = path[1]!.toLowerCase() + path.slice(2);
    return isWindows() ? found.replaceAll("/", "\\") : found;
  }

  /** Returns the address with some parts changed; `null` empties a part. */
  with(change: Change): Uri {
    const parts = { ...this.toJSON() };
    for (const key of ["scheme", "authority", "path", "query", "fragment"] as const) {
      const value = change[key];
      if (value !== undefined) parts[key] = value ?? "";
    }
    const changed = new Uri(parts);
    return changed.toString() === this.toString() ? this : changed;
  }

  /** Returns the address as text, encoded unless `skipEncoding` is set for readability. */
  toString(skipEncoding = false): string {
    const { scheme, query, fragment } = this;
    const encode = skipEncoding ? lightly : strictly;
    const authority = shownAuthority(this.authority, encode);
    const path = this.path.replace(/^\/?[A-Z]:/, (drive) => drive.toLowerCase());
    const slashes = this.authority || scheme === "file" ? "//" : "";
    return `${scheme}:${slashes}${authority}${encode(path, "/")}${query && `?${encode(query)}`}${fragment && `#${skipEncoding ? fragment : encode(fragment)}`}`;
  }

  /** Returns the non-empty parts, with the mark by which VS Code recognises addresses in JSON. */
  toJSON(): UriComponents & { $mid: 1 } {
    const { scheme, authority, path, query, fragment } = this;
    return {
      $mid: 1,
      ...(path && { path }),
      scheme,
      ...(authority && { authority }),
      ...(query && { query }),
      ...(fragment && { fragment }),
    };
  }
}

/** Scheme, authority, path, query, fragment, as the RFC divides addresses. */
const PARTS = /^(?:([^:/?#]+?):)?(\/\/([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?/s;

type Encode = (text: string, keep?: string) => string;

/** Escapes everything but letters, digits, `-._~` and `keep`, slightly more than the RFC demands. */
const strictly: Encode = (text, keep = "") =>
  Array.from(text, (letter) =>
    /[A-Za-z0-9\-._~]/.test(letter) || keep.includes(letter) ? letter : escaped(letter),
  ).join("");

/** Escapes only what would end the part. */
const lightly: Encode = (text) => text.replace(/[#?]/g, escaped);

function escaped(letter: string): string {
  try {
    return encodeURIComponent(letter).replace(
      /[!'()*]/g,
      (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  } catch {
    // Half of a surrogate pair has no encoding.
    return letter;
  }
}

/** User, host and port: the host in lower case. */
function shownAuthority(authority: string, encode: Encode): string {
  const at = authority.lastIndexOf("@");
  const user = at < 0 ? "" : authority.slice(0, at);
  const colon = user.lastIndexOf(":");
  const shownUser =
    at < 0
      ? ""
      : colon < 0
        ? `${encode(user)}@`
        : `${encode(user.slice(0, colon))}:${encode(user.slice(colon + 1), "[]:")}@`;
  const host = authority.slice(at + 1).toLowerCase();
  const port = host.lastIndexOf(":");
  return shownUser + (port < 0 ? encode(host, "[]:") : encode(host.slice(0, port), "[]:") + host.slice(port));
}

/** Addresses of these kinds have a path that begins at the root. */
function rooted(scheme: string, path: string): string {
  return /^(https?|file)$/.test(scheme) && !path.startsWith("/") ? `/${path}` : path;
}

/** Decodes what can be decoded, and leaves broken escapes alone. */
function decoded(text: string): string {
  return text.replace(/(?:%[0-9A-Za-z]{2})+/g, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run.length > 3 ? run.slice(0, 3) + decoded(run.slice(3)) : run;
    }
  });
}

function isWindows(): boolean {
  const host = globalThis as { process?: { platform?: string }; navigator?: { userAgent?: string } };
  return host.process?.platform ? host.process.platform === "win32" : /Windows/.test(host.navigator?.userAgent ?? "");
}
