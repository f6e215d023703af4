/** @jsxImportSource preact */
/** The chart of a run: tokens of each request, and what happens to them. */

import { signal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import "./language.ts";
import uPlot from "uplot";
import { opened, theme } from "../app/state.ts";
import { DASH, LANE, compact, drawMarks } from "./marks.ts";
import type { Colours } from "./marks.ts";
import { Saving } from "./saving.tsx";
import { chosen, isRunning, sides, version } from "./store.ts";
import type { Side } from "./store.ts";

/** Steps between the numbers on the axis of requests, none of which has half a number. */
const WHOLE_STEPS = [0, 1, 2, 3, 4].flatMap((zeros) => [1, 2, 5].map((digit) => digit * 10 ** zeros));

const NARROW = "(max-width: 52rem)";
/** CSS pixels of the chart: a phone must also show the settings that move it. */
const heightNow = () => (matchMedia(NARROW).matches ? 210 : 300);
/** Messages from which on steps would be finer than pixels. */
const MANY = 6_000;
/** The request under the pointer. */
const hovered = signal<number | undefined>(undefined);

export function Chart() {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const [isWhole, setWhole] = useState(false);
  const [scheme, setScheme] = useState(0);
  const count = sides.value.length;
  const { name } = opened.value ?? {};

  useEffect(() => {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const change = () => setScheme((before) => before + 1);
    dark.addEventListener("change", change);
    return () => dark.removeEventListener("change", change);
  }, []);

  useEffect(() => {
    const element = box.current!;
    const made = new uPlot(optionsOf(element, count, isWhole), dataOf(sides.peek()), element);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: heightNow() }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [count, isWhole, theme.value, scheme, name]);

  useSignalEffect(() => {
    version.value;
    // In a task of its own: the lists are drawn in this one.
    const frame = requestAnimationFrame(() => plot.current?.setData(dataOf(sides.peek())));
    return () => cancelAnimationFrame(frame);
  });
  useSignalEffect(() => {
    chosen.value;
    plot.current?.redraw(false);
  });

  return (
    <figure class="chart">
      <figcaption>
        <Legend />
        <label class="check">
          <input type="checkbox" checked={isWhole} onChange={({ currentTarget }) => setWhole(currentTarget.checked)} />
          scale to the whole history
        </label>
      </figcaption>
      {/* The list below has every figure of the chart, for those who do not see it. */}
      <div
        id="run-chart"
        class="plot"
        role="img"
        aria-label={`${sentence()} The list of requests has its figures.`}
        ref={box}
      />
      <div class="below">
        <Readout />
        <Saving />
      </div>
    </figure>
  );
}

function Legend() {
  const isTwo = sides.value.length > 1;
  return (
    <details class="signs" open={!matchMedia(NARROW).matches}>
      <summary>Signs</summary>
      <ul class="legend">
        <li class="history">whole history</li>
        <li class="a">{isTwo ? "A sent" : "sent"}</li>
        {isTwo && <li class="b">B sent</li>}
        <li class="start">compaction starts</li>
        <li class="ready">ready</li>
        <li class="applied">applied</li>
        <li class="wait">request waits</li>
        <li class="cross">failed, discarded or undone</li>
        <li class="loss">cache lost</li>
      </ul>
    </details>
  );
}

function sentence(): string {
  version.value;
  const each = sides.value.map(({ requests, compactions, settings }, side) => {
    const most = requests.reduce((high, { sent = 0 }) => Math.max(high, sent), 0);
    const applied = compactions.filter(({ outcome }) => outcome === "applied").length;
    const who = sides.value.length > 1 ? `${"AB"[side]}: ` : "";
    return `${who}${requests.length} requests into a window of ${settings.budget.toLocaleString("en")} tokens, the largest with ${most.toLocaleString("en")}; ${applied} compactions`;
  });
  return `Tokens sent over time. ${each.join(". ")}.`;
}

/** The figures of the request under the pointer, else of the chosen one, else of the newest. */
function Readout() {
  version.value;
  const number = hovered.value ?? chosen.value ?? sides.value[0]?.requests.length;
  const parts = sides.value.map(({ requests, lines }, side) => {
    const row = requests[(number ?? 0) - 1];
    if (!row) return "";
    const name = sides.value.length > 1 ? `${"AB"[side]} ` : "";
    const sent = row.sent === undefined ? "nothing fits" : `${row.sent.toLocaleString("en")} sent`;
    const cached = row.sent ? `, ${Math.round((100 * row.cached) / row.sent)} % from the cache` : "";
    const share = row.sent && lines ? ` (${Math.round((100 * row.sent) / lines.window)} % of the window)` : "";
    return `${name}${sent}${share}${cached}`;
  });
  const row = sides.value[0]?.requests[(number ?? 0) - 1];
  return (
    <p class="readout">
      {row
        ? `Request ${number} of ${sides.value[0]!.of.toLocaleString("en")}: ${parts.filter(Boolean).join("; ")}; the whole history has ${row.history.toLocaleString("en")}.`
        : isRunning.value
          ? "The run begins …"
          : "No request yet."}
    </p>
  );
}

function dataOf(all: readonly Side[]): uPlot.AlignedData {
  const most = all.reduce((high, { requests }) => Math.max(high, requests.length), 0);
  const longest = all.find(({ requests }) => requests.length === most)?.requests ?? [];
  const column = (list: Side["requests"], of: (row: Side["requests"][number]) => number | undefined) =>
    Array.from({ length: most }, (_, at) => (list[at] ? (of(list[at]) ?? null) : null));
  return [
    longest.map(({ number }) => number),
    column(longest, ({ history }) => history),
    ...all.map(({ requests }) => column(requests, ({ sent }) => sent)),
  ] as uPlot.AlignedData;
}

function optionsOf(element: HTMLElement, count: number, isWhole: boolean): uPlot.Options {
  const colours = coloursOf(element);
  const thing = opened.peek();
  const isLong = thing?.kind === "conversation" && thing.conversation.count > MANY;
  // uPlot leaves out what no pixel shows only of plain lines.
  const paths = isLong ? uPlot.paths.linear!() : uPlot.paths.stepped!({ align: 1 });
  const axis = {
    stroke: colours.dim,
    grid: { stroke: colours.line, width: 1 },
    ticks: { stroke: colours.line, width: 1 },
  };
  const font = "12px system-ui, sans-serif";
  const top = () => {
    const all = sides.peek();
    const windows = all.map(({ lines, settings }) => lines?.window ?? settings.budget);
    const history = isWhole ? all.flatMap(({ requests }) => requests.at(-1)?.history ?? 0) : [];
    return 1.1 * Math.max(1, ...windows, ...history);
  };
  return {
    width: element.clientWidth || 600,
    height: heightNow(),
    padding: [Math.max(1, count) * LANE + 4, 12, 0, 0],
    legend: { show: false },
    scales: {
      x: { time: false, range: () => [1, Math.max(2, ...sides.peek().map(({ of }) => of))] },
      y: { range: () => [0, top()] },
    },
    axes: [
      { ...axis, font, size: 40, label: "request", labelFont: font, labelSize: 16, incrs: WHOLE_STEPS },
      { ...axis, font, size: 52, values: (_, splits) => splits.map((tokens) => compact(tokens)) },
    ],
    series: [
      {},
      { fill: colours.area, width: 0, points: { show: false }, paths },
      ...Array.from({ length: count }, (_, side) => ({
        stroke: colours.sides[side]!,
        width: 2,
        ...(side > 0 && { dash: DASH }),
        points: { show: false },
        paths,
      })),
    ],
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    hooks: {
      setCursor: [(u) => (hovered.value = u.cursor.idx == null ? undefined : u.cursor.idx + 1)],
      draw: [(u) => drawMarks(u, sides.peek(), colours, chosen.peek())],
      ready: [
        (u) =>
          u.over.addEventListener("click", () => {
            if (u.cursor.idx != null) chosen.value = u.cursor.idx + 1;
          }),
      ],
    },
  };
}

/** Reads the colours of the page: a canvas takes no variables. */
function coloursOf(element: HTMLElement): Colours {
  const probe = document.createElement("i");
  element.append(probe);
  const of = (name: string) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const colours: Colours = {
    text: of("text"),
    dim: of("dim"),
    line: of("line"),
    card: of("card"),
    area: of("out").replace(/^rgb\((.*)\)$/, "rgba($1, 0.45)"),
    bad: of("bad"),
    mid: of("mid"),
    sides: [of("in"), of("new")],
  };
  probe.remove();
  return colours;
}
