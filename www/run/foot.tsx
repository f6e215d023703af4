/** @jsxImportSource preact */
/** The sums of a run, and of two with their differences. */

import { sides, version } from "./store.ts";
import { totalsOf } from "./totals.ts";
import type { Totals } from "./types.ts";

const number = (value: number) => value.toLocaleString("en");
const seconds = (ms: number) => `${number(Math.round(ms / 1_000))} s`;

interface Figure {
  label: string;
  of(totals: Totals): number;
  write?(value: number): string;
  /** True if less is better, false if more is; absent if neither. */
  lessIsBetter?: boolean;
}

const FIGURES: readonly Figure[] = [
  { label: "tokens sent in all", of: ({ sent }) => sent, lessIsBetter: true },
  { label: "read from the cache", of: ({ cached }) => cached },
  { label: "sent without the cache", of: ({ sent, cached }) => sent - cached, lessIsBetter: true },
  { label: "summaries applied", of: ({ summaries }) => summaries },
  { label: "requests to the model", of: ({ calls }) => calls, lessIsBetter: true },
  { label: "waits", of: ({ waits }) => waits, lessIsBetter: true },
  { label: "time waited", of: ({ waited }) => waited, write: seconds, lessIsBetter: true },
  { label: "requests cut", of: ({ trimmed }) => trimmed, lessIsBetter: true },
  { label: "requests that do not fit", of: ({ failed }) => failed, lessIsBetter: true },
  { label: "kept word for word at the end", of: ({ whole }) => whole, lessIsBetter: false },
];

export function Foot() {
  version.value;
  const all = sides.value.map((side) => totalsOf(side));
  const [a, b] = all;
  if (!a) return null;
  return (
    <section class="foot" aria-labelledby="run-sums-title">
      <h2 id="run-sums-title">In all</h2>
      <table id="run-sums">
        <thead>
          <tr>
            <td />
            <th scope="col">{b ? "A" : "Run"}</th>
            {b && <th scope="col">B</th>}
            {b && <th scope="col">B − A</th>}
          </tr>
        </thead>
        <tbody>
          {FIGURES.map(({ label, of, write = number, lessIsBetter }) => {
            const [first, second] = [of(a), b ? of(b) : 0];
            const delta = second - first;
            const isBetter = lessIsBetter === undefined || delta === 0 ? undefined : delta < 0 === lessIsBetter;
            return (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td>{write(first)}</td>
                {b && <td>{write(second)}</td>}
                {b && (
                  <td class={isBetter === undefined ? "" : isBetter ? "better" : "worse"}>
                    {delta === 0 ? "0" : `${delta > 0 ? "+" : "−"}${write(Math.abs(delta))}`}
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
