/** Prepares the output of a tool, in parts (MCP, VS Code), for the model. */

import { image } from "../formats/media.ts";
import { text } from "../formats/parts.ts";
import { isFields, json, string } from "../formats/values.ts";
import type { Fields } from "../formats/values.ts";
import { forModel, NOTHING } from "../formats/audience.ts";
import { vscodePart } from "../formats/vscode/read.ts";
import { EspalierError } from "../errors/errors.ts";
import { bytesOf, IMAGE_BYTES } from "../tokens/images.ts";
import { loading } from "../tokens/loading.ts";
import { withTimeout } from "./storing.ts";
import { reduceOutput } from "./reduce.ts";
import type { EarlierResult } from "./reduce.ts";
import { INLINE_TOKENS, offload, truncate } from "./truncate.ts";
import type { OffloadOptions } from "./truncate.ts";
import type { Part } from "../types/messages.ts";
import { check } from "../options/check.ts";
import { TOOL_CONTENT } from "../options/schemas/results.ts";

export interface ToolContentOptions extends Partial<Omit<OffloadOptions, "onEvent">> {
  /** Max tokens of each text; longer ones are cut. Without it, and without `store`, texts stay whole. */
  maxTokens?: number;
  /**
   * `errors` keeps lines about errors from the removed part: for the output of commands. Default `ends`: only the
   * beginning and the end.
   */
  keep?: "ends" | "errors";
  /**
   * The command line that wrote the texts, or `""` if it is not known: each text is reduced first, as by
   * `reduceOutput`. Default: the texts are no outputs.
   */
  command?: string;
  /** The handle by which the model gets the whole texts; the notes of reduced texts name it. Default: none. */
  recall?: string;
  /** Results that are still in the request, as for `reduceOutput`; needs `command`. Default: none. */
  earlier?: readonly EarlierResult[];
  /** Max bytes of all pictures together: the last ones stay, the others become notes. Default 2,621,440 (2.5 MiB). */
  maxImageBytes?: number;
  /** Returns the text behind a link, or nothing if it cannot be read as text. Without it links are only listed. */
  readResource?: (uri: string, context: { signal: AbortSignal }) => Promise<string | undefined> | string | undefined;
  /** Max number of resources that are shown; if there are more, all of them are only listed. Default 9. */
  maxResources?: number;
  /** Max lines that are shown of each. Default 500. */
  maxResourceLines?: number;
  /** Called when something was stored, or could not be stored or read. Default: none. */
  onEvent?: (event: ToolContentEvent) => void;
}

export type ToolContentEvent =
  | Parameters<NonNullable<OffloadOptions["onEvent"]>>[0]
  | { type: "warning"; code: "resource_failed"; uri: string; error: unknown };

export interface ToolContent {
  /** Texts, pictures and documents of the neutral model: the content of a result. Never empty. */
  content: Part[];
  /** The same as text, for a format that only has texts. */
  text: string;
  isError: boolean;
  /** Number of parts that were not meant for the model. */
  withheld: number;
  /** Number of pictures that became notes. */
  pictures: number;
  /** Links and embedded resources, in order: shown, or only named. */
  resources: { uri: string; shown: boolean }[];
  /** Why storing failed the first time: what `store` threw or rejected with, or an error about its answer. */
  storeError?: unknown;
}

/**
 * Makes the content of a result from a tool's output: drops parts for the user alone, stores or cuts long texts, keeps
 * pictures within the limits of providers, and reads linked resources.
 *
 * ```ts
 * import { toolContent } from "espalier";
 *
 * const result = { // as `client.callTool` of an MCP client returns it
 *   content: [
 *     { type: "text", text: "62 tests passed." },
 *     { type: "resource_link", uri: "file:///log.txt", name: "log.txt" },
 *     { type: "text", text: "Shown to the user.", annotations: { audience: ["user"] } },
 *   ],
 * };
 * const readResource = async (uri: string) => "0 warnings";
 * const { content, isError } = await toolContent(result, { maxTokens: 8_000, readResource });
 * content.map((part) => part.type === "text" && part.text); // => ["62 tests passed.", "[file:///log.txt]\n0 warnings"]
 * isError; // => false
 * ```
 *
 * @param result A text; a list of parts; or an object with such a list as `content`, as tools of MCP and VS Code return
 *   it.
 * @throws EspalierError `bad_input` for any other value, `bad_option`; the reason of `signal` if it is aborted
 */
export async function toolContent(result: unknown, options: ToolContentOptions = {}): Promise<ToolContent> {
  const { maxImageBytes = IMAGE_BYTES, maxResources = 9, signal } = check(options, TOOL_CONTENT);
  signal?.throwIfAborted();
  const items = itemsOf(result);
  const shown = forModel(items, () => ({ type: "text", text: NOTHING }));
  const isListed = shown.filter(isResource).length > maxResources;
  const resources: ToolContent["resources"] = [];
  const parts: Part[] = [];
  for (const item of shown) {
    if (!isResource(item)) {
      parts.push(partOf(item));
      continue;
    }
    const { uri, part } = await resource(item, isListed, options);
    resources.push({ uri, shown: part !== undefined });
    parts.push(part ?? text(listed(item, uri)));
  }
  const { content: light, gone } = withinBytes(parts, maxImageBytes);
  const content: Part[] = [];
  let failure: { storeError: unknown } | undefined;
  for (const part of light) {
    if (part.type !== "text") {
      content.push(part);
      continue;
    }
    const { said, failed } = await shortenText(part.text, options);
    content.push(text(said));
    failure ??= failed;
  }
  const isBlank = content.every((part) => part.type === "text" && part.text.trim() === "");
  if (isBlank) content.splice(0, content.length, text(NOTHING));
  const isError = isFields(result) && result["isError"] === true;
  const seen = new Set(shown);
  const withheld = items.filter((item) => !seen.has(item)).length;
  const all = content.map(inWords).join("\n");
  return { content, text: all, isError, withheld, pictures: gone, resources, ...failure };
}

function itemsOf(result: unknown): readonly unknown[] {
  if (typeof result === "string") return [result];
  if (Array.isArray(result)) return result;
  if (isFields(result) && Array.isArray(result["content"])) {
    const { content, structuredContent } = result;
    // A tool that returns structured data may omit the text.
    return (content as unknown[]).length === 0 && structuredContent !== undefined
      ? [json(structuredContent)]
      : (content as unknown[]);
  }
  throw new EspalierError({
    code: "bad_input",
    message: "result must be a text, a list of parts, or an object with a list as content",
    path: "result",
  });
}

function isResource(item: unknown): item is Fields {
  return (
    isFields(item) && (item["type"] === "resource_link" || (item["type"] === "resource" && isFields(item["resource"])))
  );
}

/** Converts a part of MCP or VS Code. */
function partOf(item: unknown): Part {
  if (typeof item === "string") return text(item);
  if (!isFields(item)) return text(json(item));
  const kind = string(item["mimeType"]);
  switch (item["type"]) {
    case "text":
      return text(item["text"]);
    case "image":
      return typeof item["data"] === "string" ? image(item["data"], kind || undefined) : text(json(item));
    case "audio":
      return text(`[audio left out: ${kind || "of an unknown kind"}]`);
    default: {
      const part = vscodePart(item);
      return part.type === "opaque" ? text(part.json) : part;
    }
  }
}

/** Returns the text of a resource, if it should be shown and can be read. */
async function resource(
  item: Fields,
  isListed: boolean,
  { readResource, maxResourceLines = 500, timeoutMs = 5_000, signal, onEvent }: ToolContentOptions,
): Promise<{ uri: string; part?: Part }> {
  const embedded = isFields(item["resource"]) ? item["resource"] : undefined;
  const uri = string((embedded ?? item)["uri"]);
  if (isListed) return { uri };
  const kind = string((embedded ?? item)["mimeType"]);
  if (embedded && typeof embedded["blob"] === "string")
    return kind.startsWith("image/") ? { uri, part: image(embedded["blob"], kind) } : { uri };
  let said: unknown = embedded?.["text"];
  if (!embedded && readResource) {
    try {
      said = await withTimeout(timeoutMs, signal, (stop) => readResource(uri, { signal: stop }));
    } catch (error) {
      signal?.throwIfAborted();
      onEvent?.({ type: "warning", code: "resource_failed", uri, error });
    }
  }
  return typeof said === "string" ? { uri, part: text(`[${uri}]\n${firstLines(said, maxResourceLines)}`) } : { uri };
}

function listed(item: Fields, uri: string): string {
  const inner = isFields(item["resource"]) ? item["resource"] : item;
  const about = [inner["title"] ?? inner["name"], inner["mimeType"], inner["description"]]
    .map((value) => string(value))
    .filter((value) => value !== "");
  return `[resource: ${[uri, ...about].join(", ")}]`;
}

function firstLines(said: string, most: number): string {
  let end = 0;
  for (let line = 0; line < most; line += 1) {
    const next = said.indexOf("\n", end);
    if (next < 0) return said;
    end = next + 1;
  }
  const left = said
    .slice(end)
    .split("\n")
    .filter((line, at, lines) => at + 1 < lines.length || line !== "").length;
  return left === 0 ? said : `${said.slice(0, end)}[cut: ${left.toLocaleString("en")} lines]`;
}

/** Keeps the last pictures that take at most `most` bytes together, and replaces the others by notes. */
function withinBytes(parts: readonly Part[], most: number): { content: Part[]; gone: number } {
  let [used, gone, isFull] = [0, 0, false];
  const content = parts
    .toReversed()
    .map((part): Part => {
      const bytes = part.type === "image" ? bytesOf(part) : 0;
      if (part.type !== "image" || (!isFull && used + bytes <= most)) {
        used += bytes;
        return part;
      }
      // A picture that is too large by itself does not remove the others.
      isFull ||= bytes <= most;
      gone += 1;
      return text(
        `[image left out: ${part.mediaType ? `${part.mediaType}, ` : ""}${Math.round(bytes / 1024).toLocaleString("en")} KB]`,
      );
    })
    .toReversed();
  return { content, gone };
}

/** Returns a text within its limit: stored if possible, else cut; and why storing failed. */
async function shortenText(
  said: string,
  {
    maxTokens,
    keep,
    command,
    recall,
    earlier,
    readResource: _,
    maxImageBytes: __,
    maxResources: ___,
    maxResourceLines: ____,
    store,
    ...others
  }: ToolContentOptions,
): Promise<{ said: string; failed?: { storeError: unknown } }> {
  const { encoding, profile, maxInlineTokens = INLINE_TOKENS } = others;
  if (command !== undefined || maxTokens !== undefined) await loading({ encoding });
  const counted = encoding && { encoding };
  const reduced =
    command === undefined
      ? undefined
      : reduceOutput(said, {
          command,
          ...counted,
          ...(recall !== undefined && { recall }),
          ...(earlier && { earlier }),
        });
  const isInline = reduced !== undefined && profile !== "copilot-chat" && reduced.tokens <= maxInlineTokens;
  const stored =
    store && !isInline
      ? await offload(said, { ...others, store, ...(maxTokens !== undefined && { maxTokens }) })
      : undefined;
  const failed = stored?.outcome === "truncated" ? { storeError: stored.storeError } : undefined;
  // A reduced output that could not be stored is cut as it would be without a store.
  if (stored && stored.outcome !== "kept" && !(failed && reduced))
    return { said: stored.text, ...(failed && { failed }) };
  const limit = maxTokens ?? (failed && maxInlineTokens);
  const shown = reduced?.text ?? said;
  const short =
    limit === undefined ? shown : truncate(shown, { maxTokens: limit, ...(keep && { keep }), ...counted }).text;
  return { said: short, ...(failed && { failed }) };
}

function inWords(part: Part): string {
  return part.type === "text" ? part.text : `[${part.type}]`;
}
