/** `espalier/results`: makes tool results smaller. */

export { fitResults, jsonSchema, offload } from "../results/truncate.ts";
export type { FitOptions, OffloadOptions, OffloadEvent, Offloaded, ResultSize } from "../results/truncate.ts";
export { budgetResults, clearResults } from "../results/budget.ts";
export { reduceOutput } from "../results/reduce.ts";
export type { ReduceOutputOptions, ReducedOutput } from "../results/reduce.ts";
