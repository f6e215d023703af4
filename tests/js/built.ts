/**
 * The built package, typed by its sources: tests run the shipped code. `slim` has all exports of the root and the
 * entries beside it; Node's root registers where the engine is.
 */

import "../../pkg/dist/index-node.js";
// @ts-expect-error The bundle has no declarations beside it.
import * as bundle from "../../pkg/dist/slim.js";
// @ts-expect-error The bundle has no declarations beside it.
import { nodeStorage } from "../../pkg/dist/storage-node.js";
import type * as Sources from "../../js/entries/all.ts";

export const espalier = { ...bundle, nodeStorage } as typeof Sources;
