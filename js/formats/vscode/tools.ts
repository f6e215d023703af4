/** Tool definitions of VS Code. */

import type { ToolWriter } from "../tools.ts";

export const writeTool: ToolWriter = ({ name, description = "" }, inputSchema) => ({ name, description, inputSchema });
