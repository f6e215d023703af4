/** Compacts the open conversation, and says at which sizes that would have begun. Loaded with the first compaction. */

import { compactMessages } from "../../js/calls/compact.ts";
import { profile } from "../../js/calls/profile.ts";
import type { Pruner } from "../../js/calls/pruner.ts";
import type { CompactReport, Edit } from "../../js/types/compact-report.ts";
import type { NeutralMessage } from "../../js/types/messages.ts";
import { givenProfile } from "../parts/profile-text.ts";
import { linesOf } from "../run/lines.ts";
import type { Lines } from "../run/types.ts";
import { isEdited, pinsOf } from "./held.ts";
import type { Held } from "./held.ts";

interface Compacted {
  messages: readonly NeutralMessage[];
  report: CompactReport;
  edits: Edit[];
  lines: Lines;
}

export async function compactAt(
  of: Held,
  messages: readonly NeutralMessage[],
  budget: number,
  given: string,
  pruner: Pruner,
): Promise<Compacted> {
  const own = profile(givenProfile(given));
  const asked = {
    budget,
    encoding: of.encoding,
    format: "espalier" as const,
    tools: of.reading.tools,
    profile: own,
    keep: pinsOf(of),
    // After an applied plan the view is shown as it is, as long as it fits.
    force: !isEdited(of),
  };
  // Without a provider, no rules change anything.
  const { repaired: _, ...result } = await compactMessages([...messages], asked, pruner);
  const { frame, tools } = result.report.before;
  return { ...result, lines: linesOf(own, budget, budget - frame - tools, true) };
}
