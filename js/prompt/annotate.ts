/** Adds the place in the prompt to errors. */

import { EspalierError } from "../errors/errors.ts";
import { pathOf } from "./render-tree.ts";
import type { RenderNode } from "./render-tree.ts";

const annotated = new WeakSet<Error>();

/** Adds the path of the element to an error, once. Cancellations are expected and stay unchanged. */
export function annotate(error: unknown, node: RenderNode): unknown {
  if (
    !(error instanceof Error) ||
    annotated.has(error) ||
    error.constructor.name === "CancellationError" ||
    error.name === "AbortError"
  )
    return error;
  // The reference's own message already contains the path.
  if (error instanceof EspalierError && error.path && error.message.endsWith(` at ${error.path}`)) return error;
  annotated.add(error);
  try {
    // Elements do not know where they are.
    if (error instanceof EspalierError && error.code === "bad_element" && !error.path)
      Object.assign(error, { path: pathOf(node) });
    error.message += ` (at tsx element ${pathOf(node)})`;
  } catch {
    // A host's error may be read-only; its message stays as it is.
  }
  return error;
}

/** Makes an error about an author's mistake, with the path of the element. */
export function badElement(message: string, node: RenderNode): EspalierError {
  const path = pathOf(node);
  return annotate(new EspalierError({ code: "bad_element", message, path }), node) as EspalierError;
}
