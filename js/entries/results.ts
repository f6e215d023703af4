/** `espalier/results`: makes tool results and tool definitions smaller. */

export { fitResults, jsonSchema, offload } from "../results/truncate.ts";
export type {
  FitOptions,
  JsonSchemaOptions,
  OffloadOptions,
  OffloadEvent,
  Offloaded,
  ResultSize,
} from "../results/truncate.ts";
export { budgetResults, clearResults } from "../results/budget.ts";
export { reduceOutput } from "../results/reduce.ts";
export type { EarlierResult, ReduceOutputOptions, ReducedOutput } from "../results/reduce.ts";
export { fitTools } from "../tools/fit-tools.ts";
export type { FitToolsOptions, FitToolsReport, FittedTools, ToolCut } from "../tools/fit-tools.ts";
export type { ToolLoader } from "../tools/loader.ts";
