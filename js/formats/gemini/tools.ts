/** Tool definitions of Gemini: one of `functionDeclarations`. */

import type { ToolWriter } from "../tools.ts";

export const declaration: ToolWriter = ({ name, description }, schema) => ({
  name,
  ...(description !== undefined && { description }),
  parametersJsonSchema: schema,
});

export const writeTool: ToolWriter = (tool, schema) => ({ functionDeclarations: [declaration(tool, schema)] });
