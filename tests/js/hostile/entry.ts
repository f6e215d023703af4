/** The rows of the tables beside this file: what is called, with valid arguments, and what several tables share. */

export interface Entry {
  name: string;
  /** Returns valid arguments, made for each call. */
  args: () => unknown[];
  run: (...args: any[]) => unknown;
  /** Options of the last argument that the valid ones omit. */
  options?: string;
}

/** Makes the rows of a type's methods. `run` calls one on a new object, whose state is part of the answer. */
export const methods =
  (type: string, run: (method: string, args: unknown[]) => unknown) =>
  (method: string, args: () => unknown[], options?: string): Entry => ({
    name: `${type}.${method}`,
    args,
    run: (...passed) => run(method, passed),
    ...(options !== undefined && { options }),
  });

/** Uses an object of the package, then frees it. */
export async function using<M extends object, R>(made: M, use: (made: M) => R): Promise<Awaited<R>> {
  const { free, close, dispose } = made as Record<string, (() => unknown) | undefined>;
  try {
    return await use(made);
  } finally {
    await (free ?? close ?? dispose)!.call(made);
  }
}

export const COUNTING = "format encoding model costModel tools images imageSize";
const round = (at: number) => [
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: `c${at}`, type: "function", function: { name: "bash", arguments: '{"command":"make"}' } }],
  },
  { role: "tool", tool_call_id: `c${at}`, content: `part ${at}\n`.repeat(40) },
];
export const chat = () => [
  { role: "system", content: "Be brief." },
  { role: "user", content: "Fix it." },
  ...[0, 1, 2, 3].flatMap(round),
  { role: "user", content: "Go on." },
];
export const tool = () => ({
  type: "function",
  function: { name: "bash", description: "Runs.", parameters: { type: "object" } },
});
