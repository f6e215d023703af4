/** @jsxImportSource preact */
/** The conversation: which messages stay, which go, and why. */

import { opened } from "../app/state.ts";

export default function Conversation() {
  const thing = opened.value;
  return thing?.kind === "conversation" ? <p>{thing.conversation.count} messages</p> : null;
}
