/** @jsxImportSource preact */
/** What takes the budget, as a bar with a legend. */

import { number } from "../conversation/words.ts";

export interface Segment {
  name: string;
  tokens: number;
}

export function Meter({ segments, limit }: { segments: readonly Segment[]; limit: number }) {
  const used = segments.reduce((sum, { tokens }) => sum + tokens, 0);
  const words = segments.map(({ name, tokens }) => `${name} ${number(tokens)}`).join(", ");
  return (
    <>
      <div class="meter" role="img" aria-label={`${words}, of ${number(limit)} tokens`}>
        {segments.map(({ name, tokens }) => (
          <i key={name} class={name} style={{ width: `${(100 * tokens) / Math.max(limit, used, 1)}%` }} />
        ))}
      </div>
      <p class="note" id="split">
        {segments.map(({ name, tokens }) => (
          <span key={name}>
            <span class={`key ${name}`} /> {name} {number(tokens)}{" "}
          </span>
        ))}
      </p>
    </>
  );
}
