/** The reference's module `util/vs/common/uri`: the addresses that references have outside VS Code. */

import type { UriComponents } from "../prompt/host-types.ts";
import { Uri } from "../prompt/uri.ts";

export type { UriComponents } from "../prompt/host-types.ts";

/** Plain data in which addresses are written as their parts. */
export type UriDto<T> = { [K in keyof T]: T[K] extends Uri ? UriComponents : UriDto<T[K]> };

/** An address. `instanceof` recognises those of every copy of the package, and VS Code's own. */
export class URI extends Uri {
  static override [Symbol.hasInstance](thing: unknown): boolean {
    return Uri.isUri(thing);
  }

  /** Appends to the path, and resolves `.` and `..`. */
  static joinPath(uri: Uri, ...fragments: string[]): Uri {
    if (!uri.path) throw new Error("[UriError]: cannot call joinPath on URI without path");
    const isRooted = uri.path.startsWith("/");
    const names: string[] = [];
    const joined = [uri.path, ...fragments].filter((part) => part !== "").join("/");
    for (const name of joined.split("/")) {
      if (name === "" || name === ".") continue;
      if (name !== ".." || (!isRooted && [undefined, ".."].includes(names.at(-1)))) names.push(name);
      else names.pop();
    }
    const path = `${isRooted ? "/" : ""}${names.join("/")}${joined.endsWith("/") && names.length > 0 ? "/" : ""}`;
    return uri.with({ path: path || "." });
  }

  /** Makes an address from its parts; other falsy values are returned as they are. */
  static revive<T extends UriComponents | undefined | null>(data: T): T extends UriComponents ? Uri : T {
    return (data ? Uri.from(data) : data) as T extends UriComponents ? Uri : T;
  }
}

/** Returns true for the parts of an address. */
export function isUriComponents(thing: unknown): thing is UriComponents {
  if (typeof thing !== "object" || thing === null) return false;
  const { scheme, ...rest } = thing as UriComponents;
  const parts = [rest.authority, rest.path, rest.query, rest.fragment];
  return typeof scheme === "string" && parts.every((part) => part === undefined || typeof part === "string");
}

/** Returns the path as the file system has it; the letter of a drive as it was written if `keepDriveLetterCasing`. */
export function uriToFsPath(uri: Uri, keepDriveLetterCasing: boolean): string {
  const drive = keepDriveLetterCasing && /^\/[A-Za-z](?=:)/.exec(uri.path)?.[0][1];
  return drive && uri.fsPath[1] === ":" ? drive + uri.fsPath.slice(1) : uri.fsPath;
}
