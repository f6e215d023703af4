/** @jsxImportSource preact */
/** What is below the panes of a source file: the removed ranges, the outline, a change and its ladder. */

import type { Definition } from "../../js/documents/outline.ts";
import { count, number } from "../conversation/words.ts";
import type { Gap, Outlined, Reduced } from "./protocol.ts";

export function Gaps({ gaps, choose }: { gaps: readonly Gap[]; choose(index: number): void }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it.
    <section class="scroll" tabIndex={0} aria-labelledby="gaps-title">
      <table id="gaps">
        <thead>
          <tr>
            <th>lines</th>
            <th class="count">tokens</th>
            <th>what</th>
            <th>to get it back</th>
          </tr>
        </thead>
        <tbody>
          {gaps.map(({ lines: [first, last], tokens, kind, names, handle }, index) => (
            <tr key={`${first}-${last}`}>
              <td>
                <button
                  type="button"
                  aria-label={`show ${first === last ? first : `${first}-${last}`}`}
                  onClick={() => choose(index)}
                >
                  {first === last ? first : `${first}-${last}`}
                </button>
              </td>
              <td class="count">{number(tokens)}</td>
              <td>{names.join(", ") || kind.replaceAll("_", " ") || "text"}</td>
              <td>
                <code>{handle}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface OutlineProps {
  outlined: Outlined;
  gaps: readonly Gap[];
  choose(definition: Definition): void;
}

export function Outline({ outlined, gaps, choose }: OutlineProps) {
  return (
    <>
      <p class="note">
        Choose a definition to put the cursor there. <span class="gone">Struck through</span>: missing in the summary.
      </p>
      <ol id="outline" class="pick">
        {flat(outlined.definitions).map(({ definition, depth }) => {
          const { name, kind, line, endLine, start, end } = definition;
          const isGone = gaps.some(({ range }) => range[0] <= start && end <= range[1]);
          return (
            <li key={`${start}-${depth}`}>
              <button type="button" onClick={() => choose(definition)}>
                <span class={isGone ? "name gone" : "name"} style={{ paddingInlineStart: `${depth}rem` }}>
                  {name || "(no name)"}
                </span>
                <span class="dim kind">{kind}</span>
                <span class="dim">{line === endLine ? `line ${line}` : `${line}-${endLine}`}</span>
              </button>
            </li>
          );
        })}
      </ol>
    </>
  );
}

export const outlineTitle = (outlined: Outlined | undefined) =>
  outlined
    ? `Outline (${number(flat(outlined.definitions).length)} ${outlined.folded ? "folds" : "definitions"}, ${count(outlined.tokens, "token")})`
    : "Outline";

/** Not recursive: a file may nest deeper than the stack. */
function flat(definitions: readonly Definition[]): { definition: Definition; depth: number }[] {
  const rows: { definition: Definition; depth: number }[] = [];
  const open = definitions.toReversed().map((definition) => ({ definition, depth: 0 }));
  for (let next = open.pop(); next; next = open.pop()) {
    rows.push(next);
    for (const child of next.definition.children.toReversed()) open.push({ definition: child, depth: next.depth + 1 });
  }
  return rows;
}

const STEPS: Record<string, string> = {
  whole: "the whole file",
  definitions: "the definitions around the changes, with heads and ends of the enclosing ones",
  statements: "only the statements around the changes",
  headers: "the changed lines with the heads of the enclosing definitions",
  changes: "the changed lines alone",
  dropped: "nothing",
};

interface ChangeProps {
  diff: string;
  onDiff(diff: string): void;
  /** Writes a diff that marks the selected lines as new. */
  pretend(): void;
  reduced: Reduced | undefined;
  /** Why the diff cannot be reduced. */
  wrong: string | undefined;
  budget: number;
  onBudget(budget: number): void;
}

export function Change({ diff, onDiff, pretend, reduced, wrong, budget, onBudget }: ChangeProps) {
  const { path, rungs = [], now, least } = reduced ?? {};
  const said = now
    ? `${path}: ${number(now.tokens)} of ${number(budget)} tokens.`
    : reduced
      ? `The changed lines of ${path} alone take ${number(least!)} tokens; the budget is ${number(budget)}.`
      : "";
  return (
    <>
      <p class="note">
        A unified diff whose new side is the source above. The smaller the budget, the less of the surrounding
        definitions is shown.
      </p>
      <textarea
        id="diff"
        class="code"
        rows={8}
        wrap="off"
        spellcheck={false}
        aria-label="Unified diff"
        placeholder={"--- a/src/app.ts\n+++ b/src/app.ts\n@@ -10,3 +10,4 @@"}
        value={diff}
        onInput={({ currentTarget }) => onDiff(currentTarget.value)}
      />
      <div class="knobs">
        <button type="button" id="pretend" onClick={pretend}>
          Mark the selected lines as new
        </button>
        <span id="diff-status">{wrong ?? said}</span>
      </div>
      <ol id="ladder" class="pick" aria-label="Ladder">
        {rungs.map(({ step, tokens, gaps }) => (
          <li key={step}>
            <button
              type="button"
              aria-current={step === now?.step ? "step" : undefined}
              onClick={() => onBudget(tokens)}
            >
              <span>{step}</span>
              <span>{count(tokens, "token")}</span>
              <span class="dim">
                {STEPS[step]}; {count(gaps, "gap")}
              </span>
            </button>
          </li>
        ))}
      </ol>
      {now && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it.
        <section id="reduced" tabIndex={0} aria-label="Changed code, reduced">
          <pre class="code">{now.text}</pre>
        </section>
      )}
    </>
  );
}
