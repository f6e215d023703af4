/** Conversations inside of links. */

import type { EncodingName } from "../../js/types/count.ts";
import { viewOf } from "../session.ts";
import type { Open } from "../session.ts";
import { held } from "./held.ts";
import { MAX_LINK, pack, refused, unpack } from "./link.ts";
import type { Questions } from "./questions.ts";
import { requestOf, shapeOf } from "./shape.ts";

export async function openLink(
  { text }: { text: string },
  link: "words" | "shape",
  encoding: EncodingName,
): Promise<Open> {
  const value = await unpack(text);
  if (link === "shape") return { name: "A shared shape", input: requestOf(value, encoding), isShape: true };
  const { name, input } = (value ?? {}) as { name?: unknown; input?: unknown };
  if (typeof name !== "string" || typeof input !== "object") throw refused("This link holds no conversation.");
  return { name, input };
}

export async function linkOf({ what }: Questions["link"][0]): Promise<string> {
  const of = held();
  const text = await pack(
    what === "shape" ? shapeOf(of) : { name: of.open.name, input: viewOf(of.open, of.part).input },
  );
  if (text.length <= MAX_LINK) return text;
  const size = `${Math.ceil(text.length / 1_000)} kB; up to ${MAX_LINK / 1_000} kB are possible.`;
  throw refused(
    what === "words"
      ? `With its words this conversation makes a link of ${size} Share its shape, or save the messages as a file.`
      : `The shape of this conversation makes a link of ${size}`,
  );
}
