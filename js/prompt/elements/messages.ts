/** Messages: the elements that a prompt consists of. Text outside of one is refused. */

import { isOf, mark } from "../brand.ts";
import { PromptElement } from "../element.ts";
import { ChatRole } from "../../formats/raw/prompt.ts";
import { createPiece, Fragment } from "../piece.ts";
import type { KeepWithCtor } from "./keep-with.ts";
import type { BasePromptElementProps, PromptPiece } from "../piece.ts";

export interface ChatMessageProps extends BasePromptElementProps {
  /** Who speaks. Default: as the element's name says. */
  role?: ChatRole;
  /** Tells participants of one role apart. */
  name?: string;
}

/** What all messages have in common. */
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

/** What the user says. */
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
  /** The calls of the message. Default: none. */
  toolCalls?: ToolCall[];
}

/** What the model said and which tools it called. */
export class AssistantMessage extends BaseChatMessage<AssistantMessageProps> {
  static {
    mark(this, "AssistantMessage");
  }

  constructor(props: AssistantMessageProps) {
    super(withRole(props, ChatRole.Assistant));
  }
}

export interface ToolMessageProps extends ChatMessageProps {
  /** The call that this answers. */
  toolCallId: string;
}

/** What a tool returned. */
export class ToolMessage extends BaseChatMessage<ToolMessageProps> {
  static {
    mark(this, "ToolMessage");
  }

  constructor(props: ToolMessageProps) {
    super(withRole(props, ChatRole.Tool));
  }
}

export type ChatMessagePromptElement = SystemMessage | UserMessage | AssistantMessage;

/**
 * Whether an element is a message of the system, the user or the assistant. (Results of tools do not count as such.)
 */
export function isChatMessagePromptElement(element: unknown): element is ChatMessagePromptElement {
  return isOf(element, "SystemMessage") || isOf(element, "UserMessage") || isOf(element, "AssistantMessage");
}

/**
 * The role belongs into the caller's props, where renderers look for it; props that cannot be written to are copied.
 */
function withRole<P extends ChatMessageProps>(props: P, role: ChatRole): P {
  return Reflect.set(props, "role", role) ? props : { ...props, role };
}
