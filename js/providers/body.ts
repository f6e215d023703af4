/** Reads the body of a response under a guard. */

import type { Guard } from "./guard.ts";
import { reason } from "./guard.ts";
import { Failure } from "./failure.ts";
import type { Clock } from "./types.ts";
import { badAnswer } from "./wire.ts";

/** Max time, in ms, for a server to end a stream after the last event. */
const GRACE = 250;

/** The body of a response whose head has been read. */
export class Body {
  #guard: Guard;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  open = true;
  /** True once a part of the body has arrived. */
  begun = false;

  constructor(response: Response, guard: Guard) {
    this.#guard = guard;
    this.#reader = response.body?.getReader();
    if (!this.#reader) this.open = false;
  }

  /** Returns the next bytes, or undefined at the end. */
  async read(): Promise<Uint8Array | undefined> {
    if (!this.#reader) return undefined;
    const { done, value } = await this.#guard.race(this.#reader.read(), cut);
    if (done) this.open = false;
    else this.begun = true;
    return done ? undefined : value;
  }

  /** Returns the whole body as text. A longer body is an error if `whole` is true, else it is cut. */
  async text(most: number, whole: boolean): Promise<string> {
    const decoder = new TextDecoder();
    const pieces: string[] = [];
    let length = 0;
    for (;;) {
      const bytes = await this.read();
      if (!bytes) break;
      pieces.push(decoder.decode(bytes, { stream: true }));
      length += bytes.length;
      if (length <= most) continue;
      if (whole) throw badAnswer(`the answer is longer than ${most} bytes`);
      break;
    }
    return pieces.join("") + decoder.decode();
  }

  /** Reads on to the end of the connection's turn, because the connection can then be reused. */
  async drain(clock: Clock): Promise<void> {
    const stop = clock.after(GRACE, () => this.cancel());
    try {
      while (this.#reader && !(await this.#reader.read()).done);
    } catch {
      // The answer is complete, whatever fails from here on.
    } finally {
      stop();
      this.open = false;
    }
  }

  cancel(): void {
    // The stream may have failed already; then there is nothing to cancel.
    this.#reader?.cancel().catch(() => undefined);
    this.open = false;
  }
}

function cut(error: unknown): Failure {
  // Node's own limit for silence is five minutes.
  if (/UND_ERR_BODY_TIMEOUT/.test(reason(error)))
    return new Failure("timeout", `the answer fell silent: ${reason(error)}`, { kind: "transport" }, { cause: error });
  return new Failure("network", `the connection was cut: ${reason(error)}`, { kind: "cut" }, { cause: error });
}
