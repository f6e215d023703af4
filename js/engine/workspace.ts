/** The exports of the engine that searches. */

import type * as Glue from "#workspace-glue";
import { wasm } from "./engine.ts";

export type WorkspaceWasm = ReturnType<typeof Glue.createGlue>;

/**
 * Returns the exports of the live instance.
 *
 * @throws EspalierError `not_initialized`
 */
export function workspace(): WorkspaceWasm {
  // One module drives all engines; this chunk is linked with the glue of this one.
  return wasm() as unknown as WorkspaceWasm;
}
