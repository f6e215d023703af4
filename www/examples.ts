export interface Example {
  key: string;
  name: string;
  url: string;
  /** True for a file that a view claims, as if somebody had dropped it; the others are conversations. */
  isFile?: boolean;
}

/** Real conversations that come with the page (licences beside them), and a prompt. The first one opens by itself. */
export const EXAMPLES: readonly Example[] = [
  { key: "pi", name: "Coding agent: a day of refactoring", url: "examples/pi-refactor-long.json.gz" },
  {
    key: "marshmallow",
    name: "Coding agent: a bug fix in marshmallow",
    url: "examples/sweagent-marshmallow-1867.json",
  },
  { key: "airline", name: "Service agent: booking a flight", url: "examples/tau-airline-0.json" },
  { key: "build", name: "Prompt as TSX: why does the build fail?", url: "examples/prompt.tsx", isFile: true },
];
