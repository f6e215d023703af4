/**
 * Messages without their texts: everything that the rules of providers check, in a few bytes per message.
 * `core/src/validity/thin.rs` reads this form.
 */

import type { NeutralMessage, Part, Role } from "../types/messages.ts";

/** Maximum characters of an image's data that are sent: its first bytes identify its kind. */
const BEGINNING = 128;

const ROLES: Record<Role, string> = { system: "s", developer: "d", user: "u", assistant: "a", tool: "t" };

/** Returns the messages, one line each. */
export function thin(messages: readonly NeutralMessage[]): string {
  let out = "";
  for (const message of messages) out += thinLine(message);
  return out;
}

/** Returns the line of one message. */
export function thinLine({ role, parts }: NeutralMessage): string {
  // The engine refuses an unknown role, with the path of the message.
  let out = ROLES[role] ?? "-";
  for (const part of parts) out += `\t${code(part)}`;
  return `${out}\n`;
}

function code(part: Part): string {
  switch (part.type) {
    case "text":
      return gist(part.text);
    case "reasoning":
      return "?";
    case "cacheMark":
      return "!";
    case "toolCall":
      return `(${field(part.callId)}\x01${field(part.name)}`;
    case "toolResult": {
      let out = `[${field(part.callId)}\x01${part.name === undefined ? "\x02" : field(part.name)}`;
      for (const item of part.content)
        out += `\x01${item.type === "image" || item.type === "document" ? code(item) : "."}`;
      return out;
    }
    case "image":
      return part.data !== undefined ? `#${beginning(part.data)}` : part.url !== undefined ? "#@" : "#0";
    case "document":
      return "D";
    default:
      return ".";
  }
}

const BLANK = /^\p{White_Space}*$/u;
const SPACE_AT_END = /\p{White_Space}$/u;

function gist(text: string): string {
  if (text === "") return "_";
  // Most texts end with a letter or a stop, so most need no regular expression.
  const last = text.charCodeAt(text.length - 1);
  if (last > 32 && last < 127) return "x";
  if (!SPACE_AT_END.test(text.slice(-1))) return "x";
  return BLANK.test(text) ? "_" : ">";
}

/**
 * Returns the beginning of base64 data without the characters that this form uses. Base64 has none of them, so data
 * that changes here is no image anyway.
 */
function beginning(data: string): string {
  const head = data.slice(0, BEGINNING).replace(/[^ -~]/g, " ");
  return head === "@" || head === "0" ? "-" : head;
}

const ODD = /[\x00-\x1f\x7f\u0085\u2028\u2029\\]|\p{Surrogate}/u;
const EACH_ODD = /[\x00-\x1f\x7f\u0085\u2028\u2029\\]|\p{Surrogate}/gu;

/** Escapes a field. As everywhere in the engine, an unpaired surrogate becomes U+FFFD. */
function field(text: string): string {
  if (!ODD.test(text)) return text;
  return text.replace(EACH_ODD, (odd) =>
    /\p{Surrogate}/u.test(odd) ? "\ufffd" : `\\${odd.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
