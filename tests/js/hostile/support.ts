/** A prompt tree that needs no component. */

export function memoryTree(): unknown {
  return "Hello.";
}
