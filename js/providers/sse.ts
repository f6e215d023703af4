/**
 * Reads event streams as browsers do (HTML standard, "Server-sent events"): lines ended by LF, CR or CRLF, fields
 * `event` and `data`, an empty line between events. Bytes may arrive in pieces of any size, split anywhere.
 */

/** One event; `event` is "" if the server did not name it. */
export interface ServerEvent {
  event: string;
  data: string;
}

/** Max length of an event, in UTF-16 units: a server that never ends a line must not fill the memory. */
const LONGEST = 32 * 1024 * 1024;

/**
 * Reads an event stream.
 *
 * ```ts
 * import { EventStream } from "espalier/providers";
 *
 * const response = new Response("data: one\n\ndata: two\n\n");
 * const events = new EventStream();
 * const texts: string[] = [];
 * for await (const bytes of response.body!) for (const { data } of events.push(bytes)) texts.push(data);
 * texts; // => ["one", "two"]
 * ```
 */
export class EventStream {
  /** Keeps the name when the file is minified. */
  static readonly name: string = "EventStream";
  #decoder = new TextDecoder();
  /** The beginning of an incomplete line, in pieces: joined once, so that a long line costs linear time. */
  #line: string[] = [];
  /** UTF-16 units in `#line` and in `#data`. */
  #lineUnits = 0;
  #dataUnits = 0;
  /** True if the last piece ended in CR, so that an LF at the start of the next one belongs to it. */
  #afterReturn = false;
  #event = "";
  #data: string[] = [];

  /**
   * Returns the events that these bytes complete.
   *
   * @throws RangeError if an event exceeds 32 Mi units
   */
  push(bytes: Uint8Array): ServerEvent[] {
    return this.#read(this.#decoder.decode(bytes, { stream: true }));
  }

  /**
   * Ends the stream. Returns an event that lacks its empty line as well, which the standard would drop: some servers
   * close the connection right after the last line.
   */
  end(): ServerEvent[] {
    const events = this.#read(this.#decoder.decode());
    if (this.#line.length > 0) this.#field(this.#take(""));
    const last = this.#dispatch();
    return last ? [...events, last] : events;
  }

  #read(text: string): ServerEvent[] {
    const out: ServerEvent[] = [];
    let from = 0;
    if (this.#afterReturn && text !== "") {
      if (text[0] === "\n") from = 1;
      this.#afterReturn = false;
    }
    const ends = /\r\n?|\n/g;
    ends.lastIndex = from;
    for (let end = ends.exec(text); end; end = ends.exec(text)) {
      const line = this.#take(text.slice(from, end.index));
      from = ends.lastIndex;
      if (end[0] === "\r" && from === text.length) this.#afterReturn = true;
      if (line !== "") this.#field(line);
      else {
        const event = this.#dispatch();
        if (event) out.push(event);
      }
    }
    const rest = text.slice(from);
    if (rest !== "") {
      this.#line.push(rest);
      this.#lineUnits += rest.length;
      this.#check();
    }
    return out;
  }

  #take(end: string): string {
    if (this.#line.length === 0) return end;
    const line = this.#line.join("") + end;
    this.#line = [];
    this.#lineUnits = 0;
    return line;
  }

  #field(line: string): void {
    const colon = line.indexOf(":");
    // A line that begins with a colon is a comment; servers send them to keep the connection open.
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (name === "data") {
      this.#data.push(value);
      this.#dataUnits += value.length;
      this.#check();
    } else if (name === "event") {
      this.#event = value;
    }
  }

  #check(): void {
    if (this.#lineUnits + this.#dataUnits > LONGEST) throw new RangeError("an event is longer than 32 Mi characters");
  }

  #dispatch(): ServerEvent | undefined {
    const event = this.#data.length > 0 ? { event: this.#event, data: this.#data.join("\n") } : undefined;
    this.#event = "";
    this.#data = [];
    this.#dataUnits = 0;
    return event;
  }
}
