/** Options of the package from flags that several commands have. */

import type { CostModelName, EncodingName } from "../types/count.ts";
import type { SessionLayout } from "../sessions/index.ts";
import { UsageError, whole } from "./arguments.ts";
import type { Values } from "./arguments.ts";
import { isLayout } from "./convert.ts";
import type { OpenFlags } from "./opened.ts";
import { FLAGS } from "./table.ts";

/** Returns the options for opening a session file. */
export function openOptions(values: Values): OpenFlags {
  const conversation = whole(values.conversation, "--conversation");
  return {
    ...(values.layout !== undefined && { layout: values.layout as SessionLayout }),
    ...(values["side-chain"] !== undefined && { sideChain: values["side-chain"] }),
    ...(conversation !== undefined && { conversation }),
  };
}

/** Returns the format or layout that --to names. */
export function needTarget(to: string): string {
  const formats: readonly string[] = FLAGS.format.values;
  if (!formats.includes(to) && !isLayout(to))
    throw new UsageError(`--to must be one of ${FLAGS.to.values.join(", ")}, and is ${JSON.stringify(to)}`);
  return to;
}

/** Returns the options for counting. */
export function counting(values: Values) {
  return {
    ...(values.encoding !== undefined && { encoding: values.encoding as EncodingName }),
    ...(values.model !== undefined && { model: values.model }),
    ...(values["cost-model"] !== undefined && { costModel: values["cost-model"] as CostModelName }),
  };
}
