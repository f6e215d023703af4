/** Crashes the engine of search and inline context on purpose. */

// @ts-expect-error The bundle has no declarations beside it.
import * as core from "../../../pkg/dist/workspace-core.js";
import type * as Core from "../../../js/entries/chunks/workspace.ts";

const { call, wasm } = core as typeof Core;

export const workspaceForTests = () => ({ crash: () => call(() => wasm().__panicForTests()) });
