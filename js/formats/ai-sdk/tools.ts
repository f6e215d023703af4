/** Tool definitions of the AI SDK. */

import type { ToolWriter } from "../tools.ts";
import type { Fields } from "../values.ts";

/** A value of the object of tools; `execute` is what the SDK calls. */
export const writeTool: ToolWriter = ({ description }, schema, execute) => ({
  ...(description !== undefined && { description }),
  inputSchema: wrapped(schema),
  ...(execute && { execute }),
});

/** The SDK marks its schemas by symbols of the global registry. Without `validate` every input passes. */
function wrapped(jsonSchema: Fields): object {
  return {
    [Symbol.for("vercel.ai.schema")]: true,
    [Symbol.for("vercel.ai.validator")]: true,
    jsonSchema,
    validate: undefined,
  };
}
