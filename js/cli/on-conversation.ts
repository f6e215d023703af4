/** `espalier count | prune | compact | bill | doctor | convert FILE`. */

import { countMessages, prune } from "../entries/verbs.ts";
import type { ProviderName } from "../types/validity.ts";
import { PROVIDERS } from "../validity/providers.ts";
import { ids, oneOf, UsageError, whole } from "./arguments.ts";
import type { Values } from "./arguments.ts";
import { bill, billOptions } from "./bill.ts";
import { compactCommand } from "./compact.ts";
import { writtenAs } from "./convert.ts";
import { doctor, windowOf } from "./doctor.ts";
import { readGiven, viewOf } from "./given.ts";
import type { Given } from "./given.ts";
import { keptLog, runOnLog } from "./log.ts";
import { openFile } from "./opened.ts";
import { needTarget } from "./options.ts";
import { finish, finishWritten, tell } from "./out.ts";
import { shown } from "./report.ts";
import { sessionFacts } from "./shown-session.ts";
import type { Command } from "./table.ts";
import { readText } from "./text.ts";

export async function onConversation(command: Command, file: string, values: Values): Promise<number> {
  const view = viewOf(values) ?? (command === "bill" ? "history" : "live");
  const as = values.to === undefined ? undefined : needTarget(values.to);
  if (command === "convert" && as === undefined) throw new UsageError("espalier convert needs --to NAME");
  const budget = whole(values.budget, "--budget");
  const changesLogOnly = isLogChange(values, budget);
  if ((command === "prune" || command === "compact") && budget === undefined && !changesLogOnly)
    throw new UsageError(`espalier ${command} needs --budget N`);
  const given = await readGiven(file, values, { as, view });
  switch (command) {
    case "count":
      return finish({ report: countMessages(given.input, given.common), ...sessionFacts(given.session) }, values);
    case "bill": {
      const options = billOptions(values, given.session, given.common);
      return bill(given.input, given.list, given.session, options, values);
    }
    case "doctor":
      return doctorCommand(given, values);
    case "convert":
      return convertCommand(given, as!, values);
  }
  const log =
    values.log === undefined || values.plan
      ? undefined
      : {
          file: values.log,
          undo: values.undo,
          redo: values.redo,
          pin: ids(values.pin),
          unpin: ids(values.unpin),
          counting: given.common,
          budget,
        };
  if (log && changesLogOnly)
    return keptLog(await runOnLog(given.input, { ...log, compact: undefined }), values, given.converted);
  return command === "prune" ? pruneCommand(given, budget!, values) : compactCommand(given, budget!, log, values);
}

/** True if the flags change a log and compact nothing. */
function isLogChange(values: Values, budget: number | undefined): boolean {
  const [pin, unpin] = [ids(values.pin), ids(values.unpin)];
  const back = values.undo ? "--undo" : values.redo ? "--redo" : undefined;
  const change = back ?? (unpin.length > 0 ? "--unpin" : undefined);
  if (change !== undefined) {
    if (values.log === undefined) throw new UsageError(`${change} needs --log FILE`);
    if (values.plan)
      throw new UsageError(`--plan only shows the planned changes, but ${change} changes the log; use one of them`);
    if (values.undo && values.redo) throw new UsageError("--undo and --redo exclude each other; use one of them");
  }
  const hasLog = values.log !== undefined && !values.plan;
  return hasLog && (back !== undefined || (budget === undefined && pin.length + unpin.length > 0));
}

function pruneCommand({ input, common, session, converted }: Given, budget: number, values: Values): number {
  const headroom = whole(values.headroom, "--headroom");
  const pruned = prune(input, { ...common, budget, ...(headroom !== undefined && { headroom }) });
  if (!converted) return finish({ ...pruned, ...sessionFacts(session) }, values);
  if (!values.json) tell(shown(pruned.report), values);
  return finishWritten(converted(pruned.messages), values, { report: pruned.report, ...sessionFacts(session) });
}

function doctorCommand({ file, input, session, common }: Given, values: Values): Promise<number> {
  const provider = oneOf(values.provider, "--provider", PROVIDERS) as ProviderName | undefined;
  const window = whole(values.window, "--window") ?? windowOf(session, values.model);
  const options = {
    ...common,
    ...(provider && { provider }),
    ...(window !== undefined && { limits: { maxTokens: window } }),
    openEnd: session !== undefined,
  };
  return doctor(file, input, session, { ...values, window }, options);
}

async function convertCommand({ input, format, converted }: Given, as: string, values: Values): Promise<number> {
  const { session, model } = values;
  if (session === undefined) return finishWritten(converted!(input), values);
  // The messages belong to the session in another file.
  const other = await openFile(session, {});
  return finishWritten(
    writtenAs(input, as, format, other.session, () => readText(session), model),
    values,
  );
}
