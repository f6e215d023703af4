/** Builds raw messages from the core's lists, with the host's own strings and values. */

import { ChatCompletionContentPartKind, ChatRole } from "../formats/raw/prompt.ts";
import type { ChatCompletionContentPart, ChatMessage } from "../formats/raw/prompt.ts";
import { partOf } from "./parts.ts";
import type { ElementNode, RenderNode } from "./render-tree.ts";

/** Reads the message at index `at` of the list; returns it and the index after it. */
export function readMessage(
  list: Float64Array,
  at: number,
  nodes: readonly RenderNode[],
): { message: ChatMessage; next: number } {
  const node = nodes[list[at++]!] as ElementNode;
  const droppedEnd = at + 1 + list[at]!;
  const dropped = list.subarray(at + 1, droppedEnd);
  at = droppedEnd;
  const end = at + 1 + list[at]!;
  const content: ChatCompletionContentPart[] = [];
  let texts: string[] | undefined;
  const close = () => {
    if (texts) content.push({ type: ChatCompletionContentPartKind.Text, text: texts.join("") });
    texts = undefined;
  };
  for (at++; at < end; at++) {
    const breaks = list[at]! % 2;
    const leaf = nodes[(list[at]! - breaks) / 2]!;
    if (leaf.type === "text") {
      texts ??= [];
      if (breaks) texts.push("\n");
      texts.push(leaf.text);
    } else {
      close();
      content.push(partOf(leaf));
    }
  }
  close();
  return { message: rawMessage(node, content, dropped), next: end };
}

/** Reads all messages of a list from index `from` on. */
export function readMessages(list: Float64Array, nodes: readonly RenderNode[], from = 0): ChatMessage[] {
  const messages: ChatMessage[] = [];
  for (let at = from; at < list.length; ) {
    const { message, next } = readMessage(list, at, nodes);
    messages.push(message);
    at = next;
  }
  return messages;
}

function rawMessage(
  { props, calls, toolCallId }: ElementNode,
  content: ChatCompletionContentPart[],
  dropped: ArrayLike<number>,
): ChatMessage {
  const role = props.role as ChatRole;
  const name = props.name ? { name: props.name as string } : {};
  switch (role) {
    case ChatRole.Assistant: {
      const left = dropped.length ? calls?.filter((_, at) => !Array.prototype.includes.call(dropped, at)) : calls;
      const toolCalls = left?.map(({ id, function: called, type }) => ({ function: called, id, type }));
      return { role, content, ...name, ...(toolCalls?.length && { toolCalls }) };
    }
    case ChatRole.Tool:
      return { role, content, toolCallId: toolCallId as string };
    case ChatRole.System:
    case ChatRole.User:
      return { role, content, ...name };
    default:
      return { role, content, name: props.name } as unknown as ChatMessage;
  }
}

/** Returns a message of an element's kind without content, as layout counts it. */
export function emptyMessage({ props }: ElementNode): ChatMessage {
  const { role, name, toolCalls, toolCallId } = props;
  return {
    role,
    content: [],
    ...(name ? { name } : undefined),
    ...(toolCalls ? { toolCalls } : undefined),
    ...(toolCallId ? { toolCallId } : undefined),
  } as ChatMessage;
}
