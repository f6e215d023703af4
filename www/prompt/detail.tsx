/** @jsxImportSource preact */
/** What is known of one node: what became of it and why, its numbers, its text. */

import { briefOf, budgetWithout, isForBudget, isGone, priorityOf, sentenceOf, textIn } from "./model.ts";
import type { Shown } from "./model.ts";
import { counted, number } from "./number.ts";

export interface DetailProps {
  shown: Shown;
  count: number;
  selected: number;
  told: ReadonlyMap<number, number>;
  /** Brings the node back, with about this budget. Absent if the budget cannot be changed. */
  onReturn: ((budget: number) => void) | undefined;
}

/** Max characters of a text that is shown at once. */
const MAX_TEXT = 20_000;

export function Detail({ shown, count, selected, told, onReturn }: DetailProps) {
  const { tree, cut, steps, stepOf, whole } = shown;
  if (selected < 0) return <p class="nothing">Choose an element to see what became of it, and why.</p>;
  const node = tree.nodes[selected]!;
  const inner = tree.nodes[textIn(tree, selected) ?? selected]!;
  const step = stepOf[selected]!;
  const gone = isGone(step, count);
  const back = gone && isForBudget(steps[step]!.removal) ? budgetWithout(shown, step) : 0;
  const { text = "" } = inner;
  const facts: [string, string][] = [
    [
      "Tokens",
      `${number(cut.sizes[selected] ?? 0)}${gone ? "" : whole[selected]! > cut.sizes[selected]! ? ` of ${number(whole[selected]!)}` : ""}`,
    ],
    ["Priority", priorityOf(node) || "none set"],
    ...(told.has(node.id) ? [["Told budget", counted(told.get(node.id)!, "token")] as [string, string]] : []),
    ...(step >= 0 ? [["Removal", `${step + 1} of ${steps.length}`] as [string, string]] : []),
  ];
  return (
    <>
      <h3>{briefOf(tree, selected)}</h3>
      <p class={gone ? "fate gone" : "fate"}>
        {step >= 0 && !gone ? "It is still there at this step of the replay. " : ""}
        {sentenceOf(shown, selected)}
      </p>
      {gone && onReturn && back > cut.budget && (
        <p>
          <button type="button" id="return" onClick={() => onReturn(back)}>
            Bring it back, at about {counted(back, "token")}
          </button>
        </p>
      )}
      <dl>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        {[...(node.metadata ?? []), ...(inner === node ? [] : (inner.metadata ?? []))].map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <code>{value}</code>
            </dd>
          </div>
        ))}
      </dl>
      {inner.type === "image" && text.startsWith("data:image/") ? (
        <img src={text} alt="" />
      ) : (
        text !== "" && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text scrolls, also by keyboard.
          <pre tabIndex={0}>
            {text.slice(0, MAX_TEXT)}
            {text.length > MAX_TEXT && `\n… ${number(text.length - MAX_TEXT)} more characters`}
          </pre>
        )
      )}
    </>
  );
}
