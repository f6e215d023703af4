/**
 * Whether a call on a conversation comes from a callback that the conversation itself waits for: the host's model, a
 * hook, a file. Such a call must not wait for its turn, since its turn comes after the callback.
 */

interface Frame {
  isOpen: boolean;
}
/** What `AsyncLocalStorage` of Node, Bun and Deno does. */
interface Local {
  run<R>(frame: Frame, work: () => R): R;
  getStore(): Frame | undefined;
}

export class Inside {
  private readonly local: Local | undefined;
  private open = 0;

  constructor(local: Local | undefined = platformLocal()) {
    this.local = local;
  }

  /**
   * True within a callback that has not settled. On a platform that cannot tell callers apart (browsers) it is true
   * while a callback is open that a call in its turn waits for. A callback beside the conversation holds no turn: a
   * call from within it waits for the job at most as long as any other call.
   */
  get isInside(): boolean {
    return this.local ? this.local.getStore()?.isOpen === true : this.open > 0;
  }

  /** Returns the callback with its calls marked; `isBeside` is true for one of a job beside the conversation. */
  wrap<A extends unknown[], R>(callback: (...args: A) => R | Promise<R>, isBeside = false): (...args: A) => Promise<R> {
    const held = isBeside ? 0 : 1;
    return async (...args) => {
      const frame: Frame = { isOpen: true };
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
