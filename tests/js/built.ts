/** The built package, typed by its sources: tests run what is shipped. */

// @ts-expect-error The bundle has no declarations beside it; tests/packaging checks those of the package.
import * as bundle from "../../pkg/dist/node.js";
import type * as Sources from "../../js/entries/node.ts";

export const espalier = bundle as typeof Sources;
