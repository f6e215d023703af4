/** @jsxImportSource preact */
/** What the run did: its outcome, its parts, the steps, the summary, the facts that stay. */

import { lazily } from "../app/lazy.tsx";
import { estimate, mode } from "../app/state.ts";
import type { Ran } from "../worker/questions.ts";
import { nextInWords } from "./budget.tsx";
import { conversation, ran, totals } from "./state.ts";
import { count, number } from "./words.ts";

const ProfileSettings = lazily(async () => (await import("./later.ts")).ProfileSettings);
const Actions = lazily(async () => (await import("./later.ts")).Actions);
const Plan = lazily(async () => (await import("./later.ts")).Plan);

const STATUS: Record<string, string> = {
  applied:
    "A summary by rules replaces the covered messages. A model would word it better; the facts in its lists would stay.",
  unchanged: "It fits as it is.",
  nothing_to_compact: "There are too few messages to summarise.",
  no_gain: "A summary would not free enough.",
  inflated: "A summary would be longer than the messages that it replaces.",
};

/** Says in one sentence what the run did. */
export function outcome({ mode, plan }: Ran): string {
  const { out = 0, shortened = 0, repaired = 0 } = totals.value ?? {};
  const mended = repaired > 0 ? ` ${count(repaired, "message")} repaired: calls and results that did not match.` : "";
  if (mode === "compact") return `${STATUS[plan?.status ?? ""] ?? plan?.status ?? ""}${mended}`;
  if (out === 0 && shortened === 0) return `It fits; nothing was removed.${mended}`;
  const parts = [out > 0 && `${count(out, "message")} removed`, shortened > 0 && `${number(shortened)} shortened`];
  return `${parts.filter(Boolean).join(", ")}; the oldest go first.${mended}`;
}

/** Says why another budget would change little, if that is so. */
export function noEffect({ plan, budget, after }: Ran): string | undefined {
  const aim = plan?.aim;
  if (!aim) return undefined;
  const least = Math.max(aim.floor, aim.mustKeep);
  if (least >= aim.target)
    return `The budget has no effect here: the newest request, its round and the record need ${number(least)} tokens, more than the target of ${number(aim.target)}.`;
  if (after.total < 0.8 * Math.min(budget, aim.target))
    return `The budget has little effect here: the summary and what must stay need only ${number(after.total)} of the ${number(aim.target)} tokens aimed at.`;
  return undefined;
}

export function ResultTab() {
  const run = ran.value;
  if (!run) return null;
  const { before, after, origin, encoding, plan } = run;
  // An estimate is drawn before the conversation is read, and has no encoding.
  const format = conversation.value?.format ?? estimate.value?.format;
  const how = origin === "exact" ? "counted exactly" : `counted by ${origin}`;
  const less = noEffect(run);
  return (
    <div id="outcome">
      <p>
        <strong>
          {number(before.total)} → {number(after.total)} tokens
        </strong>
        , {number(before.messages)} → {number(after.messages)} messages of {format}, {how}
        {encoding && ` with ${encoding}`}.
      </p>
      <p id="said">{outcome(run)}</p>
      {less && <p id="no-effect">{less}</p>}
      {run.mode === "prune" && nextInWords() && <p id="next">{capital(nextInWords())}.</p>}
      {mode.value === "compact" && <Actions run={run} />}
      {mode.value === "compact" && <ProfileSettings />}
      <Parts run={run} />
      {plan && <Plan plan={plan} />}
    </div>
  );
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function Parts({ run: { after, budget } }: { run: Ran }) {
  const parts = [
    ["system messages", after.frame],
    ["tools", after.tools],
    ["conversation", after.conversation],
  ] as const;
  return (
    <table id="split">
      <caption>What is sent of a budget of {number(budget)} tokens</caption>
      <tbody>
        {parts.map(([name, tokens]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{number(tokens)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
