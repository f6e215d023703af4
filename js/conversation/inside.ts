/**
 * Tells whether a call on a conversation comes from a callback that the conversation itself waits for: the host's
 * model, a hook, a file. Such a call must not wait for its turn, since its turn comes after the callback.
 */

/** A running callback. */
interface Frame {
  readonly owner: Inside;
  isOpen: boolean;
  /** The callback that called it. */
  readonly outer: Frame | undefined;
}
/** The used part of `AsyncLocalStorage` of Node, Bun and Deno. */
interface Local {
  run<R>(frame: Frame, work: () => R): R;
  getStore(): Frame | undefined;
}

/**
 * One storage for all conversations. Node follows every promise of the process for each storage that was ever used:
 * with one storage for each conversation, a process of 300 took 27 times as long for everything.
 */
let shared: { local: Local | undefined } | undefined;
const sharedLocal = () => (shared ??= { local: platformLocal() }).local;

export class Inside {
  private readonly local: Local | undefined;
  private open = 0;

  constructor(local: Local | undefined = sharedLocal()) {
    this.local = local;
  }

  /**
   * True within a callback that has not settled. On a platform that cannot tell callers apart (browsers) it is true
   * while any callback is open that a call in its turn waits for. A callback beside the conversation holds no turn: a
   * call from within it waits for the job at most as long as any other call.
   */
  get isInside(): boolean {
    if (!this.local) return this.open > 0;
    for (let frame = this.local.getStore(); frame; frame = frame.outer)
      if (frame.owner === this && frame.isOpen) return true;
    return false;
  }

  /** Returns the callback with its calls marked; `isBeside` is true for a callback of a job beside the conversation. */
  wrap<A extends unknown[], R>(callback: (...args: A) => R | Promise<R>, isBeside = false): (...args: A) => Promise<R> {
    const held = isBeside ? 0 : 1;
    return async (...args) => {
      const frame: Frame = { owner: this, isOpen: true, outer: stillOpen(this.local?.getStore()) };
      this.open += held;
      try {
        return await (this.local ? this.local.run(frame, () => callback(...args)) : callback(...args));
      } finally {
        frame.isOpen = false;
        this.open -= held;
      }
    };
  }
}

/**
 * Returns the innermost callback that has not settled. Settled ones are dropped, however long a chain of calls grows.
 */
function stillOpen(frame: Frame | undefined): Frame | undefined {
  let open = frame;
  while (open && !open.isOpen) open = open.outer;
  return open;
}

function platformLocal(): Local | undefined {
  type Builtin = { AsyncLocalStorage?: new () => Local } | undefined;
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => Builtin } };
  try {
    const Storage = process?.getBuiltinModule?.("node:async_hooks")?.AsyncLocalStorage;
    return Storage && new Storage();
  } catch {
    return undefined;
  }
}
