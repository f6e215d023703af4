/** Messages: the top-level elements of a prompt. Text outside a message is refused. */

import { isOf, mark } from "../brand.ts";
import { PromptElement } from "../element.ts";
import { ChatRole } from "../../formats/raw/prompt.ts";
import { createPiece, Fragment } from "../piece.ts";
import type { KeepWithCtor } from "./keep-with.ts";
import type { BasePromptElementProps, PromptPiece } from "../piece.ts";

export interface ChatMessageProps extends BasePromptElementProps {
  /** The role. Default: by the element's name. */
  role?: ChatRole;
  /** Distinguishes participants with the same role. */
  name?: string;
}

/** The base class of all messages. */
export class BaseChatMessage<T extends ChatMessageProps = ChatMessageProps> extends PromptElement<T> {
  static {
    mark(this, "BaseChatMessage");
  }

  render(): PromptPiece {
    return createPiece(Fragment, null, this.props.children);
  }
}

/** Instructions. */
export class SystemMessage extends BaseChatMessage {
  static {
    mark(this, "SystemMessage");
  }

  constructor(props: ChatMessageProps) {
    super(withRole(props, ChatRole.System));
  }
}

/** A message of the user. */
export class UserMessage extends BaseChatMessage {
  static {
    mark(this, "UserMessage");
  }

  constructor(props: ChatMessageProps) {
    super(withRole(props, ChatRole.User));
  }
}

export interface ToolFunction {
  /** JSON. */
  arguments: string;
  name: string;
}

export interface ToolCall {
  id: string;
  function: ToolFunction;
  type: "function";
  /** The element from `useKeepWith()` that wraps the result: when the result is pruned, the call goes with it. */
  keepWith?: KeepWithCtor;
}

export interface AssistantMessageProps extends ChatMessageProps {
  /** The tool calls of the message. Default: none. */
  toolCalls?: ToolCall[];
}

/** A message of the model, with its tool calls. */
export class AssistantMessage extends BaseChatMessage<AssistantMessageProps> {
  static {
    mark(this, "AssistantMessage");
  }

  constructor(props: AssistantMessageProps) {
    super(withRole(props, ChatRole.Assistant));
  }
}

export interface ToolMessageProps extends ChatMessageProps {
  /** The id of the call that this answers. */
  toolCallId: string;
}

/** The result of a tool. */
export class ToolMessage extends BaseChatMessage<ToolMessageProps> {
  static {
    mark(this, "ToolMessage");
  }

  constructor(props: ToolMessageProps) {
    super(withRole(props, ChatRole.Tool));
  }
}

export type ChatMessagePromptElement = SystemMessage | UserMessage | AssistantMessage;

/** Returns true if an element is a system, user or assistant message. (Tool results do not count.) */
export function isChatMessagePromptElement(element: unknown): element is ChatMessagePromptElement {
  return isOf(element, "SystemMessage") || isOf(element, "UserMessage") || isOf(element, "AssistantMessage");
}

/** Sets the role in the caller's props, where renderers look for it; copies props that are read-only. */
function withRole<P extends ChatMessageProps>(props: P, role: ChatRole): P {
  return Reflect.set(props, "role", role) ? props : { ...props, role };
}
