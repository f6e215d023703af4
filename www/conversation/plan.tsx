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
      {retention.length > 0 && (
        <table id="quality">
          <caption>Facts that the model still sees</caption>
          <thead>
            <tr>
              <th scope="col">kind</th>
              <th scope="col">total</th>
              <th scope="col">word for word</th>
              <th scope="col">on a line of its own</th>
              <th scope="col">can be looked up</th>
            </tr>
          </thead>
          <tbody>
            {retention.map(({ kind, all, literal, ownLine, recall }) => (
              <tr key={kind}>
                <th scope="row">{words(kind)}</th>
                <td>{number(all)}</td>
                <td>{number(literal)}</td>
                <td>{number(ownLine)}</td>
                <td>{number(recall)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {ledger && ledger.length > 0 && (
        <table id="ledger">
          <caption>Lists of facts in the summary</caption>
          <thead>
            <tr>
              <th scope="col">list</th>
              <th scope="col">lines</th>
              <th scope="col">shortened</th>
              <th scope="col">left out, can be looked up</th>
            </tr>
          </thead>
          <tbody>
            {ledger.map(({ block, lines, shortened, leftOut }) => (
              <tr key={block}>
                <th scope="row">{block}</th>
                <td>{number(lines)}</td>
                <td>{number(shortened)}</td>
                <td>{number(leftOut)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {summary && (
        <section aria-label="The summary">
          <h3>The summary</h3>
          <pre id="summary">{summary}</pre>
        </section>
      )}
    </>
  );
}
