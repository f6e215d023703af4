/** @jsxImportSource preact */
/** The fields in which two profiles differ. */

import { useEffect, useState } from "preact/hooks";
import type { ProfileDifference } from "../../js/types/profile.ts";
import { profileTitle } from "../parts/profile-text.ts";
import { askRun } from "./store.ts";

export function Profiles({ a, b }: { a: string; b: string }) {
  const [rows, setRows] = useState<readonly ProfileDifference[]>([]);
  useEffect(() => {
    let isOver = false;
    askRun("differences", { a, b }).then(
      (answer) => !isOver && setRows(answer),
      () => undefined,
    );
    return () => void (isOver = true);
  }, [a, b]);
  if (rows.length === 0) return null;
  const names = [a, b].map(profileTitle);
  return (
    <details class="profiles">
      <summary>
        {rows.length} fields of {names.join(" and ")} differ
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls. */}
      <section tabIndex={0} aria-label="fields of the profiles">
        <table>
          <thead>
            <tr>
              <th scope="col">field</th>
              <th scope="col">{names[0]}</th>
              <th scope="col">{names[1]}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ field, a: first, b: second }) => (
              <tr key={field}>
                <th scope="row">{field}</th>
                <td>{valueOf(first)}</td>
                <td>{valueOf(second)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}

/** Characters of a value: the sections of a record are long. */
const MAX = 120;

function valueOf(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > MAX ? `${text.slice(0, MAX)}…` : text;
}
