/** @jsxImportSource preact */
/** The run: the conversation replayed request by request, with compactions as they would have come. */

import { useEffect } from "preact/hooks";
import { showPart } from "../app/opening.ts";
import { keys, opened } from "../app/state.ts";
import { Calls, Writing } from "./calls.tsx";
import { Chart } from "./chart.tsx";
import { Foot } from "./foot.tsx";
import { Knobs } from "./knobs.tsx";
import { ModelForm } from "./model-form.tsx";
import { Requests } from "./requests.tsx";
import { SaidText } from "./said.tsx";
import { StepPane, forgetRows } from "./step-pane.tsx";
import {
  again,
  beganAt,
  chosen,
  ended,
  followSettings,
  isRunning,
  needsEndpoint,
  settings,
  sides,
  stop,
  version,
} from "./store.ts";

const KEYS = [
  ["↑ ↓", "in the list of requests: chooses one, and shows its messages"],
  ["[ ]", "goes to the previous or next request in which something is compacted"],
] as const;

export default function Run() {
  const id = opened.value?.id;
  useEffect(followSettings, []);
  useEffect(() => {
    keys.value = KEYS;
    addEventListener("keydown", jump);
    return () => {
      keys.value = [];
      removeEventListener("keydown", jump);
    };
  }, []);
  useEffect(() => {
    forgetRows();
    chosen.value = undefined;
  }, [id]);
  const wantsModel = settings.value.some(({ writer }) => writer === "endpoint");
  return (
    <div class="run" id="run">
      <Knobs>
        <State />
      </Knobs>
      <Whole />
      {wantsModel && <ModelForm />}
      <Writing />
      <Chart />
      <div class="panes">
        <Requests />
        <StepPane />
      </div>
      <div class="panes">
        <Foot />
        <Calls />
      </div>
    </div>
  );
}

/** A session opens with its live context; what was before its own compactions is in its history. */
function Whole() {
  const thing = opened.value;
  if (thing?.kind !== "conversation") return null;
  const { session, part, count } = thing.conversation;
  if (!session || part !== "live" || session.history <= count) return null;
  return (
    <div class="notice whole">
      <p>
        {session.tool} has compacted this session: these {count.toLocaleString("en")} messages are what is left of{" "}
        {session.history.toLocaleString("en")}.
      </p>
      <button type="button" id="run-whole" onClick={() => void showPart("history")}>
        Replay the whole history
      </button>
    </div>
  );
}

/** How far the run is, and why it ended early. */
function State() {
  version.value;
  const failed = ended.value;
  if (isRunning.value) {
    const [done, of] = [0, 1].map((which) =>
      sides.value.reduce((sum, side) => sum + (which === 0 ? side.requests.length : side.of), 0),
    ) as [number, number];
    return (
      <div class="state" id="run-state">
        <label>
          {done.toLocaleString("en")} of {of ? of.toLocaleString("en") : "…"} requests{leftOf(done, of)}{" "}
          <progress value={of ? done / of : undefined} max={1} />
        </label>
        <button type="button" id="run-stop" onClick={stop}>
          Stop
        </button>
      </div>
    );
  }
  if (failed)
    return (
      <div class="state failed" id="run-state" role="alert">
        <SaidText said={failed.said} />
        <button type="button" id="run-again" onClick={again}>
          Run again
        </button>
      </div>
    );
  const isEmpty = sides.value.length > 0 && sides.value.every(({ of }) => of === 0);
  return (
    <div class="state" id="run-state">
      {needsEndpoint.value
        ? "Say which model writes the summaries; then the run begins."
        : isEmpty
          ? "This conversation has no request: no message of a user, or nothing to answer."
          : "The run is complete."}
    </div>
  );
}

/** Says how long a run still takes, if that is long. Later requests take longer, so it is no promise. */
function leftOf(done: number, of: number): string {
  const seconds = (((performance.now() - beganAt.value) / 1_000) * (of - done)) / Math.max(1, done);
  if (done < ENOUGH || seconds < LONG) return "";
  return seconds < 90 ? `, about ${Math.round(seconds)} s left` : `, about ${Math.round(seconds / 60)} min left`;
}

/** Requests after which the time of the others can be guessed. */
const ENOUGH = 50;
/** Seconds. */
const LONG = 10;

/** Goes to the next request in which a compaction ended. */
function jump(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, target } = event;
  if ((key !== "[" && key !== "]") || ctrlKey || metaKey || altKey) return;
  if ((target as HTMLElement).closest?.("input:not([type=range]), textarea, select")) return;
  const ends = sides.value.flatMap(({ compactions }) =>
    compactions.flatMap(({ end }) => (end === undefined ? [] : [Math.floor(end)])),
  );
  const from = chosen.value ?? 0;
  const next = key === "]" ? Math.min(...ends.filter((at) => at > from)) : Math.max(...ends.filter((at) => at < from));
  if (!Number.isFinite(next)) return;
  event.preventDefault();
  chosen.value = next;
}
