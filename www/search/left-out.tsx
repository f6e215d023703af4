/** @jsxImportSource preact */
/** What is not among the hits, and why: hits without room, failures of the index, skipped files. */

import { useState } from "preact/hooks";
import type { IndexState, SearchAnswer } from "../../js/search/types.ts";
import { Details } from "../app/details.tsx";
import { count, number } from "../conversation/words.ts";
import type { Progress } from "./protocol.ts";
import { LEFT_OUT, SKIPPED, byReason, placeOf } from "./words.ts";

/** Max files of a reason that are named. */
const NAMED = 100;

export function LeftOut({ leftOut }: { leftOut: SearchAnswer["leftOut"] }) {
  const [isOpen, setOpen] = useState(false);
  if (leftOut.length === 0) return null;
  return (
    <Details id="left-out" title={`Hits left out (${number(leftOut.length)})`} isOpen={isOpen} onToggle={setOpen}>
      <ul id="left-out" class="plain">
        {leftOut.slice(0, 2 * NAMED).map((hit) => (
          <li key={placeOf(hit)}>
            {placeOf(hit)}: {LEFT_OUT[hit.why]}
          </li>
        ))}
      </ul>
    </Details>
  );
}

/** Failures after which the index continued, newest first. */
export function Warnings({ warnings }: { warnings: IndexState["warnings"] }) {
  const [isOpen, setOpen] = useState(false);
  if (warnings.length === 0) return null;
  return (
    <Details id="warnings" title={`Warnings (${number(warnings.length)})`} isOpen={isOpen} onToggle={setOpen}>
      <ul id="warnings" class="plain">
        {warnings.toReversed().map(({ code, message }, at) => (
          <li key={at}>
            {message} [{code}]
          </li>
        ))}
      </ul>
    </Details>
  );
}

export function Skipped({ progress: { report, state } }: { progress: Progress }) {
  const [isOpen, setOpen] = useState(false);
  const notes = report?.notes ?? [];
  const counts = state?.skipped ?? {};
  const total = Object.values(counts).reduce((sum, files) => sum + files, 0);
  if (total === 0 && notes.length === 0) return null;
  const all = count(Math.max(total, notes.length), "file or folder", "files and folders");
  return (
    <Details id="skipped" title={`Not searched (${all})`} isOpen={isOpen} onToggle={setOpen}>
      <div id="skipped">
        {byReason(notes).map(([reason, group]) => {
          const files = Math.max(counts[reason] ?? 0, group.length);
          return (
            <section key={reason}>
              <h3>
                {SKIPPED[reason] ?? reason}: {number(files)}
              </h3>
              <ul class="plain">
                {group.slice(0, NAMED).map(({ path, detail }) => (
                  <li key={path}>{detail ? `${path} (${detail})` : path}</li>
                ))}
                {files > NAMED && <li>and {number(files - Math.min(NAMED, group.length))} more</li>}
              </ul>
            </section>
          );
        })}
      </div>
    </Details>
  );
}
