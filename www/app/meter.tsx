/** @jsxImportSource preact */
/** What takes the budget, as a bar with a legend. */

import { number } from "../conversation/words.ts";

export interface Segment {
  /** Its class, and its label with blanks for hyphens. */
  name: string;
  tokens: number;
}

export function Meter({ segments, limit }: { segments: readonly Segment[]; limit: number }) {
  const used = segments.reduce((sum, { tokens }) => sum + tokens, 0);
  const label = ({ name, tokens }: Segment) => `${name.replaceAll("-", " ")} ${number(tokens)}`;
  const words = segments.map(label).join(", ");
  return (
    <>
      <div class="meter" role="img" aria-label={`${words}, of ${number(limit)} tokens`}>
        {segments.map(({ name, tokens }) => (
          <i key={name} class={name} style={{ width: `${(100 * tokens) / Math.max(limit, used, 1)}%` }} />
        ))}
      </div>
      <p class="note" id="split">
        {segments.map((segment) => (
          <span key={segment.name}>
            <span class={`key ${segment.name}`} /> {label(segment)}{" "}
          </span>
        ))}
      </p>
    </>
  );
}
