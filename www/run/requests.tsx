/** @jsxImportSource preact */
/** The requests of a run as a list: the figures of the chart, and what happened at each. */

import { computed, signal } from "@preact/signals";
import { Filter } from "../parts/filter.tsx";
import { happenings } from "./happened.ts";
import type { Happening } from "./happened.ts";
import { chosen, sides, version } from "./store.ts";
import { Cell, Windowed } from "./windowed.tsx";

type Shows = "all" | "events" | "different";
export const filter = signal<Shows>("all");

const number = (value: number | undefined) => (value === undefined ? "—" : value.toLocaleString("en"));

/** What happened, for each side. */
const events = computed(() => {
  version.value;
  return sides.value.map(({ requests, compactions }) => happenings(requests, compactions));
});

/** Numbers of the shown requests. */
const shown = computed(() => {
  version.value;
  const most = Math.max(0, ...sides.value.map(({ requests }) => requests.length));
  const all = Array.from({ length: most }, (_, at) => at + 1);
  if (filter.value === "events") return all.filter((at) => events.value.some((own) => own.has(at)));
  if (filter.value === "different" && sides.value.length > 1) return all.filter(isDifferent);
  return all;
});

function isDifferent(at: number): boolean {
  const [a, b] = sides.value;
  if (a!.requests[at - 1]?.sent !== b!.requests[at - 1]?.sent) return true;
  const [first, second] = events.value.map((own) => JSON.stringify(own.get(at) ?? []));
  return first !== second;
}

export function Requests() {
  const list = shown.value;
  const isTwo = sides.value.length > 1;
  const current = chosen.value === undefined ? -1 : list.indexOf(chosen.value);
  const columns = isTwo
    ? ["request", "A sent", "B sent", "B − A", "what happened"]
    : ["request", "sent", "history", "cached", "what happened"];
  return (
    <section class="requests" aria-labelledby="run-requests-title">
      <div class="title">
        <h2 id="run-requests-title">Requests ({list.length.toLocaleString("en")})</h2>
        <Filter
          id="run-filter"
          label="show"
          isSaid
          value={filter.value}
          of={[["all", "all"], ["events", "where something happened"], isTwo && ["different", "different in A and B"]]}
          onChoose={(name) => (filter.value = name)}
        />
      </div>
      <Windowed
        id="run-requests"
        label="Requests"
        count={list.length}
        height={28}
        current={current}
        columns={columns}
        choose={(index) => (chosen.value = list[index])}
        row={(index) => <Row at={list[index]!} isTwo={isTwo} />}
      />
    </section>
  );
}

function Row({ at, isTwo }: { at: number; isTwo: boolean }) {
  const [a, b] = sides.value.map(({ requests }) => requests[at - 1]);
  const delta = a?.sent !== undefined && b?.sent !== undefined ? b.sent - a.sent : undefined;
  return (
    <>
      <Cell>{at}</Cell>
      <Cell>{number(a?.sent)}</Cell>
      <Cell>{number(isTwo ? b?.sent : a?.history)}</Cell>
      {isTwo ? (
        <Cell>
          {delta === undefined ? "" : delta === 0 ? "0" : `${delta > 0 ? "+" : "−"}${number(Math.abs(delta))}`}
        </Cell>
      ) : (
        <Cell>{number(a?.cached)}</Cell>
      )}
      <Cell class="what">
        {events.value.map((own, side) => (
          <Events key={side} list={own.get(at) ?? []} name={isTwo ? "AB"[side]! : ""} />
        ))}
      </Cell>
    </>
  );
}

function Events({ list, name }: { list: readonly Happening[]; name: string }) {
  if (list.length === 0) return null;
  return (
    <>
      {name && <b class={`of-${name.toLowerCase()}`}>{name}</b>}
      {list.map(({ kind, text }, at) => (
        <span key={at} class={`event ${kind}`}>
          {text}
        </span>
      ))}
    </>
  );
}

/** Everything that happened at one request, in full. */
export function Happened({ at }: { at: number }) {
  const isTwo = sides.value.length > 1;
  const all = events.value.flatMap((own, side) =>
    (own.get(at) ?? []).map(({ text }) => (isTwo ? `${"AB"[side]}: ${text}` : text)),
  );
  if (all.length === 0) return null;
  return (
    <ul class="happened">
      {all.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}
