/** Reads the FILE of a command about a conversation. */

import { init } from "../entries/verbs.ts";
import type { CostModelName, EncodingName } from "../types/count.ts";
import type { Format } from "../types/messages.ts";
import type { Session, SessionView } from "../sessions/index.ts";
import { oneOf } from "./arguments.ts";
import type { Values } from "./arguments.ts";
import { writtenAs } from "./convert.ts";
import type { Written } from "./convert.ts";
import { openFile } from "./opened.ts";
import { counting, openOptions } from "./options.ts";
import { tell } from "./out.ts";
import { shownSession } from "./shown-session.ts";
import { sourceOf } from "./source.ts";
import { readText } from "./text.ts";

/** A conversation to work on. */
export interface Given {
  file: string;
  /** The input of `count`, `prune` and `compact`, and its list of messages. */
  input: unknown;
  list: readonly unknown[];
  session: Session | undefined;
  format: Format;
  /** Options of all commands. */
  common: { encoding?: EncodingName; model?: string; costModel?: CostModelName; format?: Format };
  /** Writes messages in the form that --to names; absent without it. */
  converted: ((messages: unknown) => Written) | undefined;
}

/** Returns the part of a session that --view names. */
export function viewOf(values: Values): SessionView | undefined {
  return oneOf(values.view, "--view", ["live", "history"]) as SessionView | undefined;
}

/** Reads a conversation and loads the engine. `as` is the format or layout that --to names. */
export async function readGiven(
  file: string,
  values: Values,
  { as, view }: { as: string | undefined; view: SessionView },
): Promise<Given> {
  const { input, session, model } = await openFile(file, { ...openOptions(values), view, format: values.format });
  values.model ??= model;
  await init({ encodings: [] });
  const known = (values.format as Format | undefined) ?? session?.format;
  const common = { ...counting(values), ...(known !== undefined && { format: known }) };
  const { format, list } = sourceOf(input, common.format);
  if (!values.json) {
    if (session) tell(shownSession(session, view), values);
    tell(`format: ${format}${values.format === undefined ? " (detected)" : ""}`, values);
  }
  const original = () => readText(file);
  const converted =
    as === undefined
      ? undefined
      : (messages: unknown) => writtenAs(messages, as, format, session, original, values.model);
  return { file, input, list, session, format, common, converted };
}
