/** @jsxImportSource preact */
/** How a compaction came to its result: the steps, the facts that stay, the summary. */

import { words } from "../../js/cli/report.ts";
import type { Ran } from "../worker/questions.ts";
import { number } from "./words.ts";

export function Plan({ plan: { steps, summary, quality, ledger } }: { plan: NonNullable<Ran["plan"]> }) {
  const retention = (quality?.retention ?? []).filter(({ all }) => all > 0);
  return (
    <>
      <h3>Steps</h3>
      <ol id="steps">
        {steps.map(({ step, outcome, tokensBefore, tokensAfter, why }) => (
          <li key={step}>
            {step}: {outcome.replace("_", " ")}, {number(tokensBefore)} → {number(tokensAfter)} tokens: {why}
          </li>
        ))}
      </ol>
      <Facts
        id="quality"
        caption="Facts that the model still sees"
        columns={["kind", "total", "word for word", "on a line of its own", "can be looked up"]}
        rows={retention.map(({ kind, all, literal, ownLine, recall }) => [words(kind), all, literal, ownLine, recall])}
      />
      <Facts
        id="ledger"
        caption="Lists of facts in the summary"
        columns={["list", "lines", "shortened", "left out, can be looked up"]}
        rows={(ledger ?? []).map(({ block, lines, shortened, leftOut }) => [block, lines, shortened, leftOut])}
      />
      {summary && (
        <section aria-label="The summary">
          <h3>The summary</h3>
          <pre id="summary">{summary}</pre>
        </section>
      )}
    </>
  );
}

interface FactsProps {
  id: string;
  caption: string;
  columns: readonly string[];
  /** A name and its numbers; the table is absent if there are none. */
  rows: readonly (readonly [name: string, ...numbers: number[]])[];
}

function Facts({ id, caption, columns, rows }: FactsProps) {
  if (rows.length === 0) return null;
  return (
    <table id={id}>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, ...numbers]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {numbers.map((value, at) => (
              <td key={columns[at + 1]}>{number(value)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
