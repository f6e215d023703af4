/** The body of a response, read under a guard. */

import type { Guard } from "./guard.ts";
import { reason } from "./guard.ts";
import { Failure } from "./failure.ts";
import type { Clock } from "./types.ts";
import { badAnswer } from "./wire.ts";

/** How long a server may take, in ms, to end a stream after the last event. */
const GRACE = 250;

/** What is left of a response once its head is known. */
export class Body {
  #guard: Guard;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  open = true;
  /** Something of it has arrived. */
  begun = false;

  constructor(response: Response, guard: Guard) {
    this.#guard = guard;
    this.#reader = response.body?.getReader();
    if (!this.#reader) this.open = false;
  }

  /** The next bytes, or nothing at the end. */
  async read(): Promise<Uint8Array | undefined> {
    if (!this.#reader) return undefined;
    const { done, value } = await this.#guard.race(this.#reader.read(), cut);
    if (done) this.open = false;
    else this.begun = true;
    return done ? undefined : value;
  }

  /** All of it as text. One that is longer is an error (`whole`), or cut. */
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

  /** The end of an answer is there, that of the connection's turn soon: with it the connection can be used again. */
  async drain(clock: Clock): Promise<void> {
    const stop = clock.after(GRACE, () => this.cancel());
    try {
      while (this.#reader && !(await this.#reader.read()).done);
    } catch {
      // Whatever happens now, the answer is there.
    } finally {
      stop();
      this.open = false;
    }
  }

  cancel(): void {
    // It may have failed already, and then there is nothing to cancel.
    this.#reader?.cancel().catch(() => undefined);
    this.open = false;
  }
}

function cut(error: unknown): Failure {
  // Node's own limit for silence, five minutes.
  if (/UND_ERR_BODY_TIMEOUT/.test(reason(error)))
    return new Failure("timeout", `the answer fell silent: ${reason(error)}`, { kind: "transport" }, { cause: error });
  return new Failure("network", `the connection was cut: ${reason(error)}`, { kind: "cut" }, { cause: error });
}
