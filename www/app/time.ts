/** Formats a time for people: `1.4 ms`, `230 ms`, `12.3 s`. */
export const milliseconds = (ms: number) =>
  ms < 10 ? `${ms.toFixed(1)} ms` : ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
