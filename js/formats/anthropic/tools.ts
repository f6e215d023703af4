/** Tool definitions of Anthropic's Messages. */

import type { ToolWriter } from "../tools.ts";

export const writeTool: ToolWriter = ({ name, description }, schema) => ({
  name,
  ...(description !== undefined && { description }),
  input_schema: { type: "object", ...schema },
});
