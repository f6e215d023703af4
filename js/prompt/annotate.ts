/** Where in a prompt something went wrong. */

import { EspalierError } from "../errors/errors.ts";
import { pathOf } from "./render-tree.ts";
import type { RenderNode } from "./render-tree.ts";

const annotated = new WeakSet<Error>();

/** Adds the path of the element to an error, once. Cancellations are expected, and stay as they are. */
export function annotate(error: unknown, node: RenderNode): unknown {
  if (
    !(error instanceof Error) ||
    annotated.has(error) ||
    error.constructor.name === "CancellationError" ||
    error.name === "AbortError"
  )
    return error;
  // The reference words this one with the path already.
  if (error instanceof EspalierError && error.path && error.message.endsWith(` at ${error.path}`)) return error;
  annotated.add(error);
  try {
    error.message += ` (at tsx element ${pathOf(node)})`;
  } catch {
    // A host's error may refuse to be written to; it still says what it said.
  }
  return error;
}

/** An error of an author, with the path of the element. */
export function badElement(message: string, node: RenderNode): EspalierError {
  const path = pathOf(node);
  return annotate(new EspalierError({ code: "bad_element", message, path }), node) as EspalierError;
}
