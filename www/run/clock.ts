/** A clock of a replay: its time passes when the replay says so, and no timer waits in real time. */

interface Timer {
  at: number;
  number: number;
  done: () => void;
}

export class ScriptedClock {
  private time = 0;
  private count = 0;
  private readonly timers = new Set<Timer>();

  readonly now = (): number => this.time;

  readonly after = (ms: number, done: () => void): (() => void) => {
    const timer = { at: this.time + Math.max(0, ms), number: this.count++, done };
    this.timers.add(timer);
    return () => void this.timers.delete(timer);
  };

  /** Returns true if a timer is due by `until`. */
  hasTimer(until = Number.POSITIVE_INFINITY): boolean {
    return this.next(until) !== undefined;
  }

  /** Moves on to the earliest timer that is due by `until`, and runs it; timers of one time run in order. */
  fire(until = Number.POSITIVE_INFINITY): void {
    const timer = this.next(until);
    if (!timer) return;
    this.timers.delete(timer);
    this.time = Math.max(this.time, timer.at);
    timer.done();
  }

  /** Moves on to a time, past timers that are not due. */
  pass(until: number): void {
    this.time = Math.max(this.time, until);
  }

  private next(until: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.timers) {
      if (timer.at > until) continue;
      if (!first || timer.at < first.at || (timer.at === first.at && timer.number < first.number)) first = timer;
    }
    return first;
  }
}

const waiting: (() => void)[] = [];
const channel = typeof setImmediate === "function" ? undefined : new MessageChannel();
if (channel) channel.port1.onmessage = () => waiting.shift()?.();

/**
 * Resolves in the next turn of the event loop, when all promises that could settle have settled. A timer of zero would
 * wait four milliseconds in a browser.
 */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    if (!channel) return void setImmediate(resolve);
    waiting.push(resolve);
    channel.port2.postMessage(undefined);
  });
}
