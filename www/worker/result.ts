/** The request as it would be sent, in the format of the file. */

import { prune } from "../../js/calls/prune.ts";
import { convert } from "../../js/formats/convert.ts";
import { viewOf } from "../session.ts";
import { held, isEdited, pinsOf } from "./held.ts";
import type { Questions } from "./questions.ts";
import { fullRun } from "./runs.ts";

export async function result({ run }: Questions["result"][0]): Promise<string> {
  const of = held();
  const ran = await fullRun(run);
  const { format } = of.reading;
  if (ran.mode === "prune" && !isEdited(of)) {
    const { input, options } = viewOf(of.open, of.part);
    const { messages } = prune(input, { ...options, budget: ran.budget, encoding: of.encoding, keep: pinsOf(of) });
    return JSON.stringify(messages, null, 1);
  }
  const { messages } = convert([...ran.sent.values()], format, { from: "espalier" });
  return JSON.stringify(messages, null, 1);
}
