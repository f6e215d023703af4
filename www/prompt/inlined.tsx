/** @jsxImportSource preact */
/** The page of `HTMLTracer`: shows the data in it, and asks the tracer's server, if any, for other budgets. */

import { render } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import type { PageCut } from "../../js/prompt/html-tracer-data.ts";
import { unpack } from "../../js/prompt/html-tracer-pack.ts";
import type { PackedData } from "../../js/prompt/html-tracer-pack.ts";
import { Epochs, toldBy } from "./epochs.tsx";
import { cutFor, treeOf } from "./model.ts";
import { TraceView } from "./trace-view.tsx";

declare const DATA: PackedData;

const data = unpack(DATA);

/** Milliseconds of rest before the status line speaks. */
const REST = 500;

function Page() {
  const { nodes, cuts, server, whole, budget, epochs } = data;
  const base = useMemo(() => treeOf(nodes), []);
  const known = useRef(new Map(cuts.map((cut) => [cut.budget, cut])));
  const [cut, setCut] = useState<PageCut>(known.current.get(budget) ?? cuts[0]!);
  const [asked, setAsked] = useState(cut.budget);
  const [status, setStatus] = useState("");
  const newest = useRef(0);
  const drawn = useRef(0);
  const speaking = useRef<ReturnType<typeof setTimeout>>(undefined);
  const tree = useMemo(() => (cut.nodes ? treeOf(cut.nodes) : base), [cut]);
  const told = useMemo(() => toldBy(epochs), []);
  const wholeSizes = useMemo(
    () => cuts.find((one) => one.removed === 0 && one.error === undefined && !one.nodes && one.sizes.length > 0)?.sizes,
    [],
  );
  const budgets = server === undefined ? [...known.current.keys()] : undefined;

  function say(text: string): void {
    clearTimeout(speaking.current);
    speaking.current = setTimeout(() => setStatus(text), REST);
  }

  async function change(wanted: number): Promise<void> {
    if (server === undefined) {
      const found = cutFor(cuts, wanted);
      setAsked(found.budget);
      return setCut(found);
    }
    setAsked(wanted);
    const number = ++newest.current;
    const answer = known.current.get(wanted) ?? (await ask(wanted));
    // An answer that is newer than the drawn one is drawn, even if a newer question is open.
    if (number < drawn.current) return;
    drawn.current = number;
    setCut(answer);
  }

  async function ask(wanted: number): Promise<PageCut> {
    try {
      const reply = await fetch(`${server}regen?n=${wanted}`);
      const answer = (await reply.json()) as PageCut;
      known.current.set(wanted, answer);
      return answer;
    } catch (error) {
      const message = `the tracer does not answer (${(error as Error).message})`;
      return { ...cut, budget: wanted, error: message };
    }
  }

  return (
    <>
      <header>
        <h1>Prompt trace</h1>
        <p>What was kept of a prompt, what was removed, and why.</p>
      </header>
      <main>
        <TraceView
          {...{ tree, cut, whole, wholeSizes, budgets, told, say }}
          budget={asked}
          asRendered={budget}
          onBudget={(to) => void change(to)}
        >
          <Epochs epochs={epochs} tree={base} />
        </TraceView>
      </main>
      <p role="status">{status}</p>
    </>
  );
}

render(<Page />, document.getElementById("trace")!);
