/** Tool definitions of chat completions and of the Responses API. */

import type { ToolWriter } from "../tools.ts";

export const writeChatTool: ToolWriter = ({ name, description }, parameters) => ({
  type: "function",
  function: { name, ...(description !== undefined && { description }), parameters },
});

export const writeResponsesTool: ToolWriter = ({ name, description }, parameters) => ({
  type: "function",
  name,
  ...(description !== undefined && { description }),
  parameters,
  // Schemas of other providers seldom meet the demands of strict ones.
  strict: false,
});
