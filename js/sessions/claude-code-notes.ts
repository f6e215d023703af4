/**
 * What Claude Code adds to a message as an attachment: mentioned files, memory, the editor's selection, changes of
 * files. The model receives them as blocks of the user's message. Lines of newer versions have their texts
 * (`rendered`); lines of older ones have the parts, of which the texts are made here.
 */

import { fields, items, number, objects, text, word } from "./draft.ts";
import type { Fields } from "./draft.ts";

/** Returns the blocks of an attachment with contents; undefined for others, which are short notes or for the screen. */
export function notesOf(attachment: Fields, rendered?: unknown): Fields[] | undefined {
  const made = madeOf(attachment);
  const sent = objects(rendered).map(({ content }) => text(content));
  return made && sent.length > 0 && !sent.includes(undefined)
    ? sent.map((words) => ({ type: "text", text: words }))
    : made;
}

function madeOf(attachment: Fields): Fields[] | undefined {
  const { type } = attachment;
  if (type === "file") return fileOf(attachment);
  const words = wordsOf(attachment);
  return words === undefined ? undefined : [reminder(words)];
}

function wordsOf(attachment: Fields): string | undefined {
  const { type, filename, content } = attachment;
  switch (type) {
    case "edited_text_file":
      return titled(`${word(filename)} was modified:`, attachment["snippet"]);
    case "nested_memory":
      return titled(`Contents of ${word(attachment["path"])}:`, fields(content)["content"]);
    case "instructions": {
      const files = objects(attachment["files"]).flatMap(
        (file) => titled(`Contents of ${word(file["path"])}:\n`, file["content"]) ?? [],
      );
      return files.length === 0 ? undefined : files.join("\n\n");
    }
    case "session_context": {
      const parts = Object.entries(fields(attachment["context"])).flatMap(
        ([name, words]) => titled(`# ${name}`, words) ?? [],
      );
      return parts.length === 0 ? undefined : parts.join("\n");
    }
    case "selected_lines_in_ide":
      return titled(
        `The user selected the lines ${word(attachment["lineStart"])} to ${word(attachment["lineEnd"])} from ${word(filename)}:`,
        content,
      );
    case "plan_file_reference":
      return titled(`The plan in ${word(attachment["planFilePath"])}:`, attachment["planContent"]);
    case "invoked_skills": {
      const skills = objects(attachment["skills"]).flatMap(
        (skill) => titled(`Skill ${word(skill["name"])}:`, skill["content"]) ?? [],
      );
      return skills.length === 0 ? undefined : skills.join("\n\n");
    }
    case "hook_additional_context": {
      const lines = typeof content === "string" ? content : texts(content);
      return titled(`${word(attachment["hookName"])} hook additional context:`, lines);
    }
    case "skill_listing":
      return titled("Skills:", content);
    case "directory":
      return titled(`Contents of ${word(attachment["path"])}:`, content);
    case "agent_listing_delta":
      return titled("Agents:", texts(attachment["addedLines"]));
    case "deferred_tools_delta":
      return titled("Tools on demand:", texts(attachment["addedLines"]) || texts(attachment["addedNames"]));
    case "mcp_instructions_delta":
      return titled("Instructions of MCP servers:", texts(attachment["addedBlocks"]));
    default:
      return undefined;
  }
}

function fileOf({ filename, content }: Fields): Fields[] | undefined {
  const { type, file } = fields(content);
  const { content: body, base64, type: media, startLine } = fields(file);
  const call = `Called the Read tool with the following input: ${JSON.stringify({ file_path: filename })}`;
  if (type === "text" && text(body) !== undefined) {
    const first = number(startLine) ?? 1;
    const numbered = word(body)
      .split("\n")
      .map((line, at) => `${first + at}\t${line}`)
      .join("\n");
    return [reminder(call), reminder(`Result of calling the Read tool:\n${numbered}`)];
  }
  const kind = type === "image" ? "image" : type === "pdf" ? "document" : undefined;
  if (kind === undefined || text(base64) === undefined) return undefined;
  const source = { type: "base64", media_type: text(media) ?? "application/pdf", data: base64 };
  return [reminder(call), { type: kind, source }];
}

function texts(list: unknown): string {
  return items(list).map(word).join("\n");
}

function titled(title: string, body: unknown): string | undefined {
  return text(body) === undefined ? undefined : `${title}\n${word(body)}`;
}

function reminder(words: string): Fields {
  return { type: "text", text: `<system-reminder>\n${words}\n</system-reminder>` };
}
