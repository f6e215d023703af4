/** Anthropic: signatures and place of thoughts, cache marks, tools that the server runs. */

import { isFields } from "../values.ts";
import type { Fields } from "../values.ts";
import { checkServed } from "./served.ts";
import { isSigned, isThought } from "./thoughts.ts";
import { pictureType } from "../media.ts";
import type { Place } from "../place.ts";
import { choices, extraFields, looked, REMOVE } from "../checks.ts";
import { isPlaceOfSystem, takesSystemMessages } from "./system.ts";
import type { Request, WireCheck, WireFinding } from "../checks.ts";

/** Marks that one request may have. */
export const MAX_MARKS = 4;

const choice = choices(["tool_choice"]);

/** Fields of a message, and those of system messages alone: `MessageParam` and `BetaMessageParam` of the SDK's 1.14. */
const FIELDS: ReadonlySet<string> = new Set(["role", "content"]);
const OF_SYSTEM: ReadonlySet<string> = new Set(["clear_at", "output_config"]);

type Find = (finding: WireFinding) => void;

export const check: WireCheck = (request, find) => {
  choice(request, find);
  const takesSystem = takesSystemMessages(request.model);
  for (const [index, message] of looked(request)) {
    const isSystem = message["role"] === "system";
    extraFields(index, message, (name) => FIELDS.has(name) || (isSystem && OF_SYSTEM.has(name)), find);
    if (isSystem && !(takesSystem && isPlaceOfSystem(request.list, index)))
      find({
        rule: "role",
        index,
        place: ["role"],
        message: takesSystem
          ? "a system message follows a message of the user, and comes last or before the assistant"
          : "the system prompt belongs beside the messages",
        fix: { set: "user" },
      });
    if (!Array.isArray(message["content"])) continue;
    const blocks = message["content"] as Fields[];
    thoughts(index, message["role"] === "assistant", blocks, find);
    pictures(index, blocks, ["content"], find);
  }
  checkServed(request.list, find);
  marks(request, find);
};

/** Thoughts are sealed by the server that had them, and come before anything else. */
function thoughts(index: number, byAssistant: boolean, blocks: readonly Fields[], find: Find): void {
  // What has to go anyway does not count as the first.
  const first = blocks.find((block) => !isThought(block) || isSigned(block));
  for (const [at, block] of blocks.entries()) {
    if (!isThought(block)) continue;
    const place = ["content", at];
    if (!byAssistant) find({ rule: "thought-role", index, place, message: "only the assistant thinks", fix: REMOVE });
    else if (!isSigned(block))
      find({
        rule: "thought-signature",
        index,
        place,
        message: "a thought is refused without its signature",
        fix: REMOVE,
      });
    else if (!isThought(first!))
      find({
        rule: "thought-first",
        index,
        place,
        message: "a message that has thoughts begins with one",
        fix: REMOVE,
      });
  }
}

/**
 * Finds pictures of another type than they say: "The image was specified using the image/jpeg media type, but the image
 * appears to be a image/png image", says the server. It knows no `image/jpg`.
 */
function pictures(index: number, blocks: readonly unknown[], place: Place, find: Find): void {
  for (const [at, block] of blocks.entries()) {
    if (!isFields(block)) continue;
    if (block["type"] === "tool_result" && Array.isArray(block["content"]))
      pictures(index, block["content"], [...place, at, "content"], find);
    const { source } = block;
    if (block["type"] !== "image" || !isFields(source) || source["type"] !== "base64") continue;
    const { data, media_type: said } = source;
    const type = typeof data === "string" && pictureType(data);
    if (!type || said === type) continue;
    find({
      rule: "image-type",
      index,
      place: [...place, at, "source", "media_type"],
      message: `the picture is ${type}, not ${String(said)}, and refused`,
      fix: { set: type },
    });
  }
}

/** A mark, and what carries it. */
interface Mark {
  index?: number;
  place: Place;
  carrier: Fields;
  nested: boolean;
}

function marks({ list, fields }: Request, find: Find): void {
  const all: Mark[] = [];
  const look = (blocks: unknown, at: Place, index?: number, nested = false) => {
    if (!Array.isArray(blocks)) return;
    for (const [number, block] of (blocks as unknown[]).entries()) {
      if (!isFields(block)) continue;
      const place = [...at, number];
      // What a result holds comes before the mark on the result itself.
      if (block["type"] === "tool_result" && !nested) look(block["content"], [...place, "content"], index, true);
      if (block["cache_control"])
        all.push({ ...(index !== undefined && { index }), place: [...place, "cache_control"], carrier: block, nested });
    }
  };
  look(fields?.["tools"], ["tools"]);
  look(fields?.["system"], ["system"]);
  for (const [index, message] of list.entries()) look(message["content"], ["content"], index);

  const report = (rule: string, { index, place }: Mark, message: string, within: Place = []) =>
    find({ rule, ...(index !== undefined && { index }), place: [...place, ...within], message, fix: REMOVE });
  const good = all.filter((mark) => {
    const why = misplaced(mark);
    if (why) report("mark-place", mark, why);
    return !why;
  });
  // What is oldest in the messages helps least: tools and system hold longer.
  let over = good.length - MAX_MARKS;
  const kept = good.filter((mark) => {
    if (over <= 0 || mark.index === undefined) return true;
    over--;
    report("mark-count", mark, `${MAX_MARKS} marks are the most that a request may have`);
    return false;
  });
  for (const mark of kept.splice(MAX_MARKS))
    report("mark-count", mark, `${MAX_MARKS} marks are the most that a request may have`);
  let short = false;
  for (const mark of kept) {
    const control = mark.carrier["cache_control"];
    const long = isFields(control) && control["ttl"] === "1h";
    if (long && short) report("mark-order", mark, "longer lifetimes come before shorter ones", ["ttl"]);
    short ||= !long;
  }
}

function misplaced({ carrier, nested }: Mark): string | undefined {
  if (isThought(carrier)) return "thoughts take no marks";
  if (nested) return "a result carries its mark itself";
  if (carrier["type"] === "text" && typeof carrier["text"] === "string" && carrier["text"].trim() === "")
    return "an empty text takes no mark";
  return carrier["defer_loading"] === true ? "tools that are loaded later take no marks" : undefined;
}
